package extract

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"

	"exclave/crawl"
	"exclave/internal/markup"
	"exclave/internal/urlx"
)

// Archived has the bodies of what was archived, so that what belongs together can be read together (ADR 114).
type Archived interface {
	// Body returns the body of an answer 200 that is archived of an address, without content codings, and the charset that the server said; nil: there
	// is none, it cannot be read, or it is longer than most bytes. It is not to be changed.
	Body(ctx context.Context, u *urlx.URL, most int64) (body []byte, charset string)
	// PageOf returns the page that led to an address over scripts: the address itself when it is that of one, or it is not known what it is. Unless it is to be
	// found over workers, too, a worker stands for itself.
	PageOf(ctx context.Context, u *urlx.URL, overWorkers bool) *urlx.URL
}

// Bounds of what is read together.
const (
	maxPage      = 256 << 10 // bytes of a page that is read again
	maxFile      = 128 << 10 // of a script
	maxFiles     = 32        // scripts of a page
	maxFileBytes = 512 << 10
)

// files gives a page the texts that are archived of its scripts and of what they ask for, and that of own, which is to be. asked is told when it is asked for that.
func (c Config) files(ctx context.Context, page, own *urlx.URL, text []byte, charset string, asked *bool) func(ref string) ([]byte, string) {
	archived := c.Room.archived()
	if archived == nil || page == nil {
		return nil
	}
	n, room := 0, maxFileBytes
	return func(ref string) ([]byte, string) {
		to, err := page.Resolve(ref)
		if err != nil {
			return nil, ""
		}
		if own != nil && to.WithoutFragment().String() == own.String() {
			*asked = true
			return text, charset
		}
		if n == maxFiles {
			return nil, ""
		}
		body, charset := archived.Body(ctx, to, int64(min(maxFile, room)))
		if body == nil {
			return nil, ""
		}
		n++
		room -= len(body)
		return body, charset
	}
}

// ContextWorker is that of scripts that are started as workers (internal/markup).
const ContextWorker = "js/worker"

// contextFetch is that of links whose answers scripts read.
const contextFetch = "js/fetch"

// pageOf is the page that a document is read with: the one that led to a script that puts addresses together, or to what its scripts may read the answer of, itself or over
// its scripts (ADR 115). nil: it is read alone.
func pageOf(ctx context.Context, a Archived, u *crawl.CrawlURI) *urlx.URL {
	if len(u.Hops) == 0 {
		return nil
	}
	hop := u.Hops[len(u.Hops)-1]
	switch {
	case hop != crawl.HopEmbed && hop != crawl.HopSpeculative:
		return nil
	case u.Doc.Kind == markup.JS && (u.Doc.Makes || strings.HasPrefix(u.Context, "js/")): // what a script loads is one of few, and has what others need
	case u.Doc.Kind == markup.JS && onlyCalls(u):
	case u.Doc.Kind == markup.JSON, u.Doc.Kind == markup.XML && hop == crawl.HopSpeculative, u.Context == contextFetch:
	case hop == crawl.HopSpeculative && strings.Contains(u.Context, "/@"): // an attribute that only scripts read
	default:
		return nil
	}
	at, err := urlx.Parse(u.Via)
	if err != nil {
		return nil
	}
	return a.PageOf(ctx, at, true)
}

// dataCall is how a script begins that gives data to a function of the page (JSONP), behind its comments.
var dataCall = regexp.MustCompile(`^(?:\s|/\*[^*]*\*/|//[^\n]*\n)*[A-Za-z_$][\w$.]*\s*\(\s*[{\[]`)

// onlyCalls reports a script that does nothing but call a function with data.
func onlyCalls(u *crawl.CrawlURI) bool {
	text, err := u.Rec.Body(maxFile)
	defer u.Rec.Forget()
	return err == nil && dataCall.Match(text) && !bytes.Contains(text, []byte("function"))
}

// baseIn is the address in the base element of a page; "": it has none.
func baseIn(page []byte, _ string) string {
	for at := 0; at < len(page); {
		i := bytes.IndexByte(page[at:], '<')
		if i < 0 {
			return ""
		}
		at += i
		tag := page[at:min(len(page), at+len("<base "))]
		switch {
		case bytes.HasPrefix(tag, []byte("<!--")):
			end := bytes.Index(page[at:], []byte("-->"))
			if end < 0 {
				return ""
			}
			at += end
		case len(tag) == len("<base ") && bytes.EqualFold(tag[:len("<base")], []byte("<base")) && tag[len("<base")] <= ' ':
			return markup.Parse(markup.HTML, page[at:min(len(page), at+maxBase)], markup.Options{MaxText: 1, MaxLinks: 1}).Base
		case bytes.EqualFold(tag[:min(len(tag), len("<body"))], []byte("<body")):
			return "" // a base element behind that is none of a page that people wrote
		}
		at++
	}
	return ""
}

// maxBase is how long the start tag of a base element may be.
const maxBase = 2 << 10

// withPage reads a document once more in the page that led to it, when that is archived: what scripts ask for in it are links of the document, too, and
// what they show to be a part of an address is no guess. It returns that page; nil: there is none.
func (c Config) withPage(ctx context.Context, u *crawl.CrawlURI) (d *markup.Doc, at *urlx.URL) {
	archived, own := c.Room.archived(), u.Parsed()
	if archived == nil || own == nil {
		return nil, nil
	}
	if at = pageOf(ctx, archived, u); at == nil {
		return nil, nil
	}
	text, err := u.Rec.Body(maxFile + 1)
	defer u.Rec.Forget()
	if err != nil || len(text) > maxFile {
		return nil, nil
	}
	page, charset := archived.Body(ctx, at, maxPage)
	if page == nil {
		return nil, nil
	}
	asked := false
	d = markup.Parse(markup.HTML, page, markup.Options{DeclaredCharset: charset, URL: at.String(), MaxText: 1, MaxLinks: c.MaxOutlinks, Scripts: c.Room.known(), RobotsToken: c.Token,
		Files: c.files(ctx, at, own, text, u.MIME.Charset, &asked), Stop: func() bool { return ctx.Err() != nil }})
	if !asked {
		return nil, nil // the page knows nothing of it
	}
	for ref, parts := range d.Parts {
		if to, err := at.Resolve(ref); err == nil && to.WithoutFragment().String() == own.String() {
			u.Doc.Links = slices.DeleteFunc(u.Doc.Links, func(k markup.Link) bool {
				return k.Kind == markup.Speculative && strings.HasPrefix(k.Context, "js/") && k.OfPage && slices.Contains(parts, k.URL)
			})
		}
	}
	return d, at
}

// takeMade adds what scripts ask for in a page to the links of one of them.
func takeMade(ctx context.Context, u *crawl.CrawlURI, limit int, d *markup.Doc, at *urlx.URL) {
	l := newLinks(u, limit)
	l.base, l.own = at, at
	l.rebase(d.Base)
	l.pageNoFollow = d.Robots.NoFollow
	l.takeAll(ctx, d, func(k *markup.Link) bool { return k.Made })
}
