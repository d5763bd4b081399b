package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"exclave/frontier/schema"
	"exclave/internal/yield"
)

// Batch gathers changes to rows that are written together. They are applied in the order of their keys: the
// memory table finds a place next to the last one in half the time. The zero Batch is empty.
type Batch struct {
	changes []Change
	ranges  []keyRange
	size    int
	sorted  bool
}

// Change sets a row or deletes it.
type Change struct {
	first      uint64 // how the key begins, as a number that sorts as keys do
	number     int
	Key, Value []byte
	Deletes    bool
}

type keyRange struct{ from, to []byte }

// Set sets a row. The batch keeps key and value: the caller must not use them afterwards.
func (b *Batch) Set(key, value []byte) { b.add(Change{Key: key, Value: value}) }

// Delete deletes a row. The batch keeps the key.
func (b *Batch) Delete(key []byte) { b.add(Change{Key: key, Deletes: true}) }

// DeleteTable deletes all rows of a table but those that the batch sets.
func (b *Batch) DeleteTable(t schema.Table) {
	b.ranges = append(b.ranges, keyRange{t.Prefix(), t.End()})
}

func (b *Batch) add(c Change) {
	var first [8]byte
	copy(first[:], c.Key)
	c.first = binary.BigEndian.Uint64(first[:])
	c.number = len(b.changes)
	b.size += len(c.Key) + len(c.Value) + 8
	b.changes, b.sorted = append(b.changes, c), false
}

// sort puts the changes in order; of several to a row the last counts.
func (b *Batch) sort() {
	if b.sorted {
		return
	}
	slices.SortFunc(b.changes, func(x, y Change) int {
		if x.first != y.first {
			return cmp.Compare(x.first, y.first)
		}
		return cmp.Or(bytes.Compare(x.Key, y.Key), cmp.Compare(x.number, y.number))
	})
	n := 0
	for i, c := range b.changes {
		if i+1 < len(b.changes) && c.first == b.changes[i+1].first && bytes.Equal(c.Key, b.changes[i+1].Key) {
			continue
		}
		c.number = n
		b.changes[n] = c
		n++
	}
	b.changes, b.sorted = b.changes[:n], true
}

// from returns the changes from a key on, in order.
func (b *Batch) from(key []byte) []Change {
	b.sort()
	i, _ := slices.BinarySearchFunc(b.changes, key, func(c Change, key []byte) int { return bytes.Compare(c.Key, key) })
	return b.changes[i:]
}

// Table returns the changes to a table, in order.
func (b *Batch) Table(t schema.Table) []Change {
	cs := b.from(t.Prefix())
	n, _ := slices.BinarySearchFunc(cs, byte(t)+1, func(c Change, next byte) int { return cmp.Compare(c.Key[0], next) })
	return cs[:n]
}

// Commit writes a batch, all of it or nothing; the batch may be read afterwards. If durable, it survives a crash of the
// machine when Commit returns; otherwise when the next durable one does.
func (s *Store) Commit(b *Batch, durable bool) error {
	b.sort()
	w := s.db.NewBatchWithSize(b.size + 64)
	if err := b.fill(w); err != nil {
		return errors.Join(err, w.Close())
	}
	o := pebble.NoSync
	if durable {
		o = pebble.Sync
	}
	err := s.Guard(func() error { return w.Commit(o) })
	if s.Cause() != nil { // a store that died may still read it
		return err
	}
	return errors.Join(err, w.Close())
}

// Set sets one row at once. It is durable with the next durable commit.
func (s *Store) Set(key, value []byte) error {
	return errors.Join(s.db.Set(key, value, pebble.NoSync), s.Cause())
}

// Delete deletes one row at once, as [Store.Set] sets it.
func (s *Store) Delete(key []byte) error {
	return errors.Join(s.db.Delete(key, pebble.NoSync), s.Cause())
}

func (b *Batch) fill(w *pebble.Batch) error {
	for _, r := range b.ranges {
		if err := w.DeleteRange(r.from, r.to, nil); err != nil {
			return err
		}
	}
	var loop yield.Loop
	for _, c := range b.changes {
		loop.Step(yield.Puts)
		var err error
		if c.Deletes {
			err = w.Delete(c.Key, nil)
		} else {
			err = w.Set(c.Key, c.Value, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
