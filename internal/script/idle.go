package script

import (
	"bytes"
	"unicode/utf8"

	"github.com/tdewolff/parse/v2/js"
)

// What a script says and nobody reads is no address: a constant that nothing uses, an entry of a table that is never picked. Only what is
// kept under a name that the page has nowhere else, and was not read by something that reads all, counts as such: what is read under
// conditions may be read the next time, which is not followed.

// reads notes that a value is read that was kept somewhere.
func reads(v value) value {
	switch v := v.(type) {
	case *text:
		v.read = true
	case *choice:
		for _, v := range v.vals {
			reads(v)
		}
	}
	return v
}

// hand notes that something gets values that may read whatever is in them.
func (p *Page) hand(vals ...value) {
	for _, v := range vals {
		switch v := v.(type) {
		case *choice:
			p.hand(v.vals...)
			p.hand(v.rest)
		case *object:
			if !v.handed {
				v.handed = true
				p.handed = append(p.handed, v)
			}
		default:
			reads(v)
		}
	}
}

// Others notes that the page has scripts that are not known: they may read what all scripts share.
func (p *Page) Others() { p.others = true }

// Idle reports that a string stands in the i-th script and that nothing ever reads it.
func (p *Page) Idle(script int, s string) bool {
	if p.cut {
		return false
	}
	if p.idles == nil {
		p.findIdle()
	}
	return p.idles[literal{script, s}]
}

// readHanded notes that all is read that was handed to something.
func (p *Page) readHanded() {
	if p.others {
		p.hand(p.global)
		for _, o := range p.doc.wrapped {
			p.hand(o)
		}
	}
	for i := 0; i < len(p.handed); i++ {
		o := p.handed[i]
		for _, pr := range o.props {
			p.hand(pr.val)
		}
		for _, pr := range o.index {
			p.hand(pr.val)
		}
		p.hand(o.list...)
		if o.fn != nil {
			p.hand(o.fn.given...)
		}
		switch h := o.host.(type) {
		case *entries:
			p.hand(h.keys...)
			p.hand(h.vals...)
		case *promise:
			p.hand(h.val)
		case value:
			p.hand(h)
		}
	}
}

// findIdle looks at what became of each string of the scripts that were interpreted.
func (p *Page) findIdle() {
	p.idles = map[literal]bool{}
	for _, s := range p.ran {
		js.Walk(&idleVisitor{p: p, nth: s.nth}, s.ast)
	}
}

// once reports a name that stands in the page once: where it gets its meaning.
func (p *Page) once(name []byte) bool {
	text := p.doc.source.Text
	if once, known := p.onces[string(name)]; known {
		return once
	}
	if len(name) == 0 || len(text) > maxCounted || len(p.onces) >= maxNames {
		return false
	}
	n := 0
	for at := 0; n < 2; {
		i := bytes.Index(text[at:], name)
		if i < 0 {
			break
		}
		i += at
		at = i + len(name)
		if (i == 0 || !inName(text[i-1])) && (at == len(text) || !inName(text[at])) {
			n++
		}
	}
	if p.onces == nil {
		p.onces = map[string]bool{}
	}
	p.onces[string(name)] = n == 1
	return n == 1
}

// Bounds of looking for names in a page: bytes of it, and names.
const (
	maxCounted = 1 << 20
	maxNames   = 128
)

func inName(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == '$' || c >= utf8.RuneSelf
}

// asks notes the names that a script has from others.
func (p *Page) asks(s *Script) {
	if p.foreign == nil {
		p.foreign = map[string]struct{}{}
	}
	for _, v := range s.ast.Undeclared {
		p.foreign[sourceText(v.Data)] = struct{}{}
	}
}

// neverCalled reports a function that a declaration names and nothing else does, so that it is never run. What all scripts share has a
// name for those that are not known, too.
func (p *Page) neverCalled(f *object) bool {
	c := f.fn.code
	if c == nil || c.decl == nil || linked(c.decl).Uses > 1 || p.cut || !p.once(c.decl.Data) {
		return false
	}
	if c.shared {
		if _, asked := p.foreign[sourceText(c.decl.Data)]; asked || p.others || p.global.handed {
			return false
		}
	}
	if p.uncalled == nil {
		p.uncalled = map[*js.Var]struct{}{}
	}
	p.uncalled[c.decl] = struct{}{}
	return true
}

// idleVisitor looks at the strings of a script.
type idleVisitor struct {
	p    *Page
	nth  int
	dead bool // what is read is never run
	kept bool // it is kept under a name that stands nowhere else
}

func (v *idleVisitor) Enter(n js.INode) js.IVisitor {
	switch n := n.(type) {
	case *js.ArrayExpr, *js.ObjectExpr, *js.Element, *js.GroupExpr:
		return v
	case *js.BindingElement:
		if name, is := n.Binding.(*js.Var); is {
			v.keep(n.Default, name.Data)
			return nil
		}
	case *js.Property:
		if n.Name != nil && n.Name.Computed == nil {
			v.keep(n.Value, bytes.Trim(n.Name.Literal.Data, "'\""))
			return nil
		}
	case *js.Field:
		if n.Name.Computed == nil {
			v.keep(n.Init, bytes.Trim(n.Name.Literal.Data, "'\""))
			return nil
		}
	case *js.LiteralExpr:
		if n.TokenType == js.StringToken {
			t := v.p.literals[n]
			v.put(unescape(n.Data[1:len(n.Data)-1]), v.dead || v.kept && t != nil && !t.read && !t.sunk && !t.given && (!t.consumed || t.looked))
		}
	case *js.TemplateExpr:
		if len(n.List) == 0 && n.Tag == nil {
			v.put(unescape(n.Tail[1:len(n.Tail)-1]), v.dead)
		}
	case *js.BlockStmt:
		v.statements(n.List)
		return nil
	case *js.CaseClause:
		v.walk(n.Cond, false)
		v.statements(n.List)
		return nil
	case *js.FuncDecl:
		if _, uncalled := v.p.uncalled[n.Name]; uncalled && n.Name != nil {
			js.Walk(v.of(true), &n.Body)
			return nil
		}
	case *js.IfStmt:
		is, known := constant(n.Cond)
		v.walk(n.Cond, false)
		v.walk(n.Body, known && !is)
		v.walk(n.Else, known && is)
		return nil
	case *js.CondExpr:
		is, known := constant(n.Cond)
		v.walk(n.Cond, false)
		v.walk(n.X, known && !is)
		v.walk(n.Y, known && is)
		return nil
	case *js.WhileStmt:
		is, known := constant(n.Cond)
		v.walk(n.Cond, false)
		v.walk(n.Body, known && !is)
		return nil
	case *js.BinaryExpr:
		if n.Op == js.EqToken {
			switch to := n.X.(type) {
			case *js.Var:
				v.keep(n.Y, to.Data)
				return nil
			case *js.DotExpr:
				v.walk(to.X, false)
				v.keep(n.Y, []byte(memberName(to)))
				return nil
			}
		}
		is, known := constant(n.X)
		v.walk(n.X, false)
		v.walk(n.Y, known && (n.Op == js.AndToken && !is || n.Op == js.OrToken && is))
		return nil
	}
	return v.of(false)
}

// of is for what is not kept as it stands.
func (v *idleVisitor) of(dead bool) *idleVisitor {
	if !v.kept && (v.dead || !dead) {
		return v
	}
	return &idleVisitor{p: v.p, nth: v.nth, dead: v.dead || dead}
}

// keep looks at what is kept under a name.
func (v *idleVisitor) keep(n js.INode, name []byte) {
	if n == nil {
		return
	}
	if !v.kept && v.p.once(name) {
		v = &idleVisitor{p: v.p, nth: v.nth, dead: v.dead, kept: true}
	}
	js.Walk(v, n)
}

// walk looks at a part of the script; never: it is not run.
func (v *idleVisitor) walk(n js.INode, never bool) {
	if n != nil {
		js.Walk(v.of(never), n)
	}
}

// statements are run one after another, until one leaves them. Functions are declared before.
func (v *idleVisitor) statements(list []js.IStmt) {
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

func (v *idleVisitor) Exit(js.INode) {}

// put notes a place where a string stands: it is idle when it is in all of them.
func (v *idleVisitor) put(s string, idle bool) {
	at := literal{v.nth, s}
	before, known := v.p.idles[at]
	v.p.idles[at] = idle && (before || !known)
}
