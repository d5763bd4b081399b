package markup

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
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
	notKnown   = "{{}}"     // stands in markup for what is not known

	// maxInvoked is how many bytes of a script are looked through for the arguments of functions that are called where they are written:
	// those are short and stand in the page.
	maxInvoked = 4 << 10
	foldMargin = 4 << 10  // on top of the script's length
	maxAhead   = 16 << 10 // is looked ahead for in a long script, beside a 64th of it: those are libraries
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
	keys   []string // of a map, or of what chooses one of the values
	wild   string
	num    bool
	rows   []jsVal
	cols   map[string]*jsConst
	of     *jsConst // the field of a list that it is
	place  bool     // it says where the page is
	one    [1]string
	used   bool // it became a part of something
}

// jsConsts is what names mean.
type jsConsts struct {
	// names has nil for a member that has several values.
	names       [nameSpaces]map[string]*jsConst
	known       [nameSpaces]nameMask // of names
	functions   functionNames
	parts       map[string]bool   // names that once meant something that addresses may be made of
	folders     bool              // one of them meant a folder
	left        int               // bytes that may be looked ahead for yet: so that the work stays in proportion to the script
	invoked     int               // of them for functions
	reads       int               // tokens that may be read ahead yet, those included that are read again by what went back
	amd         map[string]string // settings of RequireJS, as they were last said; nil: it is not used
	rows        bool              // lists of objects are kept
	slash       bool              // one between two names is a part of an address
	made        int               // bytes that may be put together yet
	room        int               // for names, by the script's length
	calls       int               // open
	constructed int               // members that constructors set
	loops       int               // so far
	taken       int               // what was found of constants: to tell functions that are worth reading

	given [3]int // of left, invoked and made on top of the script's length
	spent [3]int // of what was given to all scripts of the page
}

// margins is what a script may look at on top of its length, and how much of that all scripts of a page together: pages have many small ones.
var margins = [3]struct{ one, all int }{{foldMargin, 64 * foldMargin}, {maxInvoked, 16 * maxInvoked}, {16 * foldMargin, 256 * foldMargin}}

// begin sets what may be looked at for a script.
func (c *jsConsts) begin(n int) {
	for i, m := range margins {
		c.given[i] = max(0, min(m.one, m.all-c.spent[i]))
	}
	c.left, c.invoked, c.made = min(n, n/64+maxAhead)+c.given[0], c.given[1], 4*n+c.given[2]
	c.reads = 4*min(n, n/64+maxAhead) + c.given[0]
	c.room, c.rows, c.slash = min(n/512, maxConsts), n <= maxRowsFrom, n <= maxInline
}

// end notes what was looked at for a script.
func (c *jsConsts) end() {
	for i, left := range [...]int{min(c.left, c.reads), c.invoked, c.made} {
		c.spent[i] += max(0, c.given[i]-left)
	}
}

// get returns what a name means, nil when nobody knows.
func (c *jsConsts) get(space nameSpace, name []byte) *jsConst {
	if len(name) == 0 || !c.known[space].has(name) {
		return nil
	}
	return c.names[space][string(name)]
}

// nameMask tells most names that a map does not have from those that it has: scripts ask for each name that they use.
type nameMask [4]uint64

// at is the bit of a name that is not empty.
func (nameMask) at(name []byte) (word, bit uint8) {
	h := name[0]*7 + name[len(name)-1]*13 + byte(len(name))*31
	return h >> 6, h & 63
}

func (m *nameMask) has(name []byte) bool {
	word, bit := m.at(name)
	return m[word]>>bit&1 != 0
}

func (m *nameMask) add(name []byte) {
	word, bit := m.at(name)
	m[word] |= 1 << bit
}

// set binds a name to values, none when they are not known.
func (c *jsConsts) set(space nameSpace, name []byte, values ...string) {
	if len(name) == 0 {
		return
	}
	names := c.names[space]
	var old *jsConst
	known := false
	if c.known[space].has(name) {
		old, known = names[string(name)]
	}
	if space != ofList && slices.ContainsFunc(values, func(v string) bool { return len(v) > maxConst }) {
		if values = nil; !known {
			return
		}
	}
	switch {
	case known && space == ofMember && c.calls == 0:
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
	c.known[space].add(name)
	if len(values) == 0 {
		names[string(name)] = nil
		return
	}
	of := &jsConst{}
	of.values = append(of.one[:0], values...)
	names[string(name)] = of
	c.folders = c.folders || len(values) == 1 && isFolder(values[0])
	if space == ofList || slices.ContainsFunc(values, func(v string) bool { return strings.ContainsAny(v, "/.") }) {
		if c.parts == nil {
			c.parts = map[string]bool{}
		}
		c.parts[string(name)] = true
		if space == ofMember && c.calls > 0 {
			c.taken++
		}
	}
}

// put binds a name to a value.
func (c *jsConsts) put(space nameSpace, name []byte, val jsVal) {
	if !val.known() {
		return
	}
	c.set(space, name, val.vals...)
	of := c.get(space, name)
	if of == nil && (val.wild != "" || val.rows != nil) && len(name) <= maxName {
		c.set(space, name, "")
		if of = c.get(space, name); of != nil {
			of.values = nil
			if val.vals != nil { // they are too long, and without them the keys are of nothing
				val.keys = nil
			}
		}
	}
	if of != nil {
		of.keys, of.wild, of.num, of.rows, of.cols, of.of = val.keys, val.wild, val.num, val.rows, val.cols, val.of
	}
}

// unset makes a name unknown, as parameters and what is assigned to by other ways are.
func (c *jsConsts) unset(name []byte) {
	for _, space := range [...]nameSpace{ofVariable, ofList} {
		if len(name) > 0 && c.known[space].has(name) {
			delete(c.names[space], string(name))
		}
	}
}

// heldGuess is a guess that is none when the name that it is the value of is put together with others to an address.
type heldGuess struct {
	of  []*jsConst
	url string
}

// listed is a list or a map whose strings are read.
type listed struct {
	of        *jsConst
	from, end int32 // where it stands
}

// holds notes what the string that was just read is the value of, when it may be a part of addresses: a prefix, which has no extension, or
// an element of a list.
func (s *jsScan) holds(v string) {
	s.valueOf = s.valueOf[:0]
	if s.data && !s.page {
		return
	}
	s.leaveLists()
	name, owner := s.target()
	for _, l := range s.lists {
		of := l.of
		switch {
		case s.at.from < l.from:
			continue
		case of.rows == nil && of.keys == nil: // a list
		case v[0] == '/' || schemeLen(v) > 0:
			continue
		case of.rows != nil && name == nil:
			of = of.cols["0"] // lists in it are one
		case of.rows != nil:
			of = of.cols[string(name)]
		}
		if of != nil {
			s.valueOf = append(s.valueOf, of)
		}
	}
	var of *jsConst
	switch {
	case len(s.args)+len(s.ofGiven) > 0 && (s.last() == jsOpen || s.last() == jsComma || s.last() == jsColon):
		is := func(arg *jsConst) bool { return len(arg.values) == 1 && arg.values[0] == v }
		if i := slices.IndexFunc(s.args, is); i >= 0 {
			of = s.args[i]
		} else if i := slices.IndexFunc(s.ofGiven, is); i >= 0 {
			of = s.ofGiven[i]
		}
	case hasExtension(v), s.takesURL(), name == nil:
	case s.last() == jsColon, owner != nil:
		of = s.consts.get(ofMember, name)
	default:
		of = s.consts.get(ofVariable, name)
	}
	if of != nil {
		s.valueOf = append(s.valueOf, of)
	}
}

// leaveLists forgets the lists that ended.
func (s *jsScan) leaveLists() {
	for len(s.lists) > 0 && s.lists[len(s.lists)-1].end <= s.at.from {
		s.lists = s.lists[:len(s.lists)-1]
	}
}

// putsTogether reports a script that may make addresses of parts: a string with a part of one stands beside a plus, or in a template beside
// a substitution; or a string is a folder; or it sets RequireJS up. Most libraries have none, and names need not be kept for them.
func (b *builder) putsTogether(src []byte) bool {
	const near = 128
	slash := len(src) <= maxInline // alone between names is enough: libraries have dates and numbers there
	for i := 0; ; i++ {
		n := bytes.IndexByte(src[i:], '+')
		if n < 0 || !b.on(near/8) {
			break
		}
		i += n
		if before := bytes.TrimRight(src[max(0, i-near):i], " \t\r\n"); len(before) > 1 {
			if q := before[len(before)-1]; q == '"' || q == '\'' {
				before = before[:len(before)-1]
				if piece := before[bytes.LastIndexByte(before, q)+1:]; slash && string(piece) == "/" || partOfAddress(piece) {
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
			if v[0] == '/' || bytes.Contains(v, []byte("://")) && !bytes.Contains(v, []byte("www.w3.org")) || slash && relativeFolder(string(v)) {
				return true
			}
		}
	}
	for i := 0; ; i += 2 {
		n := bytes.Index(src[i:], []byte("${"))
		if n < 0 {
			if len(src) <= maxInline && (bytes.Contains(src, []byte("].join(")) || bytes.Contains(src, []byte("%s/")) || bytes.Contains(src, []byte("/%s")) || saysExtension(src)) {
				return true
			}
			i = bytes.Index(src, []byte(".config("))
			return i > 0 && (bytes.HasSuffix(src[:i], []byte("require")) || bytes.HasSuffix(src[:i], []byte("requirejs")))
		}
		if !b.on(near / 8) {
			return false
		}
		i += n
		before := src[max(0, i-near):i]
		behind := src[i:min(len(src), i+near)]
		behind = behind[bytes.IndexByte(behind, '}')+1:]
		piece := before[bytes.LastIndexAny(before, "`}")+1:]
		if slash && string(piece) == "/" || partOfAddress(piece) || partOfAddress(behind[:max(0, bytes.IndexAny(behind, "`$"))]) {
			return true
		}
	}
}

// relativeFolder reports "img/2005/", and nothing that is the beginning of a MIME type.
func relativeFolder(v string) bool {
	switch v {
	case "text/", "image/", "audio/", "video/", "font/", "application/", "multipart/":
		return false
	}
	return len(v) > 1 && !strings.ContainsFunc(v, func(r rune) bool {
		return r < utf8.RuneSelf && !isWordByte(byte(r)) && r != '/' && r != '.'
	})
}

// saysExtension reports a string that is the end of a name of a file: ".png", '.js?v='.
func saysExtension(src []byte) bool {
	for at := 0; ; at++ {
		i := bytes.IndexByte(src[at:], '.')
		if i < 0 {
			return false
		}
		if at += i; at == 0 || src[at-1] != '"' && src[at-1] != '\'' {
			continue
		}
		v := src[at:min(len(src), at+8)]
		if end := bytes.IndexAny(v[1:], "\"'?"); end > 0 && hasKnownExtension("a"+string(v[:1+end])) {
			return true
		}
	}
}

// partOfAddress reports a string with a slash between or behind letters, one that ends as names of files do, or the beginning of an attribute.
func partOfAddress(v []byte) bool {
	if bytes.Contains(v, []byte("src=")) || bytes.Contains(v, []byte("href=")) || bytes.Contains(v, []byte("url(")) || bytes.Contains(v, []byte("SRC=")) {
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
func (s *jsScan) mayFold(l *jsLexer, k jsKind, text []byte) bool {
	switch k {
	case jsPiece, jsOpen:
		return true
	case jsStr, jsTemplate, jsWord:
		switch c := l.at(0); {
		case c == '+' || jsClass[c]&jsPlain == 0:
			return l.plusFollows()
		case c == '.':
			return l.methodFollows()
		case c == '(' && k == jsWord:
			return s.consts.function(text, s.last() == jsDot) != nil || makesURL(text) || s.b.data != nil && ofElement(text) || l.formatFollows()
		case c == '`':
			return string(text) == "raw"
		}
	case jsOther:
		if c := l.at(0); text[0] == '[' && (c == '"' || c == '\'' || jsIdent(c) && s.consts.rows && !s.afterValue()) {
			ahead := l.src[l.pos:min(len(l.src), l.pos+maxHead)]
			return bytes.Contains(ahead, []byte("].join("))
		}
	}
	return false
}

// methodFollows reports that a method of strings or lists is called on the token that was just read.
func (l *jsLexer) methodFollows() bool {
	end := l.pos + 1
	for end < len(l.src) && jsIdent(l.src[end]) {
		end++
	}
	return end < len(l.src) && l.src[end] == '(' && isMethod(l.src[l.pos+1:end])
}

// formatFollows reports that the first argument of the call that follows is a path in which others are filled in: f("/img/%s.png", name).
func (l *jsLexer) formatFollows() bool {
	q := l.at(1)
	if q != '"' && q != '\'' {
		return false
	}
	v := l.src[l.pos+2 : min(len(l.src), l.pos+maxHead)]
	v = v[:max(0, bytes.IndexByte(v, q))]
	i := bytes.Index(v, []byte("%s"))
	return i >= 0 && bytes.IndexByte(v, '/') >= 0 && bytes.IndexByte(v, ' ') < 0
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
		if text[0] != '`' && bytes.IndexByte(text, '<') < 0 {
			return false
		}
	case jsWord:
		for s.before(back+1).kind == jsDot && s.before(back+2).kind == jsWord && back < len(s.ring)-2 {
			back += 2
		}
		if !s.means(l, text, back > 0) {
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
	if s.before(back+1).kind == jsPlus && (k != jsStr || bytes.IndexByte(text, '<') < 0) || len(l.templates) > foldDepth {
		return false // the end of something that is not known, or deep in templates
	}
	e := s.expr(l, s.consts.left)
	e.k, e.text, e.owner, e.member = k, text, s.before(2).text, back > 0
	val := e.sum(0)
	if s.consts.left -= e.l.pos - l.pos; val.vals == nil || val.kind != oneOf || e.terms < 2 || e.left() {
		return false
	}
	if k == jsWord && !slices.ContainsFunc(val.vals, func(v string) bool { return marked([]byte(v)) }) {
		return false // what a function is called with may say more than it gives
	}
	if before := s.before(1); val.keys != nil && !ofLoop(val.keys) && !pathLike(val.vals[0]) && !val.isMarkup() && (string(before.text) == "=>" || string(before.text) == "return") {
		val.vals = nil // names of chunks, which who calls the function puts behind a folder
	}
	e.goOn(l, e.prev)
	s.n -= back
	if !slices.ContainsFunc(val.vals, isSentence) { // what is told of an address does not make it a part of another
		s.consts.taken++
		for _, part := range s.touched {
			part.used = true
		}
	}
	if s.pending.URL != "" {
		s.waits(jsStr, nil)
	}
	for i, v := range val.vals {
		if i > 0 {
			s.flush()
		}
		if v, whole := ofPage(v); whole && (len(v) <= maxURL || strings.ContainsAny(v, "<(")) && s.b.on(len(v)) {
			s.value([]byte(v))
		}
	}
	s.at = jsSpan{} // what stands for it says nothing
	s.push(jsStr)
	return true
}

// isSentence reports text that begins with a word.
func isSentence(v string) bool {
	word, _, more := strings.Cut(v, " ")
	return more && !strings.ContainsAny(word, "/.") && !strings.ContainsAny(v, "<(")
}

// means reports that a word, or the member that it is, may begin an expression of constants.
func (s *jsScan) means(l *jsLexer, word []byte, member bool) bool {
	c := s.consts
	if member {
		return c.get(ofMember, word) != nil || c.get(ofList, word) != nil || ofLocation(s.before(2).text, word) || c.function(word, true) != nil || string(word) == "raw" ||
			(string(s.before(2).text) == "this" || isClass(s.before(2).text)) && c.get(ofVariable, word) != nil || c.get(ofList, s.before(2).text) != nil ||
			s.b.data != nil && (ofElement(word) || string(s.before(2).text) == "dataset")
	}
	return c.get(ofVariable, word) != nil || c.get(ofList, word) != nil || l.at(0) == '(' && (c.function(word, false) != nil || makesURL(word) || l.formatFollows())
}

// ofElement reports methods that read an attribute of an element, the browser's and jQuery's.
func ofElement(name []byte) bool {
	switch string(name) {
	case "getAttribute", "data", "attr":
		return true
	}
	return false
}

// makesURL reports functions of browsers whose result may be an address.
func makesURL(name []byte) bool { return string(name) == "atob" || string(name) == "URL" }

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
