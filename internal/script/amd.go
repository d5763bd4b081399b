package script

import (
	"path"
	"strings"
)

// amd is what a page tells RequireJS, which its scripts have and this program has not: where the modules are that they ask for by their
// names (its "baseUrl", "paths" and "urlArgs").
type amd struct {
	base, query string
	paths       map[string]string
	here        map[string]*definition // modules that scripts define, by their names
	values      map[string]value       // what those of other files are, by their addresses
	defines     *definition            // what a file defines that is read
	folder      string                 // of its name, "" or with a slash at its end
}

// definition is what a module needs, and what it is, or makes it.
type definition struct {
	needs   []value
	factory value
	listed  bool // it says what it needs
	value   value
	made    bool
}

// requireJS makes the functions of RequireJS.
func (p *Page) requireJS(name string) value {
	if name == "define" {
		return p.native(name, func(p *Page, _ value, args []value) value {
			d := &definition{}
			if t, is := one(argument(args, 0)).(*text); is {
				t.consumed, t.looked = true, true
				p.loader().here[t.s] = d
				args = args[1:]
			}
			if l, is := one(argument(args, 0)).(*object); is && l.class == classList {
				d.needs, d.listed = l.list, true
				d.factory = argument(args, 1)
			} else {
				d.factory = argument(args, 0)
			}
			if p.amd != nil && p.amd.defines != nil {
				*p.amd.defines = *d
				return unknown{}
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
		p.amd = &amd{paths: map[string]string{}, here: map[string]*definition{}, values: map[string]value{}}
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
	var vals []value
	if l, is := one(argument(args, 0)).(*object); is && l.class == classList {
		vals = p.needed(l.list)
		args = args[1:]
	}
	for _, arg := range args {
		if f, is := one(arg).(*object); is && f.fn != nil {
			p.later(f, nil, append(vals, cut(p.unknowns(f), len(vals))...)...)
		}
	}
	return unknown{}
}

// needed asks for modules, and returns what is known of them.
func (p *Page) needed(names []value) []value {
	vals := unknowns(len(names))
	for i, item := range names[:len(vals)] {
		t, is := one(item).(*text)
		if !is || !t.known() {
			continue
		}
		t.consumed, t.looked = true, true
		if p.amd == nil {
			continue // nobody knows where they are
		}
		name, isText := p.amd.named(t.s), strings.HasPrefix(t.s, "text!")
		if d := p.amd.here[name]; d != nil {
			vals[i] = p.define1(d)
			continue
		}
		address := p.amd.module(name)
		if address == "" {
			continue
		}
		made := p.make(address, t)
		made.module = strings.HasPrefix(address, "./")
		if isText {
			if said := p.ask(made, nil); said != nil {
				vals[i] = said
			}
			continue
		}
		p.sink(Asked, made)
		vals[i] = p.fileModule(made, name)
	}
	return vals
}

// named is the name of a module that another calls by where it is beside it.
func (a *amd) named(name string) string {
	if !strings.HasPrefix(name, "./") && !strings.HasPrefix(name, "../") || a.defines == nil {
		return name
	}
	return path.Join(a.folder, name)
}

// fileModule is what the module of a file is, as far as its text is known.
func (p *Page) fileModule(address *text, name string) value {
	a := p.amd
	if v, has := a.values[address.s]; has {
		return v
	}
	a.values[address.s] = unknown{} // for those that need each other
	if p.doc.source.File == nil || p.baseURL() == nil || p.calls >= maxCalls/2 {
		return unknown{}
	}
	s := p.file(p.whole(address).s, false)
	if s == nil {
		return unknown{}
	}
	outer, folder := a.defines, a.folder
	d := &definition{}
	a.defines, a.folder = d, name[:strings.LastIndexByte(name, '/')+1]
	defer func() { a.defines, a.folder = outer, folder }()
	p.aside(func() { p.run(s, nil) })
	v := p.define1(d)
	a.values[address.s] = v
	return v
}

// define1 is what a module is: what it says, or what its factory makes of what it needs.
func (p *Page) define1(d *definition) value {
	if d.made {
		return d.value
	}
	d.made, d.value = true, unknown{}
	f, is := one(d.factory).(*object)
	switch {
	case !is:
	case f.fn == nil:
		d.value = f
	case d.listed:
		vals := p.needed(d.needs)
		d.value = p.call(f, nil, vals)
	default:
		exports, m := p.object(), p.object()
		m.put("exports", exports)
		require := p.native("require", func(p *Page, _ value, args []value) value {
			if vals := p.needed(args[:min(len(args), 1)]); len(vals) > 0 {
				return vals[0]
			}
			return unknown{}
		})
		if d.value = p.call(f, nil, []value{require, exports, m}); d.value == nil {
			d.value = m.get("exports")
		}
	}
	return d.value
}

// module is where a module is loaded from; "" for what RequireJS has itself, and for plug-ins other than those for texts and style sheets.
func (a *amd) module(name string) string {
	name, text := strings.CutPrefix(name, "text!")
	ext := ".js"
	if sheet, is := strings.CutPrefix(name, "css!"); is {
		name, ext = strings.TrimSuffix(sheet, ".css"), ".css"
	}
	switch {
	case name == "require", name == "exports", name == "module", name == "", name[0] == '.' && ext == ".js", strings.Contains(name, "!"), a.here[name] != nil:
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
