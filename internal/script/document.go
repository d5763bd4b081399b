package script

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// tag is the first element of a name, or the last.
func (p *Page) tag(name string, last bool) value {
	key := "<" + name
	if last {
		key = "</" + name
	}
	return p.lazily(key, lazy{sure: true, look: func() (at uint32, found, sure bool) {
		p.tags(hint{name: name}, func(tag uint32) bool {
			at, found = tag, true
			return last
		})
		return at, found, found || name != "body" && name != "html"
	}, find: func() *html.Node {
		nodes := p.all1(p.rootNode(), func(n *html.Node) bool { return n.Data == name })
		switch {
		case len(nodes) == 0 && (name == "body" || name == "html"): // it need not be written
			return p.rootNode()
		case len(nodes) == 0:
			return nil
		case last:
			return nodes[len(nodes)-1]
		}
		return nodes[0]
	}})
}

// byID is the element of a name, phantom when the page does not have it: what a script names is not there for that.
func (p *Page) byID(id string) value {
	h := hintFor(id)
	if p.doc.root == nil && p.doc.source.Tags.Len() > 0 && h.word && !p.hasTag(h) && !p.madeLike(h) {
		return p.none()
	}
	found := p.elements(h, func(n *html.Node) bool { of, _ := attr(n, "id"); return of == id })
	if len(found) == 0 {
		return p.notThere(h)
	}
	return found[0]
}

// withNames makes a list of elements that has them by their names, too.
func (p *Page) withNames(list []value) value {
	o := p.browserList(list)
	for _, v := range list {
		n := p.glance(v)
		for _, key := range [...]string{"id", "name"} {
			if name, has := attr(n, key); has && name != "" && name != "length" && o.own(name) == nil {
				o.add(name, v)
			}
		}
	}
	return o
}

func (p *Page) documentProperty(o *object, key string) value {
	switch key {
	case "parentNode", "parentElement":
		return null{}
	case "nodeType":
		return 9.0
	case "nodeName":
		return plain("#document")
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
				if sel := p.selectorOf(t); sel != nil && p.doc.root != nil {
					nodes, known := p.selectAll(p.doc.root, t)
					return p.first(nodes, known)
				} else if sel != nil {
					var ats []uint32
					if p.selectTags(sel, &ats) {
						if len(ats) > 0 {
							return p.elementAt(ats[0])
						}
						if len(sel) == 1 && len(sel[0]) == 1 {
							return p.notThere(sel[0][0].hint)
						}
					}
				}
				return p.lazily("?"+t.s, lazy{look: func() (uint32, bool, bool) {
					var ats []uint32
					sel := p.selectorOf(t)
					return firstOf(ats, sel != nil && p.selectTags(sel, &ats))
				}, find: func() *html.Node {
					if nodes, known := p.selectAll(p.rootNode(), t); known && len(nodes) > 0 {
						return nodes[0]
					}
					return nil
				}})
			})
		})
	case "querySelectorAll":
		return p.native(key, func(p *Page, _ value, args []value) value {
			if found, known := p.select1(argument(args, 0)); known {
				return p.browserList(found)
			}
			return unknown{}
		})
	case "getElementsByTagName":
		return p.listing(key, func(name string) []value {
			switch name = strings.ToLower(name); name {
			case "head", "body", "html":
				return []value{p.tag(name, false)}
			case "*":
				return p.elements(hint{}, func(*html.Node) bool { return true })
			}
			if name != "script" {
				return p.elements(hint{name: name}, nil)
			}
			if found := p.scripts(); len(found) > 0 {
				return found
			}
			return []value{p.tag(name, false)} // a script stands in one
		})
	case "getElementsByClassName":
		return p.listing(key, func(class string) []value {
			return p.elements(hintFor(class), func(n *html.Node) bool {
				of, _ := attr(n, "class")
				return slices.Contains(strings.Fields(of), class)
			})
		})
	case "getElementsByName":
		return p.listing(key, func(name string) []value {
			return p.elements(hintFor(name), func(n *html.Node) bool { of, _ := attr(n, "name"); return of == name })
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
		return p.native(key, func(p *Page, _ value, _ []value) value { return p.createElement(fragmentName) })
	case "createTreeWalker":
		return p.native(key, walker(false))
	case "createNodeIterator":
		return p.native(key, walker(true))
	case "createComment":
		return p.native(key, func(p *Page, _ value, args []value) value {
			t := p.textOf(one(argument(args, 0)))
			return p.wrap(&html.Node{Type: html.CommentNode, Data: t.s})
		})
	case "createRange":
		return p.native(key, func(p *Page, _ value, _ []value) value {
			return p.phantom("Range", map[string]method{"createContextualFragment": func(p *Page, _ value, args []value) value {
				p.sink(Markup, argument(args, 0))
				p.runWritten(argument(args, 0))
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
		return p.withNames(p.elements(hint{name: "img"}, nil))
	case "scripts":
		return p.withNames(p.scripts())
	case "forms", "embeds", "applets":
		return p.withNames(p.elements(hint{name: strings.TrimSuffix(key, "s")}, nil))
	case "links":
		return p.browserList(p.elements(hint{name: "a"}, func(n *html.Node) bool { _, has := attr(n, "href"); return n.Data == "a" && has }))
	case "anchors":
		return p.browserList(p.elements(hint{name: "a"}, func(n *html.Node) bool { _, has := attr(n, "name"); return n.Data == "a" && has }))
	case "currentScript":
		if p.script != nil && p.script.module {
			return null{}
		}
		if p.script != nil && p.script.placed {
			return p.elementAt(p.script.at)
		}
		if p.script != nil && p.script.el != nil {
			return p.script.el
		}
		if p.script != nil && p.script.file != "" {
			return p.fileAlone()
		}
		return unknown{}
	case "title":
		if t := p.doc.title; t != nil {
			return t
		}
		if found := p.elements(hint{name: "title"}, nil); len(found) > 0 {
			return plain(strings.TrimSpace(p.textContent(p.glance(found[0]))))
		}
		return plain("")
	case "all", "layers", "documentMode": // of browsers of old
		return nil
	case "cookie":
		return p.make(strings.Join(p.doc.cookies, "; "))
	case "referrer":
		return plain("")
	case "readyState":
		return p.either(plain("interactive"), plain("complete"))
	case "URL", "documentURI":
		return p.locationProperty("href")
	case "domain":
		return p.locationProperty("hostname")
	case "baseURI":
		if base := p.baseURL(); base != nil {
			return ofPlace(base.String())
		}
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
		return p.browserList([]value{p.styleSheet(), p.styleSheet()})
	case "adoptedStyleSheets":
		return p.browserList(nil)
	case "implementation":
		return unknown{}
	case "importNode", "adoptNode":
		return p.native(key, func(p *Page, _ value, args []value) value { return p.clone(p.nodeOf(argument(args, 0)), true) })
	case "getElementsByTagNameNS":
		return unknown{}
	case "exitFullscreen", "execCommand", "hasFocus":
		return p.native(key, nothing)
	}
	if h := hintFor(key); len(h.text) > 0 { // what has it as its name
		found := p.elements(h, func(n *html.Node) bool {
			name, _ := attr(n, "name")
			return name == key && (n.Data == "form" || n.Data == "img" || n.Data == "embed" || n.Data == "object" || n.Data == "iframe")
		})
		if len(found) > 0 {
			return found[0]
		}
	}
	return unknown{}
}

// listing makes a function that lists elements by one of their names.
func (p *Page) listing(key string, find func(name string) []value) value {
	return p.native(key, func(p *Page, _ value, args []value) value {
		t, is := one(argument(args, 0)).(*text)
		if !is || !t.known() {
			return unknown{}
		}
		t.consumed = true
		return p.browserList(find(t.s))
	})
}

// scripts are the scripts of the page, as far as it is read: the last is the one that asks.
func (p *Page) scripts() []value {
	found := p.elements(hint{name: "script"}, nil)
	if len(found) == 0 && p.script != nil && p.script.file != "" {
		return []value{p.fileAlone()}
	}
	if p.reading == nil {
		return found
	}
	own := p.elementAt(p.reading.at)
	if n := p.glance(own); n != nil {
		if _, later := attr(n, "defer"); later {
			return found
		}
		if _, later := attr(n, "async"); later {
			return found
		}
	}
	if i := slices.Index(found, value(own)); i >= 0 {
		return found[:i+1]
	}
	return found
}

// fileAlone is the element of a script that is read without its page.
func (p *Page) fileAlone() *object {
	o := p.phantom("script", nil)
	o.put("src", plain(p.script.file))
	return o
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

// writtenSource is where it is.
var writtenSource = regexp.MustCompile(`(?is)(?:^|\s)src\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))`)

// runWritten interprets the scripts in what is written, which a browser runs before it goes on; those in files when the script that wrote them has ended.
func (p *Page) runWritten(v value) {
	t, is := v.(*text)
	if !is || len(t.s) < len("<script></script") {
		return
	}
	p.cost(len(t.s) / 16)
	for _, m := range writtenScript.FindAllStringSubmatch(t.s, maxChoices) {
		attrs := strings.ToLower(m[1])
		if strings.Contains(attrs, "type") && !strings.Contains(attrs, "javascript") {
			continue
		}
		if at := writtenSource.FindStringSubmatch(m[1]); at != nil {
			if f := p.loading(p.object(), plain(html.UnescapeString(at[1]+at[2]+at[3]))); f != nil && p.reading != nil {
				p.written = append(p.written, f)
			} else if f != nil {
				p.jobs = append(p.jobs, f)
			}
		} else if m[2] != "" {
			p.fails(func() { p.code(p.derive(m[2], t), p.global) })
		}
	}
}

// elements is what a list of a browser's stands for: it has more than others.
type elements struct{}

// browserList is a list of a browser's.
func (p *Page) browserList(vals []value) *object {
	o := p.newList(vals)
	o.host = elements{}
	return o
}
