package store

import (
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"

	"exclave/internal/fsx"
)

// A store that died is closed only when what reads it, and was left behind, has ended: Pebble must not be
// closed under it.
func TestCloseWaitsForReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(Options{FS: fsx.NewMem(), Dir: "state", Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		why := errors.New("the disk is gone")
		reading, release := make(chan struct{}), make(chan struct{})
		var read error
		left := make(chan struct{})
		go func() { <-reading; s.death.die(why) }()
		if err := s.Guard(func() error {
			defer close(left)
			close(reading)
			<-release
			_, read = s.Get([]byte("u1"))
			return read
		}); !errors.Is(err, why) {
			t.Errorf("Guard returned %v", err)
		}
		closed := make(chan error, 1)
		go func() { closed <- s.Close() }()
		synctest.Wait() // Close has done what it does before the read ends
		close(release)
		<-left
		if err := <-closed; !errors.Is(err, why) || read != nil {
			t.Errorf("Close returned %v, what was left behind read %v", err, read)
		}
	})
}
