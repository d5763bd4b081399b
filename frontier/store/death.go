package store

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
)

// death is the end of a store: Pebble found that it cannot go on, on whatever goroutine, and must not be
// asked for anything that may need its locks.
type death struct {
	once sync.Once
	came chan struct{} // closed after err is set
	err  error
}

func newDeath() *death { return &death{came: make(chan struct{})} }

func (d *death) die(err error) {
	d.once.Do(func() {
		d.err = err
		close(d.came)
	})
}

// Died is closed when the store has died, also of work in the background that nobody waits for.
func (s *Store) Died() <-chan struct{} { return s.death.came }

// Cause returns why the store died, nil while it lives.
func (s *Store) Cause() error {
	select {
	case <-s.death.came:
		return s.death.err
	default:
		return nil
	}
}

// Guard runs fn, which asks the store for something it may die of, and returns what fn does, or at the
// store's death why it died; fn is then left behind.
func (s *Store) Guard(fn func() error) error {
	if err := s.Cause(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- fn() }()
	select {
	case err := <-done:
		return err
	case <-s.death.came:
		return s.death.err
	}
}

// survive returns what fn does. Pebble panics when it cannot sync a folder; when that is
// not the store's own, it is an error like others.
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

// logger passes Pebble's complaints on; its progress is of no interest.
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
