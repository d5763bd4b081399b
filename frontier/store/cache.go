package store

import "sync"

// cacheShards is how many shards, each with its lock, a cache has, so that the committer, which changes thousands of
// rows at a time, does not block readers for long. Where bytes are bounded there are fewer, so that a
// large value is a small part of one.
const cacheShards, cacheShardsOfBytes = 64, 8

// Cache keeps what was written or read recently, in two generations: what is read moves to the young one; when that is
// full it becomes the old one, and the old one is evicted (docs/adr/0052).
//
// It is never older than the last commit: the committer sets what it changed, and what others read from the store is
// offered with the generation at which reading began ([Cache.Read]). An offer that may be older than what a commit set
// is refused. It may be used by many goroutines.
type Cache[K comparable, V any] struct {
	o      CacheOptions[K, V]
	most   int // in a generation of a shard
	bytes  int
	shards []shard[K, V]
}

// CacheOptions are what a cache is made with.
type CacheOptions[K comparable, V any] struct {
	Most int            // values in a generation
	Hash func(K) uint64 // tells shards apart by its low bits
	// Absent recognises the value that stands for a row that does not exist: it is kept, so that no older value is
	// offered, and not returned. Nil: every row exists.
	Absent func(V) bool
	// Size is how many bytes a value has whose size a server decides, and Bytes how many those of a generation
	// have at most. Nil: they are not bounded.
	Size  func(V) int
	Bytes int
}

type shard[K comparable, V any] struct {
	mu         sync.Mutex
	young, old map[K]V
	bytes      int // of the young ones
	generation int
}

// NewCache returns an empty cache.
func NewCache[K comparable, V any](o CacheOptions[K, V]) *Cache[K, V] {
	n := cacheShards
	if o.Size != nil {
		n = cacheShardsOfBytes
	}
	return &Cache[K, V]{o: o, most: max(o.Most/n, 1), bytes: o.Bytes / n, shards: make([]shard[K, V], n)}
}

// shard returns the shard of a key, locked.
func (c *Cache[K, V]) shard(k K) *shard[K, V] {
	s := &c.shards[c.o.Hash(k)%uint64(len(c.shards))]
	s.mu.Lock()
	return s
}

// Get returns a value; false when it is not in the cache, or the row does not exist.
func (c *Cache[K, V]) Get(k K) (V, bool) {
	s := c.shard(k)
	defer s.mu.Unlock()
	v, ok := c.find(s, k)
	if ok && c.absent(v) {
		var none V
		return none, false
	}
	return v, ok
}

// Read returns a value, from read when it is not in the cache; keep says whether it may be kept. The value is
// shared and must not be changed.
func (c *Cache[K, V]) Read(k K, read func(K) (v V, keep bool, err error)) (V, error) {
	if v, ok := c.Get(k); ok {
		return v, nil
	}
	g := c.generation(k)
	v, keep, err := read(k)
	if err == nil && keep {
		c.offer(k, v, g)
	}
	return v, err
}

// generation returns the generation of a key's shard, for offer.
func (c *Cache[K, V]) generation(k K) int {
	s := c.shard(k)
	defer s.mu.Unlock()
	return s.generation
}

// offer adds a value whose reading began at a generation, unless it may have changed since: what a commit set less than
// two generations ago is in the cache.
func (c *Cache[K, V]) offer(k K, v V, generation int) {
	s := c.shard(k)
	defer s.mu.Unlock()
	_, young := s.young[k]
	_, old := s.old[k]
	if !young && !old && s.generation-generation < 2 {
		c.add(s, k, v)
	}
}

// Keep adds what the committer read, which is current, unless it is in the cache.
func (c *Cache[K, V]) Keep(k K, v V) { c.keep(k, func() V { return v }) }

func (c *Cache[K, V]) keep(k K, value func() V) {
	s := c.shard(k)
	defer s.mu.Unlock()
	if was, ok := c.find(s, k); !ok || c.absent(was) {
		c.add(s, k, value())
	}
}

// Set sets a value as a commit left it.
func (c *Cache[K, V]) Set(k K, v V) {
	s := c.shard(k)
	defer s.mu.Unlock()
	c.add(s, k, v) // hides what is in old
}

func (c *Cache[K, V]) absent(v V) bool { return c.o.Absent != nil && c.o.Absent(v) }

func (c *Cache[K, V]) size(v V) int {
	if c.o.Size == nil || c.absent(v) {
		return 0
	}
	return c.o.Size(v)
}

func (c *Cache[K, V]) find(s *shard[K, V], k K) (V, bool) {
	v, ok := s.young[k]
	if !ok {
		if v, ok = s.old[k]; ok {
			c.add(s, k, v)
		}
	}
	return v, ok
}

func (c *Cache[K, V]) add(s *shard[K, V], k K, v V) {
	was, again := s.young[k]
	size := c.size(v)
	if again {
		s.bytes -= c.size(was)
	}
	if s.young == nil || !again && len(s.young) >= c.most || s.bytes+size > c.bytes && len(s.young) > 0 {
		s.young, s.old, s.bytes = make(map[K]V, c.most), s.young, 0
		s.generation++
	}
	s.young[k] = v
	s.bytes += size
}

// NewRowCache returns a cache of rows as bytes; an empty one stands for a row that does not exist.
func NewRowCache[K comparable](most int, hash func(K) uint64) *Cache[K, []byte] {
	return NewCache(CacheOptions[K, []byte]{Most: most, Hash: hash, Absent: func(v []byte) bool { return len(v) == 0 }})
}

// SetChanged sets what a committed batch changed in a table: key and value turn a row into what the cache holds. A
// deleted row has no value.
func SetChanged[K comparable, V any](c *Cache[K, V], cs []Change, key func([]byte) K, value func(K, []byte) V) {
	for _, ch := range cs {
		k := key(ch.Key)
		c.Set(k, value(k, ch.Value))
	}
}

// SetChangedRows is [SetChanged] for a cache of rows as bytes.
func SetChangedRows[K comparable](c *Cache[K, []byte], cs []Change, key func([]byte) K) {
	for _, ch := range cs {
		c.Set(key(ch.Key), ch.Value)
	}
}
