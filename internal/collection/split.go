package collection

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"exclave/internal/conf"
	"exclave/internal/extsort"
	"exclave/internal/urlx"
)

// By says what stays together.
type By string

// The ways to divide. Hosts, domains and top-level domains are put into buckets by
// their hash, and the buckets into collections, the largest first, each into the one
// with the fewest URLs.
const (
	ByHost   By = "host"
	ByDomain By = "domain" // registered domain
	ByTLD    By = "tld"
	BySize   By = "size" // hosts by rank, cut into pieces of one size; a host at a cut is in both
)

// Ways returns all ways to divide.
func Ways() []By { return []By{ByHost, ByDomain, ByTLD, BySize} }

// Bounds of a plan.
const (
	MaxParts = 10_000
	buckets  = 1 << 20 // 12 MB of counts and places
)

// Plan says how addresses are divided. One of Parts and MaxURLs is 0.
type Plan struct {
	By      By
	Parts   int   // how many collections, 1 … MaxParts; empty ones are left out
	MaxURLs int64 // of a collection, 1 …; one that cannot be divided may have more
}

// Validate returns what is wrong.
func (p Plan) Validate() (ps conf.Problems) {
	switch {
	case !slices.Contains(Ways(), p.By):
		ps.Add("", "there is no way %q to divide; there are %v", p.By, Ways())
	case p.Parts == 0 && p.MaxURLs == 0:
		ps.Add("", "neither the number of collections is given nor their size")
	case p.Parts != 0 && p.MaxURLs != 0:
		ps.Add("", "give the number of collections or their size, not both")
	case p.Parts < 0 || p.Parts > MaxParts:
		ps.Add("", "%d collections are not between 1 and %d", p.Parts, MaxParts)
	case p.MaxURLs < 0:
		ps.Add("", "%d URLs are not at least 1", p.MaxURLs)
	}
	return ps
}

// Collection is what came of one.
type Collection struct {
	Name  string
	Hosts int64
	URLs  int64
	Bytes int64 // of its seeds
}

// name of the n-th collection, from 0, so that names are in order.
func name(n int) string { return fmt.Sprintf("%0*d", len(fmt.Sprint(MaxParts-1)), n+1) }

// Split divides what was read: the seeds of each collection are written to what
// open returns, those of better ranked hosts first, and all hosts, the best first,
// to hosts.
func (g *Gatherer) Split(ctx context.Context, p Plan, hosts io.Writer, open func(name string) (io.WriteCloser, error)) (_ []Collection, t Totals, err error) {
	unique, err := extsort.NewRunWriter(g.uniqueName())
	if err != nil {
		return nil, t, err
	}
	d := divider{plan: p}
	if p.By != BySize {
		d.weight = make([]int64, buckets)
	}
	ranking, t, err := g.count(ctx, unique, d.weigh)
	if err := errors.Join(err, unique.Close()); err != nil {
		return nil, t, err
	}
	if err := d.assign(t.URLs); err != nil {
		return nil, t, errors.Join(err, ranking.Close())
	}
	places, err := g.place(ctx, ranking, &d, hosts)
	if err != nil {
		return nil, t, err
	}
	seeds, err := g.order(ctx, places)
	if err != nil {
		return nil, t, err
	}
	made, err := g.writeSeeds(ctx, seeds, &d, open)
	return made, t, err
}

// divider says where a host goes.
type divider struct {
	plan   Plan
	weight []int64 // URLs by bucket
	at     []int32 // collection by bucket
	ends   []int64 // where collections end, by size
	hosts  []int64 // by collection
}

// unit is what stays together with a host.
func (d *divider) unit(host []byte) []byte {
	switch d.plan.By {
	case ByDomain:
		return []byte(domainOf(string(host)))
	case ByTLD:
		return []byte(urlx.TLD(string(host))) // "" is that of all addresses
	}
	return host
}

func (d *divider) bucket(host []byte) uint64 { return hashOf(d.unit(host)) % buckets }

func (d *divider) weigh(host []byte, urls int64) {
	if d.weight != nil {
		d.weight[d.bucket(host)] += urls
	}
}

// assign decides on collections, now that all hosts were weighed.
func (d *divider) assign(total int64) error {
	parts := int64(d.plan.Parts)
	if d.plan.MaxURLs > 0 {
		parts = max(1, (total+d.plan.MaxURLs-1)/d.plan.MaxURLs)
	}
	if parts > MaxParts {
		return tooMany(d.plan.MaxURLs, total)
	}
	if d.plan.By == BySize {
		parts = min(parts, total)
		for i := range parts {
			d.ends = append(d.ends, total*(i+1)/parts)
		}
		d.hosts = make([]int64, parts)
		return nil
	}
	var filled []int32
	for i, w := range d.weight {
		if w > 0 {
			filled = append(filled, int32(i))
		}
	}
	slices.SortStableFunc(filled, func(x, y int32) int { return cmp.Compare(d.weight[y], d.weight[x]) })
	d.at = make([]int32, buckets)
	for {
		parts = min(parts, int64(len(filled)))
		most := d.fill(filled, int(parts))
		if d.plan.MaxURLs == 0 || most <= d.plan.MaxURLs || parts == int64(len(filled)) || most == d.weight[filled[0]] {
			break
		}
		if parts += 1 + parts/64; parts > MaxParts {
			return tooMany(d.plan.MaxURLs, total)
		}
	}
	d.hosts, d.weight = make([]int64, parts), nil
	return nil
}

func tooMany(most, total int64) error {
	return fmt.Errorf("collection: %d URLs in collections of %d are more than %d collections; allow more URLs", total, most, MaxParts)
}

// fill puts buckets, the largest first, into the collection with the fewest URLs
// (LPT: Graham 1969), and returns how many the fullest has.
func (d *divider) fill(filled []int32, parts int) (most int64) {
	loads := make(loads, parts)
	for i := range loads {
		loads[i].at = int32(i)
	}
	for _, b := range filled {
		d.at[b] = loads[0].at
		loads[0].urls += d.weight[b]
		most = max(most, loads[0].urls)
		heap.Fix(&loads, 0)
	}
	return most
}

// loads is a heap of collections, the emptiest first.
type loads []struct {
	urls int64
	at   int32
}

func (l loads) Len() int { return len(l) }
func (l loads) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(l[i].urls, l[j].urls), cmp.Compare(l[i].at, l[j].at)) < 0
}
func (l loads) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l *loads) Push(any)     {} // heap.Fix needs neither
func (l *loads) Pop() any     { return nil }

// rankBits are the lower bits of a place, the rank of a host; above is its collection.
const rankBits = 40

// place writes the ranking to w and returns the places of all hosts.
func (g *Gatherer) place(ctx context.Context, ranking *extsort.Merge, d *divider, w io.Writer) (_ *extsort.Merge, err error) {
	defer func() { err = errors.Join(err, ranking.Close()) }()
	places := extsort.NewSorter(g.o.Dir, "places", g.pool)
	defer places.Abandon()
	out := newRows(w)
	var rank, urls int64
	for ranking.Next() {
		h := rankOf(&ranking.Record)
		first, last, place := 0, 0, uint64(rank)
		if d.plan.By == BySize {
			first, last = d.piece(urls), d.piece(urls+int64(h.urls)-1)
		} else {
			first = int(d.at[d.bucket(h.host)])
			last, place = first, place|uint64(first)<<rankBits
		}
		for i := first; i <= last; i++ {
			d.hosts[i]++
		}
		urls += int64(h.urls)
		if err := errors.Join(places.Add(hashOf(h.host), place, h.host), g.step(ctx, "hosts ranked", &rank)); err != nil {
			return nil, err
		}
		out.host(rank, h, name(first))
	}
	if err := errors.Join(ranking.Err, out.end()); err != nil {
		return nil, err
	}
	return places.Sorted()
}

// piece is the collection of the n-th URL, by size.
func (d *divider) piece(n int64) int {
	i, _ := slices.BinarySearch(d.ends, n+1)
	return i
}

// order puts the addresses into the order of the seeds.
func (g *Gatherer) order(ctx context.Context, places *extsort.Merge) (_ *extsort.Merge, err error) {
	defer func() { err = errors.Join(err, places.Close()) }()
	in, err := extsort.OpenRun(g.uniqueName())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	seeds := extsort.NewSorter(g.o.Dir, "seeds", g.pool)
	defer seeds.Abandon()
	type at struct {
		host  string
		place uint64
	}
	var hosts []at // of a, the hash of the last address: one, but for collisions
	var a uint64
	var n int64
	more := places.Next()
	for {
		if err := in.Next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if n == 0 || in.A != a {
			for a, hosts = in.A, hosts[:0]; more && places.A == a; more = places.Next() {
				hosts = append(hosts, at{string(places.Data), places.B})
			}
			if len(hosts) == 0 {
				return nil, errors.Join(errors.New("collection: an address has no place; was the temporary folder changed?"), places.Err)
			}
		}
		key, rest, _ := bytes.Cut(in.Data, zero())
		url, rest, _ := bytes.Cut(rest, zero())
		via, source, _ := bytes.Cut(rest, zero())
		if len(via) > 0 {
			via = via[1:] // its rank
		}
		if len(url) == 0 {
			url = key
		}
		place := hosts[0].place
		for _, h := range hosts[1:] {
			if h.host == string(hostOf(key)) {
				place = h.place
			}
		}
		if err := errors.Join(seeds.Add(place, pathOf(url), url, zero(), via, zero(), source), g.step(ctx, "addresses placed", &n)); err != nil {
			return nil, err
		}
	}
	return seeds.Sorted()
}

// writeSeeds writes the seeds of each collection.
func (g *Gatherer) writeSeeds(ctx context.Context, seeds *extsort.Merge, d *divider, open func(string) (io.WriteCloser, error)) (made []Collection, err error) {
	defer func() { err = errors.Join(err, seeds.Close()) }()
	out := counted{}
	end := func() error {
		if len(made) > 0 {
			made[len(made)-1].Bytes = out.n
		}
		if err := out.close(); err != nil {
			return fmt.Errorf("collection: write seeds: %w", err)
		}
		return nil
	}
	defer func() { err = errors.Join(err, end()) }()
	var n int64
	for seeds.Next() {
		at := int(seeds.A >> rankBits)
		if d.plan.By == BySize {
			at = d.piece(n)
		}
		if at == len(made) {
			if err := end(); err != nil {
				return nil, err
			}
			made = append(made, Collection{Name: name(at), Hosts: d.hosts[at]})
			file, err := open(name(at))
			if err != nil {
				return nil, err
			}
			out = counted{file: file, w: bufio.NewWriterSize(file, 64<<10)}
		}
		url, rest, _ := bytes.Cut(seeds.Data, zero())
		via, source, _ := bytes.Cut(rest, zero())
		if err := g.line(&out, url, via, source); err != nil {
			return nil, fmt.Errorf("collection: write seeds: %w", err)
		}
		made[at].URLs++
		if err := g.step(ctx, "seeds written", &n); err != nil {
			return nil, err
		}
	}
	return made, seeds.Err
}

// counted counts what goes to a file.
type counted struct {
	file io.WriteCloser // nil: there is none
	w    *bufio.Writer
	n    int64
}

// Write implements io.Writer.
func (c *counted) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return c.w.Write(b)
}

func (c *counted) close() error {
	if c.file == nil {
		return nil
	}
	err := errors.Join(c.w.Flush(), c.file.Close())
	c.file = nil
	return err
}

// SeedsName is the name of the files of seeds, once all logs are read: a list of
// URLs, or, where a seed has a via or a source tag, objects of an out-of-scope log.
func (g *Gatherer) SeedsName() string {
	if g.told {
		return "seeds.jsonl"
	}
	return "seeds.txt"
}

// line writes a seed.
func (g *Gatherer) line(w io.Writer, url, via, source []byte) error {
	b := g.scratch[:0]
	if !g.told {
		b = append(b, url...)
	} else {
		b = appendText(append(b, `{"url":`...), url)
		if len(via) > 0 {
			b = appendText(append(b, `,"via":`...), via)
		}
		if len(source) > 0 {
			b = appendText(append(b, `,"source":`...), source)
		}
		b = append(b, '}')
	}
	g.scratch = append(b, '\n')
	_, err := w.Write(g.scratch)
	return err
}

// appendText appends a JSON string. Most addresses are one as they are: encoding/json
// takes a fifth of the time of a whole split.
func appendText(b, text []byte) []byte {
	for _, c := range text {
		if c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			j, _ := json.Marshal(string(text)) // marshalling a string cannot fail
			return append(b, j...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}
