package script

// how says what an iterator is asked for.
type how uint8

const (
	nextOne how = iota
	throwIn
	finish
)

// stream is what gives values one by one, as they are asked for.
type stream struct {
	pull  func(p *Page, h how, v value) (val value, done bool)
	async bool
}

func (p *Page) newIterator(s *stream) *object {
	p.step()
	return &object{class: classIterator, host: s}
}

func streamIn(v value) *stream {
	if o, is := v.(*object); is && o.class == classIterator {
		s, _ := o.host.(*stream)
		return s
	}
	return nil
}

// streamOf is what gives the values of something one by one, nil for what has all of them, or is not known.
func (p *Page) streamOf(v value) *stream {
	o, is := v.(*object)
	if !is {
		return nil
	}
	if s := streamIn(o); s != nil {
		return s
	}
	switch o.class {
	case classPlain, classFunction, classProxy:
	default:
		return nil
	}
	if px := proxyOf(o); px != nil {
		if target, is := px.target.(*object); !is || target.class == classList {
			return nil
		}
	}
	p.down()
	defer func() { p.depth-- }()
	var it value
	if f, is := p.get(o, "@@iterator").(*object); is && f.fn != nil {
		it = one(p.call(f, o, nil))
	} else if f, is := p.get(o, "next").(*object); is && f.fn != nil {
		it = o
	}
	inner, is := it.(*object)
	switch {
	case !is:
		return nil
	case inner.class == classPlain, inner == o:
		return p.stepping(inner)
	case inner.class == classIterator && streamIn(inner) == nil, inner.class == classList:
		return listStream(inner)
	}
	return p.streamOf(inner)
}

// stepping calls next of an object for each value.
func (p *Page) stepping(o *object) *stream {
	return &stream{pull: func(p *Page, h how, v value) (value, bool) {
		p.step()
		name := [...]string{"next", "throw", "return"}[h]
		if f, is := p.get(o, name).(*object); h != nextOne && (!is || f.fn == nil) {
			if h == throwIn {
				throw(v)
			}
			return v, true
		}
		var args []value
		if v != nil {
			args = []value{v}
		}
		r, is := one(p.await(one(p.callMethod(o, name, args)))).(*object)
		if !is {
			return unknown{}, true
		}
		done, sure := truth(p.get(r, "done"))
		return p.get(r, "value"), done || !sure
	}}
}

// listStream gives the elements of a list, or of an iterator that has one.
func listStream(o *object) *stream {
	at := 0
	return &stream{pull: func(_ *Page, h how, v value) (value, bool) {
		if h == finish {
			return v, true
		}
		if o.class == classIterator {
			if len(o.list) == 0 {
				return nil, true
			}
			v := o.list[0]
			o.list = o.list[1:]
			return v, false
		}
		if at >= len(o.list) {
			return nil, true
		}
		at++
		return o.list[at-1], false
	}}
}

// drain takes up to so many values.
func (p *Page) drain(s *stream, most int) []value {
	var out []value
	for len(out) < most {
		p.step()
		v, done := s.pull(p, nextOne, nil)
		if done {
			return out
		}
		out = append(out, v)
	}
	s.pull(p, finish, nil)
	return out
}

// patternItems are as many of the values of something as a pattern takes, or all of them.
func (p *Page) patternItems(v value, most int, all bool) ([]value, bool) {
	if s := p.streamOf(one(v)); s != nil && !all {
		return p.drain(s, min(most, maxItems)), true
	}
	return p.items(one(v))
}

// awaited are what promises in a list are of.
func (p *Page) awaited(items []value) []value {
	p.cost(len(items) / 4)
	out := make([]value, len(items))
	for i, v := range items {
		out[i] = p.lift(v, p.await)
	}
	return out
}

// iteratorOf is the method that gives an iterator of what the language has, nil for what has none.
func (p *Page) iteratorOf(o *object) value {
	switch o.class {
	case classList:
		return p.builtin(classList, "values", p.listMethods()["values"])
	case classMap:
		return p.builtin(classMap, "entries", p.mapMethods()["entries"])
	case classSet:
		return p.builtin(classSet, "@@iterator", func(_ *Page, this value, _ []value) value {
			if o, is := this.(*object); is {
				return &object{class: classIterator, list: o.list}
			}
			return unknown{}
		})
	case classIterator:
		return p.builtin(classIterator, "@@iterator", func(_ *Page, this value, _ []value) value { return this })
	}
	return nil
}

// iterated is what next gives.
func (p *Page) iterated(v value, done bool) value {
	r := p.object()
	r.put("value", v)
	r.put("done", done)
	return r
}

// streamProperty is what an iterator has, nil for what it has not.
func (p *Page) streamProperty(s *stream, key string) value {
	asked := func(h how) value {
		return p.native(key, func(p *Page, _ value, args []value) value {
			v, done := s.pull(p, h, argument(args, 0))
			if s.async {
				return p.resolved(p.iterated(v, done))
			}
			return p.iterated(v, done)
		})
	}
	switch key {
	case "next":
		return asked(nextOne)
	case "throw":
		return asked(throwIn)
	case "return":
		return asked(finish)
	case "@@iterator":
		return p.native(key, func(_ *Page, this value, _ []value) value { return this })
	case "@@toStringTag":
		return plain("Generator")
	case "toArray":
		return p.native(key, func(p *Page, _ value, _ []value) value { return p.newList(p.drain(s, maxItems)) })
	case "take", "drop":
		return p.native(key, func(p *Page, _ value, args []value) value {
			n, known := p.integer(args, 0, 0)
			if !known {
				return unknown{}
			}
			return p.newIterator(s.part(key == "take", n))
		})
	case "map", "filter", "flatMap":
		return p.native(key, func(p *Page, _ value, args []value) value {
			return p.newIterator(s.each(key, argument(args, 0)))
		})
	case "forEach", "some", "every", "find", "reduce":
		return p.native(key, func(p *Page, _ value, args []value) value {
			return p.listMethods()[key](p, p.newList(p.drain(s, maxItems)), args)
		})
	}
	return nil
}

// part is the first of a stream, or what is behind them.
func (s *stream) part(first bool, n int) *stream {
	return &stream{async: s.async, pull: func(p *Page, h how, v value) (value, bool) {
		if h != nextOne {
			return s.pull(p, h, v)
		}
		if first {
			if n--; n < 0 {
				s.pull(p, finish, nil)
				return nil, true
			}
			return s.pull(p, h, v)
		}
		for ; n > 0; n-- {
			p.step()
			if v, done := s.pull(p, nextOne, nil); done {
				return v, true
			}
		}
		return s.pull(p, h, v)
	}}
}

// each gives a function the values of a stream.
func (s *stream) each(what string, f value) *stream {
	at := -1
	var more []value
	return &stream{async: s.async, pull: func(p *Page, h how, v value) (value, bool) {
		for h == nextOne {
			p.step()
			if len(more) > 0 {
				v, more = more[0], more[1:]
				return v, false
			}
			v, done := s.pull(p, nextOne, nil)
			if done {
				return v, true
			}
			at++
			r := p.callback(f, nil, v, float64(at))
			switch what {
			case "map":
				return r, false
			case "flatMap":
				more, _ = p.items(one(r))
			default:
				if is, known := truth(r); is || !known {
					return v, false
				}
			}
		}
		return s.pull(p, h, v)
	}}
}

// items are what a loop over a value gets; false: it is not known.
func (p *Page) items(v value) ([]value, bool) {
	switch v := v.(type) {
	case *text:
		if !v.known() {
			return nil, false
		}
		p.cost(min(len(v.s), maxItems) / 4)
		var out []value
		for _, r := range v.s {
			if out = append(out, p.derive(string(r), v)); len(out) >= maxItems {
				break
			}
		}
		return out, true
	case *object:
		p.down()
		defer func() { p.depth-- }()
		switch v.class {
		case classIterator:
			if s := streamIn(v); s != nil {
				return p.drain(s, maxItems), true
			}
			return v.list, true
		case classList, classSet:
			return v.list, true
		case classProxy:
			return p.proxyItems(v, v.host.(*proxy))
		case classJQuery:
			return p.listOf(v), true
		case classMap:
			return p.entries(v), true
		case classParams:
			return p.entries(v), true
		}
		if s := p.streamOf(v); s != nil {
			return p.drain(s, maxItems), true
		}
	}
	return nil, false
}

// more adds values to a list, as far as there is room.
func (p *Page) more(list, vals []value) []value {
	vals = vals[:min(len(vals), max(maxItems-len(list), 0))]
	p.cost(len(vals) / 4)
	return append(list, vals...)
}
