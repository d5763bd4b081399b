package script

import (
	"slices"
	"strings"
)

// grouped puts the elements of a list into groups, which a function names.
func grouped(into func(p *Page) *object, put func(p *Page, into *object, key, item value)) method {
	return func(p *Page, _ value, args []value) value {
		items, known := p.items(one(argument(args, 0)))
		if !known {
			p.unknownCall("", "", cut(args, 1), false)
			return unknown{}
		}
		o := into(p)
		for i, item := range items[:min(len(items), maxItems)] {
			p.step()
			put(p, o, one(p.callback(argument(args, 1), nil, item, float64(i))), item)
		}
		return o
	}
}

func groupBy() method {
	return grouped((*Page).object, func(p *Page, into *object, key, item value) {
		name, known := p.key(key)
		if !known || len(into.keys) >= maxItems {
			return
		}
		l, is := into.get(name).(*object)
		if !is {
			l = p.newList(nil)
			into.put(name, l)
		}
		l.list = append(l.list, item)
	})
}

func mapGroupBy() method {
	made := func(p *Page) *object { o, _ := newMap(p, nil, nil).(*object); return o }
	return grouped(made, func(p *Page, into *object, key, item value) {
		m := mapOf(into)
		if i, _ := p.entry(m, key); i >= 0 {
			if l, is := m.vals[i].(*object); is {
				l.list = append(l.list, item)
			}
		} else if len(m.keys) < maxItems {
			m.keys, m.vals = append(m.keys, key), append(m.vals, p.newList([]value{item}))
		}
	})
}

// ownNames are the names of all properties of an object, those that no loop sees as well.
func (p *Page) ownNames(o *object) []value {
	var out []value
	for _, key := range p.names(o) {
		out = append(out, plain(key))
	}
	if o.class == classList {
		return append(out, plain("length"))
	}
	p.cost(len(o.keys) / 4)
	for _, pr := range o.props { // of few
		if !isHidden(pr.key) && !slices.Contains(o.keys, pr.key) {
			out = append(out, plain(pr.key))
		}
	}
	return out
}

// sameValue is Object.is, when that is known.
func (p *Page) sameValue(a, b value) value {
	x, is := a.(float64)
	y, too := b.(float64)
	if is && too {
		return x == y && 1/x == 1/y || x != x && y != y
	}
	same, known := p.equal(a, b, true)
	if !known {
		return unknown{}
	}
	return same
}

// cloned is a copy of a value, and of all that is in it.
func (p *Page) cloned(v value, done map[*object]*object) value {
	o, is := v.(*object)
	if !is {
		return v
	}
	if c := done[o]; c != nil {
		return c
	}
	p.step()
	p.down()
	defer func() { p.depth-- }()
	c := p.newObject(o.class)
	c.weak, c.exact = int32(p.weak), o.exact
	done[o] = c
	switch host := o.host.(type) {
	case *date:
		c.host = &date{host.ms}
	case *entries:
		m := &entries{}
		for i := 0; i < len(host.keys); i++ { // which getters may change
			p.step()
			key, val := host.keys[i], host.vals[i]
			m.keys, m.vals = append(m.keys, p.cloned(key, done)), append(m.vals, p.cloned(val, done))
		}
		c.host = m
	default:
		if o.class != classPlain && o.class != classList && o.class != classSet {
			return v
		}
		c.host = o.host
		if _, is := o.host.(wrong); is {
			c.proto = o.proto
		}
	}
	for _, v := range o.list {
		p.step()
		c.list = append(c.list, p.cloned(v, done))
	}
	for _, key := range o.keys {
		p.step()
		if !isHidden(key) {
			c.put(key, p.cloned(p.get(o, key), done))
		}
	}
	return c
}

func structuredClone(p *Page, _ value, args []value) value {
	return p.lift(argument(args, 0), func(v value) value { return p.cloned(v, map[*object]*object{}) })
}

// addSetMethods gives a table the methods of sets that take another.
func addSetMethods(table map[string]method) map[string]method {
	add := func(name string, do func(p *Page, a, b []value, has func(list []value, v value) bool) value) {
		table[name] = func(p *Page, this value, args []value) value {
			o, is := this.(*object)
			other, known := p.setItems(one(argument(args, 0)))
			if !is || o.class != classSet || !known {
				return unknown{}
			}
			return do(p, o.list, other, func(list []value, v value) bool {
				return slices.ContainsFunc(list, func(w value) bool { p.step(); return same(v, w) })
			})
		}
	}
	filtered := func(p *Page, l []value, keep func(v value) bool) []value {
		var out []value
		for _, v := range l {
			if keep(v) {
				out = append(out, v)
			}
		}
		return out
	}
	set := func(p *Page, lists ...[]value) value {
		o := p.object()
		o.class = classSet
		for _, l := range lists {
			o.list = p.more(o.list, l)
		}
		return o
	}
	add("union", func(p *Page, a, b []value, has func([]value, value) bool) value {
		return set(p, a, filtered(p, b, func(v value) bool { return !has(a, v) }))
	})
	add("intersection", func(p *Page, a, b []value, has func([]value, value) bool) value {
		return set(p, filtered(p, a, func(v value) bool { return has(b, v) }))
	})
	add("difference", func(p *Page, a, b []value, has func([]value, value) bool) value {
		return set(p, filtered(p, a, func(v value) bool { return !has(b, v) }))
	})
	add("symmetricDifference", func(p *Page, a, b []value, has func([]value, value) bool) value {
		return set(p, filtered(p, a, func(v value) bool { return !has(b, v) }), filtered(p, b, func(v value) bool { return !has(a, v) }))
	})
	add("isSubsetOf", func(p *Page, a, b []value, has func([]value, value) bool) value {
		return len(filtered(p, a, func(v value) bool { return !has(b, v) })) == 0
	})
	add("isSupersetOf", func(p *Page, a, b []value, has func([]value, value) bool) value {
		return len(filtered(p, b, func(v value) bool { return !has(a, v) })) == 0
	})
	add("isDisjointFrom", func(p *Page, a, b []value, has func([]value, value) bool) value {
		return len(filtered(p, a, func(v value) bool { return has(b, v) })) == 0
	})
	table["entries"] = func(p *Page, this value, _ []value) value {
		o, is := this.(*object)
		if !is {
			return unknown{}
		}
		out := make([]value, 0, len(o.list))
		for _, v := range o.list {
			out = append(out, p.newList([]value{v, v}))
		}
		return &object{class: classIterator, list: out}
	}
	table["values"] = func(_ *Page, this value, _ []value) value {
		if o, is := this.(*object); is {
			return &object{class: classIterator, list: o.list}
		}
		return unknown{}
	}
	table["keys"] = table["values"]
	return table
}

// setItems are what a set has, or the keys of a map.
func (p *Page) setItems(v value) ([]value, bool) {
	o, is := v.(*object)
	switch {
	case is && o.class == classSet:
		return o.list, true
	case is && o.class == classMap:
		return mapOf(o).keys, true
	}
	return nil, false
}

// addListMethods gives a table the methods of lists that few pages use.
func addListMethods(table map[string]method) map[string]method {
	onProxies(table)
	table["with"] = onList(func(p *Page, o *object, args []value) value {
		i, known := p.integer(args, 0, 0)
		if i < 0 {
			i += len(o.list)
		}
		if !known {
			return unknown{}
		}
		if i < 0 || i >= len(o.list) {
			return p.fault("RangeError", "no index")
		}
		l := p.newList(slices.Clone(o.list))
		l.list[i] = argument(args, 1)
		return l
	})
	table["copyWithin"] = onList(func(p *Page, o *object, args []value) value {
		to, known := p.integer(args, 0, 0)
		from, too := p.integer(args, 1, 0)
		end, also := p.integer(args, 2, maxItems)
		if !known || !too || !also {
			return unknown{}
		}
		p.cost(len(o.list) / 16)
		n := len(o.list)
		from, end = within(from, n), within(end, n)
		copy(o.list[within(to, n):], slices.Clone(o.list[from:max(from, end)]))
		return o
	})
	return table
}

// newReference is new WeakRef(v).
func newReference(p *Page, _ value, args []value) value {
	v := argument(args, 0)
	return p.phantom("WeakRef", map[string]method{"deref": func(*Page, value, []value) value { return v }})
}

// wellFormed is for a text that is known, which has no half of a character.
func wellFormed(p *Page, t *text, _ []value) value {
	if !t.known() || strings.ContainsRune(t.s, '\uFFFD') {
		return unknown{}
	}
	return true
}
