package markup

import (
	"bytes"
	"slices"
	"strings"
)

// Scripts put addresses together of strings and names: base + "a.png", '…/gtm.js?id=' + i, `/t/${n}.png`. Where all parts are
// constants, what they make is read without running anything (ADR 111): a name means what it was last set to above, in the order of the
// source, whatever block that stood in; an argument of a function that is called where it is written is a constant as well.
const (
	maxConst   = 512        // bytes of a value that a name is known for
	maxConsts  = 1024       // names
	maxChoices = 16         // values that an expression may have
	maxListed  = 64         // elements of a list that a name is known for
	maxTerms   = 256        // tokens of an expression
	foldDepth  = 8          // of brackets
	hostOfPage = "\x00host" // stands for the page's own host until the address is whole

	// maxInvoked is how many bytes of a script are looked through for the arguments of functions that are called where they are written:
	// those are short and stand in the page.
	maxInvoked = 16 << 10
	foldMargin = 4 << 10 // on top of the script's length
)

// nameSpace says what a name is of.
type nameSpace uint8

const (
	ofVariable nameSpace = iota
	ofMember             // of any object: those that differ have no value
	ofList
	nameSpaces
)

// jsConst is what a name means.
type jsConst struct {
	values []string
	one    [1]string
	used   bool // it became a part of something
}

// jsConsts is what names mean.
type jsConsts struct {
	// names has nil for a member that has several values.
	names   [nameSpaces]map[string]*jsConst
	left    int // bytes that may be looked ahead for yet: so that the work stays in proportion to the script
	invoked int // of them for functions
	room    int // for names, by the script's length
}

// get returns what a name means, nil when nobody knows.
func (c *jsConsts) get(space nameSpace, name []byte) *jsConst {
	if len(c.names[space]) == 0 || len(name) == 0 {
		return nil
	}
	return c.names[space][string(name)]
}

// set binds a name to values, none when they are not known.
func (c *jsConsts) set(space nameSpace, name []byte, values ...string) {
	names := c.names[space]
	old, known := names[string(name)]
	if space != ofList && slices.ContainsFunc(values, func(v string) bool { return len(v) > maxConst }) {
		if values = nil; !known {
			return
		}
	}
	switch {
	case known && space == ofMember:
		if old != nil && !slices.Equal(old.values, values) {
			names[string(name)] = nil
		}
		return
	case len(values) == 0 && space != ofMember:
		if known {
			delete(names, string(name))
		}
		return
	case !known && len(names) >= maxConsts, len(name) > maxName:
		return
	case names == nil:
		names = make(map[string]*jsConst, c.room)
		c.names[space] = names
	}
	if len(values) == 0 {
		names[string(name)] = nil
		return
	}
	of := &jsConst{}
	of.values = append(of.one[:0], values...)
	names[string(name)] = of
}

// unset makes a name unknown, as parameters and what is assigned to by other ways are.
func (c *jsConsts) unset(name []byte) {
	for _, names := range [...]map[string]*jsConst{c.names[ofVariable], c.names[ofList]} {
		if len(names) > 0 {
			delete(names, string(name))
		}
	}
}

// heldGuess is a guess that is none when the name that it is the value of is put together with others to an address.
type heldGuess struct {
	of  *jsConst
	url string
}

// holds returns what the string that was just read is the value of, when it may be a part of addresses: a prefix, which has no extension, or
// an element of a list.
func (s *jsScan) holds(v string) *jsConst {
	switch {
	case s.data:
		return nil
	case s.listed != nil:
		return s.listed
	case hasExtension(v):
		return nil
	}
	name := s.before(2)
	switch k := s.last(); {
	case name.kind != jsWord:
		return nil
	case k == jsColon, k == jsAssign && s.before(3).kind == jsDot:
		return s.consts.get(ofMember, name.text)
	case k == jsAssign:
		return s.consts.get(ofVariable, name.text)
	}
	return nil
}

// putsTogether reports a script that may make addresses of parts: a string with a part of one stands beside a plus, or in a template beside
// a substitution; or a string is a folder. Most libraries have none, and names need not be kept for them.
func (b *builder) putsTogether(src []byte) bool {
	const near = 128
	for i := 0; ; i++ {
		n := bytes.IndexByte(src[i:], '+')
		if n < 0 || !b.on(near/8) {
			break
		}
		i += n
		if before := bytes.TrimRight(src[max(0, i-near):i], " \t\r\n"); len(before) > 1 {
			if q := before[len(before)-1]; q == '"' || q == '\'' {
				before = before[:len(before)-1]
				if partOfAddress(before[bytes.LastIndexByte(before, q)+1:]) {
					return true
				}
			}
		}
		if behind := bytes.TrimLeft(src[i+1:min(len(src), i+near)], " \t\r\n"); len(behind) > 1 {
			if q := behind[0]; q == '"' || q == '\'' {
				behind = behind[1:]
				if end := bytes.IndexByte(behind, q); end > 0 && partOfAddress(behind[:end]) {
					return true
				}
			}
		}
	}
	for i := 1; ; i++ { // folders, which names are put behind
		n := bytes.IndexByte(src[min(i, len(src)):], '/')
		if n < 0 || i+n+1 == len(src) {
			break
		}
		i += n
		if q := src[i+1]; (q == '"' || q == '\'') && isWordByte(src[i-1]) {
			v := src[max(0, i-near):i]
			v = v[bytes.LastIndexByte(v, q)+1:]
			if v[0] == '/' || bytes.Contains(v, []byte("://")) && !bytes.Contains(v, []byte("www.w3.org")) {
				return true
			}
		}
	}
	for i := 0; ; i += 2 {
		n := bytes.Index(src[i:], []byte("${"))
		if n < 0 || !b.on(near/8) {
			return false
		}
		i += n
		before := src[max(0, i-near):i]
		behind := src[i:min(len(src), i+near)]
		behind = behind[bytes.IndexByte(behind, '}')+1:]
		if partOfAddress(before[bytes.LastIndexAny(before, "`}")+1:]) || partOfAddress(behind[:max(0, bytes.IndexAny(behind, "`$"))]) {
			return true
		}
	}
}

// partOfAddress reports a string with a slash between or behind letters, one that ends as names of files do, or the beginning of an attribute.
func partOfAddress(v []byte) bool {
	if bytes.Contains(v, []byte("src=")) || bytes.Contains(v, []byte("href=")) || bytes.Contains(v, []byte("url(")) {
		return true
	}
	if len(v) < 2 || bytes.ContainsAny(v, "<>(){} \n\\") {
		return false
	}
	if bytes.IndexByte(v, '.') >= 0 && hasKnownExtension("a"+string(v)) {
		return true
	}
	for i := bytes.IndexByte(v, '/'); i >= 0 && i < len(v); i++ {
		if v[i] == '/' && (i > 0 && isWordByte(v[i-1]) || i+1 < len(v) && isWordByte(v[i+1])) && len(v) > 2 {
			return true
		}
	}
	return false
}

// mayFold reports that the token that was just read may begin an expression of constants.
func (l *jsLexer) mayFold(k jsKind) bool {
	switch k {
	case jsPiece, jsOpen:
		return true
	case jsStr, jsTemplate, jsWord:
		c := l.at(0)
		return (c == '+' || jsClass[c]&jsPlain == 0) && l.plusFollows()
	}
	return false
}

// plusFollows reports that something is added to the token that was just read.
func (l *jsLexer) plusFollows() bool {
	i := l.pos
	for i < len(l.src) && (l.src[i] == ' ' || '\t' <= l.src[i] && l.src[i] <= '\r') {
		i++
	}
	return i+1 < len(l.src) && l.src[i] == '+' && l.src[i+1] != '+' && l.src[i+1] != '='
}

// folded reads on from a token that may begin an expression of constants and takes what it makes, as if it stood there as one string;
// false: it is none, and nothing was read.
func (s *jsScan) folded(l *jsLexer, k jsKind, text []byte) bool {
	back := 0 // tokens that belong to the expression and were read before
	switch k {
	case jsPiece:
		if text[0] != '`' {
			return false
		}
	case jsWord:
		for s.before(back+1).kind == jsDot && s.before(back+2).kind == jsWord && back < len(s.ring)-2 {
			back += 2
		}
		if back == 0 && s.consts.get(ofVariable, text) == nil || back > 0 && s.consts.get(ofMember, text) == nil && !ofLocation(s.before(2).text, text) {
			return false
		}
	case jsOpen:
		switch s.last() {
		case jsAssign, jsColon, jsComma:
		case jsOpen:
			if s.before(2).kind == jsOpen {
				return false // brackets in brackets
			}
		default:
			return false // of a call
		}
	}
	if s.before(back+1).kind == jsPlus || len(l.templates) > foldDepth {
		return false // the end of something that is not known, or deep in templates
	}
	e := s.expr(l, s.consts.left)
	e.k, e.text, e.owner, e.member = k, text, s.before(2).text, back > 0
	vals := e.sum(0)
	if s.consts.left -= e.l.pos - l.pos; vals == nil || e.terms < 2 || e.left() {
		return false
	}
	*l = e.prev
	s.n -= back
	for _, part := range s.touched {
		part.used = true
	}
	if s.pending.URL != "" {
		s.waits(jsStr, nil)
	}
	for i, v := range vals {
		if i > 0 {
			s.flush()
		}
		if v, whole := ofPage(v); whole && (len(v) <= maxURL || strings.ContainsAny(v, "<(")) && s.b.on(len(v)) {
			s.value([]byte(v))
			s.isConst = nil
		}
	}
	s.push(jsStr, []byte(`""`))
	return true
}

// ofPage takes the page's own host out of an address, which is then one of the page's server.
func ofPage(v string) (string, bool) {
	v = strings.Replace(v, "//"+hostOfPage, "", 1)
	return v, !strings.Contains(v, hostOfPage)
}

// ofLocation reports members of location that say where the page is.
func ofLocation(owner, name []byte) bool {
	if string(owner) != "location" {
		return false
	}
	switch string(name) {
	case "origin", "protocol", "host", "hostname":
		return true
	}
	return false
}

// bind looks at what a name is set to, when the token before is "=" or ":" behind it. The lexer is not moved.
func (s *jsScan) bind(l *jsLexer, k jsKind) {
	name, space := s.before(2), ofVariable // the last token is "=" or ":"
	word := name.text
	switch {
	case name.kind == jsStr && k == jsColon:
		space, word = ofMember, word[1:len(word)-1]
	case name.kind != jsWord:
		return
	case k == jsColon || s.before(3).kind == jsDot:
		space = ofMember
	}
	i := l.pos
	for i < len(l.src) && (l.src[i] == ' ' || '\t' <= l.src[i] && l.src[i] <= '\r') {
		i++
	}
	if i == len(l.src) {
		return
	}
	switch c := l.src[i]; {
	case c == '"' || c == '\'' || c == '`':
		n := bytes.IndexByte(l.src[i+1:min(len(l.src), i+2+maxConst)], c)
		if space == ofMember && (n < 0 || bytes.IndexByte(l.src[i+1:i+1+n], '/') < 0) {
			return // objects have many, and addresses begin with what has a slash
		}
		if n <= 0 {
			s.consts.set(space, word)
			return
		}
		v := l.src[i+1 : i+1+n]
		if next := l.src[i+2+n:]; len(next) > 0 && (next[0] == ';' || next[0] == ',' || next[0] == '}') && bytes.IndexByte(v, '\\') < 0 && bytes.IndexByte(v, '$') < 0 {
			if bytes.IndexByte(v, ' ') < 0 {
				s.consts.set(space, word, string(v))
			} else {
				s.consts.set(space, word)
			}
			return
		}
	case c == '[' && k == jsAssign:
		s.consts.set(space, word)
		s.consts.set(ofList, word, s.list(l)...)
		s.listed = s.consts.get(ofList, word)
		return
	default:
		end := i
		for end < len(l.src) && jsIdent(l.src[end]) {
			end++
		}
		if s.consts.get(ofVariable, l.src[i:end]) == nil && !chooses(l.src[end:min(len(l.src), max(end, i+maxCondition))]) {
			s.consts.set(space, word)
			return
		}
	}
	e := s.expr(l, s.consts.left)
	e.next()
	vals := e.choice(0)
	if vals == nil && e.k != jsEnd {
		vals = e.unknownCondition()
	}
	s.consts.left -= e.l.pos - l.pos
	if e.left() || e.place {
		vals = nil
	}
	s.consts.set(space, word, vals...)
}

// maxCondition is how long a condition may be that is not understood.
const maxCondition = 128

// chooses reports that what stands behind the first word of a value may go on with a condition, and strings behind it.
func chooses(s []byte) bool {
	if len(s) == 0 || s[0] == ',' || s[0] == ';' || s[0] == ')' {
		return false
	}
	i := bytes.IndexByte(s, '?')
	if i < 0 || bytes.IndexByte(s[:i], ';') >= 0 {
		return false
	}
	behind := bytes.TrimLeft(s[i+1:], " \t\r\n")
	return len(behind) > 0 && (behind[0] == '"' || behind[0] == '\'')
}

// unknownCondition passes what is not understood up to "?", and returns what it chooses of.
func (e *jsExpr) unknownCondition() []string {
	for nested, n := 0, 0; n < maxCondition/2; n++ {
		switch {
		case e.k == jsEnd, e.k == jsOther && string(e.text) == ";", e.k == jsBrace:
			return nil
		case e.k == jsOpen:
			nested++
		case e.k == jsClose:
			if nested--; nested < 0 {
				return nil
			}
		case e.k == jsComma && nested == 0:
			return nil
		case e.k == jsOther && string(e.text) == "?" && nested == 0:
			e.truth, e.place = unknownTruth, false
			yes, no := e.branches(0)
			e.truth = noCondition
			if yes == nil || no == nil || len(yes)+len(no) > maxChoices {
				return nil
			}
			return append(slices.Clone(yes), no...)
		}
		e.next()
	}
	return nil
}

// list returns the strings of an array that has nothing else.
func (s *jsScan) list(l *jsLexer) (vals []string) {
	e := s.expr(l, s.consts.left)
	defer func() { s.consts.left -= e.l.pos - l.pos }()
	e.next()
	size := 0
	for e.next(); e.k == jsStr && len(vals) < maxListed; e.next() {
		v := string(jsUnescape(e.text[1 : len(e.text)-1]))
		if size += len(v); size > 8*maxConst {
			return nil
		}
		vals = append(vals, v)
		if e.next(); e.k != jsComma {
			break
		}
	}
	if string(e.text) != "]" {
		return nil
	}
	return vals
}

// invoked binds the parameters of a function, whose list begins here, when it is called where it is written with constants:
// (function (w, d, i) { … })(window, document, "GTM-X"). The lexer is not moved.
func (s *jsScan) invoked(l *jsLexer) {
	e := s.expr(l, min(s.consts.left, s.consts.invoked))
	defer func() {
		s.consts.left -= e.l.pos - l.pos
		s.consts.invoked -= e.l.pos - l.pos
	}()
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
		vals := e.choice(0)
		for e.k != jsComma && e.k != jsClose && e.k != jsEnd { // something else, which is not known
			vals = nil
			e.terms = 0
			e.next()
		}
		if vals != nil {
			s.given = append(s.given, givenName{name, vals})
		}
		if e.k != jsComma {
			break
		}
	}
}
