package script

import (
	"math/big"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// isStrict reports code that begins with "use strict".
func isStrict(list []js.IStmt) bool {
	if len(list) == 0 {
		return false
	}
	_, is := list[0].(*js.DirectivePrologueStmt)
	return is
}

// plainThis is what this is in a function that is called by its name alone.
func (p *Page) plainThis(callee value) value {
	if f, is := callee.(*object); is && f.fn != nil && f.fn.code != nil && !f.fn.strict {
		return p.global
	}
	return unknown{}
}

// length is how many parameters a function has before the first that has a default.
func (fn *function) length() value {
	given := 0
	for n := 0; fn.of != nil && n < maxProtos; n++ {
		given += len(fn.given)
		fn = fn.of.fn
	}
	if given > 0 {
		if n, is := fn.length().(float64); is && fn.of == nil {
			return max(n-float64(given), 0)
		}
		return unknown{}
	}
	switch {
	case fn.code != nil:
		for i, e := range fn.code.params.List {
			if e.Default != nil {
				return float64(i)
			}
		}
		return float64(len(fn.code.params.List))
	case fn.class != nil:
		if fn.class.ctor != nil {
			return fn.class.ctor.fn.length()
		}
		return 0.0
	}
	return unknown{}
}

// newTarget is what new was asked for, when the function is called by it.
func (p *Page) newTarget() value {
	f := p.method()
	if !f.made {
		return nil
	}
	if c, is := p.get(f.this, "constructor").(*object); is {
		return c
	}
	return unknown{}
}

// stringsOf is what a function gets of a template before which it stands, which is the same each time.
func (p *Page) stringsOf(e *js.TemplateExpr, cooked, raw []value) *object {
	if o := p.templates[e]; o != nil {
		return o
	}
	o := p.newList(cooked)
	o.put("raw", p.newList(raw))
	o.solid = true
	if p.templates == nil {
		p.templates = map[*js.TemplateExpr]*object{}
	}
	p.templates[e] = o
	return o
}

// className is the name of what an object of the language is an instance of.
func (o *object) className() string {
	switch o.class {
	case classList:
		return "Array"
	case classFunction:
		return "Function"
	case classMap:
		return "Map"
	case classSet:
		return "Set"
	case classPromise:
		return "Promise"
	case classRegExp:
		return "RegExp"
	case classDate:
		return "Date"
	case classSymbol:
		return "Symbol"
	case classIterator:
		if o.host != nil {
			return "Generator"
		}
	case classURL:
		return "URL"
	case classParams:
		return "URLSearchParams"
	}
	switch o.host {
	case "Date":
		return "Date"
	case wrong{}:
		return "Error"
	}
	return ""
}

// instance is a instanceof b.
func (p *Page) instance(a, b value) value {
	a, b = proxied(a), proxied(b)
	o, is := a.(*object)
	f, isFn := b.(*object)
	if !isFn || f.fn == nil {
		return unknown{}
	}
	for n := 0; f.fn.of != nil && n < maxProtos; n++ {
		f = f.fn.of
	}
	if asks := f.find("@@hasInstance"); asks != nil {
		is, known := truth(p.callback(asks.val, f, a))
		if !known {
			return unknown{}
		}
		return is
	}
	if !is {
		if isUnknown(a) {
			return unknown{}
		}
		return false
	}
	if proto, is := f.get("prototype").(*object); is {
		for o, n := o.proto, 0; o != nil && n < maxProtos; o, n = o.proto, n+1 {
			if o == proto {
				return true
			}
		}
	}
	if f.fn.code != nil || f.fn.class != nil {
		return false
	}
	switch name := f.fn.name; {
	case name == "Object":
		return true
	case o.className() == name:
		return true
	case o.className() == "" && o.class != classPlain, o.rooted():
		return unknown{}
	case slices.Contains(errorNames(), name):
		return false
	}
	switch f.fn.name {
	case "Array", "Function", "Map", "Set", "Promise", "RegExp", "Date", "URL", "URLSearchParams":
		return false
	}
	return unknown{}
}

// kind is what an object's kind is called, as Object.prototype.toString says it; false: nobody knows.
func (p *Page) kind(v value) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "Undefined", true
	case null:
		return "Null", true
	case bool:
		return "Boolean", true
	case float64:
		return "Number", true
	case *big.Int:
		return "BigInt", true
	case *text:
		return "String", true
	case *object:
		if tag, is := one(p.saidKind(v)).(*text); is {
			return tag.s, tag.known()
		}
		if v, is := proxied(v).(*object); is && v.className() != "" {
			return v.className(), true
		}
		if name, is := v.host.(string); is && (name == "Math" || name == "JSON") {
			return name, true
		}
		return "Object", v.class == classPlain && !v.rooted()
	}
	return "", false
}

// saidKind is what an object says that its kind is.
func (p *Page) saidKind(o *object) value {
	if pr := o.find("@@toStringTag"); pr != nil {
		if pr.get != nil {
			return p.call(pr.get, o, nil)
		}
		return pr.val
	}
	return nil
}

// kindText is Object.prototype.toString.
func kindText(p *Page, this value, _ []value) value {
	return p.lift(this, func(v value) value {
		if name, known := p.kind(v); known {
			return plain("[object " + name + "]")
		}
		if _, is := v.(*object); is {
			return p.textOf(v)
		}
		return unknown{}
	})
}

// functionText is a function as a text, without what it does: that text is looked at for the names of its parameters, by which loaders of
// old know what to give it.
func (p *Page) functionText(fn *function) value {
	if fn == nil {
		return unknown{}
	}
	switch {
	case fn.class != nil:
		return plain("class " + fn.name + " {}")
	case fn.code == nil:
		return plain("function " + fn.name + "() { [native code] }")
	}
	p.cost(len(fn.code.params.List))
	names := make([]string, 0, min(len(fn.code.params.List), maxChoices))
	for _, e := range fn.code.params.List {
		v, is := e.Binding.(*js.Var)
		if !is || len(names) == maxItems {
			return unknown{}
		}
		names = append(names, sourceText(v.Data))
	}
	list := "(" + strings.Join(names, ", ") + ")"
	if fn.arrow != nil {
		return plain(list + " => {}")
	}
	return plain("function " + fn.name + list + " {}")
}
