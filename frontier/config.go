package frontier

import (
	"fmt"
	"time"
)

// Config is the politeness and patience of the crawl (section [frontier] of
// job.toml). Durations are written as "3s", "15m".
type Config struct {
	DelayFactor   float64       `toml:"delay_factor"`    // delay = factor × duration of the last fetch
	MinDelay      time.Duration `toml:"min_delay"`       // least delay between two requests to a host
	MaxDelay      time.Duration `toml:"max_delay"`       // most delay the factor leads to
	MaxCrawlDelay time.Duration `toml:"max_crawl_delay"` // most that robots.txt can ask for
	MaxRetries    int           `toml:"max_retries"`     // attempts at a page before it is given up
	RetryDelay    time.Duration `toml:"retry_delay"`     // rest of the host after a failed attempt
	MaxRetryAfter time.Duration `toml:"max_retry_after"` // most that Retry-After can ask for
	// DNSRetries and RobotsRetries are the attempts at a prerequisite.
	DNSRetries    int           `toml:"dns_retries"`
	DNSRetryDelay time.Duration `toml:"dns_retry_delay"`
	RobotsRetries int           `toml:"robots_retries"`
	// SelfRedirects is how often a redirect to another form of the same key is
	// followed.
	SelfRedirects int `toml:"self_redirects"`
}

// DefaultConfig returns what Heritrix users know: factor 5 within 3 … 30 s, 30
// attempts 15 minutes apart.
func DefaultConfig() Config {
	return Config{DelayFactor: 5, MinDelay: 3 * time.Second, MaxDelay: 30 * time.Second, MaxCrawlDelay: 5 * time.Minute,
		MaxRetries: 30, RetryDelay: 15 * time.Minute, MaxRetryAfter: time.Hour,
		DNSRetries: 10, DNSRetryDelay: 5 * time.Minute, RobotsRetries: 10, SelfRedirects: 5}
}

// Validate returns every value that cannot be, as "key: what".
func (c Config) Validate() []error {
	var errs []error
	bad := func(ok bool, format string, a ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, a...))
		}
	}
	bad(c.DelayFactor >= 0, "delay_factor: %g is negative", c.DelayFactor)
	for _, d := range []struct {
		key string
		val time.Duration
	}{{"min_delay", c.MinDelay}, {"max_delay", c.MaxDelay}, {"max_crawl_delay", c.MaxCrawlDelay},
		{"retry_delay", c.RetryDelay}, {"max_retry_after", c.MaxRetryAfter}, {"dns_retry_delay", c.DNSRetryDelay}} {
		bad(d.val >= 0, "%s: %v is negative", d.key, d.val)
	}
	bad(c.MaxDelay >= c.MinDelay, "max_delay: %v is less than min_delay, %v", c.MaxDelay, c.MinDelay)
	for _, n := range []struct {
		key string
		val int
	}{{"max_retries", c.MaxRetries}, {"dns_retries", c.DNSRetries}, {"robots_retries", c.RobotsRetries}} {
		bad(n.val >= 1, "%s: %d attempts; at least 1 is made", n.key, n.val)
	}
	bad(c.SelfRedirects >= 0, "self_redirects: %d is negative", c.SelfRedirects)
	return errs
}

// longestRest is the most any rule makes a host rest.
func (c Config) longestRest() time.Duration {
	return max(c.MaxDelay, c.MaxCrawlDelay, c.RetryDelay, c.MaxRetryAfter, c.DNSRetryDelay)
}
