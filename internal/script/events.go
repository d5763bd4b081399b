package script

// listener is a function that an event calls.
type listener struct {
	of   *object
	typ  string
	call value
}

func listen(p *Page, this value, args []value) value {
	o, _ := one(this).(*object)
	typ, _ := argument(args, 0).(*text)
	if typ == nil {
		typ = plain("")
	}
	f := argument(args, 1)
	if h, is := one(f).(*object); is && h.fn == nil {
		f = p.get(h, "handleEvent")
		this = h
	}
	if len(p.listeners) < maxJobs {
		p.listeners = append(p.listeners, listener{o, typ.s, f})
		fn, is := one(f).(*object)
		if is && fn.fn != nil {
			called := false
			p.jobs = append(p.jobs, func() {
				if !called && !(fn.fn.called && p.dispatched[fn]) {
					called = true
					fn.fn.called = true
					p.call(fn, this, []value{p.event(typ.s, this)})
				}
			})
		}
	}
	return nil
}

func (p *Page) event(typ string, target value) value {
	e := &object{class: classPhantom, host: "Event"}
	e.put("type", plain(typ))
	e.put("target", target)
	e.put("currentTarget", target)
	e.put("preventDefault", p.native("preventDefault", nothing))
	e.put("stopPropagation", p.native("stopPropagation", nothing))
	return e
}

func dispatch(p *Page, this value, args []value) value {
	e, is := argument(args, 0).(*object)
	if !is {
		return unknown{}
	}
	typ, _ := e.get("type").(*text)
	o, _ := one(this).(*object)
	if typ == nil {
		return unknown{}
	}
	if e.get("target") == nil {
		e.put("target", this)
		e.put("currentTarget", this)
	}
	for i := 0; i < len(p.listeners); i++ {
		l := p.listeners[i]
		if l.typ != typ.s || o != nil && l.of != nil && l.of != o && l.of.class != classWindow && l.of.class != classDocument && l.of.class != classElement {
			continue
		}
		p.dispatch(l, this, e)
	}
	return true
}

// dispatch calls a listener with an event.
func (p *Page) dispatch(l listener, this value, e *object) {
	if f, is := one(l.call).(*object); is && f.fn != nil {
		if p.dispatched == nil {
			p.dispatched = map[*object]bool{}
		}
		p.dispatched[f] = true
		p.call(f, this, []value{e})
	}
}

// kindOf tells ports, channels and all others, which send messages to their like.
func kindOf(v value) string {
	if o, is := one(v).(*object); is && o != nil && o.class == classPhantom {
		if name, is := o.host.(string); is && (name == "port" || name == "channel") {
			return name
		}
	}
	return ""
}

// post sends a message to all who wait for one: nobody knows which of them it is for.
func post(p *Page, this value, args []value) value {
	data := argument(args, 0)
	if len(p.jobs) < maxJobs {
		p.jobs = append(p.jobs, func() {
			e := p.event("message", nil).(*object)
			e.put("data", data)
			for i := 0; i < len(p.listeners); i++ {
				if l := p.listeners[i]; l.typ == "message" && kindOf(l.of) == kindOf(this) {
					p.dispatch(l, this, e)
				}
			}
		})
	}
	return nil
}
