package script

import (
	"strings"

	"golang.org/x/net/html"
)

// knockoutJS is Knockout: observables are functions, and what stands in data-bind is made of them.
func (p *Page) knockoutJS() value {
	of := p.viewsOf()
	of.knockout = true
	ko := p.phantom("ko", nil)
	observable := func(p *Page, _ value, args []value) value { return p.observable(argument(args, 0)) }
	computed := func(p *Page, _ value, args []value) value {
		f, on := argument(args, 0), argument(args, 1)
		if o, is := one(f).(*object); is && o.fn == nil {
			f, on = p.get(o, "read"), p.get(o, "owner")
		}
		o := p.observable(nil)
		if read, is := one(f).(*object); is && read.fn != nil {
			read.fn.called = true
			o.fn.native = func(p *Page, _ value, args []value) value {
				if len(args) > 0 {
					return nil
				}
				return p.call(read, on, nil)
			}
		}
		return o
	}
	unwrap := func(p *Page, _ value, args []value) value { return p.unwrap(argument(args, 0)) }
	for name, m := range map[string]method{
		"observable": observable, "observableArray": func(p *Page, this value, args []value) value {
			if len(args) == 0 {
				args = []value{p.newList(nil)}
			}
			return observable(p, this, args)
		}, "computed": computed, "pureComputed": computed, "dependentObservable": computed, "unwrap": unwrap, "toJS": unwrap,
		"isObservable": func(_ *Page, _ value, args []value) value {
			o, is := one(argument(args, 0)).(*object)
			return is && o.own("@observable") != nil
		},
		"applyBindings": func(p *Page, _ value, args []value) value {
			data := argument(args, 0)
			root := p.nodeOf(argument(args, 1))
			p.showNow(view{func() *html.Node {
				if root == nil {
					return p.rootNode()
				}
				return root
			}, p.context(data, nil, nil), false})
			return nil
		},
	} {
		ko.put(name, p.native(name, m))
	}
	utils := p.phantom("utils", nil)
	over := func(what string) method {
		return func(p *Page, _ value, args []value) value {
			m := p.listMethods()[what]
			list, is := one(p.unwrap(argument(args, 0))).(*object)
			if m == nil || !is || list.class != classList {
				return unknown{}
			}
			return m(p, list, args[1:])
		}
	}
	for name, what := range map[string]string{"arrayMap": "map", "arrayForEach": "forEach", "arrayFilter": "filter", "arrayFirst": "find", "arrayIndexOf": "indexOf"} {
		utils.put(name, p.native(name, over(what)))
	}
	utils.put("unwrapObservable", p.native("unwrapObservable", unwrap))
	ko.put("utils", utils)
	components := p.phantom("components", nil)
	components.put("register", p.native("register", func(p *Page, _ value, args []value) value {
		name, is := one(argument(args, 0)).(*text)
		if c, has := one(argument(args, 1)).(*object); is && has {
			name.consumed = true
			of.components[name.s] = c
		}
		return nil
	}))
	ko.put("components", components)
	return ko
}

// observable is a function that tells a value, or is told one.
func (p *Page) observable(v value) *object {
	o := p.native("observable", nil)
	o.add("@observable", true)
	o.add("@value", v)
	o.fn.native = func(p *Page, this value, args []value) value {
		if len(args) == 0 {
			return o.get("@value")
		}
		o.put("@value", args[0])
		return this
	}
	for _, name := range [...]string{"push", "unshift", "splice", "concat", "slice", "map", "filter", "forEach", "indexOf", "reverse", "sort", "pop", "shift"} {
		o.add(name, p.native(name, func(p *Page, _ value, args []value) value {
			list, is := one(o.get("@value")).(*object)
			if m := p.listMethods()[name]; m != nil && is && list.class == classList {
				return m(p, list, args)
			}
			return unknown{}
		}))
	}
	o.add("removeAll", p.native("removeAll", func(p *Page, _ value, _ []value) value {
		o.put("@value", p.newList(nil))
		return nil
	}))
	o.add("peek", p.native("peek", func(*Page, value, []value) value { return o.get("@value") }))
	o.add("extend", p.native("extend", func(*Page, value, []value) value { return o }))
	o.add("subscribe", p.native("subscribe", func(p *Page, _ value, args []value) value {
		if f, is := one(argument(args, 0)).(*object); is && f.fn != nil && len(p.jobs) < maxJobs {
			p.acts = append(p.acts, func() { p.call(f, argument(args, 1), []value{o.get("@value")}) })
		}
		return p.phantom("subscription", nil)
	}))
	return o
}

// unwrap is what an observable tells, or a value itself.
func (p *Page) unwrap(v value) value {
	if o, is := one(v).(*object); is && o.own("@observable") != nil {
		return p.call(o, nil, nil)
	}
	return v
}

// context is what Knockout's expressions know of something: its own names, and those of what is around it.
func (p *Page) context(data value, outer *env, more *object) *env {
	data = p.unwrap(data)
	vars := more
	if vars == nil {
		vars = p.object()
	}
	vars.add("$data", data)
	if outer == nil {
		vars.add("$root", data)
		outer = p.viewsOf().magic
	} else {
		for e := outer; e != nil; e = e.parent {
			if e.with != nil && e.with.own("$data") != nil {
				parent, all := e.with.get("$data"), []value{e.with.get("$data")}
				if above, is := e.with.get("$parents").(*object); is {
					p.cost(len(above.list) / 4)
					all = append(all, above.list...)
				}
				vars.add("$parent", parent)
				vars.add("$parents", p.newList(all))
				vars.add("$parentContext", e.with)
				break
			}
		}
	}
	at := &env{block: true, with: vars, parent: outer}
	if o, is := one(data).(*object); is {
		at = &env{block: true, with: o, parent: at}
	}
	return at
}

// showBound reads an element with a data-bind attribute.
func (p *Page) showBound(n *html.Node, at *env, code string) {
	bindings, is := one(p.evaluate("{"+code+"}", at, n, nil)).(*object)
	if !is {
		p.showAll(n, at)
		return
	}
	shell := p.wrap(p.copyNode(n, false, 0)).(*object)
	if o, is := one(p.unwrap(bindings.get("attr"))).(*object); is {
		for _, key := range o.keys {
			p.bound(shell, key, p.unwrap(p.get(o, key)))
		}
	}
	if o, is := one(p.unwrap(bindings.get("style"))).(*object); is {
		for _, key := range o.keys {
			p.sink(Style, p.unwrap(p.get(o, key)))
		}
	}
	for _, key := range [...]string{"src", "href"} { // as plug-ins have them
		if v := bindings.get(key); v != nil {
			p.bound(shell, key, p.unwrap(v))
		}
	}
	p.sink(Markup, p.unwrap(bindings.get("html")))
	for _, key := range [...]string{"click", "submit"} {
		if f, is := one(bindings.get(key)).(*object); is && f.fn != nil && !f.fn.called && len(p.acts) < maxJobs {
			f.fn.called = true
			p.acts = append(p.acts, func() {
				var data value
				if v := p.viewsOf(); v != nil && at.with != nil {
					data = at.with
				}
				p.call(f, data, []value{data, p.event(key, p.wrap(n))})
			})
		}
	}
	p.showInside(n, bindings, at, func(e *env) { p.showAll(n, e) })
}

// showInside reads what bindings repeat, show or replace.
func (p *Page) showInside(n *html.Node, bindings *object, at *env, show func(e *env)) {
	for _, key := range bindings.keys {
		v := bindings.get(key)
		switch key {
		case "if", "ifnot":
			if is, known := truth(p.unwrap(v)); known && is == (key == "ifnot") {
				return
			}
		case "with", "using", "let":
			v = p.unwrap(v)
			if is, known := truth(v); known && !is {
				return
			}
			at = p.context(v, at, nil)
		case "foreach":
			p.showForEach(n, v, "", at, show)
			return
		case "template":
			p.showTemplate(n, p.unwrap(v), at, show)
			return
		case "component":
			p.showNamed(n, p.unwrap(v), at)
			return
		}
	}
	show(at)
}

func (p *Page) showForEach(n *html.Node, v value, as string, at *env, show func(e *env)) {
	v = p.unwrap(v)
	if o, is := one(v).(*object); is && o.class == classPlain {
		if t, is := one(o.get("as")).(*text); is {
			as = t.s
		}
		v = p.unwrap(p.get(o, "data"))
	}
	vals, keys := p.repeats(v)
	for i, v := range vals {
		vars := p.object()
		vars.add("$index", p.observable(keys[i]))
		if as != "" {
			vars.add(as, p.unwrap(v))
		}
		show(p.context(v, at, vars))
	}
}

// showTemplate shows a template by its name, once or for each of a list.
func (p *Page) showTemplate(n *html.Node, v value, at *env, show func(e *env)) {
	name, _ := one(v).(*text)
	o, is := one(v).(*object)
	if is {
		name, _ = one(p.unwrap(p.get(o, "name"))).(*text)
	}
	if name != nil {
		name.consumed = true
		root := p.templateNamed(name)
		if root == nil {
			return
		}
		show = func(e *env) { p.showAll(root, e) }
	}
	if !is {
		show(at)
		return
	}
	if list := o.get("foreach"); list != nil {
		as := ""
		if t, is := one(o.get("as")).(*text); is {
			as = t.s
		}
		p.showForEach(n, list, as, at, show)
		return
	}
	if data := o.get("data"); data != nil {
		at = p.context(data, at, nil)
	}
	show(at)
}

// templateNamed is the template of an element by its id.
func (p *Page) templateNamed(id *text) *html.Node {
	n := p.nodeOf(p.byID(id.s))
	if n == nil || n.Data != "script" && n.Data != "textarea" {
		return n
	}
	o := p.wrap(n).(*object)
	if root, has := p.views.templates[o]; has {
		return root
	}
	root := p.partsOf(p.ofPage(p.textContent(n)))
	p.views.templates[o] = root
	return root
}

// showNamed shows a component of Knockout's that a binding names.
func (p *Page) showNamed(n *html.Node, v value, at *env) {
	var params value
	name, _ := one(v).(*text)
	if o, is := one(v).(*object); is {
		name, _ = one(p.unwrap(p.get(o, "name"))).(*text)
		params = p.unwrap(p.get(o, "params"))
	}
	if name == nil {
		return
	}
	name.consumed = true
	if c := p.views.components[name.s]; c != nil {
		p.showKnockout(n, c, params, at)
	}
}

// showKnockout shows a component of Knockout's with what it is given.
func (p *Page) showKnockout(n *html.Node, c *object, params value, at *env) {
	if p.views.nested >= maxNested {
		return
	}
	root := p.templateOf(c)
	if root == nil {
		if o, is := one(p.get(c, "template")).(*object); is {
			if id, is := one(o.get("element")).(*text); is {
				root = p.templateNamed(id)
			}
		}
	}
	if root == nil {
		return
	}
	of := p.views
	of.nested++
	defer func() { of.nested-- }()
	key := viewKey{n: n, outer: at, i: -3}
	if e := of.envs[key]; e != nil { // it has what it asked for
		p.showAll(root, e)
		return
	}
	data := p.get(c, "viewModel")
	if f, is := one(data).(*object); is && f.fn != nil {
		data = p.guarded(func() value { return p.initialise(f, p.object(), []value{params}) })
	} else if is {
		if makes, is := one(p.get(f, "createViewModel")).(*object); is && makes.fn != nil {
			data = p.guarded(func() value { return p.call(makes, f, []value{params, unknown{}}) })
		} else if made := f.get("instance"); made != nil {
			data = made
		}
	}
	vars := p.object()
	vars.add("$component", p.unwrap(data))
	of.envs[key] = p.context(data, at, vars)
	p.showAll(root, of.envs[key])
}

// showComment reads what stands between comments of Knockout's, and returns what follows; nil: it is another comment.
func (p *Page) showComment(n *html.Node, at *env) *html.Node {
	code, is := strings.CutPrefix(strings.TrimSpace(n.Data), "ko ")
	if !is || !p.views.knockout {
		return nil
	}
	depth, end := 1, n.NextSibling
	for ; end != nil && depth > 0; end = end.NextSibling {
		p.step()
		if end.Type == html.CommentNode {
			switch s := strings.TrimSpace(end.Data); {
			case strings.HasPrefix(s, "ko "):
				depth++
			case s == "/ko":
				depth--
			}
		}
	}
	bindings, is := one(p.evaluate("{"+code+"}", at, n.Parent, nil)).(*object)
	if !is {
		return nil
	}
	p.showInside(n, bindings, at, func(e *env) { p.showSiblings(n.NextSibling, end, e) })
	if end == nil {
		end = &html.Node{Type: html.TextNode}
	}
	return end
}
