package frontier

import (
	"fmt"
	"maps"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// maxTypes is how many MIME types have a row of their own; servers invent more.
const maxTypes = 2000

// visit is what one URI adds to the tallies.
func visit(u *crawl.CrawlURI) schema.Tally {
	y := schema.Tally{URIs: 1, Bytes: u.Received}
	if u.Span != nil && !u.Response.IsZero() {
		y.Stored, y.StoredBytes = 1, y.Bytes
	}
	switch {
	case u.Status == crawl.StatusRobots:
		y.Robots = 1
	case u.Status <= 0:
	case u.NotModified:
		y.Unmodified, y.UnmodifiedLen = 1, y.Bytes
	default:
		y.Novel, y.NovelBytes = 1, y.Bytes
	}
	return y
}

// tallies are the small tables, all of which are in memory.
type tallies struct {
	types    map[string]schema.Tally
	statuses map[crawl.Status]schema.Tally
	sources  map[string]schema.Tally // by source tag, at most maxSources
}

func newTallies() tallies {
	return tallies{map[string]schema.Tally{}, map[crawl.Status]schema.Tally{}, map[string]schema.Tally{}}
}

// maxSources is how many source tags have a tally, and thus budgets.
const maxSources = 10000

// counted are the rows that a commit changes, with their new values.
type counted struct {
	tallies
	fresh int // types that had no row before
	hosts map[schema.SourceHost]uint64
}

// tally counts a URI that is done.
func (t *tx) tally(u *crawl.CrawlURI) error {
	if u.Mode != crawl.ModeFetch {
		return nil
	}
	if t.types == nil {
		t.counted = counted{tallies: newTallies(), hosts: map[schema.SourceHost]uint64{}}
	}
	c, all, v := &t.counted, &t.f.tallies, visit(u)
	if t.logged != nil {
		v = *t.logged
	}
	kind := strings.Clone(u.MIME.Type) // it may be a part of a whole header, and is kept
	if kind == "" {
		kind = schema.UnknownType
	}
	y, ok := c.types[kind]
	if !ok {
		switch y, ok = all.types[kind]; {
		case ok:
		case len(all.types)+c.fresh < maxTypes:
			c.fresh++
		default: // for good: a type that is not kept now never will be
			kind = schema.OtherTypes
			if y, ok = c.types[kind]; !ok {
				y = all.types[kind]
			}
		}
	}
	y.Add(v)
	c.types[kind] = y
	if y, ok = c.statuses[u.Status]; !ok {
		y = all.statuses[u.Status]
	}
	y.Add(v)
	c.statuses[u.Status] = y
	name := u.Host
	if crawl.IsDNS(u.Key) {
		name = schema.DNSHost
	}
	h, err := t.host(name)
	if err != nil {
		return err
	}
	if h.Tally == nil {
		h.Tally = &schema.Tally{}
	}
	h.Tally.Add(v)
	if name != schema.DNSHost {
		d, err := t.domain(name)
		if err != nil {
			return err
		}
		if d != nil {
			d.Documents += uint64(v.URIs)
			d.Bytes += uint64(v.Bytes)
		}
	}
	if u.SourceTag == "" {
		return nil
	}
	if y := t.source(u.SourceTag); y != (schema.Tally{}) || len(all.sources) < maxSources {
		y.Add(v)
		c.sources[u.SourceTag] = y
	}
	if u.Status <= 0 {
		return nil // the source-report has successes, as Heritrix's
	}
	s := schema.SourceHost{Tag: u.SourceTag, Host: name}
	n, ok := c.hosts[s]
	if !ok {
		v, err := t.seek(s.Key())
		if err != nil {
			return err
		}
		if n, err = decodeCount(s, v); err != nil {
			return err
		}
	}
	c.hosts[s] = n + 1
	return nil
}

// source returns the tally of a source tag as this commit leaves it.
func (t *tx) source(tag string) schema.Tally {
	if y, ok := t.sources[tag]; ok {
		return y
	}
	return t.f.tallies.sources[tag]
}

// decodeCount reads how many URIs a source has of a host, 0 where there is no row.
func decodeCount(s schema.SourceHost, v []byte) (uint64, error) {
	if v == nil {
		return 0, nil
	}
	n, err := schema.DecodeNumber(v)
	if err != nil {
		return 0, fmt.Errorf("count of source %s: %w", s.Tag, err)
	}
	return n, nil
}

// flush puts the rows that changed into the batch.
func (c *counted) flush(b writer) error {
	for kind, y := range c.types {
		if err := b.Set(schema.TallyKey(schema.ByType, kind), y.Encode(), nil); err != nil {
			return err
		}
	}
	for s, y := range c.statuses {
		if err := b.Set(schema.StatusKey(s), y.Encode(), nil); err != nil {
			return err
		}
	}
	for tag, y := range c.sources {
		if err := b.Set(schema.TallyKey(schema.BySource, tag), y.Encode(), nil); err != nil {
			return err
		}
	}
	for s, n := range c.hosts {
		if err := b.Set(s.Key(), schema.EncodeNumber(n), nil); err != nil {
			return err
		}
	}
	return nil
}

// take makes what a commit counted visible. The lock of the frontier is held.
func (a *tallies) take(c *counted) {
	maps.Copy(a.types, c.types)
	maps.Copy(a.statuses, c.statuses)
	maps.Copy(a.sources, c.sources)
}

func (a *tallies) load(r pebble.Reader) error {
	for _, t := range []struct {
		kind schema.TallyTable
		of   string
		into map[string]schema.Tally
	}{{schema.ByType, "MIME types", a.types}, {schema.BySource, "sources", a.sources}} {
		if err := scan(r, schema.TallyPrefix(t.kind), func(k, v []byte) (err error) {
			t.into[schema.TallyName(k)], err = schema.DecodeTally(v)
			return err
		}); err != nil {
			return fmt.Errorf("tallies of %s: %w", t.of, err)
		}
	}
	if err := scan(r, schema.TallyPrefix(schema.ByStatus), func(k, v []byte) error {
		status, err := schema.TallyStatus(k)
		if err == nil {
			a.statuses[status], err = schema.DecodeTally(v)
		}
		return err
	}); err != nil {
		return fmt.Errorf("tallies of statuses: %w", err)
	}
	return nil
}

// Counted reports whether the tallies hold every visit: false when a program that
// did not count began the crawl.
func (f *Frontier) Counted() (bool, error) {
	v, err := get(f.db, schema.MetaKey(schema.MetaCounted))
	return v != nil, err
}

// Types returns the tallies by MIME type: at most 2,000, [OtherTypes] beside them.
func (f *Frontier) Types() map[string]schema.Tally {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.tallies.types)
}

// Statuses returns the tallies by status.
func (f *Frontier) Statuses() map[crawl.Status]schema.Tally {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.tallies.statuses)
}

// Total returns the tally of all visits.
func (f *Frontier) Total() (y schema.Tally) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.tallies.statuses {
		y.Add(s)
	}
	return y
}
