package script

import (
	"math"
	"math/big"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// maxBits is how long a whole number may be, which is a value of type *big.Int.
const maxBits = 4096

func isBig(v value) bool { _, is := v.(*big.Int); return is }

// bigLiteral is 12n.
func bigLiteral(s string) value {
	if n, is := new(big.Int).SetString(strings.ReplaceAll(strings.TrimSuffix(s, "n"), "_", ""), 0); is && n.BitLen() <= maxBits {
		return n
	}
	return unknown{}
}

// toBig is BigInt(v).
func (p *Page) toBig(v value) value {
	switch v := v.(type) {
	case *big.Int:
		return v
	case *text:
		if !v.known() || v.page || len(v.s) > maxBits/4 {
			return unknown{}
		}
		v.consumed = true
		return bigLiteral(strings.TrimSpace(v.s))
	}
	n, known := p.number(v)
	if !known || n != math.Trunc(n) || math.IsInf(n, 0) {
		return unknown{}
	}
	whole, _ := big.NewFloat(n).Int(nil)
	return whole
}

func newBigInt(p *Page, _ value, args []value) value {
	return p.lift(argument(args, 0), func(v value) value { return p.toBig(v) })
}

func bigStatics() map[string]method {
	cutTo := func(signed bool) method {
		return func(p *Page, _ value, args []value) value {
			size, known := p.integer(args, 0, 0)
			n, is := argument(args, 1).(*big.Int)
			if !known || !is || size < 1 || size > maxBits {
				return unknown{}
			}
			p.cost(size / 64)
			all := new(big.Int).Lsh(big.NewInt(1), uint(size))
			out := new(big.Int).Mod(n, all)
			if signed && out.Bit(size-1) == 1 {
				out.Sub(out, all)
			}
			return out
		}
	}
	return map[string]method{"asUintN": cutTo(false), "asIntN": cutTo(true)}
}

// bigArithmetic is what an operator makes of two whole numbers; of others nothing is known.
func (p *Page) bigArithmetic(op js.TokenType, a, b value) value {
	x, is := a.(*big.Int)
	y, too := b.(*big.Int)
	switch op {
	case js.LtToken, js.LtEqToken, js.GtToken, js.GtEqToken:
		n, known := p.bigCompare(a, b)
		if !known {
			return unknown{}
		}
		return ordered(op, float64(n), 0)
	}
	if !is || !too {
		return unknown{}
	}
	p.step()
	out := new(big.Int)
	small := y.IsInt64() && y.Int64() >= 0 && y.Int64() <= maxBits
	switch op {
	case js.AddToken:
		out.Add(x, y)
	case js.SubToken:
		out.Sub(x, y)
	case js.MulToken:
		p.cost(x.BitLen() * y.BitLen() / (64 * 64 * 16))
		out.Mul(x, y)
	case js.DivToken, js.ModToken:
		if y.Sign() == 0 {
			return p.fault("RangeError", "by nothing")
		}
		p.cost(x.BitLen() * y.BitLen() / (64 * 64 * 16))
		if op == js.DivToken {
			out.Quo(x, y)
		} else {
			out.Rem(x, y)
		}
	case js.ExpToken:
		if !small || x.BitLen()*int(y.Int64()) > maxBits {
			return unknown{}
		}
		out.Exp(x, y, nil)
	case js.LtLtToken:
		if !small {
			return unknown{}
		}
		out.Lsh(x, uint(y.Int64()))
	case js.GtGtToken:
		if !small {
			return unknown{}
		}
		out.Rsh(x, uint(y.Int64()))
	case js.BitAndToken:
		out.And(x, y)
	case js.BitOrToken:
		out.Or(x, y)
	case js.BitXorToken:
		out.Xor(x, y)
	default:
		return unknown{}
	}
	if out.BitLen() > maxBits {
		return unknown{}
	}
	return out
}

// bigCompare compares two numbers, one of which is a whole one.
func (p *Page) bigCompare(a, b value) (int, bool) {
	x, is := a.(*big.Int)
	y, too := b.(*big.Int)
	if is && too {
		return x.Cmp(y), true
	}
	m, known := p.number(a)
	n, also := p.number(b)
	if !known || !also || m != m || n != n {
		return 0, false
	}
	switch {
	case m < n:
		return -1, true
	case m > n:
		return 1, true
	}
	return 0, true
}

// bigProperty is what a whole number has.
func (p *Page) bigProperty(key string) value {
	switch key {
	case "toString":
		return p.native(key, func(p *Page, this value, args []value) value {
			n, is := this.(*big.Int)
			base, known := p.integer(args, 0, 10)
			if !is || !known || base < 2 || base > 36 {
				return unknown{}
			}
			p.cost(n.BitLen() / 64)
			return plain(n.Text(base))
		})
	case "valueOf":
		return p.native(key, func(_ *Page, this value, _ []value) value { return this })
	}
	return unknown{}
}

// bigUnary is what an operator makes of one whole number.
func (p *Page) bigUnary(e *js.UnaryExpr, n *big.Int) value {
	one := big.NewInt(1)
	after := func(v value, gives value) value {
		p.setTo(e.X, v)
		return gives
	}
	switch e.Op {
	case js.NegToken:
		return new(big.Int).Neg(n)
	case js.BitNotToken:
		return new(big.Int).Not(n)
	case js.PreIncrToken, js.PostIncrToken, js.PreDecrToken, js.PostDecrToken:
		op := js.AddToken
		if e.Op == js.PreDecrToken || e.Op == js.PostDecrToken {
			op = js.SubToken
		}
		v := p.bigArithmetic(op, n, one)
		if e.Op == js.PreIncrToken || e.Op == js.PreDecrToken {
			return after(v, v)
		}
		return after(v, n)
	}
	return unknown{}
}
