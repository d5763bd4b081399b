package fsx

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// Crash says what of the data that is not durable survives.
type Crash struct {
	// KeepPercent is the chance, 0 … 100, of each 4 KB block, length or
	// directory entry that is not durable to be in the clone. At 0 exactly the
	// durable state remains.
	KeepPercent int
	// Rand is needed when KeepPercent > 0.
	Rand *rand.Rand
}

// CrashClone returns a file system as it may be found after the machine stopped
// at this instant; everything in it is durable. The original goes on unharmed,
// so that a test can close what it opened there.
func (m *Mem) CrashClone(c Crash) *Mem {
	m.mu.Lock()
	defer m.mu.Unlock()
	cl := cloner{Crash: c, done: make(map[*node]*node)}
	return &Mem{root: cl.clone(m.root), locks: make(map[string]bool)}
}

type cloner struct {
	Crash
	done map[*node]*node // hard links stay one file
}

func (c *cloner) keep() bool { return c.KeepPercent > 0 && c.Rand.IntN(100) < c.KeepPercent }

func (c *cloner) clone(n *node) *node {
	if made := c.done[n]; made != nil {
		made.links++
		return made
	}
	out := &node{dir: n.dir, modTime: n.modTime, links: 1}
	c.done[n] = out
	if n.dir {
		out.names = make(map[string]*node)
		entries := c.entries(n)
		// In order, so that one seed always gives one clone.
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			out.names[name] = c.clone(entries[name])
		}
		out.synced = maps.Clone(out.names)
		return out
	}
	out.durable = c.data(n)
	out.data = slices.Clone(out.durable)
	out.dirty = len(out.data)
	return out
}

// entries decides which names of a directory survive. Removals are decided
// last and only where the file keeps another surviving name or has none left at
// all: a rename shows the old name, the new one or both, never neither.
func (c *cloner) entries(n *node) map[string]*node {
	out := maps.Clone(n.synced)
	kept := make(map[*node]bool)
	for _, name := range slices.Sorted(maps.Keys(n.names)) {
		if child := n.names[name]; out[name] == child || c.keep() {
			out[name] = child
			kept[child] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(n.synced)) {
		child := n.synced[name]
		if n.names[name] == nil && (kept[child] || child.links == 0) && c.keep() {
			delete(out, name)
		}
	}
	return out
}

func (c *cloner) data(n *node) []byte {
	const block = 4096
	out := slices.Clone(n.durable)
	if len(n.data) < len(out) && c.keep() {
		out = out[:len(n.data)]
	}
	for i := n.dirty / block * block; i < len(n.data); i += block {
		if !c.keep() {
			continue
		}
		b := n.data[i:min(i+block, len(n.data))]
		if grow := i + len(b) - len(out); grow > 0 {
			out = append(out, make([]byte, grow)...)
		}
		copy(out[i:], b)
	}
	return out
}
