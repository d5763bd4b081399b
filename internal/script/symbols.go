package script

import (
	"strconv"
	"strings"
)

// symbol is a key that is no text. Properties have it as one that begins with two signs, as those have that are private.
type symbol struct{ key, name string }

const (
	symbolKey  = "@@"
	privateKey = "@@#"
)

// isHidden reports the key of a property that no loop sees.
func isHidden(key string) bool { return strings.HasPrefix(key, symbolKey) }

// memberKey is the key of a property that stands behind a dot.
func memberKey(name string) string {
	if strings.HasPrefix(name, "#") {
		return symbolKey + name
	}
	return name
}

// symbolOf is the symbol with a key.
func (p *Page) symbolOf(key, name string) *object {
	if o := p.symbols[key]; o != nil {
		return o
	}
	p.step()
	o := &object{class: classSymbol, host: &symbol{key, name}, solid: true}
	if p.symbols == nil {
		p.symbols = map[string]*object{}
	}
	p.symbols[key] = o
	return o
}

// symbolIn is what a value is a symbol of, nil when it is none.
func symbolIn(v value) *symbol {
	if o, is := v.(*object); is && o.class == classSymbol {
		s, _ := o.host.(*symbol)
		return s
	}
	return nil
}

// keyValue is the name of a property as a value.
func (p *Page) keyValue(key string) value {
	if isHidden(key) && !strings.HasPrefix(key, privateKey) {
		return p.symbolOf(key, "")
	}
	return plain(key)
}

func symbolName(args []value) string {
	if t, is := one(argument(args, 0)).(*text); is {
		t.consumed, t.looked = true, true
		return t.s
	}
	return ""
}

// newSymbol is Symbol(name).
func newSymbol(p *Page, _ value, args []value) value {
	name := symbolName(args)
	return p.symbolOf(symbolKey+strconv.Itoa(len(p.symbols))+":"+name, name)
}

func symbolStatics() map[string]method {
	return map[string]method{
		"for": func(p *Page, _ value, args []value) value {
			name := symbolName(args)
			return p.symbolOf("@@for:"+name, name)
		},
		"keyFor": func(_ *Page, _ value, args []value) value {
			if s := symbolIn(argument(args, 0)); s != nil && strings.HasPrefix(s.key, "@@for:") {
				return plain(s.name)
			}
			return nil
		},
	}
}

// addSymbols gives Symbol those that everybody knows.
func (p *Page) addSymbols(f *object) {
	for _, name := range [...]string{"iterator", "toPrimitive", "toStringTag", "hasInstance", "species", "match", "matchAll", "replace", "search", "split", "unscopables", "isConcatSpreadable"} {
		f.add(name, p.symbolOf(symbolKey+name, "Symbol."+name))
	}
	f.add("asyncIterator", p.symbolOf(symbolKey+"iterator", ""))
}

// symbolProperty is what a symbol has.
func (p *Page) symbolProperty(o *object, key string) value {
	s := symbolIn(o)
	if s == nil {
		return unknown{}
	}
	text := method(func(_ *Page, this value, _ []value) value {
		if s := symbolIn(this); s != nil {
			return plain("Symbol(" + s.name + ")")
		}
		return unknown{}
	})
	switch key {
	case "description":
		return plain(s.name)
	case "toString":
		return p.builtin(classSymbol, key, text)
	}
	return nil
}
