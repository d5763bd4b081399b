package analyzer

import (
	"html"
	"iter"
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"

	"exclave/internal/markup"
	"exclave/internal/urlx"
	"exclave/langid"
)

// Page is everything a searcher may see of a document. Texts are UTF-8; bytes
// that are not are tolerated. A searcher must not change a Page.
type Page struct {
	URL  string     // as fetched
	Host string     // of URL, in ACE form
	Addr netip.Addr // the host's address; the zero Addr = unknown
	Via  string     // the page that linked here; empty = none known
	Type string     // sniffed MIME type without parameters: text/html

	Title    string
	Text     string // visible text: no tags, scripts or styles
	Source   string // the document, decoded
	Langs    []Lang
	Outlinks []Outlink

	// Charset is the one that the document was decoded by, by its WHATWG name: windows-1250.
	Charset     string
	CharsetFrom string // what told it: bom, http, meta, xml, css, detected, default

	// HostJudged is how many other pages of the host were judged so far, HostValid how many of
	// these were valid, by profile in the order of Analyzer.Profiles. They are the caller's to
	// fill when Analyzer.WantsHost.
	HostJudged int
	HostValid  []int

	// Whois are the lines of the WHOIS answer about the domain of Host that name a country, "key: value" in lower case; none when
	// it is not known. They are the caller's to fill when Analyzer.WantsWhois.
	Whois []string

	words      *pageWords   // of Title and Text, once somebody asked for them
	identified *langid.Text // what they are in, likewise
	lists      []onList     // which of them are on lists
	firsts     []firstOf    // what was looked for in Source
	pool       *wordPool    // where words are from; nil = they are the page's own
}

// NewPage makes a Page of a parsed document; u is where it is from, nil when that is not
// known, mimeType its sniffed type. Parse with Options.KeepSource, or e-mail addresses that
// stand in attributes only are not seen. Addr, Via and Outlinks are the
// caller's to fill.
func NewPage(u *urlx.URL, mimeType string, d *markup.Doc) *Page {
	p := &Page{Type: mimeType, Title: d.Title, Text: d.Text, Source: d.Source, Charset: d.Charset, CharsetFrom: d.CharsetFrom}
	if u != nil {
		p.URL, p.Host = u.String(), u.Hostname()
	}
	for _, l := range d.Langs {
		p.Langs = append(p.Langs, Lang{Value: l.Value, Where: l.Element + "@" + l.Attr})
	}
	return p
}

// Lang is one declaration of a document's language.
type Lang struct {
	Value string // as written: cs, cs-CZ
	Where string // the element and attribute: html@lang, meta@content-language
}

// Outlink is one link found on a page; repeats are kept.
type Outlink struct {
	URL  string     // absolute
	Host string     // in ACE form; empty when URL has none
	Addr netip.Addr // of the host, when it is already known; the zero Addr = unknown
	To   *urlx.URL  // URL, parsed; nil = searchers that need it parse it themselves
}

// bounded returns a copy of p with Text and Source cut to their first n bytes, at the
// start of a character, and nothing kept of an earlier look at p.
func (p *Page) bounded(n int) *Page {
	b := *p
	b.Text, b.Source = cut(p.Text, n), cut(p.Source, n)
	b.words, b.identified, b.lists, b.firsts, b.pool = nil, nil, nil, nil, nil
	return &b
}

// cut returns at most the first n bytes of s and never splits a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range utf8.UTFMax {
		if n-i >= 0 && utf8.RuneStart(s[n-i]) {
			return s[:n-i]
		}
	}
	return s[:n]
}

// maxLink bounds the part of a mailto: or tel: link that is read.
const maxLink = 512

// firstOf is where something that was looked for in Source begins; -1 = nowhere.
type firstOf struct {
	what string
	at   int
}

// from returns Source from the first place on where it holds what, which is looked for once for all
// searchers; "" when it does not. rare is the index of a byte of what that documents seldom have.
func (p *Page) from(what string, rare int) string {
	for _, f := range p.firsts {
		if f.what == what {
			return p.Source[min(uint(f.at), uint(len(p.Source))):]
		}
	}
	if p.firsts == nil {
		p.firsts = make([]firstOf, 0, 16)
	}
	at := indexBy(p.Source, what, rare)
	p.firsts = append(p.firsts, firstOf{what, at})
	return p.Source[min(uint(at), uint(len(p.Source))):]
}

// indexBy is strings.Index that looks for one byte of what, which is fast while that is rare; when it
// is not, the rest is left to strings.Index.
func indexBy(s, what string, rare int) int {
	hits := 0
	for from := rare; from < len(s); {
		i := strings.IndexByte(s[from:], what[rare])
		if i < 0 {
			return -1
		}
		from += i + 1
		at := from - 1 - rare
		if strings.HasPrefix(s[at:], what) {
			return at
		}
		if hits++; hits > 32+at/16 {
			if i = strings.Index(s[at:], what); i < 0 {
				return -1
			}
			return at + i
		}
	}
	return -1
}

// quoteBefore returns the quote directly before the last n bytes of Source, blanks apart, with what else
// ends an attribute that was never closed; "" when there is none.
func (p *Page) quoteBefore(n int) string {
	s := p.Source[:len(p.Source)-n]
	for range 2 {
		s = strings.TrimSuffix(s, " ")
	}
	switch {
	case strings.HasSuffix(s, `"`):
		return "\"<>\n"
	case strings.HasSuffix(s, "'"):
		return "'<>\n"
	}
	return ""
}

// schemed yields what follows scheme ("mailto:"), whose byte number rare is one that documents seldom have, in the
// source, up to the end of
// the attribute, character references and percent-encoding decoded where that can be done. Documents write these
// schemes in lower case; they are no links to be fetched, so they are not among
// the Outlinks.
func (p *Page) schemed(scheme string, rare int) iter.Seq[string] {
	return func(yield func(string) bool) {
		source := p.from(scheme, rare)
		for i := indexBy(source, scheme, rare); i >= 0; i = indexBy(source, scheme, rare) {
			rest := source[i+len(scheme):]
			link := cut(rest, maxLink)
			ends := "\"'<> \n"
			if quote := p.quoteBefore(len(source) - i); quote != "" {
				ends = quote // an attribute in quotes may have blanks
			}
			if i := strings.IndexAny(link, ends); i >= 0 {
				link = link[:i]
			}
			source = rest[len(link):] // each byte is read once
			if strings.Contains(link, "&") {
				link = html.UnescapeString(link)
			}
			if plain, err := url.PathUnescape(link); err == nil {
				link = plain
			}
			if !yield(link) {
				return
			}
		}
	}
}
