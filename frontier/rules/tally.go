package rules

import (
	"fmt"
	"maps"
	"strings"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// MaxTypes is how many MIME types have a row of their own; servers invent more.
const MaxTypes = 2000

// visitTally is what a visit adds to the tallies.
func visitTally(u *crawl.CrawlURI) schema.Tally {
	y := schema.Tally{URIs: 1, Bytes: u.Received}
	if u.Span != nil && !u.Response.IsZero() {
		y.Stored, y.StoredBytes = 1, y.Bytes
	}
	switch {
	case u.Status == crawl.StatusRobots:
		y.Robots = 1
	case u.Status <= 0:
	case u.Original != nil:
		y.Dup, y.DupBytes = 1, y.Bytes
	case u.NotModified:
		y.Unmodified, y.UnmodifiedLen = 1, y.Bytes
	default:
		y.Novel, y.NovelBytes = 1, y.Bytes
	}
	return y
}

// Tallies are the small tallies, which are in memory.
type Tallies struct {
	Types    map[string]schema.Tally
	Statuses map[crawl.Status]schema.Tally
	Sources  map[string]schema.Tally // by source tag, at most maxSources
}

// NewTallies returns empty tallies.
func NewTallies() Tallies {
	return Tallies{map[string]schema.Tally{}, map[crawl.Status]schema.Tally{}, map[string]schema.Tally{}}
}

// maxSources is how many source tags have a tally, and thus budgets.
const maxSources = 10000

// Counted are the tallies that a commit changes, with their new values.
type Counted struct {
	Tallies
	fresh int // types that had no row before
	hosts map[schema.SourceHost]uint64
}

// countVisit counts a URI that is done: by type, status, host, domain and source. Each table counts it once.
func (t *Tx) countVisit(u *crawl.CrawlURI) error {
	if u.Mode != crawl.ModeFetch {
		return nil
	}
	if t.Types == nil {
		t.Counted = Counted{Tallies: NewTallies(), hosts: map[schema.SourceHost]uint64{}}
	}
	c, all, v := &t.Counted, t.env.Tallies, visitTally(u)
	if t.Logged != nil {
		v = *t.Logged
	}
	kind := strings.Clone(u.MIME.Type) // it may be a part of a whole header, and is kept
	if kind == "" {
		kind = schema.UnknownType
	}
	y, ok := c.Types[kind]
	if !ok {
		switch y, ok = all.Types[kind]; {
		case ok:
		case len(all.Types)+c.fresh < MaxTypes:
			c.fresh++
		default: // the first types keep their rows
			kind = schema.OtherTypes
			if y, ok = c.Types[kind]; !ok {
				y = all.Types[kind]
			}
		}
	}
	y.Add(v)
	c.Types[kind] = y
	if y, ok = c.Statuses[u.Status]; !ok {
		y = all.Statuses[u.Status]
	}
	y.Add(v)
	c.Statuses[u.Status] = y
	name := u.Host
	if crawl.IsDNS(u.Key) {
		name = schema.DNSHost
	}
	h, err := t.Host(name)
	if err != nil {
		return err
	}
	if h.Tally == nil {
		h.Tally = &schema.Tally{}
	}
	h.Tally.Add(v)
	if name != schema.DNSHost {
		d, err := t.Domain(name)
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
	if y := t.sourceTally(u.SourceTag); y != (schema.Tally{}) || len(all.Sources) < maxSources {
		y.Add(v)
		c.Sources[u.SourceTag] = y
	}
	if u.Status <= 0 {
		return nil // the source-report has successes, as Heritrix's
	}
	s := schema.SourceHost{Tag: u.SourceTag, Host: name}
	n, ok := c.hosts[s]
	if !ok {
		v, err := t.state.Row(s.Key())
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

// sourceTally returns the tally of a source tag as this commit leaves it.
func (t *Tx) sourceTally(tag string) schema.Tally {
	if y, ok := t.Sources[tag]; ok {
		return y
	}
	return t.env.Tallies.Sources[tag]
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
func (c *Counted) flush(b Writer) {
	for kind, y := range c.Types {
		b.Set(schema.TallyKey(schema.ByType, kind), y.Encode())
	}
	for s, y := range c.Statuses {
		b.Set(schema.StatusKey(s), y.Encode())
	}
	for tag, y := range c.Sources {
		b.Set(schema.TallyKey(schema.BySource, tag), y.Encode())
	}
	for s, n := range c.hosts {
		b.Set(s.Key(), schema.EncodeNumber(n))
	}
}

// Merge adds what a commit counted; the caller guards the tallies.
func (a *Tallies) Merge(c *Counted) {
	maps.Copy(a.Types, c.Types)
	maps.Copy(a.Statuses, c.Statuses)
	maps.Copy(a.Sources, c.Sources)
}
