package near

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"strconv"

	"exclave/internal/extsort"
	"exclave/internal/markup"
	"exclave/internal/simhash"
)

// MaxDistance is the greatest distance that can be looked for: with more, blocks of bits are so short that most pairs would be compared.
const MaxDistance = 7

const (
	chunk      = 4 << 20 // bytes of a chunk of a sorter; five sorters at most have two each at the same time
	bucket     = 1 << 16 // texts that are compared with each other, 16 bytes each
	checkEvery = 1 << 10 // records between two looks at the context
)

// Finder takes pages and finds those that are the same, or nearly.
type Finder struct {
	distance int
	bucket   int
	scratch  *extsort.Scratch
	pool     *extsort.Pool
	seed     maphash.Seed
	sorters  []*extsort.Sorter // all there were
	pages    *extsort.Sorter   // (hash of the address, 0, address, number of the visit from the last on, simhash, text hash, compared, host)
	seq      uint64
	found    Result
}

// New returns a Finder of texts whose simhashes differ in at most distance bits, 0 … [MaxDistance]. temp is the folder of its temporary
// files, "" = the system's. Close it.
func New(temp string, distance int) *Finder {
	f := &Finder{distance: distance, bucket: bucket, scratch: extsort.NewScratch(temp, chunk), seed: maphash.MakeSeed()}
	f.pool = f.scratch.Pool()
	f.pages = f.sorter()
	return f
}

// Close removes the temporary files.
func (f *Finder) Close() error {
	for _, s := range f.sorters {
		s.Abandon()
	}
	return f.scratch.Close()
}

func (f *Finder) sorter() *extsort.Sorter {
	s := f.scratch.SorterOf(f.pool, strconv.Itoa(len(f.sorters)))
	f.sorters = append(f.sorters, s)
	return s
}

// Page is a page with text.
type Page struct {
	URL, Host string
	Simhash   uint64
	Text      uint64 // hash of the whole text
	Compared  bool   // it is long enough: Simhash counts
}

// Parse sets the hashes of p from what the archive and crawl.log have: simhash is "" for a text that is too short. It reports
// whether they can be read; without a text hash they cannot.
func (p *Page) Parse(sim, text string) (ok bool) {
	if p.Text, ok = simhash.Parse(text); !ok {
		return false
	}
	p.Simhash, p.Compared = simhash.Parse(sim)
	return p.Compared || sim == ""
}

// part adds text that [parted] takes off again.
func part(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func parted(b []byte) (s, rest []byte) {
	n, size := binary.Uvarint(b)
	return b[size : size+int(n)], b[size+int(n):]
}

// HasText reports whether documents of a format are pages with text.
func HasText(k markup.Kind) bool {
	return k == markup.HTML || k == markup.XHTML || k == markup.PlainText || k == markup.Markdown
}

// Add takes a page. Pages come in the order in which they were archived; of those with one address the last counts.
func (f *Finder) Add(p Page) error {
	f.seq++
	b := part(nil, p.URL)
	b = binary.BigEndian.AppendUint64(b, ^f.seq)
	b = binary.BigEndian.AppendUint64(b, p.Simhash)
	b = binary.BigEndian.AppendUint64(b, p.Text)
	b = append(b, 0)
	if p.Compared {
		b[len(b)-1] = 1
	}
	return f.pages.Add(maphash.String(f.seed, p.URL), 0, part(b, p.Host))
}

// Find finds what is the same and nearly the same among the pages. The Finder is used up. The end of ctx ends it.
func (f *Finder) Find(ctx context.Context) (Result, error) {
	r := &finding{Finder: f, ctx: ctx, hosts: f.sorter()}
	for _, step := range []func() error{r.latest, r.same, r.pairs, r.roots, r.join, r.groups, r.byHost} {
		if err := step(); err != nil {
			return Result{}, fmt.Errorf("near: %w", err)
		}
	}
	return f.found, nil
}

// finding is the work of Find: its steps, and the sorters between them.
type finding struct {
	*Finder
	ctx    context.Context
	read   int             // records
	texts  *extsort.Sorter // (simhash, text hash, number of the page, compared, host, address)
	tables *extsort.Sorter // (table and block of bits, number of the first page of a text, simhash)
	nodes  *extsort.Sorter // (number of the first page, how many have its text, host, address)
	edges  *extsort.Sorter // (number of a page, number of an earlier one nearly the same)
	ways   *extsort.Sorter // (number of a page, number of the first page of its group)
	member *extsort.Sorter // (number of the first page of a group, number of the page, how many have its text, address)
	hosts  *extsort.Sorter // (hash, number of the page, what it counts as, host)
}

// each reads a sorter to its end, or to that of the context. Data are fn's only during the call.
func (r *finding) each(s *extsort.Sorter, fn func(*extsort.Record) error) (err error) {
	m, err := s.Sorted()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	for m.Next() {
		if err := r.check(); err != nil {
			return err
		}
		if err := fn(&m.Record); err != nil {
			return err
		}
	}
	return m.Err
}

func (r *finding) check() error {
	if r.read++; r.read%checkEvery == 0 {
		return r.ctx.Err()
	}
	return nil
}

// latest keeps the last visit of each address.
func (r *finding) latest() error {
	r.texts = r.sorter()
	var last []byte
	return r.each(r.pages, func(p *extsort.Record) error {
		url, rest := parted(p.Data)
		if last != nil && bytes.Equal(last, url) {
			return nil
		}
		last = append(last[:0], url...)
		number, rest := ^binary.BigEndian.Uint64(rest), rest[8:]
		sim, text, rest := binary.BigEndian.Uint64(rest), binary.BigEndian.Uint64(rest[8:]), rest[16:]
		r.found.Pages++
		host, _ := parted(rest[1:])
		if rest[0] == 0 {
			r.found.Short++
			if err := r.count(host, number, asShort); err != nil {
				return err
			}
		}
		if err := r.count(host, number, asPage); err != nil {
			return err
		}
		return r.texts.Add(sim, text, binary.BigEndian.AppendUint64(nil, number), rest, url)
	})
}

// same finds the pages that have the text of an earlier one, and makes the tables of the others.
func (r *finding) same() error {
	r.tables, r.nodes = r.sorter(), r.sorter()
	var first struct {
		number, sim, text uint64
		compared          bool
		group             Group
		data              []byte // host, address
	}
	end := func() error {
		g := &first.group
		if g.Pages == 0 {
			return nil
		}
		r.found.Texts++
		if g.Pages > 1 {
			r.found.SameGroups++
			r.found.LargestSame = keep(r.found.LargestSame, *g)
		}
		if !first.compared {
			return nil
		}
		if err := r.nodes.Add(first.number, uint64(g.Pages), first.data); err != nil {
			return err
		}
		sim := binary.BigEndian.AppendUint64(nil, first.sim)
		for t := range r.distance + 1 {
			if err := r.tables.Add(block(first.sim, t, r.distance+1), first.number, sim); err != nil {
				return err
			}
		}
		return nil
	}
	err := r.each(r.texts, func(x *extsort.Record) error {
		number, data := binary.BigEndian.Uint64(x.Data), x.Data[9:]
		host, url := parted(data)
		if first.group.Pages == 0 || x.A != first.sim || x.B != first.text {
			if err := end(); err != nil {
				return err
			}
			first.number, first.sim, first.text, first.compared = number, x.A, x.B, x.Data[8] != 0
			first.data = append(first.data[:0], data...)
			first.group = Group{Texts: 1}
		} else {
			r.found.Same++
			if err := r.count(host, number, asSame); err != nil {
				return err
			}
		}
		first.group.add(url, 1)
		return nil
	})
	return errors.Join(err, r.ended(err, end))
}

// ended calls the end of a step, unless that failed.
func (r *finding) ended(err error, end func() error) error {
	if err != nil {
		return nil
	}
	return end()
}

// block returns block t of a number, one of so many, with t above it.
func block(h uint64, t, of int) uint64 {
	from, to := 64*t/of, 64*(t+1)/of
	return uint64(t)<<56 | h>>from&(1<<(to-from)-1)
}

// pairs finds for each text the first that is nearly the same.
func (r *finding) pairs() error {
	r.edges = r.sorter()
	type text struct{ number, sim uint64 }
	var in uint64 // the bucket
	var texts []text
	return r.each(r.tables, func(x *extsort.Record) error {
		switch {
		case x.A != in:
			in, texts = x.A, texts[:0]
		case len(texts) == r.bucket:
			r.found.Cut++
			texts = texts[:0]
		}
		sim := binary.BigEndian.Uint64(x.Data)
		for _, e := range texts { // the earliest first
			if simhash.Distance(e.sim, sim) <= r.distance {
				if err := r.edges.Add(x.B, e.number); err != nil {
					return err
				}
				break
			}
		}
		texts = append(texts, text{x.B, sim})
		return nil
	})
}

// roots follows each text to the first of its group: the one nearly the same, the one nearly the same as that, and so on. Each
// round doubles how far it goes.
func (r *finding) roots() error {
	r.ways = r.sorter()
	to := r.sorter()
	var last uint64
	err := r.each(r.edges, func(e *extsort.Record) error {
		if e.A == last { // a later one of those it is near to
			return nil
		}
		last = e.A
		return errors.Join(r.ways.Add(e.A, e.B), to.Add(e.B, e.A))
	})
	for changed := err == nil; changed && err == nil; {
		changed, to, err = r.jump(to)
	}
	return err
}

// jump lets each text go on from where its way leads to, to where the way of that leads.
func (r *finding) jump(to *extsort.Sorter) (changed bool, next *extsort.Sorter, err error) {
	from, err := r.ways.Sorted()
	if err != nil {
		return false, nil, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	ways, again := r.sorter(), r.sorter()
	more := from.Next()
	err = r.each(to, func(w *extsort.Record) error {
		for more && from.A < w.A {
			more = from.Next()
		}
		root := w.A
		if more && from.A == w.A {
			root, changed = from.B, true
		}
		return errors.Join(ways.Add(w.B, root), again.Add(root, w.B))
	})
	r.ways = ways
	return changed, again, errors.Join(err, from.Err)
}

// join brings texts and their groups together.
func (r *finding) join() error {
	members := r.sorter() // ways, and from the first of each group to itself
	if err := r.each(r.ways, func(w *extsort.Record) error {
		r.found.Near++
		return errors.Join(members.Add(w.A, w.B), members.Add(w.B, w.B))
	}); err != nil {
		return err
	}
	r.member = r.sorter()
	node, err := r.nodes.Sorted()
	if err != nil {
		return err
	}
	err = r.each(members, func(w *extsort.Record) error {
		for node.Next() && node.A < w.A {
			if err := r.check(); err != nil {
				return err
			}
		}
		host, url := parted(node.Data)
		if w.A != w.B {
			if err := r.count(host, w.A, asNear); err != nil {
				return err
			}
		}
		return r.member.Add(w.B, w.A, binary.BigEndian.AppendUint64(nil, node.B), url)
	})
	return errors.Join(err, node.Err, node.Close())
}

// groups counts groups and keeps the largest.
func (r *finding) groups() error {
	var g Group
	var root uint64
	end := func() error {
		if g.Pages > 0 {
			r.found.Groups++
			r.found.Largest = keep(r.found.Largest, g)
		}
		return nil
	}
	err := r.each(r.member, func(m *extsort.Record) error {
		if m.A != root {
			_ = end() // which cannot fail
			g, root = Group{}, m.A
		}
		g.Texts++
		g.add(m.Data[8:], int64(binary.BigEndian.Uint64(m.Data)))
		return nil
	})
	return errors.Join(err, r.ended(err, end))
}
