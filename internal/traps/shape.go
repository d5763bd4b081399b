package traps

import (
	"slices"
	"strings"

	"exclave/internal/urlx"
)

// Shape returns the form of an address with numbers, dates and ids taken out, and the host: "a.cz/list/0?page=0". It is
// "" where nothing was taken out.
func Shape(u *urlx.URL) string {
	var b strings.Builder
	b.WriteString(u.Hostname())
	changed := false
	for segment := range strings.SplitSeq(strings.TrimPrefix(u.Path(), "/"), "/") {
		s := withoutNumbers(segment)
		changed = changed || s != segment
		b.WriteString("/" + s)
	}
	_, query, has := strings.Cut(u.PathQuery(), "?")
	if !has {
		if !changed {
			return ""
		}
		return b.String()
	}
	var params []string
	for p := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(p, "=")
		s := withoutNumbers(value)
		changed = changed || s != value
		params = append(params, name+"="+s)
	}
	if !changed {
		return ""
	}
	slices.Sort(params)
	return b.String() + "?" + strings.Join(slices.Compact(params), "&")
}

// minID is how long what is taken for an id is.
const minID = 8

// withoutNumbers replaces runs of digits by 0, and an id by *.
func withoutNumbers(s string) string {
	digits, hex, other := 0, 0, 0
	for _, c := range []byte(s) {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
			hex++
		default:
			other++
		}
	}
	if digits == 0 {
		return s
	}
	if len(s) >= minID && (other == 0 && hex > 0 || digits >= 3 && hex+other >= 3 && !strings.ContainsAny(s, "-_. %")) {
		return "*"
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			b.WriteByte(s[i])
		} else if i == 0 || s[i-1] < '0' || s[i-1] > '9' {
			b.WriteByte('0')
		}
	}
	return b.String()
}
