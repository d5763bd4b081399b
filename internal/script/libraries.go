package script

import "strings"

// library is what libraries give that pages have and this program has not, when their functions are called: axios, and Ajax of Prototype.
// nil: it is none of them. Pages that have these themselves know them as what they are.
func (p *Page) library(name, owner string, args []value) value {
	switch {
	case owner == "" && name == "axios", owner == "axios" && name == "request":
		if o, is := one(argument(args, 0)).(*object); is && o.class == classPlain {
			return p.axios(p.get(o, "url"), o, nil)
		}
		return p.axios(argument(args, 0), argument(args, 1), nil)
	case owner == "axios" && name == "get":
		return p.axios(argument(args, 0), argument(args, 1), plain("get"))
	case owner == "axios" && name == "create":
		o, _ := one(argument(args, 0)).(*object)
		return p.newAxios(o)
	case owner == "Ajax" && name == "Request":
		return p.ajax(argument(args, 0), argument(args, 1), nil)
	case owner == "Ajax" && name == "Updater":
		return p.ajax(argument(args, 1), argument(args, 2), argument(args, 0))
	}
	return nil
}

// axios asks for an address as axios does, by its settings.
func (p *Page) axios(to, settings, method value) value {
	known := true
	if o, is := one(settings).(*object); is && o.fn == nil {
		if method == nil {
			method = p.get(o, "method")
		}
		base, hasBase := one(p.get(o, "baseURL")).(*text)
		if t, is := one(to).(*text); is && hasBase && !strings.Contains(t.s, "://") && !strings.HasPrefix(t.s, "//") {
			to = p.make(strings.TrimSuffix(base.s, "/")+"/"+strings.TrimPrefix(t.s, "/"), base, t)
		}
		to, known = p.withData(to, p.get(o, "params"))
	}
	t := p.ask(to, method)
	if t == nil || !known {
		return p.resolved(unknown{})
	}
	r := p.phantom("response", nil)
	r.put("data", p.valueOf(t, nil))
	r.put("status", float64(200))
	return p.resolved(r)
}

// newAxios is an instance of axios with settings of its own.
func (p *Page) newAxios(own *object) value {
	with := func(settings value) value {
		all := p.object()
		if own != nil {
			p.copyTo(all, own)
		}
		if o, is := one(settings).(*object); is {
			p.copyTo(all, o)
		}
		return all
	}
	f := p.phantom("axios", map[string]method{
		"get": func(p *Page, _ value, args []value) value {
			return p.axios(argument(args, 0), with(argument(args, 1)), plain("get"))
		},
		"request": func(p *Page, _ value, args []value) value {
			o := with(argument(args, 0))
			return p.axios(p.get(o, "url"), o, nil)
		},
	})
	for _, other := range [...]string{"post", "put", "patch", "delete", "head"} {
		f.put(other, p.native(other, func(p *Page, _ value, args []value) value {
			return p.axios(argument(args, 0), with(nil), plain(other))
		}))
	}
	return f
}

// ajax asks for an address as Prototype does, and puts the answer into an element, when there is one.
func (p *Page) ajax(to, settings, into value) value {
	method, known := value(plain("post")), true // what it is when nothing is said
	o, _ := one(settings).(*object)
	if o != nil {
		if m := p.get(o, "method"); m != nil {
			method = m
		}
		if isText(method, "get") {
			to, known = p.withData(to, p.get(o, "parameters"))
		}
	}
	t := p.ask(to, method)
	if !known {
		t = nil
	}
	if t != nil && into != nil {
		p.sink(Markup, t)
	}
	if o != nil {
		args := unknowns(2)
		r := p.phantom("response", nil)
		r.put("status", float64(200))
		r.put(said, answered(t))
		p.tells(r, func(_ *Page, t *text) value { return t })
		args[0] = r
		for _, key := range [...]string{"onSuccess", "onComplete"} {
			p.later(o.get(key), o, args...)
		}
	}
	return unknown{}
}
