package script

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// shadowRoot is the tree in the shadow of an element that no script gave one: what a template in the page says, or nothing as far as
// is known.
func (p *Page) shadowRoot(o *object) value {
	n := p.nodeOf(o)
	if n == nil {
		return unknown{}
	}
	for c := range n.ChildNodes() {
		p.cost(1)
		if c.Data != "template" {
			continue
		}
		if t, is := p.wrap(c).(*object); is && slices.ContainsFunc(c.Attr, func(a html.Attribute) bool { return a.Key == "shadowrootmode" && strings.EqualFold(a.Val, "open") }) {
			return p.content(t, c)
		}
	}
	return unknown{}
}

// elementProperty is what an element has.
func (p *Page) elementProperty(o *object, key string) value {
	if len(p.extended) > 0 {
		if v, has := p.added(o, key); has {
			return v
		}
	}
	switch key { // those for which nobody need look for it
	case "dataset":
		return &object{class: classData, host: o}
	case "style":
		return &object{class: classStyle}
	case "sheet":
		return p.styleSheet()
	case "ownerDocument":
		return p.hostName("document")
	case "contentDocument":
		return p.hostName("document")
	case "contentWindow":
		return p.global
	case "content":
		if n := p.glance(o); n != nil && n.Data == "template" {
			return p.content(o, p.nodeOf(o))
		}
	case "shadowRoot":
		return p.shadowRoot(o)
	case "isConnected":
		return true
	case "complete", "naturalWidth", "naturalHeight", "offsetWidth", "offsetHeight", "clientWidth", "clientHeight", "scrollTop", "currentSrc", "width", "height", "currentTime", "duration", "readyState":
		return unknown{}
	case "parentNode", "parentElement":
		if n := p.glance(o); n != nil && n.Type == html.ElementNode && n.Data == "html" {
			if key == "parentNode" {
				return p.hostName("document")
			}
			return null{}
		}
		if _, is := o.host.(*lazy); is {
			return p.lazily("", lazy{sure: true, find: func() *html.Node { return p.nodeOf(o).Parent }})
		}
	case "textContent", "innerText", "text":
		if t, is := o.get("@text").(*text); is {
			return t
		}
	}
	if m := p.elementMethods()[key]; m != nil {
		return p.builtin(classElement, key, m)
	}
	tag := p.glance(o)
	if tag == nil {
		return unknown{}
	}
	if v, known := p.tagProperty(o, tag, key); known {
		return v
	}
	n := p.nodeOf(o)
	if v := p.query(p.nodeOf, key); v != nil {
		return v
	}
	next := func(n *html.Node) *html.Node { return n.NextSibling }
	before := func(n *html.Node) *html.Node { return n.PrevSibling }
	switch key {
	case "textContent", "innerText", "text", "data", "nodeValue":
		if key == "data" && n.Data == "object" {
			return p.attribute(o, key)
		}
		if n.Type == html.TextNode || n.Type == html.CommentNode {
			return p.ofPage(n.Data)
		}
		return p.ofPage(p.textContent(n))
	case "innerHTML":
		return p.ofPage(p.innerHTML(n))
	case "outerHTML":
		return p.ofPage(p.outerHTML(n))
	case "children":
		var out []*html.Node
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			p.cost(1)
			if c.Type == html.ElementNode {
				out = append(out, c)
			}
		}
		return p.wrapAll(out)
	case "childNodes":
		var out []*html.Node
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			p.cost(1)
			out = append(out, c)
		}
		return p.wrapAll(out)
	case "childElementCount":
		return p.get(p.elementProperty(o, "children"), "length")
	case "firstElementChild":
		return p.wrap(p.element(n.FirstChild, next))
	case "lastElementChild":
		return p.wrap(p.element(n.LastChild, before))
	case "firstChild":
		return p.wrap(n.FirstChild)
	case "lastChild":
		return p.wrap(n.LastChild)
	case "nextElementSibling":
		return p.wrap(p.element(n.NextSibling, next))
	case "previousElementSibling":
		return p.wrap(p.element(n.PrevSibling, before))
	case "nextSibling":
		return p.wrap(n.NextSibling)
	case "previousSibling":
		return p.wrap(n.PrevSibling)
	case "parentNode", "parentElement":
		switch {
		case n.Parent == nil:
			return p.first(nil, true)
		case key == "parentElement" && n.Parent.Type == html.DocumentNode:
			return null{}
		}
		return p.wrap(n.Parent)
	}
	if key != "" && (key[0] == '_' || key[0] == '$') { // what frameworks keep there, and has not been set
		return nil
	}
	if v, has := p.formProperty(n, key); has {
		return v
	}
	if v, has := p.tableProperty(n, key); has {
		return v
	}
	return unknown{}
}

// tagProperty is what an element has by its start tag alone.
func (p *Page) tagProperty(o *object, tag *html.Node, key string) (value, bool) {
	switch key {
	case "tagName", "nodeName":
		p.cost(len(tag.Data) / 64)
		if kind := kindOfNode(tag); kind != 1 {
			return plain(map[float64]string{3: "#text", 8: "#comment", 9: "#document", 11: fragmentName}[kind]), true
		}
		switch tag.Data {
		case "svg", "g", "path", "circle", "rect", "use", "line", "polygon", "text", "symbol": // not of HTML
			return plain(tag.Data), true
		}
		return plain(strings.ToUpper(tag.Data)), true
	case "localName":
		return plain(tag.Data), true
	case "nodeType":
		return kindOfNode(tag), true
	case "attributes":
		return p.attributes(o), true
	case "className":
		return p.attribute(o, "class"), true
	case "value":
		if t, has := p.attr(o, "value"); has {
			return t, true
		}
	case "src", "href", "action":
		if strings.IndexByte(tag.Data, '-') >= 0 { // one of a page's own has what scripts give it
			return nil, true
		}
		t := p.attribute(o, key)
		if key == "action" || t.(*text).s != "" {
			return p.whole(t.(*text)), true
		}
		return t, true
	case "mode":
		return plain("open"), true // of a shadow root
	case "pathname", "search", "hash", "host", "hostname", "protocol", "origin", "port":
		if tag.Data != "a" && tag.Data != "area" {
			return o, key == "host" // of a shadow root
		}
		t, has := p.attr(o, "href")
		if !has {
			return plain(""), true
		}
		if u, err := url.Parse(p.whole(t).s); err == nil && u.Host != "" {
			if s, has := partOf(u, key); has {
				return p.derive(s, t), true
			}
		}
	case "srcset", "poster", "id", "title", "alt", "name", "rel", "type", "media", "lang", "method", "content-type", "sizes", "target":
		return p.attribute(o, key), true
	case "checked", "disabled", "hidden", "selected", "multiple":
		_, has := attr(tag, key)
		return has, true
	case "classList":
		return p.classList(o), true
	case "textContent", "innerText", "text", "innerHTML":
		if l, is := o.host.(*lazy); is && len(l.do) == 0 && tag.FirstChild != nil {
			return p.ofPage(tag.FirstChild.Data), true
		}
	}
	if of := reflected(key); of != "" {
		if t, has := p.attr(o, of); has {
			return t, true
		}
	}
	return nil, false
}

func (p *Page) attribute(o *object, key string) value {
	if t, has := p.attr(o, key); has {
		return t
	}
	return plain("")
}

// setElementProperty sets what an element has; false: it is an object's like any other.
func (p *Page) setElementProperty(o *object, key string, v value) bool {
	n, _ := o.host.(*html.Node) // nil: nobody looked for it yet
	switch key {
	case "src", "poster", "data", "srcset", "href", "background", "action", "manifest", "id", "title", "alt", "name", "rel", "type", "media", "value", "lang", "method", "target", "srcdoc":
		if n != nil && n.Type == html.TextNode {
			return true
		}
		if (key == "src" || key == "href" || key == "action") && strings.IndexByte(tagOf(o), '-') >= 0 {
			if t, is := one(v).(*text); !is || !ofAttribute(t) {
				p.sink(Asked, v)
			}
			return false
		}
		p.setAttribute(o, key, v)
		return true
	case "className":
		p.setAttribute(o, "class", v)
		return true
	case "search", "hash", "pathname":
		return p.setLink(o, key, v)
	case "imageSrcset":
		p.sink(Set, v)
	case "innerHTML", "outerHTML":
		p.sink(Markup, v)
		if key == "innerHTML" {
			t := p.textOf(one(v))
			p.withNode(o, func(n *html.Node) { p.fill(n, t) })
		}
		return true
	case "textContent", "innerText", "text", "nodeValue":
		t := p.textOf(one(v))
		o.put("@text", t)
		if tag := tagOf(o); tag != "script" && tag != "style" {
			told(p, nil, []value{v})
		}
		if n != nil {
			p.becomes(n, t)
		}
		p.withNode(o, func(n *html.Node) {
			for c := n.FirstChild; c != nil; c = n.FirstChild {
				n.RemoveChild(c)
			}
			n.AppendChild(&html.Node{Type: html.TextNode, Data: t.s})
		})
		return true
	case "style":
		p.sink(Style, v)
		return true
	case "location":
		p.sink(Goes, v)
		return true
	default:
		if strings.HasPrefix(key, "on") {
			if f, is := one(v).(*object); is && f.fn != nil {
				listen(p, o, []value{plain(key[2:]), f})
			}
			return false
		}
		if pr := o.find(key); pr != nil && pr.get == nil {
			return false
		}
	}
	return false
}

// becomes notes what the text of an element is for a browser.
func (p *Page) becomes(n *html.Node, t *text) {
	switch n.Data {
	case "style":
		p.sink(Style, t)
	case "script":
		if typ, _ := attr(n, "type"); typ == "" || typ == "module" || strings.Contains(typ, "javascript") {
			p.jobs = append(p.jobs, func() { p.code(t, unknown{}) })
		}
	}
}

// newElementMethods makes the methods of elements.
func newElementMethods() map[string]method {
	insert := func(back bool) method {
		return func(p *Page, this value, args []value) value {
			o, is := one(this).(*object)
			if !is {
				return unknown{}
			}
			if _, is := o.host.(*lazy); is {
				p.withNode(o, func(n *html.Node) {
					for _, arg := range args {
						p.attach(n, arg, back)
					}
				})
				return argument(args, 0)
			}
			n := p.nodeOf(this)
			for _, arg := range args {
				p.attach(n, arg, back)
			}
			return argument(args, 0)
		}
	}
	made := map[string]method{
		"setAttribute": func(p *Page, this value, args []value) value {
			key, is := one(argument(args, 0)).(*text)
			o, isElement := one(this).(*object)
			if is && isElement && key.known() {
				key.consumed = true
				p.setAttribute(o, strings.ToLower(key.s), argument(args, 1))
			}
			return nil
		},
		"setAttributeNS": func(p *Page, this value, args []value) value {
			key, is := one(argument(args, 1)).(*text)
			o, isElement := one(this).(*object)
			if is && isElement {
				p.setAttribute(o, strings.ToLower(key.s), argument(args, 2))
			}
			return nil
		},
		"getAttribute": func(p *Page, this value, args []value) value {
			key, is := one(argument(args, 0)).(*text)
			o, isElement := one(this).(*object)
			if !is || !isElement || !key.known() {
				return unknown{}
			}
			key.consumed = true
			if t, has := p.attr(o, strings.ToLower(key.s)); has {
				return t
			}
			return null{}
		},
		"hasAttribute": func(p *Page, this value, args []value) value {
			key, is := one(argument(args, 0)).(*text)
			n := p.glance(this)
			if !is || n == nil {
				return unknown{}
			}
			key.consumed = true
			_, has := attr(n, strings.ToLower(key.s))
			return has
		},
		"removeAttribute": func(p *Page, this value, args []value) value {
			if key, is := one(argument(args, 0)).(*text); is {
				key.consumed = true
				if n := p.nodeOf(this); n != nil {
					n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key.s })
					one(this).(*object).remove("@" + key.s)
				}
			}
			return nil
		},
		"getAttributeNames": func(p *Page, this value, _ []value) value {
			var out []value
			if n := p.glance(this); n != nil {
				for _, a := range n.Attr {
					out = append(out, plain(a.Key))
				}
			}
			return p.newList(out)
		},
		"appendChild": insert(true), "append": insert(true), "prepend": insert(false), "replaceChildren": replaceChildren,
		"before": beside(false, false), "after": beside(true, false), "replaceWith": beside(false, true), "insertRow": insertPart("tr"), "insertCell": insertPart("td"),
		"remove": func(p *Page, this value, _ []value) value {
			if n := p.nodeOf(this); n != nil && n.Parent != nil {
				n.Parent.RemoveChild(n)
			}
			return nil
		},
		"replaceChild": func(p *Page, _ value, args []value) value {
			return beside(false, true)(p, argument(args, 1), args[:min(1, len(args))])
		},
		"removeChild": removeChild,
		"insertAdjacentElement": func(p *Page, this value, args []value) value {
			p.adjacent(this, argument(args, 0), argument(args, 1))
			return argument(args, 1)
		},
		"insertAdjacentHTML": func(p *Page, this value, args []value) value {
			p.sink(Markup, argument(args, 1))
			if o, is := one(this).(*object); is {
				t := p.textOf(one(argument(args, 1)))
				p.withNode(o, func(n *html.Node) {
					if where, is := one(argument(args, 0)).(*text); is && !strings.EqualFold(where.s, "beforeend") {
						p.adjacent(o, where, p.fragment(t))
						return
					}
					p.insert(n, t)
				})
			}
			return nil
		},
		"setHTML": func(p *Page, this value, args []value) value {
			p.sink(Markup, argument(args, 0))
			return nil
		},
		"cloneNode": func(p *Page, this value, args []value) value {
			deep, _ := truth(argument(args, 0))
			return p.clone(p.nodeOf(this), deep)
		},
		"closest": func(p *Page, this value, args []value) value {
			t, is := one(argument(args, 0)).(*text)
			n := p.nodeOf(this)
			if !is || n == nil {
				return unknown{}
			}
			sel := p.selectorOf(t)
			if sel == nil {
				return unknown{}
			}
			for m := n; m != nil; m = m.Parent {
				if p.cost(1); m.Type == html.ElementNode && p.matches(sel, m) {
					return p.wrap(m)
				}
			}
			return p.first(nil, true)
		},
		"matches": func(p *Page, this value, args []value) value {
			sel, n := p.selectorOf(argument(args, 0)), p.nodeOf(this)
			if n == nil || sel == nil {
				return unknown{}
			}
			return p.matches(sel, n)
		},
		"insertBefore": func(p *Page, this value, args []value) value {
			o, is := one(this).(*object)
			if !is {
				return unknown{}
			}
			p.withNode(o, func(n *html.Node) {
				if next, is := one(argument(args, 1)).(*object); is && next.class == classElement {
					if before := p.nodeOf(next); before != nil && before.Parent == n {
						beside(false, false)(p, next, args[:1])
						return
					}
				}
				p.attach(n, argument(args, 0), true)
			})
			return argument(args, 0)
		},
		"contains": func(p *Page, this value, args []value) value {
			outer, inner := p.nodeOf(this), p.nodeOf(argument(args, 0))
			if outer == nil || inner == nil {
				return unknown{}
			}
			for ; inner != nil && inner != outer; inner = inner.Parent {
				p.cost(1)
			}
			return inner != nil
		},
		"attachShadow": func(p *Page, this value, _ []value) value {
			root := p.createElement("div")
			if o, is := one(this).(*object); is {
				root.(*object).add("host", o)
				o.add("shadowRoot", root)
			}
			return root
		},
		"addEventListener": listen, "attachEvent": listen, "dispatchEvent": dispatch, "removeEventListener": nothing,
		"submit": submit, "requestSubmit": submit,
		"click": func(p *Page, this value, _ []value) value { return dispatch(p, this, []value{p.event("click", this)}) },
		"focus": nothing, "blur": nothing, "scrollIntoView": nothing, "getBoundingClientRect": nothing, "getContext": nothing, "animate": nothing,
		"play": func(p *Page, _ value, _ []value) value { return p.resolved(unknown{}) }, "pause": nothing, "load": nothing,
		"decode": func(p *Page, _ value, _ []value) value { return p.resolved(unknown{}) },
		"add":    nothing, "getRootNode": func(p *Page, _ value, _ []value) value { return p.hostName("document") },
		"hasChildNodes": func(p *Page, this value, _ []value) value {
			n := p.nodeOf(this)
			if n == nil {
				return unknown{}
			}
			return n.FirstChild != nil
		},
		"toggleAttribute": nothing,
	}
	return made
}

// attach puts a node, or text, below another.
func (p *Page) attach(n *html.Node, v value, back bool) {
	switch v := one(v).(type) {
	case *text:
		if n != nil {
			if p.becomes(n, v); n.Data != "script" && n.Data != "style" {
				told(p, nil, []value{v})
			}
		}
	case *object:
		c := p.nodeOf(v)
		if c == nil || n == nil {
			return
		}
		if t, is := v.get("@text").(*text); is && c.Type == html.TextNode {
			p.becomes(n, t)
		}
		next := n.FirstChild
		if back {
			next = nil
		}
		added := p.loose(v, n)
		for _, c := range added {
			if next != nil && next.Parent != n {
				next = nil
			}
			n.InsertBefore(c, next)
		}
		p.putIn(n, added...)
	}
}

// submit asks for where a form is sent.
func submit(p *Page, this value, args []value) value {
	o, is := one(this).(*object)
	n := p.nodeOf(this)
	if !is || n == nil {
		return nil
	}
	method, _ := attr(n, "method")
	action, _ := p.attr(o, "action")
	if action == nil {
		action = plain("")
	}
	button := p.nodeOf(argument(args, 0))
	if button != nil {
		if t, has := p.attr(one(args[0]).(*object), "formaction"); has {
			action = t
		}
	}
	if strings.EqualFold(method, "post") {
		p.sink(Asked, action)
		return nil
	}
	ps := p.sent(n)
	if name, has := attr(cmp.Or(button, n), "name"); has && button != nil {
		ps.keys, ps.vals = append(ps.keys, plain(name)), append(ps.vals, p.get(p.wrap(button), "value"))
	}
	path, _, _ := strings.Cut(action.s, "?")
	p.sink(Asked, p.make(path+"?"+p.queryOf(ps).s, action))
	return nil
}
