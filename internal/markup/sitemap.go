package markup

import (
	"bytes"
	"strings"
)

// sitemap reads the elements of a sitemap (sitemaps.org): the address of an entry, and what is said of it.
func (p *markupParser) sitemap(name string) {
	switch name {
	case "url", "sitemap":
		p.x.index, p.x.entry = name == "sitemap", -1
		if p.x.index { // some write the address here, without loc
			p.hold(Nav, "sitemap:index/loc")
			p.x.held.bare = true
		}
	case "loc":
		context := "sitemap:loc"
		if p.x.index {
			context = "sitemap:index/loc"
		}
		p.hold(Nav, context)
	case "lastmod", "priority":
		p.hold(Nav, name)
	}
}

// entry notes what is said of the last entry of a sitemap: it becomes a part of the context of its link.
func (p *markupParser) entry(name string, value []byte) {
	value = bytes.TrimSpace(value)
	bad := bytes.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' || r == '[' || r == ']' || r == ',' })
	if p.x.entry < 0 || p.x.entry >= len(p.b.doc.Links) || len(value) == 0 || len(value) > maxEntry || bad {
		return
	}
	l := &p.b.doc.Links[p.x.entry]
	if context, open := strings.CutSuffix(l.Context, "]"); open {
		l.Context = context + "," + name + "=" + string(value) + "]"
		return
	}
	l.Context += "[" + name + "=" + string(value) + "]"
}

// maxEntry bounds what is said of an entry of a sitemap: a date with time and zone has 25 bytes.
const maxEntry = 40
