package script

import (
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// function makes one of what a script says.
func (p *Page) function(name *js.Var, c *code, arrow bool) *object {
	p.step()
	f := p.newObject(classFunction)
	f.weak, f.fn = int32(p.weak), p.mem.functions.get()
	f.fn.code, f.fn.env, f.fn.script = c, p.now.env, p.script
	if name != nil {
		f.fn.name = sourceText(name.Data)
	}
	f.fn.strict = p.now.strict || isStrict(c.body.List)
	if arrow {
		f.fn.this, f.fn.arrow = p.now.this, p.now
	}
	if len(p.idle) < 4*maxUncalled {
		p.idle = append(p.idle, f)
	}
	return f
}

// call calls a function.
func (p *Page) call(f *object, this value, args []value) value {
	fn := f.fn
	if fn == nil {
		return unknown{}
	}
	p.step()
	p.down()
	defer func() { p.depth-- }()
	fn.called = true
	switch {
	case fn.native != nil:
		return fn.native(p, this, args)
	case fn.class != nil:
		return p.construct(f, args, f)
	case fn.code == nil:
		return unknown{}
	}
	return p.enter(f, this, args, false)
}

// enter reads a function's body; made: for a new object.
func (p *Page) enter(f *object, this value, args []value, made bool) value {
	fn, c := f.fn, f.fn.code
	if p.calls >= maxCalls {
		return unknown{}
	}
	if fn.inside >= maxAgain && p.weak > fn.weak {
		return unknown{} // it goes on as long as nobody knows what would end it
	}
	before, script, weak := p.now, p.script, p.weak
	p.calls++
	if fn.inside++; fn.inside == 1 {
		fn.weak = weak
	}
	defer func() { p.now, p.script, p.weak = before, script, weak; p.calls--; fn.inside-- }()
	if fn.arrow != nil {
		this = fn.this
	}
	fr := p.mem.frames.get()
	*fr = frame{env: p.mem.envs.get(), this: this, fn: fn, of: f, args: args, weak: p.weak, loop: p.weak, made: made, strict: fn.strict}
	fr.env.parent, fr.env.vars = fn.env, p.mem.bindings.few(min(len(c.params.List)+len(c.body.Declared), fewVars))
	p.now, p.script = fr, fn.script
	if c.self != nil {
		p.define(c.self, f)
	}
	for i, e := range c.params.List {
		if e.Binding == nil {
			continue
		}
		if i < len(args) {
			p.bindElement(e, args[i], p.define)
		} else {
			p.bindElement(e, nil, p.define)
		}
	}
	if c.params.Rest != nil {
		p.bind(c.params.Rest, p.newList(cut(args, len(c.params.List))), p.define)
	}
	p.cost(len(c.body.Declared) / 16)
	for _, v := range c.body.Declared { // functions in this one may set them before they are declared
		if v.Decl == js.VariableDecl && fr.env.own(v) == nil {
			fr.env.add(binding{v, nil, p.weak})
		}
	}
	p.hoist(c.body.List)
	if c.async && !c.generator {
		made, pr := p.promise()
		p.tried(pr, func() value { return p.result(fr) })
		return made
	}
	if c.generator {
		return p.newGenerator(fr)
	}
	return p.result(fr)
}

// result reads the body of a function, and returns what it gives.
func (p *Page) result(fr *frame) value {
	var result value
	if o := p.block(fr.fn.code.body.List); o.done == returned {
		result = o.val
	}
	if len(fr.returns) > 0 {
		if result != nil {
			fr.returns = append(fr.returns, result)
		}
		result = p.either(fr.returns...)
	}
	return result
}

// unknowns are arguments that nobody knows, each of them one.
func (p *Page) unknowns(f *object) []value {
	if f.fn.code == nil {
		return nil
	}
	out := make([]value, min(len(f.fn.code.params.List), maxChoices))
	for i := range out {
		out[i] = p.someone()
	}
	return out
}

// someone is a value that is not known, but is itself.
func (p *Page) someone() value {
	p.choices++
	return unknown{p.choices}
}

// unknowns are n arguments of which nothing is known, not even that they are the same when they are used twice.
func unknowns(n int) []value {
	out := make([]value, min(n, maxChoices))
	for i := range out {
		out[i] = unknown{}
	}
	return out
}

// receiver is what a function that nothing calls may be a method of.
func (p *Page) receiver(f *object) value {
	home := f.fn.home
	if home == nil {
		return unknown{}
	}
	if c, is := home.get("constructor").(*object); is && c.fn != nil && home.made == c {
		if o, is := c.host.(*object); is { // one was made
			return o
		}
		var made value = unknown{}
		if c.fn.class != nil || c.fn.code != nil && !c.fn.called {
			p.perhaps(func() outcome {
				made = p.construct(c, nil, c)
				return goesOn
			})
		}
		return made
	}
	return home
}

func isSuper(e js.IExpr) bool {
	l, is := e.(*js.LiteralExpr)
	return is && l.TokenType == js.SuperToken
}

// method is the function whose super and arguments are meant.
func (p *Page) method() *frame {
	f := p.now
	for n := 0; f.fn != nil && f.fn.arrow != nil && n < maxDepth; n++ {
		f = f.fn.arrow
	}
	return f
}

func (p *Page) superOf() value {
	f := p.method()
	if f.fn != nil && f.fn.home != nil && f.fn.home.proto != nil {
		return f.fn.home.proto
	}
	return nil
}

func (p *Page) superMember(key string) value {
	of, is := p.superOf().(*object)
	if !is {
		return unknown{}
	}
	return p.property(of, key, p.now.this)
}

// superCall is super(…).
func (p *Page) superCall(args []value) value {
	f := p.method()
	o, is := f.this.(*object)
	if f.fn == nil || f.fn.super == nil || !is {
		return unknown{}
	}
	cls := f.fn.super
	if cls.fn.super != nil {
		p.initialise(cls.fn.super, o, args)
	}
	p.fields(cls, o)
	return o
}

func (p *Page) newExpr(e *js.NewExpr) value {
	callee := p.expr(e.X)
	var args []value
	if e.Args != nil {
		args = p.args(e.Args)
	}
	return p.lift(callee, func(callee value) value {
		if v, known := p.newOf(callee, args); known {
			return v
		}
		owner := ""
		if x, is := e.X.(*js.DotExpr); is {
			owner = nameOf(x.X)
		}
		return p.unknownCall(nameOf(e.X), owner, args, true)
	})
}

func (p *Page) args(a *js.Args) []value {
	out := p.mem.values.few(len(a.List))
	for _, arg := range a.List {
		v := p.expr(arg.Value)
		if arg.Rest {
			items, known := p.items(one(v))
			if !known {
				out = append(out, unknown{})
			}
			out = p.more(out, items)
			continue
		}
		out = append(out, v)
	}
	return out
}

func nameOf(e js.IExpr) string {
	switch e := e.(type) {
	case *js.Var:
		return sourceText(e.Data)
	case *js.DotExpr:
		return memberName(e)
	case *js.GroupExpr:
		return nameOf(e.X)
	case *js.CallExpr:
		return nameOf(e.X)
	}
	return ""
}

func (p *Page) callExpr(e *js.CallExpr) value {
	if l, is := e.X.(*js.LiteralExpr); is {
		switch l.TokenType {
		case js.ImportToken:
			args := p.args(&e.Args)
			p.sink(Module, argument(args, 0))
			return p.importLater(argument(args, 0))
		case js.SuperToken:
			return p.superCall(p.args(&e.Args))
		}
	}
	var callee, this value
	owner := ""
	switch x := e.X.(type) {
	case *js.DotExpr:
		callee, this = p.member(x)
		owner = nameOf(x.X)
		if _, is := callee.(unknown); is {
			if c, is := this.(*choice); is { // each its own
				return p.callEach(c, memberName(x), p.args(&e.Args))
			}
		}
	case *js.IndexExpr:
		callee, this = p.member(x)
		owner = nameOf(x.X)
	default:
		callee = p.expr(e.X)
		this = p.plainThis(callee)
		if v, is := x.(*js.Var); is {
			if o := p.holder(v); o != nil {
				this = o
			}
		}
	}
	if callee == nil && e.Optional {
		return nil
	}
	none := callee == nil && p.isNothing(e.X)
	args := p.args(&e.Args)
	if none {
		return p.fault("TypeError", "no function")
	}
	if name := nameOf(e.X); (name == "extend" || name == "assign") && len(args) > 1 && isUnknown(args[0]) { // Drupal.settings has what it is given
		some := p.newObject(classPhantom)
		some.weak, some.host = int32(p.weak), name
		args[0] = some
		p.setTo(e.Args.List[0].Value, some)
	}
	switch c := callee.(type) {
	case *object:
		if c.fn != nil {
			return p.call(c, this, args)
		}
	case *choice:
		of, _ := this.(*choice)
		vals := make([]value, len(c.vals))
		for i, v := range c.vals {
			vals[i] = unknown{}
			if f, is := v.(*object); is && f.fn != nil {
				this := this
				if of != nil && len(of.vals) == len(c.vals) {
					this = of.vals[i]
				}
				vals[i] = p.call(f, this, args)
			}
		}
		return p.settle(&choice{id: c.id, vals: vals, keys: c.keys})
	}
	return p.unknownCall(nameOf(e.X), owner, args, false)
}

func (p *Page) callEach(c *choice, name string, args []value) value {
	return p.settled(p.lift(c, func(v value) value { return p.callMethod(v, name, args) }))
}

// callMethod calls a method by its name.
func (p *Page) callMethod(of value, name string, args []value) value {
	if f, is := one(p.get(of, name)).(*object); is && f.fn != nil {
		return p.call(f, of, args)
	}
	return unknown{}
}

func argument(args []value, i int) value {
	if i < len(args) {
		return args[i]
	}
	return nil
}

// callback calls a value that may be a function.
func (p *Page) callback(f value, this value, args ...value) value {
	if o, is := one(f).(*object); is && o.fn != nil {
		return p.call(o, this, args)
	}
	return unknown{}
}

// later calls a function when all else is done.
func (p *Page) later(f value, this value, args ...value) {
	o, is := one(f).(*object)
	if !is || o.fn == nil || len(p.jobs) >= maxJobs {
		return
	}
	o.fn.called = true
	p.jobs = append(p.jobs, func() { p.call(o, this, args) })
}

// unknownCall is a call of what is not known: functions among its arguments are called by it, perhaps.
func (p *Page) unknownCall(name, owner string, args []value, made bool) value {
	if name == "getAttribute" || name == "attr" && len(args) == 1 {
		if key, is := argument(args, 0).(*text); is {
			key.consumed = true
			return p.anyAttribute(strings.ToLower(key.s))
		}
	}
	if v := p.library(name, owner, args); v != nil {
		return v
	}
	p.sinkCall(name, owner, args)
	p.formatted(args)
	for _, arg := range args {
		switch v := one(arg).(type) {
		case *object:
			v.exact = false
			if v.fn != nil && !v.fn.called && v.fn.code != nil {
				p.later(v, unknown{}, unknowns(len(v.fn.code.params.List))...)
			}
			if v.class == classPlain {
				p.cost(len(v.keys) / 16)
				for _, key := range v.keys {
					switch x := v.get(key).(type) {
					case *text:
						if key == "url" || key == "src" || key == "href" {
							p.sink(Asked, x)
						}
					}
				}
			}
		case *text:
			v.given = true
		}
	}
	if made {
		return &object{class: classPhantom, host: name}
	}
	return unknown{}
}

// formatted makes a text of one in which others are filled in: f("/img/%s.png", name).
func (p *Page) formatted(args []value) {
	if len(args) < 2 {
		return
	}
	t, is := args[0].(*text)
	if !is || !strings.Contains(t.s, "%s") || strings.IndexByte(t.s, '/') < 0 || strings.IndexByte(t.s, ' ') >= 0 {
		return
	}
	p.cost(len(t.s) / 64)
	pieces := strings.Split(strings.ReplaceAll(t.s, "%d", "%s"), "%s")
	if len(pieces) > len(args) {
		return
	}
	val := value(&text{s: pieces[0], parts: []*text{t}})
	for i, piece := range pieces[1:] {
		val = p.sum2(p.sum2(val, args[i+1]), plain(piece))
	}
	t.consumed = true
}
