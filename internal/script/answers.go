package script

import (
	"net/url"
	"slices"
	"strings"
)

// firstAnswer is the number that strings of the first answer have instead of a script's; those of the next have one less.
const firstAnswer = -2

// maxAnswers is how many answers a page may ask for, known or not.
const maxAnswers = 256

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
		if p.answers.said[i] != "" {
			parts[from] = p.Parts(firstAnswer - i)
		}
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
		p.sends(is, of)
		return nil
	}
	p.sink(Reads, of)
	t, is := of.(*text)
	if !is || !t.known() || p.doc.source.Answer == nil || p.baseURL() == nil {
		return nil
	}
	if address := withoutFragment(p.whole(t).s); address != "" {
		return p.answer(address)
	}
	return nil
}

// sends notes that a script sends something to an address, or perhaps does when it is not known how it asks. What people set off, or nothing does, is not done by
// showing a page, and by asking without what is sent least of all.
func (p *Page) sends(known bool, to value) {
	if known && (p.person || p.weak > 0) {
		told(p, nil, []value{to})
		return
	}
	p.sink(Asked, to)
}

// withoutFragment is an address as it is asked for; "": it is none.
func withoutFragment(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.Fragment, u.RawFragment = "", ""
	return u.String()
}

// answer is what is known that an address says.
func (p *Page) answer(address string) *text {
	a := &p.answers
	i := slices.Index(a.from, address)
	switch {
	case i < 0 && len(a.from) == maxAnswers:
		return nil
	case i < 0:
		said := p.doc.source.Answer(address)
		if len(said) > maxText {
			said = ""
		}
		i = len(a.from)
		a.from, a.said = append(a.from, address), append(a.said, said)
		p.steps += len(said) / bytesPerStep // patience grows by as much
		p.made += bytesPerByte * len(said)
	}
	p.cost(1 + len(a.from)/16)
	if a.said[i] == "" {
		return nil
	}
	return &text{s: a.said[i], from: firstAnswer - i}
}

// valueOf is what libraries make of an answer: values, when it looks like JSON or has to be; nil: it is none.
func (p *Page) valueOf(t *text, kind value) value {
	k, is := one(kind).(*text)
	if is && k.s != "json" && k.s != "jsonp" {
		return t
	}
	i := 0
	for i < len(t.s) && (t.s[i] <= ' ' || strings.HasPrefix(t.s[i:], "\ufeff")) {
		i++
	}
	p.cost(1 + i/64)
	if is || i < len(t.s) && (t.s[i] == '{' || t.s[i] == '[') {
		if v := p.tryJSON(t); v != nil {
			return v
		}
		if is {
			return nil
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
	p.readBy(r, said)
	return r
}

// readBy gives what fetch answers, or a script has made like it, what it is read by.
func (p *Page) readBy(r *object, said *text) {
	r.put("ok", true)
	r.put("status", float64(200))
	r.put("text", p.native("text", func(p *Page, _ value, _ []value) value { return p.resolved(said) }))
	r.put("json", p.native("json", func(p *Page, _ value, _ []value) value {
		o, pr := p.promise()
		p.tried(pr, func() value { return parseJSON(p, nil, []value{said}) })
		return o
	}))
	r.put("statusText", plain("OK"))
	r.put("headers", p.fieldsOf(said))
	r.put("clone", p.native("clone", func(_ *Page, this value, _ []value) value { return this }))
}

// newResponse is new Response(body, init).
func newResponse(p *Page, _ value, args []value) value {
	r := p.phantom("response", nil)
	if t, is := one(argument(args, 0)).(*text); is && t.known() {
		p.readBy(r, t)
	}
	if init, is := one(argument(args, 1)).(*object); is {
		if n, is := one(p.get(init, "status")).(float64); is {
			r.put("status", n)
			r.put("ok", n >= 200 && n < 300)
		}
	}
	return r
}

// said is where a request has what was answered.
const said = "@said"

// newRequest is new XMLHttpRequest().
func newRequest(p *Page, _ value, _ []value) value {
	o := p.phantom("XMLHttpRequest", map[string]method{"open": func(p *Page, this value, args []value) value {
		t := p.ask(argument(args, 1), argument(args, 0))
		x, is := one(this).(*object)
		if !is {
			return nil
		}
		if t, is := one(argument(args, 1)).(*text); is && p.baseURL() != nil {
			x.put("responseURL", p.whole(t))
		}
		x.put(said, answered(t))
		return nil
	}, "send": told, "setRequestHeader": told, "addEventListener": listen})
	known := func() *text { t, _ := o.get(said).(*text); return t }
	o.put("getResponseHeader", p.native("getResponseHeader", fieldOf(known)))
	o.put("getAllResponseHeaders", p.native("getAllResponseHeaders", func(*Page, value, []value) value {
		if t := known(); t != nil {
			return plain("content-type: " + kindOfAnswer(t) + "\r\n")
		}
		return unknown{}
	}))
	o.put("statusText", plain("OK"))
	p.tells(o, func(p *Page, t *text) value {
		switch kind := o.get("responseType"); {
		case isText(kind, "document"):
			return p.fragment(t)
		case isText(kind, "json"):
			return p.valueOf(t, kind)
		case kind == nil, isText(kind, "text"), isText(kind, ""):
			return t
		}
		return unknown{}
	})
	o.put("readyState", float64(4))
	o.put("status", float64(200))
	return o
}

// kindOfAnswer is the type that a server says of an answer, as it looks.
func kindOfAnswer(t *text) string {
	switch s := strings.TrimSpace(t.s[:min(len(t.s), 256)]); {
	case strings.HasPrefix(s, "{"), strings.HasPrefix(s, "["):
		return "application/json"
	case strings.HasPrefix(s, "<?xml"):
		return "application/xml"
	case strings.HasPrefix(s, "<"):
		return "text/html"
	}
	return "text/plain"
}

func isKindField(name value) bool {
	t, is := one(name).(*text)
	return is && strings.EqualFold(t.s, "content-type")
}

// fieldsOf are the header fields of an answer (Headers).
func (p *Page) fieldsOf(said *text) *object {
	return p.phantom("Headers", map[string]method{
		"get": fieldOf(func() *text { return said }),
		"has": func(_ *Page, _ value, args []value) value { return isKindField(argument(args, 0)) },
	})
}

// fieldOf gives header fields of an answer, of which the type alone is known.
func fieldOf(said func() *text) method {
	return func(_ *Page, _ value, args []value) value {
		if t := said(); t != nil && isKindField(argument(args, 0)) {
			return plain(kindOfAnswer(t))
		}
		return null{}
	}
}

// answered is an answer as a value.
func answered(t *text) value {
	if t == nil {
		return unknown{}
	}
	return t
}

// tells gives a request, or what a library has for one, the properties that an answer is read by.
func (p *Page) tells(o *object, response func(p *Page, t *text) value) {
	tell := func(key string, of func(p *Page, t *text) value) {
		o.add(key, nil).get = p.native(key, func(p *Page, _ value, _ []value) value {
			if t, is := o.get(said).(*text); is {
				return of(p, t)
			}
			return unknown{}
		})
	}
	tell("responseText", func(_ *Page, t *text) value { return t })
	tell("responseXML", func(p *Page, t *text) value { return p.fragment(t) })
	tell("responseJSON", func(p *Page, t *text) value { return p.valueOf(t, plain("json")) })
	tell("response", response)
}

func isText(v value, s string) bool {
	t, is := one(v).(*text)
	return is && t.s == s
}
