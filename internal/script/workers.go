package script

import (
	"net/url"
	"strings"
)

// worker is what goes between a page and a worker whose script is known. That is interpreted as a page without a document, where its script is (HTML
// standard, "Web workers"), when the scripts of the page that started it have ended.
type worker struct {
	in, out []value // messages
}

const (
	// maxWorkers is how many workers are interpreted with a page.
	maxWorkers = 4
	// maxMessages is how many messages go to a worker, and how many come from it.
	maxMessages = 32
)

// newWorker is new Worker(address, options).
func newWorker(p *Page, _ value, args []value) value {
	o := p.phantom("Worker", map[string]method{"addEventListener": listen, "postMessage": post})
	of := one(argument(args, 0))
	t, is := of.(*text)
	if made, isObject := of.(*object); isObject {
		if code, is := made.host.(*text); is && made.class != classURL { // of a Blob
			p.jobs = append(p.jobs, func() { p.code(code, p.global) })
			return o
		}
		if made.class == classURL {
			t, is = p.textOf(made), true
		}
	}
	if is && strings.HasPrefix(t.s, "data:") {
		if _, code, has := strings.Cut(t.s, ","); has {
			if code, err := url.PathUnescape(code); err == nil {
				made := p.derive(code, t)
				p.jobs = append(p.jobs, func() { p.code(made, p.global) })
			}
		}
		return o
	}
	p.sink(Worker, argument(args, 0))
	if is {
		p.startWorker(o, t, argument(args, 1))
	}
	return o
}

// startWorker sees to it that a worker is interpreted, when its script is known.
func (p *Page) startWorker(o *object, t *text, options value) {
	if !t.known() || p.worker != nil || p.workers == maxWorkers || p.doc.source.File == nil || len(p.jobs) >= maxJobs {
		return
	}
	address := withoutFragment(p.whole(t).s)
	if t.module {
		address = p.addressOf(t)
	}
	at, err := url.Parse(address)
	if err != nil || address == "" {
		return
	}
	module := false
	if init, is := one(options).(*object); is {
		module = isText(p.get(init, "type"), "module")
	}
	s := p.file(address, module)
	if s == nil {
		return
	}
	p.workers++
	w := &worker{}
	o.put("postMessage", p.native("postMessage", func(_ *Page, _ value, args []value) value {
		if len(w.in) < maxMessages {
			w.in = append(w.in, argument(args, 0))
		}
		return nil
	}))
	turns := 0
	var wait func()
	wait = func() { // behind what else the page has to say
		if turns++; turns < 2 || turns < 16 && len(p.jobs) > 0 {
			p.jobs = append(p.jobs, wait)
			return
		}
		p.runWorker(o, w, s, at)
	}
	p.jobs = append(p.jobs, wait)
}

// runWorker interprets a worker, and tells the page what it says.
func (p *Page) runWorker(o *object, w *worker, s *Script, at *url.URL) {
	of := p.doc.source
	own := New(Source{URL: at, Base: at, File: of.File, Answer: of.Answer}, p.stop)
	own.worker, own.choices = w, p.choices
	own.steps, own.made = p.steps/2+1, p.made/2+1
	steps, made := own.steps, own.made
	own.Run(s.nth, s)
	if len(w.in) > 0 {
		own.jobs = append([]func(){func() {
			for _, m := range w.in {
				own.deliver(own.global, m)
			}
		}}, own.jobs...)
	}
	own.Finish()
	p.choices = max(p.choices, own.choices)
	p.cost(max(steps-own.steps, 0))
	p.made -= max(made-own.made, 0)
	for _, f := range own.found {
		if f.Base == "" {
			f.Base = at.String()
		}
		if len(p.found) < maxFound && f.Use != Made {
			p.found = append(p.found, f)
		}
	}
	for _, m := range w.out {
		p.deliver(o, m)
	}
}

// deliver gives a message to those who wait for one of somebody.
func (p *Page) deliver(of *object, data value) {
	e := p.event("message", of).(*object)
	e.put("data", data)
	for i := 0; i < len(p.listeners); i++ {
		if l := p.listeners[i]; l.typ == "message" && (l.of == of || l.of == nil && of == p.global) {
			p.fails(func() { p.dispatch(l, of, e) })
		}
	}
}
