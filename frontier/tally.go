package frontier

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"exclave/crawl"
)

// maxTypes is how many MIME types have a row of their own; servers invent more.
const maxTypes = 2000

// Names that no MIME type and no host has.
const (
	// OtherTypes is the row of the types beyond the first 2,000.
	OtherTypes = "other"
	// UnknownType is the row of answers without a type, as in crawl.log.
	UnknownType = "unknown"
	// DNSHost is the row of all answers of name servers, as in Heritrix's
	// hosts-report.
	DNSHost = "dns:"
)

// Tally counts visits: URIs done after a fetch, each of which is a line of
// crawl.log. A URI that is visited again counts again. Bytes are those received,
// header and body, as they came.
type Tally struct {
	URIs, Bytes               int64
	Stored, StoredBytes       int64 // with a response or revisit record in the archive
	Novel, NovelBytes         int64 // answers that were not seen before
	Dup, DupBytes             int64 // 0: duplicates by digest have columns in Heritrix's reports, but are not told apart
	Unmodified, UnmodifiedLen int64 // 304 to a conditional request
	Robots                    int64 // forbidden by robots.txt
}

func (y *Tally) fields() [11]*int64 {
	return [...]*int64{&y.URIs, &y.Bytes, &y.Stored, &y.StoredBytes, &y.Novel, &y.NovelBytes,
		&y.Dup, &y.DupBytes, &y.Unmodified, &y.UnmodifiedLen, &y.Robots}
}

// Add adds what another tally counted.
func (y *Tally) Add(o Tally) {
	from := o.fields()
	for i, p := range y.fields() {
		*p += *from[i]
	}
}

// Successes returns the visits with a status above 0, which is what Heritrix's reports
// count, and the bytes received with them.
func (y Tally) Successes() (uris, bytes int64) {
	return y.Novel + y.Dup + y.Unmodified, y.NovelBytes + y.DupBytes + y.UnmodifiedLen
}

// tally writes a bit for each field that is not zero, then those fields.
func (e *enc) tally(y Tally) {
	var have uint64
	for i, p := range y.fields() {
		if *p != 0 {
			have |= 1 << i
		}
	}
	e.uv(have)
	for _, p := range y.fields() {
		if *p != 0 {
			e.iv(*p)
		}
	}
}

func (d *dec) tally() (y Tally) {
	have := d.uv()
	for i, p := range y.fields() {
		if have&(1<<i) != 0 {
			*p = d.iv()
		}
	}
	return y
}

// visit is what one URI adds to the tallies.
func visit(u *crawl.CrawlURI) Tally {
	y := Tally{URIs: 1, Bytes: u.Received}
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
	types    map[string]Tally
	statuses map[crawl.Status]Tally
	sources  map[string]Tally // by source tag, at most maxSources
}

func newTallies() tallies {
	return tallies{map[string]Tally{}, map[crawl.Status]Tally{}, map[string]Tally{}}
}

// maxSources is how many source tags have a tally, and thus budgets.
const maxSources = 10000

// source is a source tag and a host.
type source struct{ tag, host string }

// counted are the rows that a commit changes, with their new values.
type counted struct {
	tallies
	fresh int // types that had no row before
	hosts map[source]uint64
}

// tally counts a URI that is done.
func (t *tx) tally(u *crawl.CrawlURI) error {
	if u.Mode != crawl.ModeFetch {
		return nil
	}
	if t.types == nil {
		t.counted = counted{tallies: newTallies(), hosts: map[source]uint64{}}
	}
	c, all, v := &t.counted, &t.f.tallies, visit(u)
	if t.logged != nil {
		v = *t.logged
	}
	kind := strings.Clone(u.MIME.Type) // it may be a part of a whole header, and is kept
	if kind == "" {
		kind = UnknownType
	}
	y, ok := c.types[kind]
	if !ok {
		switch y, ok = all.types[kind]; {
		case ok:
		case len(all.types)+c.fresh < maxTypes:
			c.fresh++
		default: // for good: a type that is not kept now never will be
			kind = OtherTypes
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
		name = DNSHost
	}
	h, err := t.host(name)
	if err != nil {
		return err
	}
	if h.Tally == nil {
		h.Tally = &Tally{}
	}
	h.Tally.Add(v)
	if name != DNSHost {
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
	if y := t.source(u.SourceTag); y != (Tally{}) || len(all.sources) < maxSources {
		y.Add(v)
		c.sources[u.SourceTag] = y
	}
	if u.Status <= 0 {
		return nil // the source-report has successes, as Heritrix's
	}
	s := source{u.SourceTag, name}
	n, ok := c.hosts[s]
	if !ok {
		v, err := t.seek(sourceKey(s))
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
func (t *tx) source(tag string) Tally {
	if y, ok := t.sources[tag]; ok {
		return y
	}
	return t.f.tallies.sources[tag]
}

// decodeCount reads how many URIs a source has of a host, 0 where there is no row.
func decodeCount(s source, v []byte) (uint64, error) {
	if v == nil {
		return 0, nil
	}
	d := newDec(v)
	n := d.uv()
	if err := d.end(); err != nil {
		return 0, fmt.Errorf("count of source %s: %w", s.tag, err)
	}
	return n, nil
}

// Rows of tallies: 't', a letter for the table, the name.
func tallyKey(table byte, name string) []byte { return append([]byte{'t', table}, name...) }

// sourceKey orders by tag, then by host, which has no NUL.
func sourceKey(s source) []byte { return tallyKey('x', s.tag+"\x00"+s.host) }

// flush puts the rows that changed into the batch.
func (c *counted) flush(b writer) error {
	set := func(key []byte, y Tally) error {
		e := newEnc()
		e.tally(y)
		return b.Set(key, e.b, nil)
	}
	for kind, y := range c.types {
		if err := set(tallyKey('m', kind), y); err != nil {
			return err
		}
	}
	for s, y := range c.statuses {
		if err := set(tallyKey('s', s.String()), y); err != nil {
			return err
		}
	}
	for tag, y := range c.sources {
		if err := set(tallyKey('y', tag), y); err != nil {
			return err
		}
	}
	for s, n := range c.hosts {
		e := newEnc()
		e.uv(n)
		if err := b.Set(sourceKey(s), e.b, nil); err != nil {
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
	if err := scan(r, []byte{'t', 'm'}, func(k, v []byte) error {
		d := newDec(v)
		a.types[string(k[2:])] = d.tally()
		return d.end()
	}); err != nil {
		return fmt.Errorf("tallies of MIME types: %w", err)
	}
	if err := scan(r, []byte{'t', 'y'}, func(k, v []byte) error {
		d := newDec(v)
		a.sources[string(k[2:])] = d.tally()
		return d.end()
	}); err != nil {
		return fmt.Errorf("tallies of sources: %w", err)
	}
	if err := scan(r, []byte{'t', 's'}, func(k, v []byte) error {
		status, err := strconv.ParseInt(string(k[2:]), 10, 32)
		if err != nil {
			return errCorrupt
		}
		d := newDec(v)
		a.statuses[crawl.Status(status)] = d.tally()
		return d.end()
	}); err != nil {
		return fmt.Errorf("tallies of statuses: %w", err)
	}
	return nil
}

// Counted reports whether the tallies hold every visit: false when a program that
// did not count began the crawl.
func (f *Frontier) Counted() (bool, error) {
	v, err := get(f.db, nameKey('m', "counted"))
	return v != nil, err
}

// Types returns the tallies by MIME type: at most 2,000, [OtherTypes] beside them.
func (f *Frontier) Types() map[string]Tally {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.tallies.types)
}

// Statuses returns the tallies by status.
func (f *Frontier) Statuses() map[crawl.Status]Tally {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.tallies.statuses)
}

// Total returns the tally of all visits.
func (f *Frontier) Total() (y Tally) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.tallies.statuses {
		y.Add(s)
	}
	return y
}

// cutSource takes a key of a source row apart.
func cutSource(key []byte) (s source, ok bool) {
	name := string(key[2:])
	i := strings.LastIndexByte(name, 0)
	if i < 0 {
		return s, false
	}
	return source{name[:i], name[i+1:]}, true
}
