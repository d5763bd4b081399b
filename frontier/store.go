package frontier

import (
	"context"
	"errors"
	"fmt"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/frontier/store"
	"exclave/internal/logparts"
)

// Tables returns the bytes on disk of each table of the state, by the letter its keys
// begin with (docs/formats/state.md), as an estimate by whole blocks. What is not
// yet written to tables is not counted.
func (f *Frontier) Tables() (map[string]uint64, error) {
	n, err := f.db.TableBytes()
	if err != nil {
		return nil, fmt.Errorf("frontier: %w", err)
	}
	return n, nil
}

// Compact rewrites the state as small as possible. The crawl may go on meanwhile.
func (f *Frontier) Compact(ctx context.Context) error {
	if err := f.db.Compact(ctx); err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	return nil
}

// openStore opens the store in the folder of the state.
func (f *Frontier) openStore() (err error) {
	f.db, err = store.Open(store.Options{FS: f.o.FS, Dir: f.o.Dir, ReadOnly: f.o.ReadOnly, Cache: f.o.Cache, Logger: f.o.Logger, Advice: mend})
	return err
}

// recoverIt and mend advise what to do about a damaged state.
const (
	recoverIt = "make a state anew from archive and logs (exclave recover JOB)"
	mend      = "put the state back from a copy, restore a checkpoint (exclave checkpoint list JOB), or " + recoverIt
)

// checkNew returns an error if there is no state, but a mark, logs or an archive of a crawl.
func (f *Frontier) checkNew(ctx context.Context) error {
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

// watchStore makes the frontier fail when the store fails, even if it fails in
// background work.
func (f *Frontier) watchStore() {
	select {
	case <-f.db.Died():
		f.fail(f.db.Cause())
	case <-f.committer.Idle():
	}
}

// setClean stores whether the state was closed in order.
func (f *Frontier) setClean(clean bool) error {
	var b store.Batch
	b.Set(schema.MetaKey(schema.MetaClean), schema.EncodeClean(clean))
	return f.db.Commit(&b, true)
}

// fillFilter fills the filter of known keys. Until it is filled, every key is looked up in the store. On damaged
// tables the store fails, as it would on any read of them.
func (f *Frontier) fillFilter() {
	if err := f.filter.Fill(f.db, f.committer.Stopping()); err != nil && !errors.Is(err, store.ErrQuit) {
		f.o.Logger.Error("filter of known URIs not filled: new ones are looked for in the state, which is slower", "err", err)
	}
}
