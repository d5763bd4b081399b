package script

import "github.com/tdewolff/parse/v2/js"

// Dead reports that a string stands in the i-th script only where nothing is ever run: behind a return, under if (false).
func (p *Page) Dead(script int, s string) bool {
	p.lookAtStrings()
	at := p.stands[literal{script, s}]
	return at.dead > 0 && at.live == 0
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
	case *js.ObjectExpr:
		in, held := v.p.holders[n]
		for _, member := range n.List {
			if member.Name != nil && member.Name.Computed == nil {
				v.name(member.Name.Literal.Data, member.Value, true, in, held)
			} else {
				v.item(member.Value)
			}
		}
	case *js.ArrayExpr:
		for _, of := range n.List {
			v.item(of.Value)
		}
	case *js.Field:
		if n.Name.Computed == nil && n.Name.Private == nil {
			v.name(n.Name.Literal.Data, n.Init, true, []string{"this"}, true)
		}
	case *js.BindingElement:
		if to, is := n.Binding.(*js.Var); is && to != nil {
			v.name(to.Data, n.Default, false, nil, true)
		}
	case *js.BinaryExpr:
		if n.Op == js.EqToken {
			switch to := n.X.(type) {
			case *js.Var:
				v.name(to.Data, n.Y, false, nil, true)
			case *js.DotExpr:
				if of, is := to.X.(*js.Var); is && isWindow(string(of.Data)) {
					v.name([]byte(memberName(to)), n.Y, true, nil, true)
				} else {
					v.item(n.Y)
				}
			case *js.IndexExpr:
				v.item(n.Y)
			}
		}
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

// put notes a place where a string stands.
func (v *deadVisitor) put(s string) {
	at := literal{v.nth, s}
	place := v.p.stands[at]
	if v.dead {
		place.dead++
	} else {
		place.live++
	}
	v.p.stands[at] = place
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
