package fetch

import "net/netip"

// guard knows which addresses a crawl may contact. A page of a stranger must not
// make the crawler speak to the network it runs in.
type guard struct{ refused, allow []netip.Prefix }

func newGuard(allow []netip.Prefix) guard {
	// The special-purpose registries of IANA (RFC 6890) that are not globally
	// reachable, and ranges that carry IPv4 addresses within IPv6 ones.
	var g guard
	for _, s := range [...]string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
		"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		// IPv6: all but 2000::/3, and of that what is not ordinary.
		"::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	} {
		g.refused = append(g.refused, netip.MustParsePrefix(s))
	}
	g.allow = allow
	return g
}

// ok reports whether the address may be contacted.
func (g *guard) ok(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return a.IsValid() && (contains(g.allow, a) || !contains(g.refused, a))
}

func contains(list []netip.Prefix, a netip.Addr) bool {
	for _, p := range list {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
