package markup

import (
	"bytes"
	"slices"
	"strings"
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
	name []byte
	val  jsVal
}

// jsExpr reads an expression of constants from a copy of the lexer, with one token in hand.
type jsExpr struct {
	s     *jsScan
	l     jsLexer
	prev  jsPlace // before the token in hand
	k     jsKind
	text  []byte
	terms int
	cut   bool   // the script goes on where the copy ends
	part  bool   // what was read is a part of an address
	place bool   // it says where the page is, which is not known here
	truth truth  // what was read is a condition
	index []byte // the name that the last map was asked by, and whose value is not known

	owner  []byte // the first token is a member of it
	member bool
}

// expr begins to read an expression behind what was read.
func (s *jsScan) expr(l *jsLexer, most int) jsExpr {
	s.touched = s.touched[:0]
	e := jsExpr{s: s, l: *l}
	if most = max(most, 0); most < len(l.src)-l.pos {
		e.l.src, e.cut = l.src[:l.pos+most], true // a string may go on for a megabyte
	}
	e.l.templates = slices.Clone(l.templates[:min(len(l.templates), 4*foldDepth)]) // the copy changes them
	return e
}

// goOn has the lexer go on where a copy of it was.
func (e *jsExpr) goOn(l *jsLexer, at jsPlace) {
	l.templates = e.l.templates
	l.back(at)
}

func (e *jsExpr) next() {
	e.prev = e.l.place()
	if e.terms >= maxTerms || e.s.consts.reads <= 0 {
		e.k, e.text = jsEnd, nil
		return
	}
	e.terms++
	e.s.consts.reads--
	e.k, e.text = e.l.next(e.k, e.text)
}

// is reports that the token in hand is a sign.
func (e *jsExpr) is(sign string) bool { return e.k == jsOther && string(e.text) == sign }

// twice reports "||" and the like, which are two tokens.
func (e *jsExpr) twice(sign byte) bool {
	return e.k == jsOther && len(e.text) == 1 && e.text[0] == sign && e.l.at(0) == sign
}

// left reports that the expression goes on in a way that is not understood, or that it was too long.
func (e *jsExpr) left() bool {
	if e.truth != noCondition {
		return true
	}
	switch e.k {
	case jsEnd:
		return e.cut || e.l.pos < len(e.l.src)
	case jsDot, jsOpen, jsPlus, jsAssign, jsStr, jsTemplate, jsPiece, jsNumber:
		return true
	case jsOther:
		return string(e.text) != ";" && string(e.text) != "?" // what "?" chooses by does not matter here: the string stands before
	case jsValue:
		return string(e.text) == "++" || string(e.text) == "--"
	}
	return false
}

// sum reads terms with + between them. When one is not known, where it ends does not matter.
func (e *jsExpr) sum(depth int) jsVal {
	val := e.term(depth)
	for val.known() && e.k == jsPlus {
		e.next()
		e.part = e.part || len(val.vals) > 0 && strings.ContainsAny(val.vals[0], "/.<=")
		from := e.prev.pos
		more := e.operand(depth)
		if !more.known() && val.isMarkup() && !e.passed(from) {
			more = e.gap()
		}
		val = e.joined(val, more)
	}
	return val
}

// operand reads a term behind +. A name that is not known, and that a map is asked by behind it, stands for each of the map's keys:
// "css/" + e + "." + {1: "a"}[e].
func (e *jsExpr) operand(depth int) jsVal {
	word, plain, terms := e.text, e.k == jsWord, e.terms
	val := e.term(depth)
	if !val.known() && plain && e.k == jsPlus && e.terms == terms+1 && e.asked(word) {
		return jsVal{wild: jsKey}
	}
	return val
}

// asked reports that a map is asked by a name soon.
func (e *jsExpr) asked(name []byte) bool {
	rest := e.l.src[e.l.pos:min(len(e.l.src), e.l.pos+maxBody)]
	for {
		i := bytes.Index(rest, []byte("}["))
		if i < 0 {
			return false
		}
		if rest = rest[i+2:]; bytes.HasPrefix(rest, name) && len(rest) > len(name) && rest[len(name)] == ']' {
			return true
		}
	}
}

// passed reports that what was read since says more than who reads it knows: a string with markup or a path, which is read alone then.
func (e *jsExpr) passed(from int) bool {
	of := e.l.src[min(from, e.prev.pos):e.prev.pos]
	return bytes.ContainsAny(of, "\"'`") && bytes.ContainsAny(of, "</") || bytes.Contains(of, []byte(".map("))
}

// gap passes an operand that is not understood, in the middle of markup: what stands beside it is whole all the same. What has strings is
// not passed: they are read alone then.
func (e *jsExpr) gap() jsVal {
	for nested, most := 0, maxFallback; most > 0; most-- {
		switch {
		case e.k == jsOpen, e.is("["):
			nested++
		case e.k == jsClose, e.k == jsValue && string(e.text) == "]":
			nested--
		}
		switch {
		case nested < 0, nested == 0 && (e.k == jsPlus || e.k == jsComma || e.is(";")), e.k == jsValue && e.text[0] == '}', e.k == jsPiece && e.text[0] == '}':
			return oneString(notKnown)
		case e.k == jsEnd && e.l.pos == len(e.l.src) && !e.cut:
			return oneString(notKnown)
		case e.k == jsEnd, e.k >= jsStr && e.k <= jsPiece, e.k == jsBrace, e.k == jsColon, e.is("?"):
			return jsVal{}
		}
		e.next()
	}
	return jsVal{}
}

// term reads a value with the methods that are called on it.
func (e *jsExpr) term(depth int) jsVal {
	val := e.primary(depth)
	if !val.known() && e.k == jsDot && e.s.b.data != nil {
		val = e.dataOf(depth)
	}
	for val.known() && (e.k == jsDot || e.is("[")) {
		if e.is("[") {
			if val.kind == oneOf {
				return val
			}
			val = e.element(val, depth)
			continue
		}
		before := *e
		e.next()
		name := e.text
		if e.k != jsWord {
			return jsVal{}
		}
		if isLoop(name) && (val.kind == listOf || val.kind == rowsOf) {
			*e = before
			return val
		}
		if e.next(); e.k != jsOpen {
			if val.kind == rowOf {
				if val = e.field(val, string(name)); !val.known() {
					val = e.use(ofMember, name)
				}
				continue
			}
			if string(name) == "href" {
				continue
			}
			*e = before
			return jsVal{}
		}
		val = e.method(val, name, depth)
	}
	return val
}

func (e *jsExpr) primary(depth int) jsVal {
	text := e.text
	switch e.k {
	case jsStr, jsTemplate:
		e.next()
		return oneString(string(jsUnescape(text[1 : len(text)-1])))
	case jsPiece:
		return e.pieces(depth)
	case jsPlus: // of one operand
		e.next()
		return e.primary(depth).number()
	case jsNumber:
		if e.next(); digits(text) {
			return jsVal{vals: []string{string(text)}, num: true}
		}
		if whole, part, is := bytes.Cut(text, []byte(".")); is && digits(whole) && digits(part) {
			return oneString(string(text))
		}
	case jsOpen:
		if depth >= foldDepth {
			return jsVal{}
		}
		e.next()
		val := e.choice(depth + 1)
		if e.k != jsClose {
			return jsVal{}
		}
		e.next()
		return val
	case jsBrace:
		val := e.object(depth, false)
		if e.is("[") {
			return e.element(val, depth)
		}
		return val
	case jsOther:
		switch {
		case e.is("["):
			if val := e.joinedArray(depth); val.known() {
				return val
			}
			val := e.array(depth)
			if e.is("[") {
				return e.element(val, depth)
			}
			return val
		case e.is("-"):
			if e.next(); e.k == jsNumber && digits(e.text) {
				val := jsVal{vals: []string{"-" + string(e.text)}, num: true}
				e.next()
				return val
			}
		case e.is("!"):
			e.next()
			switch e.primary(depth).truth() {
			case isTrue:
				return oneString("")
			case isFalse:
				return oneString("true")
			}
		}
	case jsWord:
		switch string(text) {
		case "new":
			if e.next(); e.k == jsWord {
				return e.name(depth)
			}
			return jsVal{}
		case "true":
			e.next()
			return oneString("true")
		case "false", "null", "undefined":
			e.next()
			return oneString("")
		case "function", "async", "await", "typeof", "void":
			return jsVal{}
		}
		return e.name(depth)
	}
	return jsVal{}
}

// pieces reads a template, whose first piece is in hand.
func (e *jsExpr) pieces(depth int) jsVal {
	if depth >= foldDepth {
		return jsVal{}
	}
	val := oneString("")
	for {
		text := e.text
		last := e.k == jsValue
		if !last && e.k != jsPiece || len(text) < 2 || last && text[len(text)-1] != '`' {
			return jsVal{}
		}
		end := len(text) - 1
		if !last {
			end--
		}
		val = e.joined(val, oneString(string(jsUnescape(text[1:end]))))
		e.next()
		if !val.known() || last {
			return val
		}
		e.part = true
		from := e.prev.pos
		part := e.choice(depth + 1)
		if (!part.known() || e.k != jsPiece && e.k != jsValue) && val.isMarkup() && !e.passed(from) {
			e.truth = noCondition
			part = e.gap()
		}
		val = e.joined(val, part)
	}
}

// use returns what a name means, which becomes a part of what the expression makes.
func (e *jsExpr) use(space nameSpace, name []byte) jsVal {
	known := e.s.consts.get(space, name)
	if known == nil {
		return jsVal{}
	}
	e.s.touched = append(e.s.touched, known)
	e.place = e.place || known.place
	if known.of != nil {
		e.s.touched = append(e.s.touched, known.of)
	}
	val := jsVal{vals: known.values, keys: known.keys, wild: known.wild, num: known.num, rows: known.rows, cols: known.cols}
	if space == ofList {
		val.of = known
	}
	switch {
	case known.rows != nil && space == ofList:
		val.kind = rowsOf
	case known.rows != nil:
		val.kind = rowOf
	case space == ofList && val.keys != nil:
		val.kind = mapOf
	case space == ofList:
		val.kind = listOf
	}
	return val
}

// name reads a name, a member, an element of a list or a map, or what a function gives for constants.
func (e *jsExpr) name(depth int) jsVal {
	word, owner, member := e.text, e.owner, e.member
	e.owner, e.member = nil, false
	e.next()
	if known := e.s.consts.get(ofVariable, word); known != nil && known.rows != nil && !member && e.k != jsOpen {
		return e.use(ofVariable, word)
	}
	for ; e.k == jsDot; e.next() {
		if e.next(); e.k != jsWord {
			return jsVal{}
		}
		if e.l.at(0) == '(' && isMethod(e.text) {
			if val := e.named(word, owner, member); val.known() {
				name := e.text
				e.next()
				return e.method(val, name, depth)
			}
			if val := e.use(ofList, word); val.known() {
				name := e.text
				e.next()
				return e.method(val, name, depth)
			}
		}
		owner, word, member = word, e.text, true
	}
	switch {
	case e.is("["):
		return e.element(e.use(ofList, word), depth)
	case e.k == jsOpen:
		return e.called(word, owner, member, depth)
	case e.k == jsTemplate && string(word) == "raw" && string(owner) == "String":
		text := e.text
		e.next()
		return oneString(string(text[1 : len(text)-1]))
	}
	if val := e.named(word, owner, member); val.known() {
		return val
	}
	return e.use(ofList, word)
}

// named returns what a name or a member means.
func (e *jsExpr) named(word, owner []byte, member bool) jsVal {
	switch {
	case !member:
		return e.use(ofVariable, word)
	case ofLocation(owner, word):
		e.place = true
		switch string(word) {
		case "host", "hostname":
			return oneString(hostOfPage)
		}
		return oneString("") // of the page itself: relative
	case string(word) == "referrer" && string(owner) == "document":
		return oneString("") // there is none
	case string(word) == "title" && string(owner) == "document":
		e.place = true
		return oneString(e.s.b.doc.Title)
	case string(word) == "lang" && string(owner) == "documentElement":
		if langs := e.s.b.doc.Langs; len(langs) > 0 {
			return oneString(langs[0].Value)
		}
		return jsVal{}
	}
	if val := e.use(ofMember, word); val.known() {
		return val
	}
	switch {
	case string(owner) == "dataset":
		return e.attribute(dashed(string(word)))
	case string(owner) == "this", isClass(owner):
		return e.use(ofVariable, word) // a field of a class
	}
	switch string(owner) {
	case "location", "window", "document":
		return jsVal{}
	}
	if of := e.s.consts.get(ofList, owner); of != nil && of.keys != nil { // what its objects say otherwise does not matter
		if i := slices.Index(of.keys, string(word)); i >= 0 && of.rows != nil {
			return e.pick(e.use(ofList, owner), oneString(string(word)))
		} else if i >= 0 && !strings.HasPrefix(of.values[i], "\x00") {
			e.s.touched = append(e.s.touched, of)
			return oneString(of.values[i])
		}
	}
	return jsVal{}
}

// isClass reports names as classes have them.
func isClass(name []byte) bool { return len(name) > 0 && 'A' <= name[0] && name[0] <= 'Z' }

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
