package script

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// What is seen a second time is parsed once more and kept; what is kept is read by several pages at a time and stays as it is.
func TestCache(t *testing.T) {
	c := NewCache()
	src := []byte(`var n = new Date(2005, 08, 010); x.src = "/a/" + 1 + ".png"`) // written anew for the parser
	parsed := func() *Script {
		s, err := c.Parse(src, false)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first, second, third := parsed(), parsed(), parsed()
	if first.ast == second.ast || second.ast != third.ast || second == third {
		t.Error("what is seen a second time is to be kept, and given in a Script of its own")
	}
	if h, err := c.ParseHandler(src, "click"); err != nil || h.ast == third.ast || !h.handler || third.handler {
		t.Error("the code of an event is another tree", err)
	}
	if m, err := c.Parse(src, true); err != nil || m.ast != third.ast || !m.module || third.module {
		t.Error("a module has the same tree", err)
	}
	for range 3 {
		if _, err := c.Parse([]byte("(("), false); err == nil {
			t.Error("no error")
		}
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 20 {
				p := New(Source{}, nil)
				s, err := c.Parse(src, false)
				if err != nil {
					t.Error(err)
					return
				}
				p.Run(0, s)
				p.Finish()
				if f := p.Found(); len(f) != 1 || f[0].Text != "/a/1.png" {
					t.Errorf("%+v", f)
				}
				p.Free()
			}
		})
	}
	all.Wait()
}

// A cache is bounded, and what is asked for stays.
func TestCacheForgets(t *testing.T) {
	c := NewCache()
	often := []byte(`often = "/a/b.html"`)
	rare := func(i int) []byte { return fmt.Appendf(nil, `x%d = "%s"`, i, strings.Repeat("/a", 6<<10)) }
	for i := range 400 {
		for range 2 {
			for _, src := range [][]byte{often, rare(i)} {
				if _, err := c.Parse(src, false); err != nil {
					t.Fatal(err)
				}
			}
		}
		size := 0
		for _, s := range c.now {
			size += len(s.of)
		}
		if size != c.size || size > keptSource {
			t.Fatalf("after %d: %d bytes, counted %d", i, size, c.size)
		}
	}
	kept := func(src []byte) bool { return c.now[c.hash(src)] != nil || c.old[c.hash(src)] != nil }
	if !kept(often) || !kept(rare(399)) || kept(rare(0)) {
		t.Error("kept are not those that were asked for last")
	}
	c.keep(c.hash(often), &Script{of: []byte("another")}) // whose hash is the same
	if s, err := c.Parse(often, false); err != nil || s.ast == nil {
		t.Error(err)
	}
}
