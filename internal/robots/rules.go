package robots

import (
	"net/http"
	"slices"
	"strings"
	"time"
	"unsafe"
)

// MaxCrawlDelay is the longest delay CrawlDelay returns.
const MaxCrawlDelay = 24 * time.Hour

// Rules is what a robots.txt file means for one crawler.
type Rules struct {
	rules       []rule // most octets first, allow before disallow
	delay       time.Duration
	hasDelay    bool
	unreachable bool
	since       time.Time // from when on it has been unreachable; zero: not known
	sitemaps    []string
	// What other crawlers may: with anyAll one may everything, else each of others is the rules of one. Empty
	// unless [Rules.FavorMost] was called.
	anyAll bool
	others [][]rule
}

// rule is an allow or disallow line whose path is in the form of normalise.
type rule struct {
	pattern  string // '*' is a wildcard; without the final '$'
	anchored bool   // ended with '$'
	allow    bool
	line     int32 // of the file; 0 when it was read from its binary form
}

// equal reports that two rules say the same, wherever they stand.
func (r rule) equal(o rule) bool {
	return r.pattern == o.pattern && r.anchored == o.anchored && r.allow == o.allow
}

// octets is the length that decides which match is the most specific.
func (r rule) octets() int {
	if r.anchored {
		return len(r.pattern) + 1
	}
	return len(r.pattern)
}

func (r rule) String() string {
	s := "disallow: "
	if r.allow {
		s = "allow: "
	}
	s += r.pattern
	if r.anchored {
		s += "$"
	}
	return s
}

// AllowAll returns rules that forbid nothing.
func AllowAll() *Rules { return &Rules{} }

// DisallowAll returns rules that forbid everything but robots.txt.
func DisallowAll() *Rules { return &Rules{rules: []rule{{pattern: "/"}}} }

// FromStatus returns the rules of an HTTP answer for the product token. RFC
// 9309 §2.3.1:
//
//   - 2xx: the body;
//   - 3xx (the caller followed as many redirects as it cares to) and 4xx:
//     there is no robots.txt, all is allowed;
//   - 5xx, and any other number, such as the negative or zero status of a
//     failed fetch: unreachable, nothing is allowed for now;
//   - 429: unreachable too, unlike the letter of the RFC, since a host that is
//     overloaded has not said that it has no rules.
func FromStatus(status int, body []byte, token string) *Rules {
	switch {
	case status >= 200 && status < 300:
		return Parse(body, token)
	case status >= 300 && status < 500 && status != http.StatusTooManyRequests:
		return AllowAll()
	}
	r := DisallowAll()
	r.unreachable = true
	return r
}

// Unreachable reports that the verdict is "not now" since robots.txt could not
// be had: a reason to try again, unlike a rule that forbids.
func (r *Rules) Unreachable() bool { return r.unreachable }

// Since returns from when on robots.txt has been unreachable, the zero time when that is not known or it is not.
func (r *Rules) Since() time.Time { return r.since }

// UnreachableSince notes since when robots.txt has been unreachable.
func (r *Rules) UnreachableSince(t time.Time) { r.since = t }

// Allowed reports whether the path with its query, as urlx's PathQuery gives
// it, may be fetched, and the rule that decided, "" when none matched. The
// match with the most octets decides, allow before disallow (RFC 9309 §2.2.2).
// /robots.txt itself is always allowed.
func (r *Rules) Allowed(pathQuery string) (bool, string) {
	if by := r.deciding(pathQuery); by != nil {
		return by.allow, by.String()
	}
	return true, ""
}

// deciding returns the rule that decides on a path, nil when none does.
func (r *Rules) deciding(pathQuery string) *rule {
	if len(r.rules) == 0 || pathQuery == ownPath {
		return nil
	}
	path := normalise(pathQuery, false)
	for i := range r.rules {
		if r.rules[i].match(path) {
			return &r.rules[i]
		}
	}
	return nil
}

// ownPath is where robots.txt is, which no rule can forbid (RFC 9309 §2.2.2).
const ownPath = "/robots.txt"

// match expects the normal form. It takes each piece between wildcards at its
// leftmost place, which finds a match whenever there is one.
func (r rule) match(path string) bool {
	piece, rest, wild := strings.Cut(r.pattern, "*")
	if !strings.HasPrefix(path, piece) {
		return false
	}
	path = path[len(piece):]
	for wild {
		piece, rest, wild = strings.Cut(rest, "*")
		if !wild && r.anchored {
			return strings.HasSuffix(path, piece)
		}
		i := strings.Index(path, piece)
		if i < 0 {
			return false
		}
		path = path[i+len(piece):]
	}
	return !r.anchored || path == ""
}

// Size returns about how many bytes of memory the rules take.
func (r *Rules) Size() int {
	n := 128 + cap(r.rules)*int(unsafe.Sizeof(rule{}))
	for _, rule := range r.rules {
		n += len(rule.pattern)
	}
	for _, other := range r.others {
		n += 24 + cap(other)*int(unsafe.Sizeof(rule{}))
		for _, rule := range other {
			n += len(rule.pattern)
		}
	}
	for _, s := range r.sitemaps {
		n += len(s) + 16
	}
	return n
}

// CrawlDelay returns the delay between requests the file asks for, in
// [0, MaxCrawlDelay], and whether it asks. Crawl-delay is not part of RFC 9309.
func (r *Rules) CrawlDelay() (time.Duration, bool) { return r.delay, r.hasDelay }

// Sitemaps returns the values of the Sitemap lines, of whatever group, as
// written and each once. They may be relative or nonsense. The caller must not
// change the slice.
func (r *Rules) Sitemaps() []string { return r.sitemaps }

// sortRules brings the rules into the order in which the first match decides.
func sortRules(rules []rule) {
	slices.SortStableFunc(rules, func(a, b rule) int {
		switch d := b.octets() - a.octets(); {
		case d != 0:
			return d
		case a.allow == b.allow:
			return 0
		case a.allow:
			return -1
		}
		return 1
	})
}

// normalise brings a path or a pattern into the form in which octets are
// compared (RFC 9309 §2.2.2): escapes of unreserved characters are decoded,
// other escapes are upper case, octets outside printable ASCII are escaped. In
// a path '*' and '$' are escaped, since in a pattern they are special (§2.2.3).
func normalise(s string, pattern bool) string {
	if isNormal(s, pattern) {
		return s
	}
	b := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			c = unhex(s[i+1])<<4 | unhex(s[i+2])
			i += 2
			if isUnreserved(c) {
				b = append(b, c)
			} else {
				b = appendEscape(b, c)
			}
			continue
		}
		if mustEscape(c, pattern) {
			b = appendEscape(b, c)
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

func isNormal(s string, pattern bool) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == '%' || mustEscape(s[i], pattern) {
			return false
		}
	}
	return true
}

func mustEscape(c byte, pattern bool) bool {
	return c <= ' ' || c >= 0x7f || c == '$' || c == '*' && !pattern
}

func appendEscape(b []byte, c byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(b, '%', digits[c>>4], digits[c&15])
}

// isUnreserved is the set of RFC 3986 §2.3.
func isUnreserved(c byte) bool {
	return isLetter(c) || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
