package markup

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/atom"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

const (
	prescanSize    = 1024      // HTML standard, 13.2.3.2
	prescanHeadMax = 16 * 1024 // a head that goes on is read on, as browsers do
)

// decode returns the document as valid UTF-8, its charset and what told it. The
// order is the one of browsers: byte order mark, HTTP, the document itself, then
// detection where the format allows it. It leaves them for pages whose text contradicts
// what they declare, or is UTF-8 that was coded twice: their words are wanted, not the
// letters a browser makes of them. A body that is UTF-8 already is returned as it is.
func decode(kind Kind, body []byte, declared string) (src []byte, name, from string) {
	if name, n := bom(body); n > 0 {
		return convert(body[n:], name), name, "bom"
	}
	name, from, lang := declaration(kind, body, declared)
	valid := name == "utf-8" && utf8.Valid(body)
	page := kind == HTML || kind == XHTML || kind == PlainText || kind == XML || kind == SVG
	switch {
	case !page && (name == "" || name == "utf-8") && !utf8.Valid(body): // scripts and style sheets are in the charset of their pages
		likely, by := detect(body, lang)
		switch {
		case by == "detected" && !strings.HasPrefix(likely, "utf-16"):
			name, from = likely, by
		case name == "":
			name, from = "utf-8", "default"
		}
	case name != "":
		if !page || name == "utf-8" && valid {
			break
		}
		if other := contradicted(body, name, lang); other != "" {
			name, from = other, "detected"
		}
	case page:
		name, from = detect(body, lang)
	default:
		name, from = "utf-8", "default"
	}
	if src = body; !valid {
		src = convert(body, name)
	}
	if page && name == "utf-8" {
		if once := twice(src); once != nil {
			return once, name, "detected"
		}
	}
	return src, name, from
}

func isASCII(s []byte) bool { return asciiLen(s) == len(s) }

// declaration returns the charset that HTTP or the document names, "" when none
// does, and the language of the root element when a page was looked through.
func declaration(kind Kind, body []byte, declared string) (name, from, lang string) {
	if kind == SVG || kind == XML || kind == DASH {
		switch { // without a byte order mark (XML 1.0, appendix F.1); in no other charset can it begin so
		case bytes.HasPrefix(body, []byte("<\x00")):
			return "utf-16le", "xml", ""
		case bytes.HasPrefix(body, []byte("\x00<")):
			return "utf-16be", "xml", ""
		}
	}
	if name, ok := lookup(declared); ok {
		return name, "http", ""
	}
	switch kind {
	case HTML, XHTML:
		name, lang = prescan(body)
		x := xmlEncoding(body)
		if x != "" && (kind == XHTML || name == "") {
			return x, "xml", lang
		}
		return name, "meta", lang
	case SVG, XML, DASH:
		return xmlEncoding(body), "xml", ""
	case CSS:
		return cssCharset(body), "css", ""
	}
	return "", "", ""
}

func singleByteName(name string) bool {
	return strings.HasPrefix(name, "windows-") || strings.HasPrefix(name, "iso-8859-")
}

func bom(b []byte) (name string, n int) {
	switch {
	case bytes.HasPrefix(b, []byte("\xEF\xBB\xBF")):
		return "utf-8", 3
	case bytes.HasPrefix(b, []byte("\xFE\xFF")):
		return "utf-16be", 2
	case bytes.HasPrefix(b, []byte("\xFF\xFE")):
		return "utf-16le", 2
	}
	return "", 0
}

// lookup maps a label to the WHATWG name; "replacement" is not for reading. Beyond the standard
// are ibm852 and x-mac-ce, which pages of the nineties were written in.
func lookup(label string) (string, bool) {
	switch strings.ToLower(strings.TrimSpace(label)) {
	case "ibm852", "cp852", "852", "cspcp852":
		return "ibm852", true
	case "win-1250", "windows1250", "windows_1250", "cp-1250", "ms-ee":
		return "windows-1250", true
	case "maclatin2", "maccentraleurope", "x-mac-ce", "mac-ce", "macce", "x-mac-centraleurroman", "x-mac-centraleurope", "mac-centraleurope":
		return "x-mac-ce", true
	}
	e, err := htmlindex.Get(label)
	if err != nil {
		return "", false
	}
	name, err := htmlindex.Name(e)
	return name, err == nil && name != "replacement"
}

// KnownCharset reports whether documents are read in the charset of a label.
func KnownCharset(label string) bool {
	_, known := lookup(label)
	return known
}

// lookupInside is lookup for labels written in the document: who could read the
// label as ASCII is not reading UTF-16 (HTML standard, prescan step 15 and 16).
func lookupInside(label string) string {
	name, _ := lookup(label)
	switch name {
	case "utf-16le", "utf-16be":
		return "utf-8"
	case "x-user-defined":
		return "windows-1252"
	case "replacement":
		return ""
	}
	return name
}

func convert(body []byte, name string) []byte {
	var e encoding.Encoding
	switch name {
	case "utf-8":
		if utf8.Valid(body) {
			return body
		}
		e = unicode.UTF8
	case "ibm852":
		e = charmap.CodePage852
	case "x-mac-ce":
		return newMacCE().bytes(body)
	default:
		var err error
		if e, err = htmlindex.Get(name); err != nil {
			e = unicode.UTF8
		}
	}
	out, err := e.NewDecoder().Bytes(body)
	if err != nil || !utf8.Valid(out) {
		return bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	return out
}

// prescan looks for the charset a page declares in a meta element, and for the
// language of its root on the way.
func prescan(body []byte) (name, lang string) {
	l := lexer{src: body[:min(len(body), prescanHeadMax)]}
	inHead := true
	for pos := 0; ; pos = l.pos {
		k := l.next()
		if k == tokEnd || pos >= prescanSize && !inHead {
			return "", lang
		}
		if k != tokStart && k != tokVoid && k != tokClose {
			continue
		}
		a := atom.Lookup(l.name)
		// The prescan of the standard does not know what a script is.
		l.raw = ""
		switch {
		case k == tokClose:
			inHead = inHead && a != atom.Head
			continue
		case !headElement(a):
			inHead = false
		case a == atom.Html:
			lang = rootLang(l.attrs)
		case a == atom.Meta:
			if name := metaCharset(l.attrs); name != "" {
				return name, lang
			}
		}
	}
}

func rootLang(attrs []attr) string {
	for _, a := range attrs {
		if string(a.key) == "lang" || string(a.key) == "xml:lang" {
			return strings.ToLower(string(a.val[:min(len(a.val), 2)]))
		}
	}
	return ""
}

func metaCharset(attrs []attr) string {
	var charset, content string
	pragma := false
	for _, a := range attrs {
		switch string(a.key) {
		case "charset":
			charset = string(a.val)
		case "content":
			content = contentCharset(string(a.val))
		case "http-equiv":
			pragma = strings.EqualFold(string(a.val), "content-type")
		}
	}
	if charset == "" && pragma {
		charset = content
	}
	return lookupInside(charset)
}

// contentCharset extracts the encoding from a meta element's content (HTML
// standard, 2.5.3).
func contentCharset(s string) string {
	for {
		i := strings.Index(strings.ToLower(s), "charset")
		if i < 0 || len(s) < i+len("charset") {
			return ""
		}
		s = strings.TrimLeftFunc(s[i+len("charset"):], isHTMLSpace)
		if !strings.HasPrefix(s, "=") {
			continue
		}
		s = strings.TrimLeftFunc(s[1:], isHTMLSpace)
		if s == "" {
			return ""
		}
		if q := s[0]; q == '"' || q == '\'' {
			v, _, ok := strings.Cut(s[1:], string(q))
			if !ok {
				return ""
			}
			return v
		}
		if i := strings.IndexFunc(s, func(r rune) bool { return r == ';' || isHTMLSpace(r) }); i >= 0 {
			s = s[:i]
		}
		return s
	}
}

// xmlEncoding reads the encoding of an XML declaration.
func xmlEncoding(body []byte) string {
	if !bytes.HasPrefix(body, []byte("<?xml")) {
		return ""
	}
	decl, _, ok := bytes.Cut(body[:min(len(body), prescanSize)], []byte("?>"))
	if !ok {
		return ""
	}
	_, rest, ok := bytes.Cut(decl, []byte("encoding"))
	rest = bytes.TrimLeft(rest, " \t\r\n")
	if !ok || !bytes.HasPrefix(rest, []byte("=")) {
		return ""
	}
	rest = bytes.TrimLeft(rest[1:], " \t\r\n")
	if len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
		return ""
	}
	label, _, _ := bytes.Cut(rest[1:], rest[:1])
	return lookupInside(string(label))
}

// cssCharset reads @charset, which must stand there byte for byte (CSS Syntax 3,
// 3.2).
func cssCharset(body []byte) string {
	rest, ok := bytes.CutPrefix(body, []byte(`@charset "`))
	if !ok {
		return ""
	}
	label, _, ok := bytes.Cut(rest[:min(len(rest), prescanSize)], []byte(`";`))
	if !ok {
		return ""
	}
	return lookupInside(string(label))
}
