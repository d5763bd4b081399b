package script

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// document is the page.
type document struct {
	source  Source
	root    *html.Node // nil: nothing needed it
	places  []placed   // of the elements in it
	glanced map[uint32]*object
	wrapped map[any]*object
	defined map[string]*object // classes of elements
	lazies  map[string]*object // elements that were not looked for yet
	some    map[string]value   // what elements have in an attribute
	cookies []string
	title   *text // as a script set it
	place   *pageAt
	said    []string // of elements that scripts made
	open    value    // what was written that ends in a tag
	sheets  map[string]selector
}

// wrap is a node as an object.
func (p *Page) wrap(n *html.Node) value {
	if n == nil {
		return null{}
	}
	if n == p.doc.root {
		return p.hostName("document")
	}
	if o := p.doc.wrapped[n]; o != nil {
		return o
	}
	p.step()
	o := p.newObject(classElement)
	o.host = n
	p.doc.wrapped[n] = o
	if c := p.doc.defined[n.Data]; c != nil && n.Type == html.ElementNode {
		p.upgrade(o, c)
	}
	return o
}

// lazy is an element that is looked for when a script wants to know something of it: most only get something.
type lazy struct {
	look   func() (at uint32, found, sure bool) // where its start tag begins
	find   func() *html.Node
	at     uint32
	placed bool
	alone  *html.Node // as its start tag says
	do     []func(n *html.Node)
	sure   bool // it is there
}

// lazily returns an element, the same for the same key.
func (p *Page) lazily(key string, l lazy) value {
	if o := p.doc.lazies[key]; o != nil && key != "" {
		return o
	}
	o, made := p.newObject(classElement), p.mem.lazies.get()
	*made = l
	o.host = made
	if p.doc.lazies == nil {
		p.doc.lazies = map[string]*object{}
	}
	if len(p.doc.lazies) < maxItems && key != "" {
		p.doc.lazies[key] = o
	}
	return o
}

// resolve finds what is lazy.
func (p *Page) resolve(o *object) *html.Node {
	l := o.host.(*lazy)
	p.look(l)
	find := l.find
	l.find = nil // not by way of itself
	var n *html.Node
	switch {
	case l.placed:
		if p.rootNode(); o.host != l { // it was met there
			return o.host.(*html.Node)
		}
		if n = p.nodeAt(l.at); n == nil {
			n = l.alone
		}
	case find != nil:
		p.down()
		n = find()
		p.depth--
	}
	if n == nil {
		n = &html.Node{Type: html.ElementNode, Data: "div"}
	}
	o.host = n
	if p.doc.wrapped[n] == nil {
		p.doc.wrapped[n] = o
	}
	for _, do := range l.do {
		do(n)
	}
	return n
}

// withNode does something with an element when it is looked for, or now.
func (p *Page) withNode(o *object, do func(n *html.Node)) {
	switch h := o.host.(type) {
	case *html.Node:
		do(h)
	case *lazy:
		switch {
		case len(p.watches) > 0:
			do(p.nodeOf(o))
		case len(h.do) < maxItems:
			h.do = append(h.do, do)
		}
	}
}

// nodeOf is the node of an element, nil when a value is none.
func (p *Page) nodeOf(v value) *html.Node {
	if o, is := one(v).(*object); is && o.class == classElement {
		switch h := o.host.(type) {
		case *html.Node:
			return h
		case *lazy:
			return p.resolve(o)
		}
	}
	return nil
}

func (p *Page) createElement(tag string) value {
	p.cost(len(tag) / 64)
	tag = strings.ToLower(tag)
	p.says("<" + tag)
	return p.wrap(&html.Node{Type: html.ElementNode, Data: tag, DataAtom: atom.Lookup([]byte(tag))})
}

// elementOf is a new element of a class.
func (p *Page) elementOf(of, proto *object) *object {
	base := ""
	for o, n := proto, 0; o != nil && n < maxProtos; o, n = o.proto, n+1 {
		if name, is := o.host.(string); is && o.class == classPhantom {
			base = name
		}
	}
	o := p.object()
	if strings.Contains(base, "Element") {
		tag := "x-element"
		for _, name := range slices.Sorted(maps.Keys(p.doc.defined)) {
			if p.doc.defined[name] == of {
				tag = name
				break
			}
		}
		n := &html.Node{Type: html.ElementNode, Data: tag}
		o.class, o.host = classElement, n
		p.doc.wrapped[n] = o
	}
	o.proto = proto
	return o
}

// defineElement is customElements.define.
func defineElement(p *Page, _ value, args []value) value {
	name, is := one(argument(args, 0)).(*text)
	c, isClass := one(argument(args, 1)).(*object)
	if !is || !isClass || c.fn == nil {
		return nil
	}
	name.consumed = true
	if p.doc.defined == nil {
		p.doc.defined = map[string]*object{}
	}
	if len(p.doc.defined) >= maxChoices*4 {
		return nil
	}
	p.doc.defined[name.s] = c
	for _, el := range p.elements(hint{name: name.s}, nil) {
		p.upgrade(el.(*object), c)
	}
	return nil
}

// upgrade makes an element one of its class, in the page.
func (p *Page) upgrade(o, c *object) {
	if o.proto != nil {
		return
	}
	o.proto, _ = p.get(c, "prototype").(*object)
	if c.host == nil {
		c.host = o
	}
	if c.fn.class != nil {
		p.initialise(c, o, nil)
	}
	if items, known := p.items(p.get(c, "observedAttributes")); known {
		for _, item := range items {
			if t, is := item.(*text); is {
				if v, has := p.attr(o, t.s); has {
					p.callMethod(o, "attributeChangedCallback", []value{t, null{}, v})
				}
			}
		}
	}
	if l, is := o.host.(*lazy); !is && p.nodeOf(o).Parent == nil || is && !l.placed { // it is put in soon
		p.jobs = append(p.jobs, func() { p.callMethod(o, "connectedCallback", nil) })
		return
	}
	p.callMethod(o, "connectedCallback", nil)
}

// tagOf is the name of an element, "" when it was not looked for yet.
func tagOf(o *object) string {
	switch h := o.host.(type) {
	case *html.Node:
		return h.Data
	case *lazy:
		if h.alone != nil {
			return h.alone.Data
		}
	}
	return ""
}

func attr(n *html.Node, key string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

func setAttr(n *html.Node, key, val string) {
	for i, a := range n.Attr {
		if a.Key == key {
			n.Attr[i].Val = val
			return
		}
	}
	if len(n.Attr) < 256 {
		n.Attr = append(n.Attr, html.Attribute{Key: key, Val: val})
	}
}

// attr is an attribute of an element, as it was set.
func (p *Page) attr(o *object, key string) (*text, bool) {
	if pr := o.own("@" + key); pr != nil {
		t, is := pr.val.(*text)
		return t, is
	}
	if n := p.glance(o); n != nil {
		if v, has := attr(n, key); has {
			return p.ofPage(v), true
		}
		if p.alone() && (n.Data == "html" || n.Data == "head" || n.Data == "body") {
			return hole(), true
		}
	}
	return nil, false
}

// alone reports a script whose page is not known.
func (p *Page) alone() bool { return p.doc.source.Tags.Len() == 0 && len(p.doc.source.Text) == 0 }

// setAttribute sets an attribute of an element, for which a browser may ask then.
func (p *Page) setAttribute(o *object, key string, v value) {
	p.step()
	p.cost(len(key) / 16)
	t, old := p.textOf(one(v)), value(null{})
	if len(p.doc.defined)+len(p.watches) > 0 {
		if before, has := p.attr(o, key); has {
			old = before
		}
	}
	p.withNode(o, func(n *html.Node) { setAttr(n, key, t.s) })
	o.put("@"+key, t)
	p.changed(o, "attributes", plain(key), old)
	if key == "id" || key == "class" || key == "name" {
		p.says(t.s)
	}
	tag := tagOf(o)
	if tag == "img" && (key == "src" || key == "srcset") {
		p.picture = true
		defer func() { p.picture = false }()
	}
	switch key {
	case "src", "poster", "data", "background", "href", "action", "formaction", "xlink:href", "manifest":
		switch {
		case tag == "base":
			p.rebase(t)
		case tag == "form", key == "formaction", key == "data" && tag != "object", key == "action":
		case key == "href" && p.weak > 0 && (ofAttribute(t) || strings.HasPrefix(t.s, "?")) && p.isLink(o):
			told(p, nil, []value{v}) // where it leads is in the page
		case key == "href" && tag == "link" && p.onlyMet(o):
			told(p, nil, []value{v})
		default:
			if p.sink(Asked, v); tag == "script" && key == "src" {
				p.load(o, v)
			}
		}
	case "srcset", "imagesrcset":
		p.sink(Set, v)
	case "style":
		p.sink(Style, v)
	case "srcdoc":
		p.sink(Markup, v)
		p.runWritten(v)
	default:
		if strings.HasPrefix(key, "on") {
			p.jobs = append(p.jobs, func() { p.code(t, o) })
		}
		if c := p.doc.defined[tag]; c != nil && o.proto != nil {
			p.callMethod(o, "attributeChangedCallback", []value{plain(key), old, v})
		}
		switch key {
		case "id", "class", "alt", "title", "name", "rel", "type", "media", "lang", "role", "value", "method", "target":
			told(p, nil, []value{v})
		default:
			t.given = true
		}
	}
}

// onlyMet reports a link element whose address is that of a host that is connected to, and asked for nothing.
func (p *Page) onlyMet(o *object) bool {
	rel, has := p.attr(o, "rel")
	return has && rel != nil && (rel.s == "preconnect" || rel.s == "dns-prefetch")
}

// ofAttribute reports a text that was made of one that an element has, and perhaps more.
func ofAttribute(t *text) bool {
	for n := 0; len(t.parts) > 0 && n < maxDepth; n++ {
		t = t.parts[0]
	}
	return t.lit && t.from < 0
}

// isLink reports an element that only a person follows.
func (p *Page) isLink(o *object) bool {
	n := p.glance(o)
	return n != nil && (n.DataAtom == atom.A || n.DataAtom == atom.Area)
}

// fragment is what markup makes.
func (p *Page) fragment(t *text) value {
	root := &html.Node{Type: html.ElementNode, Data: fragmentName}
	p.fill(root, t)
	return p.wrap(root)
}

// fill makes elements of markup below a node.
func (p *Page) fill(n *html.Node, t *text) {
	for c := n.FirstChild; c != nil; c = n.FirstChild {
		n.RemoveChild(c)
	}
	p.insert(n, t)
}

func (p *Page) insert(n *html.Node, t *text) []*html.Node {
	p.cost(1 + len(t.s)/4)
	if tangled(t.s) {
		return nil
	}
	context := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(strings.ReplaceAll(t.s, string(Hole), "")), context)
	if err != nil {
		return nil
	}
	for _, c := range nodes {
		for at := c; at != nil; at, _ = following(c, at) {
			p.cost(1)
		}
		n.AppendChild(c)
	}
	if len(p.doc.defined) > 0 {
		for _, c := range p.all1(n, func(n *html.Node) bool { return p.doc.defined[n.Data] != nil }) {
			p.wrap(c)
		}
	}
	p.putIn(n, nodes...)
	return nodes
}

func (p *Page) wrapAll(nodes []*html.Node) value {
	p.cost(len(nodes) / 4)
	out := make([]value, len(nodes))
	for i, n := range nodes {
		out[i] = p.wrap(n)
	}
	return p.browserList(out)
}

func (p *Page) first(nodes []*html.Node, known bool) value {
	if !known || len(nodes) == 0 {
		return &object{class: classPhantom, host: "Element"}
	}
	return p.wrap(nodes[0])
}

// query makes the methods that look for elements.
func (p *Page) query(root func(this value) *html.Node, key string) value {
	find := func(is func(n *html.Node, what string) bool, all bool) value {
		return p.native(key, func(p *Page, this value, args []value) value {
			what, isText := one(argument(args, 0)).(*text)
			r := root(this)
			if !isText || !what.known() || r == nil {
				return unknown{}
			}
			what.consumed = true
			nodes := p.all1(r, func(n *html.Node) bool { return is(n, what.s) })
			if all {
				return p.wrapAll(nodes)
			}
			return p.first(nodes, true)
		})
	}
	switch key {
	case "querySelector":
		return p.native(key, func(p *Page, this value, args []value) value {
			return p.lift(argument(args, 0), func(v value) value {
				r := root(this)
				if r == nil {
					return unknown{}
				}
				return p.first(p.selectAll(r, v))
			})
		})
	case "querySelectorAll":
		return p.native(key, func(p *Page, this value, args []value) value {
			r := root(this)
			if r == nil {
				return unknown{}
			}
			nodes, known := p.selectAll(r, argument(args, 0))
			if !known {
				return unknown{}
			}
			return p.wrapAll(nodes)
		})
	case "getElementById":
		return find(func(n *html.Node, what string) bool { id, _ := attr(n, "id"); return id == what }, false)
	case "getElementsByTagName":
		return find(func(n *html.Node, what string) bool { return what == "*" || strings.EqualFold(n.Data, what) }, true)
	case "getElementsByClassName":
		return find(func(n *html.Node, what string) bool {
			class, _ := attr(n, "class")
			return slices.Contains(strings.Fields(class), what)
		}, true)
	case "getElementsByName":
		return find(func(n *html.Node, what string) bool { name, _ := attr(n, "name"); return name == what }, true)
	}
	return nil
}

func (p *Page) clone(n *html.Node, deep bool) value {
	if n == nil {
		return unknown{}
	}
	return p.wrap(p.copyNode(n, deep, 0))
}

func (p *Page) copyNode(n *html.Node, deep bool, depth int) *html.Node {
	p.step()
	out := &html.Node{Type: n.Type, Data: n.Data, DataAtom: n.DataAtom, Attr: slices.Clone(n.Attr)}
	if deep && depth < maxDepth {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			out.AppendChild(p.copyNode(c, true, depth+1))
		}
	}
	return out
}

func (p *Page) element(n *html.Node, next func(*html.Node) *html.Node) *html.Node {
	for n != nil && n.Type != html.ElementNode {
		p.cost(1)
		n = next(n)
	}
	return n
}

// dataNames are the names of an element's data attributes, as scripts call them.
func (p *Page) dataNames(o *object) []string {
	el, is := o.host.(*object)
	if !is {
		return nil
	}
	n := p.glance(el)
	if n == nil {
		return nil
	}
	var out []string
	for _, a := range n.Attr {
		if name, is := strings.CutPrefix(a.Key, "data-"); is {
			out = append(out, camel(name))
		}
	}
	return out
}

func camel(s string) string {
	var w strings.Builder
	up := false
	for _, r := range s {
		if r == '-' {
			up = true
			continue
		}
		if up {
			r = []rune(strings.ToUpper(string(r)))[0]
		}
		up = false
		w.WriteRune(r)
	}
	return w.String()
}

func dashed(s string) string {
	var w strings.Builder
	for _, r := range s {
		if 'A' <= r && r <= 'Z' {
			w.WriteByte('-')
			r |= 0x20
		}
		w.WriteRune(r)
	}
	return w.String()
}

func (p *Page) dataProperty(o *object, key string) value {
	if o.host == nil {
		return p.anyAttribute("data-" + dashed(key))
	}
	el := o.host.(*object)
	p.cost(len(key) / 16)
	if t, has := p.attr(el, "data-"+dashed(key)); has {
		return t
	}
	return nil
}

func (p *Page) setData(o *object, key string, v value) {
	if el, is := o.host.(*object); is {
		p.cost(len(key) / 16)
		t := p.textOf(one(v))
		old := value(null{})
		if len(p.watches) > 0 {
			if before, has := p.attr(el, "data-"+dashed(key)); has {
				old = before
			}
		}
		p.withNode(el, func(n *html.Node) { setAttr(n, "data-"+dashed(key), t.s) })
		el.put("@data-"+dashed(key), t)
		p.changed(el, "attributes", plain("data-"+dashed(key)), old)
	}
}
