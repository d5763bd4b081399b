package markup

import (
	"bytes"
	"strconv"
	"strings"
)

// counts reads the head of a loop whose turns are known, and passes it: for (i = 1; i <= 3; i++), for (x of list), for (key in map).
func (s *jsScan) counts(l *jsLexer) {
	e := s.expr(l, min(s.consts.left, maxHead))
	defer func() { s.consts.left -= min(e.l.pos-l.pos, maxHead) }()
	e.next()
	if w := string(e.text); w == "var" || w == "let" || w == "const" {
		e.next()
	}
	name, names := e.text, e
	if e.k != jsWord {
		e.takenApart(jsVal{}, func([]byte, jsVal) {})
	} else {
		e.next()
	}
	var val jsVal
	switch {
	case e.k == jsAssign && names.k == jsWord:
		first := e
		first.next()
		if val = e.turns(name); !val.known() && first.k == jsNumber {
			s.counter, s.counterEnd = name, int32(l.pos+maxHead) // it is set to its first value there
		}
	case string(e.text) == "of" || string(e.text) == "in":
		of := string(e.text) == "of"
		e.next()
		if val = e.sum(0); val.kind == oneOf || val.kind == rowOf {
			return
		}
		if of && val.kind == mapOf { // of new Map, since no other can be looped over so
			val = ofObject("entries", val)
		}
		if val.kind == rowsOf {
			val = val.each()
			if keys := s.consts.turn(len(val.rows)); of {
				val.keys = keys
			} else {
				val = jsVal{vals: val.keys, keys: keys}
			}
			break
		}
		if val.kind == mapOf {
			val.vals = val.keys
		} else if !of {
			val.vals = counted(len(val.vals))
		}
		val.kind, val.keys = oneOf, s.consts.turn(len(val.vals))
	}
	if val.known() && e.k == jsClose {
		names.takenApart(val, func(name []byte, val jsVal) {
			s.declares(name)
			s.consts.unset(name)
			s.consts.put(ofVariable, name, val)
		})
		s.at = jsSpan{int32(e.l.pos - 1), int32(e.l.pos)}
		s.push(jsClose)
		e.goOn(l, e.l.place())
	}
}

// turns reads "= 1; i <= 3; i++".
func (e *jsExpr) turns(name []byte) jsVal {
	e.next()
	from := e.sum(0)
	if !e.is(";") || len(from.vals) != 1 {
		return jsVal{}
	}
	if e.next(); !bytes.Equal(e.text, name) {
		return jsVal{}
	}
	e.next()
	last := 0
	switch string(e.text) {
	case "<":
		last = -1
	case "<=":
	default:
		return jsVal{}
	}
	e.next()
	word := e.text
	to := e.sum(0)
	if to.kind == oneOf && !e.is(";") && e.k == jsDot {
		return jsVal{}
	}
	if list := e.s.consts.get(ofList, word); !to.known() && list != nil && list.keys == nil {
		to = oneString(strconv.Itoa(max(len(list.values), len(list.rows))))
	}
	if !e.is(";") || len(to.vals) != 1 {
		return jsVal{}
	}
	a, err := number(from.vals[0])
	b, wrong := number(to.vals[0])
	b += last
	if err != nil || wrong != nil || b < a || b-a >= maxCounted {
		return jsVal{}
	}
	for e.next(); string(e.text) == "++" || bytes.Equal(e.text, name); {
		e.next()
	}
	out := jsVal{num: true}
	for i := a; i <= b; i++ {
		out.vals = append(out.vals, strconv.Itoa(i))
	}
	out.keys = e.s.consts.turn(len(out.vals))
	return out
}

// ofTurn stands in keys that are of a loop, before its number.
const ofTurn = "\x00turn"

// ofLoop reports keys of a loop, which say nothing about what a map is asked by.
func ofLoop(keys []string) bool { return len(keys) > 0 && strings.Contains(keys[0], ofTurn) }

// turn returns keys for what the turns of a loop have: they are no other loop's, so that values of one go together, and each of them with each
// of a loop in it.
func (c *jsConsts) turn(n int) []string {
	c.loops++
	out := counted(n)
	for i := range out {
		out[i] += ofTurn + strconv.Itoa(c.loops)
	}
	return out
}

// isLoop reports methods of lists that call a function for each element.
func isLoop(name []byte) bool {
	switch string(name) {
	case "forEach", "map", "each":
		return true
	}
	return false
}

// loops notes what the parameter of a function means that is called for each element of a list: names.forEach(n => …), ["a", "b"].map(function (n) {…}),
// $.each(names, function (i, n) {…}). of is what stands before the dot.
func (s *jsScan) loops(l *jsLexer, of jsToken) {
	e := s.expr(l, min(s.consts.left, 8*maxConst))
	at := l.pos
	nth := 0
	var list jsVal
	switch {
	case string(s.callee()) == "each":
		e.next()
		list = e.sum(0)
		if nth = 1; e.k != jsComma {
			return
		}
		e.next()
	case of.kind == jsWord:
		list = e.use(ofList, of.text)
		e.next()
	case of.kind == jsClose:
		if list = e.listBefore(l, maxHead, "Object."); !list.known() {
			list = e.madeBefore(l)
		}
		e.next()
	case of.kind == jsValue && string(of.text) == "]":
		list = e.listBefore(l, 2*maxConst, "[")
		e.next()
	}
	if s.consts.left -= max(0, e.l.pos-at) + len(list.vals) + len(list.rows); list.kind != listOf && list.kind != rowsOf || !list.known() {
		return
	}
	each := list.each()
	if list.kind == listOf {
		each = jsVal{vals: list.vals, of: list.of}
	}
	each.keys = s.consts.turn(max(len(list.vals), len(list.rows)))
	if string(e.text) == "async" {
		e.next()
	}
	if string(e.text) == "function" {
		if e.next(); e.k == jsWord {
			e.next()
		}
	}
	named := e.k != jsOpen
	if !named {
		e.next()
	}
	for ; nth > 0 && e.k == jsWord; nth-- {
		e.next()
		e.next()
	}
	if fn := s.consts.function(e.text, false); fn != nil && (l.at(len(e.text)) == ')' || l.at(len(e.text)) == ',') {
		s.call(fn, []jsVal{each}, true) // by its name: rows.map(card)
		return
	}
	s.given = s.given[:0]
	e.takenApart(each, func(name []byte, val jsVal) { s.given = append(s.given, givenName{name, val}) })
	if named && string(e.text) != "=>" {
		s.given = s.given[:0] // of a function that is not known, not the name of its parameter
		return
	}
	if e.k == jsComma { // the number of the turn
		if e.next(); e.k == jsWord {
			s.given = append(s.given, givenName{e.text, jsVal{vals: counted(len(each.keys)), keys: each.keys, num: true}})
		}
	}
}

// listBefore reads the list that stands before the dot of a call: it begins with what is last of its kind in the bytes before.
func (e *jsExpr) listBefore(l *jsLexer, most int, begin string) jsVal {
	before := l.src[max(0, l.pos-most):l.pos]
	i := bytes.LastIndex(before, []byte(begin))
	if i < 0 {
		return jsVal{}
	}
	back := *e
	back.l.pos -= len(before) - i
	back.next()
	list := back.primary(0)
	if back.k != jsDot || back.l.pos > l.pos {
		return jsVal{}
	}
	return list
}

// madeBefore reads the list that methods give before the dot of a call: "a,b".split(",").
func (e *jsExpr) madeBefore(l *jsLexer) jsVal {
	before := l.src[max(0, l.pos-maxHead):l.pos]
	dot := bytes.LastIndexByte(before, '.') // of the method that loops
	of := bytes.TrimRight(before[:max(dot, 0)], " \r\n\t")
	back := *e
	back.l.pos -= len(operandBefore(of)) + len(before) - len(of)
	back.next()
	list := back.term(0)
	if back.k != jsDot || back.l.pos > l.pos {
		return jsVal{}
	}
	return list
}

// operandBefore returns the operand that s ends with: names, members, strings, and what brackets hold.
func operandBefore(s []byte) []byte {
	nested := 0
	for i := len(s) - 1; i >= 0; i-- {
		switch c := s[i]; {
		case c == ')' || c == ']':
			nested++
		case c == '(' || c == '[':
			if nested--; nested < 0 {
				return s[i+1:]
			}
		case c == '"' || c == '\'' || c == '`':
			if i = bytes.LastIndexByte(s[:i], c); i < 0 {
				return nil
			}
		case nested == 0 && !jsIdent(c) && c != '.' && (c != '\n' && c != ' ' && c != '\t' && c != '\r' || !chained(s[i+1:])):
			return s[i+1:]
		}
	}
	return nil
}

// chained reports what goes on with a dot on the next line.
func chained(s []byte) bool {
	s = bytes.TrimLeft(s, " \r\n\t")
	return len(s) > 0 && s[0] == '.'
}
