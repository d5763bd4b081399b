package frontier

import (
	"errors"

	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// watchStore fails the frontier when the store dies, also of work in the
// background that nobody waits for.
func (f *Frontier) watchStore() {
	select {
	case <-f.db.Died():
		f.fail(f.db.Cause())
	case <-f.committer.Idle():
	}
}

// setClean notes whether the state was closed in order.
func (f *Frontier) setClean(clean bool) error {
	var b store.Batch
	b.Set(schema.MetaKey(schema.MetaClean), schema.EncodeClean(clean))
	return f.db.Commit(&b, true)
}

// fillFilter fills the filter of known keys. Without it everything is looked up; the store dies of damaged
// tables, as it would when they are needed.
func (f *Frontier) fillFilter() {
	if err := f.filter.Fill(f.db, f.committer.Stopping()); err != nil && !errors.Is(err, store.ErrQuit) {
		f.o.Logger.Error("filter of known URIs not filled: new ones are looked for in the state, which is slower", "err", err)
	}
}
