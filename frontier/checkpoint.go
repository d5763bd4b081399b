package frontier

import (
	"context"
	"errors"
	"fmt"
	"time"

	"exclave/frontier/commit"
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
	if err := f.committer.Submit(ctx, &commit.Request{After: func() error { return f.copyState(&c) }}); err != nil {
		return Instant{}, fmt.Errorf("frontier: copy the state to %s: %w", dir, err)
	}
	return c.was, nil
}

// copyState is called by the committer, so that nothing is written meanwhile: Pebble uses
// its log files again, and a copy of one that is being written may mix old and new.
func (f *Frontier) copyState(c *copying) error {
	began := f.o.Clock.Mono()
	c.was = Instant{At: f.o.Clock.Now(), Files: f.Files(), Logs: f.Logs(), Stats: f.Stats(), Number: f.number}
	copied, err := f.db.Checkpoint(c.dir)
	c.was.Held, c.was.Copied = f.o.Clock.Mono()-began, copied
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
