package script

import (
	"bytes"
	"hash/maphash"
	"sync"

	"github.com/tdewolff/parse/v2/js"
)

// Cache has scripts that were parsed: the pages of a site have most of theirs in common, and nothing changes one that is read. It keeps
// what it sees a second time, since many are of one page alone, and forgets what was not asked for the longest, by halves. It is for
// several goroutines; a nil one keeps nothing.
type Cache struct {
	mu       sync.Mutex
	seed     maphash.Seed
	seen     [seenScripts]uint64 // hashes of those that were asked for once, by their lowest bits
	now, old map[uint64]*Script
	size     int // bytes of the sources of now
}

const (
	seenScripts = 1 << 15
	// keptSource is how many bytes of sources each half has; their trees take some eight times as much.
	keptSource = 1 << 20
	// longestKept is the length of the longest script that is kept.
	longestKept = 32 << 10
)

// NewCache returns a cache that has nothing.
func NewCache() *Cache { return &Cache{seed: maphash.MakeSeed(), now: map[uint64]*Script{}} }

// Parse is the function [Parse].
func (c *Cache) Parse(src []byte, module bool) (*Script, error) {
	s, err := c.parse(src, js.Options{})
	if err != nil {
		return nil, err
	}
	s.module = module
	return s, nil
}

// ParseHandler is the function [ParseHandler].
func (c *Cache) ParseHandler(src []byte, event string) (*Script, error) {
	s, err := c.parse(src, js.Options{Inline: true})
	if err != nil {
		return nil, err
	}
	s.handler, s.event = true, event
	return s, nil
}

// parse returns a Script of its own; its tree may be another's, too.
func (c *Cache) parse(src []byte, o js.Options) (*Script, error) {
	if c == nil || len(src) > longestKept {
		return parseCode(src, o)
	}
	key := c.hash(src)
	if o.Inline {
		key |= 1
	}
	c.mu.Lock()
	known := c.find(key)
	again := c.seen[key>>1%seenScripts] == key
	c.seen[key>>1%seenScripts] = key
	c.mu.Unlock()
	if known != nil && bytes.Equal(known.of, src) {
		return &Script{src: known.src, ast: known.ast}, nil
	}
	s, err := parseCode(src, o)
	if err != nil || !again {
		return s, err
	}
	kept := &Script{src: s.src, ast: s.ast, of: s.src}
	if !bytes.Equal(s.src, src) { // it was written anew for the parser
		kept.of = bytes.Clone(src)
	}
	c.mu.Lock()
	c.keep(key, kept)
	c.mu.Unlock()
	return s, nil
}

// hash is the key of a script; that of the same as the code of an event is the next.
func (c *Cache) hash(src []byte) uint64 { return maphash.Bytes(c.seed, src) &^ 1 }

// find returns what is kept, which is then younger than what was not asked for. c.mu is held.
func (c *Cache) find(key uint64) *Script {
	if s := c.now[key]; s != nil {
		return s
	}
	s := c.old[key]
	if s != nil {
		c.keep(key, s)
	}
	return s
}

// keep adds a script. c.mu is held.
func (c *Cache) keep(key uint64, s *Script) {
	if before := c.now[key]; before != nil {
		c.size -= len(before.of)
	}
	if c.size += len(s.of); c.size > keptSource {
		c.old, c.now, c.size = c.now, map[uint64]*Script{}, len(s.of)
	}
	c.now[key] = s
}
