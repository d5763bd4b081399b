package urlx

import (
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
	LowerCasePath      bool // ASCII letters of the path
	StripSessionIDs    bool // ;jsessionid=… in the path; session parameters of the query
	StripTracking      bool // utm_*, gclid, fbclid and their kind in the query
	SortQuery          bool // parameters in the order of their names
}

// Hash identifies the rule set; it is stored in the state, since keys made
// under other rules cannot be compared. It depends on every rule and on the
// version of their meaning.
func (r Rules) Hash() uint64 {
	const version = 1
	h := fnv.New64a()
	bits := []byte{version}
	for _, on := range r.list() {
		if on {
			bits = append(bits, 1)
		} else {
			bits = append(bits, 0)
		}
	}
	_, _ = h.Write(bits) // never fails: hash.Hash
	return h.Sum64()
}

func (r Rules) list() []bool {
	return []bool{
		r.StripWWW, r.StripIndex, r.StripTrailingSlash, r.LowerCasePath,
		r.StripSessionIDs, r.StripTracking, r.SortQuery,
	}
}

// Key returns the normal form of u, the string that decides whether two
// addresses are the same: the address without fragment, scheme included, after
// the rules. It parses, and the key of its URL is itself.
func (r Rules) Key(u *URL) string {
	u = u.WithoutFragment()
	if r == (Rules{}) {
		return u.href
	}
	// One rule may uncover work for another, and each only shortens, lowers
	// or sorts, so this ends.
	for {
		s := r.apply(u)
		if s == u.href {
			return s
		}
		v, err := Parse(s)
		if err != nil {
			return u.href
		}
		u = v
	}
}

func (r Rules) apply(u *URL) string {
	before, host := u.href[:u.authority], u.href[u.authority:u.hostEnd]
	if r.StripWWW && !u.IsIP() {
		for strings.HasPrefix(host, "www.") && strings.Contains(strings.TrimSuffix(host[4:], "."), ".") {
			host = host[4:]
		}
	}
	path, query := r.path(u.Path()), u.href[u.query:u.fragment]
	if query != "" {
		query = r.query(query)
	}
	return before + host + u.href[u.hostEnd:u.path] + path + query
}

func (r Rules) path(p string) string {
	if r.LowerCasePath {
		p = strings.ToLower(p)
	}
	if r.StripSessionIDs {
		p = stripPathSession(p)
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

const pathSession = ";jsessionid="

func stripPathSession(p string) string {
	for {
		i := strings.Index(strings.ToLower(p), pathSession)
		if i < 0 {
			return p
		}
		end := strings.IndexAny(p[i+1:], ";/")
		if end < 0 {
			return p[:i]
		}
		p = p[:i] + p[i+1+end:]
	}
}

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
	params := strings.Split(q[1:], "&")
	n := len(params)
	params = slices.DeleteFunc(params, func(p string) bool {
		name, value, _ := strings.Cut(strings.ToLower(p), "=")
		return r.StripSessionIDs && isSession(name, value) || r.StripTracking && isTracking(name)
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

// isSession knows the parameters Heritrix strips.
func isSession(name, value string) bool {
	switch name {
	case "jsessionid", "phpsessid", "cfid", "cftoken":
		return true
	case "sid":
		return len(value) == 32
	}
	return strings.HasPrefix(name, "aspsessionid")
}

func isTracking(name string) bool {
	switch name {
	case "gclid", "dclid", "gbraid", "wbraid", "fbclid", "msclkid", "yclid", "twclid", "igshid", "mc_cid", "mc_eid", "_ga":
		return true
	}
	return strings.HasPrefix(name, "utm_")
}
