package urlx

import (
	"slices"
	"strings"
)

// CDXKey returns the key under which pywb's indexes hold u, "cz,example)/path?q":
// the one that the Python package surt 0.3.1 makes, from u without its fragment. Indexes
// are sorted by it and looked up with it, so it is byte for byte theirs, and
// merges more than any Rules: schemes, www., case, escapes, slashes, order of the
// query, session ids. docs/formats/cdx-key.md says how it is made, and where
// OutbackCDX differs.
func CDXKey(u *URL) string {
	host := strings.Trim(strings.ReplaceAll(u.host, "..", "."), ".")
	var b strings.Builder
	b.Grow(len(u.href))
	path := unescapeAll(u.Path())
	if host == "" {
		b.WriteString(u.Scheme() + ":")
	} else {
		path = foldPath(path)
		labels := strings.Split(withoutWWW(host), ".")
		slices.Reverse(labels)
		b.WriteString(strings.Join(labels, ","))
		if p := u.Port(); p != "" && p != "0" {
			b.WriteString(":" + p)
		}
		b.WriteByte(')')
	}
	cdxRest(&b, path, u.Query())
	return b.String()
}

// cdxRest writes what stands behind the host: an unescaped path, and a query.
func cdxRest(b *strings.Builder, path, query string) {
	path = strings.ToLower(escapeOnce(path))
	path = stripASPNet(path)
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	b.WriteString(path)
	if q := cdxQuery(query); q != "" {
		b.WriteString("?" + q)
	}
}

// CDXKeyOf is [CDXKey] of any address that stands in an archive. Of a scheme that is none of the web host and path make the key (metadata://gnu.org/a is
// org,gnu)/a), and without a host the scheme too (dns:example.cz, urn:exclave:verdict:http://example.cz/, file:/a). What is no address
// is its own key.
func CDXKeyOf(uri string) string {
	if u, err := Parse(uri); err == nil {
		return CDXKey(u)
	}
	scheme, rest, ok := strings.Cut(uri, ":")
	if !ok {
		return uri
	}
	if in, ok := strings.CutPrefix(rest, "//"); ok && !strings.HasPrefix(in, "/") {
		if u, err := Parse("http://" + in); err == nil {
			return CDXKey(u)
		}
		return uri
	} else if ok {
		rest = in
	}
	rest, _, _ = strings.Cut(rest, "#")
	path, query, _ := strings.Cut(rest, "?")
	var b strings.Builder
	b.WriteString(strings.ToLower(scheme) + ":")
	cdxRest(&b, unescapeAll(path), query)
	return b.String()
}

// withoutWWW takes "www.", "www2." … from the beginning of a host.
func withoutWWW(host string) string {
	if rest, ok := strings.CutPrefix(host, "www"); ok {
		if rest, ok = strings.CutPrefix(strings.TrimLeft(rest, "0123456789"), "."); ok {
			return rest
		}
	}
	return host
}

// piece is a part of a session id in a query: a text, or n bytes of a class (any
// number from one on, when n is 0).
type piece struct {
	text  string
	n     int
	class func(byte) bool
}

// fits returns how many bytes of s the pieces take, 0 when they do not fit. Texts
// count in any case.
func fits(s string, pieces []piece) int {
	at := 0
	for _, p := range pieces {
		n := len(p.text)
		if p.class != nil {
			n = run(s[at:], p.class)
			if p.n > 0 {
				n = min(n, p.n)
			}
			if n == 0 || n < p.n {
				return 0
			}
		} else if len(s)-at < n || !strings.EqualFold(s[at:at+n], p.text) {
			return 0
		}
		at += n
	}
	return at
}

func value(c byte) bool { return c != '&' }

// cdxSessions are stripped from a query one after another, each once, from the last
// place where it fits and a parameter ends behind it, whatever stands before it.
func cdxSessions() [][]piece {
	return [][]piece{
		{{text: "jsessionid="}, {n: 32, class: alphanumeric}},
		{{text: "phpsessid="}, {n: 32, class: alphanumeric}},
		{{text: "sid="}, {n: 32, class: alphanumeric}},
		{{text: "aspsessionid"}, {n: 8, class: letter}, {text: "="}, {n: 24, class: letter}},
		{{text: "cfid="}, {class: value}, {text: "&cftoken="}, {class: value}},
	}
}

func dropSession(q string, id []piece) string {
	for i := len(q) - 1; i >= 0; i-- {
		n := fits(q[i:], id)
		switch {
		case n == 0:
		case i+n == len(q):
			return q[:i]
		case q[i+n] == '&':
			return q[:i] + q[i+n+1:]
		}
	}
	return q
}

func cdxQuery(q string) string {
	q = escapeOnce(unescapeAll(q))
	if strings.IndexByte(q, '=') >= 0 {
		for _, id := range cdxSessions() {
			q = dropSession(q, id)
		}
	}
	q = strings.ToLower(q)
	if len(q) < 2 {
		return q
	}
	params := strings.Split(q, "&")
	slices.SortFunc(params, func(a, b string) int {
		// By name, then by value; no value comes before an empty one.
		an, av, aHas := strings.Cut(a, "=")
		bn, bv, bHas := strings.Cut(b, "=")
		switch {
		case an != bn:
			return strings.Compare(an, bn)
		case aHas != bHas && aHas:
			return 1
		case aHas != bHas:
			return -1
		}
		return strings.Compare(av, bv)
	})
	return strings.Join(params, "&")
}

// unescapeAll decodes escapes until there is none.
func unescapeAll(s string) string {
	for {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			return s
		}
		b := append(make([]byte, 0, len(s)), s[:i]...)
		for ; i < len(s); i++ {
			c := s[i]
			if v, ok := escaped(s[i:]); ok {
				c, i = v, i+2
			}
			b = append(b, c)
		}
		if len(b) == len(s) {
			return s
		}
		s = string(b)
	}
}

// escapeOnce escapes what is no printable ASCII, and '#' and '%'.
func escapeOnce(s string) string { return string(escape(nil, s, cdxSet)) }

var cdxSet = escapeSet("#%")

// foldPath leaves out "." and empty segments and resolves "..", which stays when
// nothing is above it.
func foldPath(p string) string {
	segments := strings.Split(p, "/")[1:] // before it is nothing: a path begins with '/'
	var kept []string
	for _, s := range segments {
		switch {
		case s == ".":
		case s == ".." && len(kept) > 0:
			kept = kept[:len(kept)-1]
		default:
			kept = append(kept, s)
		}
	}
	var b strings.Builder
	b.WriteByte('/')
	for i, s := range kept {
		if i == len(kept)-1 {
			b.WriteString(s)
		} else if s != "" {
			b.WriteString(s + "/")
		}
	}
	return b.String()
}
