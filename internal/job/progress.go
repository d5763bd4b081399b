package job

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"exclave/internal/clock"
)

// progress writes where the crawl stands: a line that is overwritten twice a
// second on a terminal, a new line every 20 s elsewhere.
type progress struct {
	out   io.Writer
	clk   clock.Clock
	began time.Time
	line  func(elapsed time.Duration) string
}

// terminal reports whether w is a terminal, and its width in columns.
func terminal(w io.Writer) (width int, ok bool) {
	f, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 20 {
		width = 80
	}
	return width, true
}

// run writes until ctx ends; the last state is always written.
func (p *progress) run(ctx context.Context) {
	every := 20 * time.Second
	_, tty := terminal(p.out)
	if tty {
		every = 500 * time.Millisecond
	}
	t := p.clk.NewTimer(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			p.write()
			if tty {
				fmt.Fprintln(p.out)
			}
			return
		case <-t.C():
			p.write()
			t.Reset(every)
		}
	}
}

func (p *progress) write() {
	s := p.line(p.clk.Now().Sub(p.began))
	width, tty := terminal(p.out)
	if !tty {
		fmt.Fprintln(p.out, s)
		return
	}
	if len(s) >= width {
		s = s[:width-1]
	}
	fmt.Fprintf(p.out, "\r%-*s", width-1, s)
}

// size prints bytes as a person reads them.
func size(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	f, exp := float64(n)/unit, 0
	for f >= unit && exp < 5 {
		f /= unit
		exp++
	}
	return fmt.Sprintf("%.1f %ciB", f, "KMGTPE"[exp])
}
