package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal opens a pseudo-terminal: what is typed, and what programs have of it.
func terminal(t *testing.T) (typed, tty *os.File) {
	t.Helper()
	typed, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = typed.Close() })
	fd := int(typed.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Skip(err)
	}
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = tty.Close() })
	return typed, tty
}

// raw reports whether a terminal gives single keys.
func raw(t *testing.T, tty *os.File) bool {
	t.Helper()
	s, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return s.Lflag&unix.ICANON == 0
}

// A signal while a person is asked ends label, keeps what was answered, and leaves a terminal on which one sees what one types.
func TestLabelEndedBySignal(t *testing.T) {
	typed, tty := terminal(t)
	dir := t.TempDir()
	job := filepath.Join(dir, "job")
	if text, err := exec.Command("exclave", "init", job, "--profile", "cz", "--contact", "https://library.example/crawler").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var log strings.Builder
	for i := range 2 {
		fmt.Fprintf(&log, `{"url":"http://%d.example/","via":"","verdicts":[{"profile":"cz","judged":true,"valid":false,"points":0,"min":10}]}`+"\n", i)
	}
	logs := filepath.Join(job, "logs")
	if err := os.MkdirAll(logs, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(logs, "analysis.jsonl"), []byte(log.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("exclave", "label", job)
	cmd.Stdin = tty
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	if _, err := typed.WriteString("y"); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for text := ""; !strings.HasPrefix(text, "2 of 2"); {
		if text, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := lines.ReadString('?'); err != nil { // the question
		t.Fatal(err)
	}
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for !raw(t, tty) {
		<-look.C
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if c := code(t, cmd.Wait()); c != int(exitInterrupt) {
		t.Errorf("exit code %d", c)
	}
	if raw(t, tty) {
		t.Error("the terminal is left raw")
	}
	if text, err := os.ReadFile(filepath.Join(job, "labels.jsonl")); err != nil || strings.Count(string(text), "\n") != 1 {
		t.Errorf("%s, %v: want one answer", text, err)
	}
}
