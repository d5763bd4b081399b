package frontier

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/internal/fsx"
	"exclave/internal/logparts"
)

// Tables returns the bytes on disk of each table of the state, by the letter its keys
// begin with (docs/formats/state.md), as an estimate by whole blocks. What is not
// yet written to tables is not counted.
func (f *Frontier) Tables() (map[string]uint64, error) {
	out := map[string]uint64{}
	for _, t := range schema.Tables() {
		n, err := f.db.EstimateDiskUsage(t.Table.Prefix(), t.Table.End())
		if err != nil {
			return nil, fmt.Errorf("frontier: size of the state: %w", err)
		}
		out[t.Table.String()] = n
	}
	return out, nil
}

// Compact writes the state anew as small as it gets. The crawl may go on meanwhile.
func (f *Frontier) Compact(ctx context.Context) error {
	return f.dead.guard(func() error {
		if err := f.db.Flush(); err != nil {
			return fmt.Errorf("frontier: compact: %w", err)
		}
		if err := f.db.Compact(ctx, []byte{0}, []byte{0xff}, true); err != nil {
			return fmt.Errorf("frontier: compact: %w", err)
		}
		return nil
	})
}

func (f *Frontier) openDB() error {
	opts := StoreOptions()
	opts.FS, opts.ReadOnly, opts.Logger = storeFS{f.o.FS, f.o.Dir, f.dead, &f.copied}, f.o.ReadOnly, storeLogger{f.o.Logger, f.dead}
	if f.o.Cache > 0 {
		opts.CacheSize = f.o.Cache
	}
	opts.EventListener = &pebble.EventListener{DataCorruption: f.dead.damaged}
	if !f.o.ReadOnly {
		if err := fsx.MkdirAll(f.o.FS, f.o.Dir); err != nil {
			return err
		}
	}
	opened := make(chan *pebble.DB, 1)
	err := f.dead.guard(func() (err error) {
		var db *pebble.DB
		defer func() { opened <- db }() // also when it dies
		db, err = pebble.Open(f.o.Dir, opts)
		return err
	})
	if err == nil {
		f.db = <-opened
		return nil
	}
	patience := time.NewTimer(closePatience)
	defer patience.Stop()
	select {
	case db := <-opened:
		if db != nil { // it was open when it died
			f.db = db
			err = errors.Join(err, f.closeDB())
			f.db = nil
		}
	case <-patience.C:
	}
	if f.dead.cause() == nil && isDamage(err) {
		return fmt.Errorf("%w; %s", err, mend)
	}
	return err
}

// isDamage tells an error about what files of the store hold from one of the machine. Pebble does not
// call all of the former corruption.
func isDamage(err error) bool {
	switch {
	case errors.Is(err, pebble.ErrCorruption):
		return true
	case errors.Is(err, pebble.ErrDBDoesNotExist):
		return false
	case errors.Is(err, fs.ErrNotExist): // a file that another one names
		return true
	}
	return !errors.As(err, new(syscall.Errno)) && !strings.Contains(err.Error(), "lock held")
}

// recoverIt is the way out that always is: mend what to do about a damaged state.
const (
	recoverIt = "make a state anew from archive and logs (exclave recover JOB)"
	mend      = "put the state back from a copy, restore a checkpoint (exclave checkpoint list JOB), or " + recoverIt
)

// mayBegin refuses to begin anew beside what a crawl has made.
func (f *Frontier) mayBegin(ctx context.Context) error {
	without := func(what string) error {
		return fmt.Errorf("there is no state of a crawl in %s, but %s; nothing was changed; %s; to begin anew, use a new folder", f.o.Dir, what, mend)
	}
	if m, ok, err := readMark(f.o.FS, f.o.Dir); err != nil {
		return err
	} else if ok && m.Number > 0 {
		return without(fmt.Sprintf("%s says that one made %d commits", MarkName(f.o.Dir), m.Number))
	}
	for l := range crawl.NumLogs {
		name := f.o.FS.PathJoin(f.o.LogDir, l.Name())
		if logparts.Any(f.o.FS, f.o.LogDir, l.Name()) {
			return without(name + " holds what one wrote")
		}
	}
	if f.o.Check == nil {
		return nil
	}
	if err := f.o.Check(ctx, &Known{f: f}, true); err != nil {
		return fmt.Errorf("there is no state of a crawl in %s: %w", f.o.Dir, err)
	}
	return nil
}
