package script

import "github.com/tdewolff/parse/v2/js"

// with reads a statement in which names are first looked for in an object.
func (p *Page) with(s *js.WithStmt) outcome {
	o, is := one(p.expr(s.Cond)).(*object)
	if !is {
		return p.stmt(s.Body, "")
	}
	f, outer := p.now, p.now.env
	f.env = &env{parent: outer, block: true, with: o}
	p.withs = true
	defer func() { f.env = outer }()
	return p.stmt(s.Body, "")
}

// holder is the object of a with statement around a name that has it, nil when there is none.
func (p *Page) holder(v *js.Var) *object {
	if !p.withs {
		return nil
	}
	v = linked(v)
	for e := p.now.env; e != nil; e = e.parent {
		p.steps--
		if e.with != nil && p.offers(e.with, sourceText(v.Data)) {
			return e.with
		}
		if e.own(v) != nil {
			return nil
		}
	}
	return nil
}

// offers reports an object that has a name, as far as that is known.
func (p *Page) offers(o *object, name string) bool {
	if o.find(name) != nil {
		return true
	}
	switch o.class {
	case classPlain, classFunction, classWindow:
		return false
	case classList:
		return name == "length" || p.listMethods()[name] != nil
	case classElement:
		switch name {
		case "src", "href", "srcset", "innerHTML", "style", "className", "id", "appendChild", "setAttribute", "getAttribute", "querySelector":
			return true
		}
		return false
	case classPhantom:
		is, known := truth(p.contains(o, name))
		return is && known
	}
	switch p.get(o, name).(type) {
	case nil, null, unknown:
		return false
	}
	return true
}
