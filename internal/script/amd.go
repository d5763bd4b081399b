package script

import (
	"cmp"
	"path"
	"strings"
)

// amd is what a page tells RequireJS, which its scripts have and this program has not: where the modules are that they ask for by their
// names (its "baseUrl", "paths" and "urlArgs").
type amd struct {
	base, query string
	beside      bool // the base is the folder of the module that the page names, or of the page
	paths       map[string]string
	mapped      map[string]string      // names that modules are called by, to those that they have ("map")
	shims       map[string]*object     // what is said of scripts that define nothing ("shim")
	config      *object                // what modules are told, by their names
	here        map[string]*definition // modules that scripts define, by their names
	values      map[string]value       // what those of other files are, by their addresses
	defines     *definition            // what a file defines that is read; nil: none is read
	name        string                 // of that file
}

// definition is what a module needs, and what it is, or makes it.
type definition struct {
	needs   []value
	factory value
	listed  bool // it says what it needs
	value   value
	made    bool
	exports *object // what it gives by the module "exports"
}

// requireJS makes the functions of RequireJS.
func (p *Page) requireJS(name string) value {
	if name == "define" {
		return p.native(name, func(p *Page, _ value, args []value) value {
			d, named := &definition{}, ""
			if t, is := one(argument(args, 0)).(*text); is {
				t.consumed, t.looked = true, true
				named = t.s
				p.loader().here[named] = d
				args = args[1:]
			}
			d.factory = argument(args, 0)
			if l, is := one(argument(args, 0)).(*object); is && l.class == classList {
				d.needs, d.listed, d.factory = l.list, true, argument(args, 1)
			}
			switch a := p.amd; {
			case a != nil && a.defines != nil: // by a file
				if named == "" || named == a.name {
					a.defines = d
				}
			case named != "":
				p.namedModules(d.needs)
				p.laterDo(func() { p.moduleOf(d) })
			default:
				return p.requires(args)
			}
			return unknown{}
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
	if c, is := one(o.get("config")).(*object); is {
		a.config = c
	}
	if deps, is := one(o.get("deps")).(*object); is && deps.class == classList {
		defer func() { p.requires([]value{deps}) }()
	}
	a.said(p, o)
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

// said takes what settings say of modules by their names: what others call them ("map", of "*" as of any), that they are packages, and what they
// need and make when they define nothing ("shim").
func (a *amd) said(p *Page, o *object) {
	each := func(of value, do func(key string, v value)) {
		if o, is := one(of).(*object); is && o.class == classPlain {
			p.cost(len(o.keys))
			for _, key := range o.keys[:min(len(o.keys), maxItems)] {
				do(key, one(p.get(o, key)))
			}
		}
	}
	text := func(v value) string {
		if t, is := one(v).(*text); is && t.known() {
			t.consumed, t.looked = true, true
			return t.s
		}
		return ""
	}
	each(o.get("map"), func(_ string, names value) {
		each(names, func(from string, to value) {
			if to := text(to); to != "" && a.mapped[from] == "" {
				if a.mapped == nil {
					a.mapped = map[string]string{}
				}
				a.mapped[from] = to
			}
		})
	})
	each(o.get("shim"), func(name string, v value) {
		s, is := v.(*object)
		switch {
		case !is:
			return
		case s.class == classList: // what it needs
			deps := s
			s = p.object()
			s.put("deps", deps)
		}
		text(s.get("exports"))
		if a.shims == nil {
			a.shims = map[string]*object{}
		}
		a.shims[name] = s
	})
	packages, _ := one(o.get("packages")).(*object)
	if packages == nil {
		return
	}
	for _, v := range packages.list[:min(len(packages.list), maxItems)] {
		name, location, main := text(v), "", ""
		if o, is := one(v).(*object); is {
			name, location, main = text(o.get("name")), text(o.get("location")), text(o.get("main"))
		}
		if name == "" {
			continue
		}
		if location != "" {
			a.paths[name] = location
		}
		if a.mapped == nil {
			a.mapped = map[string]string{}
		}
		a.mapped[name] = name + "/" + strings.TrimSuffix(strings.TrimPrefix(cmp.Or(main, "main"), "./"), ".js")
	}
}

// requires asks for the modules of a list, and calls what waits for them.
func (p *Page) requires(args []value) value {
	l, is := one(argument(args, 0)).(*object)
	if !is || l.class != classList {
		for _, arg := range args {
			if f, is := one(arg).(*object); is && f.fn != nil {
				p.later(f, nil, p.unknowns(f)...)
			}
		}
		return unknown{}
	}
	names := p.namedModules(l.list)
	f, _ := one(argument(args, 1)).(*object)
	p.laterDo(func() {
		p.patience = p.effort.script // modules are scripts
		p.floor = max(p.steps-p.patience, 0)
		if vals := p.modulesOf(names, nil); f != nil && f.fn != nil {
			f.fn.called = true
			p.call(f, nil, vals)
		}
	})
	if f, is := one(argument(args, 2)).(*object); is && f.fn != nil { // when it fails
		p.later(f, nil, p.unknowns(f)...)
	}
	return unknown{}
}

// RequireJS has what a page, or what it loads, calls RequireJS by, in place of the library: it begins with what the page set before as "require".
// Modules are beside the one that the page names, if any (data-main), unless that says where.
func (p *Page) RequireJS(main string) {
	p.begin(p.isAMD)
	for _, name := range [...]string{"require", "requirejs"} {
		pr := p.global.own(name)
		if pr == nil {
			continue
		}
		o, is := pr.val.(*object)
		if is && o.fn != nil {
			return // a script has it itself
		}
		p.global.remove(name)
		if is {
			p.begin(func() { p.loader().set(p, o) })
		}
	}
	if a := p.loader(); a.base == "" {
		a.beside = true
		a.base = main[:strings.LastIndexByte(main, '/')+1]
	}
}

// isAMD says to what asks for it that modules can be defined (define.amd).
func (p *Page) isAMD() {
	if o, is := p.hostName("define").(*object); is && o.own("amd") == nil {
		o.put("amd", p.object())
	}
}

// begin does something of the page that none of its scripts does.
func (p *Page) begin(do func()) {
	p.start()
	p.script = &Script{nth: -1}
	p.job(p.steps/2+1, p.effort.callback, do)
}

// Main asks for the module that a page names for RequireJS (data-main), unless a script of the page has RequireJS itself.
func (p *Page) Main(name string) {
	if pr := p.global.own("require"); pr != nil {
		if o, is := pr.val.(*object); is && o.fn != nil {
			return
		}
	}
	p.begin(func() {
		p.isAMD()
		a, name := p.loader(), strings.TrimSuffix(name, ".js")
		switch i := strings.LastIndexByte(name, '/') + 1; {
		case a.beside:
			name = name[i:]
		case a.base == "":
			a.base, name = name[:i], name[i:]
			a.beside = true
		}
		p.requires([]value{p.newList([]value{plain(name)})})
	})
}

// laterDo does something when the script that is read has ended.
func (p *Page) laterDo(do func()) {
	if len(p.jobs) < maxJobs {
		p.jobs = append(p.jobs, do)
	}
}

// need is a module that another needs, by its name and where it is; "": not known.
type need struct {
	name    string
	address *text
	isText  bool
}

// namedModules asks for modules.
func (p *Page) namedModules(names []value) []need {
	needs := make([]need, min(len(names), maxItems))
	for i, item := range names[:len(needs)] {
		t, is := one(item).(*text)
		if !is || !t.known() {
			continue
		}
		t.consumed, t.looked = true, true
		needs[i].name = t.s
		if p.amd == nil {
			continue // nobody knows where they are
		}
		needs[i].name = p.amd.named(t.s)
		if p.amd.here[needs[i].name] != nil {
			continue
		}
		if plugin, _, is := strings.Cut(needs[i].name, "!"); is && p.amd.here[plugin] == nil { // a module, too
			if at := p.amd.module(plugin); at != "" {
				p.sink(Asked, p.make(at, t))
			}
		}
		address := p.amd.module(needs[i].name)
		if address == "" {
			continue
		}
		made := p.make(address, t)
		made.module = !p.amd.beside && strings.HasPrefix(address, "./")
		needs[i].address, needs[i].isText = made, strings.HasPrefix(t.s, "text!")
		if needs[i].isText {
			p.sink(Reads, made)
		} else {
			p.sink(Asked, made)
		}
	}
	return needs
}

// modulesOf are what modules are that the one of a definition needs, as far as that is known.
func (p *Page) modulesOf(needs []need, of *definition) []value {
	vals := make([]value, len(needs))
	for i, n := range needs {
		vals[i] = unknown{}
		switch {
		case of != nil && n.name == "exports":
			vals[i] = p.exportsOf(of)
		case n.name == "require":
			vals[i] = p.hostName("require")
		case of != nil && n.name == "module":
			vals[i] = p.aboutModule(of)
		case p.amd == nil:
		case p.amd.here[n.name] != nil:
			vals[i] = p.moduleOf(p.amd.here[n.name])
		case n.name == "jquery", n.name == "zepto": // as this program has it
			vals[i] = p.hostName("jQuery")
		case n.address == nil:
		case n.isText:
			vals[i] = answered(p.ask(n.address, nil))
		default:
			vals[i] = p.fileModule(n.address, n.name)
		}
	}
	return vals
}

// named is the name of a module that another calls by where it is beside it.
func (a *amd) named(name string) string {
	if to := a.mapped[name]; to != "" {
		return to
	}
	if !strings.HasPrefix(name, "./") && !strings.HasPrefix(name, "../") || a.defines == nil {
		return name
	}
	return path.Join(path.Dir(a.name), name)
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
	shim := a.shims[name]
	if shim != nil {
		if deps, is := one(shim.get("deps")).(*object); is {
			p.modulesOf(p.namedModules(deps.list), nil)
		}
	}
	outer, before := a.defines, a.name
	a.defines, a.name = &definition{}, name
	defer func() { a.defines, a.name = outer, before }()
	p.run(s, nil)
	v := p.moduleOf(a.defines)
	if shim != nil && a.defines.factory == nil {
		if t, is := one(shim.get("exports")).(*text); is && t.known() {
			v = p.global
			for part := range strings.SplitSeq(t.s, ".") {
				v = p.get(v, part)
			}
		}
	}
	a.values[address.s] = v
	return v
}

// moduleOf is what a module is: what it says, or what its factory makes of what it needs.
func (p *Page) moduleOf(d *definition) value {
	if d.made {
		return d.value
	}
	d.made, d.value = true, unknown{}
	f, is := one(d.factory).(*object)
	switch {
	case !is:
		return d.value
	case f.fn == nil:
		d.value = f
		return f
	}
	f.fn.called = true
	m := p.aboutModule(d)
	args := []value{p.native("require", func(p *Page, _ value, args []value) value {
		if vals := p.modulesOf(p.namedModules(args[:min(len(args), 1)]), nil); len(vals) > 0 {
			return vals[0]
		}
		return unknown{}
	}), d.exports, m}
	if d.listed {
		args = p.modulesOf(p.namedModules(d.needs), d)
	}
	if d.value = p.call(f, nil, args); d.value == nil {
		d.value = m.get("exports")
	}
	return d.value
}

// aboutModule is what a module is told of itself (RequireJS's "module").
func (p *Page) aboutModule(d *definition) *object {
	m := p.object()
	m.put("exports", p.exportsOf(d))
	name := p.loader().name
	m.put("id", plain(name))
	m.put("config", p.native("config", func(p *Page, _ value, _ []value) value {
		if c := p.loader().config; c != nil && c.own(name) != nil {
			return c.get(name)
		}
		return p.object()
	}))
	return m
}

// exportsOf is what a module gives by its exports.
func (p *Page) exportsOf(d *definition) *object {
	if d.exports == nil {
		d.exports = p.object()
	}
	return d.exports
}

// module is where a module is loaded from; "" for what RequireJS has itself, and for plug-ins other than those for texts and style sheets.
func (a *amd) module(name string) string {
	name, text := strings.CutPrefix(name, "text!")
	ext := ".js"
	if sheet, is := strings.CutPrefix(name, "css!"); is {
		name, ext = strings.TrimSuffix(sheet, ".css"), ".css"
	}
	switch {
	case name == "require", name == "exports", name == "module", name == "", strings.HasPrefix(name, "../") && ext == ".js", strings.Contains(name, "!"), a.here[name] != nil:
		return ""
	case name[0] == '/', strings.HasSuffix(name, ".js"), strings.Contains(name, "://"):
		return name
	}
	if ext == ".js" {
		name = strings.TrimPrefix(name, "./")
	}
	for end := len(name); end > 0; end = strings.LastIndexByte(name[:end], '/') { // the longest name that has a place
		if path := a.paths[name[:end]]; path != "" {
			name = path + name[end:]
			break
		}
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
