package script

import "slices"

// proxy is an object that asks functions what it does.
type proxy struct {
	target  value
	handler *object
}

func proxyOf(v value) *proxy {
	if o, is := v.(*object); is {
		px, _ := o.host.(*proxy)
		return px
	}
	return nil
}

// proxied is what a proxy stands for.
func proxied(v value) value {
	for n := 0; n < maxProtos; n++ {
		px := proxyOf(v)
		if px == nil {
			return v
		}
		v = one(px.target)
	}
	return unknown{}
}

// newProxy makes what asks functions.
func newProxy(p *Page, _ value, args []value) value {
	target := one(argument(args, 0))
	h, is := one(argument(args, 1)).(*object)
	if !is {
		return target
	}
	px := &proxy{target, h}
	for _, name := range [...]string{"get", "set", "has", "apply", "construct", "deleteProperty", "ownKeys"} {
		if f, is := h.get(name).(*object); is && f.fn != nil {
			f.fn.called = true // by what is done with the proxy, and nothing else
		}
	}
	o := p.object()
	o.class, o.host = classProxy, px
	if f, is := target.(*object); is && f.fn != nil {
		f.fn.called = true
		o.class = classFunction
		o.fn = &function{name: f.fn.name, called: true, native: func(p *Page, this value, args []value) value {
			if trap := p.trap(px, "apply"); trap != nil {
				return p.call(trap, h, []value{target, this, p.newList(slices.Clone(args))})
			}
			return p.call(f, this, args)
		}}
	}
	return o
}

func proxyStatics() map[string]method {
	return map[string]method{"revocable": func(p *Page, this value, args []value) value {
		o := p.object()
		o.put("proxy", newProxy(p, this, args))
		o.put("revoke", p.native("revoke", nothing))
		return o
	}}
}

// trap is a function that a proxy asks.
func (p *Page) trap(px *proxy, name string) *object {
	if f, is := one(p.get(px.handler, name)).(*object); is && f.fn != nil {
		return f
	}
	return nil
}

// proxyGet is a property of a proxy.
func (p *Page) proxyGet(px *proxy, key string, of value) value {
	p.down()
	defer func() { p.depth-- }()
	if trap := p.trap(px, "get"); trap != nil {
		return p.call(trap, px.handler, []value{px.target, p.keyValue(key), of})
	}
	target, is := px.target.(*object)
	if !is {
		return p.get(px.target, key)
	}
	return p.property(target, key, of)
}

func (p *Page) proxySet(px *proxy, key string, v, of value) {
	p.down()
	defer func() { p.depth-- }()
	if trap := p.trap(px, "set"); trap != nil {
		p.call(trap, px.handler, []value{px.target, p.keyValue(key), v, of})
		return
	}
	p.put(px.target, key, v)
}

// contains is key in o.
func (p *Page) contains(o *object, key string) value {
	p.down()
	defer func() { p.depth-- }()
	if px := proxyOf(o); px != nil {
		if trap := p.trap(px, "has"); trap != nil {
			is, known := truth(p.call(trap, px.handler, []value{px.target, p.keyValue(key)}))
			if !known {
				return unknown{}
			}
			return is
		}
		if target, is := px.target.(*object); is {
			return p.contains(target, key)
		}
		return unknown{}
	}
	if p.has(o, key) || key == "prototype" && o.fn != nil && (o.fn.class != nil || o.fn.code != nil && o.fn.arrow == nil) {
		return true
	}
	if el, is := o.host.(*object); is && o.class == classData {
		_, has := p.attr(el, "data-"+dashed(key))
		return has
	}
	if o.class == classPlain && !o.rooted() || o.class == classList || o.class == classFunction {
		return false
	}
	return unknown{}
}

// deleted takes a property from an object.
func (p *Page) deleted(v value, key string) value {
	o, is := v.(*object)
	if !is {
		return true
	}
	p.down()
	defer func() { p.depth-- }()
	if px := proxyOf(o); px != nil {
		if trap := p.trap(px, "deleteProperty"); trap != nil {
			return p.call(trap, px.handler, []value{px.target, p.keyValue(key)})
		}
		return p.deleted(px.target, key)
	}
	if o.solid {
		return false
	}
	if i := index(key); o.class == classList && i >= 0 && i < len(o.list) {
		o.list[i] = nil
	}
	p.cost(len(o.keys) / 64)
	o.remove(key)
	return true
}

// proxyNames are the names of the properties of a proxy.
func (p *Page) proxyNames(px *proxy) []string {
	p.down()
	defer func() { p.depth-- }()
	target, is := px.target.(*object)
	if trap := p.trap(px, "ownKeys"); trap != nil {
		items, _ := p.items(one(p.call(trap, px.handler, []value{px.target})))
		p.cost(len(items) / 4)
		var out []string
		for _, item := range items {
			if key, known := p.key(item); known && !isHidden(key) {
				out = append(out, key)
			}
		}
		return out
	}
	if !is {
		return nil
	}
	return p.names(target)
}

// proxyItems are what a loop over a proxy gets.
func (p *Page) proxyItems(o *object, px *proxy) ([]value, bool) {
	target, is := px.target.(*object)
	if !is {
		return p.items(px.target)
	}
	if p.trap(px, "get") == nil {
		return p.items(target)
	}
	if target.class != classList {
		if f, is := one(p.proxyGet(px, "@@iterator", o)).(*object); is && f.fn != nil {
			return p.items(one(p.call(f, o, nil)))
		}
		return nil, false
	}
	n, known := p.integer([]value{p.proxyGet(px, "length", o)}, 0, 0)
	if !known {
		n = len(target.list)
	}
	var out []value
	for i := range min(n, maxItems) {
		out = append(out, p.proxyGet(px, formatNumber(float64(i)), o))
	}
	return out, true
}

// withBound is the arguments of a function of which some are bound.
func (p *Page) withBound(bound, args []value) []value {
	p.cost((len(bound) + len(args)) / 4)
	all := slices.Concat(bound, args)
	return all[:min(len(all), maxItems)]
}

// newOf makes an object by new; false: of what is not known.
func (p *Page) newOf(callee value, args []value) (value, bool) {
	f, is := callee.(*object)
	for n := 0; is && f.fn != nil && f.fn.of != nil && n < maxProtos; n++ {
		f, args = f.fn.of, p.withBound(f.fn.given, args)
	}
	if !is || f.class != classFunction || f.fn == nil {
		return unknown{}, false
	}
	p.down()
	defer func() { p.depth-- }()
	if px := proxyOf(f); px != nil {
		if trap := p.trap(px, "construct"); trap != nil {
			return p.call(trap, px.handler, []value{px.target, p.newList(slices.Clone(args)), f}), true
		}
		return p.newOf(px.target, args)
	}
	if f.fn.native != nil {
		return f.fn.native(p, nil, args), true
	}
	return p.construct(f, args, f), true
}

func reflectStatics() map[string]method {
	keyed := func(do func(p *Page, o *object, key string, args []value) value) method {
		return func(p *Page, _ value, args []value) value {
			o, is := one(argument(args, 0)).(*object)
			key, known := p.key(one(argument(args, 1)))
			if !is || !known {
				return unknown{}
			}
			return do(p, o, key, args)
		}
	}
	static := func(name string) method {
		return func(p *Page, this value, args []value) value { return p.statics("Object")[name](p, this, args) }
	}
	return map[string]method{
		"ownKeys": static("getOwnPropertyNames"), "getPrototypeOf": static("getPrototypeOf"), "getOwnPropertyDescriptor": static("getOwnPropertyDescriptor"),
		"setPrototypeOf": func(p *Page, this value, args []value) value { static("setPrototypeOf")(p, this, args); return true },
		"defineProperty": func(p *Page, this value, args []value) value { static("defineProperty")(p, this, args); return true },
		"isExtensible":   func(*Page, value, []value) value { return true },
		"get": func(p *Page, _ value, args []value) value {
			o, is := argument(args, 0).(*object)
			key, known := p.key(one(argument(args, 1)))
			if !is || !known || len(args) < 3 {
				return p.indexed(argument(args, 0), argument(args, 1))
			}
			return p.property(o, key, args[2])
		},
		"set": keyed(func(p *Page, o *object, key string, args []value) value {
			p.put(o, key, argument(args, 2))
			return true
		}),
		"has":            keyed(func(p *Page, o *object, key string, _ []value) value { return p.contains(o, key) }),
		"deleteProperty": keyed(func(p *Page, o *object, key string, _ []value) value { return p.deleted(o, key) }),
		"construct": func(p *Page, _ value, args []value) value {
			items, _ := p.items(argument(args, 1))
			f, is := argument(args, 0).(*object)
			of, too := argument(args, 2).(*object)
			if is && too && f != of && f.fn != nil && of.fn != nil && (f.fn.code != nil || f.fn.class != nil) {
				return p.construct(f, items, of)
			}
			v, _ := p.newOf(argument(args, 0), items)
			return v
		},
		"apply": func(p *Page, _ value, args []value) value {
			items, _ := p.items(argument(args, 2))
			return p.callback(argument(args, 0), argument(args, 1), items...)
		},
	}
}

// onProxies makes methods of lists, which change them, of proxies too: those that are asked for what is set hear of it.
func onProxies(table map[string]method) {
	for _, name := range [...]string{"push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill"} {
		do := table[name]
		table[name] = func(p *Page, this value, args []value) value {
			px := proxyOf(this)
			target, is := proxied(this).(*object)
			if px == nil || !is || target.class != classList {
				return do(p, this, args)
			}
			if p.trap(px, "set") == nil {
				return do(p, target, args)
			}
			if name == "push" {
				for _, arg := range args {
					p.proxySet(px, formatNumber(float64(len(target.list))), arg, this)
				}
				p.proxySet(px, "length", float64(len(target.list)), this)
				return float64(len(target.list))
			}
			v := do(p, target, args)
			p.proxySet(px, "length", float64(len(target.list)), this)
			return v
		}
	}
}
