package script

import (
	"net/url"
	"strings"
)

// firstAnswer is the number that strings of the first answer have instead of a script's; those of the next have one less.
const firstAnswer = -2

// maxAnswers is how many answers a page reads.
const maxAnswers = 32

// answers are what servers said that scripts asked, as far as that is known (ADR 115).
type answers struct {
	from []string // their addresses
	said []string
}

// Answers returns, by their addresses, the answers that scripts got: of each the strings that are parts of what was accepted, and nothing else.
func (p *Page) Answers() map[string][]string {
	if len(p.answers.from) == 0 {
		return nil
	}
	parts := map[string][]string{}
	for i, from := range p.answers.from {
		parts[from] = p.Parts(firstAnswer - i)
	}
	return parts
}

// ask notes that a script asks for an address and reads the answer, and returns that: nil, when it is not known. It is asked for by GET unless the method says
// something else.
func (p *Page) ask(of, method value) *text {
	if o, is := one(of).(*object); is && o.class == classRequest {
		of, method = o.get("url"), o.get("method")
	}
	if o, is := one(of).(*object); is && o.class == classURL {
		of = p.textOf(o)
	}
	if t, is := one(method).(*text); method != nil && (!is || !strings.EqualFold(t.s, "get")) {
		p.sink(Asked, of)
		return nil
	}
	p.sink(Reads, of)
	t, is := of.(*text)
	if !is || !t.known() || p.doc.source.Answer == nil || p.baseURL() == nil {
		return nil
	}
	to, err := url.Parse(p.whole(t).s)
	if err != nil {
		return nil
	}
	to.Fragment, to.RawFragment = "", ""
	return p.answer(to.String())
}

// answer is what is known that an address says.
func (p *Page) answer(address string) *text {
	a := &p.answers
	for i, from := range a.from {
		if from == address {
			return &text{s: a.said[i], from: firstAnswer - i}
		}
	}
	if len(a.from) == maxAnswers {
		return nil
	}
	said := p.doc.source.Answer(address)
	if said == "" || len(said) > maxText {
		return nil
	}
	a.from, a.said = append(a.from, address), append(a.said, said)
	p.steps += len(said) / bytesPerStep // what patience there is grows with them
	p.made += bytesPerByte * len(said)
	return &text{s: a.said[len(a.said)-1], from: firstAnswer - len(a.from) + 1}
}

// valueOf is what libraries make of an answer: values, when it looks like JSON or has to be.
func (p *Page) valueOf(t *text, kind value) value {
	k, is := one(kind).(*text)
	if is && k.s != "json" && k.s != "jsonp" {
		return t
	}
	if s := strings.TrimLeft(t.s, " \t\r\n\ufeff"); is || s != "" && (s[0] == '{' || s[0] == '[') {
		if v := p.tryJSON(t); v != nil {
			return v
		}
	}
	return t
}

// tryJSON is a text as values; nil: it is no JSON.
func (p *Page) tryJSON(t *text) value {
	pr := &promise{}
	p.tried(pr, func() value { return parseJSON(p, nil, []value{t}) })
	if pr.thrown || !pr.done {
		return nil
	}
	return pr.val
}

// response is what fetch gives of an address.
func (p *Page) response(of, init value) value {
	method := value(nil)
	if o, is := one(init).(*object); is {
		method = p.get(o, "method")
	}
	said := p.ask(of, method)
	if o, is := one(of).(*object); is && o.class == classRequest {
		of = o.get("url")
	}
	r := p.phantom("response", nil)
	if t, is := one(of).(*text); is && t.known() && p.baseURL() != nil {
		r.put("url", p.whole(t))
	}
	if said == nil {
		return r
	}
	r.put("ok", true)
	r.put("status", float64(200))
	r.put("text", p.native("text", func(p *Page, _ value, _ []value) value { return p.resolved(said) }))
	r.put("json", p.native("json", func(p *Page, _ value, _ []value) value {
		o, pr := p.promise()
		p.tried(pr, func() value { return parseJSON(p, nil, []value{said}) })
		return o
	}))
	r.put("clone", p.native("clone", func(_ *Page, this value, _ []value) value { return this }))
	return r
}

// newRequest is new XMLHttpRequest().
func newRequest(p *Page, _ value, _ []value) value {
	o := p.phantom("XMLHttpRequest", map[string]method{"open": func(p *Page, this value, args []value) value {
		said := p.ask(argument(args, 1), argument(args, 0))
		x, is := one(this).(*object)
		if !is {
			return nil
		}
		if t, is := one(argument(args, 1)).(*text); is && p.baseURL() != nil {
			x.put("responseURL", p.whole(t))
		}
		if said == nil {
			return nil
		}
		x.put("responseText", said)
		x.add("response", nil).get = p.native("response", func(p *Page, this value, _ []value) value {
			if o, is := one(this).(*object); is && o.own("responseType") != nil {
				if kind := o.get("responseType"); isText(kind, "document") {
					return p.fragment(said)
				} else if isText(kind, "json") {
					return p.valueOf(said, kind)
				} else if !isText(kind, "text") && !isText(kind, "") {
					return unknown{}
				}
			}
			return said
		})
		x.add("responseXML", nil).get = p.native("responseXML", func(p *Page, _ value, _ []value) value { return p.fragment(said) })
		return nil
	}, "send": told, "setRequestHeader": told, "addEventListener": listen})
	o.put("readyState", float64(4))
	o.put("status", float64(200))
	return o
}

func isText(v value, s string) bool {
	t, is := one(v).(*text)
	return is && t.s == s
}

// newAxios is what a page knows as axios, which its scripts have and this program has not.
func newAxios(p *Page) *object {
	ask := func(p *Page, to, settings, method value) value {
		if o, is := one(settings).(*object); is {
			if method == nil {
				method = p.get(o, "method")
			}
			if base, is := one(p.get(o, "baseURL")).(*text); is {
				if t, is := one(to).(*text); is && !strings.Contains(t.s, "://") && !strings.HasPrefix(t.s, "//") {
					to = p.make(strings.TrimSuffix(base.s, "/")+"/"+strings.TrimPrefix(t.s, "/"), base, t)
				}
			}
			to = p.withData(to, p.get(o, "params"))
		}
		said := p.ask(to, method)
		if said == nil {
			return p.resolved(unknown{})
		}
		r := p.phantom("response", nil)
		r.put("data", p.valueOf(said, nil))
		r.put("status", float64(200))
		return p.resolved(r)
	}
	var made func(base value) *object
	made = func(base value) *object {
		with := func(settings value) value {
			o, is := one(settings).(*object)
			if base == nil || is && o.own("baseURL") != nil {
				return settings
			}
			all := p.object()
			if is {
				p.copyTo(all, o)
			}
			all.put("baseURL", base)
			return all
		}
		f := p.native("axios", func(p *Page, _ value, args []value) value {
			if o, is := one(argument(args, 0)).(*object); is && o.class == classPlain {
				return ask(p, p.get(o, "url"), with(o), nil)
			}
			return ask(p, argument(args, 0), with(argument(args, 1)), nil)
		})
		f.put("request", f)
		f.put("get", p.native("get", func(p *Page, _ value, args []value) value {
			return ask(p, argument(args, 0), with(argument(args, 1)), plain("get"))
		}))
		for _, other := range [...]string{"post", "put", "patch", "delete", "head"} {
			f.put(other, p.native(other, func(p *Page, _ value, args []value) value { return ask(p, argument(args, 0), nil, plain(other)) }))
		}
		f.put("create", p.native("create", func(p *Page, _ value, args []value) value {
			if o, is := one(argument(args, 0)).(*object); is {
				if b := p.get(o, "baseURL"); b != nil {
					return made(b)
				}
			}
			return made(base)
		}))
		f.put("all", p.native("all", func(p *Page, _ value, args []value) value { return p.statics("Promise")["all"](p, nil, args) }))
		return f
	}
	return made(nil)
}

// newPrototypeAjax is Ajax, as the library Prototype has it.
func newPrototypeAjax(p *Page) *object {
	ask := func(p *Page, to, settings value) (said *text, o *object) {
		method := value(plain("post")) // what it is when nothing is said
		if o, _ = one(settings).(*object); o != nil {
			if m := p.get(o, "method"); m != nil {
				method = m
			}
			if isText(method, "get") {
				to = p.withData(to, p.get(o, "parameters"))
			}
		}
		return p.ask(to, method), o
	}
	tell := func(p *Page, said *text, o *object) {
		args := unknowns(2)
		if said != nil {
			r := p.phantom("response", nil)
			r.put("responseText", said)
			r.put("status", float64(200))
			if v := p.valueOf(said, nil); v != value(said) {
				r.put("responseJSON", v)
			}
			r.add("responseXML", nil).get = p.native("responseXML", func(p *Page, _ value, _ []value) value { return p.fragment(said) })
			args[0] = r
		}
		for _, key := range [...]string{"onSuccess", "onComplete"} {
			p.later(o.get(key), o, args...)
		}
	}
	return p.phantom("Ajax", map[string]method{
		"Request": func(p *Page, _ value, args []value) value {
			if said, o := ask(p, argument(args, 0), argument(args, 1)); o != nil {
				tell(p, said, o)
			}
			return unknown{}
		},
		"Updater": func(p *Page, _ value, args []value) value {
			said, o := ask(p, argument(args, 1), argument(args, 2))
			if said != nil {
				p.sink(Markup, said)
			}
			if o != nil {
				tell(p, said, o)
			}
			return unknown{}
		},
	})
}
