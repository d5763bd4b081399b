package urlx

import (
	"regexp"
	"slices"
	"strings"
)

// CDXKey returns the key under which pywb's indexes hold u, "cz,example)/path?q":
// the one of the Python package surt 0.3.1, from u without its fragment. Indexes
// are sorted by it and looked up with it, so it is byte for byte theirs, and
// merges more than any Rules: schemes, www., case, escapes, slashes, order of the
// query, session ids. docs/formats/cdx-key.md says how it is made, and where
// OutbackCDX differs.
func CDXKey(u *URL) string {
	host := strings.Trim(strings.ReplaceAll(u.host, "..", "."), ".")
	path := unescapeAll(u.Path())
	if host != "" {
		path = foldPath(path)
	}
	path = strings.ToLower(escapeOnce(path))
	path = stripASPNet(path)
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}

	var b strings.Builder
	b.Grow(len(u.href))
	if host == "" {
		b.WriteString(u.Scheme() + ":")
	} else {
		labels := strings.Split(host[len(numberedWWW.FindString(host)):], ".")
		slices.Reverse(labels)
		b.WriteString(strings.Join(labels, ","))
		if p := u.Port(); p != "" && p != "0" {
			b.WriteString(":" + p)
		}
		b.WriteByte(')')
	}
	b.WriteString(path)
	if q := cdxQuery(u.Query()); q != "" {
		b.WriteString("?" + q)
	}
	return b.String()
}

var numberedWWW = regexp.MustCompile(`^www[0-9]*\.`)

// cdxSessions are stripped from a query one after another, each once, from the
// last place that fits.
var cdxSessions = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^(.*)(?:jsessionid=[0-9a-z]{32})(?:&(.*))?$`),
	regexp.MustCompile(`(?i)^(.*)(?:phpsessid=[0-9a-z]{32})(?:&(.*))?$`),
	regexp.MustCompile(`(?i)^(.*)(?:sid=[0-9a-z]{32})(?:&(.*))?$`),
	regexp.MustCompile(`(?i)^(.*)(?:aspsessionid[a-z]{8}=[a-z]{24})(?:&(.*))?$`),
	regexp.MustCompile(`(?i)^(.*)(?:cfid=[^&]+&cftoken=[^&]+)(?:&(.*))?$`),
}

func cdxQuery(q string) string {
	q = escapeOnce(unescapeAll(q))
	for _, re := range cdxSessions {
		if m := re.FindStringSubmatch(q); m != nil {
			q = m[1] + m[2]
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
