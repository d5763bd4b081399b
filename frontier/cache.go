package frontier

import "sync"

// cacheSize is how many entries a cache holds at most, and cacheBytes how many bytes of
// what servers sent: enough for the hosts that many ToeThreads are busy with, and
// bounded whatever the crawl is.
const (
	cacheSize  = 10000
	cacheBytes = 32 << 20
)

// cache keeps rows of the state that are read for every URI. The committer drops
// what a commit changed; a value that was read before the drop is not kept.
type cache[V any] struct {
	size func(V) int // bytes of a value whose size a server decides

	mu    sync.Mutex
	drops uint64
	bytes int // of the values in m
	m     map[string]V
}

func newCache[V any](size func(V) int) *cache[V] { return &cache[V]{size: size, m: map[string]V{}} }

// get returns the value of a key, from read when it is not here; keep says whether
// that may be remembered. The value is shared and must not be changed.
func (c *cache[V]) get(key string, read func(string) (v V, keep bool, err error)) (V, error) {
	c.mu.Lock()
	v, ok := c.m[key]
	drops := c.drops
	c.mu.Unlock()
	if ok {
		return v, nil
	}
	v, keep, err := read(key)
	if err != nil || !keep {
		return v, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.drops != drops {
		return v, nil
	}
	if old, ok := c.m[key]; ok { // another read it at the same time
		c.bytes -= c.size(old)
	}
	if len(c.m) >= cacheSize || c.bytes+c.size(v) > cacheBytes {
		clear(c.m)
		c.bytes = 0
	}
	c.m[key] = v
	c.bytes += c.size(v)
	return v, nil
}

// drop forgets keys.
func (c *cache[V]) drop(keys []string) {
	if len(keys) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drops++
	for _, k := range keys {
		if v, ok := c.m[k]; ok {
			c.bytes -= c.size(v)
			delete(c.m, k)
		}
	}
}
