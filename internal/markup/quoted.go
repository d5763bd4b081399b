package markup

import (
	"bytes"
	"net/url"
	"strings"
	"unicode/utf8"
)

// A string of a script, or an attribute that scripts read, may hold a document: HTML that is written into the
// page, JSON, a style sheet, a list of pictures. What it refers to are guesses, since nobody knows what the
// script does with it; but what document.write writes is part of the page. Texts in it are none of the page's.

const (
	// maxQuoted is how deep documents in strings may stand in each other.
	maxQuoted = 3
	// longString is the length from which a string is searched for addresses that are written out in it.
	longString = maxURL
)

// quotedIn reads the document that a string is; false: it is none. written tells that it becomes part of the page.
func (b *builder) quotedIn(v []byte, written bool) bool {
	if len(v) < 8 || b.quotes >= maxQuoted {
		return false
	}
	v = bytes.TrimSpace(v)
	if len(v) < 8 {
		return false
	}
	var read func()
	switch {
	case likeJSON(v), likeFlight(v):
		read = func() { b.js(v, true) }
	case bytes.IndexByte(v, '<') >= 0 && (bytes.IndexByte(v, '=') > 0 || bytes.IndexByte(v, '(') > 0):
		read = func() { b.fragment(v, maxDepth) }
	case bytes.IndexByte(v, '(') > 0 && mayRefer(v) || bytes.HasPrefix(v, []byte("@import")):
		if open := bytes.LastIndexByte(v, '('); open > bytes.LastIndexByte(v, ')') {
			v = v[:open] // it ends in another string
		}
		read = func() { b.css(v) }
	case len(v) > longString:
		read = func() { b.writtenOut(v) }
	case bytes.IndexByte(v, ' ') > 0 && bytes.ContainsAny(v, "/.") && (v[len(v)-1] == 'x' || v[len(v)-1] == 'w'):
		read = func() {
			srcset(v, func(url []byte) {
				if looksLikeURL(string(url)) {
					b.add(url, Embed, jsString)
				}
			})
		}
	default:
		return false
	}
	b.inside(written, read)
	return true
}

// inside reads a document in a document.
func (b *builder) inside(written bool, read func()) {
	before := b.written
	b.quotes++
	b.written = written && (before || b.quotes == 1)
	read()
	b.quotes--
	b.written = before
}

// fragment takes the links of a piece of HTML. Only tags that may have some are read, each by itself.
func (b *builder) fragment(s []byte, depth int) {
	p := b.parser
	b.parser = nil // a fragment may hold another
	if p == nil {
		p = &markupParser{b: b, kind: HTML}
	}
	p.depth, p.anchor, p.fragment, p.template = depth, -1, true, 1
	p.z.plain = isPlain(s)
	pre, unseen := b.text.pre, b.unseen
	for len(s) > 0 {
		start := bytes.IndexByte(s, '<')
		if start < 0 {
			break
		}
		s = s[start:]
		end := tagEnd(s)
		if end < 0 || !b.on(end) {
			break
		}
		if end == 0 {
			s = s[1:]
			continue
		}
		switch name := rawName(s[1:]); {
		case name != "":
			n := rawEnd(s[end:], name)
			p.tag(s[:end], s[end:end+n])
			end += n
		case s[1] != '/' && mayLink(s[:end]):
			p.tag(s[:end], nil)
		}
		s = s[end:]
	}
	b.text.pre, b.unseen = pre, unseen
	*p = markupParser{b: b, kind: HTML, z: lexer{attrs: p.z.attrs[:0]}, scratch: p.scratch}
	b.parser = p
}

// tag reads a start tag or a comment of a fragment, and the text of its element when that is no markup.
func (p *markupParser) tag(tag, text []byte) {
	p.z.src, p.z.pos = tag, 0
	switch t := p.z.next(); t {
	case tokStart, tokVoid:
		p.onStart(t == tokVoid)
	case tokComment:
		p.onInstruction(p.z.text)
	}
	if p.raw != 0 && len(text) > 0 {
		p.onText(p.z.whole(text))
	}
	p.raw, p.z.raw = 0, ""
}

// tagEnd returns the length of the tag or comment that s begins with; 0 when it begins with text, -1 when
// what it begins with does not end.
func tagEnd(s []byte) int {
	if len(s) < 3 || !(isWordByte(s[1]) || s[1] == '!' || s[1] == '/') {
		return 0
	}
	if bytes.HasPrefix(s, []byte("<!--")) {
		if n := bytes.Index(s, []byte("-->")); n > 0 {
			return n + 3
		}
		return -1
	}
	for i := 1; ; i++ {
		if i += quoteOrEnd(s[i:]); i >= len(s) {
			return -1
		}
		c := s[i]
		if c == '>' {
			return i + 1
		}
		if s[i-1] == '=' {
			n := bytes.IndexByte(s[i+1:], c)
			if n < 0 {
				return -1
			}
			i += 1 + n
		}
	}
}

// mayLink reports a tag with an attribute that may refer to something.
func mayLink(tag []byte) bool {
	path := bytes.IndexByte(tag[1:len(tag)-2], '/') > 0
	special := path && valued(tag)
	for i := 0; ; i++ {
		n := bytes.IndexByte(tag[i:], '=')
		if n < 0 {
			return false
		}
		i += n
		start := i
		for start > 0 && (isWordByte(tag[start-1]) || tag[start-1] == ':') {
			start--
		}
		name := tag[start:i]
		if len(name) < 3 || len(name) > maxName {
			continue
		}
		switch name[len(name)-1] | 0x20 {
		case 'c', 'f', 't', 'r', 'n', 'd', 'e': // the ends of these
			if suffixFold(name, "src") || suffixFold(name, "href") || suffixFold(name, "srcset") || suffixFold(name, "poster") || suffixFold(name, "srcdoc") ||
				suffixFold(name, "action") || suffixFold(name, "background") || suffixFold(name, "style") {
				return true
			}
		}
		on := name[0]|0x20 == 'o' && name[1]|0x20 == 'n'
		if path && (on || special || hasFold(name, "data-")) {
			return true
		}
	}
}

// valued reports the elements that have addresses in attributes that mean other things elsewhere.
func valued(tag []byte) bool {
	for _, name := range [...]string{"<meta", "<param", "<option", "<object", "<applet", "<set", "<animate"} {
		if hasFold(tag, name) {
			return true
		}
	}
	return false
}

// hasFold reports what begins with a prefix in lower case, whatever its own case.
func hasFold(s []byte, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if c := s[i]; c != prefix[i] && (c < 'A' || c > 'Z' || c|0x20 != prefix[i]) {
			return false
		}
	}
	return true
}

// rawName returns the name of a tag whose element holds no markup, "" for others.
func rawName(s []byte) string {
	if s[0]|0x20 == 's' {
		for _, name := range [...]string{"script", "style"} {
			if hasFold(s, name) {
				return name
			}
		}
	}
	return ""
}

// rawEnd returns where the end tag of a script or style element begins, whose content s is.
func rawEnd(s []byte, name string) int {
	for at := 0; ; {
		i := bytes.Index(s[at:], []byte("</"))
		if i < 0 {
			return len(s)
		}
		if at += i + 2; hasFold(s[at:], name) {
			return at - 2
		}
	}
}

// likeJSON reports an object or an array that holds strings, and no selector of style sheets.
func likeJSON(v []byte) bool {
	if v[0] != '{' && v[0] != '[' || bytes.IndexByte(v, '"') < 0 {
		return false
	}
	inner := bytes.TrimLeft(v[1:], " \t\r\n")
	return len(inner) > 0 && (inner[0] == '"' || v[0] == '[' && (inner[0] == '{' || inner[0] == '['))
}

// likeFlight reports rows that React's server components are sent as: a hexadecimal number, a colon and JSON.
func likeFlight(v []byte) bool {
	i := bytes.IndexByte(v[:min(len(v), 8)], ':')
	if i < 1 || i+1 == len(v) || !bytes.ContainsAny(v, `"`) {
		return false
	}
	for _, c := range v[:i] {
		if hexDigit(c) < 0 {
			return false
		}
	}
	rest := bytes.TrimLeft(v[i+1:], "I")
	return len(rest) > 0 && (rest[0] == '[' || rest[0] == '{')
}

// parametersIn takes the addresses among parameters that are written as those of a query, as menus and players of old have them:
// url=a.html;image=a.gif. false: there is none, or it is an address itself.
func (b *builder) parametersIn(v []byte) (found bool) {
	if len(v) > maxURL || bytes.IndexByte(v, '=') < 1 {
		return false
	}
	several := bytes.ContainsAny(v, ";&")
	for rest := v; len(rest) > 0; {
		part := rest
		if i := bytes.IndexAny(rest, ";&"); i >= 0 {
			part = rest[:i]
		}
		name, value, _ := bytes.Cut(part, []byte("="))
		if bytes.IndexByte(value, '?') >= 0 { // the rest is its query
			part = rest
			_, value, _ = bytes.Cut(part, []byte("="))
		}
		rest = rest[min(len(rest), len(part)+1):]
		if len(name) == 0 || len(name) > maxName || bytes.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf || !isWordByte(byte(r)) || r == '%' }) {
			return found
		}
		if text, err := url.QueryUnescape(string(value)); err == nil && looksLikeURL(text) {
			b.addString(text, Speculative, jsString)
			found = several
		}
	}
	return found
}

// writtenOut finds the absolute addresses in a text.
func (b *builder) writtenOut(s []byte) {
	for {
		i := bytes.Index(s, []byte("http"))
		if i < 0 {
			return
		}
		s = s[i:]
		n := bytes.IndexFunc(s, func(r rune) bool { return r <= ' ' || strings.ContainsRune("\"'<>`\\{}|^,;", r) })
		if n < 0 {
			n = len(s)
		}
		if v := strings.TrimRight(string(s[:min(n, maxURL+1)]), ".!?:)]"); looksLikeURL(v) {
			b.addString(v, Speculative, jsString)
		}
		s = s[max(n, 4):]
	}
}

// placeholder reports a reference in which something is to be filled in: {{ }}, ${ }, <% %>, %s, :id, [[ ]].
func placeholder(url string) bool {
	query := false
	for i := range len(url) {
		c := url[i]
		if !toFillIn[c] {
			continue
		}
		switch c {
		case '?':
			query = true
		case '$':
			if !query {
				return true
			}
		case '[':
			if strings.HasPrefix(url[i+1:], "[") {
				return true
			}
		case '/':
			if strings.HasPrefix(url[i+1:], ":") {
				return true
			}
		case '%':
			if i+2 >= len(url) || hexDigit(url[i+1]) < 0 || hexDigit(url[i+2]) < 0 {
				return true
			}
		default:
			return true
		}
	}
	return strings.HasSuffix(url, "__")
}

// toFillIn is the bytes that say something about placeholders.
var toFillIn = byteSet("{}<>`|^\\\"'?$[/%")

// byteSet is a table of some bytes.
func byteSet(of string) (set [256]bool) {
	for i := range len(of) {
		set[of[i]] = true
	}
	return set
}
