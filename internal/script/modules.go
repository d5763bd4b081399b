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
	p.steps += len(s.src) / bytesPerStep // what patience there is grows with them
	p.made += bytesPerByte * len(s.src)
	s = p.ownTree(s)
	s.nth, s.from = nth, address
	p.ran = append(p.ran, s)
	return s
}

// run interprets a script in the middle of another.
func (p *Page) run(s *Script, exports *object) {
	now, script, weak := p.now, p.script, p.weak
	p.calls++
	defer func() { p.now, p.script, p.weak = now, script, weak; p.calls-- }()
	p.now, p.script, p.weak = p.frameOf(s), s, 0
	p.now.exports = exports
	p.readScript(s)
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

// link gives a module what it imports, and says what it exports.
func (p *Page) link(s *Script) {
	f := p.now
	for _, st := range s.ast.List {
		switch st := st.(type) {
		case *js.ImportStmt:
			from := p.imports(st.Module)
			if from == nil {
				continue
			}
			bind := func(local, name []byte) {
				v := global(s, local)
				if v == nil {
					return
				}
				if string(name) == "*" {
					f.env.add(binding{v, from, 0})
					return
				}
				f.env.add(binding{v, p.exported(from, sourceText(name)), 0})
			}
			if st.Default != nil {
				bind(st.Default, []byte("default"))
			}
			for _, a := range st.List {
				if name := a.Name; a.Binding != nil {
					if name == nil {
						name = a.Binding
					}
					bind(a.Binding, name)
				}
			}
		case *js.ExportStmt:
			if f.exports != nil {
				p.exports(s, st)
			}
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

// exports says what a statement exports. What a name means is looked for when it is asked for.
func (p *Page) exports(s *Script, st *js.ExportStmt) {
	f := p.now
	export := func(name string, v *js.Var) {
		f.exports.add(name, nil).get = p.native(name, func(_ *Page, _ value, _ []value) value {
			if b := f.env.find(linked(v)); b != nil {
				return b.val
			}
			return unknown{}
		})
	}
	var from *object
	if st.Module != nil {
		if from = p.imports(st.Module); from == nil {
			return
		}
	}
	for _, a := range st.List {
		name, local := sourceText(a.Binding), a.Name
		if local == nil {
			local = a.Binding
		}
		switch {
		case a.Binding == nil:
		case name == "*":
			for _, key := range from.keys {
				if key != "default" && f.exports.own(key) == nil {
					f.exports.put(key, p.exported(from, key))
				}
			}
		case string(local) == "*":
			f.exports.put(name, from)
		case from != nil:
			f.exports.put(name, p.exported(from, sourceText(local)))
		default:
			if v := declared(s, local); v != nil {
				export(name, v)
			}
		}
	}
	switch d := st.Decl.(type) {
	case *js.VarDecl:
		for _, v := range s.ast.Declared {
			if v.Decl == js.VariableDecl || v.Decl == js.LexicalDecl {
				for _, e := range d.List {
					if e.Binding == js.IBinding(v) {
						export(sourceText(v.Data), v)
					}
				}
			}
		}
	case *js.FuncDecl:
		switch {
		case d.Name != nil && st.Default:
			export("default", d.Name)
		case d.Name != nil:
			export(sourceText(d.Name.Data), d.Name)
		}
	case *js.ClassDecl:
		switch {
		case d.Name != nil && st.Default:
			export("default", d.Name)
		case d.Name != nil:
			export(sourceText(d.Name.Data), d.Name)
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

// declared is a name that a script declares, or one that it imports.
func declared(s *Script, name []byte) *js.Var {
	for _, v := range s.ast.Declared {
		if string(v.Data) == string(name) {
			return linked(v)
		}
	}
	return global(s, name)
}

// imports is what a module exports that this one names; nil: its text is not known.
func (p *Page) imports(name []byte) *object {
	if len(name) < 2 {
		return nil
	}
	return p.module(p.imported(plain(unescape(name[1 : len(name)-1]))))
}

// module is what the module exports that a script names; nil: its text is not known.
func (p *Page) module(t *text) *object {
	t.consumed = true
	if p.doc.source.File == nil || !t.known() || p.calls >= maxCalls {
		return nil
	}
	address := p.addressOf(t)
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
		p.files.modules[address] = nil
		return nil
	}
	o := p.object()
	p.files.modules[address] = o
	p.run(s, o)
	return o
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
	u.Fragment, u.RawFragment = "", ""
	return u.String()
}

// load runs the script that an element was made for, and what waits for that.
func (p *Page) load(el *object, v value) {
	t, is := v.(*text)
	if !is || !t.known() || p.doc.source.File == nil || p.baseURL() == nil {
		return
	}
	u, err := url.Parse(p.whole(t).s)
	if err != nil {
		return
	}
	u.Fragment, u.RawFragment = "", ""
	address := u.String()
	if p.files.loaded[address] || len(p.jobs) >= maxJobs {
		return
	}
	s := p.file(address, isText(el.get("@type"), "module"))
	if s == nil {
		return
	}
	if p.files.loaded == nil {
		p.files.loaded, p.files.of = map[string]bool{}, map[*object]bool{}
	}
	p.files.loaded[address] = true
	p.files.of[el] = false
	s.el = el
	p.jobs = append(p.jobs, func() {
		p.aside(func() { p.run(s, nil) })
		p.files.of[el] = true
		for i := 0; i < len(p.listeners); i++ {
			if l := p.listeners[i]; l.of == el && l.typ == "load" {
				p.dispatch(l, el, p.event(l.typ, el).(*object))
			}
		}
	})
}

// loads reports an event that tells of a script whose text is known: nobody else sets it off.
func (p *Page) loads(el *object, typ string) bool {
	ran, is := p.files.of[el]
	return is && (typ == "error" || typ == "load" && !ran)
}
