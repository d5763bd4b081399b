package crawl

import (
	"strings"

	"exclave/internal/urlx"
)

// A prerequisite is what other URIs cannot be fetched without: the addresses of a host
// ("dns:host") or the robots.txt of an origin. It is asked for on behalf of those, has no
// claim, and is never judged; its answer is deferred until one of them is archived.
//
// A prerequisite is told by its key, which no other URI has: the robots.txt that a page
// links to is an ordinary URI with an ordinary key.

const (
	dnsPrefix    = "dns:"
	robotsPrefix = "robots:"
	robotsPath   = "/robots.txt"
)

// DNSKey returns the key of the addresses of a host, which is their URL too.
func DNSKey(host string) string { return dnsPrefix + host }

// RobotsKey returns the key of the robots.txt of an origin.
func RobotsKey(origin string) string { return robotsPrefix + origin }

// RobotsURL returns where the robots.txt of an origin is.
func RobotsURL(origin string) string { return origin + robotsPath }

// DNSHost returns the host whose addresses a key stands for.
func DNSHost(key string) (host string, ok bool) { return strings.CutPrefix(key, dnsPrefix) }

// RobotsOrigin returns the origin whose robots.txt a key stands for.
func RobotsOrigin(key string) (origin string, ok bool) { return strings.CutPrefix(key, robotsPrefix) }

// IsDNS reports whether a key stands for the addresses of a host.
func IsDNS(key string) bool { return strings.HasPrefix(key, dnsPrefix) }

// IsRobots reports whether a key stands for the robots.txt of an origin.
func IsRobots(key string) bool { return strings.HasPrefix(key, robotsPrefix) }

// IsPrereq reports whether a key is that of a prerequisite.
func IsPrereq(key string) bool { return IsDNS(key) || IsRobots(key) }

// IsPrereq reports whether the URI is a prerequisite.
func (c *Candidate) IsPrereq() bool { return IsPrereq(c.Key) }

// PrereqKey returns the key of the prerequisite at a URL, of which logs and archive have
// nothing else. The robots.txt there may have been asked for as an ordinary URI, too.
func PrereqKey(url string) (key string, ok bool) {
	if IsDNS(url) {
		return url, true
	}
	if !strings.Contains(url, robotsPath[1:]) {
		return "", false
	}
	u, err := urlx.Parse(url)
	if err != nil || u.PathQuery() != robotsPath || !u.IsWeb() {
		return "", false
	}
	return RobotsKey(u.Origin()), true
}

// PrereqURL returns the URL of the prerequisite with a key.
func PrereqURL(key string) string {
	if origin, ok := RobotsOrigin(key); ok {
		return RobotsURL(origin)
	}
	return key
}

// PrereqHops reports whether a URI with such a hop path was asked for as a prerequisite:
// a line of crawl.log has no key.
func PrereqHops(hops string) bool { return strings.HasSuffix(hops, string(rune(HopPrereq))) }
