package markup

import (
	"slices"
)

// truth is what is known of a condition.
type truth uint8

const (
	noCondition truth = iota
	isTrue
	isFalse
	unknownTruth
)

// givenName is a parameter whose value is known.
type givenName struct {
	name   []byte
	values []string
}

// jsExpr reads an expression of constants from a copy of the lexer, with one token in hand.
type jsExpr struct {
	s     *jsScan
	l     jsLexer
	prev  jsLexer // before the token in hand
	k     jsKind
	text  []byte
	terms int
	limit int   // where in the script it ends
	place bool  // it says where the page is, which is not known here
	truth truth // what was read is a condition

	owner  []byte // the first token is a member of it
	member bool
}

// expr begins to read an expression behind what was read.
func (s *jsScan) expr(l *jsLexer, most int) jsExpr {
	s.touched = s.touched[:0]
	e := jsExpr{s: s, l: *l, limit: l.pos + most}
	e.l.templates = slices.Clone(l.templates[:min(len(l.templates), 4*foldDepth)]) // the copy changes them
	return e
}

func (e *jsExpr) next() {
	e.prev = e.l
	if e.l.pos >= e.limit || e.terms >= maxTerms {
		e.k, e.text = jsEnd, nil
		return
	}
	e.terms++
	e.k, e.text = e.l.next(e.k, e.text)
}

// left reports that the expression goes on in a way that is not understood, or that it was too long.
func (e *jsExpr) left() bool {
	if e.truth != noCondition {
		return true
	}
	switch e.k {
	case jsEnd:
		return e.l.pos < len(e.l.src)
	case jsDot, jsOpen, jsPlus, jsAssign, jsStr, jsTemplate, jsPiece, jsNumber:
		return true
	case jsOther:
		return string(e.text) != ";" && string(e.text) != "?" // what "?" chooses by does not matter here: the string stands before
	case jsValue:
		return string(e.text) == "++" || string(e.text) == "--"
	}
	return false
}

// choice reads a ? b : c, what stands alone, or a condition, which is left in truth.
func (e *jsExpr) choice(depth int) []string {
	outside := e.place
	e.truth, e.place = noCondition, false
	vals := e.sum(depth)
	equal, compared := e.comparison()
	if compared {
		other := e.sum(depth)
		switch {
		case e.place || len(vals) != 1 || len(other) != 1:
			e.truth = unknownTruth
		case (vals[0] == other[0]) == equal:
			e.truth = isTrue
		default:
			e.truth = isFalse
		}
		vals = []string{""}
	}
	e.place = outside || e.place && !compared // what a condition asks for does not matter to what it chooses
	if e.k != jsOther || string(e.text) != "?" {
		return vals
	}
	known := e.truth
	yes, no := e.branches(depth)
	e.truth = noCondition
	switch {
	case known == isTrue:
		return yes
	case known == isFalse:
		return no
	case yes == nil || no == nil || len(yes)+len(no) > maxChoices:
		return nil
	}
	return append(slices.Clone(yes), no...)
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
func (e *jsExpr) branches(depth int) (yes, no []string) {
	if depth >= foldDepth {
		return nil, nil
	}
	e.next()
	yes = e.choice(depth + 1)
	for nested := 0; e.k != jsColon || nested > 0; e.next() { // a branch that is not understood
		switch {
		case e.k == jsEnd, e.k == jsOther && string(e.text) == ";":
			return nil, nil
		case e.k == jsOpen, e.k == jsBrace, e.k == jsOther && string(e.text) == "[":
			nested++
		case e.k == jsClose, e.k == jsValue && (string(e.text) == "}" || string(e.text) == "]"):
			nested--
		}
		yes = nil
	}
	e.next()
	return yes, e.choice(depth + 1)
}

// sum reads terms with + between them. nil: one is not known; where it ends then does not matter.
func (e *jsExpr) sum(depth int) []string {
	vals := e.term(depth)
	for vals != nil && e.k == jsPlus {
		e.next()
		vals = e.joined(vals, e.term(depth))
	}
	return vals
}

// joined puts each of two sets of strings together with each of the other. What that makes counts as looked ahead for.
func (e *jsExpr) joined(a, b []string) []string {
	if a == nil || b == nil || len(a)*len(b) > max(maxChoices, len(a), len(b)) {
		return nil
	}
	out := make([]string, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			if e.s.consts.left -= len(x) + len(y); len(x)+len(y) > maxJoined || e.s.consts.left < 0 {
				return nil
			}
			out = append(out, x+y)
		}
	}
	return out
}

func (e *jsExpr) term(depth int) []string {
	text := e.text
	switch e.k {
	case jsStr, jsTemplate:
		e.next()
		return []string{string(jsUnescape(text[1 : len(text)-1]))}
	case jsPiece:
		return e.pieces(depth)
	case jsNumber:
		if e.next(); digits(text) {
			return []string{string(text)}
		}
	case jsOpen:
		if depth >= foldDepth {
			return nil
		}
		e.next()
		vals := e.choice(depth + 1)
		if e.k != jsClose {
			return nil
		}
		e.next()
		return vals
	case jsWord:
		return e.name()
	}
	return nil
}

// pieces reads a template, whose first piece is in hand.
func (e *jsExpr) pieces(depth int) []string {
	if depth >= foldDepth {
		return nil
	}
	vals := []string{""}
	for {
		text := e.text
		last := e.k == jsValue
		if !last && e.k != jsPiece || len(text) < 2 || last && text[len(text)-1] != '`' {
			return nil
		}
		end := len(text) - 1
		if !last {
			end--
		}
		vals = e.joined(vals, []string{string(jsUnescape(text[1:end]))})
		e.next()
		if vals == nil || last {
			return vals
		}
		vals = e.joined(vals, e.choice(depth+1))
	}
}

// use returns what a name means, which becomes a part of what the expression makes.
func (e *jsExpr) use(space nameSpace, name []byte) []string {
	known := e.s.consts.get(space, name)
	if known == nil {
		return nil
	}
	e.s.touched = append(e.s.touched, known)
	return known.values
}

// name reads a name, a member, or an element of a list.
func (e *jsExpr) name() []string {
	word, owner, member := e.text, e.owner, e.member
	e.owner, e.member = nil, false
	for e.next(); e.k == jsDot; e.next() {
		if e.next(); e.k != jsWord {
			return nil
		}
		owner, word, member = word, e.text, true
	}
	switch {
	case e.k == jsOther && string(e.text) == "[":
		space := e.use(ofList, word)
		for open := 1; open > 0; {
			switch e.next(); {
			case e.k == jsEnd, e.k == jsOther && string(e.text) == ";":
				return nil
			case e.k == jsOther && string(e.text) == "[":
				open++
			case e.k == jsValue && string(e.text) == "]":
				open--
			}
		}
		e.next()
		return space
	case member && ofLocation(owner, word):
		e.place = true
		switch string(word) {
		case "host", "hostname":
			return []string{hostOfPage}
		}
		return []string{""} // of the page itself: relative
	case member:
		return e.use(ofMember, word)
	}
	return e.use(ofVariable, word)
}

// endsValue reports tokens behind which "/" divides.
func endsValue(k jsKind, text []byte) bool {
	switch k {
	case jsNumber, jsStr, jsTemplate, jsRegExp, jsClose, jsValue:
		return true
	case jsWord:
		return !beforeValue(text)
	}
	return false
}
