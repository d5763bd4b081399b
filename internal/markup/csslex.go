package markup

import (
	"bytes"
	"unicode/utf8"
)

// cssKind is what a token of a style sheet is, of those that matter for links.
type cssKind uint8

const (
	cssEnd        cssKind = iota // of the style sheet
	cssAt                        // @name
	cssSemicolon                 // ;
	cssOpenBrace                 // {
	cssCloseBrace                // }
	cssFunction                  // name(, also url( whose name has escapes with digits
	cssOpen                      // (
	cssClose                     // )
	cssText                      // a string with its quotes; the last may be missing at the end
	cssAddress                   // url(…) with whatever stands in it; the bracket may be missing at the end
)

// cssLexer divides a style sheet into tokens (CSS Syntax 3, 4.3). Only those that matter are returned, what stands between them is passed:
// names, numbers, comments, signs, strings and url() that are broken. Each byte is looked at a bounded number of times (ADR 33).
type cssLexer struct {
	src []byte
	pos int
}

// next returns the next token that matters, which ends where the lexer stands.
func (l *cssLexer) next() (cssKind, []byte) {
	for l.pos < len(l.src) {
		start := l.pos
		switch c := l.src[start]; cssClass[c] {
		case cssSign:
			for l.pos++; cssClass[l.at(0)] == cssSign && l.pos < len(l.src); {
				l.pos++
			}
			continue
		case cssLetter:
			l.name()
		case cssDigit:
			l.numeric()
			continue
		default:
			k, named := l.special(c)
			if k != cssEnd {
				return k, l.src[start:l.pos]
			}
			if !named {
				continue
			}
		}
		if l.at(0) != '(' {
			continue
		}
		name := l.src[start:l.pos]
		l.pos++
		if !isURLName(name) {
			return cssFunction, l.src[start:l.pos]
		}
		if l.address() {
			return cssAddress, l.src[start:l.pos]
		}
	}
	return cssEnd, nil
}

// special reads what begins with a byte that is neither a letter nor a digit. cssEnd: it does not matter, unless a name was read
// behind which a bracket may open.
func (l *cssLexer) special(c byte) (k cssKind, named bool) {
	switch c {
	case '-':
		switch {
		case l.has("-->"):
			l.pos += len("-->")
		case l.at(1) == '-':
			l.ident()
		case l.ident():
			return cssEnd, true
		case !l.numeric():
			l.pos++
		}
		return cssEnd, false
	case '.', '+':
		if !l.numeric() {
			l.pos++
		}
		return cssEnd, false
	case '\\':
		if l.ident() {
			return cssEnd, true
		}
		l.pos++
		return cssEnd, false
	case '<':
		if l.has("<!--") {
			l.pos += len("<!--")
		} else {
			l.pos++
		}
		return cssEnd, false
	case '/':
		if l.at(1) != '*' {
			l.pos++
		} else if n := bytes.Index(l.src[l.pos+2:], []byte("*/")); n >= 0 {
			l.pos += n + 4
		} else {
			l.pos = len(l.src)
		}
		return cssEnd, false
	case '"', '\'':
		if l.str(c) {
			return cssText, false
		}
		return cssEnd, false
	}
	l.pos++
	switch c {
	case '#':
		l.name()
	case '@':
		if l.ident() {
			return cssAt, false
		}
	case ';':
		return cssSemicolon, false
	case '{':
		return cssOpenBrace, false
	case '}':
		return cssCloseBrace, false
	case '(':
		return cssOpen, false
	case ')':
		return cssClose, false
	}
	return cssEnd, false
}

// Classes of bytes, by what begins with them.
const (
	cssSign    = iota // white space, and signs that mean nothing here
	cssLetter         // a name
	cssDigit          // a number
	cssSpecial        // something else
)

var cssClass = func() (class [256]uint8) {
	for i := range class {
		switch c := byte(i); {
		case 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c >= utf8.RuneSelf:
			class[i] = cssLetter
		case '0' <= c && c <= '9':
			class[i] = cssDigit
		case bytes.IndexByte([]byte("-.+\\</\"'#@;{}()"), c) >= 0:
			class[i] = cssSpecial
		}
	}
	return class
}()

// at returns the byte n places further on, 0 behind the end.
func (l *cssLexer) at(n int) byte {
	if l.pos+n < len(l.src) {
		return l.src[l.pos+n]
	}
	return 0
}

func (l *cssLexer) has(s string) bool { return bytes.HasPrefix(l.src[l.pos:], []byte(s)) }

// name goes to the end of a name.
func (l *cssLexer) name() {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case cssClass[c] == cssLetter, cssClass[c] == cssDigit, c == '-':
			l.pos++
		case c != '\\' || !l.escape():
			return
		}
	}
}

// ident reads a name, if one begins here.
func (l *cssLexer) ident() bool {
	start := l.pos
	if l.at(0) == '-' {
		l.pos++
	}
	switch c := l.at(0); {
	case c == '-' && l.pos > start: // --custom
	case cssClass[c] == cssLetter:
	case c != '\\' || !l.escape():
		l.pos = start
		return false
	}
	l.name()
	return true
}

// escape reads a backslash and what it stands for, unless that is the end of a line or of the style sheet.
func (l *cssLexer) escape() bool {
	switch c := l.at(1); {
	case l.pos+1 == len(l.src), c == '\n', c == '\r', c == '\f':
		return false
	case hexDigit(c) >= 0:
		l.pos += 2
		for n := 1; n < 6 && hexDigit(l.at(0)) >= 0; n++ {
			l.pos++
		}
		if isBlank(l.at(0)) {
			l.pos++
		}
	default:
		_, n := utf8.DecodeRune(l.src[l.pos+1:])
		l.pos += 1 + n
	}
	return true
}

// numeric reads a number with its unit, if one begins here.
func (l *cssLexer) numeric() bool {
	start := l.pos
	if c := l.at(0); c == '+' || c == '-' {
		l.pos++
	}
	whole := l.digits()
	if l.at(0) == '.' && cssClass[l.at(1)] == cssDigit {
		l.pos++
		l.digits()
	} else if !whole {
		l.pos = start
		return false
	}
	if l.at(0)|0x20 == 'e' {
		before := l.pos
		if l.pos++; l.at(0) == '+' || l.at(0) == '-' {
			l.pos++
		}
		if !l.digits() { // a unit
			l.pos = before
		}
	}
	if l.at(0) == '%' {
		l.pos++
	} else {
		l.ident()
	}
	return true
}

func (l *cssLexer) digits() bool {
	start := l.pos
	for cssClass[l.at(0)] == cssDigit {
		l.pos++
	}
	return l.pos > start
}

// str reads a string to its quote or to the end of the style sheet; false: its line ends before.
func (l *cssLexer) str(quote byte) bool {
	for l.pos++; l.pos < len(l.src); {
		switch c := l.src[l.pos]; {
		case c == quote:
			l.pos++
			return true
		case c == '\n', c == '\r', c == '\f':
			l.pos++
			return false
		case c != '\\':
			l.pos++
		case !l.escape():
			if l.pos++; l.pos < len(l.src) {
				l.pos += newlineLen(l.src[l.pos:])
			}
		}
	}
	return true
}

// isURLName reports the name of url(), whose backslashes do not count unless digits follow.
func isURLName(name []byte) bool {
	if len(name) > 3 && bytes.IndexByte(name, '\\') >= 0 {
		name = bytes.ReplaceAll(name, []byte{'\\'}, nil)
	}
	return len(name) == 3 && hasFold(name, "url")
}

// address reads what stands in url() and its bracket; false: that is broken, and was passed with the bracket.
func (l *cssLexer) address() bool {
	l.blanks()
	var whole bool
	if c := l.at(0); c == '"' || c == '\'' {
		whole = l.str(c)
	} else {
		whole = l.unquoted()
	}
	l.blanks()
	if whole && (l.pos == len(l.src) || l.src[l.pos] == ')') {
		l.pos = min(l.pos+1, len(l.src))
		return true
	}
	for l.pos < len(l.src) && l.src[l.pos] != ')' {
		if l.src[l.pos] != '\\' || !l.escape() {
			l.pos++
		}
	}
	l.pos = min(l.pos+1, len(l.src))
	return false
}

// unquoted goes to the end of an address that has no quotes; false: a byte stands there that none has.
func (l *cssLexer) unquoted() bool {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == ')', isBlank(c):
			return true
		case c == '\\':
			if !l.escape() {
				return false
			}
		case c == '"', c == '\'', c == '(', c <= ' ', c == 0x7F:
			return false
		default:
			l.pos++
		}
	}
	return true
}

func (l *cssLexer) blanks() {
	for isBlank(l.at(0)) {
		l.pos++
	}
}
