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

// Instant describes the state at the moment of a checkpoint.
type Instant struct {
	At     time.Time
	Files  []schema.FileRow
	Logs   []schema.LogRow
	Stats  schema.Stats
	Number uint64        // of the last commit
	Held   time.Duration // how long commits had to wait
	// Copied is how many bytes of tables could not be linked and were copied.
	Copied int64
}

// copying is a copy that the committer makes.
type copying struct {
	dir string
	was Instant
}

// Checkpoint copies the state, as it is between two commits, into the new folder dir:
// tables as hard links where the file system has them, the rest by its bytes. WARC files
// and logs hold, durably, at least what the Instant says; logs keep the names it says until HoldRolls
// is released. Meanwhile the crawl goes on, and only commits wait. After an error dir may hold
// a part of the copy; the frontier goes on.
func (f *Frontier) Checkpoint(ctx context.Context, dir string) (Instant, error) {
	c := copying{dir: dir}
	if err := f.committer.Submit(ctx, &commit.Request{After: func() error { return f.copyState(&c) }}); err != nil {
		return Instant{}, fmt.Errorf("frontier: copy the state to %s: %w", dir, err)
	}
	return c.was, nil
}

// copyState is called by the committer, so that nothing is written meanwhile: Pebble reuses
// its log files, and a copy of one that is being written may mix old and new data.
func (f *Frontier) copyState(c *copying) error {
	began := f.o.Clock.Mono()
	c.was = Instant{At: f.o.Clock.Now(), Files: f.Files(), Logs: f.Logs(), Stats: f.Stats(), Number: f.number}
	copied, err := f.db.Checkpoint(c.dir)
	c.was.Held, c.was.Copied = f.o.Clock.Mono()-began, copied
	return err
}

// WriteMark makes the mark of a complete state in dir, a copy or one made anew. number is that of its
// last commit (ADR 31).
func WriteMark(fsys fsx.FS, dir string, number uint64) (err error) {
	m, err := openMarker(fsys, dir)
	if err != nil {
		return err
	}
	return errors.Join(m.set(mark{Number: number, Closed: true}), m.close())
}
