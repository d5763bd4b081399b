package script

import (
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// expr reads an expression.
func (p *Page) expr(e js.IExpr) value {
	p.step()
	p.down()
	v := p.read1(e)
	p.depth--
	return v
}

func (p *Page) read1(e js.IExpr) value {
	switch e := e.(type) {
	case *js.Var:
		return p.read(e)
	case *js.LiteralExpr:
		return p.constant(e)
	case *js.BinaryExpr:
		return p.binary(e)
	case *js.DotExpr, *js.IndexExpr:
		v, _ := p.member(e)
		return v
	case *js.CallExpr:
		return p.callExpr(e)
	case *js.GroupExpr:
		return p.expr(e.X)
	case *js.TemplateExpr:
		return p.template(e)
	case *js.CondExpr:
		cond := p.expr(e.Cond)
		is, known := truth(cond)
		if known {
			if is {
				return p.expr(e.X)
			}
			return p.expr(e.Y)
		}
		return p.branches(e, cond)
	case *js.UnaryExpr:
		return p.unary(e)
	case *js.ArrayExpr:
		return p.array(e)
	case *js.ObjectExpr:
		return p.objectExpr(e)
	case *js.FuncDecl:
		return p.function(e.Name, &code{params: &e.Params, body: &e.Body, async: e.Async, generator: e.Generator, self: e.Name}, false)
	case *js.ArrowFunc:
		return p.function(nil, &code{params: &e.Params, body: &e.Body, async: e.Async}, true)
	case *js.ClassDecl:
		return p.class(e)
	case *js.NewExpr:
		return p.newExpr(e)
	case *js.CommaExpr:
		var v value
		for _, e := range e.List {
			v = p.expr(e)
		}
		return v
	case *js.YieldExpr:
		if g := p.now.gen; g != nil {
			return g.yield(p, e)
		}
		return unknown{}
	case *js.NewTargetExpr:
		return p.newTarget()
	case *js.VarDecl:
		p.declare(e)
		return nil
	case *js.ImportMetaExpr:
		o := p.object()
		o.put("url", &text{page: true, module: true})
		if w := p.whereabouts(); w != nil {
			o.put("url", ofPlace(w.at.String()))
		}
		switch {
		case p.script.from != "":
			o.put("url", &text{s: p.script.from})
		case p.script.file != "":
			o.put("url", &text{s: p.script.file, module: true})
		}
		o.put("resolve", p.native("resolve", func(p *Page, _ value, args []value) value {
			return p.lift(argument(args, 0), func(v value) value { return p.whole(p.imported(p.textOf(v))) })
		}))
		return o
	case nil:
		return nil
	}
	return unknown{}
}

// branches reads both of what a condition chooses from.
func (p *Page) branches(e *js.CondExpr, cond value) value {
	var yes, no value
	if c, is := cond.(*choice); is { // each of them chooses for itself
		sure := true
		for _, v := range c.vals {
			_, known := truth(v)
			sure = sure && known
		}
		if c.none {
			return p.given(c, p.branch(e.X), p.branch(e.Y))
		}
		if sure {
			yes, no = p.branch(e.X), p.branch(e.Y)
			return p.lift2(cond, p.pair(yes, no), func(a, b value) value {
				of := b.(*object)
				if is, _ := truth(a); is {
					return of.list[0]
				}
				return of.list[1]
			})
		}
	}
	yes, no = p.branch(e.X), p.branch(e.Y)
	if v := p.named1(e.Cond, yes, no); v != nil {
		return v
	}
	return p.either(yes, no)
}

func (p *Page) pair(a, b value) value {
	return &object{class: classList, list: []value{a, b}}
}

func (p *Page) branch(e js.IExpr) (v value) {
	v = unknown{}
	p.perhaps(func() outcome {
		v = p.expr(e)
		return goesOn
	})
	return v
}

func (p *Page) constant(e *js.LiteralExpr) value {
	switch e.TokenType {
	case js.StringToken:
		return p.literal(e)
	case js.ThisToken:
		return p.now.this
	case js.TrueToken:
		return true
	case js.FalseToken:
		return false
	case js.NullToken:
		return null{}
	case js.RegExpToken:
		return p.regexp(sourceText(e.Data))
	case js.SuperToken:
		if s := p.superOf(); s != nil {
			return s
		}
		return unknown{}
	}
	if js.IsNumeric(e.TokenType) {
		if len(e.Data) == 1 {
			return float64(e.Data[0] - '0')
		}
		if e.Data[len(e.Data)-1] == 'n' {
			return bigLiteral(sourceText(e.Data))
		}
		return parseNumber(strings.ReplaceAll(sourceText(e.Data), "_", ""))
	}
	return unknown{}
}

// member reads a.b, a?.b or a[b], and what it is of.
func (p *Page) member(e js.IExpr) (v, of value) {
	key, optional := "", false
	switch e := e.(type) {
	case *js.DotExpr:
		of, optional = p.expr(e.X), e.Optional
		key = memberName(e)
		if isSuper(e.X) {
			return p.superMember(key), p.now.this
		}
	case *js.IndexExpr:
		of, optional = p.expr(e.X), e.Optional
		i := p.expr(e.Y)
		switch of.(type) {
		case nil, null:
			if optional {
				return nil, of
			}
			return p.missing(e.X), of
		}
		v = p.indexed(of, i)
		p.nothing = v == nil && p.isExact(of)
		return v, of
	}
	if optional {
		of = present(of)
	}
	switch of.(type) {
	case nil, null:
		if optional {
			return nil, of
		}
		return p.missing(e.(*js.DotExpr).X), of
	}
	v = p.get(of, key)
	p.nothing = v == nil && p.isExact(of)
	return v, of
}

func memberName(e *js.DotExpr) string {
	switch y := e.Y.(type) {
	case js.LiteralExpr:
		return sourceText(y.Data)
	case *js.LiteralExpr:
		return sourceText(y.Data)
	case *js.Var:
		return memberKey(sourceText(y.Data))
	}
	return ""
}

// indexed is an element, or a property by its name; all of them when nobody knows which.
func (p *Page) indexed(of, i value) value {
	if _, is := i.(*choice); is {
		return p.settled(p.lift(i, func(i value) value { return p.indexed(of, i) }))
	}
	if u, is := i.(unknown); is {
		if o, is := of.(*object); is && u.id != 0 && o.class == classPlain && len(o.keys) > 0 {
			p.cost(len(o.keys))
			c := &choice{id: u.id, keys: slices.Clone(o.keys), none: true}
			for _, key := range o.keys {
				c.vals = append(c.vals, one(o.get(key)))
			}
			return c
		}
		return p.any(of)
	}
	if o, is := i.(*object); is && o.class != classList && o.class != classPlain && o.class != classSymbol {
		return unknown{}
	}
	if o, is := i.(*object); !is || o.class != classPlain {
		i = p.primitive(i)
	}
	key, known := p.key(i)
	if !known {
		return p.any(of)
	}
	return p.get(of, key)
}

func (p *Page) settled(v value) value {
	if c, is := v.(*choice); is {
		return p.settle(c)
	}
	return v
}

// any is a property of an object, nobody knows which.
func (p *Page) any(of value) value {
	o, is := one(of).(*object)
	if !is {
		return unknown{}
	}
	var vals []value
	switch o.class {
	case classList:
		vals = o.list
	case classPlain, classFunction:
		for _, key := range p.names(o) {
			vals = append(vals, o.get(key))
		}
	}
	if len(vals) == 0 || len(vals) > 4*maxChoices {
		return unknown{}
	}
	p.steps -= len(vals)
	if len(vals) > maxChoices {
		p.choices++
		c := &choice{id: p.choices}
		for _, v := range vals {
			c.vals = append(c.vals, one(v))
		}
		return c
	}
	v := p.either(vals...)
	if c, is := v.(*choice); is {
		c.none = o.class == classPlain
	}
	return v
}

func (p *Page) primitive(v value) value {
	if o, is := v.(*object); is && o.class != classSymbol {
		return p.objectText(o)
	}
	return v
}

func (p *Page) template(e *js.TemplateExpr) value {
	if e.Tag != nil {
		return p.tagged(e)
	}
	val := value(plain(""))
	add := func(piece []byte, from, to int) {
		if len(piece) > from+to {
			val = p.sum2(val, &text{s: unescape(piece[from : len(piece)-to]), lit: true, from: p.script.nth})
		}
	}
	if len(e.List) == 0 {
		return &text{s: unescape(e.Tail[1 : len(e.Tail)-1]), lit: true, from: p.script.nth}
	}
	for _, part := range e.List {
		add(part.Value, 1, 2)
		v := p.expr(part.Expr)
		if _, is := v.(*text); !is {
			v = p.lift(v, func(v value) value { return p.textOf(v) })
		}
		val = p.sum2(val, v)
	}
	add(e.Tail, 1, 1)
	return val
}

func (p *Page) tagged(e *js.TemplateExpr) value {
	var raw, cooked, args []value
	add := func(piece []byte, from, to int) {
		t := piece[from : len(piece)-to]
		raw = append(raw, &text{s: string(t), lit: true, from: p.script.nth})
		cooked = append(cooked, &text{s: unescape(t), lit: true, from: p.script.nth})
	}
	for _, part := range e.List {
		add(part.Value, 1, 2)
		args = append(args, p.expr(part.Expr))
	}
	add(e.Tail, 1, 1)
	strs := p.stringsOf(e, cooked, raw)
	args = append([]value{strs}, args...)
	callee, this := value(nil), value(nil)
	switch tag := e.Tag.(type) {
	case *js.DotExpr, *js.IndexExpr:
		callee, this = p.member(tag)
	default:
		callee = p.expr(tag)
	}
	if f, is := one(callee).(*object); is && f.fn != nil {
		return p.call(f, this, args)
	}
	val := value(plain("")) // of a library: its elements
	for i := range cooked {
		val = p.sum2(val, cooked[i])
		if i+1 < len(args) {
			v := args[i+1]
			if o, is := v.(*object); is && o.class == classList {
				v = p.join(o.list, plain(""))
			}
			val = p.sum2(val, v)
		}
	}
	return val
}

func (p *Page) array(e *js.ArrayExpr) value {
	var vals []value
	for _, el := range e.List {
		if el.Value == nil {
			vals = append(vals, nil)
			continue
		}
		v := p.expr(el.Value)
		if el.Spread {
			items, _ := p.items(one(v))
			vals = p.more(vals, items)
			continue
		}
		vals = append(vals, v)
	}
	return p.newList(vals)
}

func (p *Page) propertyName(n *js.PropertyName) string {
	if n.Computed != nil {
		key, known := p.key(p.primitive(one(p.expr(n.Computed))))
		if !known {
			return string(Hole)
		}
		return key
	}
	data := n.Literal.Data
	switch {
	case n.Literal.TokenType == js.StringToken:
		return unescape(data[1 : len(data)-1])
	case js.IsNumeric(n.Literal.TokenType):
		return formatNumber(parseNumber(string(data)))
	}
	return string(data)
}

func (p *Page) objectExpr(e *js.ObjectExpr) value {
	o := p.object()
	o.exact = true
	for _, pr := range e.List {
		if pr.Spread {
			if from, is := one(p.expr(pr.Value)).(*object); is {
				p.copyTo(o, from)
			} else {
				o.exact = false
			}
			continue
		}
		if m, is := pr.Value.(*js.MethodDecl); is {
			key := p.propertyName(&m.Name.PropertyName)
			f := p.function(nil, &code{params: &m.Params, body: &m.Body, async: m.Async, generator: m.Generator}, false)
			f.fn.name = key
			f.fn.home = o
			p.accessor(o, key, f, m.Get, m.Set)
			continue
		}
		key := ""
		if pr.Name != nil {
			key = p.propertyName(pr.Name)
		} else if v, is := pr.Value.(*js.Var); is {
			key = sourceText(v.Data)
		}
		v := p.expr(pr.Value)
		if key == "__proto__" && pr.Name != nil && pr.Name.Computed == nil {
			o.proto, _ = v.(*object)
			continue
		}
		if f, is := v.(*object); is && f.fn != nil && f.fn.code != nil {
			if f.fn.name == "" {
				f.fn.name = key
			}
			if f.fn.home == nil {
				f.fn.home = o
			}
		}
		if len(o.keys) < maxItems {
			o.put(key, v)
		}
	}
	return o
}

// accessor makes a method, or one that reads or sets a property.
func (p *Page) accessor(o *object, key string, f *object, get, set bool) {
	if !get && !set {
		o.put(key, f)
		return
	}
	pr := o.own(key)
	if pr == nil {
		o.put(key, nil)
		pr = o.own(key)
	}
	if get {
		pr.get = f
	} else {
		pr.set = f
	}
}

// copyTo gives an object the properties of another.
func (p *Page) copyTo(o, from *object) {
	o.exact = o.exact && from.exact
	if from.class == classList {
		p.cost(len(from.list))
		for i, v := range from.list {
			o.put(formatNumber(float64(i)), v)
		}
		return
	}
	if from.class == classData {
		for _, key := range p.dataNames(from) {
			o.put(key, p.get(from, key))
		}
		return
	}
	keys := from.keys
	if from.class == classProxy {
		keys = p.proxyNames(from.host.(*proxy))
	}
	for _, key := range keys {
		p.step()
		if len(o.keys) >= maxItems {
			return
		}
		if v := p.get(from, key); !isUnknown(v) || o.own(key) == nil {
			p.put(o, key, v)
		}
	}
}

// setTo sets what an expression stands for.
func (p *Page) setTo(e js.IExpr, v value) {
	p.step()
	switch e := e.(type) {
	case *js.Var:
		p.assign(e, v)
	case *js.DotExpr:
		of := p.expr(e.X)
		key := memberName(e)
		if key == "href" && isUnknown(of) && nameOf(e.X) == "location" { // of another window
			p.sink(Goes, v)
			return
		}
		of = p.known(e.X, of)
		if f, is := v.(*object); is && f.fn != nil && f.fn.code != nil {
			if o, is := of.(*object); is && f.fn.home == nil {
				f.fn.home = o
			}
		}
		p.put(of, key, v)
	case *js.IndexExpr:
		of := p.known(e.X, p.expr(e.X))
		i := one(p.primitive(one(p.expr(e.Y))))
		if key, known := p.key(i); known {
			p.put(of, key, v)
			return
		}
		if o, is := of.(*object); is {
			o.exact = false
		}
		if t, is := v.(*text); is {
			t.given = true
		}
	case *js.GroupExpr:
		p.setTo(e.X, v)
	case *js.ArrayExpr:
		n := len(e.List)
		items, known := p.patternItems(v, n, n > 0 && e.List[n-1].Spread)
		for i, el := range e.List {
			switch {
			case el.Value == nil:
			case el.Spread:
				p.setTo(el.Value, p.newList(cut(items, i)))
			default:
				p.setElement(el.Value, at(items, i, known))
			}
		}
	case *js.ObjectExpr:
		for _, pr := range e.List {
			if pr.Name == nil || pr.Spread {
				continue
			}
			x := p.get(v, p.propertyName(pr.Name))
			if pr.Init != nil && x == nil {
				x = p.expr(pr.Init)
			}
			p.setElement(pr.Value, x)
		}
	}
}

// known is an object that is not known, and of which a property is set: it has what scripts give it.
func (p *Page) known(e js.IExpr, of value) value {
	if name, is := e.(*js.Var); is && isUnknown(of) {
		of = &object{class: classPhantom, host: sourceText(name.Data)}
		p.assign(name, of)
	}
	return of
}

func (p *Page) setElement(e js.IExpr, v value) {
	if d, is := e.(*js.BinaryExpr); is && d.Op == js.EqToken {
		if v == nil {
			v = p.expr(d.Y)
		}
		e = d.X
	}
	p.setTo(e, v)
}

// setSum sets what += makes: something is added to what it was, which is not another value that it may have.
func (p *Page) setSum(e js.IExpr, v value) {
	if name, is := e.(*js.Var); is && p.holder(name) == nil {
		if c := p.now.env.find(linked(name)); c != nil {
			p.note(change{env: p.now.env, name: linked(name), old: c.val})
			if p.weak > c.weak {
				v = p.assigned(c.val, v, c.weak)
			}
			c.val = v
			return
		}
	}
	p.setTo(e, v)
}
