package script

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// jQuery is what most pages of twenty years use, and few have in themselves: as much of it as says what is asked for.
func (p *Page) jQuery() *object {
	f := p.native("jQuery", func(p *Page, _ value, args []value) value {
		switch of := one(argument(args, 0)).(type) {
		case *text:
			if s := strings.TrimSpace(of.s); strings.HasPrefix(s, "<") {
				p.sink(Markup, of)
				root := &html.Node{Type: html.ElementNode, Data: "div"}
				o := p.collection(p.insert(root, of))
				if props, is := one(argument(args, 1)).(*object); is {
					for _, key := range props.keys {
						p.jQueryMethods()["attr"](p, o, []value{plain(key), props.get(key)})
					}
				}
				return o
			}
			of.consumed, of.looked = true, true
			o := p.collection(nil)
			o.host = func() []value { // most are only given something
				found, _ := p.select1(of)
				return found
			}
			return o
		case *object:
			if of.fn != nil {
				p.later(of, nil, p.hostName("$"))
				return p.collection(nil)
			}
			switch of.class {
			case classJQuery:
				return of
			case classList:
				o := p.collection(nil)
				o.list = of.list
				return o
			}
			o := p.collection(nil)
			o.list = []value{of}
			return o
		}
		return p.collection(nil)
	})
	for name, m := range p.jQueryStatics() {
		f.put(name, p.native(name, m))
	}
	fn := p.object()
	f.put("fn", fn)
	f.put("prototype", fn)
	p.jqFn = fn
	return f
}

func (p *Page) collection(nodes []*html.Node) *object {
	o := p.object()
	o.class, o.proto = classJQuery, p.jqFn
	for _, n := range nodes {
		if n.Type == html.ElementNode {
			o.list = append(o.list, p.wrap(n))
		}
	}
	return o
}

// listOf is what a collection has.
func (p *Page) listOf(v value) []value {
	o, is := one(v).(*object)
	if !is {
		return nil
	}
	if find, is := o.host.(func() []value); is {
		o.host = nil
		o.list = find()
	}
	return o.list
}

func (p *Page) jQueryProperty(o *object, key string) value {
	if key == "length" {
		return float64(len(p.listOf(o)))
	}
	if i := index(key); i >= 0 {
		if list := p.listOf(o); i < len(list) {
			return list[i]
		}
		return nil
	}
	if m := p.jQueryMethods()[key]; m != nil {
		return p.builtin(classJQuery, key, m)
	}
	return p.native(key, func(p *Page, this value, args []value) value { // of a plug-in
		p.unknownCall(key, "", args, false)
		return this
	})
}

// newJQuery makes the methods of jQuery's collections, and what it has itself.
func newJQuery() (methods, statics map[string]method) {
	elements := func(p *Page, this value) []*object {
		var out []*object
		if _, is := one(this).(*object); is {
			list := p.listOf(this)
			p.cost(len(list) / 4)
			for _, v := range list {
				if el, is := v.(*object); is && el.class == classElement {
					out = append(out, el)
				}
			}
		}
		return out
	}
	markup := func(p *Page, this value, args []value) value {
		for _, arg := range args {
			switch v := one(arg).(type) {
			case *text:
				if strings.IndexByte(v.s, '<') >= 0 {
					p.sink(Markup, arg)
					if o, is := one(this).(*object); is && o.host == nil && len(o.list) > 0 {
						if el, is := o.list[0].(*object); is {
							p.withNode(el, func(n *html.Node) { p.insert(n, v) })
						}
					}
				}
			case *object:
				if v.fn != nil {
					p.sink(Markup, p.call(v, nil, unknowns(2)))
				}
			}
		}
		return this
	}
	filtered := func(keep func(p *Page, el *object, args []value) []*html.Node) method {
		return func(p *Page, this value, args []value) value {
			var out []*html.Node
			for _, el := range elements(p, this) {
				p.step()
				if out = append(out, keep(p, el, args)...); len(out) >= maxItems {
					break
				}
			}
			return p.collection(out)
		}
	}
	handler := func(p *Page, this value, args []value) value {
		for _, arg := range args {
			if f, is := one(arg).(*object); is && f.fn != nil && f.fn.code != nil {
				el := p.lazily("", lazy{look: func() (at uint32, found, sure bool) {
					if list := p.listOf(this); len(list) > 0 {
						return p.placeOf(list[0])
					}
					return 0, false, true
				}, find: func() *html.Node {
					if list := p.listOf(this); len(list) > 0 {
						return p.nodeOf(list[0])
					}
					return nil
				}})
				p.later(f, el, p.event("", el))
			}
		}
		return this
	}
	byName := func(p *Page, this value, args []value, set func(el *object, key string, v value), get func(el *object, key string) value, other func(key string) value) value {
		if all, is := one(argument(args, 0)).(*object); is && all.class == classPlain {
			for _, el := range elements(p, this) {
				for _, key := range all.keys {
					p.step()
					set(el, key, all.get(key))
				}
			}
			return this
		}
		key, is := one(argument(args, 0)).(*text)
		if !is || !key.known() {
			return unknown{}
		}
		key.consumed = true
		if f, is := one(argument(args, 1)).(*object); len(args) > 1 && (!is || f.fn == nil) {
			if o, is := one(this).(*object); is && o.host != nil { // whatever they are
				set(p.lazily("", lazy{}).(*object), key.s, args[1])
				return this
			}
		}
		els := elements(p, this)
		if len(args) < 2 {
			if len(els) == 0 {
				return other(key.s)
			}
			return get(els[0], key.s)
		}
		if len(els) == 0 && !isUnknown(args[1]) {
			set(p.createElement("img").(*object), key.s, args[1])
		}
		for i, el := range els {
			p.step()
			v := args[1]
			if f, is := one(v).(*object); is && f.fn != nil {
				v = p.call(f, el, []value{float64(i), get(el, key.s)})
			}
			set(el, key.s, v)
		}
		return this
	}
	methods = map[string]method{
		"each": func(p *Page, this value, args []value) value {
			for i, el := range p.listOf(this) {
				p.step()
				p.callback(argument(args, 0), el, float64(i), el)
			}
			return this
		},
		"map": func(p *Page, this value, args []value) value {
			out := p.collection(nil)
			for i, el := range p.listOf(this) {
				out.list = append(out.list, p.callback(argument(args, 0), el, float64(i), el))
			}
			return out
		},
		"get": func(p *Page, this value, args []value) value {
			list := p.listOf(this)
			if len(args) == 0 {
				return p.newList(slices.Clone(list))
			}
			return p.listMethods()["at"](p, p.newList(list), args)
		},
		"toArray": func(p *Page, this value, _ []value) value { return p.newList(slices.Clone(p.listOf(this))) },
		"attr": func(p *Page, this value, args []value) value {
			return byName(p, this, args, func(el *object, key string, v value) {
				switch key {
				case "html", "text":
					p.jQueryMethods()[key](p, p.collection([]*html.Node{p.nodeOf(el)}), []value{v})
				case "appendTo", "click", "load":
				case "class", "css":
				default:
					p.setAttribute(el, key, v)
				}
			}, func(el *object, key string) value {
				if t, has := p.attr(el, key); has {
					return t
				}
				return nil
			}, p.anyAttribute)
		},
		"prop": func(p *Page, this value, args []value) value {
			return byName(p, this, args, func(el *object, key string, v value) { p.put(el, key, v) }, func(el *object, key string) value { return p.get(el, key) }, func(string) value { return unknown{} })
		},
		"data": func(p *Page, this value, args []value) value {
			if len(args) == 0 {
				if els := elements(p, this); len(els) > 0 {
					return &object{class: classData, host: els[0]}
				}
				return unknown{}
			}
			return byName(p, this, args, func(el *object, key string, v value) { el.put("$"+key, v) }, func(el *object, key string) value {
				if v := el.get("$" + key); v != nil {
					return v
				}
				if t, has := p.attr(el, "data-"+dashed(key)); has {
					if s := strings.TrimSpace(t.s); s != "" && (s[0] == '{' || s[0] == '[') {
						return parseJSON(p, nil, []value{t})
					}
					if n := parseNumber(t.s); t.s != "" && n == n && formatNumber(n) == t.s {
						return n
					}
					return t
				}
				return nil
			}, func(key string) value { return p.anyAttribute("data-" + dashed(key)) })
		},
		"css": func(p *Page, this value, args []value) value {
			if all, is := one(argument(args, 0)).(*object); is {
				for _, key := range all.keys {
					p.sink(Style, all.get(key))
				}
			}
			if len(args) > 1 {
				p.sink(Style, args[1])
				return this
			}
			if _, is := one(argument(args, 0)).(*text); is {
				return unknown{}
			}
			return this
		},
		"val": func(p *Page, this value, args []value) value {
			if els := elements(p, this); len(args) == 0 && len(els) > 0 {
				return p.get(els[0], "value")
			}
			if len(args) == 0 {
				return unknown{}
			}
			return this
		},
		"text": func(p *Page, this value, args []value) value {
			els := elements(p, this)
			if len(args) > 0 {
				for _, el := range els {
					p.step()
					p.setElementProperty(el, "textContent", args[0])
				}
				return this
			}
			if len(els) == 0 {
				return unknown{}
			}
			return p.get(els[0], "textContent")
		},
		"html": func(p *Page, this value, args []value) value {
			if els := elements(p, this); len(args) == 0 {
				if len(els) == 0 {
					return unknown{}
				}
				return p.get(els[0], "innerHTML")
			}
			return markup(p, this, args)
		},
		"append": markup, "prepend": markup, "before": markup, "after": markup, "replaceWith": markup, "wrap": markup,
		"find": filtered(func(p *Page, el *object, args []value) []*html.Node {
			nodes, _ := p.selectAll(p.nodeOf(el), argument(args, 0))
			return nodes
		}),
		"children": filtered(func(p *Page, el *object, args []value) []*html.Node {
			var out []*html.Node
			for c := p.nodeOf(el).FirstChild; c != nil; c = c.NextSibling {
				p.cost(1)
				if c.Type == html.ElementNode {
					out = append(out, c)
				}
			}
			if len(args) > 0 {
				found, _ := p.selectAll(p.nodeOf(el), args[0])
				out = slices.DeleteFunc(out, func(n *html.Node) bool {
					p.cost(len(found) / 16)
					return !slices.Contains(found, n)
				})
			}
			return out
		}),
		"parent": filtered(func(p *Page, el *object, _ []value) []*html.Node {
			if n := p.nodeOf(el).Parent; n != nil {
				return []*html.Node{n}
			}
			return nil
		}),
		"closest": filtered(func(p *Page, el *object, args []value) []*html.Node {
			if n := p.nodeOf(p.elementMethods()["closest"](p, el, args)); n != nil {
				return []*html.Node{n}
			}
			return nil
		}),
		"next": filtered(func(p *Page, el *object, _ []value) []*html.Node {
			if n := p.element(p.nodeOf(el).NextSibling, func(n *html.Node) *html.Node { return n.NextSibling }); n != nil {
				return []*html.Node{n}
			}
			return nil
		}),
		"eq": func(p *Page, this value, args []value) value {
			o := p.collection(nil)
			if i, known := p.integer(args, 0, 0); known {
				list := p.listOf(this)
				if i < 0 {
					i += len(list)
				}
				if i >= 0 && i < len(list) {
					o.list = list[i : i+1]
				}
			}
			return o
		},
		"first": func(p *Page, this value, _ []value) value {
			return p.jQueryMethods()["eq"](p, this, []value{float64(0)})
		},
		"last": func(p *Page, this value, _ []value) value {
			return p.jQueryMethods()["eq"](p, this, []value{float64(-1)})
		},
		"load": func(p *Page, this value, args []value) value {
			if t, is := one(argument(args, 0)).(*text); is {
				to := t
				if address, _, more := strings.Cut(t.s, " "); more {
					to = p.derive(address, t)
				}
				if said := p.ask(to, nil); said != nil {
					p.jQueryMethods()["html"](p, this, []value{said})
				}
			}
			return handler(p, this, args)
		},
		"on": handler, "bind": handler, "ready": handler, "click": handler, "hover": handler, "one": handler, "change": handler, "scroll": handler, "delegate": handler, "live": handler, "mouseenter": handler,
		"is": nothing, "hasClass": nothing, "width": nothing, "height": nothing, "offset": nothing, "position": nothing, "index": nothing,
		"extend": func(p *Page, this value, args []value) value {
			if o, is := argument(args, 0).(*object); is && p.jqFn != nil {
				p.copyTo(p.jqFn, o)
			}
			return this
		},
	}
	// get asks, and gives what comes to the last function: as JSON when it says so.
	get := func(json bool) method {
		return func(p *Page, _ value, args []value) value {
			if o, is := one(argument(args, 0)).(*object); is && o.class == classPlain {
				return p.jQueryStatics()["ajax"](p, nil, args)
			}
			kind := value(nil)
			if len(args) > 2 {
				if t, is := one(args[len(args)-1]).(*text); is {
					kind = t
				}
			}
			if json {
				kind = plain("json")
			}
			to, known := p.withData(argument(args, 0), argument(args, 1))
			t := p.ask(to, nil)
			if !known {
				t = nil
			}
			return p.jqXHR(t, kind, cut(args, 1)...)
		}
	}
	post := func(p *Page, _ value, args []value) value {
		p.sends(true, argument(args, 0))
		return p.jqXHR(nil, nil, cut(args, 1)...)
	}
	statics = map[string]method{
		"get": get(false), "post": post, "getJSON": get(true), "getScript": func(p *Page, _ value, args []value) value {
			p.sink(Asked, argument(args, 0))
			p.load(p.object(), argument(args, 0))
			return p.jqXHR(nil, nil, cut(args, 1)...)
		},
		"ajax": func(p *Page, _ value, args []value) value {
			o, is := one(argument(args, 0)).(*object)
			to, known := argument(args, 0), true
			if is {
				to = p.get(o, "url")
			} else if o, is = one(argument(args, 1)).(*object); !is {
				o = p.object()
			}
			method := p.get(o, "type")
			if method == nil {
				method = p.get(o, "method")
			}
			if method == nil || isText(method, "get") || isText(method, "GET") {
				to, known = p.withData(to, p.get(o, "data"))
			}
			t, kind := p.ask(to, method), p.get(o, "dataType")
			if !known {
				t = nil
			}
			x := p.jqXHR(t, kind, o.get("success"))
			if v := x.get("responseText"); v != nil {
				p.later(o.get("complete"), nil, x, plain("success"))
				return x
			}
			for _, key := range [...]string{"complete", "error"} {
				p.later(o.get(key), nil, unknowns(3)...)
			}
			return x
		},
		"each": func(p *Page, _ value, args []value) value {
			of, is := one(argument(args, 0)).(*object)
			if !is {
				p.later(argument(args, 1), unknown{}, unknowns(2)...)
				return nil
			}
			if items, known := p.items(of); known {
				for i, v := range items {
					p.step()
					p.callback(argument(args, 1), v, float64(i), v)
				}
				return of
			}
			for _, key := range p.names(of) {
				p.step()
				p.callback(argument(args, 1), p.get(of, key), plain(key), p.get(of, key))
			}
			return of
		},
		"map": func(p *Page, _ value, args []value) value {
			return p.listMethods()["map"](p, argument(args, 0), cut(args, 1))
		},
		"grep": func(p *Page, _ value, args []value) value {
			return p.listMethods()["filter"](p, argument(args, 0), cut(args, 1))
		},
		"inArray": func(p *Page, _ value, args []value) value {
			return p.listMethods()["indexOf"](p, argument(args, 1), args[:min(1, len(args))])
		},
		"extend": func(p *Page, this value, args []value) value {
			if deep, is := argument(args, 0).(bool); is && deep {
				args = args[1:]
			}
			if len(args) == 1 {
				if o, is := this.(*object); is {
					args = []value{o, args[0]}
				}
			}
			return p.statics("Object")["assign"](p, nil, args)
		},
		"trim":    textMethodOf("trim"),
		"isArray": func(p *Page, _ value, args []value) value { return p.statics("Array")["isArray"](p, nil, args) },
		"isFunction": func(_ *Page, _ value, args []value) value {
			o, is := argument(args, 0).(*object)
			return is && o.fn != nil
		},
		"param":      func(p *Page, _ value, args []value) value { return p.urlText(newParams(p, nil, args).(*object)) },
		"parseJSON":  func(p *Page, _ value, args []value) value { return parseJSON(p, nil, args) },
		"noConflict": func(_ *Page, this value, _ []value) value { return this },
		"when": func(p *Page, _ value, args []value) value {
			if len(args) == 1 {
				if o, is := one(args[0]).(*object); is && promised(o) != nil {
					return o
				}
			}
			vals := make([]value, len(args))
			for i, arg := range args {
				vals[i] = unknown{}
				if o, is := one(arg).(*object); is && o.get("responseText") != nil {
					vals[i] = p.newList([]value{promised(o).val, plain("success"), o})
				} else if pr := promised(arg); pr != nil && pr.done && !pr.thrown {
					vals[i] = pr.val
				}
			}
			return p.deferred(p.object(), vals)
		},
	}
	return methods, statics
}

func textMethodOf(name string) method {
	return func(p *Page, _ value, args []value) value { return p.textMethods()[name](p, argument(args, 0), nil) }
}
