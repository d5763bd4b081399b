package rules

import (
	"fmt"
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"

	"exclave/frontier/schema"
)

// Domain is the row of a domain within a commit.
type Domain struct {
	schema.Domain
	read []byte // value it was read from
}

// Domain returns the counts of a host's domain, nil when domains are not counted.
func (t *Tx) Domain(host string) (*Domain, error) {
	if !t.env.Limits.CountsDomains() {
		return nil, nil
	}
	if d := t.domainAt[host]; d != nil {
		return d, nil
	}
	host = strings.Clone(host) // do not retain the URL it is part of
	name := t.env.DomainOf(host)
	d := t.domains[name]
	if d == nil {
		var err error
		if d, err = t.readDomain(name); err != nil {
			return nil, err
		}
		t.domains[name] = d
	}
	t.domainAt[host] = d
	return d, nil
}

// readDomain returns what was counted of a domain before this commit.
func (t *Tx) readDomain(name string) (*Domain, error) {
	v, err := t.state.Domain(name)
	if v == nil || err != nil {
		return &Domain{}, err
	}
	d, err := schema.DecodeDomain(v)
	if err != nil {
		return nil, fmt.Errorf("domain %s: %w", name, err)
	}
	return &Domain{d, v}, nil
}

// DomainOf returns the registered domain of a host: what somebody registered under a
// suffix of the public suffix list. An IP address, or a suffix itself, is its own.
func DomainOf(host string) string {
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil || host == "" {
		return host
	}
	d, err := publicsuffix.EffectiveTLDPlusOne(strings.TrimSuffix(host, "."))
	if err != nil {
		return host
	}
	return d
}
