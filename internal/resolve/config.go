package resolve

import (
	"fmt"
	"net"
	"net/netip"
	"time"

	"exclave/internal/conf"

	"github.com/miekg/dns"
	"golang.org/x/time/rate"
)

// Config says whom to ask and for how long.
type Config struct {
	// Servers are "address:port", the address an IP literal; the port may be
	// left out when it is 53. Empty means those of /etc/resolv.conf.
	Servers []string `toml:"servers"`
	// Timeout is how long one server is waited for, more than 0.
	Timeout time.Duration `toml:"timeout"`
	// Attempts is how many times the list of servers is gone through, at least 1.
	Attempts int `toml:"attempts"`
	// PreferIPv6 asks for IPv6 addresses first. The other family is asked for
	// only when the host has none of the preferred one.
	PreferIPv6 bool `toml:"prefer_ipv6"`
	// MinTTL (at least a minute) and MaxTTL bound the lifetime of an answer, whatever it claims.
	MinTTL time.Duration `toml:"min_ttl"`
	MaxTTL time.Duration `toml:"max_ttl"`
	// Rate is how many questions each server is sent a second at most, 0 for no limit.
	Rate float64 `toml:"rate"`
}

// limiter lets through what waited for a tenth of a second at once.
func (c Config) limiter() *rate.Limiter {
	if c.Rate == 0 {
		return rate.NewLimiter(rate.Inf, 0)
	}
	return rate.NewLimiter(rate.Limit(c.Rate), int(max(c.Rate/10, 1)))
}

// leastTTL keeps an answer alive until the page that needs it is asked for: with
// less a crawl would only ask name servers.
const leastTTL = time.Minute

// maxRate is more than any one server answers.
const maxRate = 1e6

// DefaultConfig returns the system's servers, 5 s, two attempts, IPv4 first,
// lifetimes from 10 minutes to Heritrix's 6 hours, and 1,000 questions a second.
func DefaultConfig() Config {
	return Config{Timeout: 5 * time.Second, Attempts: 2, MinTTL: 10 * time.Minute, MaxTTL: 6 * time.Hour, Rate: 1000}
}

// Validate returns every value that cannot be.
func (c Config) Validate() (ps conf.Problems) {
	for i, s := range c.Servers {
		_, err := serverAddr(s)
		ps.Check(err == nil, conf.Element("servers", i), "%q: must be an IP address and a port, such as \"127.0.0.1:5353\"", s)
	}
	if c.Timeout <= 0 {
		ps.Add("timeout", "%v: must be more than 0", c.Timeout)
	}
	if c.Attempts < 1 {
		ps.Add("attempts", "%d: must be at least 1", c.Attempts)
	}
	if c.MinTTL < leastTTL || c.MaxTTL < c.MinTTL {
		ps.Add("min_ttl", "%v, max_ttl %v: must be %v ≤ min_ttl ≤ max_ttl", c.MinTTL, c.MaxTTL, leastTTL)
	}
	ps.Check(c.Rate >= 0 && c.Rate <= maxRate, "rate", "%v: must be between 0 and %v", c.Rate, maxRate)
	return ps
}

func serverAddr(s string) (string, error) {
	if a, err := netip.ParseAddr(s); err == nil {
		return netip.AddrPortFrom(a, 53).String(), nil
	}
	a, err := netip.ParseAddrPort(s)
	if err != nil || a.Port() == 0 {
		return "", fmt.Errorf("resolve: server %q: not an IP address and a port", s)
	}
	return a.String(), nil
}

func systemServers() ([]string, error) {
	const file = "/etc/resolv.conf"
	c, err := dns.ClientConfigFromFile(file)
	if err != nil {
		return nil, fmt.Errorf("resolve: system servers: %w", err)
	}
	if len(c.Servers) == 0 {
		return nil, fmt.Errorf("resolve: system servers: %s names none", file)
	}
	servers := make([]string, len(c.Servers))
	for i, s := range c.Servers {
		servers[i] = net.JoinHostPort(s, c.Port)
	}
	return servers, nil
}
