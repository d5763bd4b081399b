package markup

import (
	"bytes"
	"strings"
)

// linkElement decides by rel, as browsers do; an element without rel is one of microdata, or ignored.
func (p *markupParser) linkElement() {
	href := p.get("href")
	if !p.has("rel") {
		p.microdata(href)
		return
	}
	context, kind := "", Nav
	for _, f := range bytes.FieldsFunc(p.get("rel"), isHTMLSpace) {
		c, k, ok := relation(strings.ToLower(string(f)))
		if !ok {
			continue
		}
		if context == "" || k == Embed && kind != Embed || c == relContext("stylesheet") {
			context, kind = c, k
		}
	}
	if context == "" || len(href) == 0 {
		return
	}
	switch context {
	case relContext("stylesheet"):
		if sheet, is := dataURL(href, "text/css"); is {
			p.b.css(sheet)
			return
		}
	case relContext("preload"), relContext("prefetch"):
		switch as := strings.ToLower(string(p.get("as"))); as {
		case "style", "script", "image", "font":
			context = strings.TrimSuffix(context, "]") + ",as=" + as + "]"
		}
	}
	p.withTitle(p.related(p.b.add(href, kind, context)))
}

// related notes the relation of a link as its element says it.
func (p *markupParser) related(l *Link) *Link {
	rel := p.get("rel")
	if l == nil || len(rel) == 0 {
		return l
	}
	known, is := p.b.rels[string(rel)]
	if !is {
		if known = collapse(rel, maxRel); p.b.rels == nil {
			p.b.rels = map[string]string{}
		}
		p.b.rels[string(rel)] = known
	}
	l.Rel = known
	return l
}

// withTitle takes the title of an element that has no text for that of its link.
func (p *markupParser) withTitle(l *Link) {
	if l != nil {
		l.Text = collapse(p.get("title"), maxLinkText)
	}
}

// microdata takes the addresses among the properties of an item (HTML standard 5.2.3).
func (p *markupParser) microdata(href []byte) {
	for f := range bytes.FieldsFuncSeq(p.get("itemprop"), isHTMLSpace) {
		name, kind := strings.ToLower(string(f)), Speculative
		switch name {
		case "url":
			kind = Nav
		case "thumbnailurl", "embedurl", "contenturl", "image", "sameas":
		default:
			continue
		}
		p.b.add(href, kind, "link/@href[itemprop="+name+"]")
		return
	}
}

func relContext(rel string) string { return "link/@href[rel=" + rel + "]" }

// relation classifies one link type (HTML standard, 4.6.7, and the microformats
// registry): fetched to display the page, offered to the reader, or neither.
func relation(rel string) (context string, kind LinkKind, follow bool) {
	switch rel {
	case "stylesheet", "icon", "preload", "modulepreload", "manifest", "prefetch":
		return relContext(rel), Embed, true
	case "apple-touch-icon", "apple-touch-icon-precomposed", "apple-touch-startup-image", "mask-icon", "fluid-icon", "image_src":
		return relContext(rel), Embed, true
	case "alternate", "canonical", "next", "prev", "amphtml", "shortlink", "author", "help", "license", "search",
		"first", "last", "up", "start", "contents", "index", "archives", "prerender":
		return relContext(rel), Nav, true
	case "edituri", "wlwmanifest", "https://api.w.org/": // for programs that write a weblog
		return relContext(rel), Speculative, true
	case "dns-prefetch", "preconnect", "pingback", "profile", "shortcut", "nofollow", "noopener", "noreferrer", "external":
		return "", Nav, false
	}
	if refersToAs(rel) {
		return "link/@href", Nav, true
	}
	if strings.ContainsAny(rel, ":.") {
		// Metadata vocabularies (schema.dc, dcterms.subject): names, not pages.
		return "", Nav, false
	}
	return "link/@href", Nav, true
}
