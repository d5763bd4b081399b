package script

import "strings"

// amd is what a page tells RequireJS, which its scripts have and this program has not: where the modules are that they ask for by their
// names (its "baseUrl", "paths" and "urlArgs").
type amd struct {
	base, query string
	paths       map[string]string
	here        map[string]bool // modules that scripts define
}

// requireJS makes the functions of RequireJS.
func (p *Page) requireJS(name string) value {
	if name == "define" {
		return p.native(name, func(p *Page, _ value, args []value) value {
			if t, is := one(argument(args, 0)).(*text); is {
				t.consumed, t.looked = true, true
				p.loader().here[t.s] = true
				args = args[1:]
			}
			return p.requires(args)
		})
	}
	f := p.native(name, func(p *Page, _ value, args []value) value { return p.requires(args) })
	f.put("config", p.native("config", func(p *Page, _ value, args []value) value {
		if o, is := one(argument(args, 0)).(*object); is {
			p.loader().set(p, o)
		}
		return nil
	}))
	return f
}

func (p *Page) loader() *amd {
	if p.amd == nil {
		p.amd = &amd{paths: map[string]string{}, here: map[string]bool{}}
	}
	return p.amd
}

func (a *amd) set(p *Page, o *object) {
	said := func(key string) (string, bool) {
		t, is := one(o.get(key)).(*text)
		if !is || !t.known() {
			return "", false
		}
		t.consumed, t.looked = true, true
		return t.s, true
	}
	if s, is := said("baseUrl"); is {
		a.base = s
	}
	if s, is := said("urlArgs"); is {
		a.query = s
	}
	paths, _ := one(o.get("paths")).(*object)
	if paths == nil {
		return
	}
	p.cost(len(paths.keys))
	for _, key := range paths.keys {
		v := one(paths.get(key))
		if l, is := v.(*object); is && len(l.list) > 0 {
			v = one(l.list[0])
		}
		if t, is := v.(*text); is && t.known() && len(a.paths) < maxItems {
			t.consumed, t.looked = true, true
			a.paths[key] = t.s
		}
	}
}

// requires asks for the modules of a list, and calls what waits for them.
func (p *Page) requires(args []value) value {
	if l, is := one(argument(args, 0)).(*object); is && l.class == classList {
		for _, item := range l.list {
			t, is := one(item).(*text)
			if !is || !t.known() {
				continue
			}
			t.consumed, t.looked = true, true
			if p.amd == nil {
				continue // nobody knows where they are
			}
			if address := p.amd.module(t.s); address != "" {
				made := p.make(address, t)
				made.module = strings.HasPrefix(address, "./")
				p.sink(Asked, made)
			}
		}
		args = args[1:]
	}
	for _, arg := range args {
		if f, is := one(arg).(*object); is && f.fn != nil {
			p.later(f, nil, p.unknowns(f)...)
		}
	}
	return unknown{}
}

// module is where a module is loaded from; "" for what RequireJS has itself, and for plug-ins other than those for texts and style sheets.
func (a *amd) module(name string) string {
	name, text := strings.CutPrefix(name, "text!")
	ext := ".js"
	if sheet, is := strings.CutPrefix(name, "css!"); is {
		name, ext = strings.TrimSuffix(sheet, ".css"), ".css"
	}
	switch {
	case name == "require", name == "exports", name == "module", name == "", name[0] == '.' && ext == ".js", strings.Contains(name, "!"), a.here[name]:
		return ""
	case name[0] == '/', strings.HasSuffix(name, ".js"), strings.Contains(name, "://"):
		return name
	}
	first, rest, more := strings.Cut(name, "/")
	if path := a.paths[name]; path != "" {
		name = path
	} else if path := a.paths[first]; more && path != "" {
		name = path + "/" + rest
	}
	base := a.base
	switch {
	case name[0] == '/' || strings.Contains(name, "://"):
		base = ""
	case base == "":
		base = "./"
	case !strings.HasSuffix(base, "/"):
		base += "/"
	}
	if !text && !strings.HasSuffix(name, ext) {
		name += ext
	}
	if a.query != "" {
		name += "?" + a.query
	}
	return base + name
}
