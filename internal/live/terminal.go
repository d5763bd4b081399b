package live

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// Commands to the terminal (ECMA-48, and xterm's private modes): the alternate
// screen, no cursor, no wrapping at the right edge, and back.
const (
	enterScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[0m\x1b[2J"
	leaveScreen = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"
)

// writeBound is how long a frame may take: a terminal that stands still must not
// hold anything else up.
const writeBound = time.Second

// terminal is the controlling terminal of the process.
type terminal struct {
	tty *os.File

	mu     sync.Mutex
	saved  *term.State // set while the view has the terminal
	over   bool        // it is not to be entered again
	last   []row       // what is on the screen
	width  int
	height int
}

// openTerminal opens the controlling terminal. The file is one of our own, so that
// reads from it can be ended, and what stdin and stderr are stays as it is.
func openTerminal() (*terminal, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return &terminal{tty: tty}, nil
}

// fd calls fn with the file descriptor. File.Fd would make reads block for ever.
func (t *terminal) fd(fn func(fd int) error) error {
	conn, err := t.tty.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	err = conn.Control(func(fd uintptr) { inner = fn(int(fd)) })
	return errors.Join(err, inner)
}

// foreground reports whether the process may have the terminal now: one in the
// background of a shell is stopped when it tries.
func (t *terminal) foreground() bool {
	mine := false
	err := t.fd(func(fd int) error {
		group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		mine = group == unix.Getpgrp()
		return err
	})
	return err == nil && mine
}

// entered reports whether the view has the terminal.
func (t *terminal) entered() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.saved != nil
}

// enter takes the terminal. It fails after close.
func (t *terminal) enter() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return os.ErrClosed
	}
	if t.saved != nil {
		return nil
	}
	err := t.fd(func(fd int) (err error) {
		t.saved, err = term.MakeRaw(fd)
		return err
	})
	if err != nil {
		t.saved = nil
		return err
	}
	t.last = nil
	return t.write(enterScreen)
}

// leave gives the terminal back as enter found it; for good when over is set.
func (t *terminal) leave(over bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = t.over || over
	if t.saved == nil {
		return nil
	}
	saved := t.saved
	t.saved = nil
	return errors.Join(t.write(leaveScreen), t.fd(func(fd int) error { return term.Restore(fd, saved) }))
}

// size returns the width and height in columns and rows.
func (t *terminal) size() (width, height int) {
	err := t.fd(func(fd int) (err error) {
		width, height, err = term.GetSize(fd)
		return err
	})
	if err != nil || width < 1 || height < 1 {
		return 80, 24
	}
	return width, height
}

// again takes the terminal once more if the view has it and others used it.
func (t *terminal) again() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.saved == nil {
		return
	}
	t.last = nil
	_ = t.fd(func(fd int) error { _, err := term.MakeRaw(fd); return err }) // nothing can be done
	_ = t.write(enterScreen)
}

// anew makes the next draw send everything.
func (t *terminal) anew() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = nil
}

// draw shows the rows, sending those that changed.
func (t *terminal) draw(rows []row, width, height int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.saved == nil {
		return nil
	}
	var b strings.Builder
	if t.last == nil || width != t.width || height != t.height {
		b.WriteString("\x1b[0m\x1b[2J")
		t.last = make([]row, height)
	}
	for i, r := range rows {
		if i < len(t.last) && t.last[i] == r {
			continue
		}
		fmt.Fprintf(&b, "\x1b[%d;1H\x1b[2K%s%s\x1b[0m", i+1, r.style.on(), r.text)
	}
	if b.Len() == 0 {
		return nil
	}
	if err := t.write(b.String()); err != nil {
		t.last = nil // nobody knows what arrived
		return err
	}
	t.last, t.width, t.height = append([]row(nil), rows...), width, height
	return nil
}

func (s style) on() string {
	switch s {
	case bold:
		return "\x1b[1m"
	case reversed:
		return "\x1b[7m"
	}
	return ""
}

func (t *terminal) write(s string) error {
	// Not every system lets terminals have deadlines; then a write may block.
	_ = t.tty.SetWriteDeadline(time.Now().Add(writeBound))
	_, err := t.tty.WriteString(s)
	return err
}

// listen sends keys until the returned function is called, which waits for the end.
// In the background of a shell it must not run: reading would stop the process.
func (t *terminal) listen(keys chan<- key) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	_ = t.tty.SetReadDeadline(time.Time{})
	go func() {
		defer close(done)
		b := make([]byte, 256)
		for {
			n, err := t.tty.Read(b)
			for _, k := range parseKeys(b[:n]) {
				select {
				case keys <- k:
				case <-quit:
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return func() {
		close(quit)
		if t.tty.SetReadDeadline(time.Now()) == nil {
			<-done
		}
	}
}
