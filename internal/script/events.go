package script

// listener is a function that an event calls.
type listener struct {
	of   *object
	typ  string
	call value

	capture, once bool
}

// byPerson reports events that only a person sets off, or the end of the visit.
func byPerson(typ string) bool {
	switch typ {
	case "click", "dblclick", "mousedown", "mouseup", "mousemove", "mouseover", "mouseout", "mouseenter", "mouseleave", "contextmenu", "wheel", "keydown", "keyup", "keypress",
		"touchstart", "touchend", "touchmove", "pointerdown", "pointerup", "pointermove", "pointerenter", "focus", "blur", "focusin", "focusout", "change", "input", "submit", "reset", "select",
		"dragstart", "drop", "dragover", "copy", "paste", "beforeunload", "unload", "pagehide", "hashchange", "popstate", "online", "offline":
		return true
	}
	return false
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
		l := listener{of: o, typ: typ.s, call: f}
		switch how := one(argument(args, 2)).(type) {
		case bool:
			l.capture = how
		case *object:
			l.capture, _ = truth(how.get("capture"))
			l.once, _ = truth(how.get("once"))
		}
		p.listeners = append(p.listeners, l)
		fn, is := one(f).(*object)
		if is && fn.fn != nil {
			called := false
			queue := &p.jobs
			if byPerson(typ.s) || typ.s == "error" && (o == nil || o.class == classWindow || o.class == classDocument) { // or nothing, when all goes well
				queue = &p.acts
			}
			*queue = append(*queue, func() {
				if !called && !(fn.fn.called && p.dispatched[fn]) && !p.loads(o, typ.s) {
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
	e := p.newObject(classPhantom)
	e.host = "Event"
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
		if l.of != nil {
			e.put("currentTarget", l.of)
			phase := 2
			if o != l.of {
				phase = 3
				if l.capture {
					phase = 1
				}
			}
			e.put("eventPhase", float64(phase))
		}
		if p.dispatch(l, this, e); l.once {
			p.listeners[i].typ = "\x00"
		}
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
		on := this
		if l.of != nil {
			on = l.of
		}
		p.call(f, on, []value{e})
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
	if w := p.worker; w != nil && kindOf(this) == "" {
		if len(w.out) < maxMessages {
			w.out = append(w.out, data)
		}
		return nil
	}
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
