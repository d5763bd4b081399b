package script

import "github.com/tdewolff/parse/v2/js"

// wrong marks objects that are errors.
type wrong struct{}

func errorNames() []string {
	return []string{"Error", "TypeError", "RangeError", "SyntaxError", "ReferenceError", "EvalError", "URIError", "AggregateError"}
}

// addErrors gives a table the functions that make errors.
func addErrors(table map[string]method) map[string]method {
	for _, name := range errorNames() {
		table[name] = func(p *Page, this value, args []value) value {
			if o, is := this.(*object); is && o.class == classPlain { // of a class that extends it
				p.fillError(o, name, args)
			}
			return p.newError(name, args)
		}
	}
	return table
}

// errorPrototype is what all errors of a name have.
func (p *Page) errorPrototype(f *object) {
	proto := p.object()
	proto.add("name", plain(f.fn.name))
	proto.add("message", plain(""))
	proto.add("constructor", f)
	proto.add("toString", p.native("toString", func(p *Page, this value, _ []value) value {
		if o, is := this.(*object); is {
			return p.errorText(o)
		}
		return unknown{}
	}))
	if f.fn.name != "Error" {
		if base, is := p.hostName("Error").(*object); is {
			proto.proto, _ = base.get("prototype").(*object)
			f.proto = base
		}
	}
	f.add("prototype", proto)
}

func (p *Page) newError(name string, args []value) *object {
	o := p.object()
	if f, is := p.hostName(name).(*object); is {
		o.proto, _ = f.get("prototype").(*object)
	}
	p.fillError(o, name, args)
	return o
}

// fillError gives an error what it is made with, which is not shown in a loop.
func (p *Page) fillError(o *object, name string, args []value) {
	o.host = wrong{}
	hidden := func(key string, v value) {
		if old := o.own(key); old != nil {
			old.val = v
			return
		}
		o.add(key, v)
	}
	if name == "AggregateError" {
		items, _ := p.items(one(argument(args, 0)))
		hidden("errors", p.newList(append([]value(nil), items...)))
		args = cut(args, 1)
	}
	if m := argument(args, 0); m != nil {
		if t, is := one(m).(*text); is {
			t.consumed = true
		} else {
			m = p.lift(m, func(v value) value { return p.textOf(v) })
		}
		hidden("message", m)
	}
	if more, is := argument(args, 1).(*object); is && more.own("cause") != nil {
		hidden("cause", p.get(more, "cause"))
	}
	hidden("stack", hole())
}

// errorText is an error as a text.
func (p *Page) errorText(o *object) *text {
	name, message := p.textOf(one(p.get(o, "name"))), p.textOf(one(p.get(o, "message")))
	switch {
	case message.s == "":
		return name
	case name.s == "":
		return message
	}
	return p.make(name.s+": "+message.s, name, message)
}

// fault throws an error of the language when that is sure to be caught, and nothing else can be: what is not known to end may go on.
func (p *Page) fault(name, message string) value {
	if p.tries == p.weak+1 {
		throw(p.newError(name, []value{plain(message)}))
	}
	return unknown{}
}

// isNothing reports an expression that was read last, and is surely undefined or null: as a word, or as a property of an object of which all is known.
func (p *Page) isNothing(e js.IExpr) bool {
	switch e := e.(type) {
	case *js.LiteralExpr:
		return true
	case *js.Var:
		return sourceText(e.Data) == "undefined"
	case *js.DotExpr, *js.IndexExpr:
		return p.nothing
	}
	return false
}

// isExact reports an object that is surely that which is meant, and has what scripts gave it, and nothing else.
func (p *Page) isExact(v value) bool {
	o, is := v.(*object)
	return is && o.exact && o.class == classPlain && int(o.weak) <= p.weak
}

// missing is a property of what is undefined or null.
func (p *Page) missing(of js.IExpr) value {
	if p.isNothing(of) {
		return p.fault("TypeError", "nothing has none")
	}
	return unknown{}
}
