package divide

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/job/records"
	"exclave/internal/urlx"
)

// parts is a set of profiles, by their place in the job.
type parts uint8

func of(p int) parts { return 1 << p }

// node is an archived URI.
type node struct {
	id          crawl.ID
	file        uint32 // of the metadata record, with at and length
	at, length  int64
	link        [crawl.MaxProfiles]int32 // claims, as in crawl.Claim, but each of that profile alone
	bin, keep   parts
	valid, mask parts
	class       crawl.TypeClass
	next        bool // its claims grew
}

func (n *node) claim(p int) crawl.Claim {
	c := crawl.Claim{Bin: n.bin&of(p) != 0, Keep: n.keep&of(p) != 0}
	c.Link[p] = n.link[p]
	return c
}

// join adds a claim of a profile and reports whether that is more than there was.
func (n *node) join(p int, c crawl.Claim) bool {
	was := *n
	n.link[p] = max(n.link[p], c.Link[p])
	if c.Bin {
		n.bin |= of(p)
	}
	return n.link != was.link || n.bin != was.bin
}

// outcome is what a crawl with one profile would know of it.
func (n *node) outcome(p int) crawl.Outcome {
	return crawl.Outcome{Status: 200, Class: n.class, Judged: true, ValidFor: uint8(n.valid & of(p)), Archived: true}
}

// belonging finds out to which parts each archived URI belongs.
type belonging struct {
	state    *frontier.Frontier
	links    records.Links
	profiles int
	depths   crawl.Depths
	nodes    []node           // by ID
	needs    map[uint64]parts // DNS answers and robots.txt, by the hash of their keys
	payloads []wanted         // by file and offset
}

// find returns the node of an ID, nil when it is not archived.
func (b *belonging) find(id crawl.ID) *node {
	i, ok := slices.BinarySearchFunc(b.nodes, id, func(n node, id crawl.ID) int { return compareID(n.id, id) })
	if !ok {
		return nil
	}
	return &b.nodes[i]
}

func compareID(a, b crawl.ID) int {
	return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.URI, b.URI))
}

// decide does all of it.
func (b *belonging) decide(ctx context.Context) error {
	for _, step := range []func(context.Context) error{b.read, b.passOn, b.redirects, b.belong, b.byVia, b.prerequisites, b.originals} {
		if err := errors.Join(ctx.Err(), step(ctx)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// each calls fn for every archived URI.
func (b *belonging) each(ctx context.Context, fn func(*frontier.Record) error) error {
	i := 0
	return b.state.EachURI(func(r *frontier.Record) error {
		if i++; i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !r.Outcome.Archived {
			return nil
		}
		return fn(r)
	})
}

func (b *belonging) read(ctx context.Context) error {
	err := b.each(ctx, func(r *frontier.Record) error {
		n := node{id: r.ID, file: r.Metadata.File, at: r.Metadata.Offset, length: r.Metadata.Length, class: r.Outcome.Class}
		if r.Outcome.Judged {
			n.valid = parts(r.Outcome.ValidFor)
		}
		n.next = n.valid != 0
		b.nodes = append(b.nodes, n)
		return nil
	})
	slices.SortFunc(b.nodes, func(x, y node) int { return compareID(x.id, y.id) })
	return err
}

// outlinks reads the links of an archived URI.
func (b *belonging) outlinks(ctx context.Context, n *node) ([]frontier.KnownLink, error) {
	if n.length == 0 {
		return nil, nil
	}
	return b.links.Outlinks(ctx, crawl.Ref{File: n.file, Offset: n.at, Length: n.length})
}

// passOn hands claims on along the links until none grows.
func (b *belonging) passOn(ctx context.Context) error {
	for {
		var grown []*node
		for i := range b.nodes {
			if n := &b.nodes[i]; n.next {
				n.next = false
				grown = append(grown, n)
			}
		}
		if len(grown) == 0 {
			return nil
		}
		// The archive is read from its beginning to its end.
		slices.SortFunc(grown, func(x, y *node) int { return cmp.Or(cmp.Compare(x.file, y.file), cmp.Compare(x.at, y.at)) })
		for _, n := range grown {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := b.passOnOf(ctx, n); err != nil {
				return err
			}
		}
	}
}

func (b *belonging) passOnOf(ctx context.Context, n *node) error {
	var from [crawl.MaxProfiles]struct {
		crawl.Depths
		crawl.Claim
		crawl.Outcome
		on bool
	}
	some := false
	for p := range b.profiles {
		f := &from[p]
		f.Depths, f.Claim, f.Outcome = b.only(p), n.claim(p), n.outcome(p)
		f.on = n.class == crawl.ClassRedirect && !f.IsZero() || f.Depths.Flags(f.Claim, f.Outcome).Max() >= 0
		some = some || f.on
	}
	if !some {
		return nil
	}
	links, err := b.outlinks(ctx, n)
	if err != nil {
		return err
	}
	for _, l := range links {
		to := b.find(b.state.ID(l.Key))
		if to == nil {
			continue
		}
		for p := range b.profiles {
			if f := &from[p]; f.on && to.join(p, forOne(p, f.Child(f.Claim, f.Outcome, l.Kind))) {
				to.next = true
			}
		}
	}
	return nil
}

// only are the rules of a crawl with one profile.
func (b *belonging) only(p int) crawl.Depths {
	d := b.depths
	for i := range d.D {
		if i != p {
			d.D[i] = -1
		}
	}
	return d
}

// forOne is a claim handed on in a crawl with one profile: what a container that is embedded hands on is counted as of
// the first profile, whichever that is ([crawl.Depths.Flags]).
func forOne(p int, c crawl.Claim) crawl.Claim {
	most := slices.Max(c.Link[:])
	c.Link = [crawl.MaxProfiles]int32{}
	c.Link[p] = most
	return c
}

// redirects keeps those that led, over any number of redirects, to a page that is valid.
func (b *belonging) redirects(ctx context.Context) error {
	sources := map[crawl.ID][]*node{} // by target
	for i := range b.nodes {
		n := &b.nodes[i]
		if n.class != crawl.ClassRedirect {
			continue
		}
		links, err := b.outlinks(ctx, n)
		if err != nil {
			return err
		}
		for _, l := range links {
			if l.Kind == crawl.LinkRedirect {
				to := b.state.ID(l.Key)
				sources[to] = append(sources[to], n)
			}
		}
	}
	if len(sources) > 0 {
		b.keepSources(sources)
	}
	return ctx.Err()
}

// keepSources keeps what leads, by way of sources, to pages that are valid. There is no bound to the length of such a way, so it
// goes along with a list of its own.
func (b *belonging) keepSources(sources map[crawl.ID][]*node) {
	type step struct {
		to *node
		p  parts
	}
	var next []step
	for i := range b.nodes {
		if n := &b.nodes[i]; n.valid != 0 {
			next = append(next, step{n, n.valid})
		}
		for len(next) > 0 {
			s := next[len(next)-1]
			next = next[:len(next)-1]
			for _, n := range sources[s.to.id] {
				if more := s.p &^ n.keep; more != 0 {
					n.keep |= more
					next = append(next, step{n, more})
				}
			}
		}
	}
}

// belong puts each URI into the parts of the profiles that alone would have archived it.
func (b *belonging) belong(context.Context) error {
	for i := range b.nodes {
		n := &b.nodes[i]
		for p := range b.profiles {
			if b.only(p).Archived(n.claim(p), n.outcome(p)) {
				n.mask |= of(p)
			}
		}
	}
	return nil
}

// byVia puts what is in no part where the page is on which it was found, over any number of such pages.
func (b *belonging) byVia(ctx context.Context) error {
	found := map[*node]*node{}
	err := b.each(ctx, func(r *frontier.Record) error {
		n := b.find(r.ID)
		if via := b.find(r.ViaID); n.mask == 0 && via != nil {
			found[n] = via
		}
		return nil
	})
	inherit(found)
	return err
}

// inherit gives nodes the parts of those on which they were found. Each is walked over once: what was walked over has its parts, or
// there are none to have.
func inherit(found map[*node]*node) {
	var way []*node
	for n := range found {
		at := n
		for way = way[:0]; at.mask == 0; {
			via, ok := found[at]
			if !ok {
				break
			}
			way = append(way, at)
			delete(found, at)
			at = via
		}
		for _, n := range way {
			n.mask = at.mask
		}
	}
}

// prerequisites notes which DNS answers and robots.txt the parts need.
func (b *belonging) prerequisites(ctx context.Context) error {
	b.needs = map[uint64]parts{}
	return b.each(ctx, func(r *frontier.Record) error {
		u, err := urlx.Parse(r.URL)
		if err != nil {
			return fmt.Errorf("job: divide: %s: %w", r.URL, err)
		}
		mask := b.partsOf(r.ID)
		b.needs[xxhash.Sum64String(crawl.DNSKey(u.Hostname()))] |= mask
		b.needs[xxhash.Sum64String(crawl.RobotsKey(u.Origin()))] |= mask
		return nil
	})
}

// wanted is a record that revisit records of some parts refer to.
type wanted struct {
	file   uint32
	offset int64
	by     parts
}

func (w *wanted) compare(file uint32, offset int64) int {
	return cmp.Or(cmp.Compare(w.file, file), cmp.Compare(w.offset, offset))
}

// originals notes which records hold the payload of revisit records, and of which parts these are.
func (b *belonging) originals(ctx context.Context) error {
	i := 0
	err := b.state.EachCapture(func(c frontier.Capture) error {
		if i++; i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !c.Original.IsZero() {
			b.payloads = append(b.payloads, wanted{c.Original.File, c.Original.Offset, b.partsOf(c.ID)})
		}
		return nil
	})
	slices.SortFunc(b.payloads, func(x, y wanted) int { return x.compare(y.file, y.offset) })
	return err
}

// refers returns the parts with revisit records that refer to a record of a capture.
func (b *belonging) refers(s crawl.Span) (by parts) {
	i, _ := slices.BinarySearchFunc(b.payloads, s, func(w wanted, s crawl.Span) int { return w.compare(s.File, s.Start) })
	for ; i < len(b.payloads) && b.payloads[i].compare(s.File, s.End) < 0; i++ {
		by |= b.payloads[i].by
	}
	return by
}

// none is the part of what belongs to no profile. It has a bit, too.
const none = crawl.MaxProfiles

// partsOf returns to which parts an ID belongs: none, when no profile's.
func (b *belonging) partsOf(id crawl.ID) parts {
	if n := b.find(id); n != nil && n.mask != 0 {
		return n.mask
	}
	return of(none)
}

// carries returns the parts that need one of the answers that a capture brought.
func (b *belonging) carries(c frontier.Capture) (need parts) {
	for _, key := range c.Carried {
		need |= b.needs[xxhash.Sum64String(key)]
	}
	return need
}
