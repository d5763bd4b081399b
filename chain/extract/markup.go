package extract

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/markup"
)

// Config bounds what is read of one document.
type Config struct {
	MaxBody     int64 `toml:"max_body"`     // bytes of the decoded body that are read
	MaxText     int   `toml:"max_text"`     // bytes of clean text, and of source, that are kept
	MaxOutlinks int   `toml:"max_outlinks"` // links per page, as in Heritrix
}

// DefaultConfig returns 10 MB of body, 1 MiB of text and 6,000 links.
func DefaultConfig() Config {
	return Config{MaxBody: 10e6, MaxText: 1 << 20, MaxOutlinks: DefaultMaxOutlinks}
}

// Validate returns every value that cannot be, as "key: what".
func (c Config) Validate() []error {
	var errs []error
	if c.MaxBody < 1 || c.MaxBody > 1<<30 {
		errs = append(errs, fmt.Errorf("max_body: %d is not between 1 and %d bytes", c.MaxBody, 1<<30))
	}
	if c.MaxText < 1 || c.MaxText > 1<<28 {
		errs = append(errs, fmt.Errorf("max_text: %d is not between 1 and %d bytes", c.MaxText, 1<<28))
	}
	if c.MaxOutlinks < 1 || c.MaxOutlinks > 1e6 {
		errs = append(errs, fmt.Errorf("max_outlinks: %d is not between 1 and 1000000", c.MaxOutlinks))
	}
	return errs
}

// Markup takes the links of documents of its formats.
type Markup struct {
	cfg     Config
	formats []markup.Kind
}

// NewMarkup returns a processor for documents of the formats.
func NewMarkup(cfg Config, formats ...markup.Kind) *Markup { return &Markup{cfg, formats} }

// Process implements [chain.Processor].
func (m *Markup) Process(_ context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	if u.Doc != nil || !success(u) || u.IsPrereq() || u.Rec == nil ||
		!slices.Contains(m.formats, markup.KindOf(u.MIME.Type)) {
		return chain.Result{}, nil
	}
	if err := m.cfg.parse(u); err != nil {
		return chain.Result{}, err
	}
	TakeLinks(u, m.cfg.MaxOutlinks)
	return chain.Result{}, nil
}

// TakeLinks adds the links of u.Doc, resolved and distinct, to u.Outlinks, until
// there are limit of them.
func TakeLinks(u *crawl.CrawlURI, limit int) {
	l := newLinks(u, limit)
	if l == nil {
		return
	}
	d := u.Doc
	l.rebase(d.Base)
	charset := ""
	if d.Kind == markup.HTML || d.Kind == markup.XHTML {
		charset = d.Charset // other formats write queries in UTF-8
		if d.CharsetFrom == "meta" {
			u.Annotate("usingCharsetInHTML:" + d.Charset)
		}
	}
	for _, k := range d.Links {
		l.add(k.URL, charset, k.Hop, kindOf(k.Kind), k.Context, k.Text)
	}
	u.Dropped += d.DroppedLinks
}

// parse reads the body and sets u.Doc. A body that cannot be decoded to its end
// gives what was read of it; an error is one of our scratch file.
func (c Config) parse(u *crawl.CrawlURI) error {
	body, err := u.Rec.Body(c.MaxBody)
	if disk := (*fs.PathError)(nil); errors.As(err, &disk) {
		return fmt.Errorf("extract: read %s: %w", u.URL, err)
	}
	if err != nil {
		u.Annotate("coding:broken")
	}
	u.Doc = markup.Parse(markup.KindOf(u.MIME.Type), body, markup.Options{
		DeclaredCharset: u.MIME.Charset,
		MaxText:         c.MaxText,
		MaxSource:       c.MaxText,
		MaxLinks:        c.MaxOutlinks,
		KeepSource:      u.Claim.Analyse,
	})
	return nil
}

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
