package script

import "github.com/tdewolff/parse/v2/js"

// class makes one.
func (p *Page) class(d *js.ClassDecl) value {
	var base value
	if d.Extends != nil {
		base = one(p.expr(d.Extends))
	}
	c := p.newObject(classFunction)
	c.weak, c.fn = int32(p.weak), &function{script: p.script, env: p.now.env, called: true}
	if d.Name != nil {
		c.fn.name = sourceText(d.Name.Data)
	}
	proto := p.object()
	proto.made = c
	c.put("prototype", proto)
	proto.put("constructor", c)
	inner := *p.now
	inner.env = &env{parent: p.now.env}
	if d.Name != nil {
		inner.env.vars = append(inner.env.vars, binding{linked(d.Name), c, p.weak})
		if d.Name.Decl == js.ExprDecl { // which the parser does not know inside
			for _, v := range d.Undeclared {
				if string(v.Data) == string(d.Name.Data) {
					inner.env.vars = append(inner.env.vars, binding{linked(v), c, p.weak})
					break
				}
			}
		}
	}
	inner.top, inner.strict = false, true
	inner.this = c
	cc := &classCode{env: inner.env}
	c.fn.class = cc
	if d.Extends != nil {
		if b, is := base.(*object); is && b.fn != nil {
			c.proto, c.fn.super = b, b
			bp, is := p.get(b, "prototype").(*object)
			if !is {
				bp = &object{class: classPhantom, host: b.fn.name}
			}
			proto.proto = bp
		} else {
			ph := &object{class: classPhantom}
			proto.proto = ph
		}
	}
	outer := p.now
	p.now = &inner
	defer func() { p.now = outer }()
	for _, e := range d.List { // methods are there before what is set
		switch {
		case e.Method == nil && e.StaticBlock == nil && !e.Static:
			cc.fields = append(cc.fields, e)
		case e.Method != nil:
			m := e.Method
			to := proto
			if m.Static {
				to = c
			}
			key := p.elementName(&m.Name)
			f := p.function(nil, &code{params: &m.Params, body: &m.Body, async: m.Async, generator: m.Generator}, false)
			f.fn.name, f.fn.home = key, to
			if key == "constructor" && !m.Static {
				f.fn.called = true
				cc.ctor = f
				continue
			}
			if m.Get || m.Set {
				f.fn.called = m.Set
			}
			p.accessor(to, key, f, m.Get, m.Set)
		}
	}
	for _, e := range d.List {
		switch {
		case e.StaticBlock != nil:
			p.scoped(e.StaticBlock)
		case e.Method == nil && e.Static:
			var v value
			if e.Init != nil {
				v = p.expr(e.Init)
			}
			c.put(p.elementName(&e.Name), v)
		}
	}
	return c
}

func (p *Page) elementName(n *js.ClassElementName) string {
	if n.Private != nil {
		return memberKey(sourceText(n.Private.Data))
	}
	return p.propertyName(&n.PropertyName)
}

// construct makes an object of a class; of is the class that new names.
func (p *Page) construct(f *object, args []value, of *object) value {
	proto, _ := p.get(of, "prototype").(*object)
	o := p.object()
	o.proto = proto
	if proto != nil && proto.rooted() {
		o = p.elementOf(of, proto)
	}
	if of.host == nil {
		of.host = o
	}
	return p.initialise(f, o, args)
}

// initialise runs what a class does for a new object.
func (p *Page) initialise(f *object, o *object, args []value) value {
	p.step()
	p.down()
	defer func() { p.depth-- }()
	fn := f.fn
	fn.called = true
	if fn.class == nil {
		if fn.native != nil {
			v := fn.native(p, o, args)
			if made, is := v.(*object); is && made.class != classPlain && o.class == classPlain && o.proto != nil {
				o.class, o.list, o.host = made.class, made.list, made.host // class L extends Array
				for _, key := range made.keys {
					o.put(key, made.get(key))
				}
			}
			return o
		}
		if v, is := p.enter(f, o, args, true).(*object); is {
			return v
		}
		return o
	}
	if p.calls >= maxCalls {
		return unknown{}
	}
	cc := fn.class
	if cc.ctor == nil {
		if fn.super != nil {
			p.initialise(fn.super, o, args)
		}
		p.fields(f, o)
		return o
	}
	if fn.super == nil {
		p.fields(f, o)
	}
	cc.ctor.fn.super = fn.super
	cc.ctor.fn.class = cc
	ctor := &object{class: classFunction, fn: &function{code: cc.ctor.fn.code, env: cc.env, home: cc.ctor.fn.home, script: fn.script, super: f, strict: true}}
	if v, is := p.enter(ctor, o, args, true).(*object); is {
		return v
	}
	return o
}

// fields sets those that a class's objects begin with.
func (p *Page) fields(f *object, o *object) {
	cc := f.fn.class
	if cc == nil || len(cc.fields) == 0 {
		return
	}
	before, script := p.now, p.script
	p.now, p.script = &frame{env: cc.env, this: o, weak: p.weak, fn: &function{home: protoOf(f)}}, f.fn.script
	defer func() { p.now, p.script = before, script }()
	for _, e := range cc.fields {
		var v value
		if e.Init != nil {
			v = p.expr(e.Init)
		}
		p.put(o, p.elementName(&e.Name), v)
	}
}

func protoOf(f *object) *object {
	proto, _ := f.get("prototype").(*object)
	return proto
}
