package rules

import (
	"exclave/frontier/schema"
	"exclave/internal/conf"
)

// LimitsConfig bounds what grows (section [limits] of job.toml); 0 = no limit.
type LimitsConfig struct {
	// HostURIs and DomainURIs are how many URIs of a host and of a registered domain
	// are known; for each valid page URIsPerValid more, up to HostURIsMax and
	// DomainURIsMax.
	HostURIs      int64 `toml:"host_uris"`
	HostURIsMax   int64 `toml:"host_uris_max"`
	DomainURIs    int64 `toml:"domain_uris"`
	DomainURIsMax int64 `toml:"domain_uris_max"`
	URIsPerValid  int64 `toml:"uris_per_valid"`
	// HostGuesses is how many URIs of a host are known only because pages lead to them
	// that are neither valid nor nearly so; one more for each four valid pages. Not with
	// OrderConfig.FollowUseless.
	HostGuesses int64 `toml:"host_guesses"`
	// HostsPerDomain is how many hosts of a registered domain are known, and HostsPerValid
	// more for each valid page, up to HostsPerDomainMax. With HostsPerValid links of valid
	// pages may name ten times HostsPerDomain.
	HostsPerDomain    int64 `toml:"hosts_per_domain"`
	HostsPerDomainMax int64 `toml:"hosts_per_domain_max"`
	HostsPerValid     int64 `toml:"hosts_per_valid"`
	// Budgets in documents (lines of crawl.log: answers, failures, robots.txt) and in bytes received.
	HostDocuments   int64 `toml:"host_documents"`
	HostBytes       int64 `toml:"host_bytes"`
	DomainDocuments int64 `toml:"domain_documents"`
	DomainBytes     int64 `toml:"domain_bytes"`
	SourceDocuments int64 `toml:"source_documents"`
	SourceBytes     int64 `toml:"source_bytes"`
}

// DefaultLimitsConfig lets hosts and domains that have valid pages grow, and keeps those short
// that have none: docs/adr/0038-a-default-job-ends.md says why each number.
func DefaultLimitsConfig() LimitsConfig {
	return LimitsConfig{HostURIs: 10_000, HostURIsMax: 500_000, DomainURIs: 20_000, DomainURIsMax: 2_000_000, URIsPerValid: 50,
		HostGuesses: 40, HostsPerDomain: 15, HostsPerDomainMax: 20_000, HostsPerValid: 1}
}

// fields are the limits by their keys in job.toml.
func (c *LimitsConfig) fields() []struct {
	key string
	val int64
} {
	return []struct {
		key string
		val int64
	}{{"host_uris", c.HostURIs}, {"host_uris_max", c.HostURIsMax}, {"domain_uris", c.DomainURIs}, {"domain_uris_max", c.DomainURIsMax},
		{"uris_per_valid", c.URIsPerValid}, {"host_guesses", c.HostGuesses}, {"hosts_per_domain", c.HostsPerDomain},
		{"hosts_per_domain_max", c.HostsPerDomainMax}, {"hosts_per_valid", c.HostsPerValid}, {"host_documents", c.HostDocuments},
		{"host_bytes", c.HostBytes}, {"domain_documents", c.DomainDocuments}, {"domain_bytes", c.DomainBytes},
		{"source_documents", c.SourceDocuments}, {"source_bytes", c.SourceBytes}}
}

// Validate returns every value that cannot be.
func (c LimitsConfig) Validate() (ps conf.Problems) {
	for _, f := range c.fields() {
		if f.val < 0 {
			ps.Add(f.key, "%d is negative; 0 = no limit", f.val)
		}
	}
	for _, m := range []struct {
		key      string
		soft, hi int64
	}{{"host_uris_max", c.HostURIs, c.HostURIsMax}, {"domain_uris_max", c.DomainURIs, c.DomainURIsMax},
		{"hosts_per_domain_max", c.HostsPerDomain, c.HostsPerDomainMax}} {
		if m.hi > 0 && m.soft > m.hi {
			ps.Add(m.key, "%d is less than the %d to begin with", m.hi, m.soft)
		}
	}
	return ps
}

// Notices returns a warning for each setting that has no effect.
func (c LimitsConfig) Notices() []string {
	if c.URIsPerValid > 0 && c.HostURIs == 0 && c.DomainURIs == 0 {
		return []string{"uris_per_valid changes nothing: neither host_uris nor domain_uris is a cap that could rise (limits)"}
	}
	return nil
}

// CountsDomains reports whether registered domains have limits, and so rows.
func (c *LimitsConfig) CountsDomains() bool {
	return c.DomainURIs > 0 || c.DomainURIsMax > 0 || c.HostsPerDomain > 0 || c.HostsPerDomainMax > 0 || c.HasDomainBudget()
}

// caps reports whether the number of URIs known, or of hosts, has limits.
func (c *LimitsConfig) caps() bool {
	return c.HostURIs > 0 || c.HostURIsMax > 0 || c.DomainURIs > 0 || c.DomainURIsMax > 0 || c.HostGuesses > 0 || c.HostsPerDomain > 0 || c.HostsPerDomainMax > 0
}

// HasDomainBudget reports whether registered domains have budgets.
func (c *LimitsConfig) HasDomainBudget() bool { return c.DomainDocuments > 0 || c.DomainBytes > 0 }

// Encode writes the limits as the state keeps those of the last run.
func (c *LimitsConfig) Encode() []byte {
	var values []int64
	for _, f := range c.fields() {
		values = append(values, f.val)
	}
	return schema.EncodeLimits(values)
}
