package markup

import (
	"encoding/json"
	"strings"
)

// jsonLD is what the contexts of a JSON-LD document say of its members.
type jsonLD struct {
	refs  map[string]bool // members whose values are references, "@id" among them; nil: no context was read
	bases []jsonBase      // @base, of the objects that are open
	array int             // the level of the array of references that is read, 0: none

	prefixes map[string]string // terms that stand for the beginning of an address
}

// jsonBase is an @base, which holds up to the end of its object.
type jsonBase struct {
	level int
	base  string // "" = none, which null says
}

const (
	maxJSONBases = 64   // that are known at a time
	maxJSONTerms = 1000 // of contexts
)

// context reads the value of @context (JSON-LD 1.1, 4.1): what it defines, and which others it names.
func (m *jsonMembers) context(src []byte) {
	if m.ld.refs == nil {
		m.ld.refs = map[string]bool{"@id": true}
	}
	if s := jsonString(src); s != nil { // the most, and the same in each
		m.remote(string(jsUnescape(s)))
		return
	}
	var v any
	if json.Unmarshal(src, &v) != nil {
		return
	}
	list, is := v.([]any)
	if !is {
		list = []any{v}
	}
	for _, v := range list {
		switch v := v.(type) {
		case string:
			m.remote(v)
		case map[string]any:
			m.terms(v)
		}
	}
}

// remote guesses at a context that stands elsewhere. Those that everybody knows are none.
func (m *jsonMembers) remote(ref string) {
	if looksLikeURL(ref) && !strings.Contains(ref, "//www.schema.org") || m.texts && schemeLen(ref) == 0 && !strings.HasPrefix(ref, "//") && isReference(ref) {
		m.guess(ref, "json/@context", "")
	}
}

// terms reads a context that stands in the document.
func (m *jsonMembers) terms(context map[string]any) {
	if ref, is := context["@import"].(string); is {
		m.remote(ref)
	}
	if base, is := context["@base"]; is && len(m.ld.bases) < maxJSONBases {
		ref, _ := base.(string)
		if ref != "" {
			ref = joinRef(m.base(), ref)
		}
		if len(ref) <= maxURL {
			m.ld.bases = append(m.ld.bases, jsonBase{m.level, ref})
		}
	}
	for name, v := range context {
		m.ld.prefix(name, v)
		as := v
		if of, is := v.(map[string]any); is {
			as = of["@type"]
		}
		if as == "@id" && len(name) < maxName && len(m.ld.refs) < maxJSONTerms { // or another name of @id
			m.ld.refs[name] = true
		}
	}
}

// prefix notes a term that compact references may begin with (JSON-LD 1.1, 4.1.5): one whose address ends where another goes on, or that says so.
func (ld *jsonLD) prefix(name string, v any) {
	address, _ := v.(string)
	if of, is := v.(map[string]any); is && of["@prefix"] == true {
		address, _ = of["@id"].(string)
	} else if address != "" && strings.IndexByte(":/?#[]@", address[len(address)-1]) < 0 {
		return
	}
	if !strings.HasPrefix(address, "http") || len(address) > maxURL || len(name) >= maxName || len(ld.prefixes) == maxJSONTerms {
		return
	}
	if ld.prefixes == nil {
		ld.prefixes = map[string]string{}
	}
	ld.prefixes[name] = address
}

// compact takes a reference that begins with a prefix of the document, and reports whether it was one.
func (m *jsonMembers) compact(ref string) bool {
	prefix, local, is := strings.Cut(ref, ":")
	address, known := m.ld.prefixes[prefix]
	if !is || !known || strings.HasPrefix(local, "//") {
		return false
	}
	if whole := address + local; looksLikeURL(whole) {
		m.guess(whole, "json/@id", "")
	}
	return true
}

// base is the @base that holds, "" for none.
func (m *jsonMembers) base() string {
	if n := len(m.ld.bases); n > 0 {
		return m.ld.bases[n-1].base
	}
	return ""
}

// ended forgets what was said of objects and arrays that are over.
func (ld *jsonLD) ended(level int) {
	for n := len(ld.bases); n > 0 && ld.bases[n-1].level > level; n-- {
		ld.bases = ld.bases[:n-1]
	}
	if ld.array > level {
		ld.array = 0
	}
}

// reference takes the string at a place as a reference that is relative to @base, or in a document of JSON to that. With an @base, what looks
// like an address is one, too: what a context that stands elsewhere says of it is not known.
func (m *jsonMembers) reference(s []byte, at int, is bool) {
	base := m.base()
	if len(s) == 0 || base == "" && !is {
		return
	}
	ref := string(jsUnescape(s))
	if is && m.compact(ref) || base == "" && !m.texts {
		return
	}
	if schemeLen(ref) > 0 || strings.HasPrefix(ref, "_:") || !isReference(ref) || !is && !looksLikeURL(ref) { // _: names a node
		return
	}
	m.guess(ref, "json/@id", base)
	m.blank(at, at+len(s)+2)
}

// guess adds a link that is relative to the document, whoever asks for it.
func (m *jsonMembers) guess(ref, context, base string) {
	outer := m.b.base
	if base != "" {
		m.b.base = joinRef(outer, base)
	}
	if l := m.b.addString(ref, Speculative, context); l != nil {
		l.OfPage = false
	}
	m.b.base = outer
}
