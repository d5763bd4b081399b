package frontier

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"exclave/frontier/schema"
	"exclave/internal/fsx"
)

// Instant is what the state held when it was copied.
type Instant struct {
	At     time.Time
	Files  []schema.FileRow
	Logs   []schema.LogRow
	Stats  schema.Stats
	Number uint64        // of the last commit
	Held   time.Duration // how long nothing could be committed
	// Copied are the bytes of tables that could not be linked.
	Copied int64
}

// copying is an order to the committer.
type copying struct {
	dir string
	was Instant
}

// Checkpoint copies the state, as it is between two commits, into the new folder dir:
// tables as hard links where the file system has them, the rest by its bytes. WARC files
// and logs hold, durably, at least what the Instant says; logs under the names it says as long as
// somebody holds them (HoldRolls). What goes on meanwhile waits for
// its commit only. After an error dir may hold a part; the frontier works on.
func (f *Frontier) Checkpoint(ctx context.Context, dir string) (Instant, error) {
	c := copying{dir: dir}
	if err := f.submit(ctx, &request{copy: &c}); err != nil {
		return Instant{}, fmt.Errorf("frontier: copy the state to %s: %w", dir, err)
	}
	return c.was, nil
}

// copyState is called by the committer, so that nothing is written meanwhile: Pebble uses
// its log files again, and a copy of one that is being written may mix old and new.
func (f *Frontier) copyState(c *copying) error {
	began, copied := f.o.Clock.Mono(), f.copied.Load()
	c.was = Instant{At: f.o.Clock.Now(), Files: f.Files(), Logs: f.Logs(), Stats: f.Stats(), Number: f.number}
	err := f.dead.guard(func() error {
		return survive(func() error { return f.db.Checkpoint(c.dir, pebble.WithFlushedWAL()) })
	})
	c.was.Held, c.was.Copied = f.o.Clock.Mono()-began, f.copied.Load()-copied
	return err
}

// WriteMark makes the mark of a state in dir that was made at a whole, as a copy or anew: number is
// that of its last commit (ADR 31).
func WriteMark(fsys fsx.FS, dir string, number uint64) (err error) {
	m, err := openMarker(fsys, dir)
	if err != nil {
		return err
	}
	return errors.Join(m.set(mark{Number: number, Closed: true}), m.close())
}

// otherDir is a folder that is not the store's own: a sync that fails there is no reason
// to end the store.
type otherDir struct{ vfs.File }

// Sync implements vfs.File.
func (d otherDir) Sync() error {
	if err := d.File.Sync(); err != nil {
		return otherDirError{err}
	}
	return nil
}

type otherDirError struct{ error }

// Unwrap returns what the file system said.
func (e otherDirError) Unwrap() error { return e.error }
