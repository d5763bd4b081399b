package extract

import (
	"context"
	"slices"

	"exclave/crawl"
	"exclave/internal/markup"
	"exclave/internal/urlx"
)

// Archived has the bodies of what was archived, so that what belongs together can be read together (ADR 114).
type Archived interface {
	// Body returns the beginning of the body that is archived of an address, without content codings, and the charset that the server said; nil: there
	// is none, or it cannot be read. It is not to be changed.
	Body(ctx context.Context, u *urlx.URL, most int64) (body []byte, charset string)
	// PageOf returns the page that led to an address over scripts: the address itself when it is a page's, or it is not known what it is.
	PageOf(ctx context.Context, u *urlx.URL) *urlx.URL
}

// Bounds of what is read together.
const (
	maxPage      = 1 << 20  // bytes of a page that is read again
	maxFile      = 64 << 10 // of a script
	maxFiles     = 32       // scripts of a page
	maxFileBytes = 256 << 10
)

// files gives a page the texts of its scripts that are archived, and that of own, which is to be.
func (c Config) files(ctx context.Context, page, own *urlx.URL, text []byte) func(ref string) []byte {
	archived := c.Room.archived()
	if archived == nil || page == nil {
		return nil
	}
	n, room := 0, maxFileBytes
	return func(ref string) []byte {
		to, err := page.Resolve(ref)
		if err != nil || n == maxFiles {
			return nil
		}
		n++
		if own != nil && to.WithoutFragment().String() == own.String() {
			return text
		}
		body, _ := archived.Body(ctx, to, maxFile+1)
		if len(body) > min(maxFile, room) {
			return nil
		}
		room -= len(body)
		return body
	}
}

// withPage reads a script once more in the page that led to it, when that is archived: what is found then, and is not without it, is a link of the
// script.
func (c Config) withPage(ctx context.Context, u *crawl.CrawlURI) {
	archived, own := c.Room.archived(), u.Parsed()
	if archived == nil || own == nil || len(u.Hops) == 0 || u.Hops[len(u.Hops)-1] != crawl.HopEmbed || u.Context != "script/@src" {
		return
	}
	text, err := u.Rec.Body(maxFile + 1)
	defer u.Rec.Forget()
	if err != nil || len(text) > maxFile {
		return
	}
	at, err := urlx.Parse(u.Via)
	if err != nil {
		return
	}
	page, charset := archived.Body(ctx, at, maxPage)
	if page == nil {
		return
	}
	read := func(text []byte) *markup.Doc {
		return markup.Parse(markup.HTML, page, markup.Options{DeclaredCharset: charset, URL: at.String(), MaxText: 1, MaxLinks: c.MaxOutlinks, Scripts: c.Room.known(),
			Files: c.files(ctx, at, own, text), Stop: func() bool { return ctx.Err() != nil }})
	}
	type link struct {
		url, base string
		kind      markup.LinkKind
	}
	known := map[link]struct{}{}
	for _, k := range read(nil).Links {
		known[link{k.URL, k.Base, k.Kind}] = struct{}{}
	}
	d := read(text)
	for ref, parts := range d.Parts {
		if to, err := at.Resolve(ref); err == nil && to.WithoutFragment().String() == own.String() {
			dropParts(u, at, parts)
		}
	}
	l := newLinks(u, c.MaxOutlinks)
	l.base, l.own = at, at
	l.rebase(d.Base)
	for _, k := range d.Links {
		if _, is := known[link{k.URL, k.Base, k.Kind}]; is {
			continue
		}
		base, _ := l.baseOf(&k)
		l.takeFrom(base, k.URL, "", k.Hop, kindOf(k.Kind), k.Context, k.Text)
	}
}

// dropParts takes away guesses of a script that its page shows to be parts of links.
func dropParts(u *crawl.CrawlURI, page *urlx.URL, parts []string) {
	none := map[string]struct{}{}
	for _, s := range parts {
		if to, err := page.Resolve(s); err == nil {
			none[to.WithoutFragment().String()] = struct{}{}
		}
	}
	u.Outlinks = slices.DeleteFunc(u.Outlinks, func(o crawl.Outlink) bool {
		_, is := none[o.URL.String()]
		return is && o.Kind == crawl.LinkSpeculative && o.Context == "js/string"
	})
}
