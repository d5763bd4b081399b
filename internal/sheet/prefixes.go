package sheet

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"sort"
	"strings"

	"exclave/internal/urlx"
)

// prefix is a SURT prefix, without its scheme, and the settings of all sheets that apply below it.
type prefix struct {
	surt     string
	settings *Settings
	own      []*Sheet // those with this very prefix, in the order in which they were read
	outer    int      // index of the longest other prefix that this one begins with; -1 = none
}

// prefixes are those of sheets that were read, by their schemes; "" = of every one, as a host has.
type prefixes struct {
	of map[string][]prefix
	n  int // of all
}

// add adds a prefix of sheets.
func (a *prefixes) add(scheme, surt string, own []*Sheet) {
	a.of[scheme] = append(a.of[scheme], prefix{surt: surt, settings: &own[0].Settings, own: own, outer: a.n})
	a.n++
}

// grow makes room for n more of a scheme.
func (a *prefixes) grow(scheme string, n int) {
	a.of[scheme] = slices.Grow(a.of[scheme], n)
}

// newSet makes the indices. A scheme without prefixes of its own shares that of every one: a long list of hosts is held once.
func newSet(all *prefixes) *Set {
	s := &Set{schemes: map[string]*index{}}
	every := all.of[""]
	for scheme, own := range all.of {
		if scheme != "" {
			s.schemes[scheme] = newIndex(slices.Concat(every, own))
		}
	}
	s.every = newIndex(every)
	return s
}

// index has prefixes in their order.
type index struct{ prefixes []prefix }

// newIndex sorts the prefixes, whose field outer has the order in which they were read, and lays each over those it begins with. It
// keeps the slice.
func newIndex(all []prefix) *index {
	// A stable sort takes three times as long.
	slices.SortFunc(all, func(a, b prefix) int { return cmp.Or(strings.Compare(a.surt, b.surt), a.outer-b.outer) })
	x := &index{all[:0]}
	laid := map[[2]*Settings]*Settings{} // those of a long list within a domain are the same
	over := func(outer, more *Settings) *Settings {
		of := laid[[2]*Settings{outer, more}]
		if of == nil {
			of = outer.over(more)
			laid[[2]*Settings{outer, more}] = of
		}
		return of
	}
	for _, p := range all {
		last := len(x.prefixes) - 1
		if last >= 0 && x.prefixes[last].surt == p.surt {
			same := &x.prefixes[last]
			same.settings, same.own = over(same.settings, p.settings), append(slices.Clip(same.own), p.own...)
			continue
		}
		p.outer = x.covering(last, p.surt)
		if p.outer >= 0 {
			p.settings = over(x.prefixes[p.outer].settings, p.settings)
		}
		x.prefixes = append(x.prefixes, p)
	}
	return x
}

// covering returns which of prefix i and those outside it surt begins with, -1 when with none.
func (x *index) covering(i int, surt string) int {
	for i >= 0 && !strings.HasPrefix(surt, x.prefixes[i].surt) {
		i = x.prefixes[i].outer
	}
	return i
}

// find returns the index of the longest prefix that surt begins with, -1 when there is none. It costs one binary search.
func (x *index) find(surt string) int {
	after := sort.Search(len(x.prefixes), func(i int) bool { return x.prefixes[i].surt > surt })
	return x.covering(after-1, surt)
}

// indexOf returns what has the prefixes of a scheme.
func (s *Set) indexOf(scheme string) *index {
	if x := s.schemes[scheme]; x != nil {
		return x
	}
	return s.every
}

// indices yields those of all schemes, each once; "" = every one.
func (s *Set) indices() iter.Seq2[string, *index] {
	return func(yield func(string, *index) bool) {
		if s == nil || s.every == nil {
			return
		}
		for _, scheme := range slices.Sorted(maps.Keys(s.schemes)) {
			if !yield(scheme, s.schemes[scheme]) {
				return
			}
		}
		yield("", s.every)
	}
}

// prefixes yields all prefixes; one of every scheme may come several times.
func (s *Set) prefixes() iter.Seq[*prefix] {
	return func(yield func(*prefix) bool) {
		for _, x := range s.indices() {
			for i := range x.prefixes {
				if !yield(&x.prefixes[i]) {
					return
				}
			}
		}
	}
}

// longest returns the longest prefix of a URL, nil when there is none.
func (s *Set) longest(u *urlx.URL) *prefix {
	for p := range s.covering(u) {
		return p
	}
	return nil
}

// covering yields the prefixes of a URL, the longest first, with its scheme as SURTs have it.
func (s *Set) covering(u *urlx.URL) iter.Seq2[*prefix, string] {
	return func(yield func(*prefix, string) bool) {
		if s == nil || s.every == nil || u == nil {
			return
		}
		scheme, surt, _ := strings.Cut(urlx.SURT(u), "://")
		x := s.indexOf(scheme)
		for i := x.find(surt); i >= 0; i = x.prefixes[i].outer {
			if !yield(&x.prefixes[i], scheme) {
				return
			}
		}
	}
}
