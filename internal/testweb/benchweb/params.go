package benchweb

import (
	"time"

	"exclave/internal/conf"
)

// Params describe a web. Shares are between 0 and 1.
type Params struct {
	Seed      uint64  `json:"seed"`
	Hosts     int     `json:"hosts"`     // 1 … 65,536, at most one per resource
	Resources int     `json:"resources"` // of all hosts together, at least 1
	MeanSize  int     `json:"mean_size"` // bytes of a body on average, 2,000 … 1,000,000; a target that is met within a fifth
	National  float64 `json:"national"`  // share of pages that are Czech
	Locality  float64 `json:"locality"`  // share of pages in the language of their host, and of links elsewhere to pages in that of their own
	Redirects float64 `json:"redirects"` // share of resources that redirect, at most 1/16
	Errors    float64 `json:"errors"`    // share of resources that answer 4xx or 500, at most 1/16
	TLS       float64 `json:"tls"`       // share of hosts that are https
	Gzip      float64 `json:"gzip"`      // share of text resources that are sent compressed to who accepts it
	Chunked   float64 `json:"chunked"`   // share of resources sent in chunks
	Robots    float64 `json:"robots"`    // share of hosts with a robots.txt that forbids a folder

	// Changed is the share of resources, redirects left out, whose content is another one than that of the web with 0: the same web, later.
	Changed float64 `json:"changed"`
	// Validators says what a client is told by which it can ask whether a resource changed.
	Validators Validators `json:"validators"`

	// Deep makes a web in which pages lie far from each other: few links lead out of a
	// host, chains of pages lead into some, addresses of pages look like those of traps,
	// one host in thirteen is the nation's own, and each host has an IP address. The seeds
	// are the pages that the nation's own domain is said to link to.
	Deep bool `json:"deep"`
	// SeedShare is the share of pages that are seeds, of a deep web; of national pages
	// three times as many are.
	SeedShare float64 `json:"seed_share"`
	// SharedAddress is the share of hosts that have their IP address in common with about
	// twenty others, of a deep web.
	SharedAddress float64 `json:"shared_address"`
	// Traps gives the share TrapShare of hosts a trap: pages without end, of one kind each.
	Traps     bool    `json:"traps"`
	TrapShare float64 `json:"trap_share"`
	// SlowHosts is the number of hosts, the last ones, that answer after SlowBy.
	SlowHosts int           `json:"slow_hosts"`
	SlowBy    time.Duration `json:"slow_by"`
}

// Validators are a habit of servers.
type Validators string

// Habits of servers.
const (
	DateOnly     Validators = "date" // Last-Modified, which is never compared: each answer is whole
	ETags        Validators = "etag" // ETag and Last-Modified; 304 for who has the ETag, or without one the date
	NoValidators Validators = "none"
)

// DefaultParams is a web of 20,000 resources of 15 KB on 400 hosts, without TLS,
// traps and slow hosts.
func DefaultParams() Params {
	return Params{Seed: 1, Hosts: 400, Resources: 20_000, MeanSize: 15_000, National: 0.3, Redirects: 0.045, Errors: 0.03,
		Gzip: 0.3, Chunked: 0.15, Robots: 0.2, Validators: DateOnly, SlowBy: 500 * time.Millisecond, SeedShare: 0.02, SharedAddress: 0.25, TrapShare: 0.05}
}

const maxHosts = 1 << 16

// Validate returns every value that cannot be.
func (p Params) Validate() (ps conf.Problems) {
	if p.Resources < 1 || p.Resources > 1<<31 {
		ps.Add("resources", "%d is not between 1 and %d", p.Resources, 1<<31)
	}
	if p.Hosts < 1 || p.Hosts > maxHosts || p.Hosts > p.Resources {
		ps.Add("hosts", "%d is not between 1 and the number of resources, at most %d", p.Hosts, maxHosts)
	}
	if p.MeanSize < 2_000 || p.MeanSize > 1_000_000 {
		ps.Add("mean size", "%d is not between 2000 and 1000000 bytes", p.MeanSize)
	}
	if p.SlowHosts < 0 || p.SlowHosts > p.Hosts || p.SlowBy < 0 {
		ps.Add("slow hosts", "%d by %s: not between 0 and the number of hosts", p.SlowHosts, p.SlowBy)
	}
	switch p.Validators {
	case DateOnly, ETags, NoValidators:
	default:
		ps.Add("validators", "%q is none of %s, %s, %s", p.Validators, DateOnly, ETags, NoValidators)
	}
	for _, s := range []struct {
		name        string
		share, most float64
	}{
		{"national", p.National, 1}, {"locality", p.Locality, 1}, {"redirects", p.Redirects, 1. / blockSize}, {"errors", p.Errors, 1. / blockSize},
		{"tls", p.TLS, 1}, {"gzip", p.Gzip, 1}, {"chunked", p.Chunked, 1}, {"changed", p.Changed, 1}, {"robots", p.Robots, 1},
		{"seed share", p.SeedShare, 1. / 3}, {"shared address", p.SharedAddress, 1}, {"trap share", p.TrapShare, 1},
	} {
		if !(s.share >= 0 && s.share <= s.most) {
			ps.Add(s.name, "%g is not between 0 and %g", s.share, s.most)
		}
	}
	return ps
}

// What hashes are drawn for.
const (
	forHostSize = iota
	forHostWord
	forScheme
	forRobots
	forVariant
	forNational
	forCharset
	forSize
	forStatus
	forRedirect
	forError
	forGzip
	forChunked
	forSlug
	forRefs
	forForm
	forBody
	forLocality
	forSeed
	forAddress
	forTrap
	forSession
	forChange
)

// hash is the finaliser of SplitMix64 over the seed and three numbers.
func (w *Web) hash(what, h, i int) uint64 {
	return mix(mix(w.p.Seed^uint64(what)<<56, uint64(h)), uint64(i))
}

func mix(a, b uint64) uint64 {
	z := a*0xbf58476d1ce4e5b9 + b + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// chance decides, for ever the same way, whether something of the given share
// happens at (what, h, i).
func (w *Web) chance(share float64, what, h, i int) bool { return w.fraction(what, h, i) < share }

// fraction is a number in [0, 1).
func (w *Web) fraction(what, h, i int) float64 { return float64(w.hash(what, h, i)>>11) / (1 << 53) }
