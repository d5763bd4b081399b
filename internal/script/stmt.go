package script

import (
	"github.com/tdewolff/parse/v2/js"
)

// env has what names mean in a function, in a block, or in a turn of a loop.
type env struct {
	vars   []binding
	parent *env
	block  bool            // of a block, in which var declares nothing
	at     map[*js.Var]int // of many
	with   *object         // whose properties are names
}

// fewVars is how many names of a function are looked through.
const fewVars = 32

// binding is what a name means.
type binding struct {
	name *js.Var
	val  value
	weak int // conditions around where it was made
}

// blockEnv is where the names of a block are.
func (p *Page) blockEnv(outer *env) *env {
	e := p.mem.envs.get()
	e.parent, e.block = outer, true
	return e
}

// find returns what a name means, nil when nobody knows. It is valid until a name is defined.
func (e *env) find(name *js.Var) *binding {
	for ; e != nil; e = e.parent {
		if c := e.own(name); c != nil {
			return c
		}
	}
	return nil
}

func (e *env) own(name *js.Var) *binding {
	if e.at != nil {
		if i, has := e.at[name]; has {
			return &e.vars[i]
		}
		return nil
	}
	for i := len(e.vars) - 1; i >= 0; i-- {
		if e.vars[i].name == name {
			return &e.vars[i]
		}
	}
	return nil
}

func (e *env) add(b binding) {
	e.vars = append(e.vars, b)
	if e.at != nil {
		e.at[b.name] = len(e.vars) - 1
	} else if len(e.vars) > fewVars {
		e.at = make(map[*js.Var]int, 2*len(e.vars))
		for i, b := range e.vars {
			e.at[b.name] = i
		}
	}
}

// frame is a function that is read.
type frame struct {
	env     *env
	this    value
	fn      *function
	of      *object // the function
	args    []value
	top     bool    // names are those of all scripts
	weak    int     // conditions around the call
	loop    int     // conditions around the innermost loop
	returns []value // under conditions that are not known
	left    bool    // the innermost loop is left under one
	gen     *generator
	made    bool // it is called by new
	strict  bool
	exports *object // of a module that others import
}

// done is how a statement ends.
type done uint8

const (
	ended done = iota
	broke
	continued
	returned
	left // by a generator, which is read on from there
)

// outcome is how a statement ends, and with what.
type outcome struct {
	done  done
	label string
	val   value
}

var goesOn = outcome{}

func linked(v *js.Var) *js.Var {
	for v.Link != nil {
		v = v.Link
	}
	return v
}

// define makes a name.
func (p *Page) define(v *js.Var, val value) {
	v = linked(v)
	if val == (unknown{}) {
		val = p.someone()
	}
	if p.now.top && p.now.env.parent == nil {
		p.global.put(sourceText(v.Data), val)
		return
	}
	e := p.now.env
	if c := e.own(v); c != nil {
		c.val = val
		return
	}
	e.add(binding{v, val, p.weak})
}

// defineVar makes a name of the whole function, as var does: under a condition that is not known it may mean what it did. In each turn of a loop it is new.
func (p *Page) defineVar(v *js.Var, val value) {
	v = linked(v)
	if val == (unknown{}) {
		val = p.someone()
	}
	again := p.weak > p.now.weak && p.weak > p.now.loop
	e := p.now.env
	for e.block {
		e = e.parent
	}
	if p.now.top && e.parent == nil {
		name := sourceText(v.Data)
		if old := p.global.own(name); old != nil && again {
			p.note(change{prop: old, old: old.val})
			val = p.assigned(old.val, val, old.weak)
		}
		p.global.put(name, val)
		return
	}
	c := e.own(v)
	switch {
	case c == nil:
		e.add(binding{v, val, p.now.weak})
	case again:
		p.note(change{env: e, name: v, old: c.val})
		c.val = p.assigned(c.val, val, c.weak)
	default:
		c.val = val
	}
}

// read is what a name means.
func (p *Page) read(v *js.Var) value {
	if o := p.holder(v); o != nil {
		return p.get(o, sourceText(v.Data))
	}
	v = linked(v)
	if c := p.now.env.find(v); c != nil {
		return c.val
	}
	name := sourceText(v.Data)
	if pr := p.global.own(name); pr != nil {
		if pr.get != nil {
			return p.call(pr.get, p.global, nil)
		}
		return pr.val
	}
	if name == "arguments" {
		if f := p.method(); f.fn != nil {
			l := p.newList(f.args)
			if f.of != nil {
				l.add("callee", f.of)
			}
			return l
		}
	}
	return p.hostName(name)
}

// assign sets what a name means.
func (p *Page) assign(v *js.Var, val value) {
	if o := p.holder(v); o != nil {
		p.put(o, sourceText(v.Data), val)
		return
	}
	v = linked(v)
	if val == (unknown{}) {
		val = p.someone()
	}
	if c := p.now.env.find(v); c != nil {
		p.note(change{env: p.now.env, name: v, old: c.val})
		c.val = p.assigned(c.val, val, c.weak)
		return
	}
	p.set(p.global, sourceText(v.Data), val)
}

// hoist defines the functions of a block.
func (p *Page) hoist(list []js.IStmt) {
	p.cost(len(list) / 16)
	for _, s := range list {
		switch s := s.(type) {
		case *js.FuncDecl:
			if s.Name != nil {
				p.defineVar(s.Name, p.function(s.Name, &code{params: &s.Params, body: &s.Body, async: s.Async, generator: s.Generator}, false))
			}
		case *js.ExportStmt:
			if f, is := s.Decl.(*js.FuncDecl); is && f.Name != nil {
				p.defineVar(f.Name, p.function(f.Name, &code{params: &f.Params, body: &f.Body, async: f.Async, generator: f.Generator}, false))
			}
		}
	}
}

func (p *Page) block(list []js.IStmt) outcome {
	for _, s := range list {
		if o := p.stmt(s, ""); o.done != ended {
			return o
		}
	}
	return goesOn
}

// scoped reads a block whose names are its own.
func (p *Page) scoped(b *js.BlockStmt) outcome {
	if b == nil {
		return goesOn
	}
	if f := p.now; lexical(b.Scope) {
		outer := f.env
		f.env = p.blockEnv(outer)
		defer func() { f.env = outer }()
	}
	p.hoist(b.List)
	return p.block(b.List)
}

// lexical reports a block that has names of its own, other than those of the loop whose body it is.
func lexical(s js.Scope) bool {
	for _, v := range s.Declared[min(s.NumForDecls, len(s.Declared)):] {
		if v.Decl == js.LexicalDecl {
			return true
		}
	}
	return false
}

// perhaps reads something under a condition that is not known: how it ends does not matter to what follows.
func (p *Page) perhaps(do func() outcome) {
	f := p.now
	p.weak++
	depth, calls, script, inner, loop := p.depth, p.calls, p.script, f.env, f.loop
	defer func() {
		if p.ending {
			return
		}
		p.weak--
		p.now, p.depth, p.calls, p.script = f, depth, calls, script
		f.env, f.loop = inner, loop
		if r := recover(); r != nil {
			if _, is := r.(thrown); !is {
				rethrow(r)
			}
			f.left = true
		}
	}()
	switch o := do(); o.done {
	case returned:
		if o.val != nil && len(f.returns) < maxItems {
			f.returns = append(f.returns, o.val)
		}
		f.left = true
	case broke:
		f.left = true
	}
}

func (p *Page) stmt(s js.IStmt, label string) outcome {
	p.step()
	p.down()
	o := p.stmt1(s, label)
	p.depth--
	return o
}

func (p *Page) stmt1(s js.IStmt, label string) outcome {
	switch s := s.(type) {
	case *js.ExprStmt:
		p.expr(s.Value)
	case *js.VarDecl:
		p.declare(s)
	case *js.BlockStmt:
		return p.scoped(s)
	case *js.IfStmt:
		is, known := truth(p.expr(s.Cond))
		if known {
			if is {
				return p.stmt(s.Body, "")
			}
			if s.Else != nil {
				return p.stmt(s.Else, "")
			}
			return goesOn
		}
		yes := func() outcome { return p.stmt(s.Body, "") }
		if s.Else == nil {
			p.alternatives(false, yes)
		} else {
			p.alternatives(true, yes, func() outcome { return p.stmt(s.Else, "") })
		}
	case *js.ReturnStmt:
		if s.Value == nil {
			return outcome{done: returned}
		}
		return outcome{done: returned, val: p.expr(s.Value)}
	case *js.ForStmt:
		return p.forLoop(s, label)
	case *js.ForOfStmt:
		v := p.expr(s.Value)
		if st := p.streamOf(one(v)); st != nil {
			return p.eachOf(s.Init, s.Body, st, s.Await, label)
		}
		items, known := p.items(one(v))
		if s.Await {
			items = p.awaited(items)
		}
		return p.each(s.Init, s.Body, items, known, label)
	case *js.ForInStmt:
		o, is := one(p.expr(s.Value)).(*object)
		if !is {
			return p.each(s.Init, s.Body, nil, false, label)
		}
		var items []value
		for _, name := range p.names(o) {
			items = append(items, plain(name))
		}
		return p.each(s.Init, s.Body, items, o.class == classPlain || o.class == classList || o.class == classFunction || o.class == classProxy, label)
	case *js.WhileStmt:
		return p.while(s.Cond, s.Body, label, false)
	case *js.DoWhileStmt:
		return p.while(s.Cond, s.Body, label, true)
	case *js.SwitchStmt:
		return p.choose(s)
	case *js.BranchStmt:
		if s.Type == js.BreakToken {
			return outcome{done: broke, label: string(s.Label)}
		}
		return outcome{done: continued, label: string(s.Label)}
	case *js.LabelledStmt:
		o := p.stmt(s.Value, string(s.Label))
		if o.done == broke && o.label == string(s.Label) {
			return goesOn
		}
		return o
	case *js.ThrowStmt:
		throw(p.expr(s.Value))
	case *js.TryStmt:
		return p.try(s)
	case *js.ClassDecl:
		c := p.class(s)
		if s.Name != nil {
			p.define(s.Name, c)
		}
	case *js.ExportStmt:
		switch d := s.Decl.(type) {
		case *js.VarDecl:
			p.declare(d)
		case *js.ClassDecl:
			c := p.class(d)
			switch {
			case d.Name != nil:
				p.define(d.Name, c)
			case p.now.exports != nil:
				p.now.exports.put("default", c)
			}
		case nil:
		case *js.FuncDecl:
			if s.Default && d.Name == nil && p.now.exports != nil {
				p.now.exports.put("default", p.function(nil, &code{params: &d.Params, body: &d.Body, async: d.Async, generator: d.Generator}, false))
			}
		default:
			if v := p.expr(d); s.Default && p.now.exports != nil {
				p.now.exports.put("default", v)
			}
		}
	case *js.ImportStmt:
		if t := plain(unescape(s.Module[1 : len(s.Module)-1])); p.script.nth < 0 || p.script.from != "" && p.isMapped(t) { // others are read where they stand
			p.sink(Module, t)
		}
	case *js.WithStmt:
		return p.with(s)
	}
	return goesOn
}

func (p *Page) declare(d *js.VarDecl) {
	set := p.define
	if d.TokenType == js.VarToken {
		set = p.defineVar
	}
	for _, e := range d.List {
		if e.Default == nil {
			if v, is := e.Binding.(*js.Var); is {
				if d.TokenType == js.VarToken {
					if p.now.top && p.global.own(sourceText(v.Data)) != nil || p.now.env.find(linked(v)) != nil {
						continue
					}
				}
				set(v, nil)
			}
			continue
		}
		p.bind(e.Binding, p.named(e.Default, e.Binding), set)
	}
}

// named reads what a name is given, which a function knows then.
func (p *Page) named(e js.IExpr, to js.IBinding) value {
	val := p.expr(e)
	if f, is := val.(*object); is && f.fn != nil && f.fn.name == "" {
		if v, is := to.(*js.Var); is {
			f.fn.name = sourceText(v.Data)
		}
	}
	return val
}

// bind gives the names of a pattern what they mean.
func (p *Page) bind(b js.IBinding, val value, set func(*js.Var, value)) {
	p.step()
	switch b := b.(type) {
	case *js.Var:
		set(b, val)
	case *js.BindingArray:
		items, known := p.patternItems(val, len(b.List), b.Rest != nil)
		for i, e := range b.List {
			if e.Binding != nil {
				p.bindElement(e, at(items, i, known), set)
			}
		}
		if b.Rest != nil {
			if known {
				p.bind(b.Rest, p.newList(cut(items, len(b.List))), set)
			} else {
				p.bind(b.Rest, unknown{}, set)
			}
		}
	case *js.BindingObject:
		var taken []string
		for _, item := range b.List {
			key := ""
			if item.Key != nil {
				key = p.propertyName(item.Key)
			} else if v, is := item.Value.Binding.(*js.Var); is {
				key = sourceText(v.Data)
			}
			taken = append(taken, key)
			v := value(unknown{})
			if val != nil {
				v = p.get(val, key)
			}
			p.bindElement(item.Value, v, set)
		}
		if b.Rest != nil {
			rest := p.object()
			if o, is := one(val).(*object); is {
				p.copyTo(rest, o)
				for _, key := range taken {
					rest.remove(key)
				}
			}
			set(b.Rest, rest)
		}
	}
}

func (p *Page) bindElement(e js.BindingElement, val value, set func(*js.Var, value)) {
	if e.Default != nil {
		switch val.(type) {
		case nil:
			val = p.named(e.Default, e.Binding)
		case unknown: // what is not given is what its author thought of
			val = p.either(val, p.named(e.Default, e.Binding))
		}
	}
	p.bind(e.Binding, val, set)
}

func at(items []value, i int, known bool) value {
	switch {
	case !known:
		return unknown{}
	case i < len(items):
		return items[i]
	}
	return nil
}

func cut(items []value, from int) []value {
	if from >= len(items) {
		return nil
	}
	return append([]value(nil), items[from:]...)
}

func (p *Page) try(s *js.TryStmt) (o outcome) {
	attempt := func() {
		if s.Catch == nil {
			o = p.scoped(s.Body)
		} else {
			o = p.caught(s)
		}
	}
	if s.Finally == nil {
		attempt()
		return o
	}
	with, failed := p.fails(attempt)
	if last := p.scoped(s.Finally); last.done != ended {
		return last
	}
	if failed {
		throw(with)
	}
	return o
}

// fails does something, and says whether it threw something, and what.
func (p *Page) fails(do func()) (with value, failed bool) {
	f, inner := p.now, p.now.env
	depth, calls, script, weak, loop := p.depth, p.calls, p.script, p.weak, f.loop
	defer func() {
		if p.ending {
			return
		}
		if r := recover(); r != nil {
			t, is := r.(thrown)
			if !is {
				rethrow(r)
			}
			with, failed = t.val, true
			p.now, p.depth, p.calls, p.script, p.weak = f, depth, calls, script, weak
			f.env, f.loop = inner, loop
		}
	}()
	do()
	return unknown{}, false
}

// caught reads what is tried, and then what is done when that fails: which it does when it says so, and may do otherwise.
func (p *Page) caught(s *js.TryStmt) (o outcome) {
	tries := p.tries
	p.tries = p.weak + 1
	with, failed := p.fails(func() { o = p.scoped(s.Body) })
	p.tries = tries
	body := func() outcome {
		if s.Binding != nil {
			f, outer := p.now, p.now.env
			f.env = p.blockEnv(outer)
			defer func() { f.env = outer }()
			p.bind(s.Binding, with, p.define)
		}
		return p.scoped(s.Catch)
	}
	if failed {
		return body()
	}
	if o.done == ended {
		p.unlikely(func() outcome {
			body()
			return goesOn
		})
	}
	return o
}
