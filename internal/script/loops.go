package script

import (
	"maps"
	"slices"

	"github.com/tdewolff/parse/v2/js"
)

// turn reads the body of a loop once; out: the loop ends.
func (p *Page) turn(body func() outcome, label string, endless bool) (o outcome, out bool) {
	f := p.now
	loop, left := f.loop, f.left
	f.loop, f.left = p.weak, false
	o = body()
	gone := f.left
	f.loop, f.left = loop, left
	if o, out = after(o, label); out {
		return o, true
	}
	return goesOn, gone && endless
}

func (p *Page) forLoop(s *js.ForStmt, label string) outcome {
	f := p.now
	outer := f.env
	defer func() { f.env = outer }()
	own := func() {}
	if d, is := s.Init.(*js.VarDecl); is {
		if d.TokenType != js.VarToken {
			f.env = p.blockEnv(outer)
			own = func() { // each turn has names of its own
				p.cost(len(f.env.vars) / 4)
				f.env = &env{parent: outer, block: true, vars: slices.Clone(f.env.vars), at: maps.Clone(f.env.at)}
			}
		}
		p.declare(d)
	} else if s.Init != nil {
		p.expr(s.Init)
	}
	for n := 0; ; n++ {
		p.step()
		if s.Cond != nil {
			is, known := truth(p.expr(s.Cond))
			if !known {
				p.forget(s.Post)
				p.perhaps(func() outcome {
					o, _ := p.turn(func() outcome { return p.scoped(s.Body) }, label, false)
					return o
				})
				return goesOn
			}
			if !is {
				return goesOn
			}
		}
		if o, out := p.turn(func() outcome { return p.scoped(s.Body) }, label, s.Cond == nil); out {
			return o
		}
		own()
		if s.Post != nil {
			p.expr(s.Post)
		}
	}
}

// forget makes what an expression changes not known: the counter of a loop whose end is not known.
func (p *Page) forget(e js.IExpr) {
	switch e := e.(type) {
	case *js.UnaryExpr:
		p.forget(e.X)
	case *js.BinaryExpr:
		p.forget(e.X)
	case *js.CommaExpr:
		for _, e := range e.List {
			p.forget(e)
		}
	case *js.Var:
		if c := p.now.env.find(linked(e)); c != nil {
			c.val = unknown{}
		} else {
			p.global.put(sourceText(e.Data), unknown{})
		}
	}
}

func (p *Page) while(cond js.IExpr, body js.IStmt, label string, first bool) outcome {
	for n := 0; ; n++ {
		p.step()
		endless := true
		if n > 0 || !first {
			is, known := truth(p.expr(cond))
			if !known {
				if n > 0 && first {
					return goesOn
				}
				p.perhaps(func() outcome {
					o, _ := p.turn(func() outcome { return p.stmt(body, "") }, label, false)
					return o
				})
				return goesOn
			}
			if !is {
				return goesOn
			}
		}
		if o, out := p.turn(func() outcome { return p.stmt(body, "") }, label, endless); out {
			return o
		}
	}
}

// each reads the body of a loop for what it loops over, once when that is not known.
func (p *Page) each(init js.IExpr, body *js.BlockStmt, items []value, known bool, label string) outcome {
	f := p.now
	outer := f.env
	defer func() { f.env = outer }()
	turn := func(v value) outcome {
		f.env = outer
		switch d := init.(type) {
		case *js.VarDecl:
			set := p.defineVar
			if d.TokenType != js.VarToken {
				f.env = p.blockEnv(outer)
				set = p.define
			}
			p.bind(d.List[0].Binding, v, set)
		default:
			weak := p.weak
			p.weak = 0 // it is that, and nothing that it was
			p.setTo(d, v)
			p.weak = weak
		}
		return p.scoped(body)
	}
	if !known {
		p.perhaps(func() outcome {
			o, _ := p.turn(func() outcome { return turn(unknown{}) }, label, false)
			return o
		})
		return goesOn
	}
	for i := 0; i < len(items); i++ {
		p.step()
		if o, out := p.turn(func() outcome { return turn(items[i]) }, label, false); out {
			return o
		}
	}
	return goesOn
}

func (p *Page) choose(s *js.SwitchStmt) outcome {
	v := p.expr(s.Init)
	p.cost(len(s.List) / 16)
	from, sure := -1, true
	for i, c := range s.List {
		if c.Cond == nil {
			continue
		}
		is, known := p.equal(v, p.expr(c.Cond), true)
		if !known {
			sure = false
			break
		}
		if is {
			from = i
			break
		}
	}
	if f := p.now; lexical(s.Scope) {
		outer := f.env
		f.env = p.blockEnv(outer)
		defer func() { f.env = outer }()
	}
	for _, c := range s.List {
		p.hoist(c.List)
	}
	if sure {
		if from < 0 {
			for i, c := range s.List {
				if c.Cond == nil {
					from = i
				}
			}
		}
		for i := from; i >= 0 && i < len(s.List); i++ {
			if o := p.block(s.List[i].List); o.done == broke && o.label == "" {
				return goesOn
			} else if o.done != ended {
				return o
			}
		}
		return goesOn
	}
	left := p.now.left
	all := make([]func() outcome, len(s.List))
	sure = false
	for i, c := range s.List {
		sure = sure || c.Cond == nil
		all[i] = func() outcome {
			o := p.block(c.List)
			if o.done == broke && o.label == "" {
				return goesOn
			}
			return o
		}
	}
	p.alternatives(sure, all...)
	p.now.left = left
	return goesOn
}
