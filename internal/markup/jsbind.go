package markup

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// names keeps what names mean, after a token.
func (s *jsScan) names(l *jsLexer, k jsKind, text []byte) {
	switch k {
	case jsAssign, jsColon:
		s.bind(l, k)
	case jsOpen:
		s.opens(l)
		switch before := s.before(3); { // "(" that is not of a call, or an operator, before a function
		case string(s.callee()) == "function":
			s.formal = true
			if s.consts.invoked > 0 && (before.kind == jsOther || before.kind == jsOpen && s.before(4).kind != jsWord) {
				s.invoked(l)
			}
		case string(s.callee()) == "catch", before.kind == jsWord && string(before.text) == "function":
			s.formal = true
		}
	case jsWord:
		switch {
		case s.formal:
			if s.before(2).kind != jsAssign { // not what a parameter is when it is not given
				s.consts.unset(text)
			}
		case string(text) == "of" || string(text) == "in":
			if t := s.before(2); t.kind == jsWord {
				s.consts.unset(t.text)
			}
		}
	case jsClose:
		if s.formal {
			s.give()
		}
		s.formal = false
	case jsBrace:
		if before := s.before(3); string(before.text) == "class" {
			s.class = s.before(2).text
		} else if string(before.text) == "extends" && string(s.before(5).text) == "class" {
			s.class = s.before(4).text
		}
		switch string(s.before(2).text) {
		case "const", "let", "var":
			if s.consts.rows {
				s.unpacks(l)
			}
		}
	case jsValue:
		if len(text) == 2 && s.before(2).kind == jsWord { // ++ and --
			s.consts.unset(s.before(2).text)
		}
	case jsOther:
		if len(text) != 2 || len(s.given) == 0 && (s.n < len(s.ring) || len(s.consts.names[ofVariable])+len(s.consts.names[ofList]) == 0) {
			return
		}
		switch string(text) {
		case "+=":
			if s.adds(l) {
				return
			}
			fallthrough
		case "=>", "-=":
			for i := 2; i < len(s.ring); i++ {
				t := s.before(i)
				if t.kind == jsWord && i > 2 && i+1 < len(s.ring) && s.before(i+1).kind == jsAssign {
					i++ // what a parameter is when it is not given
				} else if t.kind == jsWord {
					s.consts.unset(t.text)
				} else if t.kind != jsComma && t.kind != jsClose {
					break
				}
			}
			if text[0] == '=' {
				s.give()
			}
		}
	}
}

// give makes parameters known.
func (s *jsScan) give() {
	for _, g := range s.given {
		s.declares(g.name)
		s.consts.put(ofVariable, g.name, g.val)
		if of := s.consts.get(ofVariable, g.name); of != nil && g.val.keys == nil && len(s.ofGiven) < maxListed {
			s.ofGiven = append(s.ofGiven, of)
		}
	}
	s.given = s.given[:0]
}

// adds puts what is added behind what a name means.
func (s *jsScan) adds(l *jsLexer) bool {
	name := s.before(2)
	if name.kind != jsWord || s.before(3).kind == jsDot || s.consts.get(ofVariable, name.text) == nil {
		return false
	}
	e := s.expr(l, s.consts.left)
	e.next()
	val := e.choice(0)
	s.consts.left -= e.l.pos - l.pos
	if e.left() || e.place {
		return false
	}
	if val = e.joined(e.use(ofVariable, name.text), val); !val.known() {
		return false
	}
	s.consts.put(ofVariable, name.text, val)
	return true
}

// bind looks at what a name is set to, when the token before is "=" or ":" behind it. The lexer is not moved.
func (s *jsScan) bind(l *jsLexer, k jsKind) {
	if s.at.from < s.unpacked {
		return
	}
	name, space := s.before(2), ofVariable // the last token is "=" or ":"
	word := name.text
	switch {
	case name.kind == jsValue && s.before(3).kind == jsNumber && s.before(5).kind == jsWord && s.consts.rows: // list[0] = "a.gif"
		at, err := number(string(s.before(3).text))
		e := s.expr(l, maxConst)
		e.next()
		if val := e.sum(0); err == nil {
			s.extend(l, s.before(5).text, at, val)
		}
		return
	case name.kind == jsStr && k == jsColon && len(word) > 1:
		space, word = ofMember, word[1:len(word)-1]
	case name.kind == jsValue && s.before(3).kind == jsStr && string(s.before(4).text) == "[" && s.before(5).kind == jsWord: // Kind["Icon"] = "icons"
		word = s.before(3).text
		space, word = ofMember, word[1:len(word)-1]
	case name.kind != jsWord:
		return
	case k == jsColon || s.before(3).kind == jsDot:
		space = ofMember
		if s.consts.calls > 0 && string(s.before(4).text) == "this" {
			s.stays(word)
		}
	}
	if t := s.before(3); space == ofVariable && t.kind == jsWord {
		switch string(t.text) {
		case "var", "let", "const":
			s.declares(word)
		}
	}
	if space == ofVariable && s.at.from < s.counterEnd && bytes.Equal(word, s.counter) {
		s.counterEnd = 0
		s.consts.unset(word)
		return
	}
	i := l.pos
	for i < len(l.src) && (l.src[i] == ' ' || '\t' <= l.src[i] && l.src[i] <= '\r') {
		i++
	}
	if i == len(l.src) {
		return
	}
	c := l.src[i]
	isString, isNumber := c == '"' || c == '\'' || c == '`', '0' <= c && c <= '9'
	data := k == jsColon && !s.consts.rows // of a long script: what is put together with it has a name of its own
	switch {
	case data && (c == '{' || c == '[' || isNumber), !isString && !isNumber && s.defines(l, i, word, space == ofMember):
		s.consts.set(space, word)
		return
	}
	if space == ofVariable && len(s.consts.names[ofList]) > 0 {
		s.consts.set(ofList, word)
	}
	most := s.consts.left
	switch {
	case isString:
		n := stringLen(l.src[i+1:min(len(l.src), i+2+maxConst)], c)
		if space == ofMember && !s.page && (n < 0 || !saysPath(l.src[i+1:i+1+n])) {
			return // objects have many, and addresses begin with what has a slash
		}
		if n <= 0 {
			s.consts.set(space, word)
			return
		}
		v := l.src[i+1 : i+1+n]
		if next := l.src[i+2+n:]; len(next) > 0 && (next[0] == ';' || next[0] == ',' || next[0] == '}') && (c != '`' || bytes.IndexByte(v, '$') < 0) {
			if space == ofMember && !s.worthKeeping(v) {
				return
			}
			if v = jsUnescape(v); bytes.IndexByte(v, ' ') < 0 {
				s.consts.set(space, word, s.orBefore(space, word, string(v))...)
			} else {
				s.consts.set(space, word)
			}
			return
		}
	case c == '[':
		s.list(l, space, word)
		return
	case c == '{':
		head := l.src[i+1 : min(len(l.src), i+maxHead)]
		if s.consts.rows && objectMap(head) {
			s.objects(l, word)
			return
		}
		if !plainMap(head) {
			s.consts.set(space, word)
			return
		}
		most = min(most, maxBody)
	default:
		end := i
		for end < len(l.src) && jsIdent(l.src[end]) {
			end++
		}
		if behind := l.src[end:min(len(l.src), max(end, i+maxCondition))]; c != '+' && !s.startsKnown(l.src[i:end], behind) && !chooses(behind) {
			s.consts.set(space, word)
			return
		}
	}
	e := s.expr(l, most)
	e.next()
	var val jsVal
	if e.k == jsBrace {
		val = e.object(0, true)
	} else if val = e.choice(0); !val.known() && e.k != jsEnd {
		val = e.unknownCondition()
	}
	s.consts.left -= e.l.pos - l.pos
	switch {
	case e.left() || !val.known() && space == ofVariable || e.place && space == ofMember:
		s.consts.set(space, word)
	case val.kind != oneOf && val.kind != rowOf:
		s.keepList(word, val, e.prev.pos)
	case val.known():
		s.consts.put(space, word, val)
		if of := s.consts.get(space, word); of != nil {
			of.place = e.place
		}
	default:
		s.consts.set(space, word)
	}
}

// orBefore is what a name is set to, or what it meant before when a condition stands before it: if (a) b = "c".
func (s *jsScan) orBefore(space nameSpace, name []byte, v string) []string {
	if t := s.before(3); space == ofVariable && (t.kind == jsClose || string(t.text) == "else") {
		if old := s.consts.get(space, name); old != nil && len(old.values) > 0 && len(old.values) < foldDepth && old.keys == nil && !slices.Contains(old.values, v) {
			return append(slices.Clone(old.values), v)
		}
	}
	return []string{v}
}

// stays keeps a member that a constructor sets beyond the call.
func (s *jsScan) stays(name []byte) {
	s.consts.taken++
	s.consts.constructed++
	s.saved = slices.DeleteFunc(s.saved, func(was savedConst) bool { return was.space == ofMember && was.name == string(name) })
}

// stringLen is the length of a string, which ends with its quote; -1 when it is longer than s.
func stringLen(s []byte, quote byte) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case quote:
			return i
		case '\\':
			i++
		}
	}
	return -1
}

// saysPath reports a string with a slash in it, or one that is named as files are.
func saysPath(v []byte) bool {
	return bytes.IndexByte(v, '/') >= 0 || bytes.IndexByte(v, '.') >= 0 && hasKnownExtension(string(v))
}

// mayBePart reports that what a name is set to in a script that makes no addresses may be a part of one for another: a path, a version, a list,
// an object, or a word in one.
func (s *jsScan) mayBePart(l *jsLexer, k jsKind) bool {
	at := 0
	for l.at(at) == ' ' {
		at++
	}
	switch c := l.at(at); c {
	case '"', '\'':
		next := l.at(at + 1)
		if k == jsColon {
			v := l.src[min(len(l.src), l.pos+at+1):min(len(l.src), l.pos+at+1+maxName)]
			n := stringLen(v, c)
			return n > 0 && bytes.IndexByte(v[:n], ' ') < 0
		}
		return next == '/' || next == '\\' || next == '.' || next == 'h' || '0' <= next && next <= '9'
	case '[', '{':
		return k == jsAssign
	}
	return false
}

// worthKeeping reports what a member of an object of the page may mean for addresses: a word, a version, or a part of one. A page may have
// thousands of members.
func (s *jsScan) worthKeeping(v []byte) bool {
	return len(v) <= maxName && bytes.IndexByte(v, ' ') < 0 || bytes.IndexByte(v, '/') >= 0
}

// startsKnown reports that a value begins with something that is known: a name, a small number, or a function that is called.
func (s *jsScan) startsKnown(word, behind []byte) bool {
	c := s.consts
	for len(word) > 0 {
		next := byte(0)
		if len(behind) > 0 {
			next = behind[0]
		}
		if c.get(ofVariable, word) != nil || c.get(ofMember, word) != nil {
			return true
		}
		switch next {
		case '.':
			end := 1
			for end < len(behind) && jsIdent(behind[end]) {
				end++
			}
			if string(word) == "document" || string(word) == "documentElement" {
				if p := string(behind[1:end]); p == "referrer" || p == "lang" {
					return true
				}
			} else if c.get(ofList, word) != nil || ofLocation(word, behind[1:end]) {
				return true
			}
			if word, behind = behind[1:end], behind[end:]; s.b.data != nil && (string(word) == "dataset" || ofElement(word)) {
				return true
			}
			continue
		case '[':
			return c.get(ofList, word) != nil
		case '(':
			return c.function(word, false) != nil || c.function(word, true) != nil || makesURL(word) || toNumber(word) || word[0] == '$' && s.b.data != nil
		case ' ':
			return string(word) == "new" && (bytes.HasPrefix(behind, []byte(" URL")) || (bytes.HasPrefix(behind, []byte(" Array(")) || bytes.HasPrefix(behind, []byte(" Map("))) && c.rows)
		}
		return (len(word) < 4 || s.page && len(word) < 8) && digits(word)
	}
	return false
}

// plainMap reports an object whose first key has a string or a number.
func plainMap(s []byte) bool {
	s = behindKey(s)
	return len(s) > 0 && (s[0] == '"' || s[0] == '\'' || '0' <= s[0] && s[0] <= '9')
}

// behindKey is what stands behind the first key of an object, nil when it has none.
func behindKey(s []byte) []byte {
	s = bytes.TrimLeft(s, " \r\n\t")
	if len(s) > 0 && (s[0] == '"' || s[0] == '\'') {
		n := stringLen(s[1:], s[0])
		if n < 0 {
			return nil
		}
		s = s[n+2:]
	}
	n := bytes.IndexByte(s, ':')
	if n < 0 || bytes.ContainsAny(s[:n], "(){}[,") {
		return nil
	}
	return bytes.TrimLeft(s[n+1:], " \r\n\t")
}

// maxCondition is how long a condition may be that is not understood.
const maxCondition = 128

// chooses reports that what stands behind the first word of a value may go on with a condition, and strings behind it.
func chooses(s []byte) bool {
	if len(s) == 0 || s[0] == ',' || s[0] == ';' || s[0] == ')' {
		return false
	}
	if i := bytes.Index(s, []byte("||")); i >= 0 && bytes.IndexByte(s[:i], ';') < 0 && beginsString(s[i+2:]) {
		return true
	}
	i := bytes.IndexByte(s, '?')
	if i >= 0 && i+1 < len(s) && s[i+1] == '?' {
		return beginsString(s[i+2:])
	}
	if i < 0 || bytes.IndexByte(s[:i], ';') >= 0 {
		return false
	}
	return beginsString(s[i+1:])
}

// beginsString reports that a string begins here.
func beginsString(s []byte) bool {
	s = bytes.TrimLeft(s, " \t\r\n")
	return len(s) > 0 && (s[0] == '"' || s[0] == '\'')
}

// unknownCondition passes what is not understood up to "?", and returns what it chooses of.
func (e *jsExpr) unknownCondition() jsVal {
	for nested, n := 0, 0; n < maxCondition/2; n++ {
		switch {
		case e.k == jsEnd, e.k == jsOther && string(e.text) == ";", e.k == jsBrace:
			return jsVal{}
		case e.k == jsOpen:
			nested++
		case e.k == jsClose:
			if nested--; nested < 0 {
				return jsVal{}
			}
		case e.k == jsComma && nested == 0:
			return jsVal{}
		case e.k == jsOther && string(e.text) == "?" && nested == 0:
			e.truth, e.place = unknownTruth, false
			yes, no := e.branches(0)
			e.truth = noCondition
			return anyOf(yes, no)
		}
		e.next()
	}
	return jsVal{}
}

// objects binds a name to an object of objects.
func (s *jsScan) objects(l *jsLexer, name []byte) {
	e := s.expr(l, min(s.consts.left, 4*maxBody))
	e.next()
	val := e.objects(0)
	if s.consts.left -= e.l.pos - l.pos; val.known() && !e.left() {
		s.keepList(name, val, e.prev.pos)
	}
}

// list binds a name to the strings of an array that has nothing else, or to what is made of them.
func (s *jsScan) list(l *jsLexer, space nameSpace, name []byte) {
	most := maxBody
	if s.consts.rows {
		most = 4 * maxBody
	}
	e := s.expr(l, min(s.consts.left, most))
	e.next()
	val := e.sum(0)
	if s.consts.left -= e.l.pos - l.pos; e.left() {
		val = jsVal{}
	}
	if space == ofVariable || val.kind == oneOf {
		s.consts.set(space, name)
	}
	switch {
	case val.known() && (val.kind == listOf || val.kind == rowsOf):
		s.keepList(name, val, e.prev.pos)
	case val.vals != nil && val.kind == oneOf:
		s.consts.put(space, name, val)
	default:
		s.consts.set(ofList, name)
	}
}

// keepList keeps a list, whose strings stand before end.
func (s *jsScan) keepList(name []byte, val jsVal, end int) {
	if val.kind == rowsOf {
		val.cols = map[string]*jsConst{}
		for _, row := range val.rows {
			for _, key := range row.keys {
				if val.cols[key] != nil || len(val.cols) >= maxListed {
					continue
				}
				col := val.cols["0"] // those of a list are one
				if col == nil || !digits([]byte(key)) {
					col = &jsConst{}
				}
				val.cols[key] = col
			}
		}
	}
	s.consts.put(ofList, name, val)
	s.leaveLists()
	if of := s.consts.get(ofList, name); of != nil && len(s.lists) < foldDepth {
		s.lists = append(s.lists, listed{of: of, end: int32(end)})
	}
}

// invoked binds the parameters of a function, whose list begins here, when it is called where it is written with constants:
// (function (w, d, i) { … })(window, document, "GTM-X"). The lexer is not moved.
func (s *jsScan) invoked(l *jsLexer) {
	if !s.givesSome(l.src[l.pos:min(len(l.src), l.pos+s.consts.invoked)]) {
		return
	}
	e := s.expr(l, s.consts.invoked)
	defer func() { s.consts.invoked -= e.l.pos - l.pos }()
	var names [][]byte
	for e.next(); (e.k == jsWord || e.k == jsComma) && len(names) < 2*foldDepth; e.next() {
		if e.k == jsWord {
			names = append(names, e.text)
		}
	}
	if e.k != jsClose || len(names) == 0 {
		return
	}
	open := 0
	for e.terms = 0; e.k != jsEnd; e.terms = 0 {
		e.next()
		if e.k == jsBrace {
			open++
		} else if e.k == jsValue && string(e.text) == "}" {
			if open--; open == 0 {
				break
			}
		}
	}
	if e.next(); e.k == jsClose {
		e.next()
	}
	if e.k == jsDot { // .call(this, …)
		if e.next(); string(e.text) != "call" {
			return
		}
		if e.next(); e.k != jsOpen {
			return
		}
		if e.next(); string(e.text) != "this" {
			return
		}
		e.next()
	}
	if e.k != jsOpen && e.k != jsComma {
		return
	}
	for _, name := range names {
		e.terms = 0
		e.next()
		val := e.choice(0)
		for e.k != jsComma && e.k != jsClose && e.k != jsEnd { // something else, which is not known
			val = jsVal{}
			e.terms = 0
			e.next()
		}
		if val.known() {
			s.given = append(s.given, givenName{name, val})
		}
		if e.k != jsComma {
			break
		}
	}
}

// givesSome reports that a function which ends in src is called there with a constant among its arguments, or with what is known by its name.
func (s *jsScan) givesSome(src []byte) bool {
	looked := 0
	defer func() { s.consts.invoked -= 1 + looked/8 }()
	for {
		i := bytes.IndexByte(src, '}')
		if i < 0 {
			return false
		}
		looked++
		src = src[i+1:]
		args := bytes.TrimLeft(src[:min(len(src), maxHead)], ") \t\r\n")
		args = bytes.TrimPrefix(args, []byte(".call"))
		if len(args) < 3 || args[0] != '(' {
			continue
		}
		args, _, _ = bytes.Cut(args[1:], []byte(")"))
		looked += len(args)
		if bytes.ContainsAny(args, "\"'`0123456789") || bytes.Contains(args, []byte("location")) || s.b.data != nil && bytes.Contains(args, []byte("data")) {
			return true
		}
		for name := range bytes.FieldsFuncSeq(args, func(r rune) bool { return r < utf8.RuneSelf && !jsIdent(byte(r)) }) {
			if s.consts.get(ofVariable, name) != nil || s.consts.get(ofMember, name) != nil {
				return true
			}
		}
	}
}
