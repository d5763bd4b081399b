package progress

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"exclave/internal/clock"
	"exclave/internal/printable"
)

// Line writes how far something has come: a line that is overwritten twice a
// second on a terminal, a new line every 20 s elsewhere. Use it from any goroutine.
type Line struct {
	out   io.Writer
	clk   clock.Clock
	began time.Time
	text  func(elapsed time.Duration) string
	mu    sync.Mutex
	width int // of the line on the terminal; 0: there is none
}

// NewLine returns a line on out, for something that began at the time given; text makes it.
func NewLine(out io.Writer, clk clock.Clock, began time.Time, text func(elapsed time.Duration) string) *Line {
	return &Line{out: out, clk: clk, began: began, text: text}
}

// Aside lets fn write lines of its own to the terminal.
func (l *Line) Aside(fn func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if tty, _ := terminal(l.out); tty != nil && l.width > 0 {
		fmt.Fprintf(tty, "\r%*s\r", l.width, "")
		l.width = 0
	}
	fn()
}

// terminal returns the terminal behind w, nil when there is none, and its width in columns.
func terminal(w io.Writer) (f *os.File, width int) {
	f, ok := printable.File(w)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil, 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 20 {
		width = 80
	}
	return f, width
}

// Run writes until ctx ends; the last state is always written.
func (l *Line) Run(ctx context.Context) {
	every := 20 * time.Second
	tty, _ := terminal(l.out)
	if tty != nil {
		every = 500 * time.Millisecond
	}
	t := l.clk.NewTimer(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			l.write()
			if tty != nil {
				fmt.Fprintln(l.out)
			}
			return
		case <-t.C():
			l.write()
			t.Reset(every)
		}
	}
}

func (l *Line) write() {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.text(l.clk.Now().Sub(l.began))
	tty, width := terminal(l.out)
	if tty == nil {
		fmt.Fprintln(l.out, s)
		return
	}
	if len(s) >= width {
		s = s[:width-1]
	}
	l.width = width - 1
	fmt.Fprintf(tty, "\r%-*s", l.width, s) // figures only: past what guards the terminal
}
