package job

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"exclave/chain"
	"exclave/internal/clock"
	"exclave/internal/printable"
)

// progress writes where the crawl stands: a line that is overwritten twice a
// second on a terminal, a new line every 20 s elsewhere.
type progress struct {
	out   io.Writer
	clk   clock.Clock
	began time.Time
	line  func(elapsed time.Duration) string
	mu    sync.Mutex
	width int // of the line that stands on the terminal; 0: none does
}

// aside lets fn write lines of its own to the terminal.
func (p *progress) aside(fn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if tty, _ := terminal(p.out); tty != nil && p.width > 0 {
		fmt.Fprintf(tty, "\r%*s\r", p.width, "")
		p.width = 0
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

// run writes until ctx ends; the last state is always written.
func (p *progress) run(ctx context.Context) {
	every := 20 * time.Second
	tty, _ := terminal(p.out)
	if tty != nil {
		every = 500 * time.Millisecond
	}
	t := p.clk.NewTimer(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			p.write()
			if tty != nil {
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
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.line(p.clk.Now().Sub(p.began))
	tty, width := terminal(p.out)
	if tty == nil {
		fmt.Fprintln(p.out, s)
		return
	}
	if len(s) >= width {
		s = s[:width-1]
	}
	p.width = width - 1
	fmt.Fprintf(tty, "\r%-*s", p.width, s) // figures only: past what guards the terminal
}

// meterWindow is the time over which a rate is "now", meterEvery how often the
// meter is read.
const (
	meterWindow = 10 * time.Second
	meterEvery  = time.Second
)

// meter knows what the counters said during the last seconds.
type meter struct {
	mu    sync.Mutex
	marks []meterMark // oldest first
}

type meterMark struct {
	at             time.Duration // monotonic
	fetched, bytes int64
}

// add notes what the counters say at an instant, and forgets what the window has
// left behind.
func (m *meter) add(at time.Duration, c chain.Counts) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := 0
	for old+1 < len(m.marks) && m.marks[old+1].at <= at-meterWindow {
		old++
	}
	m.marks = append(m.marks[old:], meterMark{at, c.Fetched, c.Bytes})
}

// rate returns the rate from the beginning of the window until now.
func (m *meter) rate(now time.Duration, c chain.Counts) Rate {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.marks) == 0 {
		return Rate{}
	}
	first := m.marks[0]
	return rate(c.Fetched-first.fetched, c.Bytes-first.bytes, now-first.at)
}

// rate spreads counts over a time.
func rate(uris, bytes int64, over time.Duration) Rate {
	s := over.Seconds()
	if s <= 0 {
		return Rate{}
	}
	return Rate{URIs: float64(uris) / s, Bytes: float64(bytes) / s}
}

// measure feeds the meter until ctx ends.
func (j *Job) measure(ctx context.Context) {
	t := j.opts.Clock.NewTimer(meterEvery)
	defer t.Stop()
	for {
		j.meter.add(j.opts.Clock.Mono(), j.ctl.Counts())
		select {
		case <-ctx.Done():
			return
		case <-t.C():
			t.Reset(meterEvery)
		}
	}
}

// Size prints bytes as a person reads them.
func Size(n int64) string {
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
