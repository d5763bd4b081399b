package extract

import (
	"context"
	"strings"

	"exclave/crawl"
	"exclave/internal/markup"
	"exclave/internal/urlx"
)

// DefaultMaxOutlinks is Heritrix's limit of links per page.
const DefaultMaxOutlinks = 6000

// noteUserinfo says that a link had a user name or a password, and is kept without.
const noteUserinfo = "link:credentials"

// meanLink is how many bytes the links of a page may have on average: each may be as
// long as a URL can be, but not all of them. What people write has 50 to 100.
const meanLink = 200

// attrLinks is the attribute under which the processors of extraction leave the links that
// they have found so far for the next one.
const attrLinks = "extract.links"

// found are the links of a URI that extraction has found so far.
type found struct {
	seen        map[linkKey]struct{}
	n, bytes    int
	credentials bool // one had a user name or a password, and that is noted
}

type linkKey struct {
	url, context string
	kind         crawl.LinkKind
	noFollow     bool
}

func (f *found) add(k linkKey) {
	f.seen[k] = struct{}{}
	f.n++
	f.bytes += len(k.url)
}

// foundOf returns what was found of u so far.
func foundOf(u *crawl.CrawlURI) *found {
	if f, ok := u.Attribute(attrLinks).(*found); ok && f.n == len(u.Outlinks) {
		return f
	}
	// The first that looks for links, or another kind of processor has added some.
	f := &found{seen: make(map[linkKey]struct{}, len(u.Outlinks))}
	for _, o := range u.Outlinks {
		f.add(linkKey{o.URL.String(), o.Context, o.Kind, o.NoFollow})
	}
	u.SetAttribute(attrLinks, f)
	return f
}

// links adds resolved, distinct links to a URI, up to a limit.
type links struct {
	u    *crawl.CrawlURI
	base *urlx.URL // of what stands in it
	own  *urlx.URL // its address
	page *urlx.URL // of a script or JSON: the page that asks for it, as far as that is known
	max  int
	// noFollow and rel are those of the link that is taken.
	noFollow bool
	rel      string
	// pageNoFollow says that they are links of another page, which are not to be followed.
	pageNoFollow bool
	*found
}

// newLinks returns nil when the URI has no address that links could be relative to.
func newLinks(u *crawl.CrawlURI, limit int) *links {
	own := u.Parsed()
	if own == nil {
		return nil
	}
	return &links{u: u, base: own, own: own, page: own, max: limit, found: foundOf(u)}
}

// ofPage makes the strings of a script, or of JSON that scripts read, relative to the page that it was found on, as they are for a browser: a
// script of several pages is that of the first. What was redirected, or found on anything else, stands for itself, and so does a worker, which what it
// loads is relative to.
func (l *links) ofPage(ctx context.Context, a Archived) {
	if n := len(l.u.Hops); n == 0 || l.u.Hops[n-1] != crawl.HopEmbed && l.u.Hops[n-1] != crawl.HopSpeculative || l.u.Context == ContextWorker {
		return
	}
	if page, err := urlx.Parse(l.u.Via); err == nil {
		if a != nil && strings.HasPrefix(l.u.Context, "js/") { // of a script, or of one in a page
			page = a.PageOf(ctx, page, l.u.Doc.Kind == markup.JSON) // workers show nothing themselves
		}
		l.page = page
		if a == nil {
			return
		}
		if ref := baseIn(a.Body(ctx, page, maxPage)); ref != "" { // what the page has is relative to its base element
			if base, err := page.Resolve(ref); err == nil {
				l.page = base
			}
		}
	}
}

// baseOf returns what a link of a document is relative to, and what else: a browser asks for a picture that stands before
// the base element twice.
func (l *links) baseOf(k *markup.Link) (base, also *urlx.URL) {
	switch {
	case k.OfPage:
		return l.page, nil
	case k.Base != "":
		if b, err := l.base.Resolve(k.Base); err == nil {
			if l.u.Doc.Kind != markup.XML && !k.Made && readAhead(k.Context) { // XML has xml:base, not a document in it
				return b, l.base // a browser reads ahead in such a document, too
			}
			return b, nil
		}
	case k.Early && l.base != l.own:
		if strings.HasPrefix(k.Context, "img/") {
			return l.own, l.base
		}
		return l.own, nil
	}
	return l.base, nil
}

// readAhead reports what a browser asks for before it knows what is relative to what, in a document that stands in another (srcdoc).
func readAhead(context string) bool {
	return strings.HasPrefix(context, "img/") || context == "script/@src" || context == "link/@href[rel=stylesheet]"
}

// rebase makes the document's base element count, when it is an address.
func (l *links) rebase(ref string) {
	if ref == "" {
		return
	}
	if b, err := l.base.Resolve(ref); err == nil {
		l.base = b
	}
}

// take resolves ref and keeps it. References that no address can be made of are
// left out without a trace: pages are full of them.
func (l *links) take(ref, charset string, hop byte, kind crawl.LinkKind, context, text string) {
	l.takeFrom(l.base, ref, charset, hop, kind, context, text)
}

func (l *links) takeFrom(base *urlx.URL, ref, charset string, hop byte, kind crawl.LinkKind, context, text string) {
	if ref == "" {
		return
	}
	var to *urlx.URL
	var err error
	if charset == "" || charset == "utf-8" {
		to, err = base.Resolve(ref)
	} else {
		to, err = base.ResolveCharset(ref, charset)
	}
	if err != nil {
		return
	}
	if to.Userinfo() != "" {
		// A password that somebody published is none of ours, and must not spread.
		to = to.WithoutUserinfo()
		if !l.credentials {
			l.credentials = true
			l.u.Annotate(noteUserinfo)
		}
	}
	to = to.WithoutFragment()
	s := to.String()
	k := linkKey{s, context, kind, l.noFollow}
	if _, known := l.seen[k]; known {
		return
	}
	if len(l.u.Outlinks) >= l.max || l.bytes+len(s) > l.max*meanLink {
		l.u.Dropped++
		return
	}
	l.add(k)
	l.u.Outlinks = append(l.u.Outlinks, crawl.Outlink{URL: to, Hop: hop, Kind: kind, Context: context, Rel: l.rel, Text: text, NoFollow: l.noFollow, PageNoFollow: l.pageNoFollow})
}
