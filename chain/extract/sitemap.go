package extract

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"

	"golang.org/x/net/html/atom"

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

// Process implements [chain.Processor].
func (s *Sitemap) Process(ctx context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	if !success(u) || u.IsPrereq() || u.Rec == nil || !crawl.IsSitemap(u.Hops, u.Context) {
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
	kind, is := formatOf(text)
	if kind == markup.HTML && u.Context != crawl.ContextWellKnown {
		return chain.Idle(), nil // a page that a robots.txt calls a sitemap is read as one; where only a guess led to it, it mostly says that there is none
	}
	if is {
		u.Doc = markup.Parse(kind, text, markup.Options{DeclaredCharset: u.MIME.Charset, MaxLinks: s.cfg.MaxURLs, MaxText: 1, Sitemap: true, Stop: func() bool { return in.Err() != nil }})
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

// formatOf tells XML, which may begin with anything blank, and HTML from text.
func formatOf(text []byte) (markup.Kind, bool) {
	head := bytes.TrimPrefix(text[:min(len(text), maxProlog)], []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return markup.XML, true
	}
	for {
		head = bytes.TrimLeft(head, " \t\r\n\x00")
		if len(head) < 2 || head[0] != '<' {
			return 0, false
		}
		end := ">"
		switch {
		case bytes.HasPrefix(head, []byte("<!--")):
			end = "-->"
		case head[1] == '?', head[1] == '!':
		default:
			name := head[1:]
			if i := bytes.IndexAny(name, " \t\r\n/>"); i >= 0 {
				name = name[:i]
			}
			if atom.Lookup(bytes.ToLower(name)) != 0 {
				return markup.HTML, true
			}
			return markup.XML, true
		}
		_, rest, ends := bytes.Cut(head, []byte(end))
		if !ends {
			return markup.XML, true
		}
		head = rest
	}
}

// maxProlog is where the first element begins, at the latest.
const maxProlog = 4096

// maxLine is the length of an address that is taken; the protocol's are 2,048 long.
const maxLine = 4096

// lines takes a sitemap of one address a line.
func (s *Sitemap) lines(u *crawl.CrawlURI, text []byte) {
	l := newLinks(u, s.cfg.MaxURLs)
	if l == nil {
		return
	}
	for line := range bytes.FieldsFuncSeq(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = bytes.TrimSpace(line); len(line) > maxLine {
			continue
		}
		if bytes.HasPrefix(line, []byte("http://")) || bytes.HasPrefix(line, []byte("https://")) {
			l.take(string(line), "", crawl.HopManifest, crawl.LinkNav, "sitemap:text", "")
		}
	}
	u.Doc = &markup.Doc{Kind: markup.PlainText} // it has been read
}
