package script

import (
	"slices"

	"github.com/tdewolff/parse/v2/js"
)

// generator is a function that is left where it yields, and read on from there. Go's stack is not kept for that: each statement around the
// place notes where it is, and the expression that yields is read again, with what its yields before gave.
type generator struct {
	frame *frame
	async bool
	path  []place // of the statements around where it was left, the innermost first
	sent  []sent  // what the yields of the expression gave that is read
	at    int
	inner *stream // what yield* gives the values of
	begun bool
	ended bool
	busy  bool
}

// sent is what a yield is given.
type sent struct {
	how how
	val value
}

// place is where a statement was left.
type place struct {
	at     int
	env    *env
	turns  *turns
	weak   int
	o      outcome
	thrown bool
}

// suspended leaves an expression.
type suspended struct {
	val  value
	done done
}

// yielding finds what yields.
type yielding struct{ n, found int }

func (y *yielding) Enter(n js.INode) js.IVisitor {
	y.n++
	switch n.(type) {
	case *js.FuncDecl, *js.ArrowFunc, *js.MethodDecl, *js.ClassDecl:
		return nil
	case *js.YieldExpr:
		y.found++
	}
	return y
}

func (y *yielding) Exit(js.INode) {}

// yields reports a statement in which something yields.
func (p *Page) yields(s js.IStmt) bool {
	is, known := p.yielders[s]
	if !known {
		y := &yielding{}
		js.Walk(y, s)
		p.cost(y.n / 8)
		if p.yielders == nil {
			p.yielders = map[js.IStmt]bool{}
		}
		is = y.found > 0
		p.yielders[s] = is
	}
	return is
}

// newGenerator makes the iterator that a function returns which yields.
func (p *Page) newGenerator(fr *frame) value {
	g := &generator{frame: fr, async: fr.fn.code.async}
	fr.gen = g
	if len(p.unasked) < maxJobs {
		p.unasked = append(p.unasked, g)
	}
	return p.newIterator(&stream{pull: g.resume, async: g.async})
}

// askAll reads generators that nobody asked for anything.
func (p *Page) askAll() {
	for i := 0; i < len(p.unasked) && p.steps > 0; i++ {
		if g := p.unasked[i]; !g.begun {
			p.job(p.steps/8+1, p.effort.callback, func() {
				for done := false; !done; {
					_, done = g.resume(p, nextOne, unknown{})
				}
			})
		}
	}
	p.unasked = nil
}

// resume reads on until the next yield.
func (g *generator) resume(p *Page, h how, v value) (val value, done bool) {
	switch {
	case g.busy, p.calls >= maxCalls:
		return unknown{}, true
	case g.ended || !g.begun && h != nextOne:
		if g.ended, g.begun = true, true; h == throwIn {
			throw(v)
		}
		if h == finish {
			return v, true
		}
		return nil, true
	case g.begun:
		if g.inner != nil {
			if val, done = g.inner.pull(p, h, v); !done {
				return val, false
			}
			g.inner = nil
			if v = val; h != finish {
				h = nextOne
			}
		}
		g.sent = append(g.sent, sent{h, v})
	}
	p.step()
	p.down()
	now, script, weak, tries, depth := p.now, p.script, p.weak, p.tries, p.depth
	p.calls++
	g.begun, g.busy = true, true
	o := outcome{done: returned}
	defer func() {
		p.now, p.script, p.weak, p.tries, p.depth = now, script, weak, tries, depth-1
		p.calls--
		g.busy, g.ended = false, o.done != left
	}()
	p.now, p.script = g.frame, g.frame.fn.script
	g.at = 0
	o = g.block(p, g.frame.fn.code.body.List)
	if o.done == ended {
		o.val = nil
	}
	return o.val, o.done != left
}

// yield is what a yield gives that was asked, or leaves.
func (g *generator) yield(p *Page, e *js.YieldExpr) value {
	if g.at < len(g.sent) {
		s := g.sent[g.at]
		g.at++
		switch s.how {
		case throwIn:
			throw(s.val)
		case finish:
			suspend(s.val, returned)
		}
		return s.val
	}
	var v value
	if e.X != nil {
		v = p.expr(e.X)
	}
	if g.async {
		v = p.lift(v, p.await)
	}
	if !e.Generator {
		suspend(v, left)
	}
	s := p.streamOf(one(v))
	if s == nil {
		items, known := p.items(one(v))
		if !known {
			items = []value{unknown{}}
		}
		s = listStream(p.newList(slices.Clone(items)))
	}
	v, done := s.pull(p, nextOne, nil)
	if !done {
		g.inner = s
		suspend(v, left)
	}
	g.sent, g.at = append(g.sent, sent{nextOne, v}), g.at+1
	return v
}

// eval reads an expression, or what of it is left to read. It is left with an outcome that does not go on.
func (g *generator) eval(p *Page, do func() value) (v value, o outcome) {
	f, inner := p.now, p.now.env
	depth, calls, script, weak, loop := p.depth, p.calls, p.script, p.weak, f.loop
	g.at = 0
	defer func() {
		if p.ending {
			g.sent = nil
			return
		}
		if r := recover(); r != nil {
			s, is := r.(suspended)
			if !is {
				g.sent = nil
				rethrow(r)
			}
			p.now, p.depth, p.calls, p.script, p.weak = f, depth, calls, script, weak
			f.env, f.loop = inner, loop
			o = outcome{done: s.done, val: s.val}
			if s.done == returned {
				g.sent = nil
			}
		}
	}()
	v = do()
	g.sent = nil
	return v, goesOn
}

func (g *generator) expr(p *Page, e js.IExpr) (value, outcome) {
	return g.eval(p, func() value { return p.expr(e) })
}

// back is where a statement was left that is read on; false: it is read from its beginning.
func (g *generator) back() (place, bool) {
	if n := len(g.path) - 1; n >= 0 {
		pl := g.path[n]
		g.path = g.path[:n]
		return pl, true
	}
	return place{}, false
}

// leave notes where a statement is left.
func (g *generator) leave(o outcome, pl place) outcome {
	if o.done == left {
		g.path = append(g.path, pl)
	}
	return o
}

func (g *generator) block(p *Page, list []js.IStmt) outcome {
	pl, _ := g.back()
	for i := pl.at; i < len(list); i++ {
		if o := g.stmt(p, list[i], ""); o.done != ended {
			return g.leave(o, place{at: i})
		}
	}
	return goesOn
}

func (g *generator) stmt(p *Page, s js.IStmt, label string) outcome {
	if !p.yields(s) {
		return p.stmt(s, label)
	}
	p.step()
	p.down()
	o := g.stmt1(p, s, label)
	p.depth--
	return o
}

func (g *generator) stmt1(p *Page, s js.IStmt, label string) outcome {
	switch s := s.(type) {
	case *js.ExprStmt:
		_, o := g.expr(p, s.Value)
		return o
	case *js.VarDecl:
		_, o := g.eval(p, func() value { p.declare(s); return nil })
		return o
	case *js.ReturnStmt:
		v, o := g.expr(p, s.Value)
		if o.done == ended {
			o = outcome{done: returned, val: v}
		}
		return o
	case *js.ThrowStmt:
		v, o := g.expr(p, s.Value)
		if o.done == ended {
			throw(v)
		}
		return o
	case *js.BlockStmt:
		return g.scoped(p, s)
	case *js.IfStmt:
		return g.branches(p, s)
	case *js.ForStmt:
		return g.forLoop(p, s, label)
	case *js.WhileStmt:
		return g.while(p, s.Cond, s.Body, label, 0)
	case *js.DoWhileStmt:
		return g.while(p, s.Cond, s.Body, label, 1)
	case *js.ForOfStmt:
		return g.each(p, s.Init, s.Body, label, s.Value, s.Await, true)
	case *js.ForInStmt:
		return g.each(p, s.Init, s.Body, label, s.Value, false, false)
	case *js.SwitchStmt:
		return g.choose(p, s)
	case *js.LabelledStmt:
		o := g.stmt(p, s.Value, string(s.Label))
		if o.done == broke && o.label == string(s.Label) {
			return goesOn
		}
		return o
	case *js.TryStmt:
		return g.try(p, s)
	case *js.WithStmt:
		return g.stmt(p, s.Body, "")
	}
	return p.stmt(s, label)
}

// within reads a block with names of its own, which it has again when it is read on.
func (g *generator) within(p *Page, own bool, do func(again bool) outcome) outcome {
	f, outer := p.now, p.now.env
	defer func() { f.env = outer }()
	pl, again := g.back()
	if again {
		f.env = pl.env
	} else if own {
		f.env = p.blockEnv(outer)
	}
	return g.leave(do(again), place{env: f.env})
}

func (g *generator) scoped(p *Page, b *js.BlockStmt) outcome {
	if b == nil {
		return goesOn
	}
	return g.within(p, lexical(b.Scope), func(again bool) outcome {
		if !again {
			p.hoist(b.List)
		}
		return g.block(p, b.List)
	})
}

// weakly reads something under as many more conditions that are not known.
func (g *generator) weakly(p *Page, n int, do func() outcome) outcome {
	p.weak += n
	o := do()
	p.weak -= n
	return o
}

// branches is an if statement; both branches are read, one behind the other, when nobody knows which is taken.
func (g *generator) branches(p *Page, s *js.IfStmt) outcome {
	pl, again := g.back()
	if !again || pl.at < 0 {
		v, o := g.expr(p, s.Cond)
		if o.done != ended {
			return g.leave(o, place{at: -1})
		}
		pl = chosen(v)
	}
	for ; pl.at < 2; pl.at++ {
		body := s.Body
		if pl.at == 1 {
			body = s.Else
		}
		if body == nil {
			break
		}
		o := g.weakly(p, pl.weak, func() outcome { return g.stmt(p, body, "") })
		if o.done == left || pl.weak == 0 {
			return g.leave(o, pl)
		}
	}
	return goesOn
}

// chosen is which branch a condition takes.
func chosen(v value) place {
	is, known := truth(v)
	switch {
	case !known:
		return place{weak: 1}
	case is:
		return place{}
	}
	return place{at: 1}
}
