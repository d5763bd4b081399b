package extract

import (
	"context"
	"slices"
	"strings"

	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/conf"
	"exclave/internal/markup"
	"exclave/internal/record"
	"exclave/internal/urlx"
)

// HTTPConfig says which links of an answer are taken beside those of its document.
type HTTPConfig struct {
	MaxOutlinks int `toml:"max_outlinks"`
	// Favicon takes /favicon.ico of the server of each page: browsers ask for it where a page
	// names no icon.
	Favicon bool `toml:"favicon"`
	// SourceMaps takes what the field SourceMap names.
	SourceMaps bool `toml:"source_maps"`
}

// DefaultHTTPConfig takes neither, as Heritrix.
func DefaultHTTPConfig() HTTPConfig { return HTTPConfig{MaxOutlinks: DefaultMaxOutlinks} }

// Validate returns every value that cannot be.
func (c HTTPConfig) Validate() (ps conf.Problems) {
	ps.Check(c.MaxOutlinks >= 1, "max_outlinks", "must be at least 1")
	return ps
}

// HTTP takes links from header fields: Location of redirects, Link, Refresh, Content-Location.
type HTTP struct{ cfg HTTPConfig }

// NewHTTP returns the processor "http" of the extract chain.
func NewHTTP(c HTTPConfig) *HTTP { return &HTTP{c} }

// Process implements [chain.Processor].
func (h *HTTP) Process(_ context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	if u.HTTPStatus == 0 || u.IsPrereq() {
		return chain.Idle(), nil
	}
	l := newLinks(u, h.cfg.MaxOutlinks)
	if l == nil {
		return chain.Idle(), nil
	}
	if u.Class == crawl.ClassRedirect {
		l.take(urlx.OfBytes(u.Header("Location")), "", crawl.HopRedirect, crawl.LinkRedirect, "Location:", "")
		return chain.Result{}, nil
	}
	if !success(u) {
		return chain.Idle(), nil
	}
	for _, f := range u.Headers {
		switch {
		case strings.EqualFold(f.Name, "Link"):
			for _, k := range linkField(urlx.OfBytes(f.Value)) {
				l.rel = cut(strings.Join(k.rels, " "), maxFieldRel)
				l.addLinkField(k)
			}
			l.rel = ""
		case strings.EqualFold(f.Name, "Refresh"):
			if ref := markup.RefreshURL([]byte(urlx.OfBytes(f.Value))); len(ref) > 0 {
				l.take(string(ref), "", crawl.HopRedirect, crawl.LinkNav, "Refresh:", "")
			}
		case strings.EqualFold(f.Name, "Content-Location"): // the same under another address, if it is there
			l.take(urlx.OfBytes(f.Value), "", crawl.HopSpeculative, crawl.LinkSpeculative, "Content-Location:", "")
		case h.cfg.SourceMaps && (strings.EqualFold(f.Name, "SourceMap") || strings.EqualFold(f.Name, "X-SourceMap")):
			l.take(f.Value, "", crawl.HopEmbed, crawl.LinkEmbed, "SourceMap:", "")
		}
	}
	if h.cfg.Favicon && u.Class == crawl.ClassHTML {
		l.take("/favicon.ico", "", crawl.HopInferred, crawl.LinkEmbed, "inferred/favicon", "")
	}
	return chain.Result{}, nil
}

func success(u *crawl.CrawlURI) bool { return u.HTTPStatus >= 200 && u.HTTPStatus < 300 }

// fieldLink is one link of a Link field (RFC 8288).
type fieldLink struct {
	ref    string
	rels   []string // lower case
	as     string
	title  string
	anchor bool // it is said of another document
}

// maxFieldLinks bounds the links of one field; servers give a handful. The others bound what is kept of each, as of elements.
const (
	maxFieldLinks = 200
	maxFieldRel   = 64
	maxFieldTitle = 200
)

// cut shortens s to at most n bytes.
func cut(s string, n int) string { return strings.ToValidUTF8(s[:min(len(s), n)], "") }

// linkField reads the value of a Link field. What does not follow the grammar is
// skipped.
func linkField(s string) []fieldLink {
	var out []fieldLink
	for len(out) < maxFieldLinks {
		_, rest, ok := strings.Cut(s, "<")
		if !ok {
			break
		}
		ref, rest, ok := strings.Cut(rest, ">")
		if !ok {
			break
		}
		k := fieldLink{ref: strings.TrimSpace(ref)}
		s = k.params(rest)
		out = append(out, k)
	}
	return out
}

// params reads ";name=value" up to the comma that ends the link and returns what
// follows it.
func (k *fieldLink) params(s string) string {
	for {
		s = strings.TrimLeft(s, " \t")
		if !strings.HasPrefix(s, ";") {
			return s
		}
		n := strings.IndexAny(s[1:], "=;,") + 1
		if n == 0 {
			return ""
		}
		name := strings.ToLower(strings.TrimSpace(s[1:n]))
		if s[n] != '=' {
			s = s[n:]
			continue
		}
		var value string
		value, s = paramValue(strings.TrimLeft(s[n+1:], " \t"))
		switch {
		case name == "rel" && k.rels == nil:
			k.rels = strings.Fields(strings.ToLower(value))
		case name == "as":
			k.as = strings.ToLower(value)
		case name == "title" && k.title == "":
			k.title = cut(value, maxFieldTitle)
		case name == "anchor":
			k.anchor = true
		}
	}
}

func paramValue(s string) (value, rest string) {
	if value, rest, quoted := record.QuotedString(s); quoted {
		return value, rest
	}
	n := strings.IndexAny(s, ";,")
	if n < 0 {
		n = len(s)
	}
	return strings.TrimSpace(s[:n]), s[n:]
}

// embedRels are the relations that a browser acts on. Others lead on: to the next page, to what a page describes (Signposting), to its mementos (RFC 7089).
func embedRels() []string {
	return []string{"stylesheet", "icon", "preload", "modulepreload", "manifest", "prefetch"}
}

// noRels are what nobody reads: where a browser connects to in time, and what is written to.
func noRels() []string {
	return []string{"preconnect", "dns-prefetch", "pingback", "webmention", "hub", "edit", "edit-media", "nofollow", "noopener", "noreferrer"}
}

func (l *links) addLinkField(k fieldLink) {
	for _, rel := range k.rels {
		// The form markup gives to link elements: MIME detection reads it as a hint.
		name := rel
		if strings.Trim(rel, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
			name = "uri" // of one's own (RFC 8288 §2.1.2)
		}
		context := "Link:/@href[rel=" + name + "]"
		if rel == "preload" && (k.as == "style" || k.as == "script" || k.as == "image" || k.as == "font") {
			context = "Link:/@href[rel=preload,as=" + k.as + "]"
		}
		switch {
		case slices.Contains(embedRels(), rel):
			if k.anchor { // of another document
				continue
			}
			l.take(k.ref, "", crawl.HopEmbed, crawl.LinkEmbed, context, k.title)
			return
		case !slices.Contains(noRels(), rel):
			l.take(k.ref, "", crawl.HopLink, crawl.LinkNav, context, k.title)
			return
		}
	}
}
