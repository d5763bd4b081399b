package near

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"

	"exclave/internal/extsort"
)

// Bounds of what is told by name.
const (
	largest  = 100    // groups
	examples = 3      // addresses of a group
	topHosts = 10_000 // hosts
)

// Counts say how many pages have the text of others.
type Counts struct {
	Pages int64 `json:"pages"` // with text
	Same  int64 `json:"same"`  // with the text of an earlier one
	Near  int64 `json:"near"`  // with nearly the text of an earlier one, but of none the same
}

// Result is what was found.
type Result struct {
	Counts
	Short      int64 // of Pages, with too few words to be compared
	Texts      int64 // that are not the same
	SameGroups int64 // of pages with the same text
	Groups     int64 // of texts nearly the same
	Cut        int64 // times that a bucket was so large that it was compared in parts
	// LargestSame and Largest are the largest groups, at most 100 of each.
	LargestSame, Largest []Group
	// Hosts are those with most pages that are not the first, at most 10,000; MoreHosts is how many others have some.
	Hosts     []Host
	MoreHosts int64
}

// Group are pages that belong together.
type Group struct {
	Pages int64
	Texts int64    // that are not the same
	URLs  []string // of some pages, the earliest first
}

func (g *Group) add(url []byte, pages int64) {
	g.Pages += pages
	if len(g.URLs) < examples {
		g.URLs = append(g.URLs, string(url))
	}
}

// keep adds a group to the largest.
func keep(gs []Group, g Group) []Group {
	order := func(a, b Group) int { return cmp.Or(cmp.Compare(b.Pages, a.Pages), cmp.Compare(a.URLs[0], b.URLs[0])) }
	i, _ := slices.BinarySearchFunc(gs, g, order)
	if i == largest {
		return gs
	}
	gs = slices.Insert(gs, i, g)
	return gs[:min(len(gs), largest)]
}

// Host are the counts of a host.
type Host struct {
	Counts
	Name  string
	Short int64
}

// What a page counts as, of its host.
const (
	asPage byte = iota
	asShort
	asSame
	asNear
)

func (r *finding) count(host []byte, number uint64, as byte) error {
	return r.hosts.Add(maphash.Bytes(r.seed, host), number, host, []byte{0, as})
}

// byHost counts the pages of each host.
func (r *finding) byHost() error {
	of := map[string]*Host{} // those with the hash at hand
	var at uint64
	end := func() error {
		for _, h := range of {
			r.keepHost(*h)
		}
		clear(of)
		return nil
	}
	err := r.each(r.hosts, func(x *extsort.Record) error {
		if x.A != at {
			_ = end() // which cannot fail
			at = x.A
		}
		i := bytes.LastIndexByte(x.Data[:len(x.Data)-1], 0)
		name, as := x.Data[:i], x.Data[i+1]
		h := of[string(name)]
		if h == nil {
			h = &Host{Name: string(name)}
			of[h.Name] = h
		}
		switch as {
		case asPage:
			h.Pages++
		case asShort:
			h.Short++
		case asSame:
			h.Same++
		case asNear:
			h.Near++
		}
		return nil
	})
	return cmp.Or(err, r.ended(err, end))
}

// keepHost adds a host to those with most pages that are not the first.
func (r *finding) keepHost(h Host) {
	if h.Same+h.Near == 0 {
		return
	}
	order := func(a, b Host) int {
		return cmp.Or(cmp.Compare(b.Same+b.Near, a.Same+a.Near), cmp.Compare(a.Name, b.Name))
	}
	hosts := r.found.Hosts
	i, _ := slices.BinarySearchFunc(hosts, h, order)
	if len(hosts) == topHosts {
		r.found.MoreHosts++
		if i == topHosts {
			return
		}
		hosts = hosts[:topHosts-1]
	}
	r.found.Hosts = slices.Insert(hosts, i, h)
}
