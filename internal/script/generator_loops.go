package script

import (
	"maps"
	"slices"

	"github.com/tdewolff/parse/v2/js"
)

// turns are what a loop gets, one by one.
type turns struct {
	items  []value
	at     int
	stream *stream
	weak   int // it is read once, for what nobody knows
	now    value
}

// next moves on; false: there is no more.
func (t *turns) next(p *Page) bool {
	p.step()
	switch {
	case t.weak > 0:
		t.at++
		t.now = unknown{}
		return t.at == 1
	case t.stream != nil:
		v, done := t.stream.pull(p, nextOne, nil)
		t.now = v
		return !done
	}
	if t.at >= len(t.items) {
		return false
	}
	t.now = t.items[t.at]
	t.at++
	return true
}

// turnsOf are what a loop over a value gets: its values, or the names of its properties.
func (p *Page) turnsOf(v value, values bool) *turns {
	if values {
		if s := p.streamOf(one(v)); s != nil {
			return &turns{stream: s}
		}
		items, known := p.items(one(v))
		if !known {
			return &turns{weak: 1}
		}
		return &turns{items: items}
	}
	o, is := one(v).(*object)
	if !is || o.class != classPlain && o.class != classList && o.class != classFunction && o.class != classProxy {
		return &turns{weak: 1}
	}
	var items []value
	for _, name := range p.names(o) {
		items = append(items, plain(name))
	}
	return &turns{items: items}
}

// after is what becomes of a loop when its body ended.
func after(o outcome, label string) (end outcome, out bool) {
	switch o.done {
	case broke:
		if o.label == "" || o.label == label {
			return goesOn, true
		}
		return o, true
	case continued:
		return o, o.label != "" && o.label != label
	case returned, left:
		return o, true
	}
	return goesOn, false
}

// eachOf is a loop over what comes one by one.
func (p *Page) eachOf(init js.IExpr, body *js.BlockStmt, s *stream, wait bool, label string) outcome {
	f, outer := p.now, p.now.env
	defer func() { f.env = outer }()
	t := &turns{stream: s}
	for t.next(p) {
		if wait {
			t.now = p.lift(t.now, p.await)
		}
		o, out := p.turn(func() outcome {
			f.env = outer
			p.turnNames(init, t.now)
			return p.scoped(body)
		}, label, true)
		if out {
			s.pull(p, finish, nil)
			return o
		}
	}
	return goesOn
}

// turnNames gives the names of a turn of a loop what they mean.
func (p *Page) turnNames(init js.IExpr, v value) {
	d, is := init.(*js.VarDecl)
	if !is {
		p.setTo(init, v)
		return
	}
	set := p.defineVar
	if d.TokenType != js.VarToken {
		p.now.env = &env{parent: p.now.env, block: true}
		set = p.define
	}
	p.bind(d.List[0].Binding, v, set)
}

func (g *generator) each(p *Page, init js.IExpr, body *js.BlockStmt, label string, of js.IExpr, wait, values bool) outcome {
	f, outer := p.now, p.now.env
	defer func() { f.env = outer }()
	pl, again := g.back()
	if !again || pl.turns == nil {
		v, o := g.expr(p, of)
		if o.done != ended {
			return g.leave(o, place{})
		}
		pl, again = place{turns: p.turnsOf(v, values)}, false
	}
	t := pl.turns
	for again || t.next(p) {
		if again {
			f.env = pl.env
		} else {
			f.env = outer
			if wait {
				t.now = p.lift(t.now, p.await)
			}
			p.turnNames(init, t.now)
		}
		again = false
		inner := f.env
		o, out := after(g.weakly(p, t.weak, func() outcome { return g.scoped(p, body) }), label)
		if out {
			if t.stream != nil && o.done != left {
				t.stream.pull(p, finish, nil)
			}
			return g.leave(o, place{turns: t, env: inner})
		}
	}
	return goesOn
}

// Parts of a loop.
const (
	inInit = iota
	inCond
	inBody
	inPost
)

func (g *generator) forLoop(p *Page, s *js.ForStmt, label string) outcome {
	f, outer := p.now, p.now.env
	defer func() { f.env = outer }()
	d, own := s.Init.(*js.VarDecl)
	own = own && d.TokenType != js.VarToken
	pl, again := g.back()
	if again {
		f.env = pl.env
	} else if own {
		f.env = p.blockEnv(outer)
	}
	for {
		p.step()
		var o outcome
		switch pl.at {
		case inInit:
			if s.Init != nil {
				_, o = g.expr(p, s.Init)
			}
		case inCond:
			v := value(true)
			if s.Cond != nil {
				v, o = g.expr(p, s.Cond)
			}
			if o.done != ended {
				break
			}
			is, known := truth(v)
			switch {
			case !known && pl.weak > 0, known && !is:
				return goesOn
			case !known:
				p.forget(s.Post)
				pl.weak = 1
			}
		case inBody:
			end, out := after(g.weakly(p, pl.weak, func() outcome { return g.scoped(p, s.Body) }), label)
			if out {
				return g.leave(end, place{at: inBody, env: f.env, weak: pl.weak})
			}
			if pl.weak > 0 {
				return goesOn
			}
			if own {
				p.cost(len(f.env.vars) / 4)
				f.env = &env{parent: outer, block: true, vars: slices.Clone(f.env.vars), at: maps.Clone(f.env.at)}
			}
		case inPost:
			if s.Post != nil {
				_, o = g.expr(p, s.Post)
			}
		}
		if o.done != ended {
			return g.leave(o, place{at: pl.at, env: f.env, weak: pl.weak})
		}
		if pl.at++; pl.at > inPost {
			pl.at = inCond
		}
	}
}

// while is a loop that asks before its body, or, first being 1, behind it.
func (g *generator) while(p *Page, cond js.IExpr, body js.IStmt, label string, first int) outcome {
	pl, again := g.back()
	if !again {
		pl.at = first
	}
	for {
		p.step()
		if pl.at == 0 {
			v, o := g.expr(p, cond)
			if o.done != ended {
				return g.leave(o, pl)
			}
			is, known := truth(v)
			switch {
			case known && !is, !known && first == 1:
				return goesOn
			case !known:
				pl.weak = 1
			}
			pl.at = 1
		}
		end, out := after(g.weakly(p, pl.weak, func() outcome { return g.stmt(p, body, "") }), label)
		if out {
			return g.leave(end, pl)
		}
		if pl.weak > 0 {
			return goesOn
		}
		pl.at = 0
	}
}

func (g *generator) choose(p *Page, s *js.SwitchStmt) outcome {
	return g.within(p, lexical(s.Scope), func(bool) outcome {
		pl, again := g.back()
		if !again || pl.at < 0 {
			v, o := g.expr(p, s.Init)
			if o.done != ended {
				return g.leave(o, place{at: -1})
			}
			pl = p.caseOf(s, v)
			for _, c := range s.List {
				p.hoist(c.List)
			}
		}
		for ; pl.at < len(s.List); pl.at++ {
			o := g.weakly(p, pl.weak, func() outcome { return g.block(p, s.List[pl.at].List) })
			switch {
			case o.done == broke && o.label == "" && pl.weak == 0:
				return goesOn
			case o.done == broke && o.label == "":
			case o.done != ended:
				return g.leave(o, pl)
			}
		}
		return goesOn
	})
}

// caseOf is the case that a value chooses; all of them, when nobody knows.
func (p *Page) caseOf(s *js.SwitchStmt, v value) place {
	p.cost(len(s.List) / 16)
	from := len(s.List)
	for i, c := range s.List {
		if c.Cond == nil {
			from = i
			continue
		}
		is, known := p.equal(v, p.expr(c.Cond), true)
		if !known {
			return place{weak: 1}
		}
		if is {
			return place{at: i}
		}
	}
	return place{at: from}
}

// Parts of a try statement.
const (
	inTry = iota
	inCatch
	inFinally
)

func (g *generator) try(p *Page, s *js.TryStmt) outcome {
	f, outer := p.now, p.now.env
	defer func() { f.env = outer }()
	pl, again := g.back()
	if again {
		f.env = pl.env
	}
	tries := p.tries
	for {
		var o outcome
		do := func() {}
		switch pl.at {
		case inTry:
			if s.Catch != nil {
				p.tries = p.weak + 1
			}
			do = func() { o = g.scoped(p, s.Body) }
		case inCatch:
			do = func() { o = g.scoped(p, s.Catch) }
		case inFinally:
			if o = g.scoped(p, s.Finally); o.done != ended {
				return g.leave(o, place{at: inFinally, o: pl.o, thrown: pl.thrown, env: f.env})
			}
			if pl.thrown {
				throw(pl.o.val)
			}
			return pl.o
		}
		with, failed := p.fails(do)
		p.tries = tries
		switch {
		case o.done == left:
			return g.leave(o, place{at: pl.at, env: f.env})
		case failed && pl.at == inTry && s.Catch != nil:
			g.path, g.sent = nil, nil
			pl = place{at: inCatch}
			if s.Binding != nil {
				f.env = p.blockEnv(outer)
				p.bind(s.Binding, with, p.define)
			}
			continue
		}
		if failed {
			g.path, g.sent = nil, nil
			o = outcome{val: with}
		}
		pl = place{at: inFinally, o: o, thrown: failed}
		f.env = outer
		if s.Finally == nil {
			if failed {
				throw(with)
			}
			return o
		}
	}
}
