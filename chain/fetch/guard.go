package fetch

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"exclave/internal/conf"
	"exclave/internal/ipaddr"
)

// refusal is why an address is not contacted; its text is the annotation that says so.
type refusal string

const (
	notRefused  refusal = ""
	noteAddress refusal = "address:refused"
	notePort    refusal = "port:refused"
)

// guard knows which addresses a crawl may contact, and at which ports. A page of a
// stranger must not make the crawler speak to the network it runs in, nor to anything
// that is no web server. It is asked about the address that is then connected to.
type guard struct{ special, refuse, allow []span }

// span is a range of addresses with all their ports, or one.
type span struct {
	prefix netip.Prefix
	port   uint16 // 0 = all
}

func (s span) has(a netip.Addr, port uint16) bool {
	return (s.port == 0 || s.port == port) && s.prefix.Contains(a)
}

func anyHas(list []span, a netip.Addr, port uint16) bool {
	return slices.ContainsFunc(list, func(s span) bool { return s.has(a, port) })
}

// newGuard is for a Config that Validate has nothing to say of.
func newGuard(c Config) (g guard) {
	for _, p := range ipaddr.Special() {
		g.special = append(g.special, span{prefix: p})
	}
	g.refuse, _ = parseSpans(c.Refuse)
	g.allow, _ = parseSpans(c.Allow)
	return g
}

// check returns why the address may not be contacted at its port, if it may not.
func (g *guard) check(to netip.AddrPort) refusal {
	a := to.Addr().Unmap().WithZone("")
	for _, a := range append(ipaddr.Carried(a), a) {
		if !a.IsValid() || anyHas(g.refuse, a, to.Port()) || !anyHas(g.allow, a, to.Port()) && anyHas(g.special, a, 0) {
			return noteAddress
		}
	}
	named := func(s span) bool { return s.port != 0 && s.has(a, to.Port()) }
	if _, bad := slices.BinarySearch(badPorts(), to.Port()); bad && !slices.ContainsFunc(g.allow, named) {
		return notePort
	}
	return notRefused
}

// badPorts are those of the "bad ports" of the WHATWG Fetch standard (§2.9), in order:
// what listens there can be made to do something by the bytes of a request.
func badPorts() []uint16 {
	return []uint16{
		0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113,
		115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556,
		563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566,
		6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
	}
}

// parseSpans reads "127.0.0.1", "10.0.0.0/8", "127.0.0.1:8080", "10.0.0.0/8:8080", "fd00::/8",
// "[::1]:8080", "[fd00::/8]:8080".
func parseSpans(list []string) (out []span, ps conf.Problems) {
	for i, s := range list {
		one, err := parseSpan(s)
		if err != nil {
			ps.Add(conf.Element("", i), `%q: must be an address or a range, with a port or without, such as "127.0.0.1:8080", "10.0.0.0/8", "[::1]:8080"`, s)
			continue
		}
		out = append(out, one)
	}
	return out, ps
}

func parseSpan(s string) (one span, err error) {
	if one.prefix, err = parsePrefix(s); err == nil {
		return one, nil
	}
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return one, err
	}
	host := s[:i]
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		host = host[1 : len(host)-1]
	} else if strings.Contains(host, ":") {
		return one, err // which colon is the port's nobody knows
	}
	port, err := strconv.ParseUint(s[i+1:], 10, 16)
	if err != nil || port == 0 {
		return one, fmt.Errorf("port %q", s[i+1:])
	}
	one.port = uint16(port)
	one.prefix, err = parsePrefix(host)
	return one, err
}

// parsePrefix takes what is mapped for what it is.
func parsePrefix(s string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(s)
	if a, bad := netip.ParseAddr(s); bad == nil {
		p, err = netip.PrefixFrom(a.WithZone(""), a.BitLen()), nil
	}
	if err == nil && p.Addr().Is4In6() && p.Bits() >= 96 {
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p.Masked(), err
}

// Notices returns what a user should know of settings that change nothing: what is to be
// connected to and is refused.
func (c Config) Notices() []string {
	g := newGuard(c)
	to, _ := parseConnectTo(c.ConnectTo) // what is wrong is for Validate to say
	var out []string
	onlyRefused := guard{refuse: g.refuse}
	for _, from := range slices.Sorted(maps.Keys(to)) {
		why := g.check(to[from])
		switch {
		case onlyRefused.check(to[from]) == noteAddress:
			out = append(out, fmt.Sprintf("http.connect_to: %s for %s is in http.refuse, which goes before http.allow: nothing is fetched there", to[from], from))
		case why == noteAddress:
			out = append(out, fmt.Sprintf("http.connect_to: %s for %s is not public; add %q to http.allow, or nothing is fetched there", to[from], from, to[from]))
		case why == notePort:
			out = append(out, fmt.Sprintf("http.connect_to: %s for %s: no web server has this port; add %q to http.allow, or nothing is fetched there", to[from], from, to[from]))
		}
	}
	return out
}
