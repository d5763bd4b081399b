package script

import (
	"net/url"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// files are the scripts of other files that those of a page load, as far as their texts are known (ADR 115).
type files struct {
	modules map[string]*object // what those export that were imported, by their addresses
	loaded  map[string]bool    // scripts that elements were made for
	of      map[*object]bool   // such elements; true: the script ran
}

// file is a script of another file; nil: its text is not known.
func (p *Page) file(address string, module bool) *Script {
	if p.doc.source.File == nil {
		return nil
	}
	s, nth := p.doc.source.File(address, module)
	if s == nil {
		return nil
	}
	p.steps += len(s.src) / bytesPerStep
	p.made += bytesPerByte * len(s.src)
	s = p.ownTree(s)
	s.nth, s.from = nth, address
	p.ran = append(p.ran, s)
	return s
}

// run interprets a script in the middle of another, which has its patience and its depth again behind it.
func (p *Page) run(s *Script, exports *object) {
	script, depth, calls, patience := p.script, p.depth, p.calls, p.patience
	p.job(p.steps/2+1, p.effort.script, func() {
		p.now, p.script, p.weak, p.depth, p.calls = p.frameOf(s), s, 0, depth+1, calls+1
		p.now.exports = exports
		p.readScript(s)
	})
	p.script, p.depth, p.calls, p.patience = script, depth, calls, patience
	p.floor = max(p.steps-patience, 0)
	if p.steps <= 0 || p.stopped {
		p.ends()
	}
}

// frameOf is what a script is read in.
func (p *Page) frameOf(s *Script) *frame {
	return &frame{env: &env{}, this: p.thisOf(s), top: !s.module, strict: s.module || isStrict(s.ast.List)}
}

// readScript reads the statements of a script, whose frame p.now is.
func (p *Page) readScript(s *Script) {
	p.hoist(s.ast.List)
	if s.module {
		p.link(s)
	}
	p.block(s.ast.List)
}

// link says what a module exports, and gives it what it imports: in this order, for those that import each other.
func (p *Page) link(s *Script) {
	if p.now.exports != nil {
		for _, st := range s.ast.List {
			if st, is := st.(*js.ExportStmt); is && st.Module == nil {
				p.exports(s, st)
			}
		}
	}
	imported := map[string]value{}
	for _, st := range s.ast.List {
		switch st := st.(type) {
		case *js.ImportStmt:
			if from := p.imports(st.Module); from != nil {
				p.imported1(s, st, from, imported)
			}
		case *js.ExportStmt:
			if st.Module == nil {
				continue
			}
			if from := p.imports(st.Module); from != nil && p.now.exports != nil {
				p.exportsFrom(st, from)
			}
		}
	}
	if p.now.exports == nil {
		return
	}
	for _, st := range s.ast.List { // what is only handed on
		if st, is := st.(*js.ExportStmt); is && st.Module == nil {
			for _, a := range st.List {
				if v, has := imported[string(localOf(a))]; has && p.now.exports.own(sourceText(a.Binding)) == nil {
					p.now.exports.put(sourceText(a.Binding), v)
				}
			}
		}
	}
}

// localOf is the name that a module has itself for what it exports.
func localOf(a js.Alias) []byte {
	if a.Name != nil {
		return a.Name
	}
	return a.Binding
}

// imported1 gives names of a module what another exports.
func (p *Page) imported1(s *Script, st *js.ImportStmt, from *object, all map[string]value) {
	bind := func(local, name []byte) {
		v := value(from)
		if string(name) != "*" {
			v = p.exported(from, sourceText(name))
		}
		all[string(local)] = v
		if name := global(s, local); name != nil {
			p.now.env.add(binding{name, v, 0})
		}
	}
	if st.Default != nil {
		bind(st.Default, []byte("default"))
	}
	for _, a := range st.List {
		if a.Binding != nil {
			bind(a.Binding, localOf(a))
		}
	}
}

// exported is what a module gives by a name.
func (p *Page) exported(from *object, name string) value {
	if from.own(name) == nil {
		return unknown{}
	}
	return p.get(from, name)
}

// exportsFrom hands on what another module exports.
func (p *Page) exportsFrom(st *js.ExportStmt, from *object) {
	exports := p.now.exports
	for _, a := range st.List {
		name, of := sourceText(a.Binding), sourceText(localOf(a))
		switch {
		case a.Binding == nil:
		case name == "*":
			p.cost(len(from.keys))
			for _, key := range from.keys {
				if key != "default" && exports.own(key) == nil {
					exports.put(key, p.exported(from, key))
				}
			}
		case of == "*":
			exports.put(name, from)
		default:
			exports.put(name, p.exported(from, of))
		}
	}
}

// exports says what a statement exports that the module has itself. What a name means is looked for when it is asked for.
func (p *Page) exports(s *Script, st *js.ExportStmt) {
	f := p.now
	export := func(name string, v *js.Var) {
		f.exports.keys = append(f.exports.keys, name)
		f.exports.add(name, nil).get = p.native(name, func(_ *Page, _ value, _ []value) value {
			if b := f.env.find(linked(v)); b != nil {
				return b.val
			}
			return unknown{}
		})
	}
	for _, a := range st.List {
		if a.Binding == nil {
			continue
		}
		for _, v := range s.ast.Declared {
			if string(v.Data) == string(localOf(a)) {
				export(sourceText(a.Binding), v)
				break
			}
		}
	}
	named := func(v *js.Var) {
		switch {
		case v == nil:
		case st.Default:
			export("default", v)
		default:
			export(sourceText(v.Data), v)
		}
	}
	switch d := st.Decl.(type) {
	case *js.VarDecl:
		for _, e := range d.List {
			eachVar(e.Binding, named)
		}
	case *js.FuncDecl:
		named(d.Name)
	case *js.ClassDecl:
		named(d.Name)
	}
}

// eachVar calls a function with each name that a pattern binds.
func eachVar(b js.IBinding, do func(v *js.Var)) {
	switch b := b.(type) {
	case *js.Var:
		do(b)
	case *js.BindingArray:
		for _, e := range b.List {
			eachVar(e.Binding, do)
		}
		eachVar(b.Rest, do)
	case *js.BindingObject:
		for _, e := range b.List {
			eachVar(e.Value.Binding, do)
		}
		if b.Rest != nil {
			do(b.Rest)
		}
	}
}

// global is the name of a script that is not declared in it; nil: it is not used.
func global(s *Script, name []byte) *js.Var {
	for _, v := range s.ast.Undeclared {
		if string(v.Data) == string(name) {
			return linked(v)
		}
	}
	return nil
}

// imports is what a module exports that this one names; nil: its text is not known.
func (p *Page) imports(name []byte) *object {
	if len(name) < 2 {
		return nil
	}
	return p.module(plain(unescape(name[1 : len(name)-1])))
}

// module is what the module exports that a script names; nil: its text is not known.
func (p *Page) module(t *text) *object {
	if name := ViewLibrary(t.s); name != "" {
		t.consumed = true
		if o, is := p.hostName(name).(*object); is {
			return o
		}
	}
	if p.doc.source.File == nil || !t.known() || p.calls >= maxCalls {
		return nil
	}
	address := ""
	if p.isMapped(t) { // as the page has it, relative to the page
		to := p.imported(t)
		to.consumed = true
		address = p.whole(to).s
	} else {
		address = p.addressOf(t)
	}
	if address == "" {
		return nil
	}
	if o, has := p.files.modules[address]; has {
		return o
	}
	s := p.file(address, true)
	if p.files.modules == nil {
		p.files.modules = map[string]*object{}
	}
	if s == nil {
		p.files.modules[address] = p.jsonModule(address)
		return p.files.modules[address]
	}
	o := p.object()
	p.files.modules[address] = o
	p.run(s, o)
	return o
}

// jsonModule is a module of values; nil: its text is not known, or none.
func (p *Page) jsonModule(address string) *object {
	if path, _, _ := strings.Cut(address, "?"); !strings.HasSuffix(path, ".json") || p.doc.source.Answer == nil {
		return nil
	}
	t := p.answer(address)
	if t == nil {
		return nil
	}
	v := p.tryJSON(t)
	if v == nil {
		return nil
	}
	o := p.object()
	o.put("default", v)
	return o
}

// importLater is import(): a promise of what a module exports, which runs when the script that is read has ended.
func (p *Page) importLater(v value) value {
	t, is := v.(*text)
	if !is || p.doc.source.File == nil || len(p.jobs) >= maxJobs {
		return p.resolved(unknown{})
	}
	made, pr := p.promise()
	script := p.script
	p.jobs = append(p.jobs, func() {
		now := p.script
		p.script = script // to which it is relative
		o := p.module(t)
		if p.script = now; o != nil {
			pr.settled(o, false)
		} else {
			pr.settled(unknown{}, false)
		}
	})
	return made
}

// addressOf is where a module is that a script names, relative to the script; "": not known.
func (p *Page) addressOf(t *text) string {
	base := p.baseURL()
	if from, err := url.Parse(p.script.from); err == nil && p.script.from != "" {
		base = from
	}
	if base == nil || len(t.s) > maxPlace || t.s == "" || t.s[0] != '.' && t.s[0] != '/' && !strings.Contains(t.s, "://") {
		return ""
	}
	u, err := base.Parse(t.s)
	if err != nil {
		return ""
	}
	return withoutFragment(u.String())
}

// load runs the script that an element was made for, and what waits for that, when the one that is read has ended.
func (p *Page) load(el *object, v value) {
	if f := p.loading(el, v); f != nil {
		p.jobs = append(p.jobs, f)
	}
}

// loading is how the script of an element is run, and what waits for that; nil: its text is not known, or it ran.
func (p *Page) loading(el *object, v value) func() {
	t, is := v.(*text)
	if !is || !t.known() || p.doc.source.File == nil || p.baseURL() == nil || t.s == "" {
		return nil
	}
	address, typ := withoutFragment(p.whole(t).s), p.textOf(one(el.get("@type"))).s
	if address == "" || p.files.loaded[address] || len(p.jobs)+len(p.written) >= maxJobs || el.get("@type") != nil && typ != "" && typ != "module" && !strings.Contains(typ, "javascript") {
		return nil
	}
	if p.files.loaded == nil {
		p.files.loaded, p.files.of = map[string]bool{}, map[*object]bool{}
	}
	p.files.loaded[address] = true
	s := p.file(address, typ == "module")
	if s == nil {
		return nil
	}
	p.files.of[el] = false
	s.el = el
	return func() {
		p.run(s, nil)
		p.files.of[el] = true
		for i := 0; i < len(p.listeners); i++ {
			if l := p.listeners[i]; l.of == el && l.typ == "load" {
				p.dispatch(l, el, p.event(l.typ, el).(*object))
			}
		}
	}
}

// loads reports an event that tells of a script whose text is known: nobody else sets it off.
func (p *Page) loads(el *object, typ string) bool {
	ran, is := p.files.of[el]
	return is && (typ == "error" || typ == "load" && !ran)
}
