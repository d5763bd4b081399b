package script

import (
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

func (p *Page) unary(e *js.UnaryExpr) value {
	switch e.Op {
	case js.TypeofToken:
		v := p.expr(e.X)
		if c, is := v.(*choice); is && c.none {
			return unknown{}
		}
		if p.interfaceName(e.X, v) != "" {
			return plain("function")
		}
		return typeOf(one(v))
	case js.VoidToken:
		p.expr(e.X)
		return nil
	case js.AwaitToken:
		return p.lift(p.expr(e.X), p.await)
	case js.DeleteToken:
		switch x := e.X.(type) {
		case *js.DotExpr:
			return p.deleted(p.expr(x.X), memberName(x))
		case *js.IndexExpr:
			of := p.expr(x.X)
			if key, known := p.key(one(p.expr(x.Y))); known {
				return p.deleted(of, key)
			}
		}
		return true
	case js.NotToken:
		v := p.expr(e.X)
		if c, is := v.(*choice); is && c.none {
			return unknown{}
		}
		return p.lift(v, func(v value) value {
			is, known := truth(v)
			if !known {
				return unknown{}
			}
			return !is
		})
	}
	v := p.expr(e.X)
	return p.lift(v, func(v value) value {
		if n, is := v.(*big.Int); is {
			return p.bigUnary(e, n)
		}
		n, known := p.number(v)
		if !known {
			switch e.Op {
			case js.PreIncrToken, js.PreDecrToken, js.PostIncrToken, js.PostDecrToken:
				p.setTo(e.X, unknown{})
			}
			return unknown{}
		}
		switch e.Op {
		case js.PosToken:
			return n
		case js.NegToken:
			return -n
		case js.BitNotToken:
			return float64(^int32(int64(n)))
		case js.PreIncrToken:
			p.setTo(e.X, n+1)
			return n + 1
		case js.PreDecrToken:
			p.setTo(e.X, n-1)
			return n - 1
		case js.PostIncrToken:
			p.setTo(e.X, n+1)
			return n
		case js.PostDecrToken:
			p.setTo(e.X, n-1)
			return n
		}
		return unknown{}
	})
}

func typeOf(v value) value {
	switch v := v.(type) {
	case nil:
		return plain("undefined")
	case null:
		return plain("object")
	case bool:
		return plain("boolean")
	case float64:
		return plain("number")
	case *big.Int:
		return plain("bigint")
	case *text:
		return plain("string")
	case *object:
		switch v.class {
		case classFunction:
			return plain("function")
		case classSymbol:
			return plain("symbol")
		}
		if v.class != classPhantom {
			return plain("object")
		}
	}
	return unknown{}
}

func (p *Page) binary(e *js.BinaryExpr) value {
	switch e.Op {
	case js.EqToken:
		var v value
		if to, is := e.X.(*js.Var); is {
			v = p.named(e.Y, to)
		} else {
			v = p.expr(e.Y)
		}
		p.setTo(e.X, v)
		return v
	case js.AndToken:
		a := p.expr(e.X)
		is, known := truth(a)
		switch {
		case known && !is:
			return a
		case known:
			return p.expr(e.Y)
		}
		b := p.branch(e.Y)
		if t, is := b.(*text); is && t.s != "" {
			return p.either(b, plain("")) // of a && "b"
		}
		return b
	case js.OrToken, js.NullishToken:
		a := p.expr(e.X)
		return p.otherwise(a, e.Op == js.NullishToken, func() value { return p.expr(e.Y) })
	case js.AndEqToken, js.OrEqToken, js.NullishEqToken:
		a := p.expr(e.X)
		if e.Op == js.AndEqToken {
			if is, known := truth(a); known && !is {
				return a
			}
			v := p.expr(e.Y)
			p.setTo(e.X, v)
			return v
		}
		v := p.otherwise(a, e.Op == js.NullishEqToken, func() value { return p.expr(e.Y) })
		p.setTo(e.X, v)
		return v
	case js.AddEqToken:
		a := p.expr(e.X)
		v := p.sum2(a, p.expr(e.Y))
		p.setSum(e.X, v)
		return v
	case js.SubEqToken, js.MulEqToken, js.DivEqToken, js.ModEqToken, js.ExpEqToken, js.BitAndEqToken, js.BitOrEqToken, js.BitXorEqToken, js.LtLtEqToken, js.GtGtEqToken, js.GtGtGtEqToken:
		a := p.expr(e.X)
		v := p.arithmetic(without[e.Op], a, p.expr(e.Y))
		p.setTo(e.X, v)
		return v
	}
	a := p.expr(e.X)
	b := p.expr(e.Y)
	switch e.Op {
	case js.AddToken:
		return p.sum2(a, b)
	case js.EqEqToken, js.EqEqEqToken, js.NotEqToken, js.NotEqEqToken:
		if c, is := a.(*choice); is && c.none && (b == nil || b == null{}) {
			return unknown{}
		}
		return p.lift2(a, b, func(a, b value) value {
			is, known := p.equal(a, b, e.Op == js.EqEqEqToken || e.Op == js.NotEqEqToken)
			if !known {
				return unknown{}
			}
			return is == (e.Op == js.EqEqToken || e.Op == js.EqEqEqToken)
		})
	case js.InToken:
		o, is := b.(*object)
		if !is {
			return unknown{}
		}
		if v, is := e.X.(*js.Var); is && v.Data[0] == '#' {
			return p.has(o, memberKey(sourceText(v.Data)))
		}
		if key, known := p.key(one(a)); known {
			return p.contains(o, key)
		}
		return unknown{}
	case js.InstanceofToken:
		if name := p.interfaceName(e.Y, b); name != "" {
			return p.lift(a, func(a value) value { return p.isOf(a, name) })
		}
		return p.instance(a, b)
	}
	return p.arithmetic(e.Op, a, b)
}

// otherwise is a || b or a ?? b: what is not known counts as not given, so that the other is what its author thought of.
func (p *Page) otherwise(a value, nullish bool, other func() value) value {
	if nullish {
		a = present(a)
		switch a.(type) {
		case nil, null:
			return other()
		case unknown, *choice:
		default:
			return a
		}
	}
	if c, is := a.(*choice); is && c.keys != nil {
		return p.orElse(c, other())
	}
	is, known := truth(a)
	switch {
	case known && is, known && nullish:
		return a
	case known:
		return other()
	}
	p.weak++
	b := other()
	p.weak--
	if isUnknown(a) {
		return b
	}
	if t, is := a.(*text); is && t.page {
		return a
	}
	if c, is := a.(*choice); is {
		out := make([]value, 0, len(c.vals)+1)
		for _, v := range c.vals {
			switch t, is := v.(*text); {
			case v == nil, v == null{}, is && t.s == "" && !nullish:
				v = b
			}
			out = append(out, v)
		}
		if c.none {
			out = append(out, b)
		}
		return p.either(out...)
	}
	return p.either(a, b)
}

// orElse is a choice by a key, and another value for other keys.
func (p *Page) orElse(c *choice, other value) value {
	out := *c
	out.none = false
	switch b := other.(type) {
	case unknown:
		if b.id == c.id {
			out.rest = &text{s: Key} // {1: "a"}[e] || e
		}
	case *choice:
		if b.id != c.id || b.keys == nil {
			out.rest = b
			break
		}
		p.cost(1 + len(b.keys)*(1+len(c.keys)/16))
		out.keys, out.vals, out.rest = slices.Clone(c.keys), slices.Clone(c.vals), b.rest // of the same key: {1: "a"}[e] || {2: "b"}[e]
		for i, key := range b.keys {
			if !slices.Contains(c.keys, key) && len(out.keys) < maxItems {
				out.keys, out.vals = append(out.keys, key), append(out.vals, b.vals[i])
			}
		}
	default:
		out.rest = b
	}
	return &out
}

var without = map[js.TokenType]js.TokenType{
	js.SubEqToken: js.SubToken, js.MulEqToken: js.MulToken, js.DivEqToken: js.DivToken, js.ModEqToken: js.ModToken, js.ExpEqToken: js.ExpToken,
	js.BitAndEqToken: js.BitAndToken, js.BitOrEqToken: js.BitOrToken, js.BitXorEqToken: js.BitXorToken, js.LtLtEqToken: js.LtLtToken, js.GtGtEqToken: js.GtGtToken, js.GtGtGtEqToken: js.GtGtGtToken,
}

func (p *Page) arithmetic(op js.TokenType, a, b value) value {
	return p.lift2(a, b, func(a, b value) value {
		switch op {
		case js.LtToken, js.LtEqToken, js.GtToken, js.GtEqToken:
			if x, is := a.(*text); is {
				if y, is := b.(*text); is && x.known() && y.known() {
					return ordered(op, float64(strings.Compare(x.s, y.s)), 0)
				}
			}
		}
		if isBig(a) || isBig(b) {
			return p.bigArithmetic(op, a, b)
		}
		x, known := p.number(a)
		y, too := p.number(b)
		if !known || !too {
			return unknown{}
		}
		switch op {
		case js.SubToken:
			return x - y
		case js.MulToken:
			return x * y
		case js.DivToken:
			return x / y
		case js.ModToken:
			return math.Mod(x, y)
		case js.ExpToken:
			return math.Pow(x, y)
		case js.LtToken, js.LtEqToken, js.GtToken, js.GtEqToken:
			return ordered(op, x, y)
		case js.BitAndToken:
			return float64(toInt32(x) & toInt32(y))
		case js.BitOrToken:
			return float64(toInt32(x) | toInt32(y))
		case js.BitXorToken:
			return float64(toInt32(x) ^ toInt32(y))
		case js.LtLtToken:
			return float64(toInt32(x) << (uint32(toInt32(y)) & 31))
		case js.GtGtToken:
			return float64(toInt32(x) >> (uint32(toInt32(y)) & 31))
		case js.GtGtGtToken:
			return float64(uint32(toInt32(x)) >> (uint32(toInt32(y)) & 31))
		}
		return unknown{}
	})
}

func toInt32(n float64) int32 {
	if n != n || math.IsInf(n, 0) {
		return 0
	}
	return int32(uint32(int64(math.Mod(math.Trunc(n), 1<<32))))
}

func ordered(op js.TokenType, x, y float64) bool {
	switch op {
	case js.LtToken:
		return x < y
	case js.LtEqToken:
		return x <= y
	case js.GtToken:
		return x > y
	}
	return x >= y
}

// equal is a == b or a === b, when that is known.
func (p *Page) equal(a, b value, strict bool) (is, known bool) {
	a, b = present(a), present(b)
	for _, v := range [...]value{a, b} {
		switch v := v.(type) {
		case unknown, *choice:
			return false, false
		case *text:
			v.consumed = true
			if !v.known() || v.page {
				return false, false
			}
		case *object:
			if v.class == classPhantom {
				return false, false
			}
		}
	}
	if x, is := a.(*text); is {
		if y, is := b.(*text); is {
			return x.s == y.s, true
		}
	}
	if isBig(a) && (isBig(b) || !strict) || isBig(b) && !strict {
		n, known := p.bigCompare(a, b)
		return known && n == 0, true
	}
	_, aNull := a.(null)
	_, bNull := b.(null)
	if !strict && (a == nil || aNull || b == nil || bNull) {
		return (a == nil || aNull) && (b == nil || bNull), true
	}
	_, aObject := a.(*object)
	_, bObject := b.(*object)
	if !strict && !aObject && !bObject {
		x, _ := p.number(a)
		y, _ := p.number(b)
		return x == y, true
	}
	switch a.(type) {
	case *text:
		return false, true
	}
	switch b.(type) {
	case *text:
		return false, true
	}
	return a == b, true
}

func (p *Page) has(o *object, key string) bool {
	if o.class == classList {
		if i := index(key); i >= 0 {
			return i < len(o.list)
		}
		return key == "length" || o.find(key) != nil || p.listMethods()[key] != nil
	}
	return o.find(key) != nil
}
