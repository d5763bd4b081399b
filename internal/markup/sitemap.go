package markup

import (
	"bytes"
	"net/mail"
	"strings"
	"time"
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

// feedItem is an item of RSS or an entry of Atom, in a feed that is read as a sitemap.
type feedItem struct {
	level   int // of its element; 0 = none is open
	from    int // index of its first link
	date    []byte
	changed bool // date is when it was changed, not when it was made
}

// What the text of an element of an item is held as.
const (
	feedChanged = "feed/changed"
	feedMade    = "feed/made"
)

// feedEntry is the context of the links of an item.
const feedEntry = "sitemap:feed"

// feedStart begins an item, before its attributes are read.
func (p *markupParser) feedStart(v vocabulary, local []byte) {
	if !p.b.o.Sitemap || p.x.item.level > 0 {
		return
	}
	switch v {
	case noVocabulary, vocRSS1:
		if string(local) != "item" {
			return
		}
	case vocAtom:
		if string(local) != "entry" {
			return
		}
	default:
		return
	}
	p.x.item = feedItem{level: p.x.level, from: len(p.b.doc.Links)}
}

// feedDate begins to collect the date of an item, and reports whether the element has one.
func (p *markupParser) feedDate(v vocabulary, name string) bool {
	if p.x.item.level == 0 || p.x.level != p.x.item.level+1 { // those of an atom:source are the other feed's
		return false
	}
	switch v {
	case noVocabulary, vocRSS1, vocAtom, vocDublinCore:
	default:
		return false
	}
	switch name {
	case "updated", "modified": // Atom, Atom 0.3 and DCMI terms
		p.hold(Nav, feedChanged)
	case "pubdate", "published", "issued", "date", "created": // RSS 2.0, Atom, Atom 0.3, Dublin Core
		p.hold(Nav, feedMade)
	default:
		return false
	}
	return true
}

// noteDate notes a date of the open item. When it was changed goes before when it was made, as lastmod means it.
func (p *markupParser) noteDate(changed bool, text []byte) {
	if it := &p.x.item; it.date == nil || changed && !it.changed {
		it.date, it.changed = dateOf(text), changed
	}
}

// feedEnd gives the links to the item that ends the context of an entry of a sitemap, with its date.
func (p *markupParser) feedEnd() {
	it := &p.x.item
	for i := it.from; i < len(p.b.doc.Links); i++ {
		l := &p.b.doc.Links[i]
		switch l.Context {
		case "rss:link", rssGUID, "item/@rdf:about", "atom:link/@href[rel=alternate]":
			l.Hop, l.Context, p.x.entry = 'M', feedEntry, i
			p.entry("lastmod", it.date)
		}
	}
	p.x.item, p.x.entry = feedItem{}, -1
}

// dateOf writes the date of an e-mail (RFC 5322), which RSS has, as sitemaps do (W3C's note on dates and times). Of one with a zone
// that has no known offset, or in another form that begins with a day, the day is taken; whatever else there is stays as it is.
func dateOf(text []byte) []byte {
	text = bytes.TrimSpace(text)
	if t, err := mail.ParseDate(string(text)); err == nil {
		layout := time.RFC3339
		switch zone, offset := t.Zone(); {
		case offset != 0:
		case zone == "", zone == "UTC", zone == "GMT", zone == "UT", zone == "Z":
			t = t.UTC()
		default:
			layout = time.DateOnly
		}
		return []byte(t.Format(layout))
	}
	if day := text[:min(len(text), len(time.DateOnly))]; bytes.IndexByte(text, ' ') > 0 {
		if _, err := time.Parse(time.DateOnly, string(day)); err == nil {
			return day
		}
	}
	return bytes.Clone(text)
}
