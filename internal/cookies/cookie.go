package cookies

import (
	"cmp"
	"net"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"exclave/internal/urlx"
)

// cookie is one of the jar, and a line of its journal.
type cookie struct {
	Domain   string    `json:"domain"`         // without a dot before it, lower case
	HostOnly bool      `json:"host,omitempty"` // for this host alone
	Path     string    `json:"path"`
	Name     string    `json:"name"`
	Value    string    `json:"value"`
	Secure   bool      `json:"secure,omitempty"`
	HTTPOnly bool      `json:"http_only,omitempty"` // not for scripts: what sessions live by most often is
	Expires  time.Time `json:"expires,omitzero"`    // zero: not during the job
	Created  time.Time `json:"created"`

	accessed time.Time // when it was last sent, or set
}

// maxCookie is how long name and value may be together, as in browsers.
const maxCookie = 4096

// same reports whether one takes the place of the other (RFC 6265 §5.3, 11).
func (c *cookie) same(o *cookie) bool {
	return c.Name == o.Name && c.Domain == o.Domain && c.Path == o.Path && c.HostOnly == o.HostOnly
}

func (c *cookie) over(now time.Time) bool { return !c.Expires.IsZero() && !c.Expires.After(now) }

// valid reports whether a line of a journal, or of a file of a stranger, is a cookie that could be sent.
func (c *cookie) valid() bool {
	return c.Domain != "" && c.Name != "" && strings.HasPrefix(c.Path, "/") && len(c.Name)+len(c.Value) <= maxCookie &&
		!strings.ContainsFunc(c.Name+c.Value, func(r rune) bool { return r < ' ' || r == 0x7f || r == ';' }) && !strings.Contains(c.Name, "=")
}

// matches reports whether the cookie goes with a request for a URL (§5.4).
func (c *cookie) matches(u *urlx.URL, now time.Time) bool {
	host := hostOf(u)
	switch {
	case c.over(now), c.Secure && u.Scheme() != "https":
		return false
	case c.HostOnly && host != c.Domain, !c.HostOnly && !domainMatches(host, c.Domain):
		return false
	}
	return pathMatches(u.Path(), c.Path)
}

func hostOf(u *urlx.URL) string { return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") }

// domainMatches is §5.1.3.
func domainMatches(host, domain string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain) && net.ParseIP(strings.Trim(host, "[]")) == nil
}

// pathMatches is §5.1.4.
func pathMatches(path, of string) bool {
	return path == of || strings.HasPrefix(path, of) && (strings.HasSuffix(of, "/") || path[len(of)] == '/')
}

// defaultPath is §5.1.4: the folder of a path.
func defaultPath(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i <= 0 {
		return "/"
	}
	return path[:i]
}

// read reads a value of Set-Cookie of an answer for a URL (§5.3); nil is none that may be set.
func read(line string, u *urlx.URL, now time.Time) *cookie {
	in, ok := parse(line)
	if !ok {
		return nil
	}
	host := hostOf(u)
	c := &cookie{Name: in.name, Value: in.value, Secure: in.secure, HTTPOnly: in.httpOnly, Created: now, accessed: now, Path: in.path, Domain: host, HostOnly: true, Expires: in.expires}
	if !strings.HasPrefix(c.Path, "/") {
		c.Path = defaultPath(u.Path())
	}
	if in.hasMaxAge {
		c.Expires = now.Add(time.Duration(min(max(in.maxAge, 0), int64(maxAge/time.Second))) * time.Second)
	}
	if d := in.domain; d != "" {
		if to, err := urlx.Parse("http://" + d + "/"); err == nil {
			d = hostOf(to) // in letters, too
		}
		switch suffix, _ := publicsuffix.PublicSuffix(d); {
		case suffix == d && d == host: // for this host alone
		case suffix == d || !domainMatches(host, d):
			return nil
		default:
			c.Domain, c.HostOnly = d, false
		}
	}
	switch {
	case c.Secure && u.Scheme() != "https":
		return nil // RFC 6265bis §5.7, 8
	case hasPrefix(c.Name, "__Secure-") && !c.Secure, hasPrefix(c.Name, "__Host-") && (!c.Secure || in.domain != "" || in.path != "/"): // RFC 6265bis §5.7, 20 and 21
		return nil
	case !c.valid():
		return nil
	}
	return c
}

// hasPrefix reports whether a name begins so, in whatever case.
func hasPrefix(name, prefix string) bool {
	return len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
}

// guards reports whether a cookie is for TLS alone, and one that comes without would be sent beside it or in its place (RFC 6265bis §5.7, 16).
func (c *cookie) guards(o *cookie) bool {
	return c.Secure && !o.Secure && c.Name == o.Name && (domainMatches(c.Domain, o.Domain) || domainMatches(o.Domain, c.Domain)) && pathMatches(o.Path, c.Path)
}

// before reports whether a cookie goes before another when there are too many: what has not been sent for longer (RFC 6265 §5.3), and of those that go with
// the same requests what is least likely to be a session.
func (c *cookie) before(o *cookie) int {
	return cmp.Or(c.accessed.Compare(o.accessed), order(c.HTTPOnly, o.HTTPOnly), order(c.Expires.IsZero(), o.Expires.IsZero()), c.Created.Compare(o.Created))
}

// order has false go before true.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// maxAge is the longest life of a cookie, as in browsers.
const maxAge = 400 * 24 * time.Hour

// group is what cookies are bounded and looked up by: the registered domain, or the host that has none.
func group(host string) string {
	if d, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return d
	}
	return host
}
