package store

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sync"

	"exclave/internal/yield"
)

// Rows are the values of keys that are read together, in the order of the keys: neighbouring seeks share
// most of their path. Keys are all of the same length and end in a hash.
type Rows struct {
	keys   [][]byte
	Values [][]byte // nil: there is no such row
	room   []byte   // for keys, then for values
}

// valueRoom is the least room made for values at a time.
const valueRoom = 64 << 10

// NewRows makes room for n keys.
func NewRows(n, keyLen int) Rows {
	return Rows{keys: make([][]byte, 0, n), Values: make([][]byte, n), room: make([]byte, 0, n*keyLen)}
}

// Key adds a key, which build appends to what it is given. Keys come in order.
func (w *Rows) Key(build func([]byte) []byte) {
	n := len(w.room)
	w.room = build(w.room)
	w.keys = append(w.keys, w.room[n:len(w.room):len(w.room)])
}

func (w *Rows) set(i int, v []byte) {
	if v == nil {
		return
	}
	n := len(w.room)
	if cap(w.room)-n < len(v) {
		n, w.room = 0, make([]byte, 0, max(valueRoom, len(v)))
	}
	w.room = append(w.room, v...)
	w.Values[i] = w.room[n:len(w.room):len(w.room)]
}

// hash returns the hash that a key ends with.
func (w *Rows) hash(i int) uint64 { return binary.BigEndian.Uint64(w.keys[i][len(w.keys[i])-8:]) }

// ReadRows reads the rows of the keys ks, from the cache or else from the store. It skips keys that the filter knows to
// be new.
func ReadRows[K comparable](w *Rows, ks []K, c *Cache[K, []byte], known *Filter, it *Iter) error {
	var loop yield.Loop
	for i, k := range ks {
		if !known.MayHave(w.hash(i)) {
			continue
		}
		if v, ok := c.Get(k); ok {
			w.Values[i] = v
			continue
		}
		loop.Step(yield.Seeks)
		v, err := it.Seek(w.keys[i])
		if err != nil {
			return err
		}
		w.set(i, v)
	}
	return nil
}

// KeepRows adds rows that the committer read, and that are current, to a cache.
func KeepRows[K comparable](c *Cache[K, []byte], ks []K, w *Rows) {
	for i, k := range ks {
		if v := w.Values[i]; v != nil {
			c.keep(k, func() []byte { return bytes.Clone(v) }) // not with the whole room
		}
	}
}

// Update brings rows up to date with a batch that was committed since they were read.
func (w *Rows) Update(b *Batch) {
	if len(w.keys) == 0 {
		return
	}
	cs := b.from(w.keys[0])
	for i, k := range w.keys {
		for len(cs) > 0 && bytes.Compare(cs[0].Key, k) < 0 {
			cs = cs[1:]
		}
		if len(cs) > 0 && bytes.Equal(cs[0].Key, k) {
			w.Values[i] = cs[0].Value
		}
	}
}

// Recent keeps the batches that readers ahead may have missed: those committed since the first of them began. The zero
// Recent is ready.
type Recent struct {
	mu      sync.Mutex
	commits uint64   // complete
	reading []uint64 // commits that were complete when each reader began
	batches []numbered
}

// numbered is the batch of a commit.
type numbered struct {
	commit uint64
	batch  *Batch
}

// BeginRead begins reading ahead; it returns how many commits the reader sees at least.
func (r *Recent) BeginRead() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reading = append(r.reading, r.commits)
	return r.commits
}

// Committed notes the batch of a commit that is complete.
func (r *Recent) Committed(b *Batch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.commits++
	r.batches = append(r.batches, numbered{r.commits, b})
	r.prune()
}

// EndRead ends reading ahead; since is what BeginRead returned. It returns the batches that the reader may have missed.
func (r *Recent) EndRead(since uint64) (missed []*Batch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.batches {
		if n.commit > since {
			missed = append(missed, n.batch)
		}
	}
	if i := slices.Index(r.reading, since); i >= 0 {
		r.reading = slices.Delete(r.reading, i, i+1)
	}
	r.prune()
	return missed
}

// prune removes the batches that every reader has seen. r.mu is held.
func (r *Recent) prune() {
	if len(r.reading) == 0 {
		r.batches = nil
		return
	}
	seen := slices.Min(r.reading)
	r.batches = slices.DeleteFunc(r.batches, func(n numbered) bool { return n.commit <= seen })
}
