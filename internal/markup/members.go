package markup

import "bytes"

// members takes what the names of members tell of the values of a JSON document, and returns the document without the values that are names
// of vocabularies and classes, for the search for strings that look like addresses.
func (b *builder) members(src []byte) []byte {
	m := jsonMembers{b: b, src: src, texts: true}
	m.read()
	return m.src
}

// withoutNames is members for JSON in a page, whose texts the page shows.
func (b *builder) withoutNames(src []byte) []byte {
	if !bytes.Contains(src, []byte(`"@`)) {
		return src
	}
	m := jsonMembers{b: b, src: src}
	m.read()
	return m.src
}

// jsonMembers goes through the strings of a JSON document, broken or not.
type jsonMembers struct {
	b      *builder
	src    []byte
	texts  bool // addresses that are written out in texts count, and references
	copied bool // src is ours
	links  int  // where the last _links ends
	level  int  // open objects and arrays
	ld     jsonLD
}

func (m *jsonMembers) read() {
	for at := 0; ; {
		i := bytes.IndexByte(m.src[at:], '"')
		if i < 0 {
			return
		}
		m.between(m.src[at : at+i])
		at += i
		s := jsonString(m.src[at:])
		if s == nil || !m.b.on(i+len(s)) {
			return
		}
		at += len(s) + 2
		if value := m.valueOf(at); value > 0 {
			at = m.member(string(s[:min(len(s), maxName)]), value)
			continue
		}
		m.reference(s, at-len(s)-2, m.level == m.ld.array && m.level > 0)
		if m.texts && bytes.IndexByte(s, ' ') >= 0 && bytes.Contains(s, []byte("http")) {
			m.text(jsUnescape(s))
		}
	}
}

// between counts the objects and arrays that begin and end between two strings.
func (m *jsonMembers) between(s []byte) {
	for _, c := range s {
		switch c {
		case '{', '[':
			m.level++
		case '}', ']':
			m.level--
			m.ld.ended(m.level)
		}
	}
}

// valueOf returns where the value of a member begins whose name ends before at, 0 for what is no name.
func (m *jsonMembers) valueOf(at int) int {
	for ; at < len(m.src) && isBlank(m.src[at]); at++ {
	}
	if at == len(m.src) || m.src[at] != ':' {
		return 0
	}
	for at++; at < len(m.src) && isBlank(m.src[at]); at++ {
	}
	return at
}

// member looks at the value of a member, and returns where to go on: behind it when it holds names.
func (m *jsonMembers) member(name string, at int) int {
	s := jsonString(m.src[at:])
	switch {
	case name == "@context" || name == "@type": // JSON-LD 1.1, 9.1
		n := jsonValueLen(m.src[at:])
		if name == "@context" {
			m.context(m.src[at : at+n])
		}
		m.blank(at, at+n)
		return at + n
	case m.ld.refs[name] && at < len(m.src) && m.src[at] == '[':
		m.ld.array = m.level + 1
	case m.ld.refs[name] || m.base() != "":
		m.reference(s, at, m.ld.refs[name])
	case !m.texts:
	case name == "_links" && at >= m.links: // HAL
		m.links = at + jsonValueLen(m.src[at:])
	case name == "href" && at < m.links:
		if v := string(jsUnescape(s)); isReference(v) && !looksLikeURL(v) {
			if l := m.b.addString(v, Speculative, "json/_links"); l != nil {
				l.OfPage = false
			}
		}
	case name == "version" && bytes.HasPrefix(jsUnescape(s), []byte("https://jsonfeed.org/version/")):
		m.blank(at, at+len(s)+2)
	}
	return at
}

// blank takes out what stands between quotes.
func (m *jsonMembers) blank(from, to int) {
	if !m.copied {
		m.src, m.copied = bytes.Clone(m.src), true
	}
	for at := from; at < to; at++ {
		if m.src[at] == '"' {
			if s := jsonString(m.src[at:to]); s != nil {
				copy(s, bytes.Repeat([]byte{' '}, len(s)))
				at += len(s) + 1
			}
		}
	}
}

// text takes the addresses that are written out in a text. HTML is read as such.
func (m *jsonMembers) text(s []byte) {
	if bytes.IndexByte(s, '<') >= 0 {
		return
	}
	m.b.guessIn(s, "json/text")
}

// jsonString returns what stands between the quotes of the string that s begins with, nil for none.
func jsonString(s []byte) []byte {
	if len(s) == 0 || s[0] != '"' {
		return nil
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return s[1:i:i]
		}
	}
	return nil
}

// jsonValueLen returns how long the string, object or array is that s begins with; 0 for other values.
func jsonValueLen(s []byte) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			in := jsonString(s[i:])
			if in == nil {
				return len(s)
			}
			i += len(in) + 1
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		default:
			if depth > 0 {
				continue
			}
			return 0
		}
		if depth <= 0 {
			return i + 1
		}
	}
	return len(s)
}
