package extract

import (
	"slices"

	"exclave/crawl"
	"exclave/internal/urlx"
)

// DefaultMaxOutlinks is Heritrix's limit of links per page.
const DefaultMaxOutlinks = 6000

// noteUserinfo says that a link had a user name or a password, and is kept without.
const noteUserinfo = "link:credentials"

// meanLink is how many bytes the links of a page may have on average: each may be as
// long as a URL can be, but not all of them. What people write has 50 to 100.
const meanLink = 200

// links adds resolved, distinct links to a URI, up to a limit.
type links struct {
	u    *crawl.CrawlURI
	base *urlx.URL
	max  int
	room int // bytes that further links may have
	seen map[linkKey]struct{}
}

type linkKey struct {
	url, context string
	kind         crawl.LinkKind
}

// newLinks returns nil when the URI has no address that links could be relative to.
func newLinks(u *crawl.CrawlURI, limit int) *links {
	base := u.Parsed()
	if base == nil {
		return nil
	}
	l := &links{u: u, base: base, max: limit, room: limit * meanLink, seen: make(map[linkKey]struct{}, len(u.Outlinks))}
	for _, o := range u.Outlinks {
		l.room -= len(o.URL.String())
		l.seen[linkKey{o.URL.String(), o.Context, o.Kind}] = struct{}{}
	}
	return l
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

// add resolves ref and keeps it. References that no address can be made of are
// left out without a trace: pages are full of them.
func (l *links) add(ref, charset string, hop byte, kind crawl.LinkKind, context, text string) {
	if ref == "" {
		return
	}
	var to *urlx.URL
	var err error
	if charset == "" || charset == "utf-8" {
		to, err = l.base.Resolve(ref)
	} else {
		to, err = l.base.ResolveCharset(ref, charset)
	}
	if err != nil {
		return
	}
	if to.Userinfo() != "" {
		// A password that somebody published is none of ours, and must not spread.
		to = to.WithoutUserinfo()
		if !slices.Contains(l.u.Annotations, noteUserinfo) {
			l.u.Annotate(noteUserinfo)
		}
	}
	to = to.WithoutFragment()
	s := to.String()
	k := linkKey{s, context, kind}
	if _, known := l.seen[k]; known {
		return
	}
	if len(l.u.Outlinks) >= l.max || len(s) > l.room {
		l.u.Dropped++
		return
	}
	l.room -= len(s)
	l.seen[k] = struct{}{}
	l.u.Outlinks = append(l.u.Outlinks, crawl.Outlink{URL: to, Hop: hop, Kind: kind, Context: context, Text: text})
}
