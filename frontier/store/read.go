package store

import (
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"exclave/frontier/schema"
)

// Reader reads rows: the [Store] as it is now, or a [Snapshot].
type Reader interface {
	// Get returns the value of a key, nil when there is none.
	Get(key []byte) ([]byte, error)
	// Scan calls fn for every key with the prefix, in order, until it returns an error. Key and value are
	// fn's only during the call.
	Scan(prefix []byte, fn func(key, value []byte) error) error
	// ScanFrom is Scan from a key on.
	ScanFrom(from, prefix []byte, fn func(key, value []byte) error) error
	// Iter returns an iterator over the keys from lower on, to below upper; nil: no bound. Close it.
	Iter(lower, upper []byte) (*Iter, error)
}

// Snapshot is the state at an instant. Close it: what it sees is kept on disk for it.
type Snapshot struct {
	reader
	snap *pebble.Snapshot
	s    *Store
}

// Snapshot returns the present instant.
func (s *Store) Snapshot() (n *Snapshot, err error) {
	err = s.Guard(func() error {
		snap := s.db.NewSnapshot()
		n = &Snapshot{reader{snap}, snap, s}
		return nil
	})
	return n, err
}

// Close releases the snapshot, unless a store that died may still read it.
func (n *Snapshot) Close() error { return n.s.Guard(n.snap.Close) }

// reader reads a store or a snapshot.
type reader struct{ r pebble.Reader }

// Get implements [Reader].
func (r reader) Get(key []byte) ([]byte, error) {
	v, c, err := r.r.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v = append([]byte(nil), v...)
	return v, c.Close()
}

// Scan implements [Reader].
func (r reader) Scan(prefix []byte, fn func(key, value []byte) error) error {
	return r.ScanFrom(prefix, prefix, fn)
}

// ScanFrom implements [Reader].
func (r reader) ScanFrom(from, prefix []byte, fn func(key, value []byte) error) (err error) {
	it, err := r.Iter(from, schema.After(prefix))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if err := fn(it.Key(), v); err != nil {
			return err
		}
	}
	return it.Error()
}

// Iter implements [Reader].
func (r reader) Iter(lower, upper []byte) (*Iter, error) {
	it, err := r.r.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		return nil, err
	}
	return &Iter{it}, nil
}

// Iter goes over rows in the order of their keys: First, Next, Last, Prev, Valid, Key, ValueAndErr,
// Error, SetBounds, Close. Key and value are valid until it moves.
type Iter struct{ *pebble.Iterator }

// Seek returns the value of a key, nil when there is none; it is valid until the iterator
// moves.
func (it *Iter) Seek(key []byte) ([]byte, error) {
	if !it.SeekPrefixGE(key) {
		return nil, it.Error()
	}
	return it.ValueAndErr()
}
