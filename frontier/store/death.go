package store

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
)

// death is the end of a store: Pebble failed for good, on some goroutine, and must not be called for anything that may
// need its locks.
type death struct {
	once sync.Once
	died chan struct{} // closed after err is set
	err  error
}

func newDeath() *death { return &death{died: make(chan struct{})} }

func (d *death) die(err error) {
	d.once.Do(func() {
		d.err = err
		close(d.died)
	})
}

// Died is closed when the store has died, also because of work in the background.
func (s *Store) Died() <-chan struct{} { return s.death.died }

// Cause returns why the store died, nil while it lives.
func (s *Store) Cause() error {
	select {
	case <-s.death.died:
		return s.death.err
	default:
		return nil
	}
}

// Guard runs fn, which calls the store, and returns its error; if the store dies meanwhile it returns the cause, and
// does not wait for fn.
func (s *Store) Guard(fn func() error) error {
	s.guarded.add(1) // before the store is asked whether it lives, so that Close waits, or fn does not run
	if err := s.Cause(); err != nil {
		s.guarded.add(-1)
		return err
	}
	done := make(chan error, 1)
	go func() {
		defer s.guarded.add(-1)
		done <- fn()
	}()
	select {
	case err := <-done:
		if dead := s.Cause(); dead != nil {
			return dead // what it wrote may be nowhere, whatever it says
		}
		return err
	case <-s.death.died:
		return s.death.err
	}
}

// guarded counts the functions that Guard runs, also those that were left behind.
type guarded struct {
	mu   sync.Mutex
	n    int
	none chan struct{} // closed when n becomes 0; nil: nobody waits
}

func (g *guarded) add(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.n += n; g.n == 0 && g.none != nil {
		close(g.none)
		g.none = nil
	}
}

// ended returns a channel that is closed when no function runs. It is called once.
func (g *guarded) ended() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	none := make(chan struct{})
	if g.n == 0 {
		close(none)
	} else {
		g.none = none
	}
	return none
}

// survive runs fn and returns its error. Pebble panics when it cannot sync a folder; for a folder that is not the
// store's own, survive makes that an error.
func survive(fn func() error) (err error) {
	defer func() {
		p := recover()
		if e, ok := p.(error); ok && errors.As(e, new(otherDirError)) {
			err = e
		} else if p != nil {
			panic(p)
		}
	}()
	return fn()
}

// logger passes Pebble's errors on, and discards its progress messages.
type logger struct {
	log   *slog.Logger
	death *death
}

// Infof implements [pebble.Logger].
func (logger) Infof(string, ...any) {}

// Errorf implements [pebble.Logger].
func (l logger) Errorf(format string, args ...any) {
	l.log.Error("state store", "what", fmt.Sprintf(format, args...))
}

// Fatalf is called when Pebble cannot go on; it must not return. A panic would
// end the process when the goroutine is Pebble's own.
func (l logger) Fatalf(format string, args ...any) {
	l.death.die(fmt.Errorf(format, args...))
	runtime.Goexit()
}
