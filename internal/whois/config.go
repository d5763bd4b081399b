package whois

import (
	"net"
	"strconv"
	"time"

	"exclave/internal/conf"
)

// Config says whom to ask, and how often (section [whois] of job.toml).
type Config struct {
	// Server is asked first, as host or host:port; it may refer to another one. "" = nobody is asked.
	Server string `toml:"server"`
	// MinDelay is the least time between the end of an answer and the next question to the same server.
	MinDelay time.Duration `toml:"min_delay"`
	// PerHour is how many questions a server gets in an hour.
	PerHour int `toml:"per_hour"`
	// Timeout is how long a page is held up.
	Timeout time.Duration `toml:"timeout"`
	// TTL is how long an answer counts.
	TTL time.Duration `toml:"ttl"`
}

// DefaultConfig asks nobody.
func DefaultConfig() Config {
	return Config{MinDelay: 2 * time.Second, PerHour: 200, Timeout: 10 * time.Second, TTL: 30 * 24 * time.Hour}
}

// On reports whether anybody is asked.
func (c Config) On() bool { return c.Server != "" }

// Validate returns every value that cannot be.
func (c Config) Validate() (ps conf.Problems) {
	_, ok := address(c.Server)
	ps.Check(c.Server == "" || ok, "server", "%q: a host, or host:port, is wanted", c.Server)
	ps.Check(c.MinDelay >= 0, "min_delay", "%v is negative", c.MinDelay)
	ps.Check(c.PerHour >= 1, "per_hour", "%d is less than 1", c.PerHour)
	ps.Check(c.Timeout > 0, "timeout", "%v: must be more than 0", c.Timeout)
	ps.Check(c.TTL >= 0, "ttl", "%v is negative", c.TTL)
	return ps
}

// port of WHOIS.
const port = "43"

// address returns host:port of a server; host alone means port 43.
func address(server string) (string, bool) {
	host, p, err := net.SplitHostPort(server)
	if err != nil {
		host, p = server, port
	}
	if n, err := strconv.ParseUint(p, 10, 16); err != nil || n == 0 || !plainHost(host) {
		return "", false
	}
	return net.JoinHostPort(host, p), true
}

// plainHost reports whether a name has only letters, digits, hyphens, points and, in addresses, colons.
func plainHost(host string) bool {
	for i := range len(host) {
		c := host[i]
		if c >= 0x80 || c != '.' && c != '-' && c != ':' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return host != "" && len(host) <= 253
}
