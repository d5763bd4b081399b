package script

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// viewLibrary is a library that shows what attributes say, by the name that pages know it by; nil: it is none.
func (p *Page) viewLibrary(name string) value {
	switch name {
	case "Alpine":
		return p.alpine()
	case "Vue":
		return p.vue()
	case "PetiteVue":
		return p.petiteVue()
	case "ko":
		return p.knockoutJS()
	}
	return nil
}

// alpineFile is how Alpine alone is called, not what a page has for it: alpine.min.js, alpine-3.13.js.
var alpineFile = regexp.MustCompile(`^alpine(?:js)?(?:[-.@]v?\d[\w.]*)?(?:[.-](?:esm|module|cdn|min))*(?:\.m?js)?$`)

// packageOf reports an address in which a package stands: /petite-vue@0.4/, petite-vue.es.js.
func packageOf(address, name string) bool {
	before, after, is := strings.Cut(address, name)
	return is && (before == "" || strings.HasSuffix(before, "/")) && (after == "" || strings.IndexByte("/@.", after[0]) >= 0)
}

// ViewLibrary is the name of a library of which the interpreter does what pages want of it itself, by its address or what a page imports it as; "": it is none.
func ViewLibrary(address string) string {
	address, _, _ = strings.Cut(address, "?")
	name := strings.ToLower(address[strings.LastIndexByte(address, '/')+1:])
	switch {
	case packageOf(address, "petite-vue"):
		return "PetiteVue"
	case packageOf(address, "alpinejs"), alpineFile.MatchString(name):
		return "Alpine"
	case address == "vue", strings.HasPrefix(name, "vue.esm-browser"), strings.HasPrefix(name, "vue@"), strings.HasPrefix(name, "vue.esm.browser"):
		return "Vue"
	}
	return ""
}

// alpine is Alpine, as far as it says what a page shows.
func (p *Page) alpine() value {
	of := p.viewsOf()
	o := p.phantom("Alpine", map[string]method{
		"data": func(p *Page, _ value, args []value) value {
			if name, is := one(argument(args, 0)).(*text); is {
				name.consumed = true
				of.data.put(name.s, argument(args, 1))
			}
			return nil
		},
		"store": func(p *Page, _ value, args []value) value {
			name, is := one(argument(args, 0)).(*text)
			if !is {
				return unknown{}
			}
			name.consumed = true
			if len(args) > 1 {
				of.stores.put(name.s, args[1])
				if o, is := one(args[1]).(*object); is {
					p.begun(o)
					p.later(p.get(o, "init"), o)
				}
			}
			return p.get(of.stores, name.s)
		},
		"$persist": persist,
		"reactive": func(_ *Page, _ value, args []value) value { return argument(args, 0) },
		"effect": func(p *Page, _ value, args []value) value {
			p.later(argument(args, 0), nil)
			return nil
		},
	})
	o.put("default", o)
	return o
}

// petiteVue is petite-vue: what a page gives it are the names of its expressions.
func (p *Page) petiteVue() value {
	of := p.viewsOf()
	o := p.phantom("PetiteVue", nil)
	o.put("reactive", p.native("reactive", func(_ *Page, _ value, args []value) value { return argument(args, 0) }))
	o.put("nextTick", p.native("nextTick", laterFirst))
	o.put("createApp", p.native("createApp", func(p *Page, _ value, args []value) value {
		if data, is := one(argument(args, 0)).(*object); is {
			of.data = data
			of.magic.parent.with = data
		}
		app := p.phantom("app", nil)
		for _, name := range [...]string{"mount", "directive", "use"} {
			app.put(name, p.native(name, func(p *Page, _ value, _ []value) value { return app }))
		}
		return app
	}))
	return o
}

// laterFirst calls a function that it is given first when all else is done.
func laterFirst(p *Page, this value, args []value) value {
	p.later(argument(args, 0), this)
	return p.resolved(unknown{})
}

// vue is Vue 2 and 3 as pages use it that were not built.
func (p *Page) vue() value {
	of := p.viewsOf()
	o := p.native("Vue", func(p *Page, _ value, args []value) value {
		options, is := one(argument(args, 0)).(*object)
		if !is {
			return unknown{}
		}
		at := p.object()
		p.instanceOf(at, options, nil)
		p.mount(at, options, p.get(options, "el"), true)
		at.put("$mount", p.native("$mount", func(p *Page, _ value, args []value) value {
			p.mount(at, options, argument(args, 0), true)
			return at
		}))
		return at
	})
	component := func(p *Page, this value, args []value) value {
		if name, is := one(argument(args, 0)).(*text); is && len(args) > 1 {
			name.consumed = true
			if c, is := one(args[1]).(*object); is {
				of.components[strings.TrimPrefix(dashed(name.s), "-")], of.components[strings.ToLower(name.s)] = c, c
			}
		}
		return this
	}
	itself := func(_ *Page, _ value, args []value) value { return argument(args, 0) }
	ref := func(p *Page, _ value, args []value) value { return p.ref(argument(args, 0)) }
	given := func(p *Page, _ value, args []value) value {
		if how, is := one(argument(args, 2)).(*object); is {
			if now, known := truth(p.get(how, "immediate")); known && now { // with what there is
				p.laterDo(func() {
					v := p.unref(args[0])
					if f, is := one(v).(*object); is && f.fn != nil {
						v = p.call(f, nil, nil)
					}
					p.later(args[1], nil, v, nil)
				})
				return nil
			}
		}
		for _, arg := range args { // what waits for a value waits no longer
			p.later(arg, nil, unknowns(2)...)
		}
		return nil
	}
	for name, m := range map[string]method{
		"component": component, "extend": itself, "defineComponent": itself, "reactive": itself, "shallowReactive": itself, "readonly": itself, "markRaw": itself, "toRaw": itself, "observable": itself,
		"ref": ref, "shallowRef": ref, "nextTick": laterFirst, "watch": given, "watchEffect": given,
		"onMounted": laterFirst, "onBeforeMount": laterFirst, "onCreated": laterFirst, "onActivated": laterFirst, "onUpdated": nothing, "onUnmounted": nothing,
		"set": func(p *Page, _ value, args []value) value {
			if key, known := p.key(argument(args, 1)); known {
				p.put(argument(args, 0), key, argument(args, 2))
			}
			return argument(args, 2)
		},
		"unref": func(p *Page, _ value, args []value) value { return p.unref(argument(args, 0)) },
		"computed": func(p *Page, _ value, args []value) value {
			r := p.ref(nil)
			r.own("value").get = p.computed(argument(args, 0), nil)
			return r
		},
		"toRef": func(p *Page, _ value, args []value) value {
			key, known := p.key(argument(args, 1))
			if !known {
				return p.ref(p.unref(argument(args, 0)))
			}
			r := p.ref(nil)
			r.own("value").get = p.native(key, func(p *Page, _ value, _ []value) value { return p.get(argument(args, 0), key) })
			return r
		},
		"toRefs": func(p *Page, _ value, args []value) value {
			from, is := one(argument(args, 0)).(*object)
			if !is {
				return unknown{}
			}
			all := p.object()
			for _, key := range from.keys {
				r := p.ref(nil)
				r.own("value").get = p.native(key, func(p *Page, _ value, _ []value) value { return p.get(from, key) })
				all.put(key, r)
			}
			return all
		},
		"createApp": func(p *Page, _ value, args []value) value {
			options, is := one(argument(args, 0)).(*object)
			if !is {
				return unknown{}
			}
			app := p.phantom("app", nil)
			app.put("component", p.native("component", component))
			app.put("config", p.phantom("config", nil))
			for _, name := range [...]string{"use", "directive", "provide", "mixin"} {
				app.put(name, p.native(name, func(_ *Page, _ value, _ []value) value { return app }))
			}
			app.put("mount", p.native("mount", func(p *Page, _ value, args []value) value {
				at := p.object()
				p.instanceOf(at, options, nil)
				p.mount(at, options, argument(args, 0), false)
				return at
			}))
			return app
		},
	} {
		o.put(name, p.native(name, m))
	}
	o.put("default", o)
	return o
}

// ref is a value that Vue watches.
func (p *Page) ref(v value) *object {
	r := p.object()
	r.put("value", v)
	r.add("__v_isRef", true)
	return r
}

// unref is what a value is that may be in a ref.
func (p *Page) unref(v value) value {
	if o, is := one(v).(*object); is && o.own("__v_isRef") != nil {
		return p.get(o, "value")
	}
	return v
}

// computed is a property of an instance that a function makes, or one of an object's.
func (p *Page) computed(f value, at *object) *object {
	o, is := one(f).(*object)
	if is && o.fn == nil {
		o, is = one(p.get(o, "get")).(*object)
	}
	if !is || o.fn == nil {
		return p.native("get", nothing)
	}
	o.fn.called = true
	return p.native("get", func(p *Page, _ value, _ []value) value {
		if at == nil {
			return p.call(o, nil, nil)
		}
		return p.call(o, at, []value{at})
	})
}

// instanceOf makes an object what a component's options say, with what it was given.
func (p *Page) instanceOf(at, options *object, props map[string]value) {
	each := func(key string, do func(name string, v value)) {
		if o, is := one(p.get(options, key)).(*object); is && o.fn == nil {
			for _, name := range o.keys {
				do(name, p.get(o, name))
			}
		}
	}
	if mixins, is := one(p.get(options, "mixins")).(*object); is && !p.viewsOf().mixing {
		p.views.mixing = true
		defer func() { p.views.mixing = false }()
		for _, m := range mixins.list {
			if m, is := one(m).(*object); is {
				p.guarded(func() value {
					p.instanceOf(at, m, props)
					return nil
				})
			}
		}
		p.views.mixing = false
	}
	if names, is := one(p.get(options, "props")).(*object); is && names.class == classList { // not given
		for _, name := range names.list {
			if t, is := one(name).(*text); is && t.known() {
				t.consumed = true
				at.put(t.s, nil)
			}
		}
	}
	each("props", func(name string, v value) { at.put(name, p.absent(v)) })
	for name, v := range props {
		at.put(name, v)
	}
	each("methods", func(name string, v value) { at.put(name, v) })
	fill := func(v value) {
		if o, is := one(v).(*object); is && o.fn == nil {
			for _, name := range o.keys {
				at.put(name, p.get(o, name))
			}
		}
	}
	data := p.get(options, "data")
	if f, is := one(data).(*object); is && f.fn != nil {
		data = p.guarded(func() value { return p.call(f, at, []value{at}) })
	}
	fill(data)
	each("computed", func(name string, v value) {
		at.put(name, nil)
		at.own(name).get = p.computed(v, at)
	})
	if f, is := one(p.get(options, "setup")).(*object); is && f.fn != nil {
		said := p.guarded(func() value { return p.call(f, nil, []value{at, p.phantom("context", nil)}) })
		if o, is := one(said).(*object); is && o.fn == nil {
			for _, name := range o.keys {
				v := p.get(o, name)
				at.put(name, v)
				if r, is := one(v).(*object); is && r.own("__v_isRef") != nil {
					pr := at.own(name)
					pr.get = p.native(name, func(p *Page, _ value, _ []value) value { return p.get(r, "value") })
					pr.set = p.native(name, func(p *Page, _ value, args []value) value {
						p.put(r, "value", argument(args, 0))
						return nil
					})
				}
			}
		}
	}
	for name, m := range map[string]method{"$nextTick": laterFirst, "$watch": nothing, "$emit": nothing, "$on": nothing, "$set": func(p *Page, _ value, args []value) value {
		if key, known := p.key(argument(args, 1)); known {
			p.put(argument(args, 0), key, argument(args, 2))
		}
		return nil
	}} {
		at.add(name, p.native(name, m))
	}
	at.add("$refs", p.newObject(classPhantom))
	at.add("$props", at)
	for _, hook := range [...]string{"beforeCreate", "created", "beforeMount", "mounted"} {
		p.later(p.get(options, hook), at)
	}
	each("watch", func(name string, v value) {
		o, is := one(v).(*object)
		if is && o.fn == nil {
			v = p.get(o, "handler")
		}
		if f, is := one(v).(*object); is && f.fn != nil && len(p.jobs) < maxJobs {
			p.jobs = append(p.jobs, func() { p.call(f, at, []value{p.get(at, name), unknown{}}) })
		}
	})
}

// absent is what a property is that a component was not given.
func (p *Page) absent(says value) value {
	o, is := one(says).(*object)
	if !is {
		return nil
	}
	typ := o
	if o.fn == nil {
		typ, _ = one(p.get(o, "type")).(*object)
	}
	of := ""
	if typ != nil && typ.fn != nil {
		of = typ.fn.name
	}
	if o.fn != nil || o.own("default") == nil {
		if of == "Boolean" {
			return false
		}
		return nil
	}
	v := p.get(o, "default")
	if f, is := one(v).(*object); is && f.fn != nil && of != "Function" {
		return p.guarded(func() value { return p.call(f, nil, nil) })
	}
	return v
}

// propOf is the name that a component has for an attribute; false: it is no property of it, as far as it says.
func (p *Page) propOf(options *object, key string) (name string, is bool) {
	name = camel(key)
	props, _ := one(p.get(options, "props")).(*object)
	if props == nil {
		return name, false
	}
	p.cost(len(props.list) + len(props.keys))
	for _, k := range props.keys {
		if strings.EqualFold(k, name) { // attributes of the tree are lower-case
			return k, true
		}
	}
	for _, k := range props.list {
		if t, is := one(k).(*text); is && strings.EqualFold(t.s, name) {
			return t.s, true
		}
	}
	return name, false
}

// mount shows an instance in an element of the page, or in its template. Vue 2 reads the element itself, too.
func (p *Page) mount(at, options *object, el value, two bool) {
	if el == nil {
		return
	}
	root := p.templateOf(options)
	whole := root == nil && two
	if root == nil {
		switch v := one(el).(type) {
		case *text:
			v.consumed = true
			if found, known := p.select1(v); known && len(found) > 0 {
				el = found[0]
			}
		}
		root = p.nodeOf(el)
	}
	if root == nil {
		return
	}
	vars := p.local(options)
	p.showNow(view{func() *html.Node { return root }, &env{block: true, with: at, parent: &env{block: true, with: vars, parent: p.viewsOf().magic}}, whole})
}

// local is an object with the components that only a component knows, under names that no expression has.
func (p *Page) local(options *object) *object {
	o := p.object()
	if c, is := one(p.get(options, "components")).(*object); is {
		for _, name := range c.keys {
			o.add("<"+dashed(name), p.get(c, name))
			o.add("<"+strings.ToLower(name), p.get(c, name))
			if name != "" {
				o.add("<"+strings.TrimPrefix(dashed(name), "-"), p.get(c, name))
			}
		}
	}
	return o
}

// templateOf is what a component says that it shows; nil: nothing.
func (p *Page) templateOf(options *object) *html.Node {
	of := p.viewsOf()
	if n, has := of.templates[options]; has || len(of.templates) >= maxItems {
		return n
	}
	t, _ := one(p.get(options, "template")).(*text)
	if t == nil {
		t, _ = one(p.get(options, "$template")).(*text)
	}
	var n *html.Node
	if t != nil && strings.HasPrefix(t.s, "#") {
		t.consumed = true
		found, _ := p.select1(t)
		t = nil
		if len(found) > 0 {
			if n = p.nodeOf(found[0]); n != nil && n.Data == "script" {
				n = p.partsOf(p.ofPage(p.textContent(n)))
			}
		}
	}
	if t != nil && strings.IndexByte(t.s, '<') >= 0 {
		t.consumed = true
		n = p.partsOf(t)
	}
	of.templates[options] = n
	return n
}

// partsOf is a tree of what a template says, which may be rows of a table.
func (p *Page) partsOf(t *text) *html.Node {
	if s := strings.TrimSpace(t.s); strings.HasPrefix(s, "<t") || strings.HasPrefix(s, "<T") {
		t = p.ofPage("<template>" + s + "</template>")
	}
	return p.nodeOf(p.fragment(t))
}

// component is the one that an element stands for, by its name or what it says that it is.
func (p *Page) component(n *html.Node, at *env) *object {
	named := n.Data
	for _, a := range n.Attr {
		if a.Key == "is" {
			named = strings.TrimPrefix(a.Val, "vue:")
		} else if kind, of := directive(a.Key); kind == "bind" && of == "is" {
			switch v := one(p.evaluate(a.Val, at, n, nil)).(type) {
			case *text:
				v.consumed = true
				named = strings.ToLower(v.s)
			case *object:
				return v
			}
		}
	}
	if c := p.views.components[named]; c != nil {
		return c
	}
	for e := at; e != nil; e = e.parent {
		if e.with != nil {
			if o, is := one(e.with.get("<" + named)).(*object); is {
				return o
			}
		}
	}
	return nil
}

// showComponent shows a component with what its element gives it.
func (p *Page) showComponent(n *html.Node, at *env, options *object) {
	of := p.views
	root := p.templateOf(options)
	if root == nil || of.nested >= maxNested {
		return
	}
	key := viewKey{n: n, outer: at, i: -2}
	e, props := of.envs[key], map[string]value{}
	give := func(key string, v value) {
		switch key {
		case "key", "class", "ref", "is":
			told(p, nil, []value{v})
			return
		}
		name, is := p.propOf(options, key)
		switch {
		case e == nil:
			props[name] = v
		case is: // what it is given now
			e.with.put(name, v)
		}
	}
	for _, a := range n.Attr {
		switch kind, name := directive(a.Key); {
		case kind == "bind":
			v := p.evaluate(a.Val, at, n, nil)
			if name != "" {
				give(name, v)
			} else if o, is := one(v).(*object); is {
				for _, key := range o.keys {
					give(key, p.get(o, key))
				}
			}
		case kind == "" && e == nil:
			give(a.Key, p.ofPage(a.Val))
		}
	}
	if e == nil {
		o := p.object()
		p.instanceOf(o, options, props)
		e = &env{block: true, with: o, parent: &env{block: true, with: p.local(options), parent: of.magic}}
		of.envs[key] = e
	}
	of.nested++
	defer func() { of.nested-- }()
	p.showAll(root, e)
}
