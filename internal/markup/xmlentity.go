package markup

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// declaration reads what stands in <!…>: the external subset of a document type, and external entities (XML 1.0, 4.2.2).
// NOTATION is left out: it names a program.
func (p *markupParser) declaration(s []byte) {
	for {
		word, rest := nextWord(s)
		if word == nil {
			return
		}
		s = rest
		n := 0
		switch string(word) {
		case "SYSTEM":
			n = 1
		case "PUBLIC":
			n = 2
		default:
			continue
		}
		var literal []byte
		for range n {
			if literal, s = nextLiteral(s); literal == nil {
				return
			}
		}
		// The document types of the W3C are known to everybody.
		if !bytes.HasPrefix(literal, []byte("http://www.w3.org/")) && !bytes.HasPrefix(literal, []byte("https://www.w3.org/")) {
			p.strong(literal, "doctype/@system")
		}
		return
	}
}

// nextWord returns the next run of letters that stands before any quote.
func nextWord(s []byte) (word, rest []byte) {
	s = bytes.TrimLeftFunc(s, isHTMLSpace)
	if len(s) == 0 || s[0] == '"' || s[0] == '\'' || s[0] == '<' || s[0] == '[' {
		return nil, nil
	}
	n := bytes.IndexFunc(s, func(r rune) bool { return isHTMLSpace(r) || r == '"' || r == '\'' || r == '[' })
	if n < 0 {
		n = len(s)
	}
	return s[:max(n, 1)], s[max(n, 1):]
}

func nextLiteral(s []byte) (literal, rest []byte) {
	s = bytes.TrimLeftFunc(s, isHTMLSpace)
	if len(s) < 2 || s[0] != '"' && s[0] != '\'' {
		return nil, nil
	}
	n := bytes.IndexByte(s[1:], s[0])
	if n < 0 {
		return nil, nil
	}
	return s[1 : 1+n], s[n+2:]
}

// doctype reads a document type declaration, up to the first ">": of an internal subset that is the first
// declaration of it, and the others come as comments.
func (p *markupParser) doctype(s []byte) {
	p.declaration(s)
	if i := bytes.IndexByte(s, '['); i >= 0 {
		if inner := bytes.TrimLeftFunc(s[i+1:], isHTMLSpace); bytes.HasPrefix(inner, []byte("<!ENTITY")) {
			p.entityDeclaration(inner[len("<!"):])
		}
	}
}

// entityDeclaration reads ENTITY … up to its ">".
func (p *markupParser) entityDeclaration(s []byte) {
	name, rest := nextWord(s[len("ENTITY"):])
	value, _ := nextLiteral(rest)
	switch {
	case value == nil:
		p.declaration(s)
	case len(name) > maxName || len(p.x.entities) == maxEntities || len(value) > maxEntity:
	default:
		if p.x.entities == nil {
			p.x.entities = map[string][]byte{}
		}
		if _, is := p.x.entities[string(name)]; !is { // the first binds
			p.x.entities[string(name)] = decodeValue(bytes.Clone(value))
		}
	}
}

// Bounds of the entities of a document.
const (
	maxEntities    = 1000
	maxEntity      = 4 << 10 // bytes that those of an attribute or text stand for
	maxEntityDepth = 4       // in one another
	maxFilled      = 1 << 20 // bytes that all of a document stand for
)

// fill puts what entities of the document stand for in their places. Those that are not known stay.
func (p *markupParser) fill(s []byte) []byte {
	if len(p.x.entities) == 0 || bytes.IndexByte(s, '&') < 0 {
		return s
	}
	room := maxEntity
	return p.fillIn(nil, s, &room, maxEntityDepth)
}

func (p *markupParser) fillIn(out, s []byte, room *int, depth int) []byte {
	for {
		i := bytes.IndexByte(s, '&')
		if i < 0 {
			return append(out, s...)
		}
		out, s = append(out, s[:i]...), s[i:]
		n := bytes.IndexByte(s[:min(len(s), maxName)], ';')
		var value []byte
		if n > 0 {
			value = p.x.entities[string(s[1:n])]
		}
		if value == nil || depth == 0 || len(value) > *room || p.x.filled > maxFilled {
			out, s = append(out, '&'), s[1:]
			continue
		}
		*room -= len(value)
		p.x.filled += len(value) + 1
		out, s = p.fillIn(out, value, room, depth-1), s[n+1:]
	}
}

// undefinedEntity reports an address of XML in which an entity is left whose value is not known. In a query, "&a;" is mostly a parameter.
func undefinedEntity(url string) bool {
	i := strings.IndexByte(url, '&')
	if i < 0 {
		return false
	}
	path, _, _ := strings.Cut(url, "?")
	if i >= len(path) {
		return false
	}
	name, _, closed := strings.Cut(path[i+1:], ";")
	return closed && name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r < utf8.RuneSelf && !isWordByte(byte(r)) && r != '.' || r == '%' })
}
