package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"exclave/frontier/schema"
)

// filterBytes is the size of the filter: with 20 million URIs one in 200 new ones is taken
// for one that may be known, with 100 million one in three.
const filterBytes = 32 << 20

// Filter recognises most new URIs and hosts without reading the store:
// a Bloom filter, four bits in one line of the processor's cache for each of their hashes
// (Putze, Sanders, Singler: Cache-, Hash- and Space-Efficient Bloom Filters, 2007). It is
// filled in the background when a state is opened, and used from then on.
type Filter struct {
	words    []uint64 // atomic
	mapped   []byte   // the same memory
	complete atomic.Bool
}

// Start makes an empty filter. It is outside of Go's heap, which reserves memory for garbage in proportion to its
// size.
func (f *Filter) Start() error {
	b, err := unix.Mmap(-1, 0, filterBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return fmt.Errorf("%d bytes of memory for the filter of known URIs: %w", filterBytes, err)
	}
	f.mapped = b
	f.words = unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8) // pages are aligned
	return nil
}

// Stop releases the filter's memory; it must not be used meanwhile. Afterwards MayHave is always true.
func (f *Filter) Stop() error {
	if f.mapped == nil {
		return nil
	}
	b := f.mapped
	f.complete.Store(false)
	f.mapped, f.words = nil, nil
	return unix.Munmap(b)
}

// line returns the words of a hash.
func (f *Filter) line(hash uint64) []uint64 {
	n := hash >> 36 % uint64(len(f.words)/8) * 8
	return f.words[n : n+8]
}

// bit returns the word of a line and the bit in it that the low bits of a hash select.
func bit(hash uint64) (word, mask uint64) { return hash & 7, 1 << (hash >> 3 & 63) }

// add notes a hash.
func (f *Filter) add(hash uint64) {
	line := f.line(hash)
	for range 4 {
		w, m := bit(hash)
		atomic.OrUint64(&line[w], m)
		hash >>= 9
	}
}

// MayHave reports whether a hash may have been added.
func (f *Filter) MayHave(hash uint64) bool {
	if !f.complete.Load() {
		return true
	}
	line := f.line(hash)
	for range 4 {
		w, m := bit(hash)
		if atomic.LoadUint64(&line[w])&m == 0 {
			return false
		}
		hash >>= 9
	}
	return true
}

// ErrQuit is returned by [Filter.Fill] when quit was closed.
var ErrQuit = errors.New("filter not filled: stopped")

// Fill adds the keys of the state, until quit is closed; those of commits meanwhile are added by
// [Filter.AddChanged].
func (f *Filter) Fill(r Reader, quit <-chan struct{}) error {
	for _, t := range schema.Tables() {
		if !t.Hashed {
			continue
		}
		n := 0
		if err := r.Scan(t.Table.Prefix(), func(k, _ []byte) error {
			if n++; n%10000 == 0 {
				select {
				case <-quit:
					return ErrQuit
				default:
				}
			}
			f.add(binary.BigEndian.Uint64(k[len(k)-8:]))
			return nil
		}); err != nil {
			return err
		}
	}
	f.complete.Store(true)
	return nil
}

// AddChanged adds what a commit changed in a table that is [schema.Declaration.Hashed].
func (f *Filter) AddChanged(cs []Change) {
	if f.words == nil { // not started
		return
	}
	for _, c := range cs {
		f.add(binary.BigEndian.Uint64(c.Key[len(c.Key)-8:]))
	}
}
