package script

import (
	"slices"
	"strings"
)

// onList makes a method of lists. A list that is not known has one element that is not either.
func onList(do func(p *Page, o *object, args []value) value) method {
	return func(p *Page, this value, args []value) value {
		o, is := one(this).(*object)
		if !is || o.class != classList {
			if is {
				if px := proxyOf(o); px != nil && p.trap(px, "get") == nil {
					if target, is := px.target.(*object); is && target.class == classList {
						return do(p, target, args)
					}
				}
				if n, is := one(p.get(o, "length")).(float64); is && o.class == classPlain && n >= 0 && n <= maxItems { // of something like a list
					p.cost(int(n))
					l := make([]value, int(n))
					for i := range l {
						l[i] = p.get(o, formatNumber(float64(i)))
					}
					return do(p, p.newList(l), args)
				}
				if items, known := p.items(o); known {
					return do(p, p.newList(items), args)
				}
			}
			if t, is := one(this).(*text); is {
				if items, known := p.items(t); known {
					return do(p, p.newList(items), args)
				}
			}
			return p.unknownCall("", "", args, false)
		}
		p.step()
		return do(p, o, args)
	}
}

// loop calls a function for each element; use says with what, and ends the loop with false.
func loop(use func(p *Page, out *[]value, i int, item, result value) bool, end func(p *Page, o *object, out []value) value) method {
	return onList(func(p *Page, o *object, args []value) value {
		var out []value
		f := argument(args, 0)
		this := argument(args, 1)
		for i := 0; i < len(o.list) && i < maxItems; i++ {
			p.step()
			item := o.list[i]
			r := p.callback(f, this, item, float64(i), o)
			if !use(p, &out, i, item, r) {
				break
			}
		}
		return end(p, o, out)
	})
}

func keep(p *Page, o *object, out []value) value { return p.newList(out) }

// newListMethods makes the methods of lists.
func newListMethods() map[string]method {
	made := map[string]method{
		"forEach": loop(func(*Page, *[]value, int, value, value) bool { return true }, func(*Page, *object, []value) value { return nil }),
		"map": loop(func(_ *Page, out *[]value, _ int, _, r value) bool {
			*out = append(*out, r)
			return true
		}, keep),
		"filter": loop(func(_ *Page, out *[]value, _ int, item, r value) bool {
			if is, known := truth(r); is || !known {
				*out = append(*out, item)
			}
			return true
		}, keep),
		"flatMap": loop(func(p *Page, out *[]value, _ int, _, r value) bool {
			if l, is := r.(*object); is && l.class == classList {
				*out = p.more(*out, l.list)
			} else {
				*out = append(*out, r)
			}
			return true
		}, keep),
		"find": loop(func(_ *Page, out *[]value, _ int, item, r value) bool {
			is, known := truth(r)
			if is || !known {
				*out = append(*out, item)
			}
			return !is || !known
		}, func(p *Page, _ *object, out []value) value {
			if len(out) == 0 {
				return nil
			}
			return p.either(out...)
		}),
		"findIndex": loop(func(_ *Page, out *[]value, i int, _, r value) bool {
			is, known := truth(r)
			if !known {
				*out = append(*out, unknown{})
			} else if is {
				*out = append(*out, float64(i))
			}
			return len(*out) == 0
		}, func(_ *Page, _ *object, out []value) value {
			if len(out) == 0 {
				return float64(-1)
			}
			return out[0]
		}),
		"some": loop(func(_ *Page, out *[]value, _ int, _, r value) bool {
			is, known := truth(r)
			if !known {
				*out = append(*out, unknown{})
			} else if is {
				*out = append(*out, true)
			}
			return !is || !known
		}, func(_ *Page, _ *object, out []value) value {
			if len(out) == 0 {
				return false
			}
			return out[len(out)-1]
		}),
		"every": loop(func(_ *Page, out *[]value, _ int, _, r value) bool {
			is, known := truth(r)
			if !known {
				*out = append(*out, unknown{})
			} else if !is {
				*out = append(*out, false)
			}
			return is || !known
		}, func(_ *Page, _ *object, out []value) value {
			if len(out) == 0 {
				return true
			}
			return out[len(out)-1]
		}),
		"reduce": onList(func(p *Page, o *object, args []value) value { return p.reduce(o.list, args) }),
		"reduceRight": onList(func(p *Page, o *object, args []value) value {
			p.cost(len(o.list) / 4)
			l := slices.Clone(o.list)
			slices.Reverse(l)
			return p.reduce(l, args)
		}),
		"push": onList(func(p *Page, o *object, args []value) value {
			if len(o.list)+len(args) <= maxItems {
				o.list = append(o.list, args...)
			}
			return float64(len(o.list))
		}),
		"unshift": onList(func(p *Page, o *object, args []value) value {
			if len(o.list)+len(args) <= maxItems {
				p.steps -= len(o.list) / 16
				o.list = append(slices.Clone(args), o.list...)
			}
			return float64(len(o.list))
		}),
		"pop": onList(func(p *Page, o *object, _ []value) value {
			if len(o.list) == 0 {
				return nil
			}
			v := o.list[len(o.list)-1]
			o.list = o.list[:len(o.list)-1]
			return v
		}),
		"shift": onList(func(p *Page, o *object, _ []value) value {
			if len(o.list) == 0 {
				return nil
			}
			v := o.list[0]
			o.list = o.list[1:]
			return v
		}),
		"slice": onList(func(p *Page, o *object, args []value) value {
			a, known := p.integer(args, 0, 0)
			b, too := p.integer(args, 1, maxItems)
			if !known || !too {
				return p.newList(slices.Clone(o.list))
			}
			from, to := within(a, len(o.list)), within(b, len(o.list))
			return p.newList(slices.Clone(o.list[from:max(from, to)]))
		}),
		"splice": onList(func(p *Page, o *object, args []value) value {
			a, known := p.integer(args, 0, 0)
			n, too := p.integer(args, 1, maxItems)
			if !known || !too {
				return unknown{}
			}
			from := within(a, len(o.list))
			to := min(len(o.list), from+max(n, 0))
			out := slices.Clone(o.list[from:to])
			var more []value
			if len(args) > 2 {
				more = args[2:]
			}
			if len(o.list)+len(more) <= maxItems {
				p.steps -= len(o.list) / 16
				o.list = append(append(slices.Clone(o.list[:from]), more...), o.list[to:]...)
			}
			return p.newList(out)
		}),
		"concat": onList(func(p *Page, o *object, args []value) value {
			out := slices.Clone(o.list)
			for _, arg := range args {
				if l, is := one(arg).(*object); is && l.class == classList {
					out = p.more(out, l.list)
				} else {
					out = append(out, arg)
				}
			}
			return p.newList(out)
		}),
		"join": onList(func(p *Page, o *object, args []value) value {
			sep := plain(",")
			if len(args) > 0 && args[0] != nil {
				sep = p.textOf(args[0])
			}
			return p.joined(o.list, sep)
		}),
		"toString": onList(func(p *Page, o *object, _ []value) value { return p.joined(o.list, plain(",")) }),
		"reverse": onList(func(p *Page, o *object, _ []value) value {
			p.cost(len(o.list) / 16)
			slices.Reverse(o.list)
			return o
		}),
		"toReversed": onList(func(p *Page, o *object, _ []value) value {
			l := slices.Clone(o.list)
			slices.Reverse(l)
			return p.newList(l)
		}),
		"sort": onList(func(p *Page, o *object, args []value) value { p.sort(o.list, argument(args, 0)); return o }),
		"toSorted": onList(func(p *Page, o *object, args []value) value {
			l := p.newList(slices.Clone(o.list))
			p.sort(l.list, argument(args, 0))
			return l
		}),
		"includes": onList(func(p *Page, o *object, args []value) value {
			if n, is := argument(args, 0).(float64); is && n != n {
				p.cost(len(o.list) / 16)
				return slices.ContainsFunc(o.list, func(v value) bool { m, is := v.(float64); return is && m != m })
			}
			return p.holds(o, args, func(int) value { return true }, false)
		}),
		"indexOf": onList(func(p *Page, o *object, args []value) value {
			return p.holds(o, args, func(i int) value { return float64(i) }, float64(-1))
		}),
		"lastIndexOf": onList(func(p *Page, o *object, args []value) value {
			p.cost(len(o.list) / 16)
			back := &object{class: classList, list: slices.Clone(o.list)}
			slices.Reverse(back.list)
			return p.holds(back, args, func(i int) value { return float64(len(back.list) - 1 - i) }, float64(-1))
		}),
		"flat": onList(func(p *Page, o *object, args []value) value {
			depth, known := p.integer(args, 0, 1)
			if !known {
				depth = 1
			}
			return p.newList(p.flat(nil, o.list, min(depth, 8)))
		}),
		"fill": onList(func(p *Page, o *object, args []value) value {
			a, _ := p.integer(args, 1, 0)
			b, _ := p.integer(args, 2, maxItems)
			p.cost(len(o.list) / 16)
			for i := within(a, len(o.list)); i < within(b, len(o.list)); i++ {
				o.list[i] = argument(args, 0)
			}
			return o
		}),
		"keys": onList(func(p *Page, o *object, _ []value) value {
			p.cost(len(o.list) / 4)
			out := make([]value, len(o.list))
			for i := range out {
				out[i] = float64(i)
			}
			return &object{class: classIterator, list: out}
		}),
		"values": onList(func(p *Page, o *object, _ []value) value { return &object{class: classIterator, list: o.list} }),
		"entries": onList(func(p *Page, o *object, _ []value) value {
			out := make([]value, len(o.list))
			for i, v := range o.list {
				out[i] = p.newList([]value{float64(i), v})
			}
			return &object{class: classIterator, list: out}
		}),
		"at": onList(func(p *Page, o *object, args []value) value {
			i, known := p.integer(args, 0, 0)
			if !known {
				return p.any(o)
			}
			if i < 0 {
				i += len(o.list)
			}
			if i < 0 || i >= len(o.list) {
				return nil
			}
			return o.list[i]
		}),
		"item": onList(func(p *Page, o *object, args []value) value {
			i, known := p.integer(args, 0, 0)
			if !known || i < 0 || i >= len(o.list) {
				return null{}
			}
			return o.list[i]
		}),
	}
	made["findLast"] = func(p *Page, this value, args []value) value {
		return p.listMethods()["find"](p, p.listMethods()["toReversed"](p, this, nil), args)
	}
	made["findLastIndex"] = func(p *Page, this value, args []value) value {
		back, is := p.listMethods()["toReversed"](p, this, nil).(*object)
		i, known := p.listMethods()["findIndex"](p, back, args).(float64)
		if !is || !known {
			return unknown{}
		}
		if i < 0 {
			return i
		}
		return float64(len(back.list)-1) - i
	}
	made["toSpliced"] = func(p *Page, this value, args []value) value {
		l := p.listMethods()["slice"](p, this, nil)
		p.listMethods()["splice"](p, l, args)
		return l
	}
	return addListMethods(made)
}

// joined is join, each of the choices among the elements for itself.
func (p *Page) joined(list []value, sep *text) value {
	p.cost(len(list) / 16)
	val := value(nil)
	for _, v := range list {
		if _, is := v.(*choice); is {
			val = plain("")
		}
	}
	if val == nil {
		return p.join(list, sep)
	}
	for i, v := range list {
		if i > 0 {
			val = p.sum2(val, sep)
		}
		switch v.(type) {
		case nil, null:
			continue
		}
		val = p.sum2(val, p.lift(v, func(v value) value { return p.textOf(v) }))
	}
	return val
}

func (p *Page) reduce(list []value, args []value) value {
	f := argument(args, 0)
	from := 0
	var acc value
	if len(args) > 1 {
		acc = args[1]
	} else if len(list) > 0 {
		acc, from = list[0], 1
	}
	for i := from; i < len(list); i++ {
		p.step()
		acc = p.callback(f, nil, acc, list[i], float64(i), nil)
	}
	return acc
}

func (p *Page) sort(list []value, by value) {
	p.steps -= len(list)
	f, is := one(by).(*object)
	for i := 1; i < len(list); i++ { // few, and stable
		for j := i; j > 0; j-- {
			p.step()
			less := false
			if is && f.fn != nil {
				n, known := p.number(p.call(f, nil, []value{list[j-1], list[j]}))
				less = known && n > 0
			} else {
				a, aText := list[j-1].(*text)
				b, bText := list[j].(*text)
				if aText && bText {
					less = strings.Compare(a.s, b.s) > 0
				} else {
					less = formatText(list[j-1]) > formatText(list[j])
				}
			}
			if !less {
				break
			}
			list[j-1], list[j] = list[j], list[j-1]
		}
	}
}

func formatText(v value) string {
	switch v := v.(type) {
	case *text:
		return v.s
	case float64:
		return formatNumber(v)
	}
	return ""
}

func (p *Page) holds(o *object, args []value, is func(int) value, not value) value {
	what := argument(args, 0)
	sure := true
	for i, v := range o.list {
		p.step()
		same, known := p.equal(v, what, true)
		if known && same {
			return is(i)
		}
		sure = sure && known
	}
	if !sure {
		return unknown{}
	}
	return not
}

func (p *Page) flat(out, list []value, depth int) []value {
	for _, v := range list {
		if len(out) >= maxItems {
			break
		}
		p.step()
		if l, is := v.(*object); is && l.class == classList && depth > 0 {
			out = p.flat(out, l.list, depth-1)
		} else {
			out = append(out, v)
		}
	}
	return out
}
