package script

import (
	"slices"

	"github.com/tdewolff/parse/v2/js"
)

// change is what a name or a property meant before a branch set it, and what it means at the end of the branch.
type change struct {
	env  *env
	name *js.Var
	prop *prop // of an object, instead
	old  value
	val  value
}

func (c change) get() value {
	if c.prop != nil {
		return c.prop.val
	}
	if b := c.env.find(c.name); b != nil {
		return b.val
	}
	return nil
}

func (c change) put(v value) {
	if c.prop != nil {
		c.prop.val = v
	} else if b := c.env.find(c.name); b != nil {
		b.val = v
	}
}

func (c change) same(d change) bool { return c.env == d.env && c.name == d.name && c.prop == d.prop }

// maxChanges is how many changes of a branch are undone before the next.
const maxChanges = 64

// note keeps a change of the branch that is read.
func (p *Page) note(c change) {
	if p.changes != nil && len(*p.changes) < maxChanges {
		*p.changes = append(*p.changes, c)
	}
}

// alternatives reads branches of which one is taken, nobody knows which: none sees what another sets, and behind them is either what one of
// them set, or, unless one is taken for sure, what was before.
func (p *Page) alternatives(sure bool, all ...func() outcome) {
	var made []change // each once a branch
	for _, do := range all {
		made = append(made, p.undone(do)...)
	}
	p.cost(len(made) * len(made) / 32) // each is compared with each
	for i, c := range made {
		vals, times := []value{}, 0
		for j, other := range made {
			if c.same(other) {
				if j < i {
					vals = nil
					break
				}
				vals = append(vals, other.val)
				times++
			}
		}
		if vals == nil {
			continue // with the first of its kind
		}
		if !sure || times < len(all) {
			vals = append([]value{c.old}, vals...)
		}
		p.note(c)
		c.put(p.merged(vals))
	}
}

// unlikely reads a branch that is hardly taken: objects and numbers that it sets are behind it what they were.
func (p *Page) unlikely(do func() outcome) {
	for _, c := range p.undone(do) {
		p.note(c)
		switch c.old.(type) {
		case nil, null, unknown, *text, *choice:
			c.put(p.merged([]value{c.old, c.val}))
		}
	}
}

// undone reads a branch, takes back what it sets, and returns that: each name once.
func (p *Page) undone(do func() outcome) []change {
	outer, base := p.changes, p.base
	var own []change
	p.changes, p.base = &own, p.weak+1
	p.perhaps(do)
	p.changes, p.base = outer, base
	for i := range own {
		own[i].val = own[i].get()
	}
	for i := len(own) - 1; i >= 0; i-- {
		own[i].put(own[i].old)
	}
	once := own[:0]
	for _, c := range own {
		if !slices.ContainsFunc(once, c.same) {
			once = append(once, c)
		}
	}
	return once
}

// merged is one of some values when they are texts, and the last that is known of others.
func (p *Page) merged(vals []value) value {
	var texts []value
	last := vals[len(vals)-1]
	for _, v := range vals {
		switch t := v.(type) {
		case *text:
			if t.s != "" || len(vals) == 1 {
				texts = append(texts, v)
			}
		case *choice:
			texts = append(texts, v)
		case nil, null, unknown:
			continue
		default:
			texts = nil
		}
		last = v
	}
	if len(texts) > 0 {
		if both := p.either(texts...); !isUnknown(both) {
			return both
		}
	}
	return last
}

// named1 is k === constant ? yes : k, a choice by a key that nobody knows; nil: it is something else.
func (p *Page) named1(cond js.IExpr, yes, no value) value {
	if g, is := cond.(*js.GroupExpr); is {
		cond = g.X
	}
	b, is := cond.(*js.BinaryExpr)
	if !is {
		return nil
	}
	switch b.Op {
	case js.NotEqToken, js.NotEqEqToken:
		yes, no = no, yes
	case js.EqEqToken, js.EqEqEqToken:
	default:
		return nil
	}
	l, is := b.X.(*js.LiteralExpr)
	k, isName := b.Y.(*js.Var)
	if !is || !isName {
		l, is = b.Y.(*js.LiteralExpr)
		k, isName = b.X.(*js.Var)
	}
	if !is || !isName {
		return nil
	}
	u, is := p.read(k).(unknown)
	if !is || u.id == 0 {
		return nil
	}
	if other, is := no.(unknown); !is || other.id != u.id {
		return nil
	}
	key, known := p.key(p.expr(l))
	if !known {
		return nil
	}
	return &choice{id: u.id, keys: []string{key}, vals: []value{one(yes)}, rest: &text{s: Key, key: u.id}}
}

// given is m[k] ? yes : no.
func (p *Page) given(c *choice, yes, no value) value {
	if u, is := yes.(unknown); is && u.id != 0 && u.id == c.id { // the key itself, which is one of those that are there
		p.cost(len(c.keys) / 4)
		keys := &choice{id: c.id, keys: c.keys}
		for _, key := range c.keys {
			keys.vals = append(keys.vals, plain(key))
		}
		yes = keys
	}
	if y, is := yes.(*choice); is && y.keys != nil && y.id == c.id {
		return p.orElse(y, no)
	}
	return p.either(yes, no)
}
