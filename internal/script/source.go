package script

import (
	"bytes"
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
	Tags []uint32               // where in it start tags begin, in order
	ID   func(name string) bool // false: no start tag has it as its id
	// Tag is the element of one by itself: its attributes and, when it can have nothing but text, that. Nil: there is none.
	Tag func(at uint32) *html.Node
	// Tree is the whole page. It tells which element is of which start tag.
	Tree func(element func(at uint32, n *html.Node)) *html.Node
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
	o := &object{class: classElement, host: &lazy{at: at, placed: true, sure: true}}
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
	if h.key || h.dash || len(p.doc.source.Tags) == 0 || p.doc.root != nil {
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

// hint is what must stand in the start tags of elements that are looked for.
type hint struct {
	name string // of the element, in lower case
	text string
	key  bool // text is the name of an attribute, in lower case
	more bool // a start tag is not enough to tell
	dash bool // in the name of the element, as of those that scripts define
}

// none reports that any start tag may be of them.
func (h hint) none() bool { return h.name == "" && h.text == "" && !h.dash }

// hintFor is for elements that have a value in an attribute.
func hintFor(val string) hint {
	if simple(val) {
		return hint{text: val}
	}
	return hint{}
}

// hintOf reads a part of a selector that says something of one element.
func hintOf(part string) hint {
	if strings.IndexByte(part, '\\') >= 0 {
		return hint{}
	}
	i := nameEnd(part)
	h := hint{name: strings.ToLower(part[:i])}
	better := func(text string, key bool) {
		if simple(text) && (h.text == "" || h.key && !key || h.key == key && len(text) > len(h.text)) {
			h.text, h.key = text, key
		}
	}
	for i < len(part) {
		c := part[i]
		i++
		switch c {
		case '*':
		case '#', '.':
			n := nameEnd(part[i:])
			better(part[i:i+n], false)
			i += n
		case '[':
			end := strings.IndexByte(part[i:], ']')
			if end < 0 {
				return hint{}
			}
			inner := strings.TrimSpace(part[i : i+end])
			i += end + 1
			n := nameEnd(inner)
			op, val, set := strings.Cut(inner[n:], "=")
			if op = strings.TrimSpace(op); op == "!" || strings.ContainsAny(inner[n:], "[(") {
				return hint{}
			}
			better(strings.ToLower(inner[:n]), true)
			val = strings.TrimSpace(val)
			if set && len(val) > 1 && (val[0] == '"' || val[0] == '\'') && val[len(val)-1] == val[0] {
				val = val[1 : len(val)-1]
				better(val, false)
			}
		default: // what else there is, a start tag does not say
			h.more = true
			return h
		}
	}
	return h
}

// nameEnd is where a name in a selector ends.
func nameEnd(s string) int {
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z' || s[i] == '-' || s[i] == '_') {
		i++
	}
	return i
}

// simple reports a text that pages write as it is.
func simple(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`&<>"'`, r) })
}

// tags calls do for where the start tags begin that may be of elements which are looked for, until it returns false.
func (p *Page) tags(h hint, do func(at uint32) bool) {
	src, all := p.doc.source.Text, p.doc.source.Tags
	if h.text == "" {
		p.cost(len(all) / 64)
		for _, at := range all {
			if (h.dash && tagDashed(src[at:]) || !h.dash && tagNamed(src[at:], h.name)) && !do(at) {
				return
			}
		}
		return
	}
	p.cost(len(src) / 1024)
	f := newFinder(src, h.text, h.key)
	for pos, i := 0, 0; ; {
		if pos = f.next(pos); pos < 0 {
			return
		}
		next, _ := slices.BinarySearch(all[i:], uint32(pos))
		if i += next; i > 0 {
			p.cost(1)
			if at := all[i-1]; (h.name == "" || tagNamed(src[at:], h.name)) && !do(at) {
				return
			}
		}
		if i == len(all) {
			return
		}
		pos = int(all[i])
	}
}

// tagNamed reports a start tag of an element.
func tagNamed(tag []byte, name string) bool {
	if len(tag) < len(name)+2 {
		return false
	}
	for i := range len(name) {
		c := tag[i+1]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != name[i] {
			return false
		}
	}
	c := tag[len(name)+1]
	return c <= ' ' || c == '>' || c == '/'
}

// tagDashed reports a start tag of an element that scripts may define.
func tagDashed(tag []byte) bool {
	for _, c := range tag {
		switch {
		case c == '-':
			return true
		case c <= ' ', c == '>', c == '/':
			return false
		}
	}
	return false
}

// finder finds a text by the letter of it that pages have least.
type finder struct {
	src, text    []byte
	key          bool // it is the name of an attribute, in any case
	nth          int  // of the letter
	lower, upper int  // where that stands next
}

func newFinder(src []byte, text string, key bool) *finder {
	f := &finder{src: src, text: []byte(text), key: key, lower: -1, upper: -1}
	best := len(seldom)
	for i, c := range f.text {
		if n := strings.IndexByte(seldom, c); n < best {
			f.nth, best = i, n // n is -1 for what is rarer than these
		}
	}
	return f
}

// seldom are letters of pages, the rarer the earlier.
const seldom = "qzjxkvwybgf_mu0123456789pdhclonr-siate"

// next is where it stands from a place on, -1 when nowhere.
func (f *finder) next(from int) int {
	from += f.nth
	to := func(at int, c byte) int {
		if at >= from {
			return at
		}
		if i := bytes.IndexByte(f.src[min(from, len(f.src)):], c); i >= 0 {
			return from + i
		}
		return len(f.src)
	}
	c := f.text[f.nth]
	for {
		f.lower = to(f.lower, c)
		at := f.lower
		if f.key && 'a' <= c && c <= 'z' {
			f.upper = to(f.upper, c&^0x20)
			at = min(at, f.upper)
		}
		if at >= len(f.src) {
			return -1
		}
		begin := at - f.nth
		if end := begin + len(f.text); begin > 0 && end < len(f.src) {
			if !f.key && bytes.Equal(f.src[begin:end], f.text) || f.key && !isKeyByte(f.src[begin-1]) && !isKeyByte(f.src[end]) && bytes.EqualFold(f.src[begin:end], f.text) {
				return begin
			}
		}
		from = at + 1
	}
}

func isKeyByte(c byte) bool {
	return c > ' ' && c != '"' && c != '\'' && c != '/' && c != '>' && c != '='
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
