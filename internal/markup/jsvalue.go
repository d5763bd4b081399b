package markup

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// valueKind is what a value of constants is.
type valueKind uint8

const (
	oneOf valueKind = iota
	listOf
	mapOf
	rowsOf // a list of maps
	rowOf  // one of them, whichever
)

// jsKey stands for the key that a map is asked by, in what a value is for keys that the map does not have.
const jsKey = "\x00key"

// jsVal is what an expression is: one of some strings, a list of strings, or a map of them. The zero value is not known.
type jsVal struct {
	kind valueKind
	vals []string
	keys []string            // of a map; or what a value was chosen by, so that values of the same keys go together: "js/" + {1: "a"}[e] + {1: "b"}[e]
	wild string              // the value for other keys, with jsKey in it
	num  bool                // numbers: + adds them
	some bool                // it may be missing: an attribute that some elements have
	none bool                // undefined: nothing is made of it
	rows []jsVal             // maps
	cols map[string]*jsConst // their fields that are held back as guesses
	of   *jsConst            // the field that it is
}

func oneString(s string) jsVal { return jsVal{vals: []string{s}} }

func (v jsVal) known() bool { return v.vals != nil || v.wild != "" || v.rows != nil }

func (v jsVal) unknown() bool { return !v.known() }

// number is the value as a number, when it is one.
func (v jsVal) number() jsVal {
	for _, s := range v.vals {
		if _, err := number(s); err != nil {
			return jsVal{}
		}
	}
	v.num = v.kind == oneOf
	return v
}

// isMarkup reports a piece of HTML.
func (v jsVal) isMarkup() bool {
	return v.kind == oneOf && len(v.vals) > 0 && strings.IndexByte(v.vals[0], '<') >= 0
}

// truth is what the value is as a condition.
func (v jsVal) truth() truth {
	if v.kind != oneOf {
		return isTrue
	}
	full := 0
	for _, s := range v.vals {
		if s != "" && s != "0" {
			full++
		}
	}
	switch {
	case v.wild != "" || len(v.vals) == 0 || 0 < full && full < len(v.vals):
		return unknownTruth
	case full == 0:
		return isFalse
	}
	return isTrue
}

// anyOf is a choice of two values.
func anyOf(a, b jsVal) jsVal {
	if a.vals == nil || b.vals == nil || a.kind != oneOf || b.kind != oneOf || len(a.vals)+len(b.vals) > maxChoices {
		return jsVal{}
	}
	return jsVal{vals: append(slices.Clone(a.vals), b.vals...)}
}

// made counts a string that was put together; false: there were too many of them, or it is too long.
func (e *jsExpr) made(n int) bool {
	e.s.consts.made -= n
	return n <= maxJoined && e.s.consts.made >= 0
}

// joined puts each of two sets of strings together with each of the other, or with that of the same key. What that makes is counted, so that
// it stays in proportion to the script.
func (e *jsExpr) joined(a, b jsVal) jsVal {
	if !a.known() || !b.known() || a.kind != oneOf || b.kind != oneOf || a.none || b.none {
		return jsVal{}
	}
	aKeyed, bKeyed := a.keys != nil || a.wild != "", b.keys != nil || b.wild != ""
	switch {
	case aKeyed && bKeyed:
		if both := e.paired(a, b); both.known() || a.wild != "" || b.wild != "" {
			return both
		}
		if ofLoop(a.keys) && ofLoop(b.keys) {
			return e.ofTurns(a, b)
		}
		a.keys, b.keys = nil, nil
	case len(a.vals) != 1 && !aKeyed, len(b.vals) != 1 && !bKeyed:
		if a.wild != "" || b.wild != "" {
			return jsVal{}
		}
		a.keys, b.keys = nil, nil
	}
	if len(a.vals)*len(b.vals) > max(maxChoices, len(a.vals), len(b.vals)) {
		return jsVal{}
	}
	put := func(x, y string) string { return x + y }
	if a.num && b.num {
		put = added
	}
	out := jsVal{keys: a.keys, num: a.num && b.num}
	if b.keys != nil {
		out.keys = b.keys
	}
	switch {
	case a.wild != "":
		out.wild = a.wild + b.vals[0]
	case b.wild != "":
		out.wild = a.vals[0] + b.wild
	}
	if len(out.wild) > maxConst {
		return jsVal{}
	}
	if n := len(a.vals) * len(b.vals); n > 0 {
		out.vals = make([]string, 0, n)
	}
	for _, x := range a.vals {
		for _, y := range b.vals {
			if !e.made(len(x) + len(y)) {
				return jsVal{}
			}
			out.vals = append(out.vals, put(x, y))
		}
	}
	return out
}

// added is the sum of two small numbers.
func added(x, y string) string {
	a, _ := strconv.Atoi(x)
	b, _ := strconv.Atoi(y)
	return strconv.Itoa(a + b)
}

// ofTurns puts what loops in each other have together: each turn of one with each of another, whose keys are both then, and with its own.
func (e *jsExpr) ofTurns(a, b jsVal) jsVal {
	if len(a.vals) != len(a.keys) || len(b.vals) != len(b.keys) {
		return jsVal{}
	}
	out := jsVal{num: a.num && b.num}
	put := func(x, y string) string { return x + y }
	if out.num {
		put = added
	}
	for i, x := range a.vals {
		for j, y := range b.vals {
			key, meet := bothTurns(a.keys[i], b.keys[j])
			if !meet {
				continue
			}
			if len(out.vals) >= maxListed || !e.made(len(x)+len(y)) {
				return jsVal{}
			}
			out.keys, out.vals = append(out.keys, key), append(out.vals, put(x, y))
		}
	}
	return out
}

// alsoTurn stands between the turns of several loops in a key.
const alsoTurn = "\x00and"

// bothTurns is the key of what two keys have in common; false: they are of different turns of a loop.
func bothTurns(a, b string) (key string, meet bool) {
	key = a
	for _, turn := range strings.Split(b, alsoTurn) {
		loop := turn[strings.Index(turn, ofTurn):]
		known := false
		for _, of := range strings.Split(a, alsoTurn) {
			if strings.HasSuffix(of, loop) {
				if known = true; of != turn {
					return "", false
				}
			}
		}
		if !known {
			key += alsoTurn + turn
		}
	}
	return key, true
}

// paired puts values of the same keys together.
func (e *jsExpr) paired(a, b jsVal) jsVal {
	out := jsVal{}
	if a.wild != "" && b.wild != "" {
		out.wild = a.wild + b.wild
	}
	if len(out.wild) > maxConst {
		return jsVal{}
	}
	out.num = a.num && b.num
	add := func(key, x, y string) bool {
		n := len(x) + len(y)
		if out.num {
			x, y = "", added(x, y)
		}
		out.keys, out.vals = append(out.keys, key), append(out.vals, x+y)
		return e.made(n)
	}
	of := make(map[string]int, len(b.keys))
	for i, key := range b.keys {
		of[key] = i
	}
	for i, key := range a.keys {
		y := strings.ReplaceAll(b.wild, jsKey, key)
		if j, both := of[key]; both {
			delete(of, key)
			y = b.vals[j]
		} else if b.wild == "" || ofLoop(a.keys) {
			continue
		}
		if !add(key, a.vals[i], y) {
			return jsVal{}
		}
	}
	if a.wild != "" {
		for j, key := range b.keys {
			if _, more := of[key]; more && !ofLoop(b.keys) && !add(key, strings.ReplaceAll(a.wild, jsKey, key), b.vals[j]) {
				return jsVal{}
			}
		}
	}
	return out
}

// array reads a list of strings, whose bracket is in hand.
func (e *jsExpr) array(depth int) jsVal {
	if depth >= foldDepth {
		return jsVal{}
	}
	out := jsVal{kind: listOf}
	size := 0
	for e.next(); len(out.vals) < maxListed; e.next() {
		if e.k == jsValue && string(e.text) == "]" {
			e.next()
			return out
		}
		var val jsVal
		if e.k == jsBrace && e.s.consts.rows {
			e.terms = 0
			val = e.object(depth+1, false)
		} else {
			val = e.sum(depth + 1)
		}
		if e.k != jsComma && string(e.text) != "]" {
			if val = (jsVal{}); depth > 0 && e.s.consts.rows {
				e.pass(maxFallback)
			}
			if e.k != jsComma && string(e.text) != "]" {
				return jsVal{}
			}
		}
		row, isRow := val.row()
		switch {
		case isRow && out.vals == nil && e.s.consts.rows:
			e.terms = 0
			out.kind, out.rows = rowsOf, append(out.rows, row)
		case (len(val.vals) != 1 || val.kind != oneOf) && depth > 0 && e.s.consts.rows && out.rows == nil: // the others of a row may be known
			out.vals = append(out.vals, notKnown)
		case len(val.vals) != 1 || val.kind != oneOf || out.rows != nil:
			return jsVal{}
		default:
			if size += len(val.vals[0]); size > 8*maxConst {
				return jsVal{}
			}
			out.vals = append(out.vals, val.vals[0])
		}
		if e.k == jsValue {
			e.next()
			return out
		}
	}
	return jsVal{}
}

// joinedArray reads a list that is written where it is joined, whose bracket is in hand, when an element has several values: ["a", n + ".png"].join("/").
func (e *jsExpr) joinedArray(depth int) jsVal {
	const join = "].join("
	ahead := behindList(e.l.src[e.l.pos:min(len(e.l.src), e.l.pos+maxHead)])
	if ahead = bytes.TrimPrefix(ahead, []byte(join)); depth >= foldDepth || len(ahead) < 3 || ahead[0] != '"' && ahead[0] != '\'' {
		return jsVal{}
	}
	n := bytes.IndexByte(ahead[1:], ahead[0])
	if n < 0 {
		return jsVal{}
	}
	before, sep := *e, oneString(string(ahead[1:1+n]))
	e.next()
	val := e.sum(depth + 1)
	several := len(val.vals) > 1
	for val.known() && e.k == jsComma {
		e.next()
		more := e.sum(depth + 1)
		several = several || len(more.vals) > 1
		val = e.joined(e.joined(val, sep), more)
	}
	if !several || !val.known() || string(e.text) != "]" || !e.l.has(join[1:]) {
		*e = before
		return jsVal{}
	}
	e.next() // .
	e.next() // join
	e.next()
	e.args(depth)
	return val
}

// behindList goes to the bracket that ends the list whose elements s begins with; nil: there is none before the statement ends.
func behindList(s []byte) []byte {
	nested := 0
	for i, c := range s {
		switch c {
		case '[':
			nested++
		case ']':
			if nested--; nested < 0 {
				return s[i:]
			}
		case ';':
			return nil
		}
	}
	return nil
}

// object reads an object whose brace is in hand: what its keys mean that are constants, those of objects in it as well. strict: it must have
// nothing else.
func (e *jsExpr) object(depth int, strict bool) jsVal {
	out := jsVal{kind: mapOf, keys: []string{}}
	var within jsVal // what objects in it say, which counts when it does not say it itself
	if depth >= foldDepth {
		return jsVal{}
	}
	e.next()
	for len(out.keys)+len(within.keys) < maxConsts {
		e.terms = 0
		switch {
		case e.k == jsValue && string(e.text) == "}":
			e.next()
			out.keys, out.vals = append(out.keys, within.keys...), append(out.vals, within.vals...)
			return out
		case e.k == jsEnd:
			return jsVal{}
		case e.k == jsWord || e.k == jsStr || e.k == jsNumber:
			name := e.text
			if e.k == jsStr {
				name = name[1 : len(name)-1]
			}
			switch e.next(); e.k {
			case jsColon:
				e.next()
			case jsComma, jsValue: // {name}
				if val := e.use(ofVariable, name); len(val.vals) == 1 {
					out.keys, out.vals = append(out.keys, string(name)), append(out.vals, val.vals[0])
				}
				if e.k == jsComma {
					e.next()
				}
				continue
			default:
				if strict {
					return jsVal{}
				}
			}
			inner := e.k == jsBrace
			val := e.choice(depth + 1)
			e.truth = noCondition
			ends := e.k == jsComma || e.k == jsValue && string(e.text) == "}"
			switch {
			case inner && ends && val.kind == mapOf && !strict:
				within.keys, within.vals = append(within.keys, val.keys...), append(within.vals, val.vals...)
			case ends && val.kind == oneOf && len(val.vals) == 1:
				out.keys, out.vals = append(out.keys, string(name)), append(out.vals, val.vals[0])
			case strict:
				return jsVal{}
			}
		case strict:
			return jsVal{}
		default:
			e.next()
		}
		if e.pass(maxTerms); e.k == jsComma {
			e.next()
		} else if string(e.text) != "}" {
			return jsVal{}
		}
	}
	return jsVal{}
}

// element reads the brackets behind a list or a map: one element of them, or all when nobody knows which.
func (e *jsExpr) element(of jsVal, depth int) jsVal {
	if depth >= foldDepth {
		return jsVal{}
	}
	e.next()
	word := e.text
	plain := e.k == jsWord
	val := e.sum(depth + 1)
	for open := 1; ; e.next() {
		switch {
		case e.k == jsEnd, e.is(";"):
			return jsVal{}
		case e.k == jsValue && (string(e.text) == "++" || string(e.text) == "--"):
			val = jsVal{} // another one each time
		case e.is("["):
			open++
		case e.k == jsValue && string(e.text) == "]":
			open--
		}
		if open == 0 {
			break
		}
		plain = false
	}
	e.next()
	switch of.kind {
	case oneOf:
		return jsVal{}
	case rowsOf:
		return e.pick(of, val)
	case rowOf:
		if len(val.vals) == 1 {
			return e.field(of, val.vals[0])
		}
		return jsVal{}
	}
	if val.kind != oneOf || val.vals == nil {
		if plain {
			e.index = word
		}
		if e.s.consts.made -= len(of.vals); of.keys == nil {
			return jsVal{vals: of.vals, of: of.of}
		}
		return jsVal{vals: of.vals, keys: of.keys, of: of.of}
	}
	return e.ofKey(of, val)
}

// ofKey is what a list or a map has at a place, or under a key.
func (e *jsExpr) ofKey(of, val jsVal) jsVal {
	if val.kind != oneOf || val.vals == nil {
		return jsVal{}
	}
	out := jsVal{of: of.of}
	for i, key := range val.vals {
		at := -1
		if of.kind == mapOf {
			if e.s.consts.made -= 8 * len(of.keys); e.s.consts.made < 0 {
				return jsVal{}
			}
			at = slices.Index(of.keys, key)
		} else if n, err := number(key); err == nil && n < len(of.vals) {
			at = n
		}
		if at < 0 {
			out.some = true
			continue
		}
		if out.vals = append(out.vals, of.vals[at]); val.keys != nil {
			out.keys = append(out.keys, val.keys[i])
		}
	}
	if out.vals == nil {
		return jsVal{vals: []string{""}, none: true}
	}
	return out
}
