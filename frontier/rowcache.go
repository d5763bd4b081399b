package frontier

import (
	"bytes"
	"sync"
)

// cachedRecords and cachedHosts are how many rows are kept: some 200 bytes each, twice.
const (
	cachedRecords = 50000
	cachedHosts   = 50000
)

// rowCache keeps values of rows that were written or read lately. It holds what the last
// commit left: only the committer changes it.
type rowCache[K comparable] struct {
	mu         sync.Mutex
	young, old map[K][]byte
	most       int // in each
}

func newRowCache[K comparable](most int) *rowCache[K] {
	return &rowCache[K]{young: map[K][]byte{}, most: most}
}

// fill sets the values of keys that are here, of those in rows that are not new, and returns
// the places of the others.
func (c *rowCache[K]) fill(keys []K, w *rows, known *seen) (rest []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, k := range keys {
		if !known.may(w.hash(i)) {
			continue
		}
		if w.values[i] = c.find(k); w.values[i] == nil {
			rest = append(rest, i)
		}
	}
	return rest
}

// get returns a value, nil when it is not here.
func (c *rowCache[K]) get(k K) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.find(k)
}

func (c *rowCache[K]) find(k K) []byte {
	v, ok := c.young[k]
	if !ok {
		if v, ok = c.old[k]; ok {
			c.add(k, v)
		}
	}
	return v
}

func (c *rowCache[K]) add(k K, v []byte) {
	if len(c.young) >= c.most {
		c.young, c.old = make(map[K][]byte, c.most), c.young
	}
	c.young[k] = v
}

// take takes over what a commit changed in a table.
func (c *rowCache[K]) take(ops []put, key func([]byte) K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range ops {
		k := key(o.key[1:])
		if o.deletes {
			delete(c.young, k)
			delete(c.old, k)
		} else {
			c.add(k, o.value) // hides what is in old
		}
	}
}

// keep adds what was read and is current.
func (c *rowCache[K]) keep(keys []K, values [][]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, k := range keys {
		if values[i] != nil && c.find(k) == nil {
			c.add(k, bytes.Clone(values[i]))
		}
	}
}
