// Package ipaddr tells public IP addresses from those that nobody may be led to by a stranger: addresses of the network that
// the crawler runs in, of the machine itself, and of none.
//
// Its functions only compute. Not here: what a job allows or refuses beside that (chain/fetch).
package ipaddr

import "net/netip"

// Special returns the ranges of the special-purpose registries of IANA (RFC 6890) that are not globally reachable, and those
// that carry IPv4 addresses within IPv6 ones. IPv4 addresses are to be looked up as such, not as mapped ones.
func Special() []netip.Prefix {
	ranges := [...]string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
		"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		// IPv6: all but 2000::/3, and of that what is not ordinary.
		"::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	}
	out := make([]netip.Prefix, 0, len(ranges))
	for _, r := range ranges {
		out = append(out, netip.MustParsePrefix(r))
	}
	return out
}

// Public reports whether an address is in no special range, and carries none that is.
func Public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	special := Special()
	for _, a := range append(Carried(a), a) {
		if !a.IsValid() {
			return false
		}
		for _, p := range special {
			if p.Contains(a) {
				return false
			}
		}
	}
	return true
}

// Carried returns the IPv4 addresses that a router, or the machine itself, may take out of
// an IPv6 one: compatible and translated (RFC 4291, RFC 2765), NAT64 (RFC 6052, RFC 8215), 6to4
// (RFC 3056), Teredo's server and client (RFC 4380), ISATAP (RFC 5214).
func Carried(a netip.Addr) []netip.Addr {
	if !a.Is6() {
		return nil
	}
	b := a.As16()
	at := func(i int) netip.Addr { return netip.AddrFrom4([4]byte(b[i : i+4])) }
	in := func(prefix string) bool { return netip.MustParsePrefix(prefix).Contains(a) }
	var out []netip.Addr
	switch {
	case in("::/104"): // :: and ::1 among them carry nothing
	case in("::/96"), in("::ffff:0:0:0/96"), in("64:ff9b::/32"):
		out = append(out, at(12))
	case in("2002::/16"):
		out = append(out, at(2))
	case in("2001::/32"):
		client := at(12).As4()
		for i := range client {
			client[i] = ^client[i]
		}
		out = append(out, at(4), netip.AddrFrom4(client))
	}
	if b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe {
		out = append(out, at(12))
	}
	return out
}
