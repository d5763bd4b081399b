package markup

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// tokenKind is what a token of markup is.
type tokenKind uint8

const (
	tokEnd     tokenKind = iota // of the document; a tag that does not end is none
	tokText                     // also of CDATA sections
	tokStart                    // a start tag
	tokVoid                     // a start tag that ends with "/>"
	tokClose                    // an end tag
	tokComment                  // and what is read as one: processing instructions, other declarations
	tokDoctype                  // without "<!DOCTYPE"
	tokNothing                  // "</>"
)

// lexer divides a document into tokens as the HTML standard does (13.2.5), without a tree: the parser tells it what
// the tree would (raw, cdata). It reads the document where it lies: tokens are parts of it unless something in them
// must be decoded, and time is linear in its length. golang.org/x/net/html, which divides alike, is what it is compared with by the tests.
type lexer struct {
	src   []byte
	pos   int
	cdata bool // "<![CDATA[" begins a section
	plain bool // it has neither carriage returns nor what no text may have: nothing must be replaced

	// Of the present token.
	size  int                 // of its source
	name  []byte              // of a tag, in lower case
	attrs []attr              // of a start tag, at most maxAttrs, each name once, in lower case
	text  []byte              // of text, comments and doctypes
	names map[string]struct{} // of attrs, when they are many
	room  []byte              // of names that were in upper case

	bound int // where a comment ends at the latest that began before; 0 = nowhere

	raw string // the element whose text comes next; "" = none. The parser may take it back
}

// attr is an attribute of a tag.
type attr struct{ key, val []byte }

// next reads a token. What it holds is valid until the next one is read.
func (l *lexer) next() tokenKind {
	start := l.pos
	k := l.token()
	l.size = l.pos - start
	return k
}

func (l *lexer) token() tokenKind {
	if l.raw != "" {
		name := l.raw
		l.raw = ""
		if text := l.rawText(name); len(text) > 0 {
			l.text = l.whole(text)
			if name == "title" || name == "textarea" {
				l.text = unescape(l.text)
			}
			return tokText
		}
	}
	if l.pos == len(l.src) {
		return tokEnd
	}
	if n := textLen(l.src[l.pos:]); n > 0 {
		l.text = unescape(l.lines(l.src[l.pos : l.pos+n]))
		l.pos += n
		return tokText
	}
	switch c := l.src[l.pos+1]; c {
	case '/':
		return l.close()
	case '!':
		return l.declaration()
	case '?':
		l.bogus(l.pos + 1)
		return tokComment
	}
	return l.start()
}

// textLen returns how much of s is text, before a tag, a comment or the like.
func textLen(s []byte) int {
	for at := 0; ; {
		i := bytes.IndexByte(s[at:], '<')
		if i < 0 {
			return len(s)
		}
		at += i
		if at+1 == len(s) {
			return len(s)
		}
		switch c := s[at+1]; {
		case isLetter(c), c == '!', c == '?':
			return at
		case c == '/':
			if at+2 == len(s) {
				return len(s)
			}
			return at
		}
		at++
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

// start reads a start tag.
func (l *lexer) start() tokenKind {
	closed, ok := l.tag(true)
	if !ok {
		return tokEnd
	}
	switch string(l.name) {
	case "script", "style", "title", "textarea", "iframe", "noembed", "noframes", "noscript", "plaintext", "xmp":
		l.raw = string(l.name)
	}
	if closed {
		return tokVoid
	}
	return tokStart
}

// close reads what begins with "</".
func (l *lexer) close() tokenKind {
	switch c := l.src[l.pos+2]; {
	case c == '>':
		l.pos += 3
		return tokNothing
	case !isLetter(c):
		l.bogus(l.pos + 2)
		return tokComment
	}
	l.pos++
	if _, ok := l.tag(false); !ok {
		return tokEnd
	}
	return tokClose
}

// tag reads a tag from the byte before its name on, and tells whether it ends with "/>". A tag that the document does not end is
// passed over: ok is false.
func (l *lexer) tag(attrs bool) (closed, ok bool) {
	s, i := l.src, l.pos+1
	begin := i
	for i < len(s) && !isBlank(s[i]) && s[i] != '/' && s[i] != '>' {
		i++
	}
	l.room = l.room[:0]
	l.name = l.lowered(s[begin:i])
	l.attrs = l.attrs[:0]
	for solidus := -1; ; {
		for i < len(s) && isBlank(s[i]) {
			i++
		}
		if i == len(s) {
			break
		}
		if s[i] == '>' {
			l.pos = i + 1
			return solidus == i-1, true
		}
		begin := i
		for i < len(s) && !isBlank(s[i]) && s[i] != '/' && s[i] != '>' && (s[i] != '=' || i == begin) {
			i++
		}
		key := s[begin:i]
		for i < len(s) && isBlank(s[i]) {
			i++
		}
		if i == len(s) {
			break
		}
		var val []byte
		switch s[i] {
		case '/':
			solidus = i
			i++
		case '=':
			val, i = attrValue(s, i+1)
		}
		if attrs && len(key) > 0 && len(l.attrs) < maxAttrs {
			if k := l.lowered(key); !l.has(k) {
				l.attrs = append(l.attrs, attr{k, decodeValue(l.whole(val))})
				l.know()
			}
		}
	}
	l.pos = len(s)
	return false, false
}

// attrValue reads the value of an attribute from behind its "=" on, and returns where it goes on behind it.
func attrValue(s []byte, i int) (val []byte, next int) {
	for i < len(s) && isBlank(s[i]) {
		i++
	}
	if i == len(s) || s[i] == '>' {
		return nil, i
	}
	if q := s[i]; q == '"' || q == '\'' {
		n := bytes.IndexByte(s[i+1:], q)
		if n < 0 {
			return nil, len(s)
		}
		return s[i+1 : i+1+n], i + 1 + n + 1
	}
	begin := i
	for i < len(s) && !isBlank(s[i]) && s[i] != '>' {
		i++
	}
	return s[begin:i], i
}

// fewAttrs is how many names are compared one by one; more are looked up.
const fewAttrs = 16

// know keeps the names of a tag with many attributes.
func (l *lexer) know() {
	switch n := len(l.attrs); {
	case n == fewAttrs:
		l.names = make(map[string]struct{}, 4*fewAttrs)
		for _, a := range l.attrs {
			l.names[string(a.key)] = struct{}{}
		}
	case n > fewAttrs:
		l.names[string(l.attrs[n-1].key)] = struct{}{}
	}
}

func (l *lexer) has(key []byte) bool {
	if len(l.attrs) >= fewAttrs {
		_, known := l.names[string(key)]
		return known
	}
	for i := range l.attrs {
		if bytes.Equal(l.attrs[i].key, key) {
			return true
		}
	}
	return false
}

// declaration reads what begins with "<!".
func (l *lexer) declaration() tokenKind {
	s := l.src[l.pos+2:]
	const doctype, section = "doctype", "[CDATA["
	switch {
	case bytes.HasPrefix(s, []byte("--")):
		l.comment(s[2:])
		return tokComment
	case hasFold(s, doctype):
		from := l.pos + 2 + len(doctype)
		for from < len(l.src) && isBlank(l.src[from]) {
			from++
		}
		l.bogus(from)
		return tokDoctype
	case l.cdata && bytes.HasPrefix(s, []byte(section)):
		s = s[len(section):]
		n := bytes.Index(s, []byte("]]>"))
		if l.pos = len(l.src); n >= 0 {
			l.pos -= len(s) - n - 3
			s = s[:n]
		}
		l.text = l.whole(s)
		return tokText
	case l.cdata && l.conditional(s):
		return tokComment
	}
	l.bogus(l.pos + 2)
	return tokComment
}

// conditional enters a section of a DTD that is there by condition (XML 1.0, 3.4), "<![%a.module;[": unless it says IGNORE, what is in it counts.
func (l *lexer) conditional(s []byte) bool {
	if len(s) == 0 || s[0] != '[' {
		return false
	}
	s = s[1:min(len(s), maxName)]
	open := bytes.IndexByte(s, '[')
	if end := bytes.IndexByte(s, '>'); open < 0 || end >= 0 && end < open || string(bytes.TrimSpace(s[:open])) == "IGNORE" {
		return false
	}
	l.pos += len("<![") + open + 1
	l.text = l.whole(s[:0])
	return true
}

// bogus reads up to the next ">".
func (l *lexer) bogus(from int) {
	s := l.src[from:]
	n := bytes.IndexByte(s, '>')
	if l.pos = len(l.src); n >= 0 {
		l.pos = from + n + 1
		s = s[:n]
	}
	l.text = l.whole(s)
}

// comment reads a comment whose content s begins with.
func (l *lexer) comment(s []byte) {
	n, end := commentEnd(s)
	from := len(l.src) - len(s)
	if from < l.bound && from+end > l.bound {
		n, end = l.bound-from, l.bound-from
	}
	l.pos = from + end
	l.text = l.whole(s[:n])
}

// textOnly notes that what follows is text for browsers, up to the end of its element, though it is read: no comment goes on behind that.
func (l *lexer) textOnly(name string) {
	if l.bound <= l.pos {
		l.bound = l.pos + endTag(l.src[l.pos:], name)
	}
}

// commentEnd returns how long the comment is that s begins with, without and with what ends it.
func commentEnd(s []byte) (n, end int) {
	switch {
	case bytes.HasPrefix(s, []byte(">")):
		return 0, 1
	case bytes.HasPrefix(s, []byte("->")):
		return 0, 2
	}
	for at := 0; ; {
		i := bytes.Index(s[at:], []byte("--"))
		if i < 0 {
			return len(s), len(s)
		}
		at += i + 2
		for at < len(s) && s[at] == '-' {
			at++
		}
		switch {
		case bytes.HasPrefix(s[at:], []byte(">")):
			return at - 2, at + 1
		case bytes.HasPrefix(s[at:], []byte("!>")):
			return at - 2, at + 2
		}
	}
}

// rawText reads the text of an element that holds no markup, up to its end tag.
func (l *lexer) rawText(name string) []byte {
	s := l.src[l.pos:]
	n := len(s)
	switch name {
	case "plaintext":
	case "script":
		n = scriptEnd(s)
	default:
		n = endTag(s, name)
	}
	l.pos += n
	return s[:n]
}

// endTag returns where the end tag of an element begins, or the end.
func endTag(s []byte, name string) int {
	for at := 0; ; {
		i := bytes.Index(s[at:], []byte("</"))
		if i < 0 {
			return len(s)
		}
		at += i
		if named(s[at+2:], name) {
			return at
		}
		at += 2
	}
}

// named reports that the name of the tag is this one.
func named(s []byte, name string) bool {
	return hasFold(s, name) && len(s) > len(name) && (isBlank(s[len(name)]) || s[len(name)] == '/' || s[len(name)] == '>')
}

// scriptEnd returns where the end tag of a script begins, or the end: in a comment that holds the start tag of a script, an end tag ends only that
// one (HTML standard 13.2.5.15 to 13.2.5.31).
func scriptEnd(s []byte) int {
	n := endTag(s, "script")
	if !bytes.Contains(s[:n], []byte("<!--")) {
		return n
	}
	const (
		plain = iota
		comment
		double
	)
	state, dashes := plain, 0 // dashes in a row just before
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '-' {
			dashes++
			continue
		}
		rest := s[i:]
		switch {
		case c == '>' && dashes >= 2:
			state = plain
		case c != '<':
		case state == plain && bytes.HasPrefix(rest, []byte("<!--")):
			state, dashes = comment, 2
			i += 3
			continue
		case bytes.HasPrefix(rest, []byte("</")) && named(rest[2:], "script"):
			if state != double {
				return i
			}
			state = comment
			i += len("</script")
			if s[i] == '>' {
				i-- // it may end the comment, too
			}
		case state == comment && named(rest[1:], "script"):
			state = double
			i += len("<script")
			if s[i] == '>' {
				i--
			}
		}
		dashes = 0
	}
	return len(s)
}

// lowered returns a name in lower case.
func (l *lexer) lowered(name []byte) []byte {
	for i, c := range name {
		if 'A' <= c && c <= 'Z' || c == 0 {
			return l.lower(name, i)
		}
	}
	return name
}

// lower makes room for a name in lower case, which it is up to a byte.
func (l *lexer) lower(name []byte, from int) []byte {
	start := len(l.room)
	l.room = append(l.room, name[:from]...)
	for _, c := range name[from:] {
		switch {
		case 'A' <= c && c <= 'Z':
			l.room = append(l.room, c|0x20)
		case c == 0:
			l.room = append(l.room, "\uFFFD"...)
		default:
			l.room = append(l.room, c)
		}
	}
	return l.room[start:len(l.room):len(l.room)]
}

// whole replaces what no text may have, and makes line ends what they are for the standard.
func (l *lexer) whole(s []byte) []byte {
	if l.plain {
		return s
	}
	return nulls(newlines(s))
}

// lines is whole for text in which nothing is replaced.
func (l *lexer) lines(s []byte) []byte {
	if l.plain {
		return s
	}
	return newlines(s)
}

// isPlain reports a document that has nothing to be replaced.
func isPlain(src []byte) bool { return bytes.IndexByte(src, '\r') < 0 && bytes.IndexByte(src, 0) < 0 }

// nulls replaces what no text may have.
func nulls(s []byte) []byte {
	if bytes.IndexByte(s, 0) < 0 {
		return s
	}
	return bytes.ReplaceAll(s, []byte{0}, []byte("\uFFFD"))
}

// newlines makes line ends what they are for the standard: a line feed.
func newlines(s []byte) []byte {
	if bytes.IndexByte(s, '\r') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i, c := range s {
		switch {
		case c != '\r':
			out = append(out, c)
		case i+1 == len(s) || s[i+1] != '\n':
			out = append(out, '\n')
		}
	}
	return out
}

// unescape decodes the character references of a text.
func unescape(s []byte) []byte {
	if bytes.IndexByte(s, '&') < 0 {
		return s
	}
	return []byte(html.UnescapeString(string(s)))
}

// decodeValue decodes the value of an attribute. There a reference without a semicolon counts only when it is the whole name, and nothing is
// assigned to it: "?a=1&copy=2" has none (HTML standard 13.2.5.73).
func decodeValue(s []byte) []byte {
	at := bytes.IndexByte(s, '&')
	if at < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for at >= 0 {
		out = append(out, s[:at]...)
		s = s[at:]
		n := referenceLen(s)
		ref := string(s[:n])
		switch decoded := html.UnescapeString(ref); {
		case strings.HasPrefix(ref, "&#"), ref == "&semi;":
			out = append(out, decoded...)
		case ref[n-1] != ';' && n < len(s) && s[n] == '=', decoded[len(decoded)-1] == ref[n-1]: // only a part of the name is one
			out = append(out, ref...)
		default:
			out = append(out, decoded...)
		}
		s = s[n:]
		at = bytes.IndexByte(s, '&')
	}
	return append(out, s...)
}

// referenceLen returns how long what s begins with may be as a character reference, "&" included.
func referenceLen(s []byte) int {
	i := 1
	if i < len(s) && s[i] == '#' {
		i++
		if i < len(s) && s[i]|0x20 == 'x' {
			i++
		}
	}
	for i < len(s) && (isLetter(s[i]) || '0' <= s[i] && s[i] <= '9') {
		i++
	}
	if i < len(s) && s[i] == ';' {
		i++
	}
	return i
}
