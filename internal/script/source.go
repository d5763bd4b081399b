package script

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Source is the page that scripts are in, for what they ask of its elements. Most want to know of a few what their start tags say: these are
// read one by one, and a tree of all is made only for what is around them.
type Source struct {
	URL, Base *url.URL                 // where it is, and what is relative to; nil: not known
	Map       func(name string) string // what is imported by a name, nil: what it says

	Text []byte
	Tags *StartTags // nil: none are known
	// Tag is the element of one by itself: its attributes and, when it can have nothing but text, that. Nil: there is none.
	Tag func(at uint32) *html.Node
	// Tree is the whole page. It tells which element is of which start tag.
	Tree func(element func(at uint32, n *html.Node)) *html.Node
	// File is the script at a whole address, and what Used calls it by; nil: its text is not known.
	File func(address string, module bool) (s *Script, nth int)
	// Answer is what a server said of a whole address, "" = not known. nil: of none.
	Answer func(address string) string
}

// placed is an element and where its start tag begins.
type placed struct {
	at uint32
	n  *html.Node
}

// rootNode is the page's document.
func (p *Page) rootNode() *html.Node {
	d := p.doc
	if d.root != nil {
		return d.root
	}
	d.root = &html.Node{Type: html.DocumentNode}
	if d.source.Tree != nil {
		d.root = d.source.Tree(func(at uint32, n *html.Node) { d.places = append(d.places, placed{at, n}) })
	}
	for _, at := range slices.Sorted(maps.Keys(d.glanced)) {
		p.nodeOf(d.glanced[at])
	}
	return d.root
}

// placeOf is where the start tag of an element begins that was not looked for in the tree; sure is false when that is not known.
func (p *Page) placeOf(v value) (at uint32, found, sure bool) {
	if o, is := one(v).(*object); is && o.class == classElement {
		if l, is := o.host.(*lazy); is {
			p.look(l)
			return l.at, l.placed, l.placed
		}
	}
	return 0, false, false
}

// nodeAt is the element of a start tag in the tree.
func (p *Page) nodeAt(at uint32) *html.Node {
	i, is := slices.BinarySearchFunc(p.doc.places, at, func(e placed, at uint32) int { return cmp.Compare(e.at, at) })
	if !is {
		return nil
	}
	return p.doc.places[i].n
}

// elementAt is the element of a start tag.
func (p *Page) elementAt(at uint32) *object {
	d := p.doc
	if d.root != nil {
		if n := p.nodeAt(at); n != nil {
			return p.wrap(n).(*object)
		}
	}
	if o := d.glanced[at]; o != nil {
		return o
	}
	p.step()
	o, l := p.newObject(classElement), p.mem.lazies.get()
	l.at, l.placed, l.sure = at, true, true
	o.host = l
	if d.root == nil {
		if d.glanced == nil {
			d.glanced = map[uint32]*object{}
		}
		d.glanced[at] = o
	}
	if len(d.defined) > 0 {
		if n := p.glance(o); n != nil && d.defined[n.Data] != nil {
			p.upgrade(o, d.defined[n.Data])
		}
	}
	return o
}

// absent is what an element is that the page does not have: null, but nothing ends where something is asked of it, since what makes it may
// be in a script that nobody read.
type absent string

// none is an element that is not there.
func (p *Page) none() value { return &object{class: classPhantom, host: absent("Element")} }

// present is a value as it is compared.
func present(v value) value {
	if o, is := v.(*object); is {
		if _, is := o.host.(absent); is {
			return null{}
		}
	}
	return v
}

// notThere is the element of a page that has none like it: absent, unless scripts made something of that name.
func (p *Page) notThere(h hint) value {
	if h.key || h.dash || p.doc.source.Tags.Len() == 0 || p.doc.root != nil {
		return p.first(nil, true)
	}
	if p.madeLike(h) {
		return p.first(nil, true)
	}
	return p.none()
}

// madeLike reports that scripts made something of that name.
func (p *Page) madeLike(h hint) bool {
	name := h.text
	if name == "" {
		name = "<" + h.name
	}
	for _, f := range p.found {
		if f.Use == Markup || f.Use == Writes {
			if p.cost(1 + len(f.Text)/256); strings.Contains(f.Text, name) {
				return true
			}
		}
	}
	for _, said := range p.doc.said {
		if p.cost(1); strings.Contains(said, name) {
			return true
		}
	}
	return false
}

// says keeps what scripts give an element by which it may be found.
func (p *Page) says(s string) {
	if len(p.doc.said) < maxItems/4 && len(s) <= maxSelector {
		p.doc.said = append(p.doc.said, s)
	}
}

// glance is an element, of which the name and attributes are right, and text that is all it can have.
func (p *Page) glance(v value) *html.Node {
	o, is := one(v).(*object)
	if !is || o.class != classElement {
		return nil
	}
	l, is := o.host.(*lazy)
	if !is || p.doc.root != nil {
		return p.nodeOf(o)
	}
	p.look(l)
	if !l.placed {
		return p.nodeOf(o)
	}
	if l.alone == nil {
		if l.alone = p.tagAlone(l.at); l.alone == nil {
			return p.nodeOf(o)
		}
	}
	return l.alone
}

// look looks for the start tag of what is lazy.
func (p *Page) look(l *lazy) {
	look := l.look
	if look == nil || p.doc.root != nil {
		return
	}
	l.look = nil
	at, found, sure := look()
	switch {
	case found:
		l.at, l.placed = at, true
	case sure:
		l.find = nil
	}
}

// tagAlone is the element of a start tag, without what is around it.
func (p *Page) tagAlone(at uint32) *html.Node {
	p.cost(2)
	n := p.doc.source.Tag(at)
	if n != nil {
		p.cost(attrWork(n))
		if n.FirstChild != nil {
			p.cost(len(n.FirstChild.Data) / 256)
		}
	}
	return n
}

// elements lists those of the page for which something is so; is may be nil when the hint says all.
func (p *Page) elements(h hint, is func(n *html.Node) bool) []value {
	var out []value
	if p.doc.root != nil || h.none() {
		for _, n := range p.all1(p.rootNode(), func(n *html.Node) bool { return is == nil && n.Data == h.name || is != nil && is(n) }) {
			out = append(out, p.wrap(n))
		}
		return out
	}
	p.tags(h, func(at uint32) bool {
		if is != nil {
			if n := p.tagAlone(at); n == nil || !is(n) {
				return true
			}
		}
		out = append(out, p.elementAt(at))
		return len(out) < maxItems
	})
	if len(out) == 0 && !h.key && !h.dash && p.madeLike(h) {
		p.grow()
		return p.elements(h, is)
	}
	return out
}

// grow makes the tree of the page, with what scripts put into it.
func (p *Page) grow() {
	p.rootNode()
	for _, key := range slices.Sorted(maps.Keys(p.doc.lazies)) {
		if l, is := p.doc.lazies[key].host.(*lazy); is && len(l.do) > 0 {
			p.nodeOf(p.doc.lazies[key])
		}
	}
}

// select1 lists the elements of the page that a selector finds; false: it is not known.
func (p *Page) select1(v value) (found []value, known bool) {
	sel := p.selectorOf(v)
	if sel == nil {
		return nil, false
	}
	var ats []uint32
	if p.doc.root == nil && p.selectTags(sel, &ats) {
		for _, at := range ats {
			found = append(found, p.elementAt(at))
		}
		return found, true
	}
	for _, n := range p.all1(p.rootNode(), func(n *html.Node) bool { return p.matches(sel, n) }) {
		found = append(found, p.wrap(n))
	}
	return found, true
}

// selectTags lists the start tags that a selector finds; false: they do not tell.
func (p *Page) selectTags(sel selector, ats *[]uint32) bool {
	for _, parts := range sel {
		last, tell := parts[len(parts)-1], true
		if last.hint.none() {
			return false
		}
		p.tags(last.hint, func(at uint32) bool {
			if last.hint.more {
				tell = false
				return false
			}
			if n := p.tagAlone(at); n != nil && last.sel.Match(n) {
				tell = len(parts) == 1
				*ats = append(*ats, at)
			}
			return tell && len(*ats) < maxItems
		})
		if !tell {
			return false
		}
	}
	if len(sel) > 1 {
		slices.Sort(*ats)
		*ats = slices.Compact(*ats)
	}
	return true
}

// firstOf looks for the first element, for one that is lazy.
func firstOf(ats []uint32, known bool) (at uint32, found, sure bool) {
	if known && len(ats) > 0 {
		return ats[0], true, true
	}
	return 0, false, known
}
