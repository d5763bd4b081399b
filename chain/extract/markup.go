package extract

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/conf"
	"exclave/internal/markup"
)

// Config bounds what is read of one document.
type Config struct {
	MaxBody     int64 `toml:"max_body"`     // bytes of the decoded body that are read
	MaxText     int   `toml:"max_text"`     // bytes of clean text, and of source, that are kept
	MaxOutlinks int   `toml:"max_outlinks"` // links per page, as in Heritrix; 200 bytes each on average
	// Types are further MIME types that the step reads as its first format: exact ones, patterns with
	// one "*" ("application/*+xml", "text/*"), or "*/*". The first step that reads a document
	// without an error is the one that counts.
	Types      []string `toml:"types"`
	SourceMaps bool     `toml:"source_maps"` // take the source map that a script or a style sheet names at its end

	Room  *Room  `toml:"-"` // where documents are read; nil = no bounds
	Off   bool   `toml:"-"` // read nothing
	Token string `toml:"-"` // the product token that robots meta elements may be for
}

// DefaultConfig returns 10 MB of body, 1 MiB of text and 6,000 links.
func DefaultConfig() Config {
	return Config{MaxBody: 10e6, MaxText: 1 << 20, MaxOutlinks: DefaultMaxOutlinks}
}

// Validate returns every value that cannot be.
func (c Config) Validate() (ps conf.Problems) {
	if c.MaxBody < 1 || c.MaxBody > 1<<30 {
		ps.Add("max_body", "%d is not between 1 and %d bytes", c.MaxBody, 1<<30)
	}
	if c.MaxText < 1 || c.MaxText > 1<<28 {
		ps.Add("max_text", "%d is not between 1 and %d bytes", c.MaxText, 1<<28)
	}
	for i, t := range c.Types {
		if strings.Count(t, "/") != 1 || strings.Count(t, "*") > 1 && t != "*/*" || t != strings.ToLower(t) || strings.ContainsAny(t, " ;") {
			ps.Add(conf.Element("types", i), "%q: must be a MIME type in lower case, or a pattern such as \"application/*+xml\", \"text/*\" or \"*/*\"", t)
		}
	}
	if c.MaxOutlinks < 1 || c.MaxOutlinks > 1e6 {
		ps.Add("max_outlinks", "%d is not between 1 and 1000000", c.MaxOutlinks)
	}
	return ps
}

// Markup takes the links of documents of its formats.
type Markup struct {
	cfg     Config
	formats []markup.Kind
}

// NewMarkup returns a processor for documents of the formats.
func NewMarkup(cfg Config, formats ...markup.Kind) *Markup { return &Markup{cfg, formats} }

// Process implements [chain.Processor].
func (m *Markup) Process(ctx context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	if m.cfg.Off || !success(u) || u.IsPrereq() || u.Rec == nil {
		return chain.Idle(), nil
	}
	idle := true
	for i, typ := range u.MIME.Types() {
		format, mine := m.formatOf(typ)
		if i == 0 && u.Doc != nil && u.Doc.Err == nil || !mine {
			continue
		}
		idle = false
		read := u
		if i > 0 {
			read = as(u, typ)
		}
		err := m.read(ctx, read, format)
		u.Outlinks, u.Dropped, u.Annotations = read.Outlinks, read.Dropped, read.Annotations
		if err != nil {
			return chain.Result{}, err
		}
	}
	return chain.Result{Idle: idle}, nil
}

// formatOf returns the format that a document of a type is read as; false: another step may read it.
func (m *Markup) formatOf(typ string) (markup.Kind, bool) {
	if k := markup.KindOf(typ); slices.Contains(m.formats, k) {
		return k, true
	}
	return m.formats[0], slices.ContainsFunc(m.cfg.Types, func(pattern string) bool {
		before, after, any := strings.Cut(pattern, "*")
		if pattern == "*/*" || !any {
			return pattern == "*/*" || pattern == typ
		}
		return len(typ) >= len(before)+len(after) && strings.HasPrefix(typ, before) && strings.HasSuffix(typ, after)
	})
}

func (m *Markup) read(ctx context.Context, u *crawl.CrawlURI, format markup.Kind) error {
	in, leave, err := m.cfg.parse(ctx, u, format)
	if err != nil {
		return err
	}
	defer leave()
	page, at := m.cfg.withPage(in, u)
	if !takeLinks(in, u, m.cfg.MaxOutlinks, m.cfg.Room.archived()) || u.Doc.Stopped {
		return late(ctx, u, "extract:time")
	}
	if page != nil {
		takeMade(in, u, m.cfg.MaxOutlinks, page, at)
	}
	return nil
}

// as returns a copy of u to be read as another of its types.
func as(u *crawl.CrawlURI, typ string) *crawl.CrawlURI {
	c := u.Copy()
	c.MIME, c.Doc = u.MIME.As(typ), nil
	return c
}

// late notes that the time for a document was over before the work. An error is that
// of ctx: then the crawl is what has no more time.
func late(ctx context.Context, u *crawl.CrawlURI, annotation string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	u.Annotate(annotation)
	return nil
}

// TakeLinks adds the links of u.Doc, resolved and distinct, to u.Outlinks, until
// there are limit of them. It reports whether it came to the end before ctx did.
func TakeLinks(ctx context.Context, u *crawl.CrawlURI, limit int) bool {
	return takeLinks(ctx, u, limit, nil)
}

func takeLinks(ctx context.Context, u *crawl.CrawlURI, limit int, with Archived) bool {
	l := newLinks(u, limit)
	if l == nil {
		return true
	}
	d := u.Doc
	l.rebase(d.Base)
	if d.Kind == markup.JS || d.Kind == markup.JSON || d.Kind == markup.SWF {
		l.ofPage(ctx, with)
	}
	if (d.Kind == markup.HTML || d.Kind == markup.XHTML) && d.CharsetFrom == "meta" {
		u.Annotate("usingCharsetInHTML:" + d.Charset)
	}
	u.Dropped += d.DroppedLinks
	return l.takeAll(ctx, d, func(*markup.Link) bool { return true })
}

// takeAll adds links of a document. It reports whether it came to the end before ctx did.
func (l *links) takeAll(ctx context.Context, d *markup.Doc, is func(*markup.Link) bool) bool {
	charset := ""
	if d.Kind == markup.HTML || d.Kind == markup.XHTML {
		charset = cmp.Or(d.QueryCharset, d.Charset) // other formats write queries in UTF-8
	}
	for i, k := range d.Links {
		if ctx.Err() != nil {
			l.u.Dropped += len(d.Links) - i
			return false
		}
		if !is(&k) {
			continue
		}
		base, also := l.baseOf(&k)
		l.noFollow, l.rel = k.NoFollow, k.Rel
		charset := charset
		if k.UTF8 {
			charset = ""
		}
		kind := kindOf(k.Kind)
		if k.Asked && kind == crawl.LinkSpeculative {
			kind = crawl.LinkEmbed // the page needs it, whatever depth is left (ADR 115)
		}
		l.takeFrom(base, k.URL, charset, k.Hop, kind, k.Context, k.Text)
		if also != nil {
			l.takeFrom(also, k.URL, charset, k.Hop, kind, k.Context, k.Text)
		}
	}
	return true
}

// parse waits for a seat, reads the body and sets u.Doc. The caller works on in the
// context that it returns, and leaves. A body that cannot be decoded to its end gives
// what was read of it; an error is one of our scratch file, or ctx's.
func (c Config) parse(ctx context.Context, u *crawl.CrawlURI, format markup.Kind) (in context.Context, leave func(), err error) {
	in, leave, err = c.Room.enter(ctx, false)
	if err != nil {
		return nil, nil, err
	}
	body, err := u.Rec.Body(min(c.MaxBody, smallBody))
	if int64(len(body)) == smallBody && c.MaxBody > smallBody {
		u.Rec.Forget()
		leave()
		if in, leave, err = c.Room.enter(ctx, true); err != nil {
			return nil, nil, err
		}
		body, err = u.Rec.Body(c.MaxBody)
	}
	defer u.Rec.Forget() // the document looks at nothing of it
	if disk := (*fs.PathError)(nil); errors.As(err, &disk) {
		leave()
		return nil, nil, fmt.Errorf("extract: read %s: %w", u.URL, err)
	}
	if err != nil {
		u.Annotate("coding:broken")
	}
	var files func(string) ([]byte, string)
	if format == markup.HTML {
		files = c.files(in, u.Parsed(), nil, nil, "", nil)
	}
	u.Doc = markup.Parse(format, body, markup.Options{
		DeclaredCharset: u.MIME.Charset,
		URL:             u.URL,
		MaxText:         c.MaxText,
		MaxSource:       c.MaxText,
		MaxLinks:        c.MaxOutlinks,
		KeepSource:      u.Claim.Analyse,
		Scripts:         c.Room.known(),
		Files:           files,
		RobotsToken:     c.Token,
		Stop:            func() bool { return in.Err() != nil },
	})
	if c.SourceMaps && (u.Doc.Kind == markup.JS || u.Doc.Kind == markup.CSS) {
		if ref := sourceMap(body); ref != "" {
			u.Doc.Links = append(u.Doc.Links, markup.Link{URL: ref, Kind: markup.Embed, Hop: crawl.HopEmbed, Context: "sourceMappingURL"})
		}
	}
	return in, leave, nil
}

// sourceMap returns what the comment at the end of a script or a style sheet names (ECMA-426, 11.1.2.1), "" for
// nothing, and for a map that is in it.
func sourceMap(body []byte) string {
	const key = "# sourceMappingURL="
	body = body[max(0, len(body)-markupMaxURL):]
	i := bytes.LastIndex(body, []byte(key))
	if i < 0 {
		return ""
	}
	ref := body[i+len(key):]
	if end := bytes.IndexAny(ref, " \t\r\n*'\""); end >= 0 {
		ref = ref[:end]
	}
	if bytes.HasPrefix(ref, []byte("data:")) {
		return ""
	}
	return string(ref)
}

// markupMaxURL is how far from the end a comment with an address may begin.
const markupMaxURL = 4096

func kindOf(k markup.LinkKind) crawl.LinkKind {
	switch k {
	case markup.Embed:
		return crawl.LinkEmbed
	case markup.Frame:
		return crawl.LinkFrame
	case markup.Speculative:
		return crawl.LinkSpeculative
	}
	return crawl.LinkNav // a meta refresh is followed as a reader would follow a link
}
