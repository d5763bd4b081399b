package prefetch

import (
	"container/list"
	"sync"
	"time"

	"exclave/crawl"
	"exclave/internal/robots"
)

// cachedOrigins is how many decoded robots.txt are kept, those of the origins being
// crawled now, and cachedBytes how many bytes they may have: a few KB each, or what a
// server likes.
const (
	cachedOrigins = 4096
	cachedBytes   = 32 << 20
)

// cache keeps decoded rules, least recently used out first.
type cache struct {
	max, maxBytes int

	mu    sync.Mutex
	order *list.List // of *entry, most recently used first
	bytes int        // of the rules in it
	by    map[string]*list.Element
}

type entry struct {
	origin  string
	fetched time.Time
	rules   *robots.Rules
}

func newCache(most, mostBytes int) *cache {
	return &cache{max: most, maxBytes: mostBytes, order: list.New(), by: map[string]*list.Element{}}
}

// get returns the rules of the facts, decoded once per answer while they are kept.
func (c *cache) get(f crawl.OriginFacts) (*robots.Rules, error) {
	if rules := c.find(f); rules != nil {
		return rules, nil
	}
	rules := new(robots.Rules) // decoding takes its time: others are not kept waiting
	if err := rules.UnmarshalBinary(f.Robots); err != nil {
		return nil, err
	}
	c.keep(&entry{f.Origin, f.Fetched, rules})
	return rules, nil
}

// len returns how many rules are kept, and of how many bytes.
func (c *cache) len() (n, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.order.Len(), c.bytes
}

func (c *cache) find(f crawl.OriginFacts) *robots.Rules {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.by[f.Origin]
	if !ok || !el.Value.(*entry).fetched.Equal(f.Fetched) {
		return nil
	}
	c.order.MoveToFront(el)
	return el.Value.(*entry).rules
}

func (c *cache) keep(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.by[e.origin]; ok {
		c.drop(el)
	}
	c.by[e.origin] = c.order.PushFront(e)
	c.bytes += e.rules.Size()
	for c.order.Len() > 1 && (c.order.Len() > c.max || c.bytes > c.maxBytes) {
		c.drop(c.order.Back())
	}
}

// drop takes an entry out. c.mu is held.
func (c *cache) drop(el *list.Element) {
	e := c.order.Remove(el).(*entry)
	delete(c.by, e.origin)
	c.bytes -= e.rules.Size()
}
