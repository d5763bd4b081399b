package script

import "github.com/tdewolff/parse/v2/js"

// What a script says and nobody reads is no address: a constant that nothing uses, an entry of a table that is never picked. Only what is
// kept and never read again counts as such: what was read once may be read otherwise the next time, which is not followed.

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

// findIdle looks at what became of each string of the scripts that were interpreted.
func (p *Page) findIdle() {
	p.idles = map[literal]bool{}
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
	for _, s := range p.ran {
		js.Walk(&idleVisitor{p, s.nth}, s.ast)
	}
}

// idleVisitor looks at the strings of a script.
type idleVisitor struct {
	p   *Page
	nth int
}

func (v *idleVisitor) Enter(n js.INode) js.IVisitor {
	switch n := n.(type) {
	case *js.LiteralExpr:
		if n.TokenType == js.StringToken {
			t := v.p.literals[n]
			v.put(unescape(n.Data[1:len(n.Data)-1]), t != nil && !t.read && !t.sunk && !t.given && (!t.consumed || t.looked))
		}
	case *js.TemplateExpr:
		if len(n.List) == 0 && n.Tag == nil {
			v.put(unescape(n.Tail[1:len(n.Tail)-1]), false)
		}
	}
	return v
}

func (v *idleVisitor) Exit(js.INode) {}

// put notes a place where a string stands: it is idle when it is in all of them.
func (v *idleVisitor) put(s string, idle bool) {
	at := literal{v.nth, s}
	before, known := v.p.idles[at]
	v.p.idles[at] = idle && (before || !known)
}
