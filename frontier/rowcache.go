package frontier

import (
	"bytes"
	"sync"

	"exclave/crawl"
)

// cachedRecords, cachedHosts and cachedDomains are how many rows are kept: some 200 bytes each, twice.
const (
	cachedRecords = 50000
	cachedHosts   = 50000
	cachedDomains = 20000
)

// cacheShards is in how many parts, each with its lock, a cache is divided: the committer, which
// changes thousands of rows at a time, holds nobody up.
const cacheShards = 64

// rowCache keeps values of rows that were written or read lately. It holds what the last
// commit left: the committer changes it, others offer what they read.
type rowCache[K comparable] struct {
	shards [cacheShards]cacheShard[K]
	hash   func(K) uint64
	most   int // in each half of a shard
}

type cacheShard[K comparable] struct {
	mu         sync.Mutex
	young, old map[K][]byte // empty: deleted
	turns      int          // how often old was dropped
}

func uriHash(id crawl.ID) uint64  { return id.URI }
func hostHash(hash uint64) uint64 { return hash }

func newRowCache[K comparable](most int, hash func(K) uint64) *rowCache[K] {
	return &rowCache[K]{most: max(most/cacheShards, 1), hash: hash}
}

// shard returns the part that a key belongs to, locked.
func (c *rowCache[K]) shard(k K) *cacheShard[K] {
	s := &c.shards[c.hash(k)%cacheShards]
	s.mu.Lock()
	return s
}

// fill sets the values of keys that are here, of those in rows that are not new, and returns
// the places of the others.
func (c *rowCache[K]) fill(keys []K, w *rows, known *seen) (rest []int) {
	for i, k := range keys {
		if !known.may(w.hash(i)) {
			continue
		}
		if w.values[i] = c.get(k); w.values[i] == nil {
			rest = append(rest, i)
		}
	}
	return rest
}

// get returns a value, nil when it is not here.
func (c *rowCache[K]) get(k K) []byte {
	s := c.shard(k)
	defer s.mu.Unlock()
	return s.find(k, c.most)
}

// turned returns how often what is old was dropped where a key belongs, for [rowCache.offer].
func (c *rowCache[K]) turned(k K) int {
	s := c.shard(k)
	defer s.mu.Unlock()
	return s.turns
}

// offer adds what was read, at a time when turned returned turns, unless it may have changed
// since: what a commit set or deleted less than two turns ago is here.
func (c *rowCache[K]) offer(k K, v []byte, turns int) {
	s := c.shard(k)
	defer s.mu.Unlock()
	_, young := s.young[k]
	_, old := s.old[k]
	if !young && !old && s.turns-turns < 2 {
		s.add(k, v, c.most)
	}
}

// take takes over what a commit changed in a table.
func (c *rowCache[K]) take(ops []put, key func([]byte) K) {
	for _, o := range ops {
		k := key(o.key[1:])
		s := c.shard(k)
		v := o.value
		if o.deletes {
			v = []byte{}
		}
		s.add(k, v, c.most) // hides what is in old
		s.mu.Unlock()
	}
}

// keep adds what was read and is current.
func (c *rowCache[K]) keep(keys []K, values [][]byte) {
	for i, k := range keys {
		if values[i] == nil {
			continue
		}
		s := c.shard(k)
		if s.find(k, c.most) == nil {
			s.add(k, bytes.Clone(values[i]), c.most)
		}
		s.mu.Unlock()
	}
}

func (s *cacheShard[K]) find(k K, most int) []byte {
	v, ok := s.young[k]
	if !ok {
		if v, ok = s.old[k]; ok {
			s.add(k, v, most)
		}
	}
	if len(v) == 0 {
		return nil
	}
	return v
}

func (s *cacheShard[K]) add(k K, v []byte, most int) {
	if s.young == nil || len(s.young) >= most {
		s.young, s.old = make(map[K][]byte, most), s.young
		s.turns++
	}
	s.young[k] = v
}
