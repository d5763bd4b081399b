package frontier

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sys/unix"

	"exclave/frontier/schema"
)

// seenBytes is the size of the filter: with 20 million URIs one in 200 new ones is taken
// for one that may be known, with 100 million one in three.
const seenBytes = 32 << 20

// seen tells of most URIs and hosts that are new that they are, without a look at the store:
// a Bloom filter, four bits in one line of the processor's cache for each of their hashes
// (Putze, Sanders, Singler: Cache-, Hash- and Space-Efficient Bloom Filters, 2007). It is
// filled in the background when a state is opened, and asked from then on.
type seen struct {
	words    []uint64 // atomic
	mapped   []byte   // the same memory
	complete atomic.Bool
	filling  sync.WaitGroup
}

// start makes the filter, with nothing in it: outside of Go's heap, which takes room for garbage
// in proportion to what it holds.
func (s *seen) start() error {
	b, err := unix.Mmap(-1, 0, seenBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return fmt.Errorf("%d bytes of memory for the filter of known URIs: %w", seenBytes, err)
	}
	s.mapped = b
	s.words = unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8) // pages are aligned
	return nil
}

// stop gives the filter's memory back; nobody may ask it any more.
func (s *seen) stop() error {
	if s.mapped == nil {
		return nil
	}
	b := s.mapped
	s.mapped, s.words = nil, nil
	return unix.Munmap(b)
}

// line returns the words of a hash.
func (s *seen) line(hash uint64) []uint64 {
	n := hash >> 36 % uint64(len(s.words)/8) * 8
	return s.words[n : n+8]
}

// bit returns the word of a line and the bit that the low end of a hash means.
func bit(hash uint64) (word, mask uint64) { return hash & 7, 1 << (hash >> 3 & 63) }

// add notes a hash.
func (s *seen) add(hash uint64) {
	line := s.line(hash)
	for range 4 {
		w, m := bit(hash)
		atomic.OrUint64(&line[w], m)
		hash >>= 9
	}
}

// may reports whether a hash may have been added.
func (s *seen) may(hash uint64) bool {
	if !s.complete.Load() {
		return true
	}
	line := s.line(hash)
	for range 4 {
		w, m := bit(hash)
		if atomic.LoadUint64(&line[w])&m == 0 {
			return false
		}
		hash >>= 9
	}
	return true
}

var errClosing = errors.New("closing")

// fill adds what is in the state; what is committed meanwhile the committer adds.
func (s *seen) fill(db pebble.Reader, quit <-chan struct{}) error {
	for _, t := range schema.Tables() {
		if !t.Hashed {
			continue
		}
		n := 0
		if err := scan(db, t.Table.Prefix(), func(k, _ []byte) error {
			if n++; n%10000 == 0 {
				select {
				case <-quit:
					return errClosing
				default:
				}
			}
			s.add(binary.BigEndian.Uint64(k[len(k)-8:]))
			return nil
		}); err != nil {
			return err
		}
	}
	s.complete.Store(true)
	return nil
}

// take adds what a commit set.
func (s *seen) take(ops []put) {
	for _, o := range ops {
		s.add(binary.BigEndian.Uint64(o.key[len(o.key)-8:]))
	}
}

// fillSeen fills the filter. Without it everything is looked up; the store dies of damaged
// tables, as it would when they are needed.
func (f *Frontier) fillSeen() {
	if err := f.seen.fill(f.db, f.quit); err != nil && !errors.Is(err, errClosing) {
		f.o.Logger.Error("filter of known URIs not filled: new ones are looked for in the state, which is slower", "err", err)
	}
}
