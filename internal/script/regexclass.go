package script

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// set is a set of characters: a class of an expression.
type set struct {
	bits    bitmap // of ASCII, as it is at last
	ranges  []pair
	tables  []table
	subs    []set // others that are in it
	op      setOp // what subs are to it
	not     bool
	fold    bool
	unicode bool
	weight  int // about how long it takes to look for a character that is not of ASCII
}

type setOp uint8

const (
	setUnion  setOp = iota
	setCommon       // in each of subs
	setLess         // in the first of subs, and in no other
)

// pair is the characters from one to another.
type pair struct{ lo, hi rune }

// table is a table of Unicode, or all that is not in it.
type table struct {
	of  *unicode.RangeTable
	not bool
}

// bitmap is a set of bytes; the last bit stands for all that are not ASCII.
type bitmap [3]uint64

func (b *bitmap) add(c byte)      { b[min(c>>6, 2)] |= 1 << (c & 63) }
func (b *bitmap) has(c byte) bool { return c < utf8.RuneSelf && b[c>>6]&(1<<(c&63)) != 0 }

// may reports a byte with which a character of the set may begin.
func (b *bitmap) may(c byte) bool { return b.has(c) || c >= utf8.RuneSelf && b[2] != 0 }

// addAll adds what is in another.
func (b *bitmap) addAll(other *bitmap) {
	for i := range b {
		b[i] |= other[i]
	}
}

// Sets of the language, as firsts and lasts.
const (
	lineEnds = "\n\n\r\r\u2028\u2029"
	digits   = "09"
	words    = "09AZ__az"
	foldsTo  = "\u017f\u017f\u212a\u212a" // s and k in Unicode's eyes
	spaces   = "\t\r  \u00a0\u00a0\u1680\u1680\u2000\u200a\u2028\u2029\u202f\u202f\u205f\u205f\u3000\u3000\ufeff\ufeff"
)

// pairs adds firsts and lasts to ranges.
func pairs(to []pair, of string) []pair {
	lo := rune(-1)
	for _, r := range of {
		if lo < 0 {
			lo = r
		} else {
			to, lo = append(to, pair{lo, r}), -1
		}
	}
	return to
}

// outside adds what is in none of firsts and lasts.
func outside(to []pair, of string) []pair {
	next := rune(0)
	for _, r := range pairs(nil, of) {
		to, next = append(to, pair{next, r.lo - 1}), r.hi+1
	}
	return append(to, pair{next, utf8.MaxRune})
}

// finish makes a set ready to be asked.
func (s *set) finish() {
	if len(s.ranges) > 4 {
		slices.SortFunc(s.ranges, func(a, b pair) int { return cmp.Compare(a.lo, b.lo) })
		n := 0
		for _, r := range s.ranges[1:] {
			if last := &s.ranges[n]; r.lo <= last.hi+1 {
				last.hi = max(last.hi, r.hi)
			} else {
				n++
				s.ranges[n] = r
			}
		}
		s.ranges = s.ranges[:n+1]
	}
	s.weight = 1 + 2*len(s.tables)
	for i := range s.subs {
		s.subs[i].finish()
		s.weight += s.subs[i].weight
	}
	if s.fold {
		s.weight *= 4
	}
	s.bits = bitmap{}
	s.ascii()
	s.bits.add(utf8.RuneSelf)
}

// ascii finds the characters of ASCII that are in the set.
func (s *set) ascii() {
	if len(s.tables) > 0 || len(s.subs) > 0 {
		for c := range rune(utf8.RuneSelf) {
			if s.wide(c) {
				s.bits.add(byte(c))
			}
		}
		return
	}
	for _, r := range s.ranges {
		for c := r.lo; c <= r.hi && c < utf8.RuneSelf; c++ {
			s.bits.add(byte(c))
		}
	}
	if s.fold {
		const letters = (1<<26 - 1) << 1
		both := (s.bits[1] | s.bits[1]>>32) & letters
		s.bits[1] |= both | both<<32
		for _, r := range foldsTo {
			if s.unicode && s.holds(r) {
				up := byte(canonical(r, true))
				s.bits.add(up)
				s.bits.add(up | 0x20)
			}
		}
	}
	if s.not {
		s.bits[0], s.bits[1] = ^s.bits[0], ^s.bits[1]
	}
}

// has reports a character of the set.
func (s *set) has(r rune) bool {
	if uint32(r) < utf8.RuneSelf {
		return s.bits[r>>6]&(1<<(r&63)) != 0
	}
	return s.wide(r)
}

// wide is has for any character.
func (s *set) wide(r rune) bool {
	in := s.holds(r)
	if !in && s.fold {
		c := canonical(r, s.unicode)
		for f := unicode.SimpleFold(r); f != r && !in; f = unicode.SimpleFold(f) {
			in = canonical(f, s.unicode) == c && s.holds(f)
		}
	}
	return in != s.not
}

func (s *set) holds(r rune) bool {
	switch {
	case s.op == setUnion && len(s.ranges) <= 4:
		for _, p := range s.ranges {
			if p.lo <= r && r <= p.hi {
				return true
			}
		}
	case s.op == setUnion:
		if _, is := slices.BinarySearchFunc(s.ranges, r, func(p pair, r rune) int {
			switch {
			case p.hi < r:
				return -1
			case p.lo > r:
				return 1
			}
			return 0
		}); is {
			return true
		}
	}
	for _, t := range s.tables {
		if unicode.Is(t.of, r) != t.not {
			return true
		}
	}
	for i := range s.subs {
		in := s.subs[i].has(r)
		switch {
		case s.op == setUnion && in:
			return true
		case s.op == setCommon && !in, s.op == setLess && in != (i == 0):
			return false
		}
	}
	return s.op != setUnion
}

// folds reports a character that has others of another case.
func folds(r rune, asUnicode bool) bool {
	if r < utf8.RuneSelf && !asUnicode {
		return 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return unicode.SimpleFold(r) != r
}

// canonical is what is the same for all cases of a character (ECMA-262, 22.2.2.7.3).
func canonical(r rune, asUnicode bool) rune {
	if r < utf8.RuneSelf {
		if 'a' <= r && r <= 'z' {
			r -= 'a' - 'A'
		}
		return r
	}
	if !asUnicode {
		if up := unicode.ToUpper(r); up >= utf8.RuneSelf {
			return up
		}
		return r
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}

// isWord reports a character of a word.
func isWord(r rune, fold bool) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || r == '_'
	}
	return fold && strings.ContainsRune(foldsTo, r)
}

// classEscape adds what \d and the like stand for; false: it is none of them, and nothing was read.
func (c *regexParser) classEscape(s *set) bool {
	b := c.peek()
	add := pairs
	if b < 'a' {
		add = outside
	}
	switch b | 0x20 {
	case 'd':
		s.ranges = add(s.ranges, digits)
	case 's':
		s.ranges = add(s.ranges, spaces)
	case 'w':
		of := words
		if c.re.unicode && c.fold {
			of += foldsTo
		}
		s.ranges = add(s.ranges, of)
	case 'p':
		if !c.re.unicode {
			return false
		}
		c.at++
		c.property(s, b == 'P')
		return true
	default:
		return false
	}
	c.at++
	return true
}

// property reads the name of a property of Unicode.
func (c *regexParser) property(s *set, not bool) {
	end := strings.IndexByte(c.src[c.at:], '}')
	if end < 0 || !c.accept("{") {
		c.fail("property")
		return
	}
	name := c.src[c.at : c.at+end-1]
	c.at += end
	key, val, of := strings.Cut(name, "=")
	var tables []*unicode.RangeTable
	switch {
	case of && (key == "Script" || key == "sc"):
		tables = append(tables, unicode.Scripts[scriptName(val)])
	case of && (key == "General_Category" || key == "gc"):
		tables = append(tables, category(val))
	case !of:
		tables = property(name)
	}
	switch {
	case name == "Any":
		if !not {
			s.ranges = append(s.ranges, pair{0, utf8.MaxRune})
		}
	case name == "ASCII" && not:
		s.ranges = append(s.ranges, pair{utf8.RuneSelf, utf8.MaxRune})
	case name == "ASCII":
		s.ranges = append(s.ranges, pair{0, utf8.RuneSelf - 1})
	case len(tables) == 0 || tables[0] == nil:
		c.fail("property that is not known")
	case len(tables) == 1 && !(not && c.fold && c.re.unicodeSets):
		s.tables = append(s.tables, table{tables[0], not})
	default:
		sub := set{not: not, fold: c.fold && c.re.unicodeSets, unicode: true}
		for _, t := range tables {
			sub.tables = append(sub.tables, table{of: t})
		}
		s.subs = append(s.subs, sub)
	}
}

// property returns the tables of a property, nil when it is not known.
func property(name string) []*unicode.RangeTable {
	switch name {
	case "Alphabetic", "Alpha":
		return []*unicode.RangeTable{unicode.L, unicode.Nl, unicode.Other_Alphabetic}
	case "Uppercase", "Upper":
		return []*unicode.RangeTable{unicode.Lu, unicode.Other_Uppercase}
	case "Lowercase", "Lower":
		return []*unicode.RangeTable{unicode.Ll, unicode.Other_Lowercase}
	case "ID_Start", "IDS":
		return []*unicode.RangeTable{unicode.L, unicode.Nl, unicode.Other_ID_Start}
	case "ID_Continue", "IDC":
		return []*unicode.RangeTable{unicode.L, unicode.Nl, unicode.Other_ID_Start, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue}
	case "White_Space", "space", "Ideographic", "Dash", "Diacritic", "Hex_Digit", "ASCII_Hex_Digit", "Quotation_Mark", "Variation_Selector", "Regional_Indicator", "Unified_Ideograph":
		if name == "space" {
			name = "White_Space"
		}
		return []*unicode.RangeTable{unicode.Properties[name]}
	}
	if t := category(name); t != nil {
		return []*unicode.RangeTable{t}
	}
	return nil
}

func category(name string) *unicode.RangeTable {
	if short, known := unicode.CategoryAliases[name]; known {
		name = short
	}
	return unicode.Categories[name]
}

// scriptName is the name of a script of people, which has a short one.
func scriptName(name string) string {
	switch name {
	case "Latn":
		return "Latin"
	case "Grek":
		return "Greek"
	case "Cyrl":
		return "Cyrillic"
	case "Hani":
		return "Han"
	case "Hira":
		return "Hiragana"
	case "Kana":
		return "Katakana"
	case "Arab":
		return "Arabic"
	case "Hebr":
		return "Hebrew"
	case "Hang":
		return "Hangul"
	}
	return name
}

// class reads a class behind its bracket.
func (c *regexParser) class() int32 {
	var s set
	if c.re.unicodeSets {
		c.nestedClass(&s)
	} else {
		c.plainClass(&s)
	}
	return c.set(s)
}

func (c *regexParser) plainClass(s *set) {
	s.not = c.accept("^")
	for !c.accept("]") {
		lo, one := c.classAtom(s)
		if c.err != nil {
			return
		}
		if c.peek() != '-' || strings.HasPrefix(c.src[c.at:], "-]") {
			if one {
				s.ranges = append(s.ranges, pair{lo, lo})
			}
			continue
		}
		c.at++
		hi, two := c.classAtom(s)
		c.span(s, lo, hi, one, two)
	}
}

// span adds the characters from one to another; of something that is no character the dash is one.
func (c *regexParser) span(s *set, lo, hi rune, one, two bool) {
	switch {
	case c.err != nil:
	case one && two && lo <= hi:
		s.ranges = append(s.ranges, pair{lo, hi})
	case one && two || c.re.unicode:
		c.fail("range")
	case one:
		s.ranges = append(s.ranges, pair{lo, lo}, pair{'-', '-'})
	case two:
		s.ranges = append(s.ranges, pair{hi, hi}, pair{'-', '-'})
	default:
		s.ranges = append(s.ranges, pair{'-', '-'})
	}
}

// classAtom reads a character; false: it was more than one, which the set has now.
func (c *regexParser) classAtom(s *set) (r rune, one bool) {
	if c.at == len(c.src) {
		c.fail("class without end")
		return 0, false
	}
	r = c.rune()
	if r == '\\' {
		switch {
		case c.at == len(c.src):
			c.fail("class without end")
			return 0, false
		case c.accept("b"):
			return '\b', true
		case c.classEscape(s):
			return 0, false
		}
		r = c.charEscape(true)
	}
	c.re.halves = c.re.halves || half(r)
	return r, true
}

// nestedClass reads a class of the flag v, which may have others in it.
func (c *regexParser) nestedClass(s *set) {
	if c.depth++; c.depth > maxNest {
		c.fail("too deep")
		return
	}
	s.not = c.accept("^")
	for n := 0; !c.accept("]"); n++ {
		switch op := c.setOp(); {
		case c.err != nil:
			return
		case op != setUnion && (n == 0 || n > 1 && s.op != op), op == setUnion && s.op != setUnion:
			c.fail("operators of sets")
			return
		case op != setUnion && s.op == setUnion:
			first := *s
			first.not = false
			*s = set{op: op, not: s.not, subs: []set{first}}
		}
		c.operand(s)
		if c.err != nil {
			return
		}
	}
	c.depth--
}

// setOp reads an operator between sets.
func (c *regexParser) setOp() setOp {
	switch {
	case c.accept("&&"):
		return setCommon
	case c.accept("--"):
		return setLess
	}
	return setUnion
}

// operand adds a set, or a character, to a set of the flag v.
func (c *regexParser) operand(s *set) {
	in, sub := s, set{}
	if s.op != setUnion {
		in = &sub
	}
	switch b := c.peek(); {
	case c.accept("["):
		nested := set{}
		c.nestedClass(&nested)
		nested.fold, nested.unicode = c.fold, true
		in.subs = append(in.subs, nested)
	case b != 0 && strings.IndexByte("()]{}/-|", b) >= 0, c.accept(`\q`), c.doubled(b):
		c.fail("class")
		return
	default:
		lo, one := c.classAtom(in)
		if one && c.peek() == '-' && !strings.HasPrefix(c.src[c.at:], "--") {
			c.at++
			hi, two := c.classAtom(in)
			c.span(in, lo, hi, one, two)
		} else if one {
			in.ranges = append(in.ranges, pair{lo, lo})
		}
	}
	if in == &sub {
		sub.fold, sub.unicode = c.fold, true
		s.subs = append(s.subs, sub)
	}
}

// doubled reports two of a sign, of which the standard keeps some for later.
func (c *regexParser) doubled(b byte) bool {
	return c.at+1 < len(c.src) && c.src[c.at+1] == b && strings.IndexByte("&!#$%*+,.:;<=>?@^`~", b) >= 0
}
