package markup

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// rdf guesses at the references of RDF/XML that are relative, and reports what is settled: classes are names.
func (p *markupParser) rdf(v vocabulary, local, key, val []byte) bool {
	switch string(key) {
	case "resource":
		if v == vocRDF && string(local) == "type" {
			return true
		}
	case "about":
	default:
		return false
	}
	ref := string(bytes.TrimSpace(val))
	path, _, _ := strings.Cut(ref, "#")
	if v == vocRSS1 || schemeLen(ref) > 0 || notInURL(ref) || !looksLikeURL(ref) && !hasExtension(path) {
		return false
	}
	p.b.addString(ref, Speculative, "rdf:"+string(key))
	return true
}

// tileOfWindows reports the elements of browserconfig.xml that name files.
func tileOfWindows(local string) bool {
	switch local {
	case "square70x70logo", "square150x150logo", "square310x310logo", "wide310x150logo", "tileimage", "badge":
		return true
	}
	return strings.HasPrefix(local, "polling-uri")
}

// xpath takes the documents that an expression of XSLT reads and names as they are: document('a.xml'), doc("b.xml").
func (p *markupParser) xpath(expression []byte, context string) {
	for {
		i := bytes.IndexByte(expression, '(')
		if i < 0 {
			return
		}
		before := bytes.TrimRightFunc(expression[:i], isHTMLSpace)
		expression = expression[i+1:]
		name := before[bytes.LastIndexFunc(before, func(r rune) bool { return r < utf8.RuneSelf && !isWordByte(byte(r)) && r != ':' && r != '.' })+1:]
		if string(name) != "document" && string(name) != "doc" && string(name) != "fn:doc" {
			continue
		}
		ref, rest := nextLiteral(expression)
		if rest = bytes.TrimLeftFunc(rest, isHTMLSpace); ref != nil && len(rest) > 0 && (rest[0] == ')' || rest[0] == ',') {
			p.b.add(ref, Embed, context)
		}
	}
}
