package ipaddr

import (
	"net/netip"
	"testing"
)

// What a stranger may lead nobody to, one of each kind, with the ends of a range; package chain/fetch has the long table of
// ways to write them.
func TestPublic(t *testing.T) {
	for a, want := range map[string]bool{
		"8.8.8.8": true, "100.63.255.255": true, "100.128.0.0": true, "192.0.1.1": true, "2a00:1::1": true, "::ffff:8.8.8.8": true,
		"2a00:1::5efe:808:808": true, // ISATAP of a public address
		"10.0.0.1":             false, "127.0.0.1": false, "169.254.169.254": false, "0.0.0.0": false, "224.0.0.1": false, "255.255.255.255": false,
		"100.64.0.1": false, "100.127.255.255": false, // shared by a provider's customers: netip calls it neither private nor local
		"192.0.0.8": false, "192.0.2.1": false, "198.18.0.1": false, "198.51.100.1": false, "203.0.113.1": false, "240.0.0.1": false,
		"::1": false, "::": false, "fe80::1%eth0": false, "fd00::1": false, "ff0e::1": false, "2001:db8::1": false,
		"::ffff:10.0.0.1": false, "64:ff9b::a00:1": false, "2002:a00:1::1": false, "2001:0:808:808::1": false, "2a00:1::5efe:a00:1": false,
	} {
		if got := Public(netip.MustParseAddr(a)); got != want {
			t.Errorf("%s: public %v, want %v", a, got, want)
		}
	}
	if Public(netip.Addr{}) {
		t.Error("no address is public")
	}
}
