package progress

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"exclave/internal/clock"
)

// openTerminal returns the two ends of a terminal: what is written to tty is read from screen.
func openTerminal(t *testing.T) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	if err := unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skip(err)
	}
	n, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skip(err)
	}
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = tty.Close() })
	return screen, tty
}

// What is printed beside the line of progress has a line of its own on a terminal.
func TestProgressAside(t *testing.T) {
	screen, tty := openTerminal(t)
	p := NewLine(tty, clock.System(), time.Time{}, func(time.Duration) string { return "verify: archive" })
	p.write()
	p.Aside(func() { fmt.Fprintln(tty, "a defect") })
	p.Aside(func() { fmt.Fprintln(tty, "another") })
	fmt.Fprintln(tty, "end")
	var out strings.Builder
	for b := make([]byte, 4096); !strings.Contains(out.String(), "end"); {
		n, err := screen.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(b[:n])
	}
	want := regexp.MustCompile(`^\rverify: archive *\r( +)\ra defect\r\nanother\r\nend`).FindStringSubmatch(out.String())
	if want == nil || len(want[1]) < len("verify: archive") {
		t.Errorf("%q", out.String())
	}
}
