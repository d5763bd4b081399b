package extract

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"strings"

	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/conf"
	"exclave/internal/markup"
)

// SitemapConfig bounds what is read of a sitemap, by default as the protocol does (sitemaps.org).
type SitemapConfig struct {
	MaxBody int64 `toml:"max_body"` // bytes of text, unpacked
	MaxURLs int   `toml:"max_urls"` // entries

	Room *Room `toml:"-"`
}

// DefaultSitemapConfig returns 50 MB and 50,000 entries.
func DefaultSitemapConfig() SitemapConfig { return SitemapConfig{MaxBody: 50 << 20, MaxURLs: 50_000} }

// Validate returns every value that cannot be.
func (c SitemapConfig) Validate() (ps conf.Problems) {
	ps.Check(c.MaxBody >= 1 && c.MaxBody <= 1<<30, "max_body", "%d is not between 1 and %d bytes", c.MaxBody, 1<<30)
	ps.Check(c.MaxURLs >= 1 && c.MaxURLs <= 1e6, "max_urls", "%d is not between 1 and 1000000", c.MaxURLs)
	return ps
}

// Sitemap takes the entries of what was reached as a sitemap: processor "sitemap", before those that go by the type.
type Sitemap struct{ cfg SitemapConfig }

// NewSitemap returns the processor.
func NewSitemap(c SitemapConfig) *Sitemap { return &Sitemap{c} }

// contextIndex is how an index of sitemaps names them.
const contextIndex = "sitemap:index/loc"

// isSitemap reports whether a URI was reached as a sitemap; a redirect leaves it one.
func isSitemap(u *crawl.CrawlURI) bool {
	hops := strings.TrimRight(u.Hops, string(rune(crawl.HopRedirect)))
	return strings.HasSuffix(hops, string(rune(crawl.HopManifest))) &&
		(u.Context == crawl.ContextRobots || u.Context == crawl.ContextWellKnown || strings.HasPrefix(u.Context, contextIndex) || hops != u.Hops)
}

// Process implements [chain.Processor].
func (s *Sitemap) Process(ctx context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	if !success(u) || u.IsPrereq() || u.Rec == nil || !isSitemap(u) {
		return chain.Idle(), nil
	}
	in, leave, err := s.cfg.Room.enter(ctx, true)
	if err != nil {
		return chain.Result{}, err
	}
	defer leave()
	packed, err := u.Rec.Body(s.cfg.MaxBody)
	defer u.Rec.Forget()
	if err != nil {
		u.Annotate("coding:broken")
	}
	text, err := unpacked(packed, s.cfg.MaxBody)
	if err != nil {
		u.Annotate("sitemap:gzip") // what comes before the damage is read
	}
	outlinks := len(u.Outlinks)
	if kind, is := formatOf(text); is {
		u.Doc = markup.Parse(kind, text, markup.Options{DeclaredCharset: u.MIME.Charset, MaxLinks: s.cfg.MaxURLs, MaxText: 1, Stop: func() bool { return in.Err() != nil }})
		TakeLinks(in, u, s.cfg.MaxURLs)
		for i := range u.Outlinks[outlinks:] { // entries of feeds are those of a sitemap
			if o := &u.Outlinks[outlinks+i]; o.Kind == crawl.LinkNav && o.Hop == crawl.HopLink {
				o.Hop = crawl.HopManifest
			}
		}
	} else {
		s.lines(u, text)
	}
	if in.Err() != nil {
		return chain.Result{}, late(ctx, u, "extract:time")
	}
	if len(u.Outlinks) == outlinks {
		u.Annotate("sitemap:empty")
	}
	return chain.Result{}, nil
}

// unpacked takes text out of gzip, when it is in gzip.
func unpacked(body []byte, most int64) ([]byte, error) {
	if !bytes.HasPrefix(body, []byte("\x1f\x8b")) {
		return body, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(z, most))
}

// formatOf tells XML, which may begin with anything blank, from text.
func formatOf(text []byte) (markup.Kind, bool) {
	head := bytes.TrimLeft(bytes.TrimPrefix(text[:min(len(text), 1000)], []byte("\xef\xbb\xbf")), " \t\r\n\x00")
	switch {
	case bytes.HasPrefix(head, []byte("<!DOCTYPE html")), bytes.HasPrefix(head, []byte("<html")):
		return markup.HTML, true // a page that says that there is none
	case bytes.HasPrefix(head, []byte("<")), bytes.HasPrefix(text, []byte("\xff\xfe")), bytes.HasPrefix(text, []byte("\xfe\xff")):
		return markup.XML, true
	}
	return 0, false
}

// lines takes a sitemap of one address a line.
func (s *Sitemap) lines(u *crawl.CrawlURI, text []byte) {
	l := newLinks(u, s.cfg.MaxURLs)
	if l == nil {
		return
	}
	in := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))))
	in.Buffer(nil, 64<<10)
	for in.Scan() {
		line := strings.TrimSpace(in.Text())
		if strings.HasPrefix(line, "http://") || strings.HasPrefix(line, "https://") {
			l.take(line, "", crawl.HopManifest, crawl.LinkNav, "sitemap:text", "")
		}
	}
	u.Doc = &markup.Doc{Kind: markup.PlainText} // it has been read
}
