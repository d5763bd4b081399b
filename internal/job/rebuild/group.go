package rebuild

import (
	"net/netip"
	"time"

	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/mime"
	"exclave/internal/urlx"
)

// group is a capture group as the archive has it.
type group struct {
	File       uint32
	Start, End int64
	URL        string
	Why        string `json:",omitempty"` // why it cannot be used, "" when it can

	// Of a page; Response is zero for a verdict that was made later.
	Response, Metadata crawl.Ref
	Type, ID, Digest   string
	Date               int64 // milliseconds
	Addr               netip.Addr
	Status             int
	MIME               mime.Info
	Size, Header       int64 // of the block, and of the header in it, in bytes
	ETag, LastModified string
	ContentType        string // as the header has it
	Redirect, NoFollow bool
	Truncated          bool
	Carried            []answered `json:",omitempty"`

	// Payload is what the answer is found by when later ones have the same content. Refers is, of a revisit record of an
	// identical payload, the ID of its original, which is known once it was looked up; "": that is in another archive.
	Payload  *crawl.Payload  `json:",omitempty"`
	Refers   string          `json:",omitempty"`
	Original *crawl.Original `json:",omitempty"`

	Verdict crawl.Ref // zero without one
	Of      string    // record ID of the answer that a verdict made later is about
}

// answered is a deferred answer in a capture group.
type answered struct {
	Key    string
	Date   int64
	Status int
	Addrs  []netip.Addr // of dns:
	TTL    int64        // seconds
	Robots []byte       // rules, marshalled
}

func (g *group) span() crawl.Span { return crawl.Span{File: g.File, Start: g.Start, End: g.End} }

// carries notes the deferred answers that stand before a page.
func (g *group) carries(before []*answer, page *urlx.URL) {
	for _, a := range before {
		key := crawl.RobotsKey(page.Origin())
		if crawl.IsDNS(a.URL) {
			key = a.URL
		}
		k := answered{Key: key, Date: a.Date, Status: a.Status, Addrs: a.dns, TTL: a.ttl, Robots: a.robots}
		// Redirects stand before the robots.txt they led to.
		if n := len(g.Carried); n > 0 && g.Carried[n-1].Key == key {
			g.Carried[n-1] = k
		} else {
			g.Carried = append(g.Carried, k)
		}
	}
}

// candidate returns the URI of a capture.
func (g *group) candidate(rules urlx.Rules) (c crawl.Candidate, ok bool) {
	if host, ok := crawl.DNSHost(g.URL); ok { // of a group that is not whole
		return crawl.Candidate{URL: g.URL, Key: g.URL, Host: host}, true
	}
	u, err := urlx.Parse(g.URL)
	if err != nil {
		return c, false
	}
	return crawl.Candidate{URL: g.URL, Key: rules.Key(u), Host: u.Hostname(), Kind: crawl.LinkNav}, true
}

// facts are what the answers of a capture taught about its host and origin.
func (g *group) facts(u *crawl.CrawlURI, robotsTTL time.Duration) {
	for _, a := range g.Carried {
		at := time.UnixMilli(a.Date).UTC()
		if host, ok := crawl.DNSHost(a.Key); ok {
			u.HostFacts = &crawl.HostFacts{Host: host, Status: crawl.StatusDNS, Addrs: a.Addrs, Asked: at, Expires: at.Add(time.Duration(a.TTL) * time.Second)}
		} else if origin, ok := crawl.RobotsOrigin(a.Key); ok && a.Robots != nil {
			u.Origin = &crawl.OriginFacts{Origin: origin, Status: crawl.Status(a.Status),
				Robots: a.Robots, Fetched: at, Expires: at.Add(robotsTTL)}
		}
		u.Carried = append(u.Carried, a.Key)
	}
}

// capture is the row of a group that is not used: an abandoned capture.
func (g *group) capture(why string) frontier.Capture {
	c := frontier.Capture{Span: g.span(), Response: !g.Response.IsZero(), Abandoned: why}
	if g.Original != nil {
		c.Original = g.Original.Ref
	}
	for _, a := range g.Carried {
		c.Carried = append(c.Carried, a.Key)
	}
	return c
}
