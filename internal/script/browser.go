package script

// newBrowserFunctions makes the functions of browsers.
func newBrowserFunctions() map[string]method {
	timer := func(times int) method {
		return func(p *Page, _ value, args []value) value {
			n := &times0{left: times}
			if t, is := one(argument(args, 0)).(*text); is {
				p.jobs = append(p.jobs, func() {
					if n.left > 0 {
						p.code(t, p.global)
					}
				})
				return &object{class: classPhantom, host: n}
			}
			p.tick(n, argument(args, 0), cut(args, 2))
			return &object{class: classPhantom, host: n}
		}
	}
	clear := func(_ *Page, _ value, args []value) value {
		if o, is := one(argument(args, 0)).(*object); is {
			if n, is := o.host.(*times0); is {
				n.left = 0
			}
		}
		return nil
	}
	soon := func(p *Page, _ value, args []value) value {
		n := &times0{left: 1}
		p.tick(n, argument(args, 0), []value{p.phantom("IdleDeadline", map[string]method{"timeRemaining": nothing})})
		return &object{class: classPhantom, host: n}
	}
	made := func(tag string) method {
		return func(p *Page, _ value, args []value) value {
			el := p.createElement(tag)
			if len(args) > 0 && tag == "audio" {
				p.put(el, "src", args[0])
			}
			return el
		}
	}
	observer := func(p *Page, _ value, args []value) value {
		f := argument(args, 0)
		o := &object{class: classPhantom, host: "observer"}
		o.put("observe", p.native("observe", func(p *Page, this value, args []value) value {
			entry := &object{class: classPhantom, host: "entry"}
			entry.put("isIntersecting", true)
			entry.put("intersectionRatio", float64(1))
			entry.put("target", argument(args, 0))
			p.later(f, nil, p.newList([]value{entry}), o)
			return nil
		}))
		o.put("unobserve", p.native("unobserve", nothing))
		o.put("disconnect", p.native("disconnect", nothing))
		return o
	}
	request := func(p *Page, _ value, args []value) value {
		o := p.object()
		o.class = classRequest
		o.put("url", argument(args, 0))
		if init, is := one(argument(args, 1)).(*object); is {
			o.put("method", p.get(init, "method"))
		}
		return o
	}
	event := func(p *Page, _ value, args []value) value {
		e := p.event("", nil).(*object)
		e.put("type", argument(args, 0))
		e.put("target", nil)
		if init, is := one(argument(args, 1)).(*object); is {
			e.put("detail", init.get("detail"))
		}
		return e
	}
	fetch := func(p *Page, _ value, args []value) value {
		return p.resolved(p.response(argument(args, 0), argument(args, 1)))
	}
	all := map[string]method{
		"setTimeout": timer(1), "setInterval": timer(maxTicks), "clearInterval": clear, "clearTimeout": clear, "cancelAnimationFrame": clear, "cancelIdleCallback": clear,
		"requestAnimationFrame": soon, "requestIdleCallback": soon, "queueMicrotask": soon, "setImmediate": soon,
		"fetch": fetch, "Image": made("img"), "Audio": made("audio"), "Option": made("option"),
		"IntersectionObserver": observer, "ResizeObserver": observer, "MutationObserver": mutationObserver, "PerformanceObserver": observer,
		"Worker": newWorker, "SharedWorker": newWorker, "Request": request, "Response": newResponse, "FormData": newFormData, "EventSource": asks(0),
		"Event": event, "CustomEvent": event, "MouseEvent": event,
		"addEventListener": listen, "attachEvent": listen, "dispatchEvent": dispatch, "removeEventListener": nothing,
		"open": func(p *Page, _ value, args []value) value {
			p.sink(Goes, argument(args, 0))
			return unknown{}
		},
		"postMessage": post,
		"MessageChannel": func(p *Page, _ value, _ []value) value {
			o := p.object()
			o.put("port1", p.phantom("port", map[string]method{"postMessage": post, "addEventListener": listen}))
			o.put("port2", p.phantom("port", map[string]method{"postMessage": post, "addEventListener": listen}))
			return o
		},
		"BroadcastChannel": func(p *Page, _ value, _ []value) value {
			return p.phantom("channel", map[string]method{"postMessage": post, "addEventListener": listen})
		},
		"alert": told, "confirm": nothing, "prompt": nothing, "getComputedStyle": nothing, "matchMedia": nothing,
		"Blob": func(p *Page, _ value, args []value) value {
			items, _ := p.items(one(argument(args, 0)))
			t := p.join(items, plain(""))
			t.consumed = true
			return &object{class: classPhantom, host: t}
		},
		"FontFace": func(p *Page, _ value, args []value) value {
			p.sink(Style, argument(args, 1))
			return p.phantom("FontFace", map[string]method{"load": func(p *Page, this value, _ []value) value { return p.resolved(this) }})
		},
		"XMLHttpRequest": newRequest,
		"CSSStyleSheet":  func(p *Page, _ value, _ []value) value { return p.styleSheet() },
		"XMLSerializer": func(p *Page, _ value, _ []value) value {
			return p.phantom("XMLSerializer", map[string]method{"serializeToString": func(p *Page, _ value, args []value) value {
				return p.get(argument(args, 0), "outerHTML")
			}})
		},
		"DOMParser": func(p *Page, _ value, _ []value) value {
			return p.phantom("DOMParser", map[string]method{"parseFromString": func(p *Page, _ value, args []value) value {
				return p.fragment(p.textOf(one(argument(args, 0))))
			}})
		},
	}
	return all
}

func (p *Page) styleSheet() value {
	style := func(p *Page, _ value, args []value) value {
		p.sink(Style, argument(args, 0))
		return p.resolved(unknown{})
	}
	return p.phantom("CSSStyleSheet", map[string]method{"replace": style, "replaceSync": style, "insertRule": style, "addRule": func(p *Page, _ value, args []value) value {
		p.sink(Style, argument(args, 1))
		return nil
	}})
}

// maxTicks is how often what is called again and again is called.
const maxTicks = 12

// times0 is how often a timer calls yet.
type times0 struct{ left int }

func (p *Page) tick(n *times0, f value, args []value) {
	fn, is := one(f).(*object)
	if !is || fn.fn == nil || len(p.jobs) >= maxJobs {
		return
	}
	fn.fn.called = true
	p.jobs = append(p.jobs, func() {
		if n.left--; n.left >= 0 {
			p.call(fn, nil, args)
			if n.left > 0 {
				p.tick(n, f, args)
			}
		}
	})
}
