package script

import (
	"cmp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// collation is how words are put in order.
type collation struct {
	czech, numeric, noCase, noMarks bool
}

// punctuation stands before digits, in this order.
const punctuation = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"

// letter is a letter of a word for who puts it in order: what it is first, then its marks, and whether it is a capital.
type letter struct{ base, mark, upper int }

// letters divides a word.
func (c collation) letters(s string) []letter {
	var out []letter
	for _, r := range norm.NFC.String(s) {
		low := unicode.ToLower(r)
		l := letter{base: 1000 + 16*int(low)}
		if low != r {
			l.upper = 1
		}
		if i := strings.IndexRune(punctuation, r); i >= 0 {
			l.base = 100 + i
		} else if unicode.IsSpace(r) {
			l.base = 99
		}
		if r >= 0x80 {
			d := []rune(norm.NFD.String(string(low)))
			l.base = 1000 + 16*int(d[0])
			if len(d) > 1 {
				l.mark = int(d[1])
			}
			if c.czech && strings.ContainsRune("čřšž", low) {
				l.base, l.mark = l.base+8, 0
			}
		}
		if n := len(out); c.czech && low == 'h' && n > 0 && out[n-1].base == 1000+16*int('c') {
			out[n-1].base = 1000 + 16*int('h') + 8
			continue
		}
		out = append(out, l)
	}
	return out
}

func (l letter) digit() bool { return l.base >= 1000+16*int('0') && l.base <= 1000+16*int('9') }

// compare puts two words in order.
func (c collation) compare(s, t string) int {
	a, b := c.letters(s), c.letters(t)
	marks, upper := 0, 0
	for i, j := 0, 0; ; i, j = i+1, j+1 {
		if i >= len(a) || j >= len(b) {
			if n := cmp.Compare(len(a)-i, len(b)-j); n != 0 {
				return n
			}
			break
		}
		if c.numeric && a[i].digit() && b[j].digit() {
			m, n := c.run(a[i:]), c.run(b[j:])
			if order := digitOrder(a[i:i+m], b[j:j+n]); order != 0 {
				return order
			}
			i, j = i+m-1, j+n-1
			continue
		}
		if n := cmp.Compare(a[i].base, b[j].base); n != 0 {
			return n
		}
		marks = cmp.Or(marks, cmp.Compare(a[i].mark, b[j].mark))
		upper = cmp.Or(upper, cmp.Compare(a[i].upper, b[j].upper))
	}
	if c.noMarks {
		marks = 0
	}
	if c.noCase {
		upper = 0
	}
	return cmp.Or(marks, upper)
}

// run is how many digits stand at the beginning.
func (c collation) run(l []letter) int {
	n := 0
	for n < len(l) && l[n].digit() {
		n++
	}
	return n
}

// digitOrder puts numbers in order.
func digitOrder(a, b []letter) int {
	zero := letter{base: 1000 + 16*int('0')}
	for len(a) > 0 && a[0] == zero {
		a = a[1:]
	}
	for len(b) > 0 && b[0] == zero {
		b = b[1:]
	}
	if n := cmp.Compare(len(a), len(b)); n != 0 {
		return n
	}
	for i := range a {
		if n := cmp.Compare(a[i].base, b[i].base); n != 0 {
			return n
		}
	}
	return 0
}

// collationOf is what a language and options say.
func (p *Page) collationOf(lang, by value) collation {
	c := collation{}
	said := func(v value) string {
		if t, is := one(v).(*text); is {
			t.consumed, t.looked = true, true
			return t.s
		}
		return ""
	}
	s := said(lang)
	c.czech = strings.HasPrefix(s, "cs") || strings.HasPrefix(s, "sk")
	if o, is := one(by).(*object); is {
		c.numeric, _ = truth(o.get("numeric"))
		switch said(o.get("sensitivity")) {
		case "base":
			c.noCase, c.noMarks = true, true
		case "accent":
			c.noCase = true
		case "case":
			c.noMarks = true
		}
	}
	return c
}

// compared compares two texts by a collation.
func (p *Page) compared(c collation, a, b value) value {
	x, y := p.textOf(one(a)), p.textOf(one(b))
	x.consumed, y.consumed = true, true
	if !x.known() || !y.known() || x.page || y.page {
		return unknown{}
	}
	p.cost((len(x.s) + len(y.s)) / 16)
	return float64(c.compare(x.s, y.s))
}

// localeCompare is the method of texts.
func localeCompare(p *Page, t *text, args []value) value {
	return p.compared(p.collationOf(argument(args, 1), argument(args, 2)), t, argument(args, 0))
}

// intlStatics are the functions of Intl, as far as they are known.
func intlStatics() map[string]method {
	formatter := func(name string, format func(p *Page, v value, args []value) value) method {
		return func(p *Page, _ value, args []value) value {
			o := p.phantom("Intl."+name, nil)
			o.add("format", p.native("format", func(p *Page, _ value, given []value) value {
				return p.lift(argument(given, 0), func(v value) value { return format(p, v, args) })
			}))
			return o
		}
	}
	return map[string]method{
		"NumberFormat": formatter("NumberFormat", func(p *Page, v value, args []value) value {
			n, known := p.number(v)
			if !known {
				return unknown{}
			}
			return p.localNumber(n, argument(args, 0), argument(args, 1))
		}),
		"DateTimeFormat": formatter("DateTimeFormat", func(p *Page, v value, args []value) value {
			d, is := dateOf(v)
			if !is {
				return unknown{}
			}
			return p.localDate(d.ms, "toLocaleDateString", args)
		}),
		"Collator": func(p *Page, _ value, args []value) value {
			c := p.collationOf(argument(args, 0), argument(args, 1))
			return p.phantom("Intl.Collator", map[string]method{"compare": func(p *Page, _ value, args []value) value {
				return p.compared(c, argument(args, 0), argument(args, 1))
			}})
		},
	}
}
