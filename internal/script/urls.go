package script

import (
	"net/url"
	"path"
	"strings"
)

// HostOfPage stands in an address for the host of the page.
const HostOfPage = "\x00host"

// PathOfPage stands in an address for the path of the page, up to its last slash.
const PathOfPage = "\x00path"

// address is what a URL object is of.
type address struct {
	base   *text // without its query
	params *object
	hash   string
}

// params are those of an address, or of none.
type params struct {
	entries
	raw *text // nobody changed them
}

// newURL is new URL(a, b). Where the page is stays out of it: what is relative to that stays relative.
func newURL(p *Page, _ value, args []value) value {
	return p.lift2(argument(args, 0), argument(args, 1), func(ref, base value) value {
		said := func(v value) *text {
			if o, is := v.(*object); is && o.class == classLocation {
				if href, is := p.locationProperty("href").(*text); is {
					return href
				}
			}
			return p.textOf(v)
		}
		t := said(ref)
		if isUnknown(ref) {
			return unknown{}
		}
		if base != nil {
			b := said(base)
			if isUnknown(base) {
				b = &text{page: true}
			}
			t = p.resolveRef(b, t)
		}
		return p.urlOf(t)
	})
}

// resolveRef is an address that is relative to another.
func (p *Page) resolveRef(base, ref *text) *text {
	p.cost((len(base.s) + len(ref.s)) / 64)
	if base.page && base.s == "" {
		if base.module {
			return &text{s: ref.s, parts: []*text{ref}, module: true, lit: ref.lit, from: ref.from}
		}
		return ref
	}
	if base.known() && ref.known() && base.s != "" && base.s[0] != '/' && !strings.Contains(base.s, "//") && (ref.s == "" || ref.s[0] != '/') && !strings.Contains(ref.s, "//") { // relative to the page
		return p.make(path.Join(path.Dir(base.s+"x"), ref.s), base, ref)
	}
	b, err := url.Parse(strings.ReplaceAll(base.s, HostOfPage, "host.invalid"))
	if err != nil || !base.known() {
		return ref
	}
	r, err := b.Parse(ref.s)
	if err != nil || strings.Contains(ref.s, string(Hole)) {
		if i := strings.LastIndexByte(base.s, '/'); i >= 0 && !strings.HasPrefix(ref.s, "/") {
			return p.make(base.s[:i+1]+ref.s, base, ref)
		}
		return ref
	}
	return p.make(strings.ReplaceAll(r.String(), "host.invalid", HostOfPage), base, ref)
}

func (p *Page) urlOf(t *text) *object {
	o := p.object()
	o.class = classURL
	s, hash, _ := strings.Cut(t.s, "#")
	before, query, has := strings.Cut(s, "?")
	a := &address{base: t, hash: hash}
	if has || hash != "" {
		a.base = p.derive(before, t)
		a.base.page, a.base.module = t.page, t.module
	}
	a.params = p.object()
	a.params.class = classParams
	a.params.host = p.parseParams(query)
	o.host = a
	return o
}

func (p *Page) parseParams(query string) *params {
	ps := &params{}
	if query == "" {
		return ps
	}
	ps.raw = plain(query)
	p.cost(len(query) / 64)
	for pair := range strings.SplitSeq(query, "&") {
		if p.step(); len(ps.keys) >= maxItems {
			break
		}
		key, val, _ := strings.Cut(pair, "=")
		ps.keys, ps.vals = append(ps.keys, plain(queryDecoded(key))), append(ps.vals, value(plain(queryDecoded(val))))
	}
	return ps
}

func queryDecoded(s string) string {
	if out, err := url.QueryUnescape(s); err == nil {
		return out
	}
	return s
}

func newParams(p *Page, _ value, args []value) value {
	o := p.object()
	o.class = classParams
	ps := &params{}
	o.host = ps
	switch of := one(argument(args, 0)).(type) {
	case *text:
		*ps = *p.parseParams(strings.TrimPrefix(of.s, "?"))
		of.consumed = true
	case *object:
		if of.class == classPlain {
			for _, key := range p.names(of) {
				ps.keys, ps.vals = append(ps.keys, plain(key)), append(ps.vals, p.get(of, key))
			}
			break
		}
		items, _ := p.items(of)
		for _, item := range items {
			if pair, known := p.items(item); known && len(pair) > 1 {
				ps.keys, ps.vals = append(ps.keys, pair[0]), append(ps.vals, pair[1])
			}
		}
	}
	return o
}

// queryOf is the parameters as a text.
func (p *Page) queryOf(ps *params) *text {
	if ps.raw != nil {
		return ps.raw
	}
	p.cost(len(ps.keys))
	var w strings.Builder
	var parts []*text
	for i := 0; i < len(ps.keys); i++ { // which what is no text may change
		if w.Len() > maxText {
			return hole()
		}
		if i > 0 {
			w.WriteByte('&')
		}
		k, v := one(ps.keys[i]), one(ps.vals[i])
		key, val := p.textOf(k), p.textOf(v)
		parts = append(parts, key, val)
		w.WriteString(formCoded(key.s) + "=" + formCoded(val.s))
	}
	return p.make(w.String(), parts...)
}

var formReplacer = strings.NewReplacer("%2A", "*", "~", "%7E")

func formCoded(s string) string {
	pieces := strings.Split(s, string(Hole))
	for i, piece := range pieces {
		pieces[i] = formReplacer.Replace(url.QueryEscape(piece))
	}
	return strings.Join(pieces, string(Hole))
}

// urlText is a URL object, or parameters, as a text.
func (p *Page) urlText(o *object) *text {
	if ps, is := o.host.(*params); is {
		return p.queryOf(ps)
	}
	a, is := o.host.(*address)
	if !is {
		return hole()
	}
	out := a.base
	if ps := a.params.host.(*params); len(ps.keys) > 0 {
		query := p.queryOf(ps)
		out = p.make(out.s+"?"+query.s, a.base, query)
	}
	if a.hash != "" {
		out = p.derive(out.s+"#"+a.hash, out)
	}
	return out
}

// urlProperty is what a URL object has.
func (p *Page) urlProperty(o *object, key string) (value, bool) {
	a, is := o.host.(*address)
	if !is {
		return unknown{}, true
	}
	p.cost(len(a.base.s) / 64)
	u, err := url.Parse(strings.ReplaceAll(a.base.s, HostOfPage, "host.invalid"))
	whole := err == nil && u.Host != "" && u.Host != "host.invalid"
	switch key {
	case "href", "toString", "toJSON":
		if key != "href" {
			return p.native(key, func(p *Page, this value, _ []value) value { return p.urlText(o) }), true
		}
		return p.urlText(o), true
	case "searchParams":
		return a.params, true
	case "search":
		if q := p.queryOf(a.params.host.(*params)); q.s != "" {
			return p.derive("?"+q.s, q), true
		}
		return plain(""), true
	case "hash":
		if a.hash == "" {
			return plain(""), true
		}
		return plain("#" + a.hash), true
	case "pathname":
		if err != nil {
			return unknown{}, true
		}
		if !strings.HasPrefix(u.Path, "/") && u.Host == "" {
			return a.base, true
		}
		return p.derive(u.EscapedPath(), a.base), true
	case "origin":
		if !whole {
			return &text{page: true}, true
		}
		return p.derive(u.Scheme+"://"+u.Host, a.base), true
	case "host", "hostname":
		if !whole {
			return &text{s: HostOfPage, page: true}, true
		}
		return p.derive(u.Host, a.base), true
	case "protocol":
		if !whole {
			return &text{page: true}, true
		}
		return plain(u.Scheme + ":"), true
	}
	return nil, false
}

func (p *Page) setURL(o *object, key string, v value) {
	a, is := o.host.(*address)
	if !is {
		return
	}
	t := p.textOf(one(v))
	switch key {
	case "href":
		o.host = p.urlOf(t).host
	case "search":
		a.params.host = p.parseParams(strings.TrimPrefix(t.s, "?"))
	case "hash":
		a.hash = strings.TrimPrefix(t.s, "#")
	case "pathname":
		u, err := url.Parse(a.base.s)
		if err != nil {
			return
		}
		to := t.s
		if !strings.HasPrefix(to, "/") && (u.Host != "" || strings.HasPrefix(u.Path, "/")) {
			to = "/" + to
		}
		if u.Host != "" {
			to = u.Scheme + "://" + u.Host + to
		}
		a.base = p.make(to, a.base, t)
	case "host", "hostname", "protocol", "port":
		t.consumed = true
	}
}

// newParamsMethods makes the methods of parameters.
func newParamsMethods() map[string]method {
	of := func(v value) *params {
		if o, is := one(v).(*object); is {
			if ps, is := o.host.(*params); is {
				return ps
			}
		}
		return &params{}
	}
	add := func(p *Page, this value, args []value) value {
		ps := of(this)
		if ps.raw = nil; len(ps.keys) < maxItems {
			ps.keys, ps.vals = append(ps.keys, argument(args, 0)), append(ps.vals, argument(args, 1))
		}
		return nil
	}
	made := map[string]method{
		"append": add,
		"set": func(p *Page, this value, args []value) value {
			ps := of(this)
			ps.raw = nil
			if i, _ := p.entry(&ps.entries, argument(args, 0)); i >= 0 {
				ps.vals[i] = argument(args, 1)
				return nil
			}
			return add(p, this, args)
		},
		"get": func(p *Page, this value, args []value) value {
			ps := of(this)
			if i, _ := p.entry(&ps.entries, argument(args, 0)); i >= 0 {
				return ps.vals[i]
			}
			return null{}
		},
		"has": func(p *Page, this value, args []value) value {
			ps := of(this)
			i, _ := p.entry(&ps.entries, argument(args, 0))
			return i >= 0
		},
		"delete": func(p *Page, this value, args []value) value {
			ps := of(this)
			ps.raw = nil
			return p.mapMethods()["delete"](p, &object{host: &ps.entries}, args)
		},
		"toString": func(p *Page, this value, _ []value) value { return p.queryOf(of(this)) },
		"forEach": func(p *Page, this value, args []value) value {
			ps := of(this)
			for i := 0; i < len(ps.keys); i++ {
				p.step()
				p.callback(argument(args, 0), nil, ps.vals[i], ps.keys[i])
			}
			return nil
		},
		"entries": func(p *Page, this value, _ []value) value {
			return &object{class: classIterator, list: p.entries(this)}
		},
		"sort": func(*Page, value, []value) value { return nil },
	}
	return made
}
