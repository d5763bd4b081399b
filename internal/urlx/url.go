package urlx

import (
	"net"
	"net/netip"
	"strings"
)

// URL is a parsed absolute address. It never changes after Parse or Resolve
// returned it. The zero URL is not valid.
type URL struct {
	href string // serialised with fragment
	host string // Hostname

	// Offsets into href, in rising order.
	authority uint16 // after "://" and credentials
	hostEnd   uint16 // ':' of the port or '/' of the path
	path      uint16 // '/' that begins the path
	query     uint16 // '?', or equal to fragment
	fragment  uint16 // '#', or len(href)
}

// newURL measures a string that is known to be the serialisation of an http,
// https, ftp or whois URL of at most MaxLength bytes.
func newURL(href string) *URL {
	u := &URL{href: href}
	start := strings.Index(href, "://") + len("://")
	path := start + strings.IndexByte(href[start:], '/')
	if at := strings.LastIndexByte(href[start:path], '@'); at >= 0 {
		start += at + 1
	}
	end := path
	if colon := strings.LastIndexByte(href[start:path], ':'); colon >= 0 && !strings.Contains(href[start+colon:path], "]") {
		end = start + colon
	}
	fragment := len(href)
	if i := strings.IndexByte(href[path:], '#'); i >= 0 {
		fragment = path + i
	}
	query := fragment
	if i := strings.IndexByte(href[path:fragment], '?'); i >= 0 {
		query = path + i
	}
	u.host = strings.Trim(href[start:end], "[]")
	u.authority, u.hostEnd, u.path = uint16(start), uint16(end), uint16(path)
	u.query, u.fragment = uint16(query), uint16(fragment)
	return u
}

// String returns the whole address, credentials and fragment included.
func (u *URL) String() string { return u.href }

// WithoutFragment returns the address without '#' and what follows it: the form
// that is requested and recorded.
func (u *URL) WithoutFragment() *URL {
	if int(u.fragment) == len(u.href) {
		return u
	}
	v := *u
	v.href = u.href[:u.fragment]
	return &v
}

// Userinfo returns user name and password as they stand before '@',
// percent-encoded: "name", "name:password"; "" without.
func (u *URL) Userinfo() string {
	start := strings.Index(u.href, "://") + len("://")
	return strings.TrimSuffix(u.href[start:u.authority], "@")
}

// WithoutUserinfo returns the address without user name and password.
func (u *URL) WithoutUserinfo() *URL {
	start := strings.Index(u.href, "://") + len("://")
	if start == int(u.authority) {
		return u
	}
	return newURL(u.href[:start] + u.href[u.authority:])
}

// HideUserinfo returns s, which may or may not be an address, without what would be a
// user name or a password in one.
func HideUserinfo(s string) string {
	if strings.IndexByte(s, '@') < 0 {
		return s
	}
	if u, err := Parse(s); err == nil {
		if u.Userinfo() == "" {
			return s
		}
		return u.WithoutUserinfo().String()
	}
	return hideUnparsed(s)
}

// hideUnparsed is HideUserinfo for what is no address, of which nobody knows where a password
// ends: at the last '@', unless the host before it is a good one.
func hideUnparsed(s string) string {
	if strings.IndexByte(s, '@') < 0 { // most links that are refused, some of a megabyte
		return s
	}
	at := strings.LastIndexByte(s, '@')
	start := 0
	if scheme := Scheme(s); supported(scheme) {
		start = len(scheme) + len(":")
	} else if i := strings.Index(s[:at], "//"); i >= 0 {
		start = i
	} else if before, _, ok := strings.Cut(s[:at], ":"); !ok || strings.EqualFold(before, "mailto") {
		return s
	}
	start += len(s[start:]) - len(strings.TrimLeft(s[start:], `/\`))
	authority := s[start:]
	if i := strings.IndexAny(authority, `/\?#`); i >= 0 {
		authority = authority[:i]
	}
	host := authority[strings.LastIndexByte(authority, '@')+1:]
	if _, err := Parse("http://" + host + "/"); err == nil {
		at = start + len(authority) - len(host) - 1
	}
	if at < start {
		return s
	}
	return s[:start] + s[at+1:]
}

// Scheme returns "http", "https", "ftp" or "whois".
func (u *URL) Scheme() string { return u.href[:strings.IndexByte(u.href, ':')] }

// Hostname returns the host in lower case: a domain with its labels in ACE
// (xn--), an IPv4 address as four decimal numbers, or an IPv6 address without
// its brackets. It is never empty. A trailing dot is kept.
func (u *URL) Hostname() string { return u.host }

// Port returns the decimal port, or "" when it is the default of the scheme.
func (u *URL) Port() string {
	if u.hostEnd == u.path {
		return ""
	}
	return u.href[u.hostEnd+1 : u.path]
}

// EffectivePort returns the decimal port that is connected to.
func (u *URL) EffectivePort() string {
	if p := u.Port(); p != "" {
		return p
	}
	return defaultPort(u.Scheme())
}

// IsWeb reports whether it is an address of a web server: http or https.
func (u *URL) IsWeb() bool { return strings.HasPrefix(u.href, "http") }

func defaultPort(scheme string) string {
	switch scheme {
	case "https":
		return "443"
	case "ftp":
		return "21"
	case schemeWhois:
		return "43"
	}
	return "80"
}

// Authority returns host and effective port as net.Dial takes them:
// "example.cz:80", "[2001:db8::1]:443".
func (u *URL) Authority() string { return net.JoinHostPort(u.host, u.EffectivePort()) }

// Origin returns scheme, host and a port that is not the default:
// "https://example.cz:8443". IPv6 addresses have brackets.
func (u *URL) Origin() string { return u.Scheme() + "://" + u.href[u.authority:u.path] }

// Path returns the path, which begins with '/'.
func (u *URL) Path() string { return u.href[u.path:u.query] }

// Query returns what follows '?', without it. An empty query and none at all
// are both "".
func (u *URL) Query() string {
	if u.query == u.fragment {
		return ""
	}
	return u.href[u.query+1 : u.fragment]
}

// Fragment returns what follows '#', without it.
func (u *URL) Fragment() string {
	if int(u.fragment) == len(u.href) {
		return ""
	}
	return u.href[u.fragment+1:]
}

// PathQuery returns path, '?' and query: the request target of RFC 9112 §3.2.1,
// and what robots.txt rules are matched against.
func (u *URL) PathQuery() string { return u.href[u.path:u.fragment] }

// PathSegments returns the number of '/' in the path, at least 1, as Heritrix
// counts for its limit on path segments.
func (u *URL) PathSegments() int { return strings.Count(u.Path(), "/") }

// Addr returns the address when the host is an IP literal.
func (u *URL) Addr() (netip.Addr, bool) {
	last := u.host[len(u.host)-1]
	if last != ':' && (last < '0' || last > '9') && u.href[u.authority] != '[' {
		return netip.Addr{}, false
	}
	a, err := netip.ParseAddr(u.host)
	return a, err == nil
}

// IsIP reports whether the host is an IP literal.
func (u *URL) IsIP() bool {
	_, ok := u.Addr()
	return ok
}
