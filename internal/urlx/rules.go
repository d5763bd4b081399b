package urlx

import (
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strings"
)

// Rules says which differences between two addresses do not matter. The zero
// Rules, the default, merge nothing but fragments. Each rule merges addresses
// that some server tells apart, so each is a decision of the crawl's owner.
type Rules struct {
	StripWWW           bool // "www." before a host that has a dot of its own
	StripIndex         bool // last segment index.* or default.* with a known extension
	StripTrailingSlash bool // '/' at the end of a path longer than "/"
	MergeSlashes       bool // "//" in the path
	LowerCasePath      bool // ASCII letters of the path
	NormalEscapes      bool // RFC 3986 §6.2.2: %7e = ~, %2f = %2F; a '%' that is no escape = %25
	StripSessionIDs    bool // ;jsessionid=… and /(S(…))/ in the path; session parameters of the query
	StripTracking      bool // utm_*, gclid, fbclid and their kind in the query
	SortQuery          bool // parameters in the order of their names

	Hosts *HostRules `toml:"-"` // which host names mean the same; nil = none
}

// maxPasses bounds how often the rules are applied to one address.
const maxPasses = 64

// Hash identifies the rule set; it is stored in the state, since keys made
// under other rules cannot be compared. It depends on every rule that is on and
// on the version of its meaning. A rule that is off does not count, so a state
// outlives the arrival of new rules.
func (r Rules) Hash() uint64 {
	const version = 1
	h := fnv.New64a()
	// Rules as they arrived. The first seven are always written: states hold that.
	bits := []byte{version}
	for i, rule := range []struct {
		on      bool
		meaning byte
	}{
		{r.StripWWW, 1},
		{r.StripIndex, 1},
		{r.StripTrailingSlash, 1},
		{r.LowerCasePath, 1},
		{r.StripSessionIDs, 2}, // 2: the whole of Heritrix's list
		{r.StripTracking, 1},
		{r.SortQuery, 1},
		{r.MergeSlashes, 'm'},
		{r.NormalEscapes, 'e'},
	} {
		switch {
		case rule.on:
			bits = append(bits, rule.meaning)
		case i < 7:
			bits = append(bits, 0)
		}
	}
	if r.Hosts != nil {
		bits = binary.BigEndian.AppendUint64(append(bits, 'h'), r.Hosts.sum)
	}
	_, _ = h.Write(bits) // never fails: hash.Hash
	return h.Sum64()
}

// Key returns the normal form of u, the string that decides whether two
// addresses are the same: the address without fragment, scheme included, after
// the rules. It parses, and the key of its URL is itself. An address that the
// rules cannot bring to rest, or make no address of, is its own key.
func (r Rules) Key(u *URL) string {
	found := u.WithoutFragment()
	if r == (Rules{}) {
		return found.href
	}
	u = found
	for range maxPasses { // one rule may uncover work for another
		s := r.apply(u)
		if s == u.href {
			return s
		}
		v, err := Parse(s)
		if err != nil {
			break
		}
		u = v
	}
	return found.href
}

func (r Rules) apply(u *URL) string {
	path, query := r.path(u.Path()), u.href[u.query:u.fragment]
	if query != "" {
		query = r.query(query)
	}
	host := r.host(u.href[u.authority:u.hostEnd], u)
	return u.href[:u.authority] + host + u.href[u.hostEnd:u.path] + path + query
}

func (r Rules) host(host string, u *URL) string {
	if !r.StripWWW && r.Hosts == nil {
		return host
	}
	ip := u.IsIP()
	if r.StripWWW && !ip {
		host = stripWWW(host)
	}
	if r.Hosts != nil {
		host = r.Hosts.apply(host, ip)
	}
	return host
}

func stripWWW(host string) string {
	for strings.HasPrefix(host, "www.") && dotted(host[4:]) {
		host = host[4:]
	}
	return host
}

// dotted reports whether a host has more than one label.
func dotted(host string) bool {
	return strings.Contains(strings.TrimSuffix(host, "."), ".")
}

func (r Rules) path(p string) string {
	if r.LowerCasePath {
		p = strings.ToLower(p)
	}
	if r.NormalEscapes {
		p = normalEscapes(p)
	}
	if r.StripSessionIDs {
		p = stripPathSession(p)
	}
	for r.MergeSlashes && strings.Contains(p, "//") {
		p = strings.ReplaceAll(p, "//", "/")
	}
	slash := strings.LastIndexByte(p, '/')
	if r.StripIndex && isIndex(p[slash+1:]) {
		p = p[:slash+1]
	}
	if r.StripTrailingSlash && len(p) > 1 {
		p = strings.TrimSuffix(p, "/")
	}
	return p
}

// normalEscapes decodes what needs no escape anywhere and writes the digits of
// the other escapes in upper case. A '%' that begins no escape becomes one:
// left alone, it would form another with digits decoded after it.
func normalEscapes(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	b := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '%' {
			b = append(b, c)
			continue
		}
		if v, ok := escaped(s[i:]); !ok {
			b = append(b, "%25"...)
		} else {
			i += 2
			if unreserved(v) {
				b = append(b, v)
			} else {
				b = append(b, '%', hexDigits[v>>4], hexDigits[v&15])
			}
		}
	}
	return string(b)
}

// escaped returns the byte that the escape at the beginning of s means.
func escaped(s string) (byte, bool) {
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	hi, ok1 := digit(s[1])
	lo, ok2 := digit(s[2])
	return hi<<4 | lo, ok1 && ok2
}

func digit(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// unreserved knows the characters of RFC 3986 §2.3.
func unreserved(c byte) bool {
	return isLetter(c) || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isIndex(name string) bool {
	stem, ext, ok := strings.Cut(strings.ToLower(name), ".")
	if !ok || stem != "index" && stem != "default" {
		return false
	}
	switch ext {
	case "html", "htm", "shtml", "xhtml", "php", "php3", "php5", "asp", "aspx", "jsp", "cgi", "cfm":
		return true
	}
	return false
}

// query takes and returns a query with its '?'.
func (r Rules) query(q string) string {
	if r.NormalEscapes {
		q = normalEscapes(q)
	}
	if !r.StripSessionIDs && !r.StripTracking && !r.SortQuery {
		return q
	}
	params := strings.Split(q[1:], "&")
	n := len(params)
	coldFusion := r.StripSessionIDs && isColdFusion(params)
	params = slices.DeleteFunc(params, func(p string) bool {
		name, value, _ := strings.Cut(strings.ToLower(p), "=")
		return r.StripSessionIDs && isSession(name, value, coldFusion) || r.StripTracking && isTracking(name)
	})
	if len(params) == 0 {
		return ""
	}
	if r.SortQuery {
		slices.SortStableFunc(params, func(a, b string) int {
			a, _, _ = strings.Cut(a, "=")
			b, _, _ = strings.Cut(b, "=")
			return strings.Compare(a, b)
		})
	}
	if len(params) == n && !r.SortQuery {
		return q
	}
	return "?" + strings.Join(params, "&")
}

func isTracking(name string) bool {
	switch name {
	case "gclid", "dclid", "gbraid", "wbraid", "fbclid", "msclkid", "yclid", "twclid", "igshid", "mc_cid", "mc_eid", "_ga":
		return true
	}
	return strings.HasPrefix(name, "utm_")
}
