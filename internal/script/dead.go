package script

import "github.com/tdewolff/parse/v2/js"

// Dead reports that a string stands in the i-th script only where nothing is ever run: behind a return, under if (false).
func (p *Page) Dead(script int, s string) bool {
	if p.dead == nil {
		p.dead = map[literal]bool{}
		for _, s := range p.ran {
			js.Walk(&deadVisitor{p: p, nth: s.nth}, s.ast)
		}
	}
	return p.dead[literal{script, s}]
}

// deadVisitor looks at the strings of a script.
type deadVisitor struct {
	p    *Page
	nth  int
	dead bool // what is read is never run
}

func (v *deadVisitor) Enter(n js.INode) js.IVisitor {
	switch n := n.(type) {
	case *js.LiteralExpr:
		if n.TokenType == js.StringToken {
			v.put(unescape(n.Data[1 : len(n.Data)-1]))
		}
	case *js.TemplateExpr:
		if len(n.List) == 0 && n.Tag == nil {
			v.put(unescape(n.Tail[1 : len(n.Tail)-1]))
		}
	case *js.BlockStmt:
		v.statements(n.List)
		return nil
	case *js.CaseClause:
		v.walk(n.Cond, false)
		v.statements(n.List)
		return nil
	case *js.IfStmt:
		v.either(n.Cond, n.Body, n.Else)
		return nil
	case *js.CondExpr:
		v.either(n.Cond, n.X, n.Y)
		return nil
	case *js.WhileStmt:
		is, known := constant(n.Cond)
		v.walk(n.Cond, false)
		v.walk(n.Body, known && !is)
		return nil
	case *js.BinaryExpr:
		is, known := constant(n.X)
		v.walk(n.X, false)
		v.walk(n.Y, known && (n.Op == js.AndToken && !is || n.Op == js.OrToken && is))
		return nil
	}
	return v
}

func (v *deadVisitor) Exit(js.INode) {}

// either looks at a condition, and at what is run by it.
func (v *deadVisitor) either(cond js.IExpr, yes, no js.INode) {
	is, known := constant(cond)
	v.walk(cond, false)
	v.walk(yes, known && !is)
	v.walk(no, known && is)
}

// walk looks at a part of the script; never: it is not run.
func (v *deadVisitor) walk(n js.INode, never bool) {
	if n == nil {
		return
	}
	if never && !v.dead {
		v = &deadVisitor{p: v.p, nth: v.nth, dead: true}
	}
	js.Walk(v, n)
}

// statements are run one after another, until one leaves them. Functions are declared before.
func (v *deadVisitor) statements(list []js.IStmt) {
	left := false
	for _, s := range list {
		_, function := s.(*js.FuncDecl)
		v.walk(s, left && !function)
		switch s.(type) {
		case *js.ReturnStmt, *js.ThrowStmt, *js.BranchStmt:
			left = true
		}
	}
}

// put notes a place where a string stands: it is dead when it is so in all of them.
func (v *deadVisitor) put(s string) {
	at := literal{v.nth, s}
	before, known := v.p.dead[at]
	v.p.dead[at] = v.dead && (before || !known)
}

// constant is what a condition is that needs no script to be run.
func constant(e js.IExpr) (is, known bool) {
	switch e := e.(type) {
	case *js.GroupExpr:
		return constant(e.X)
	case *js.UnaryExpr:
		if e.Op == js.NotToken {
			is, known = constant(e.X)
			return !is, known
		}
	case *js.LiteralExpr:
		switch {
		case e.TokenType == js.TrueToken:
			return true, true
		case e.TokenType == js.FalseToken, e.TokenType == js.NullToken:
			return false, true
		case string(e.Data) == "0":
			return false, true
		case string(e.Data) == "1":
			return true, true
		}
	}
	return false, false
}
