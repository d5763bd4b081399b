package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"

	"exclave/chain"
	"exclave/internal/clock"
	"exclave/internal/job"
	"exclave/internal/printable"
)

// Crawl is a running crawl, of this process or another.
type Crawl interface {
	// Snapshot returns where the crawl stands. The error wraps [ErrEnded] when it
	// does not run any more; any other error may pass.
	Snapshot(ctx context.Context) (job.Snapshot, error)
	// Pause, Resume and Stop give an order and do not wait for what comes of it.
	Pause(ctx context.Context) error
	Resume(ctx context.Context) error
	Stop(ctx context.Context) error
}

// Errors of views.
var (
	ErrNoTerminal = errors.New("there is no terminal for a view")
	ErrEnded      = errors.New("the crawl has ended")
	ErrHangUp     = errors.New("the terminal hung up")
)

// every is how often the screen is renewed, askBound how long a crawl may take to
// answer.
const (
	every    = time.Second
	askBound = 2 * time.Second
)

// Options of a view.
type Options struct {
	Clock  clock.Clock // default: the system's
	Log    *Log        // what is kept while the view runs; nil = nothing
	Remote bool        // the crawl is another process: q leaves the view only
	Kill   func()      // ends the process at once; nil = there is no key for it
}

// View shows a crawl on the controlling terminal. Run it once, from one goroutine.
type View struct {
	crawl Crawl
	o     Options
	term  *terminal
	m     model
	keys  chan key
	deaf  func() // ends listening for keys; nil when not listening

	signals chan os.Signal
	tick    clock.Timer
}

// Open prepares a view. The error wraps [ErrNoTerminal] when w is no terminal, or
// one without an alternate screen (TERM is dumb or not set), or when the process
// runs in the background of it. The terminal is taken by Run only.
func Open(w io.Writer, o Options) (*View, error) {
	f, ok := printable.File(w)
	if name := os.Getenv("TERM"); !ok || name == "" || name == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return nil, fmt.Errorf("live: %w", ErrNoTerminal)
	}
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Log == nil {
		o.Log = NewLog(w)
	}
	t, err := openTerminal()
	if err != nil {
		return nil, fmt.Errorf("live: %w: %w", ErrNoTerminal, err)
	}
	// A script's "exclave crawl a & exclave crawl b &" leaves both in the foreground,
	// with SIGINT ignored.
	if !t.foreground() || signal.Ignored(syscall.SIGINT) {
		_ = t.tty.Close()
		return nil, fmt.Errorf("live: %w: this process runs in the background", ErrNoTerminal)
	}
	return &View{o: o, term: t, keys: make(chan key), signals: make(chan os.Signal, 8), m: model{remote: o.Remote, kill: o.Kill != nil}}, nil
}

// Restore gives the terminal back for good; Run goes on without it. It may be
// called from any goroutine, by whoever ends the process.
func (v *View) Restore() {
	_ = v.term.leave(true) // nothing can be done about a terminal that is gone
	v.o.Log.release()
}

// Run shows a crawl until ctx ends, the crawl ends (ErrEnded), the terminal is closed
// (ErrHangUp), or the user leaves (nil). The terminal is given back before it returns, also when it panics.
func (v *View) Run(ctx context.Context, c Crawl) error {
	v.crawl = c
	signal.Notify(v.signals, syscall.SIGWINCH, syscall.SIGCONT, syscall.SIGQUIT)
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signal.Notify(v.signals, syscall.SIGHUP)
	}
	defer signal.Stop(v.signals)
	defer func() {
		v.leave(true)
		_ = v.term.tty.Close()
	}()
	if err := v.enter(); err != nil {
		return fmt.Errorf("live: take the terminal: %w", err)
	}
	v.tick = v.o.Clock.NewTimer(0)
	defer v.tick.Stop()
	for {
		var err error
		left := false
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-v.tick.C():
			if !v.term.entered() && v.term.foreground() {
				err = v.enter() // fg after bg tells nobody
			}
			if err == nil {
				err = v.renew(ctx)
			}
			v.tick.Reset(every)
		case k := <-v.keys:
			if left, err = v.press(ctx, k); !left && err == nil {
				err = v.renew(ctx)
			}
		case s := <-v.signals:
			err = v.signal(s)
		}
		if left || err != nil {
			return err
		}
	}
}

// enter takes the terminal, unless Restore was called.
func (v *View) enter() error {
	if v.term.entered() {
		return nil
	}
	err := v.term.enter()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	if err == nil {
		v.o.Log.hold()
		v.deaf = v.term.listen(v.keys)
	}
	return err
}

// leave gives the terminal back.
func (v *View) leave(over bool) {
	if v.deaf != nil {
		v.deaf()
		v.deaf = nil
	}
	_ = v.term.leave(over)
	v.o.Log.release()
}

// renew asks the crawl and draws the frame.
func (v *View) renew(ctx context.Context) error {
	ask, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	s, err := v.crawl.Snapshot(ask)
	switch {
	case ctx.Err() != nil:
		return nil // Run sees it
	case errors.Is(err, ErrEnded):
		return err
	case err != nil:
		v.m.trouble = err.Error()
	default:
		v.m.snap, v.m.known, v.m.trouble = s, true, ""
	}
	v.draw()
	return nil
}

func (v *View) draw() {
	if !v.term.entered() {
		return
	}
	width, height := v.term.size()
	v.m.log, v.m.logged = v.o.Log.tail(height)
	// A terminal that takes nothing is tried again with the next frame.
	_ = v.term.draw(v.m.rows(width, height), width, height)
}

// press does what a key asks for; left says that the view is to end.
func (v *View) press(ctx context.Context, k key) (left bool, err error) {
	asking, help := v.m.asking, v.m.help
	v.m.asking, v.m.help = 0, false
	stop := k == 'S' || !v.o.Remote && (k == 'q' || k == 's')
	switch {
	case k == ctrlC && !v.o.Remote:
		return false, syscall.Kill(0, syscall.SIGINT) // as the terminal itself would
	case k == ctrlC || k == 'q' && v.o.Remote:
		return true, nil
	case k == ctrlZ:
		return false, v.suspend()
	case k == ctrlBackslash:
		return false, syscall.Kill(0, syscall.SIGQUIT)
	case k == 'Q' && v.o.Kill != nil && asking != 'Q':
		v.m.asking = 'Q'
	case k == 'Q' && v.o.Kill != nil:
		v.leave(true)
		v.o.Kill()
		return true, nil
	case stop && asking != 0 && asking != 'Q':
		return false, v.order(ctx, v.crawl.Stop)
	case stop && v.m.snap.State != chain.Stopping:
		v.m.asking = k
	case asking != 0 || help: // any other key: no
	case k == 'p':
		return false, v.order(ctx, v.crawl.Pause)
	case k == 'r':
		return false, v.order(ctx, v.crawl.Resume)
	case k == '?' || k == 'h':
		v.m.help = true
	case k == ctrlL:
		v.term.anew()
	default:
		v.move(k)
	}
	return false, nil
}

// move scrolls the table; what is too far is put right when the table is made.
func (v *View) move(k key) {
	switch k {
	case 'j', keyDown:
		v.m.scroll++
	case 'k', keyUp:
		v.m.scroll--
	case ' ', keyPageDown:
		v.m.scroll += v.m.shown
	case 'b', keyPageUp:
		v.m.scroll -= v.m.shown
	case 'g', keyHome:
		v.m.scroll = 0
	case 'G', keyEnd:
		v.m.scroll = len(v.m.snap.Workers)
	}
}

// order steers the crawl; a crawl that does not take it is shown as such.
func (v *View) order(ctx context.Context, fn func(context.Context) error) error {
	ask, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	err := fn(ask)
	if err != nil && !errors.Is(err, ErrEnded) {
		v.m.trouble, err = err.Error(), nil
	}
	return err
}

// signal does what a signal asks for.
func (v *View) signal(s os.Signal) error {
	switch s {
	case syscall.SIGWINCH:
		v.draw()
	case syscall.SIGCONT:
		if v.term.foreground() {
			v.term.again() // SIGSTOP tells nobody
			if err := v.enter(); err != nil {
				return err
			}
			v.draw()
		}
	case syscall.SIGHUP:
		v.leave(true)
		return ErrHangUp // what that means for the crawl its owner decides
	case syscall.SIGQUIT:
		v.leave(true)
		signal.Reset(s)
		return syscall.Kill(syscall.Getpid(), s.(syscall.Signal))
	}
	return nil
}

// suspend stops this process and those it was begun with, as the terminal's own
// key does. Somebody else sends SIGCONT, after which the view comes back. Where
// nobody could, the system ignores the signal, and the view is back with the next
// tick. Notify is not used for this signal: the runtime would not give its default
// action back.
func (v *View) suspend() error {
	v.leave(false)
	v.tick.Reset(every)
	return syscall.Kill(0, syscall.SIGTSTP)
}
