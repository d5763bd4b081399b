package divide

import (
	"runtime/debug"
	"testing"

	"exclave/crawl"
)

// deep is how long the chains of tests are.
const deep = 1_000_000

// chain returns nodes each of which has the one before as its neighbour.
func chain() []node {
	nodes := make([]node, deep)
	for i := range nodes {
		nodes[i].id = crawl.ID{Host: 1, URI: uint64(i)}
	}
	return nodes
}

// A chain of redirects may be as long as a site likes, and a ring: it costs neither stack nor more than once each.
func TestKeepSourcesOfLongChains(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(32 << 20))
	nodes := chain()
	sources := map[crawl.ID][]*node{}
	for i := range nodes[1:] {
		sources[nodes[i+1].id] = append(sources[nodes[i+1].id], &nodes[i]) // i redirects to i+1
	}
	sources[nodes[0].id] = []*node{&nodes[deep-1]} // and the last one to the first
	nodes[deep-1].valid = of(0)
	nodes[deep/2].valid = of(1)
	b := belonging{nodes: nodes}
	b.keepSources(sources)
	for i := range nodes {
		if nodes[i].keep != of(0)|of(1) {
			t.Fatalf("node %d of a ring is kept for %b", i, nodes[i].keep)
		}
	}
}

// What was found on what was found on what belongs to a part belongs to it: over a million pages, in one pass. Of a ring
// that nothing leads into, nothing belongs anywhere.
func TestInheritOverLongChains(t *testing.T) {
	nodes := chain()
	ring := []node{{id: crawl.ID{Host: 2, URI: 1}}, {id: crawl.ID{Host: 2, URI: 2}}, {id: crawl.ID{Host: 2, URI: 3}}}
	found := map[*node]*node{&ring[0]: &ring[1], &ring[1]: &ring[2], &ring[2]: &ring[0]}
	for i := range nodes[1:] {
		found[&nodes[i+1]] = &nodes[i]
	}
	nodes[0].mask = of(1)
	inherit(found)
	for i := range nodes {
		if nodes[i].mask != of(1) {
			t.Fatalf("node %d is in the parts %b", i, nodes[i].mask)
		}
	}
	for i := range ring {
		if ring[i].mask != 0 {
			t.Errorf("node %d of the ring is in the parts %b", i, ring[i].mask)
		}
	}
}
