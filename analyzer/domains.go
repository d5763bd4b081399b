package analyzer

import (
	"fmt"
	"strings"

	"exclave/internal/conf"
)

// domainName is a domain in lower case and ASCII; profiles may write it in any case, with
// letters of other scripts, and with a dot before it.
type domainName string

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *domainName) UnmarshalText(text []byte) error {
	name, ok := domain(string(text))
	if !ok {
		return fmt.Errorf("%q: a domain is wanted, like \"cz\" or \"gov.example\"", text)
	}
	*d = domainName(name)
	return nil
}

// domainsOption is an option of several kinds.
type domainsOption struct {
	Domains []domainName `toml:"domains,required"` // hosts in them, or below them, are valid
}

// Validate returns every value that cannot be.
func (o domainsOption) Validate() (ps conf.Problems) {
	ps.Check(len(o.Domains) > 0, "domains", "is empty")
	return ps
}

func (o domainsOption) set() domainSet {
	s := domainSet{}
	for _, d := range o.Domains {
		s[string(d)] = struct{}{}
	}
	return s
}

// domainSet holds domains.
type domainSet map[string]struct{}

// has reports whether a host, in ACE form, is one of the domains or below one.
func (s domainSet) has(host string) bool {
	for host = strings.TrimSuffix(host, "."); host != ""; {
		if _, ok := s[host]; ok {
			return true
		}
		_, host, _ = strings.Cut(host, ".")
	}
	return false
}
