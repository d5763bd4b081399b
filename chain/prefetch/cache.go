package prefetch

import (
	"container/list"
	"sync"
	"time"

	"exclave/crawl"
	"exclave/internal/robots"
)

// cachedOrigins is how many decoded robots.txt are kept: those of the origins
// being crawled now; a few KB each.
const cachedOrigins = 4096

// cache keeps decoded rules, least recently used out first.
type cache struct {
	max int

	mu    sync.Mutex
	order *list.List // of *entry, most recently used first
	by    map[string]*list.Element
}

type entry struct {
	origin  string
	fetched time.Time
	rules   *robots.Rules
}

func newCache(most int) *cache {
	return &cache{max: most, order: list.New(), by: map[string]*list.Element{}}
}

// get returns the rules of the facts, decoded once per answer.
func (c *cache) get(f crawl.OriginFacts) (*robots.Rules, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.by[f.Origin]; ok {
		if e := el.Value.(*entry); e.fetched.Equal(f.Fetched) {
			c.order.MoveToFront(el)
			return e.rules, nil
		}
		c.order.Remove(el)
		delete(c.by, f.Origin)
	}
	rules := new(robots.Rules)
	if err := rules.UnmarshalBinary(f.Robots); err != nil {
		return nil, err
	}
	c.by[f.Origin] = c.order.PushFront(&entry{f.Origin, f.Fetched, rules})
	if c.order.Len() > c.max {
		last := c.order.Back()
		c.order.Remove(last)
		delete(c.by, last.Value.(*entry).origin)
	}
	return rules, nil
}
