package script

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

type method = func(p *Page, this value, args []value) value

// textProperty is what a string has.
func (p *Page) textProperty(t *text, key string) value {
	if key == "length" {
		if !t.known() || t.page {
			return unknown{}
		}
		t.consumed = true
		p.cost(len(t.s) / 512)
		return float64(utf8.RuneCountInString(t.s))
	}
	if i := index(key); i >= 0 {
		return p.textMethods()["charAt"](p, t, []value{float64(i)})
	}
	if m := p.textMethods()[key]; m != nil {
		return p.builtin(classText, key, m)
	}
	v, _ := p.inherited("String", key, t)
	return v
}

// onText makes a method of strings of what it does to one that is known.
func onText(do func(p *Page, t *text, args []value) value) method {
	return func(p *Page, this value, args []value) value {
		for i, arg := range args {
			if c, is := arg.(*choice); is { // each of them
				return p.lift(c, func(v value) value {
					own := slices.Clone(args)
					own[i] = v
					return onText(do)(p, this, own)
				})
			}
		}
		return p.lift(this, func(this value) value {
			var t *text
			switch v := this.(type) {
			case unknown, nil:
				return unknown{}
			case *text:
				t = v
			default:
				t = p.textOf(v)
			}
			p.step()
			p.steps -= len(t.s) / 64
			return do(p, t, args)
		})
	}
}

// ofText makes a function of what it does to a string.
func ofText(do func(p *Page, t *text, args []value) value) method {
	of := onText(do)
	return func(p *Page, _ value, args []value) value { return of(p, argument(args, 0), cut(args, 1)) }
}

// changed makes a method of strings of what it does to one.
func changed(change func(string) string) method {
	return onText(func(p *Page, t *text, args []value) value {
		if s := change(t.s); s != t.s {
			return p.derive(s, t)
		}
		return t
	})
}

// integer is an argument as one.
func (p *Page) integer(args []value, i, otherwise int) (int, bool) {
	if i >= len(args) || args[i] == nil {
		return otherwise, true
	}
	n, known := p.number(args[i])
	if !known {
		return 0, false
	}
	switch {
	case n != n:
		return 0, true
	case n > 1<<20:
		return 1 << 20, true
	case n < -1<<20:
		return -1 << 20, true
	}
	return int(n), true
}

func within(i, n int) int {
	if i < 0 {
		i += n
	}
	return min(max(i, 0), n)
}

// piece makes a method of strings that gives a part of one.
func piece(bounds func(n, a, b int, two bool) (int, int)) method {
	return onText(func(p *Page, t *text, args []value) value {
		a, known := p.integer(args, 0, 0)
		b, too := p.integer(args, 1, 1<<20)
		if !known || !too || t.page {
			return unknown{}
		}
		if !ascii(t.s) {
			r := []rune(t.s)
			from, to := bounds(len(r), a, b, len(args) > 1 && args[1] != nil)
			return p.derive(string(r[from:max(from, to)]), t)
		}
		from, to := bounds(len(t.s), a, b, len(args) > 1 && args[1] != nil)
		if from == 0 && to >= len(t.s) {
			return t
		}
		return p.derive(t.s[from:max(from, to)], t)
	})
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// lookup makes a method that says something of a string and another.
func lookup(do func(s, what string, from int) value) method {
	return onText(func(p *Page, t *text, args []value) value {
		what, is := argument(args, 0).(*text)
		from, known := p.integer(args, 1, -1)
		t.consumed = true
		if !is || !known || !t.known() || t.page || !what.known() {
			return unknown{}
		}
		what.consumed = true
		return do(t.s, what.s, from)
	})
}

func pad(front bool) method {
	return onText(func(p *Page, t *text, args []value) value {
		n, known := p.integer(args, 0, 0)
		by := plain(" ")
		if b := argument(args, 1); b != nil {
			by = p.textOf(one(b))
		}
		missing := n - utf8.RuneCountInString(t.s)
		if !known || by.s == "" || missing <= 0 {
			return t
		}
		if missing > 256 {
			return unknown{}
		}
		fill := strings.Repeat(by.s, missing/len(by.s)+1)[:missing]
		if front {
			return p.make(fill+t.s, by, t)
		}
		return p.make(t.s+fill, t, by)
	})
}

// newTextMethods makes the methods of strings.
func newTextMethods() map[string]method {
	made := map[string]method{
		"toString": onText(func(_ *Page, t *text, _ []value) value { return t }),
		"trim":     changed(strings.TrimSpace), "trimStart": changed(func(s string) string { return strings.TrimLeft(s, " \t\r\n") }), "trimEnd": changed(func(s string) string { return strings.TrimRight(s, " \t\r\n") }),
		"toLowerCase": changed(strings.ToLower), "toUpperCase": changed(strings.ToUpper), "toLocaleLowerCase": changed(strings.ToLower), "toLocaleUpperCase": changed(strings.ToUpper),
		"normalize": onText(func(p *Page, t *text, args []value) value {
			form := norm.NFC
			if f, is := argument(args, 0).(*text); is && f.s == "NFD" {
				form = norm.NFD
			}
			if s := form.String(t.s); s != t.s {
				return p.derive(s, t)
			}
			return t
		}),
		"concat": onText(func(p *Page, t *text, args []value) value {
			v := value(t)
			for _, arg := range args {
				v = p.sum2(v, p.textOf(arg))
			}
			return v
		}),
		"charAt": onText(func(p *Page, t *text, args []value) value {
			switch r, known := p.runeAt(t, args); {
			case !known:
				return unknown{}
			case r >= 0:
				return p.derive(string(r), t)
			}
			return plain("")
		}),
		"at": onText(func(p *Page, t *text, args []value) value {
			i, known := p.integer(args, 0, 0)
			if !known || t.page || !t.known() {
				return unknown{}
			}
			if i < 0 {
				i += utf8.RuneCountInString(t.s)
			}
			if c, is := p.textMethods()["charAt"](p, t, []value{float64(i)}).(*text); is && c.s != "" {
				return c
			}
			return nil
		}),
		"charCodeAt": onText(codeAt), "codePointAt": onText(codeAt),
		"slice": piece(func(n, a, b int, _ bool) (int, int) { return within(a, n), within(b, n) }),
		"substring": piece(func(n, a, b int, _ bool) (int, int) {
			a, b = min(max(a, 0), n), min(max(b, 0), n)
			return min(a, b), max(a, b)
		}),
		"substr": piece(func(n, a, b int, two bool) (int, int) {
			from := within(a, n)
			if !two {
				return from, n
			}
			return from, min(n, from+max(b, 0))
		}),
		"padStart": pad(true), "padEnd": pad(false),
		"repeat": onText(func(p *Page, t *text, args []value) value {
			n, known := p.integer(args, 0, 0)
			if !known || n < 0 || n*len(t.s) > maxText {
				return unknown{}
			}
			return p.derive(strings.Repeat(t.s, n), t)
		}),
		"indexOf": lookup(func(s, what string, from int) value {
			from = min(max(from, 0), len(s))
			if i := strings.Index(s[from:], what); i >= 0 {
				return float64(utf8.RuneCountInString(s[:from+i]))
			}
			return float64(-1)
		}),
		"lastIndexOf": lookup(func(s, what string, _ int) value {
			if i := strings.LastIndex(s, what); i >= 0 {
				return float64(utf8.RuneCountInString(s[:i]))
			}
			return float64(-1)
		}),
		"includes":      lookup(func(s, what string, _ int) value { return strings.Contains(s, what) }),
		"startsWith":    lookup(func(s, what string, from int) value { return strings.HasPrefix(s[min(max(from, 0), len(s)):], what) }),
		"endsWith":      lookup(func(s, what string, _ int) value { return strings.HasSuffix(s, what) }),
		"localeCompare": onText(localeCompare), "isWellFormed": onText(wellFormed),
		"split":      onText(split),
		"replace":    onText(func(p *Page, t *text, args []value) value { return p.replace(t, args, false) }),
		"replaceAll": onText(func(p *Page, t *text, args []value) value { return p.replace(t, args, true) }),
		"match":      onText(match), "matchAll": onText(matchAll),
		"search": onText(search),
	}
	return made
}

func codeAt(p *Page, t *text, args []value) value {
	if r, known := p.runeAt(t, args); known && r >= 0 {
		return float64(r)
	}
	return unknown{}
}

// runeAt is the character at a place, -1 beyond the end.
func (p *Page) runeAt(t *text, args []value) (r rune, known bool) {
	i, known := p.integer(args, 0, 0)
	if !known || t.page || !t.known() {
		return -1, false
	}
	n := 0
	for _, r := range t.s {
		if n == i {
			return r, true
		}
		n++
	}
	return -1, true
}

func split(p *Page, t *text, args []value) value {
	if !t.known() || t.page {
		return unknown{}
	}
	var out []value
	switch sep := argument(args, 0).(type) {
	case nil:
		return p.newList([]value{t})
	case *text:
		if !sep.known() {
			return unknown{}
		}
		sep.consumed = true
		parts := strings.SplitN(t.s, sep.s, maxItems)
		out = make([]value, len(parts))
		var letters [128]value // of which there are few
		for i, s := range parts {
			switch {
			case len(s) != 1 || s[0] >= 128:
				out[i] = p.derive(s, t)
			case letters[s[0]] == nil:
				letters[s[0]] = p.derive(s, t)
				fallthrough
			default:
				out[i] = letters[s[0]]
			}
		}
	case *object:
		pt := patternOf(sep)
		if !p.searched(pt, t) {
			return unknown{}
		}
		var known bool
		if out, known = p.splitBy(pt, t); !known {
			return unknown{}
		}
	default:
		return unknown{}
	}
	if most, known := p.integer(args, 1, maxItems); known && most >= 0 && most < len(out) {
		out = out[:most]
	}
	p.cost(len(out) / 4)
	return p.newList(out)
}
