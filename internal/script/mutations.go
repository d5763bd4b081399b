package script

import (
	"slices"

	"golang.org/x/net/html"
)

// watch is what a script wants to know of when it changes.
type watch struct {
	call, observer  value
	of              *object
	below           bool
	lists, attrs    bool
	names           []string // of attributes, when these alone are meant
	called, stopped bool
}

// mutationObserver makes a MutationObserver.
func mutationObserver(p *Page, _ value, args []value) value {
	call := argument(args, 0)
	o := p.phantom("observer", nil)
	o.put("observe", p.native("observe", func(p *Page, _ value, args []value) value {
		of, is := one(argument(args, 0)).(*object)
		how, told := one(argument(args, 1)).(*object)
		if !is || !told || len(p.watches) >= maxChoices {
			return nil
		}
		w := &watch{call: call, observer: o, of: of}
		w.below, _ = truth(how.get("subtree"))
		w.lists, _ = truth(how.get("childList"))
		w.attrs, _ = truth(how.get("attributes"))
		w.attrs = w.attrs || how.own("attributeFilter") != nil || how.own("attributeOldValue") != nil
		if names, known := p.items(how.get("attributeFilter")); known {
			for _, v := range names {
				if t, is := v.(*text); is {
					t.consumed, t.looked = true, true
					w.names = append(w.names, t.s)
				}
			}
		}
		p.watches = append(p.watches, w)
		return nil
	}))
	o.put("disconnect", p.native("disconnect", func(p *Page, _ value, _ []value) value {
		for _, w := range p.watches {
			w.stopped = w.stopped || w.observer == value(o)
		}
		return nil
	}))
	o.put("takeRecords", p.native("takeRecords", func(p *Page, _ value, _ []value) value { return p.newList(nil) }))
	return o
}

// record is what an observer is told.
func (p *Page) record(of value, kind string, name, old value, added []value) *object {
	r := p.phantom("entry", nil)
	r.put("type", plain(kind))
	r.put("target", of)
	r.put("addedNodes", p.newList(added))
	r.put("removedNodes", p.newList(nil))
	r.put("attributeName", name)
	r.put("oldValue", old)
	return r
}

// changed tells those who watch that an attribute of an element was set, or that something was put into it.
func (p *Page) changed(o *object, kind string, name, old value, added ...value) {
	for _, w := range p.watches {
		if p.step(); w.stopped || kind == "attributes" && !w.attrs || kind == "childList" && !w.lists || w.of != o && (!w.below || !p.isBelow(o, w.of)) {
			continue
		}
		if t, is := name.(*text); is && len(w.names) > 0 && !slices.Contains(w.names, t.s) {
			continue
		}
		w.called = true
		p.later(w.call, nil, p.newList([]value{p.record(o, kind, name, old, added)}), w.observer)
	}
}

// isBelow reports an element in another, or in the document.
func (p *Page) isBelow(o, of *object) bool {
	if of.class == classDocument {
		return true
	}
	if l, is := of.host.(*lazy); is && !l.placed && p.doc.lazies["<body"] == of {
		return true
	}
	outer := p.nodeOf(of)
	for n := p.nodeOf(o); n != nil; n = n.Parent {
		if p.step(); n == outer {
			return true
		}
	}
	return false
}

// unwatched calls those who watch and were told nothing: what they wait for is not known.
func (p *Page) unwatched() {
	for _, w := range p.watches {
		if !w.called && !w.stopped {
			w.called = true
			entry := &object{class: classPhantom, host: "entry"}
			entry.put("target", w.of)
			p.later(w.call, nil, p.newList([]value{entry}), w.observer)
		}
	}
}

// putIn tells of nodes that were put into an element.
func (p *Page) putIn(n *html.Node, added ...*html.Node) {
	if len(p.watches) == 0 || len(added) == 0 {
		return
	}
	o, is := p.wrap(n).(*object)
	if !is {
		return
	}
	list := make([]value, len(added))
	for i, c := range added {
		list[i] = p.wrap(c)
	}
	p.changed(o, "childList", null{}, null{}, list...)
}
