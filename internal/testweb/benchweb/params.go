package benchweb

import (
	"errors"
	"fmt"
	"time"
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

	// Traps gives every 40th host an endless calendar and an endless path.
	Traps bool `json:"traps"`
	// SlowHosts is the number of hosts, the last ones, that answer after SlowBy.
	SlowHosts int           `json:"slow_hosts"`
	SlowBy    time.Duration `json:"slow_by"`
}

// DefaultParams is a web of 20,000 resources of 15 KB on 400 hosts, without TLS,
// traps and slow hosts.
func DefaultParams() Params {
	return Params{Seed: 1, Hosts: 400, Resources: 20_000, MeanSize: 15_000, National: 0.3, Redirects: 0.045, Errors: 0.03,
		Gzip: 0.3, Chunked: 0.15, Robots: 0.2, SlowBy: 500 * time.Millisecond}
}

const maxHosts = 1 << 16

// Validate returns every value that cannot be.
func (p Params) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("benchweb: "+format, args...)) }
	if p.Resources < 1 || p.Resources > 1<<31 {
		bad("resources: %d is not between 1 and %d", p.Resources, 1<<31)
	}
	if p.Hosts < 1 || p.Hosts > maxHosts || p.Hosts > p.Resources {
		bad("hosts: %d is not between 1 and the number of resources, at most %d", p.Hosts, maxHosts)
	}
	if p.MeanSize < 2_000 || p.MeanSize > 1_000_000 {
		bad("mean size: %d is not between 2000 and 1000000 bytes", p.MeanSize)
	}
	if p.SlowHosts < 0 || p.SlowHosts > p.Hosts || p.SlowBy < 0 {
		bad("slow hosts: %d by %s: not between 0 and the number of hosts", p.SlowHosts, p.SlowBy)
	}
	for _, s := range []struct {
		name        string
		share, most float64
	}{
		{"national", p.National, 1}, {"locality", p.Locality, 1}, {"redirects", p.Redirects, 1. / blockSize}, {"errors", p.Errors, 1. / blockSize},
		{"tls", p.TLS, 1}, {"gzip", p.Gzip, 1}, {"chunked", p.Chunked, 1}, {"robots", p.Robots, 1},
	} {
		if !(s.share >= 0 && s.share <= s.most) {
			bad("%s: %g is not between 0 and %g", s.name, s.share, s.most)
		}
	}
	return errors.Join(errs...)
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
