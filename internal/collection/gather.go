package collection

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"exclave/internal/extsort"
	"exclave/internal/seedlog"
	"exclave/internal/urlx"
)

// Options say how logs are gathered.
type Options struct {
	Dir      string     // of temporary files; it exists
	Rules    urlx.Rules // which addresses are the same
	TLDs     []string   // the nation's own top-level domains; none: no page counts
	Vias     bool       // keep a page that links to each address, for Split
	Progress func(pass string, n int64)

	step func(pass string) // tests hear of every look at the context
}

// progressEvery is how many records lie between two calls of Progress.
const progressEvery = 5_000_000

// Gatherer reads logs and sorts what they hold. Close it; its files go with Dir.
type Gatherer struct {
	o           Options
	pool        *extsort.Pool
	urls, links *extsort.Sorter
	told        bool  // a seed has a source tag or a via
	linked      int64 // addresses found on a page of the nation
	read        int64 // lines
	via         struct {
		raw          []byte // the last one read
		ranked       []byte // behind its rank, what is kept of it
		domain, page []byte // of the nation; nil: it is another's
	}
	scratch []byte
}

// chunkBytes is the size of a chunk of a sorter.
const chunkBytes = 16 << 20

// New returns a Gatherer that has read nothing.
func New(o Options) *Gatherer {
	if o.Progress == nil {
		o.Progress = func(string, int64) {}
	}
	o.TLDs = slices.Clone(o.TLDs)
	for i, t := range o.TLDs {
		o.TLDs[i] = strings.ToLower(strings.Trim(t, "."))
	}
	p := extsort.NewPool(chunkBytes)
	return &Gatherer{o: o, pool: p, urls: extsort.NewSorter(o.Dir, "urls", p).Remember(), links: extsort.NewSorter(o.Dir, "links", p).Remember()}
}

// Close waits for what works in the background.
func (g *Gatherer) Close() {
	g.urls.Abandon()
	g.links.Abandon()
}

// Read reads a log to its end. The errors are those of package seedlog, of the
// disk, and ctx's; they end the work of the Gatherer, and there is no State.
func (g *Gatherer) Read(ctx context.Context, in io.Reader, o seedlog.Options) (seedlog.State, error) {
	log, err := seedlog.Open(in, o)
	if err != nil {
		return seedlog.State{}, err
	}
	defer log.Close()
	ahead := readAhead(log)
	defer ahead.stop()
	for b := range ahead.full {
		for i := range b.links {
			l := &b.links[i]
			if l.url != nil {
				if err := g.take(l); err != nil {
					return seedlog.State{}, err
				}
			}
			if err := g.step(ctx, "lines read", &g.read); err != nil {
				return seedlog.State{}, err
			}
		}
		if b.err != nil && !errors.Is(b.err, io.EOF) {
			return seedlog.State{}, b.err
		}
		ahead.empty <- b
	}
	return log.State(), nil
}

// step counts a record, tells of it, and looks at ctx, now and then.
func (g *Gatherer) step(ctx context.Context, pass string, n *int64) error {
	*n++
	if *n%progressEvery == 0 {
		g.o.Progress(pass, *n)
	}
	if *n%1024 != 0 {
		return nil
	}
	if g.o.step != nil {
		g.o.step(pass)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("collection: %w", context.Cause(ctx))
	}
	return nil
}

// zero ends a field of a record's data; no URL and no host holds it.
func zero() []byte { return []byte{0} }

// What stands before a via: of the pages that link to an address one of the nation is
// kept, otherwise any; of several the first by the bytes, whatever the order of the logs.
const viaNational, viaOther, viaNone = '0', '1', '2'

// take gives an address, and the link that leads to it, to the sorters.
func (g *Gatherer) take(l *link) error {
	key := g.o.Rules.Key(l.url)
	g.scratch = append(append(g.scratch[:0], key...), 0)
	if href := l.url.String(); href != key {
		g.scratch = append(g.scratch, href...)
	}
	g.scratch = append(g.scratch, 0)
	national := g.national(l.via)
	if g.o.Vias {
		g.scratch = append(g.scratch, g.via.ranked...)
	}
	g.scratch = append(append(g.scratch, 0), l.source...)
	g.told = g.told || len(l.source) > 0 || g.o.Vias && len(g.via.ranked) > 1
	host := hostOf(g.scratch[:len(key)])
	a := hashOf(host)
	if err := g.urls.AddLeast(a, hashOf(g.scratch[:len(key)]), g.scratch, len(key)+1); err != nil {
		return err
	}
	if !national {
		return nil
	}
	g.linked++
	return g.links.Add(a, hashOf(g.via.domain), host, zero(), g.via.domain, zero(), g.via.page)
}

// national says whether a link's page is one of the nation's, and notes its domain
// and key. The links of a page stand together in a log.
func (g *Gatherer) national(via []byte) bool {
	if g.via.ranked != nil && bytes.Equal(via, g.via.raw) {
		return g.via.page != nil
	}
	g.via.raw = append(g.via.raw[:0], via...)
	g.via.ranked, g.via.domain, g.via.page = append(g.via.ranked[:0], viaNone), nil, nil
	if len(via) == 0 || len(g.o.TLDs) == 0 && !g.o.Vias {
		return false
	}
	u, err := urlx.Parse(string(via))
	if err != nil {
		return false
	}
	u = u.WithoutUserinfo().WithoutFragment()
	national := slices.Contains(g.o.TLDs, urlx.TLD(u.Hostname()))
	g.via.ranked[0] = viaOther
	if national {
		g.via.ranked[0] = viaNational
	}
	if g.via.ranked = append(g.via.ranked, u.String()...); !national {
		return false
	}
	g.via.domain, g.via.page = []byte(domainOf(u.Hostname())), []byte(g.o.Rules.Key(u))
	return true
}

// domainOf is the registered domain of a host; of an address, a public suffix and
// the like, the host itself.
func domainOf(host string) string {
	if d := urlx.RegisteredDomain(host); d != "" {
		return d
	}
	return host
}

// hostOf is the host of a URL as package urlx writes it, without its brackets: a
// part of url.
func hostOf(url []byte) []byte {
	_, rest, _ := bytes.Cut(url, []byte("://"))
	if i := bytes.IndexByte(rest, '/'); i >= 0 {
		rest = rest[:i]
	}
	rest = rest[bytes.LastIndexByte(rest, '@')+1:]
	if i := bytes.LastIndexByte(rest, ':'); i >= 0 && bytes.IndexByte(rest[i:], ']') < 0 {
		rest = rest[:i]
	}
	return bytes.Trim(rest, "[]")
}

// pathOf is the beginning of the path of a URL, as a number that puts URLs of a
// host in order.
func pathOf(url []byte) (n uint64) {
	_, rest, _ := bytes.Cut(url, []byte("://"))
	if i := bytes.IndexByte(rest, '/'); i >= 0 {
		rest = rest[i+1:]
	}
	for i := range 8 {
		n <<= 8
		if i < len(rest) {
			n |= uint64(rest[i])
		}
	}
	return n
}
