package crawl

import (
	"net/netip"
	"time"
)

// HostFacts is what is known of a host name, committed with the dns: URI that
// established it.
type HostFacts struct {
	Host    string
	Status  Status // StatusDNS, or why there is no address
	Addrs   []netip.Addr
	Asked   time.Time // wall time of the answer
	Expires time.Time
}

// Known reports whether the facts may be relied on at the given time.
func (h HostFacts) Known(now time.Time) bool { return now.Before(h.Expires) }

// HostVerdicts is how the pages of a host have been judged so far.
type HostVerdicts struct {
	Judged uint64              // pages
	Valid  [MaxProfiles]uint64 // of these, by profile
}

// OriginFacts is what is known of an origin (scheme://host[:port]): the rules of
// its robots.txt.
type OriginFacts struct {
	Origin  string
	Status  Status // of the robots.txt fetch
	Robots  []byte // robots.Rules, marshalled
	Fetched time.Time
	Expires time.Time
}

// Known reports whether the facts may be relied on at the given time.
func (o OriginFacts) Known(now time.Time) bool { return now.Before(o.Expires) }

// Deferred is an answer (DNS or robots.txt) that goes into the archive only with
// the first archived page that used it.
type Deferred struct {
	Key     string // "dns:host" or "robots:origin"
	Written bool   // a committed capture group holds it
	Time    time.Time
	Raw     []byte // encoded by chain/write, at most 1 MB; opaque to the frontier
}
