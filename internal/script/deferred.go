package script

import "strings"

// jqXHR calls what waits for an answer, and is what jQuery gives for it. t nil: nobody knows it.
func (p *Page) jqXHR(t *text, kind value, fs ...value) *object {
	x := &object{class: classPromise}
	if t != nil {
		if v := p.valueOf(t, kind); v != nil {
			x.put("responseText", t)
			x.put("responseJSON", v)
			p.deferred(x, []value{v, plain("success"), x})
		} else {
			t = nil
		}
	}
	if t == nil {
		p.deferred(x, unknowns(3))
	}
	for _, f := range fs {
		p.call1(x.get("done"), x, f)
	}
	return x
}

// call1 calls a function with one argument.
func (p *Page) call1(f value, this, arg value) {
	if o, is := f.(*object); is {
		p.call(o, this, []value{arg})
	}
}

// deferred makes an object a promise as jQuery has them, of values.
func (p *Page) deferred(o *object, vals []value) *object {
	o.class, o.host = classPromise, &promise{done: true, val: argument(vals, 0)}
	wait := func(p *Page, this value, fs []value) value {
		for _, f := range fs {
			p.later(f, nil, vals...)
		}
		return this
	}
	for _, m := range [...]string{"done", "always", "success", "complete"} {
		o.put(m, p.native(m, wait))
	}
	if argument(vals, 0) == (unknown{}) {
		for _, m := range [...]string{"fail", "error"} {
			o.put(m, p.native(m, wait))
		}
	} else {
		o.put("fail", p.native("fail", func(_ *Page, this value, _ []value) value { return this }))
	}
	then := func(p *Page, _ value, fs []value) value {
		f, is := one(argument(fs, 0)).(*object)
		if !is || f.fn == nil {
			return o
		}
		f.fn.called = true
		made, next := p.promise()
		p.jobs = append(p.jobs, func() { p.tried(next, func() value { return p.call(f, nil, vals) }) })
		for _, m := range [...]string{"done", "fail", "always"} {
			made.put(m, p.native(m, func(p *Page, this value, fs []value) value {
				p.then(made, argument(fs, 0), nil, false)
				return this
			}))
		}
		return made
	}
	o.put("then", p.native("then", then))
	o.put("pipe", p.native("pipe", then))
	o.put("promise", p.native("promise", func(_ *Page, this value, _ []value) value { return this }))
	o.keys = nil
	return o
}

// withData is an address with the data that goes with it; false: that is not known, or not all of it.
func (p *Page) withData(to, data value) (value, bool) {
	if t, is := one(data).(*text); is && t.known() {
		data = newParams(p, nil, []value{t})
	}
	o, is := one(data).(*object)
	if !is || o.fn != nil {
		return to, data == nil || is || isNull(data)
	}
	if o.class != classPlain && o.class != classParams {
		return to, false
	}
	ps := o
	if o.class == classPlain {
		ps = newParams(p, nil, []value{data}).(*object)
	}
	if len(ps.host.(*params).vals) == 0 {
		return to, true
	}
	mark := "?"
	if t, is := to.(*text); is && strings.Contains(t.s, "?") {
		mark = "&"
	}
	for _, v := range ps.host.(*params).vals {
		switch v := one(v).(type) {
		case float64, bool:
		case *text:
			if !v.known() {
				return to, false
			}
		default:
			return to, false
		}
	}
	return p.sum2(p.sum2(to, plain(mark)), p.urlText(ps)), true
}

func isNull(v value) bool { _, is := v.(null); return is }
