package markup

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const (
	cssURL    = "css/url"
	cssImport = "css/@import"
)

// mayRefer is a cheap test whether CSS can hold a reference at all. An escape
// can spell any of the names.
func mayRefer(s []byte) bool {
	if bytes.IndexByte(s, '\\') >= 0 {
		return true
	}
	for i := 0; ; i++ {
		n := bytes.IndexByte(s[i:], '(')
		if n < 0 {
			break
		}
		i += n
		if suffixFold(s[:i], "url") || suffixFold(s[:i], "image-set") || suffixFold(s[:i], "src") {
			return true
		}
	}
	for i := 0; ; i++ {
		n := bytes.IndexByte(s[i:], '@')
		if n < 0 {
			return false
		}
		if i += n; hasFold(s[i+1:], "import") {
			return true
		}
	}
}

// suffixFold reports an ending, which is in lower case and ASCII.
func suffixFold(s []byte, suffix string) bool {
	return len(s) >= len(suffix) && hasFold(s[len(s)-len(suffix):], suffix)
}

// css finds what a style sheet refers to: url(), src(), image-set() and @import.
func (b *builder) css(src []byte) {
	if !mayRefer(src) {
		return
	}
	l := cssLexer{src: src}
	var (
		atRule  []byte // name of the at-rule whose prelude is being read
		target  bool   // @import: the URL is still to come
		ruled   bool   // a rule stood before: browsers take no @import behind one
		escaped []byte // what stands in url( whose name has an escape, nil = none
		begun   int    // where the statement begins
		void    int    // braces of a rule that browsers leave out
		calls   []bool // open functions and brackets: do strings in them name files?
	)
	for asked := 0; ; {
		before := l.pos
		k, text := l.next()
		if n := l.pos - asked; n >= often {
			if asked = l.pos; !b.on(n) {
				return
			}
		}
		if escaped != nil {
			escaped = append(escaped, src[before:l.pos-len(text)]...)
			switch {
			case k == cssClose || k == cssEnd || len(escaped) > maxURL:
				b.addCSS(cssURLValue(append([]byte("url("), escaped...)), cssURL)
				escaped = nil
			case k != cssFunction && k != cssText:
				escaped = append(escaped, text...)
			}
		}
		switch k {
		case cssEnd:
			return
		case cssAt:
			atRule = cssName(text[1:])
			target = string(atRule) == "import"
		case cssSemicolon, cssOpenBrace, cssCloseBrace:
			switch {
			case k == cssOpenBrace && (void > 0 || slashes(src[begun:])):
				void++
			case k == cssCloseBrace:
				void = max(void-1, 0)
			}
			begun = l.pos
			ruled = ruled || k == cssOpenBrace
			atRule, target, calls = nil, false, calls[:0]
		case cssFunction:
			name := cssName(text[:len(text)-1])
			if string(name) == "url" {
				escaped = []byte{} // the lexer does not know its value by an escaped name
			}
			calls = append(calls, takesFileNames(name))
		case cssOpen:
			calls = append(calls, false)
		case cssClose:
			calls = calls[:max(len(calls)-1, 0)]
		case cssText:
			switch {
			case void > 0 || slashes(src[begun:]):
			case target && len(calls) == 0:
				b.addImport(cssString(text), ruled)
				target = false
			case atRule == nil && len(calls) > 0 && calls[len(calls)-1]:
				b.addCSS(cssString(text), cssURL)
			}
		case cssAddress:
			switch {
			case void > 0 || slashes(src[begun:]):
			case target && len(calls) == 0:
				b.addImport(cssURLValue(text), ruled)
				target = false
			case atRule != nil:
				// Names of vocabularies and of pages, what is asked for in a condition: no files.
			default:
				url := cssURLValue(text)
				if name := customProperty(src[begun:]); name != nil && b.setCustom(name, url) {
					continue
				}
				b.addCSS(url, cssURL)
			}
		}
	}
}

// slashes reports a rule or declaration that begins as comments of other languages do. Browsers leave it out, with all that is in its braces.
func slashes(s []byte) bool {
	for len(s) > 0 && isBlank(s[0]) {
		s = s[1:]
	}
	return len(s) > 1 && s[0] == '/' && s[1] == '/'
}

// customProperty returns the name that a declaration gives a value to use elsewhere: --name: value. nil: it is another one.
func customProperty(s []byte) []byte {
	for len(s) > 0 && isBlank(s[0]) {
		s = s[1:]
	}
	if len(s) < 3 || s[0] != '-' || s[1] != '-' {
		return nil
	}
	if i := bytes.IndexByte(s[:min(len(s), maxName)], ':'); i > 2 {
		return bytes.TrimRight(s[:i], " \t\r\n")
	}
	return nil
}

// custom is a relative address that a page gives a name: it is relative to the style sheet that uses it.
type custom struct{ name, url string }

// setCustom keeps it until the page is read, which tells who uses it. false: it is relative to nothing else.
func (b *builder) setCustom(name, url []byte) bool {
	if b.doc.Kind != HTML || b.quotes > 0 || len(b.custom) >= maxCustom || len(url) == 0 || len(url) > maxURL || url[0] == '/' || url[0] == '#' || hasScheme(url, "data:") || schemeLen(string(url)) > 0 {
		return false
	}
	b.custom = append(b.custom, custom{string(name), string(url)})
	return true
}

// maxCustom is how many of a page are kept.
const maxCustom = 64

// useCustom adds what was kept, relative to the page where it uses the name; else to its style sheets, and to the page as a guess: a script may ask.
func (b *builder) useCustom() {
	if len(b.custom) == 0 {
		return
	}
	var sheets []string
	for i := range b.doc.Links {
		if l := &b.doc.Links[i]; l.Kind == Embed && strings.HasPrefix(l.Context, "link/@href[rel=stylesheet") && len(sheets) < maxSheets {
			sheets = append(sheets, l.URL)
		}
	}
	used := b.usedCustom()
	for _, c := range b.custom {
		if _, is := used[c.name]; is || len(sheets) == 0 {
			b.addCSS([]byte(c.url), cssURL)
			continue
		}
		for _, sheet := range sheets {
			b.addCSS([]byte(joinRef(sheet, c.url)), cssURL)
		}
		b.add([]byte(c.url), Speculative, cssURL)
	}
}

// maxSheets is of how many style sheets one of them may use a name.
const maxSheets = 8

// usedCustom returns the names that the page uses: var(--name).
func (b *builder) usedCustom() map[string]struct{} {
	used := map[string]struct{}{}
	text := b.page
	for len(used) < maxCustom {
		i := bytes.IndexByte(text, '(')
		if i < 0 || !b.on(i+1) {
			break
		}
		is := i >= 3 && bytes.EqualFold(text[i-3:i], []byte("var"))
		if text = text[i+1:]; !is {
			continue
		}
		name := bytes.TrimLeft(text[:min(len(text), 2*maxName)], " \t\r\n")
		if end := bytes.IndexAny(name, " \t\r\n,)"); end > 0 {
			used[string(name[:end])] = struct{}{}
		}
	}
	return used
}

func (b *builder) addCSS(url []byte, context string) {
	if b.quotes > 0 && !b.written && !plausibleLazy(url) {
		return
	}
	b.add(url, Embed, context)
	if folder, is := bytes.CutSuffix(url, []byte(leafletIcon)); is && b.quotes == 0 && (len(folder) == 0 || folder[len(folder)-1] == '/') {
		for _, name := range [...]string{leafletRetina, leafletShadow} {
			b.addString(string(folder)+name, Speculative, context)
		}
	}
}

// Leaflet finds out where its icons are by that in its style sheet.
const leafletIcon, leafletRetina, leafletShadow = "marker-icon.png", "marker-icon-2x.png", "marker-shadow.png"

// isLeaflets reports what Leaflet puts behind that folder.
func isLeaflets(v string) bool { return v == leafletIcon || v == leafletRetina || v == leafletShadow }

// addImport takes a style sheet that is imported; late is a guess.
func (b *builder) addImport(url []byte, late bool) {
	if late {
		b.add(url, Speculative, cssImport)
		return
	}
	b.addCSS(url, cssImport)
}

// cssName returns a name in lower case, its escapes decoded.
func cssName(s []byte) []byte {
	for _, c := range s {
		if c == '\\' || 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf {
			return bytes.ToLower(cssUnescape(s))
		}
	}
	return s
}

func takesFileNames(function []byte) bool {
	switch string(function) {
	case "image-set", "-webkit-image-set", "src", "url", "image":
		return true
	}
	return false
}

// cssURLValue returns the value of a url(…) token, quoted or not.
func cssURLValue(tok []byte) []byte {
	i := bytes.IndexByte(tok, '(')
	inner := bytes.TrimSuffix(tok[i+1:], []byte(")"))
	// An escaped bracket or blank at the end belongs to the value.
	if len(inner) > 0 && inner[len(inner)-1] == '\\' && len(inner) < len(tok)-i-1 {
		inner = tok[i+1:]
	}
	inner = bytes.TrimLeft(inner, " \t\n\r\f")
	if len(inner) > 0 && (inner[0] == '"' || inner[0] == '\'') {
		return cssString(bytes.TrimRight(inner, " \t\n\r\f"))
	}
	for n := len(inner); n > 0 && isHTMLSpace(rune(inner[n-1])) && (n < 2 || inner[n-2] != '\\'); n-- {
		inner = inner[:n-1]
	}
	return cssUnescape(inner)
}

// cssString returns the value of a string token, which the end of the file may
// have left without its closing quote.
func cssString(tok []byte) []byte {
	if len(tok) == 0 {
		return nil
	}
	quote := tok[0]
	tok = tok[1:]
	if n := len(tok); n > 0 && tok[n-1] == quote && !escapedEnd(tok[:n-1]) {
		tok = tok[:n-1]
	} else if escapedEnd(tok) {
		tok = tok[:n-1] // a string cut after its backslash ends before it
	}
	return cssUnescape(tok)
}

// escapedEnd reports an odd number of backslashes at the end.
func escapedEnd(s []byte) bool {
	n := 0
	for n < len(s) && s[len(s)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// cssUnescape decodes escapes (CSS Syntax 3, 4.3.7): one to six hexadecimal
// digits with one blank after them, a line break that vanishes, any other
// character itself.
func cssUnescape(s []byte) []byte {
	if bytes.IndexByte(s, '\\') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			out = append(out, s[i])
			i++
			continue
		}
		i++
		if i == len(s) {
			return append(out, "\uFFFD"...)
		}
		var r rune
		n := 0
		for ; n < 6 && i+n < len(s) && hexDigit(s[i+n]) >= 0; n++ {
			r = r<<4 | rune(hexDigit(s[i+n]))
		}
		switch {
		case n > 0:
			if r == 0 || !utf8.ValidRune(r) {
				r = utf8.RuneError
			}
			out = utf8.AppendRune(out, r)
			i += n
			if i < len(s) && isHTMLSpace(rune(s[i])) {
				i += newlineLen(s[i:])
			}
		case isHTMLSpace(rune(s[i])) && s[i] != ' ' && s[i] != '\t':
			i += newlineLen(s[i:])
		default:
			out = append(out, s[i])
			i++
		}
	}
	return out
}

func newlineLen(s []byte) int {
	if len(s) > 1 && s[0] == '\r' && s[1] == '\n' {
		return 2
	}
	return 1
}

func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
