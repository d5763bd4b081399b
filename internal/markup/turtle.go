package markup

import (
	"bytes"
	"strings"
)

// turtle reads Turtle, TriG, N-Triples and N-Quads (W3C, RDF 1.1): references that stand as objects are guesses, and relative ones as subjects, as in
// RDF/XML. Predicates, classes, types of literals and names of vocabularies are names.
func (b *builder) turtle(src []byte) {
	b.text.pre = 1
	b.text.write(src)
	t := turtleReader{b: b, src: src, prefixes: map[string]string{}}
	for t.term() {
	}
}

// The places of a statement.
const (
	rdfSubject = iota
	rdfPredicate
	rdfObject
	rdfGraph // of N-Quads
)

const maxPrefixes = 1000 // that a document declares

// turtleReader goes through the terms of statements.
type turtleReader struct {
	b        *builder
	src      []byte
	at       int
	place    int
	class    bool // the predicate says what its subject is an instance of
	list     bool // a list is open, whose members are all objects
	outer    []turtlePlace
	prefixes map[string]string
}

// turtlePlace is where a node without a name or a list stands.
type turtlePlace struct {
	place       int
	class, list bool
}

// rdfType is what "a" stands for.
const rdfType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"

// term reads one; false at the end.
func (t *turtleReader) term() bool {
	for t.at < len(t.src) && isBlank(t.src[t.at]) {
		t.at++
	}
	if t.at >= len(t.src) || !t.b.on(1) {
		return false
	}
	rest := t.src[t.at:]
	switch c := rest[0]; c {
	case '#':
		t.at += lineLen(rest)
	case '<':
		t.iri(rest)
	case '"', '\'':
		t.at += literalLen(rest)
		t.next(rdfObject)
		if bytes.HasPrefix(t.src[t.at:], []byte("^^")) {
			t.at += 2
			t.skipTerm()
		} else if bytes.HasPrefix(t.src[t.at:], []byte("@")) {
			t.at += 1 + wordLen(t.src[t.at+1:])
		}
	case '.', '{', '}':
		t.at++
		t.place, t.class, t.list, t.outer = rdfSubject, false, false, t.outer[:0]
	case ';':
		t.at++
		t.place = rdfPredicate
	case ',':
		t.at++
		t.place = rdfObject
	case '[', '(':
		t.at++
		if len(t.outer) < maxGroups {
			t.outer = append(t.outer, turtlePlace{t.place, t.class, t.list})
		}
		if t.place, t.class, t.list = rdfPredicate, false, c == '('; t.list {
			t.place = rdfObject
		}
	case ']', ')':
		t.at++
		if n := len(t.outer); n > 0 {
			last := t.outer[n-1]
			t.place, t.class, t.list, t.outer = last.place, last.class, last.list, t.outer[:n-1]
		}
		t.next(t.place)
	case '@':
		t.at++
		t.directive(wordLen(rest[1:]))
	default:
		t.name(rest)
	}
	return true
}

// next goes on behind a term: what follows an object is told by a comma, a semicolon or a full stop.
func (t *turtleReader) next(place int) {
	if t.place = min(place+1, rdfGraph); t.list {
		t.place = rdfObject
	}
}

// iri reads <…>.
func (t *turtleReader) iri(rest []byte) {
	end := bytes.IndexByte(rest[:min(len(rest), maxURL)], '>')
	if end < 0 {
		t.at++
		return
	}
	t.at += end + 1
	t.reference(string(rest[1:end]))
}

// reference takes an IRI at the place where it stands.
func (t *turtleReader) reference(ref string) {
	switch relative := schemeLen(ref) == 0; {
	case t.place == rdfPredicate:
		t.class = ref == rdfType
	case t.class || notInURL(ref):
	case relative && hasExtension(ref), t.place == rdfObject && !relative && looksLikeURL(ref):
		t.b.addString(ref, Speculative, "rdf:resource")
	}
	t.next(t.place)
}

// name reads a prefixed name, "a", a number or a word of SPARQL.
func (t *turtleReader) name(rest []byte) {
	n := max(wordLen(rest), 1)
	word := string(rest[:n])
	switch strings.ToLower(word) {
	case "prefix", "base":
		t.directive(n)
		return
	case "a":
		if t.place == rdfPredicate {
			t.at, t.class = t.at+n, true
			t.next(rdfPredicate)
			return
		}
	}
	for n > 1 && rest[n-1] == '.' { // the end of the statement
		n--
	}
	t.at += n
	prefix, local, is := strings.Cut(string(rest[:n]), ":")
	if of, known := t.prefixes[prefix]; is && known && len(of)+len(local) <= maxURL {
		t.reference(of + strings.ReplaceAll(local, `\`, ""))
		return
	}
	if t.place == rdfPredicate {
		t.class = false
	}
	t.next(t.place)
}

// directive reads @prefix a: <…> and @base <…>, whose name has n bytes.
func (t *turtleReader) directive(n int) {
	name := strings.ToLower(string(t.src[t.at : t.at+n]))
	if t.at += n; name != "prefix" && name != "base" {
		return
	}
	rest := t.src[t.at:min(len(t.src), t.at+maxURL+maxName)]
	open := bytes.IndexByte(rest, '<')
	end := bytes.IndexByte(rest[max(open, 0):], '>')
	if open < 0 || end < 0 {
		return
	}
	t.at += open + end + 1
	ref := string(rest[open+1 : open+end])
	switch prefix := strings.TrimSuffix(string(bytes.TrimSpace(rest[:open])), ":"); {
	case name == "base":
		if len(ref) <= maxURL {
			t.b.base = joinRef(t.b.base, ref)
		}
	case len(t.prefixes) < maxPrefixes && len(prefix) < maxName:
		t.prefixes[prefix] = ref
	}
}

// skipTerm goes behind the type of a literal.
func (t *turtleReader) skipTerm() {
	rest := t.src[t.at:]
	if len(rest) > 0 && rest[0] == '<' {
		t.at += max(bytes.IndexByte(rest[:min(len(rest), maxURL)], '>')+1, 1)
		return
	}
	n := wordLen(rest)
	for n > 0 && rest[n-1] == '.' {
		n--
	}
	t.at += n
}

// wordLen is how long the word is that s begins with.
func wordLen(s []byte) int {
	if n := bytes.IndexAny(s, " \t\r\n;,[]()<>\"'{}#^"); n >= 0 {
		return n
	}
	return len(s)
}

func lineLen(s []byte) int {
	if n := bytes.IndexByte(s, '\n'); n >= 0 {
		return n + 1
	}
	return len(s)
}

// literalLen is how long the quoted literal is that s begins with: "…", or """…""" over lines.
func literalLen(s []byte) int {
	quote := s[:1]
	if long := bytes.Repeat(quote, 3); bytes.HasPrefix(s, long) {
		quote = long
	}
	for i := len(quote); i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case bytes.HasPrefix(s[i:], quote):
			return i + len(quote)
		case len(quote) == 1 && s[i] == '\n': // broken
			return i
		}
	}
	return len(s)
}
