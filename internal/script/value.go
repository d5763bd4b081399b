package script

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// value is what an expression is: nil (undefined), null, bool, float64, *big.Int, *text, *object, *choice or unknown.
type value any

type (
	null    struct{}
	unknown struct{ id int } // 0, or which
)

// choice is a value that is one of several, nobody knows which. Those that come of one choice go together.
type choice struct {
	id   int
	vals []value
	none bool     // it may be none of them: a map has nothing for a key that nobody knows
	keys []string // what it is chosen by, which is what nobody knows
	rest value    // what it is for other keys; Key in it is that
}

// Key stands in what a choice is for keys that are not known.
const Key = "\x0f"

// of is the value for a key.
func (c *choice) of(key string) value {
	if i := slices.Index(c.keys, key); i >= 0 {
		return c.vals[i]
	}
	if t, is := c.rest.(*text); is {
		if len(t.s)+strings.Count(t.s, Key)*len(key) > maxText {
			return hole()
		}
		return &text{s: strings.ReplaceAll(t.s, Key, key), parts: t.parts, page: t.page, module: t.module}
	}
	return c.rest
}

// text is a string, and where it comes from.
type text struct {
	s     string
	parts []*text // what it was put together of
	from  int     // of a literal: the script, -1 for what stands elsewhere in the page
	uses  [3]Use  // what was done with it, plus 1

	lit      bool // it stands in a script
	consumed bool // it became a part of something else, or was only looked at
	looked   bool // it was only looked at: a key, or what is compared
	sunk     bool // something was done with it
	given    bool // what is not known got it
	moved    bool // it was asked for when a script had moved the page
	stayed   bool // it was when none had
	accepted bool // as a part
	page     bool // it says where the page is, which is not known here
	own      bool // it says where the page is, which is known
	module   bool // it is relative to the script
	key      int  // what stands for Key in it
}

// asked notes what an address is relative to, "" = the page.
func (t *text) asked(base string) {
	if base == "" {
		t.stayed = true
	} else {
		t.moved = true
	}
}

func plain(s string) *text { return &text{s: s} }

// hole is a text that is not known.
func hole() *text { return &text{s: string(Hole)} }

func (t *text) known() bool {
	return strings.IndexByte(t.s, Hole) < 0 && strings.IndexByte(t.s, Key[0]) < 0
}

// make returns a text that was put together of others.
func (p *Page) make(s string, parts ...*text) *text {
	p.steps--
	if p.made -= len(s); p.made < 0 {
		p.ends()
	}
	if len(s) > maxText {
		return hole()
	}
	t := p.mem.texts.get()
	t.s, t.parts = s, append(p.mem.parts.few(len(parts)), parts...)
	for _, part := range parts {
		part.consumed = true
		t.page = t.page || part.page
		t.own = t.own || part.own
		t.module = t.module || part.module
		switch {
		case part.key == 0 || part.key == t.key:
		case t.key == 0:
			t.key = part.key
		default:
			t.s = strings.ReplaceAll(t.s, Key, string(Hole))
		}
	}
	p.all = append(p.all, t)
	return t
}

// ofPage is a text that stands in the page.
func (p *Page) ofPage(s string) *text {
	t := p.mem.texts.get()
	t.s, t.lit, t.from = s, true, -1
	return t
}

// derive is make for what is made of one text by a function of the language.
func (p *Page) derive(s string, of *text) *text { return p.make(s, of) }

// either returns a value that is one of several.
func (p *Page) either(vals ...value) value {
	var all []value
	add := func(v value) {
		if len(all) > maxChoices {
			return
		}
		for _, old := range all {
			if same(old, v) {
				return
			}
		}
		all = append(all, v)
	}
	for _, v := range vals {
		if c, is := v.(*choice); is {
			for _, v := range c.vals {
				add(v)
			}
		} else if _, is := v.(unknown); !is {
			add(v)
		}
	}
	switch {
	case len(all) == 0:
		return unknown{}
	case len(all) == 1:
		return all[0]
	case len(all) > maxChoices:
		return unknown{}
	}
	p.choices++
	return &choice{id: p.choices, vals: all}
}

// same reports values that are known to be the same.
func same(a, b value) bool {
	if x, is := a.(*text); is {
		y, is := b.(*text)
		return is && x.s == y.s
	}
	switch a.(type) {
	case unknown, *choice:
		return false
	}
	switch y := b.(type) {
	case unknown, *choice, *text:
		return false
	case *big.Int:
		x, is := a.(*big.Int)
		return is && x.Cmp(y) == 0
	}
	return a == b
}

// lift does something with each value that one may be.
func (p *Page) lift(v value, do func(value) value) value {
	c, is := v.(*choice)
	if !is {
		return do(v)
	}
	p.cost(len(c.vals) / 4)
	out := &choice{id: c.id, vals: make([]value, 0, len(c.vals)), keys: c.keys}
	if c.rest != nil {
		out.rest = do(c.rest)
	}
	for _, v := range c.vals {
		out.vals = append(out.vals, one(do(v)))
	}
	return out
}

// lift2 does something with each two that two values may be; those of one choice go together.
func (p *Page) lift2(a, b value, do func(a, b value) value) value {
	x, aIs := a.(*choice)
	y, bIs := b.(*choice)
	switch {
	case !aIs && !bIs:
		return do(a, b)
	case !bIs:
		return p.lift(a, func(a value) value { return do(a, b) })
	case !aIs:
		return p.lift(b, func(b value) value { return do(a, b) })
	case x.id == y.id && x.keys != nil && y.keys != nil:
		return p.paired(x, y, do)
	case x.id == y.id && len(x.vals) == len(y.vals):
		p.cost(len(x.vals) / 4)
		out := &choice{id: x.id, vals: make([]value, len(x.vals))}
		for i := range x.vals {
			out.vals[i] = one(do(x.vals[i], y.vals[i]))
		}
		return out
	case len(x.vals)*len(y.vals) > maxChoices:
		consume(a)
		consume(b)
		return unknown{}
	}
	p.choices++
	out := &choice{id: p.choices}
	for _, a := range x.vals {
		for _, b := range y.vals {
			out.vals = append(out.vals, one(do(a, b)))
		}
	}
	return out
}

// paired does something with each two that two choices by the same key are for one.
func (p *Page) paired(a, b *choice, do func(a, b value) value) value {
	out := &choice{id: a.id}
	add := func(key string) {
		p.cost(1 + (len(a.keys)+len(b.keys))/16)
		x, y := a.of(key), b.of(key)
		if x != nil && y != nil && len(out.keys) < maxItems {
			out.keys, out.vals = append(out.keys, key), append(out.vals, one(do(x, y)))
		}
	}
	for _, key := range a.keys {
		add(key)
	}
	for _, key := range b.keys {
		if !slices.Contains(a.keys, key) {
			add(key)
		}
	}
	if a.rest != nil && b.rest != nil {
		out.rest = do(a.rest, b.rest)
	}
	if len(out.vals) == 0 {
		return unknown{}
	}
	return out
}

// one is a value when it is known to be that.
func one(v value) value {
	if c, is := v.(*choice); is {
		return c.vals[0]
	}
	return v
}

func isUnknown(v value) bool { _, is := v.(unknown); return is }

// truth is what a value is as a condition, when that is known.
func truth(v value) (is, known bool) {
	switch v := v.(type) {
	case nil, null:
		return false, true
	case bool:
		return v, true
	case float64:
		return v != 0 && v == v, true
	case *big.Int:
		return v.Sign() != 0, true
	case *text:
		if v.page {
			return false, false
		}
		return v.s != "", true
	case *object:
		if l, is := v.host.(*lazy); is {
			return true, l.sure
		}
		if _, is := v.host.(absent); is {
			return false, true
		}
		return true, v.class != classPhantom
	case *choice:
		is, known = truth(v.vals[0])
		known = known && (!is || !v.none)
		for _, v := range v.vals[1:] {
			if other, sure := truth(v); !sure || other != is {
				return false, false
			}
		}
		return is, known
	}
	return false, false
}

// number is a value as a number, when it is known.
func (p *Page) number(v value) (float64, bool) {
	switch v := v.(type) {
	case nil:
		return math.NaN(), true
	case null:
		return 0, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case float64:
		return v, true
	case *big.Int:
		n, _ := new(big.Float).SetInt(v).Float64()
		return n, true
	case *text:
		if !v.known() || v.page {
			return 0, false
		}
		v.consumed = true
		return parseNumber(v.s), true
	case *object:
		if d, is := dateOf(v); is {
			return d.ms, true
		}
		if v, is := p.converted(v, "number"); is {
			return p.number(v)
		}
		if v.class == classList && len(v.list) == 1 {
			p.down()
			defer func() { p.depth-- }()
			return p.number(v.list[0])
		}
	}
	return 0, false
}

func parseNumber(s string) float64 {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0
	}
	if strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X") || strings.HasPrefix(s, "0b") || strings.HasPrefix(s, "0o") {
		n, err := strconv.ParseUint(s, 0, 53)
		if err != nil {
			return math.NaN()
		}
		return float64(n)
	}
	if strings.ContainsAny(s, "xXpP_iInN") && s != "Infinity" {
		return math.NaN()
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

// textOf is a value as a string; what is not known is a hole in it.
func (p *Page) textOf(v value) *text {
	switch v := v.(type) {
	case *text:
		return v
	case nil: // in no address
		return hole()
	case null:
		return plain("null")
	case bool:
		return plain(strconv.FormatBool(v))
	case float64:
		if v != v {
			return hole()
		}
		return plain(formatNumber(v))
	case *big.Int:
		p.cost(v.BitLen() / 64)
		return plain(v.String())
	case *choice:
		return p.textOf(v.vals[0])
	case *object:
		return p.objectText(v)
	case unknown:
		if v.id != 0 {
			return &text{s: Key, key: v.id}
		}
	}
	return hole()
}

func (p *Page) objectText(o *object) *text {
	p.down()
	defer func() { p.depth-- }()
	if v, is := p.converted(o, "string"); is {
		return p.textOf(v)
	}
	switch o.class {
	case classList:
		return p.join(o.list, plain(","))
	case classURL, classParams:
		return p.urlText(o)
	case classFunction:
		if t, is := p.functionText(o.fn).(*text); is {
			return t
		}
	case classDate:
		return plain(dateText(o.host.(*date).ms, "toString"))
	case classLocation:
		if t, is := p.locationProperty("href").(*text); is {
			return t
		}
	case classElement:
		if v, has := p.attr(o, "href"); has {
			return v
		}
	case classPlain:
		if _, is := o.host.(wrong); is {
			return p.errorText(o)
		}
		if o == p.protos["String"] { // which is a string, too
			return plain("")
		}
	}
	return hole()
}

// join puts the elements of a list together.
func (p *Page) join(list []value, sep *text) *text {
	if len(list) == 0 {
		return plain("")
	}
	p.cost(len(list) / 4)
	var w strings.Builder
	parts := make([]*text, 0, len(list)+1)
	for i, v := range list {
		if i > 0 {
			w.WriteString(sep.s)
		}
		switch v.(type) {
		case nil, null:
			continue
		}
		t := p.textOf(v)
		parts = append(parts, t)
		if w.WriteString(t.s); w.Len() > maxText {
			return hole()
		}
	}
	if sep.lit {
		parts = append(parts, sep)
	}
	return p.make(w.String(), parts...)
}

// sum2 is a + b.
func (p *Page) sum2(a, b value) value {
	if x, is := a.(*text); is && x.key != 0 {
		if y, is := b.(*choice); is && y.id == x.key && y.keys != nil {
			return p.paired(&choice{id: y.id, rest: x}, y, func(a, b value) value { return p.sum2(a, b) })
		}
	}
	if x, is := a.(*choice); is && x.keys != nil {
		if y, is := b.(*text); is && y.key == x.id {
			return p.paired(x, &choice{id: x.id, rest: y}, func(a, b value) value { return p.sum2(a, b) })
		}
		if y, is := b.(unknown); is && y.id == x.id {
			return p.paired(x, &choice{id: x.id, rest: &text{s: Key}}, func(a, b value) value { return p.sum2(a, b) })
		}
	}
	return p.lift2(a, b, func(a, b value) value {
		a, b = p.summand(a), p.summand(b)
		if x, is := a.(float64); is {
			if y, is := b.(float64); is {
				return x + y
			}
		}
		if isBig(a) && isBig(b) {
			return p.bigArithmetic(js.AddToken, a, b)
		}
		_, aText := a.(*text)
		_, bText := b.(*text)
		if !aText && !bText {
			if isUnknown(a) || isUnknown(b) {
				return unknown{}
			}
			_, aObject := a.(*object)
			_, bObject := b.(*object)
			if !aObject && !bObject {
				x, _ := p.number(a)
				y, _ := p.number(b)
				return x + y
			}
		}
		x, y := p.textOf(a), p.textOf(b)
		if x.s == "" && !x.page {
			x.consumed = true
			return y
		}
		if y.s == "" && !y.page {
			y.consumed = true
			return x
		}
		if len(x.s) == 1 && len(y.s) == 1 && !x.known() && !y.known() {
			return x
		}
		return p.make(x.s+y.s, x, y)
	})
}

// literal returns the text of a string in a script.
func (p *Page) literal(n *js.LiteralExpr) *text {
	if t := p.literals[n]; t != nil {
		return t
	}
	t := p.mem.texts.get()
	t.s, t.lit, t.from = unescape(n.Data[1:len(n.Data)-1]), true, p.script.nth
	p.literals[n] = t
	return t
}

// consume notes that a value is a part of what is not known.
func consume(v value) {
	switch v := v.(type) {
	case *text:
		v.consumed = true
	case *choice:
		for _, v := range v.vals {
			consume(v)
		}
	}
}
