package rules

import (
	"cmp"
	"time"

	"exclave/internal/conf"
)

// Config is the politeness and patience of the crawl (section [frontier] of
// job.toml). Durations are written as "3s", "15m".
type Config struct {
	DelayFactor   float64       `toml:"delay_factor"`    // delay = factor × duration of the last fetch
	MinDelay      time.Duration `toml:"min_delay"`       // least delay between two requests to a host
	MaxDelay      time.Duration `toml:"max_delay"`       // most delay the factor leads to; RetryDelay after an answer that was cut by time
	MaxCrawlDelay time.Duration `toml:"max_crawl_delay"` // most that robots.txt can ask for
	MaxRetries    int           `toml:"max_retries"`     // attempts at a page before it is given up
	RetryDelay    time.Duration `toml:"retry_delay"`     // back-off after a failed attempt
	MaxRetryAfter time.Duration `toml:"max_retry_after"` // most that Retry-After can ask for
	// MaxRetryDelay is where RetryDelay, doubled with each failure in a row, ends.
	MaxRetryDelay time.Duration `toml:"max_retry_delay"`
	// RefusedBurst is after how many answers 403 in a row a host backs off as after a
	// failure; 0 = never.
	RefusedBurst int `toml:"refused_burst"`
	// ConnectionsPerHost is how many URIs of a queue are in process at the same time,
	// 1 … 8.
	ConnectionsPerHost int `toml:"connections_per_host"`
	// HostsPerAddress is how many hosts of one IP address have URIs in process at the same
	// time; 0 = any number.
	HostsPerAddress int `toml:"hosts_per_address"`
	// AddressDelay is the least time between the beginnings of two requests to an
	// IP address.
	AddressDelay time.Duration `toml:"address_delay"`
	// PauseAfter requests to a host its address is paused, with all its hosts, for Pause;
	// 0 = never.
	PauseAfter int           `toml:"pause_after"`
	Pause      time.Duration `toml:"pause"`
	// DNSRetries and RobotsRetries are the attempts at a prerequisite.
	DNSRetries    int           `toml:"dns_retries"`
	DNSRetryDelay time.Duration `toml:"dns_retry_delay"`
	RobotsRetries int           `toml:"robots_retries"`
	// SelfRedirects is how often a redirect to another form of the same key is
	// followed.
	SelfRedirects int `toml:"self_redirects"`
	// QueueKey says which URIs share a queue, and with it the delays. It cannot be
	// changed after the first crawl.
	QueueKey QueueKey `toml:"queue_key"`
	// HostsInMemory is how many queues are resident at most, about.
	HostsInMemory int `toml:"hosts_in_memory"`
}

// DefaultConfig returns what Heritrix users know: factor 5 within 3 … 30 s, 30
// attempts 15 minutes apart; and what System 5 adds: two hosts of an address at a time.
func DefaultConfig() Config {
	return Config{DelayFactor: 5, MinDelay: 3 * time.Second, MaxDelay: 30 * time.Second, MaxCrawlDelay: 5 * time.Minute,
		MaxRetries: 30, RetryDelay: 15 * time.Minute, MaxRetryAfter: time.Hour, MaxRetryDelay: 4 * time.Hour, RefusedBurst: 20,
		Pause: time.Minute, ConnectionsPerHost: 1, HostsPerAddress: 2, AddressDelay: 500 * time.Millisecond,
		DNSRetries: 10, DNSRetryDelay: 5 * time.Minute, RobotsRetries: 10, SelfRedirects: 5, QueueKey: QueueByHost, HostsInMemory: 50000}
}

// Validate returns every value that cannot be.
func (c Config) Validate() (ps conf.Problems) {
	ps.Check(c.DelayFactor >= 0, "delay_factor", "%g is negative", c.DelayFactor)
	for _, d := range []struct {
		key string
		val time.Duration
	}{{"min_delay", c.MinDelay}, {"max_delay", c.MaxDelay}, {"max_crawl_delay", c.MaxCrawlDelay},
		{"max_retry_delay", c.MaxRetryDelay}, {"address_delay", c.AddressDelay}, {"pause", c.Pause}, {"retry_delay", c.RetryDelay}, {"max_retry_after", c.MaxRetryAfter}, {"dns_retry_delay", c.DNSRetryDelay}} {
		ps.Check(d.val >= 0, d.key, "%v is negative", d.val)
	}
	ps.Check(c.MaxDelay >= c.MinDelay, "max_delay", "%v is less than min_delay, %v", c.MaxDelay, c.MinDelay)
	for _, n := range []struct {
		key string
		val int
	}{{"max_retries", c.MaxRetries}, {"dns_retries", c.DNSRetries}, {"robots_retries", c.RobotsRetries}} {
		ps.Check(n.val >= 1, n.key, "%d attempts; at least 1 is made", n.val)
	}
	for _, n := range []struct {
		key string
		val int
	}{{"refused_burst", c.RefusedBurst}, {"hosts_per_address", c.HostsPerAddress}, {"pause_after", c.PauseAfter}} {
		ps.Check(n.val >= 0, n.key, "%d is negative; 0 = no limit", n.val)
	}
	ps.Check(c.ConnectionsPerHost >= 1 && c.ConnectionsPerHost <= MaxConnections, "connections_per_host", "%d is not within 1 … %d", c.ConnectionsPerHost, MaxConnections)
	switch c.QueueKey {
	case QueueByHost, QueueByAuthority, QueueByDomain, QueueByAddress:
	default:
		ps.Add("queue_key", "%q is none of %q, %q, %q and %q", c.QueueKey, QueueByHost, QueueByAuthority, QueueByDomain, QueueByAddress)
	}
	ps.Check(c.HostsInMemory >= 4, "hosts_in_memory", "%d; at least 4 are needed", c.HostsInMemory)
	ps.Check(c.SelfRedirects >= 0, "self_redirects", "%d is negative", c.SelfRedirects)
	return ps
}

// Key is what queues are keyed by.
func (c Config) Key() QueueKey { return cmp.Or(c.QueueKey, QueueByHost) }

// LongestSnooze is the longest time that a rule snoozes a queue for.
func (c Config) LongestSnooze() time.Duration {
	return max(c.MaxDelay, c.MaxCrawlDelay, c.RetryDelay, c.MaxRetryDelay, c.MaxRetryAfter, c.DNSRetryDelay)
}

// LimitsAddresses reports whether IP addresses have limits at all.
func (c *Config) LimitsAddresses() bool {
	return c.HostsPerAddress > 0 || c.AddressDelay > 0 || c.PauseAfter > 0
}

// MaxConnections is the most URIs of a queue in process: fewer than are loaded together.
const MaxConnections = ReadAhead / 2

// ReadAhead is how many URIs of a queue are loaded together.
const ReadAhead = 16
