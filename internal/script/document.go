package script

import (
	"bytes"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// tag is the first element of a name, or the last.
func (p *Page) tag(name string, last bool) value {
	key := "<" + name
	if last {
		key = "</" + name
	}
	return p.lazily(key, true, func() *html.Node {
		nodes := p.all1(p.rootNode(), func(n *html.Node) bool { return n.Data == name })
		switch {
		case len(nodes) == 0:
			return nil
		case last:
			return nodes[len(nodes)-1]
		}
		return nodes[0]
	})
}

// byID is the element of a name, phantom when the page does not have it.
func (p *Page) byID(id string) value {
	if o := p.doc.lazies["#"+id]; o != nil {
		return o
	}
	if p.doc.root == nil && !p.hasID(id) { // what a script names is not there for that
		return p.first(nil, true)
	}
	return p.lazily("#"+id, true, func() *html.Node {
		nodes := p.all1(p.rootNode(), func(n *html.Node) bool { of, _ := attr(n, "id"); return of == id })
		if len(nodes) == 0 {
			return nil
		}
		return nodes[0]
	})
}

func (p *Page) documentProperty(o *object, key string) value {
	switch key {
	case "getElementById":
		return p.native(key, func(p *Page, _ value, args []value) value {
			return p.lift(argument(args, 0), func(v value) value {
				t, is := v.(*text)
				if !is || !t.known() {
					return unknown{}
				}
				t.consumed, t.looked = true, true
				return p.byID(t.s)
			})
		})
	case "querySelector":
		return p.native(key, func(p *Page, this value, args []value) value {
			return p.lift(argument(args, 0), func(v value) value {
				t, is := v.(*text)
				if !is || !t.known() {
					return unknown{}
				}
				t.consumed, t.looked = true, true
				return p.lazily("?"+t.s, false, func() *html.Node {
					if nodes, known := p.selectAll(p.rootNode(), t); known && len(nodes) > 0 {
						return nodes[0]
					}
					return nil
				})
			})
		})
	case "getElementsByTagName":
		all := p.query(func(value) *html.Node { return p.rootNode() }, key).(*object)
		return p.native(key, func(p *Page, this value, args []value) value {
			if t, is := one(argument(args, 0)).(*text); is && p.doc.root == nil {
				switch name := strings.ToLower(t.s); name {
				case "script":
					return p.newList([]value{p.tag(name, false), p.tag(name, true)})
				case "head", "body", "html":
					return p.newList([]value{p.tag(name, false)})
				}
			}
			return p.call(all, this, args)
		})
	case "createElement":
		return p.native(key, func(p *Page, _ value, args []value) value {
			return p.lift(argument(args, 0), func(v value) value {
				t, is := v.(*text)
				if !is || !t.known() {
					return unknown{}
				}
				t.consumed = true
				return p.createElement(t.s)
			})
		})
	case "createElementNS":
		return p.native(key, func(p *Page, _ value, args []value) value {
			told(p, nil, args)
			t, is := argument(args, 1).(*text)
			if !is {
				return unknown{}
			}
			return p.createElement(t.s)
		})
	case "createTextNode":
		return p.native(key, func(p *Page, _ value, args []value) value {
			t := p.textOf(one(argument(args, 0)))
			o := p.wrap(&html.Node{Type: html.TextNode, Data: t.s}).(*object)
			o.put("@text", t)
			return o
		})
	case "createDocumentFragment":
		return p.native(key, func(p *Page, _ value, _ []value) value { return p.createElement("div") })
	case "createRange":
		return p.native(key, func(p *Page, _ value, _ []value) value {
			return p.phantom("Range", map[string]method{"createContextualFragment": func(p *Page, _ value, args []value) value {
				p.sink(Markup, argument(args, 0))
				return p.fragment(p.textOf(one(argument(args, 0))))
			}, "selectNode": nothing})
		})
	case "write", "writeln":
		return p.native(key, func(p *Page, _ value, args []value) value {
			v := value(plain(""))
			for _, arg := range args {
				v = p.sum2(v, p.lift(arg, func(v value) value { return p.textOf(v) }))
			}
			p.write(v)
			return nil
		})
	case "body", "head":
		return p.tag(key, false)
	case "documentElement", "scrollingElement":
		return p.tag("html", false)
	case "images":
		return p.wrapAll(p.all1(p.rootNode(), func(n *html.Node) bool { return n.Data == "img" }))
	case "forms", "scripts":
		return p.wrapAll(p.all1(p.rootNode(), func(n *html.Node) bool { return n.Data+"s" == key }))
	case "links":
		return p.wrapAll(p.all1(p.rootNode(), func(n *html.Node) bool { return n.Data == "a" }))
	case "currentScript":
		if n := p.scriptNode(); n != nil {
			return p.wrap(n)
		}
		return unknown{}
	case "title":
		if t := p.doc.title; t != nil {
			return t
		}
		if nodes := p.all1(p.rootNode(), func(n *html.Node) bool { return n.Data == "title" }); len(nodes) > 0 {
			return plain(strings.TrimSpace(p.textContent(nodes[0])))
		}
		return plain("")
	case "cookie":
		return p.make(strings.Join(p.doc.cookies, "; "))
	case "referrer":
		return plain("")
	case "readyState":
		return p.either(plain("interactive"), plain("complete"))
	case "URL", "baseURI", "documentURI":
		return &text{page: true}
	case "location":
		return p.hostName("location")
	case "defaultView":
		return p.global
	case "addEventListener", "attachEvent":
		return p.native(key, listen)
	case "dispatchEvent":
		return p.native(key, dispatch)
	case "fonts":
		return p.phantom("fonts", map[string]method{"add": nothing, "load": nothing})
	case "styleSheets":
		return p.newList([]value{p.styleSheet(), p.styleSheet()})
	case "adoptedStyleSheets":
		return p.newList(nil)
	case "implementation":
		return unknown{}
	case "importNode", "adoptNode":
		return p.native(key, func(p *Page, _ value, args []value) value { return p.clone(p.nodeOf(argument(args, 0)), true) })
	case "getElementsByTagNameNS":
		return unknown{}
	case "exitFullscreen", "execCommand", "hasFocus":
		return p.native(key, nothing)
	}
	if v := p.query(func(value) *html.Node { return p.rootNode() }, key); v != nil {
		return v
	}
	return unknown{}
}

// write writes into the document: tags may come in pieces.
func (p *Page) write(v value) {
	if p.doc.open != nil {
		v = p.sum2(p.doc.open, v)
		p.doc.open = nil
	}
	if t, is := v.(*text); is && strings.LastIndexByte(t.s, '<') > strings.LastIndexByte(t.s, '>') {
		p.doc.open = v
		return
	}
	p.sink(Writes, v)
	p.runWritten(v)
}

// writtenScript is a script in what is written.
var writtenScript = regexp.MustCompile(`(?is)<script\b([^>]*)>(.*?)</script`)

// runWritten interprets the scripts in what is written, which a browser runs before it goes on.
func (p *Page) runWritten(v value) {
	t, is := v.(*text)
	if !is || len(t.s) < len("<script></script") {
		return
	}
	p.cost(len(t.s) / 16)
	for _, m := range writtenScript.FindAllStringSubmatch(t.s, maxChoices) {
		attrs := strings.ToLower(m[1])
		if m[2] != "" && !strings.Contains(attrs, "src") && (!strings.Contains(attrs, "type") || strings.Contains(attrs, "javascript")) {
			p.fails(func() { p.code(p.derive(m[2], t), p.global) })
		}
	}
}

// scriptNode is the element of the script that is read.
func (p *Page) scriptNode() *html.Node {
	if p.script == nil || len(p.script.src) == 0 {
		return nil
	}
	code := strings.TrimSpace(string(p.script.src[:min(len(p.script.src), 256)]))
	for _, n := range p.all1(p.rootNode(), func(n *html.Node) bool { return n.DataAtom == atom.Script && n.FirstChild != nil }) {
		if strings.HasPrefix(strings.TrimSpace(n.FirstChild.Data), code) {
			return n
		}
	}
	return nil
}

// hasID reports an element of a name, as pages write it.
func (p *Page) hasID(id string) bool {
	p.cost(len(p.doc.source) / 256)
	at := 0
	for {
		i := bytes.Index(p.doc.source[at:], []byte(id))
		if i < 0 {
			return false
		}
		at += i
		before := bytes.TrimRight(p.doc.source[max(0, at-8):at], "\"'")
		if bytes.HasSuffix(before, []byte("id=")) || bytes.HasSuffix(before, []byte("ID=")) {
			return true
		}
		at++
	}
}
