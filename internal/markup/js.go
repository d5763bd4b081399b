package markup

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const (
	jsImport = "js/import"
	jsString = "js/string"
)

// scriptType says what a script element holds.
type scriptType uint8

const (
	scriptCode  scriptType = iota
	scriptData             // JSON
	scriptOther            // templates and other languages: not read
)

func scriptTypeOf(typ []byte) scriptType {
	t := strings.ToLower(string(bytes.TrimSpace(typ)))
	t, _, _ = strings.Cut(t, ";")
	switch {
	case t == "" || t == "module" || strings.Contains(t, "javascript") || strings.Contains(t, "ecmascript") || strings.HasSuffix(t, "jscript"):
		return scriptCode
	case strings.Contains(t, "json") || t == "importmap" || t == "speculationrules":
		return scriptData
	}
	return scriptOther
}

// js finds literals: modules, workers and imported scripts are embeds, strings
// that look like URLs are guesses. Strings that are glued to others are parts of
// URLs and are left out.
func (b *builder) js(src []byte, data bool) {
	if bytes.IndexByte(src, '"') < 0 && bytes.IndexByte(src, '\'') < 0 && bytes.IndexByte(src, '`') < 0 {
		return
	}
	s := jsScan{b: b, data: data}
	l := jsLexer{src: src}
	for {
		from := l.pos
		k, text := l.next(s.afterValue)
		if k == jsEnd || !b.on(l.pos-from) {
			break
		}
		s.token(k, text)
	}
	s.flush()
}

// jsScan is the little context that decides about a string: the token before,
// the one after, and the function it is an argument of.
type jsScan struct {
	b          *builder
	data       bool
	afterValue bool // the last token ends an expression, so that "/" divides
	last       jsKind
	word       string // the last token, when it is an identifier or keyword
	callee     string // the word before the last opening bracket
	pending    string // a guess waiting for the token after it
}

func (s *jsScan) token(k jsKind, text []byte) {
	if k == jsPlus {
		s.pending = ""
	}
	s.flush()
	word := ""
	value := k == jsNumber || k == jsStr || k == jsTemplate || k == jsRegExp || k == jsClose || k == jsValue
	switch k {
	case jsStr, jsTemplate:
		s.literal(text)
	case jsOpen:
		s.callee = s.word
	case jsClose:
		s.callee = ""
	case jsWord:
		if len(text) <= len("importScripts") {
			word = string(text)
		}
		value = !beforeValue(word)
	}
	s.last, s.word, s.afterValue = k, word, value
}

func (s *jsScan) literal(tok []byte) {
	if len(tok) < 4 || len(tok) > maxURL {
		return
	}
	v := jsUnescape(tok[1 : len(tok)-1])
	if !s.data && s.loads(v) {
		s.b.add([]byte(v), Embed, jsImport)
		return
	}
	if s.last != jsPlus && looksLikeURL(v) {
		s.pending = v
	}
}

// loads reports a literal that the browser fetches: import and export … from,
// import(), importScripts(), workers.
func (s *jsScan) loads(v string) bool {
	switch {
	case s.word == "from" || s.word == "import", s.last == jsOpen && s.callee == "import":
		// A bare module name is no URL.
		return strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../") || strings.HasPrefix(v, "http")
	case s.callee == "importScripts":
		return s.last == jsOpen || s.last == jsComma
	case s.callee == "Worker" || s.callee == "SharedWorker":
		return s.last == jsOpen
	}
	return false
}

func (s *jsScan) flush() {
	if s.pending != "" {
		s.b.add([]byte(s.pending), Speculative, jsString)
		s.pending = ""
	}
}

// jsUnescape decodes the escapes of string literals (ECMA-262, 12.9.4) and JSON.
func jsUnescape(s []byte) string {
	if bytes.IndexByte(s, '\\') < 0 {
		return string(s)
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			continue
		}
		i++
		switch s[i] {
		case 'u', 'x':
			n := 4
			if s[i] == 'x' {
				n = 2
			}
			if r, ok := hexRune(s[i+1:], n); ok {
				out = utf8.AppendRune(out, r)
				i += n
			}
		case 'n', 'r', 't', 'b', 'f', 'v', '0':
			out = append(out, ' ') // no URL either way
		case '\n':
		default:
			out = append(out, s[i])
		}
	}
	return string(out)
}

func hexRune(s []byte, n int) (rune, bool) {
	if len(s) < n {
		return 0, false
	}
	var r rune
	for _, c := range s[:n] {
		d := hexDigit(c)
		if d < 0 {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}
