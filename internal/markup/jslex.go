package markup

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// jsKind is what a token is, as far as it matters for the strings around it.
type jsKind uint8

const (
	jsEnd      jsKind = iota // of the script
	jsWord                   // identifier, keyword, #private name
	jsNumber                 // and the letters glued to it
	jsRegExp                 // with its flags
	jsPlus                   // +
	jsComma                  // ,
	jsBrace                  // {
	jsColon                  // :
	jsAssign                 // =
	jsDot                    // .
	jsOther                  // whatever else, and what is broken
	jsStr                    // with its quotes; from here on those that say something about links
	jsTemplate               // with its quotes, without substitutions
	jsPiece                  // of a template with substitutions, before one
	jsOpen                   // (
	jsClose                  // )
	jsValue                  // ends an expression: ] } ++ -- and the end of a template with substitutions
)

// jsLexer divides a script into tokens (ECMA-262, 12). What is no script it divides
// too: there are no errors, a string without an end is a jsOther up to the end of its
// line. Each byte is looked at a bounded number of times, whatever stands before or
// behind it (ADR 33).
type jsLexer struct {
	src       []byte
	pos       int
	lineBegan bool  // something stands on this line already
	open      int   // braces
	templates []int // open, where a template's substitution began
}

// next returns the next token that is neither white space nor a comment, behind the
// last one, which tells whether "/" divides. The text is part of the script.
func (l *jsLexer) next(last jsKind, lastText []byte) (jsKind, []byte) {
	if l.pos == len(l.src) || jsClass[l.src[l.pos]]&jsPlain == 0 {
		if l.skip(); l.pos == len(l.src) {
			return jsEnd, nil
		}
	}
	start := l.pos
	l.lineBegan = true
	c := l.src[start]
	switch k := jsFirst[c]; {
	case k == jsWord:
		end := start + 1
		for end < len(l.src) && jsClass[l.src[end]]&jsLetter != 0 {
			end++
		}
		if l.pos = end; end < len(l.src) && jsIdent(l.src[end]) {
			l.ident()
		}
		return k, l.src[start:l.pos]
	case k != jsEnd:
		l.pos++
		return k, l.src[start:l.pos]
	case c == '/' && !endsValue(last, lastText):
		k = l.regexp()
		return k, l.src[start:l.pos]
	default:
		k = l.token(c)
		return k, l.src[start:l.pos]
	}
}

// maxJoined is how long strings are that are joined.
const maxJoined = 64 << 10

// joined returns a string with those that are added to it, as in "<scr" + "ipt>": what stands in the script in parts is one for
// who runs it.
func (l *jsLexer) joined(text []byte) []byte {
	if c := l.at(0); c != '+' && jsClass[c]&jsPlain != 0 {
		return text
	}
	for parts := 0; ; parts++ {
		before := *l
		l.skip()
		if l.at(0) != '+' {
			*l = before
			return text
		}
		l.pos++
		l.skip()
		if c := l.at(0); c != '"' && c != '\'' || len(text) > maxJoined {
			*l = before
			return text
		}
		k, more := l.next(jsOther, nil)
		if k != jsStr {
			*l = before
			return text
		}
		if parts == 0 {
			text = bytes.Clone(text)
		}
		text = append(append(text[:len(text)-1], more[1:len(more)-1]...), text[0])
	}
}

// at returns the byte n places further on, 0 behind the end.
func (l *jsLexer) at(n int) byte {
	if l.pos+n < len(l.src) {
		return l.src[l.pos+n]
	}
	return 0
}

// skip passes white space and comments, also those that browsers take over from
// HTML (ECMA-262, B.1.1).
func (l *jsLexer) skip() {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case jsClass[c]&jsPlain != 0:
			return
		case c == '\n' || c == '\r':
			l.pos++
			l.lineBegan = false
		case c == ' ' || '\t' <= c && c <= '\f':
			for l.pos++; l.at(0) == ' '; {
				l.pos++
			}
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(l.src[l.pos:])
			if r != '\uFEFF' && r != '\u2028' && r != '\u2029' && !unicode.Is(unicode.Zs, r) {
				return
			}
			l.pos += n
			l.lineBegan = l.lineBegan && r != '\u2028' && r != '\u2029'
		case c == '/' && l.at(1) == '*':
			l.pos += 2
			if n := bytes.Index(l.src[l.pos:], []byte("*/")); n >= 0 {
				l.pos += n + 2
			} else {
				l.pos = len(l.src)
			}
		case c == '/' && l.at(1) == '/', c == '#' && l.at(1) == '!' && l.pos == 0, c == '<' && l.has("<!--"), c == '-' && !l.lineBegan && l.has("-->"):
			l.line()
		default:
			return
		}
	}
}

func (l *jsLexer) has(s string) bool { return bytes.HasPrefix(l.src[l.pos:], []byte(s)) }

// line goes to the end of the line, which may be a source map of a megabyte.
func (l *jsLexer) line() {
	for l.pos < len(l.src) && !l.lineEnd() {
		if l.src[l.pos] == 0xE2 {
			l.pos++
		}
		piece := l.src[l.pos:min(len(l.src), l.pos+256)]
		for _, end := range [...]byte{'\n', '\r', 0xE2} {
			if n := bytes.IndexByte(piece, end); n >= 0 {
				piece = piece[:n]
			}
		}
		l.pos += len(piece)
	}
}

func (l *jsLexer) lineEnd() bool {
	c := l.src[l.pos]
	return c == '\n' || c == '\r' || c == 0xE2 && l.at(1) == 0x80 && (l.at(2) == 0xA8 || l.at(2) == 0xA9)
}

// token reads a token that begins with c.
func (l *jsLexer) token(c byte) jsKind {
	switch {
	case c == '"' || c == '\'':
		return l.str(c)
	case '0' <= c && c <= '9', c == '.' && '0' <= l.at(1) && l.at(1) <= '9':
		return l.number()
	case jsIdent(c) || c == '#' && jsIdent(l.at(1)):
		l.pos++
		l.ident()
		return jsWord
	case c == '`':
		return l.template(jsTemplate)
	}
	l.pos++
	switch c {
	case '.':
		return jsDot
	case '=':
		if l.at(0) == '=' || l.at(0) == '>' {
			for l.at(0) == '=' || l.at(0) == '>' {
				l.pos++
			}
			return jsOther
		}
		return jsAssign
	case '!', '<', '>':
		if l.at(0) == '=' {
			l.pos++
		}
	case '{':
		l.open++
		return jsBrace
	case '}':
		if n := len(l.templates); n > 0 && l.templates[n-1] == l.open {
			l.templates = l.templates[:n-1]
			l.pos--
			return l.template(jsValue)
		}
		l.open--
		return jsValue
	case '+', '-':
		switch {
		case l.at(0) == c:
			l.pos++
			return jsValue
		case l.at(0) == '=':
			l.pos++
		case c == '+':
			return jsPlus
		}
	}
	return jsOther
}

// jsIdent reports bytes of identifiers and of their escapes, and digits. Letters
// outside ASCII are not told from other signs: scripts have none there.
func jsIdent(c byte) bool { return jsClass[c]&jsName != 0 }

// Classes of bytes.
const (
	jsName   = 1 << iota // of identifiers
	jsLetter             // of them those in ASCII that are no escape
	jsPlain              // neither white space nor the beginning of it or of a comment
	jsMark               // of strings that mean something here: addresses, documents, parameters, and escapes
)

var jsClass = func() (class [256]uint8) {
	for i := range class {
		c := byte(i)
		if 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '$' {
			class[i] |= jsName | jsLetter
		}
		if c == '\\' || c >= utf8.RuneSelf {
			class[i] |= jsName
		}
		if c > ' ' && c < utf8.RuneSelf && c != '/' && c != '<' && c != '-' && c != '#' {
			class[i] |= jsPlain
		}
		if strings.IndexByte("/.<(={[:@%\\", c) >= 0 {
			class[i] |= jsMark
		}
	}
	return class
}()

// jsFirst is what a token is that begins with a byte, where that tells: a word, or what has one byte only.
var jsFirst = func() (kinds [256]jsKind) {
	for i := range kinds {
		if c := byte(i); jsClass[c]&jsLetter != 0 && (c < '0' || c > '9') {
			kinds[i] = jsWord
		}
	}
	for _, c := range []byte(";[?*%&|^~@") {
		kinds[c] = jsOther
	}
	kinds['('], kinds[')'], kinds[','], kinds[':'], kinds[']'] = jsOpen, jsClose, jsComma, jsColon, jsValue
	return kinds
}()

// ident goes to the end of an identifier.
func (l *jsLexer) ident() {
	for l.pos < len(l.src) && jsIdent(l.src[l.pos]) {
		if l.src[l.pos] >= utf8.RuneSelf {
			if r, _ := utf8.DecodeRune(l.src[l.pos:]); r == '\u2028' || r == '\u2029' || r == '\uFEFF' || unicode.Is(unicode.Zs, r) {
				return
			}
		}
		l.pos++
	}
}

// number reads digits, and the sign of an exponent.
func (l *jsLexer) number() jsKind {
	hex := l.at(0) == '0' && l.at(1)|0x20 == 'x'
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case (c == '+' || c == '-') && !hex && l.src[l.pos-1]|0x20 == 'e':
		case !jsIdent(c) && c != '.' || c >= utf8.RuneSelf:
			return jsNumber
		}
		l.pos++
	}
	return jsNumber
}

// str reads a string to its quote, or to the end of its line.
func (l *jsLexer) str(quote byte) jsKind {
	for l.pos++; ; l.pos++ {
		if l.pos > len(l.src) {
			break
		}
		if l.pos += insideLen(l.src[l.pos:], quote); l.pos == len(l.src) {
			break
		}
		switch l.src[l.pos] {
		case quote:
			l.pos++
			return jsStr
		case '\\':
			if l.at(1) == '\r' && l.at(2) == '\n' {
				l.pos++
			}
			l.pos++
		case '\n', '\r':
			return jsOther
		}
	}
	l.pos = len(l.src) // a backslash may have led beyond it
	return jsOther
}

// regexp reads a regular expression, or to the end of its line.
func (l *jsLexer) regexp() jsKind {
	class := false
	for l.pos++; l.pos < len(l.src) && !l.lineEnd(); l.pos++ {
		switch l.src[l.pos] {
		case '[':
			class = true
		case ']':
			class = false
		case '\\':
			if l.pos+1 < len(l.src) && l.at(1) != '\n' && l.at(1) != '\r' {
				l.pos++
			}
		case '/':
			if !class {
				l.pos++
				l.ident()
				return jsRegExp
			}
		}
	}
	return jsOther
}

// template reads on from a backquote, or from the brace that ends a substitution,
// to the quote that ends the template, which makes it a whole, or to the next
// substitution.
func (l *jsLexer) template(whole jsKind) jsKind {
	for l.pos++; l.pos < len(l.src); l.pos++ {
		switch l.src[l.pos] {
		case '`':
			l.pos++
			return whole
		case '\\':
			l.pos++
		case '$':
			if l.at(1) == '{' {
				l.pos += 2
				l.templates = append(l.templates, l.open)
				return jsPiece
			}
		}
	}
	l.pos = len(l.src)
	return jsOther
}

// beforeValue reports keywords behind which an expression begins, so that "/" does.
func beforeValue(word []byte) bool {
	switch string(word) {
	case "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else", "enum",
		"export", "extends", "finally", "for", "function", "if", "import", "in", "instanceof", "new", "return", "switch", "throw",
		"try", "typeof", "var", "void", "while", "with", "yield":
		return true
	}
	return false
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
