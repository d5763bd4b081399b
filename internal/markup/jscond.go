package markup

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// choice reads a ? b : c, what stands alone, or a condition, which is left in truth.
func (e *jsExpr) choice(depth int) jsVal {
	outside := e.place
	e.truth, e.place = noCondition, false
	val := e.either(depth)
	less, ordered := e.ordered(val, depth)
	if ordered && e.k == jsClose { // of brackets, in front of "?"
		return less
	}
	equal, compared := e.comparison()
	if compared {
		other := e.sum(depth)
		switch {
		case e.place || len(val.vals) != 1 || len(other.vals) != 1:
			e.truth = unknownTruth
		case (val.vals[0] == other.vals[0]) == equal:
			e.truth = isTrue
		default:
			e.truth = isFalse
		}
		val = oneString("")
	}
	e.place = outside || e.place && !compared // what a condition asks for does not matter to what it chooses
	if !e.is("?") || e.l.at(0) == '.' {
		return val
	}
	known := e.truth
	if known == noCondition {
		if known = val.truth(); known == unknownTruth && ofLoop(val.keys) && len(val.keys) == len(val.vals) {
			less, ordered = jsVal{keys: val.keys}, true // each turn chooses for itself
			for _, v := range val.vals {
				less.vals = append(less.vals, strings.TrimPrefix(v, "0"))
			}
		}
	}
	yes, no := e.branches(depth)
	e.truth = noCondition
	switch {
	case ordered:
		return chosen(less, yes, no)
	case known == isTrue:
		return yes
	case known == isFalse:
		return no
	}
	return anyOf(yes, no)
}

// either reads a || b and a ?? b: what is not known counts as not given, so that the other is what the author thought of.
func (e *jsExpr) either(depth int) jsVal {
	e.index = nil
	val := e.sum(depth)
	if !val.known() && e.truth == noCondition {
		e.pass(maxFallback)
	}
	for e.twice('|') || e.twice('?') {
		index := e.index
		e.next()
		e.next()
		word := e.text
		other := e.sum(depth)
		switch {
		case val.keys != nil && val.kind == oneOf && !other.known() && bytes.Equal(index, word):
			val.wild = jsKey // {1: "a"}[e] || e
		case val.keys != nil && val.kind == oneOf && other.wild != "" && other.vals == nil:
			val.wild = other.wild
		case !val.known() || val.truth() == isFalse:
			val = other
		case val.some && ofLoop(val.keys):
			val = others(val, other) // what some turns do not have
		case val.some && other.known():
			val = anyOf(val, other)
		}
		if !other.known() {
			e.pass(maxFallback)
		}
	}
	return val
}

// maxFallback is how many tokens what is not understood may have before "||".
const maxFallback = 24

// pass goes to the end of an operand that is not understood.
func (e *jsExpr) pass(most int) {
	for nested := 0; most > 0; most-- {
		switch {
		case e.k == jsEnd, e.is(";"):
			return
		case e.k == jsOpen, e.k == jsBrace, e.is("["), e.k == jsPiece && e.text[0] == '`':
			nested++
		case e.k == jsPiece, e.k == jsValue && e.text[0] == '}' && len(e.text) > 1: // of a template
			if nested == 0 {
				return
			}
			if e.k == jsValue {
				nested--
			}
		case e.k == jsClose, e.k == jsValue && (string(e.text) == "}" || string(e.text) == "]"):
			if nested--; nested < 0 {
				return
			}
		case nested > 0:
		case e.k == jsComma, e.k == jsColon, e.twice('|'), e.twice('?'), e.is("?") && e.l.at(0) != '.':
			return
		case e.k == jsOther && (string(e.text) == "==" || string(e.text) == "===" || string(e.text) == "!="):
			return
		}
		e.next()
	}
}

// ordered reads what numbers are compared with by < and the like: for which of them the condition holds.
func (e *jsExpr) ordered(val jsVal, depth int) (holds jsVal, is bool) {
	if e.k != jsOther || !val.num {
		return jsVal{}, false
	}
	sign := string(e.text)
	if sign != "<" && sign != "<=" && sign != ">" && sign != ">=" {
		return jsVal{}, false
	}
	before := *e
	e.next()
	other := e.sum(depth)
	if !other.num || len(other.vals) != 1 || !e.is("?") && e.k != jsClose {
		*e = before
		return jsVal{}, false
	}
	than, _ := strconv.Atoi(other.vals[0])
	holds.keys = val.keys
	for _, v := range val.vals {
		n, _ := strconv.Atoi(v)
		if n < than && sign[0] == '<' || n > than && sign[0] == '>' || n == than && len(sign) > 1 {
			holds.vals = append(holds.vals, "true")
		} else {
			holds.vals = append(holds.vals, "")
		}
	}
	return holds, true
}

// chosen returns one of two values for each condition.
func chosen(holds, yes, no jsVal) jsVal {
	out := jsVal{keys: holds.keys, num: yes.num && no.num}
	for i, v := range holds.vals {
		of := no
		if v != "" {
			of = yes
		}
		switch {
		case of.kind == oneOf && len(of.vals) == 1:
			out.vals = append(out.vals, of.vals[0])
		case of.kind == oneOf && len(of.vals) == len(holds.vals) && slices.Equal(of.keys, holds.keys):
			out.vals = append(out.vals, of.vals[i])
		default:
			return jsVal{}
		}
	}
	return out
}

// comparison passes == and the like.
func (e *jsExpr) comparison() (equal, is bool) {
	if e.k != jsOther {
		return false, false
	}
	switch string(e.text) {
	case "==", "===":
		equal = true
	case "!=":
		before := *e
		if e.next(); e.k == jsAssign { // !==
			e.next()
			return false, true
		}
		*e = before
	default:
		return false, false
	}
	e.next()
	return equal, true
}

// branches reads "? a : b", of which "?" is in hand.
func (e *jsExpr) branches(depth int) (yes, no jsVal) {
	if depth >= foldDepth {
		return yes, no
	}
	e.next()
	yes = e.choice(depth + 1)
	for nested := 0; e.k != jsColon || nested > 0; e.next() { // a branch that is not understood
		switch {
		case e.k == jsEnd, e.is(";"):
			return jsVal{}, jsVal{}
		case e.k == jsOpen, e.k == jsBrace, e.is("["):
			nested++
		case e.k == jsClose, e.k == jsValue && (string(e.text) == "}" || string(e.text) == "]"):
			nested--
		}
		yes = jsVal{}
	}
	e.next()
	return yes, e.choice(depth + 1)
}

// others adds to a value of some turns of a loop what another has for the others.
func others(val, other jsVal) jsVal {
	out := jsVal{keys: slices.Clone(val.keys), vals: slices.Clone(val.vals)}
	for i, key := range other.keys {
		if other.kind == oneOf && i < len(other.vals) && !slices.Contains(val.keys, key) {
			out.keys, out.vals = append(out.keys, key), append(out.vals, other.vals[i])
		}
	}
	return out
}
