package fetch

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"exclave/crawl"
	"exclave/internal/testweb"
	"exclave/internal/urlx"
)

// inside are ways to write, as the host of a URL, an address that the crawler must not
// contact by itself.
func inside() []string {
	return []string{
		// Loopback, as the URL standard's parser of IPv4 reads it.
		"127.0.0.1", "127.1", "127.0.1", "127.255.255.254", "2130706433", "0x7f000001", "0x7f.1", "0X7F.0x0.0x1", "017700000001",
		"0177.1", "0177.0.0.01", "127.0.0.1.", "127.0.0.0x1", "0x7f.0.0.1", "127.65535", "127.0x00ffff", "%31%32%37.0.0.1", "127%2e0%2e0%2e1",
		"0x7f.0x1", "0177.0x1", "127.00.00.01", "0x7fffffff", "2147483647", "127.0.1.", "0x00000000007f.1",
		"①②⑦.⓪.⓪.①", "１２７.０.０.１", "127。0。0。1", "127．0．0．1", "127｡0｡0｡1", "1\u00ad27.0.0.1", "0x7F.000.000.001",
		// This host and this network.
		"0", "0.0.0.0", "00", "0x0", "0.1", "0.255.255.255", "0000.0.0.1",
		// Private, shared, link-local with the services of clouds.
		"10.0.0.1", "10.1", "167772161", "0xa.1", "10.255.255.255", "10.0.0.01", "012.0.0.1", "0x0a000001", "012.1", "172.16.0.1", "172.31.255.255", "0xac100001", "192.168.0.1", "192.168.1",
		"3232235521", "0300.0250.0.1", "100.64.0.1", "100.127.255.255", "169.254.169.254", "169.254.43518", "2852039166", "0xa9fea9fe", "169.254.170.2",
		// Special, for documentation, for measurements, many at once, reserved.
		"192.0.0.8", "192.0.0.170", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1",
		"224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "4294967295", "0xffffffff", "037777777777",
		// IPv6: loopback, none, private, link-local, site-local, discard, documentation, ORCHID, many at once, SRv6.
		"[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[0::0]", "[::01]", "[fc00::1]", "[fd12:3456::1]", "[fe80::1]", "[febf::1]", "[fec0::1]", "[100::1]",
		"[2001:db8::1]", "[3fff::1]", "[2001:10::1]", "[2001:20::1]", "[2001:2::1]", "[ff02::1]", "[ff05::1:3]", "[fdff:ffff::1]", "[ff0e::1]", "[5f00::1]", "[8000::1]", "[4000::1]",
		// IPv4 within IPv6: mapped, compatible, translated.
		"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:0001]", "[::ffff:10.0.0.1]", "[::ffff:a9fe:a9fe]", "[::ffff:0.0.0.0]",
		"[::127.0.0.1]", "[::7f00:1]", "[::ffff:0:127.0.0.1]", "[::ffff:0:7f00:1]",
		// NAT64 (RFC 6052, RFC 8215), 6to4, Teredo with server and client, ISATAP.
		"[64:ff9b::7f00:1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::10.0.0.1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::127.0.0.1]", "[64:ff9b:1:a:b::1]",
		"[2002:7f00:1::]", "[2002:7f00:1::1]", "[2002:a00:1::1]", "[2002:c0a8:1::1]", "[2002:a9fe:a9fe::]", "[2001::1]", "[2001:0:7f00:1::]",
		"[2001:0:4136:e378:8000:63bf:80ff:fffe]", "[2a00:1::5efe:7f00:1]", "[2a00:1::200:5efe:10.0.0.1]", "[2a00:1::5efe:192.168.0.1]",
	}
}

// literal is the address of a host of a URL.
func literal(t *testing.T, host string) netip.Addr {
	t.Helper()
	u, err := urlx.Parse("http://" + host + "/")
	if err != nil {
		t.Fatalf("%s: %v", host, err)
	}
	a, ok := u.Addr()
	if !ok {
		t.Fatalf("%s is no address but %q", host, u.Hostname())
	}
	return a
}

// However an address is written, and whoever says that it is a host's, nothing inside is
// contacted; allowing what carries IPv4 in IPv6 allows none of what is carried.
func TestGuardTable(t *testing.T) {
	if n := len(inside()); n < 124 {
		t.Fatalf("only %d", n)
	}
	h := client(t, nil, func(c *Config, d *Deps) {
		c.Allow = []string{"64:ff9b::/32", "2002::/16", "2001::/32", "2a00:1::/32", "8.8.8.8"}
		known := hosts{}
		for i, host := range inside() {
			known[name(i)] = []netip.Addr{literal(t, host)}
		}
		d.Hosts = known
	})
	for i, host := range inside() {
		for _, url := range []string{"http://" + host + "/", "https://" + host + ":8443/x", "http://" + name(i) + "/"} {
			u := page(url)
			process(t, h, u)
			if u.Status != crawl.StatusUnfetchable || !slices.Contains(u.Annotations, "address:refused") {
				t.Errorf("%s (%v): status %d %v", url, literal(t, host), u.Status, u.Annotations)
			}
		}
	}
	h = client(t, nil, func(c *Config, _ *Deps) { c.Allow = nil })
	for _, host := range inside() {
		if a := netip.AddrPortFrom(literal(t, host), 80); h.guard.check(a) != noteAddress {
			t.Errorf("%s: %v", host, a)
		}
	}
	for _, s := range []string{"fe80::1%eth0", "::1%lo", "::ffff:127.0.0.1%1"} {
		if a := netip.MustParseAddr(s); h.guard.check(netip.AddrPortFrom(a, 80)) != noteAddress {
			t.Error(s)
		}
	}
	for _, s := range []string{"8.8.8.8", "1.1.1.1", "9.255.255.255", "11.0.0.1", "126.255.255.255", "128.0.0.1", "100.63.255.255", "100.128.0.1", "169.253.255.255",
		"169.255.0.1", "172.15.255.255", "172.32.0.1", "192.0.1.1", "192.167.255.255", "192.169.0.1", "198.17.255.255", "198.20.0.1", "223.255.255.255",
		"2606:4700::1111", "2a00::1", "2001:200::1", "2001:4860:4860::8888", "2003::1", "2a00:1::5efe:808:808", "::ffff:8.8.8.8"} {
		if why := h.guard.check(netip.AddrPortFrom(netip.MustParseAddr(s), 443)); why != "" {
			t.Errorf("%s is public: %s", s, why)
		}
	}
}

func name(i int) string { return "h" + string(rune('a'+i/26)) + string(rune('a'+i%26)) + ".example" }

// What the settings say: a port that is named opens no other, a refused range is refused
// whatever else is said and however it is wrapped, and ports that are no web servers' need
// to be named.
func TestGuardSettings(t *testing.T) {
	for _, c := range []struct {
		why           string
		allow, refuse []string
		to            string
		want          refusal
	}{
		{"as before: a range opens its ports", []string{"127.0.0.0/8"}, nil, "127.1.2.3:6379", ""},
		{"as before: an address opens its ports", []string{"127.0.0.1"}, nil, "127.0.0.1:6379", ""},
		{"another address", []string{"127.0.0.1"}, nil, "127.0.0.2:80", noteAddress},
		{"a port", []string{"127.0.0.1:8080"}, nil, "127.0.0.1:8080", ""},
		{"another port", []string{"127.0.0.1:8080"}, nil, "127.0.0.1:6379", noteAddress},
		{"mapped", []string{"127.0.0.1:8080"}, nil, "[::ffff:127.0.0.1]:8080", ""},
		{"mapped, another port", []string{"127.0.0.1:8080"}, nil, "[::ffff:127.0.0.1]:8081", noteAddress},
		{"written mapped", []string{"[::ffff:127.0.0.1]:8080"}, nil, "127.0.0.1:8080", ""},
		{"a mapped range", []string{"::ffff:10.0.0.0/104"}, nil, "10.9.9.9:80", ""},
		{"IPv6 with a port", []string{"[::1]:8080"}, nil, "[::1]:8080", ""},
		{"IPv6 with another port", []string{"[::1]:8080"}, nil, "[::1]:80", noteAddress},
		{"a range with a port", []string{"10.0.0.0/8:8080"}, nil, "10.1.1.1:8080", ""},
		{"a range with another port", []string{"10.0.0.0/8:8080"}, nil, "10.1.1.1:8081", noteAddress},
		{"a range of IPv6 with a port", []string{"[fd00::/8]:8080"}, nil, "[fd00::1]:8080", ""},
		{"several", []string{"127.0.0.1:1234", "127.0.0.1:8080"}, nil, "127.0.0.1:8080", ""},
		{"a library's own", nil, []string{"193.1.0.0/16"}, "193.1.2.3:80", noteAddress},
		{"beside it", nil, []string{"193.1.0.0/16"}, "193.2.2.3:80", ""},
		{"its own, mapped", nil, []string{"193.1.0.0/16"}, "[::ffff:193.1.2.3]:80", noteAddress},
		{"its own, tunnelled", []string{"2002::/16"}, []string{"193.1.0.0/16"}, "[2002:c101:203::1]:80", noteAddress},
		{"its own, translated", []string{"64:ff9b::/96"}, []string{"193.1.0.0/16"}, "[64:ff9b::193.1.2.3]:80", noteAddress},
		{"translated", []string{"64:ff9b::/96"}, nil, "[64:ff9b::8.8.8.8]:80", ""},
		{"its own IPv6", nil, []string{"2001:718::/32"}, "[2001:718::80]:443", noteAddress},
		{"refused wins", []string{"10.0.0.0/8"}, []string{"10.1.0.0/16"}, "10.1.1.1:80", noteAddress},
		{"and leaves the rest", []string{"10.0.0.0/8"}, []string{"10.1.0.0/16"}, "10.2.1.1:80", ""},
		{"a port refused", nil, []string{"8.8.8.8:8080"}, "8.8.8.8:8080", noteAddress},
		{"another port not", nil, []string{"8.8.8.8:8080"}, "8.8.8.8:80", ""},
		{"mail", nil, nil, "8.8.8.8:25", notePort},
		{"shells", nil, nil, "8.8.8.8:22", notePort},
		{"IRC", nil, nil, "[2606:4700::1111]:6667", notePort},
		{"the last", nil, nil, "8.8.8.8:10080", notePort},
		{"no port", nil, nil, "8.8.8.8:0", notePort},
		{"no such port", nil, nil, "8.8.8.8:8443", ""},
		{"a range does not name a port", []string{"127.0.0.0/8"}, nil, "127.0.0.1:25", notePort},
		{"named", []string{"127.0.0.1:25"}, nil, "127.0.0.1:25", ""},
		{"named for another", []string{"127.0.0.1:25"}, nil, "8.8.8.8:25", notePort},
	} {
		cfg := testConfig()
		cfg.Allow, cfg.Refuse = c.allow, c.refuse
		if err := cfg.Validate().Err("fetch"); err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		g := newGuard(cfg)
		if got := g.check(netip.MustParseAddrPort(c.to)); got != c.want {
			t.Errorf("%s: %s is %q, want %q", c.why, c.to, got, c.want)
		}
	}
	for _, bad := range []string{"", "localhost", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:http", "10.0.0.0/33", "10.0.0.0/8:", "fd00::/8:80",
		"[fd00::/8]", "[::1]", "*:80", "10.0.0.0/8:80:80", "http://127.0.0.1/"} {
		for _, change := range []func(*Config){func(c *Config) { c.Allow = []string{bad} }, func(c *Config) { c.Refuse = []string{bad} }} {
			cfg := testConfig()
			change(&cfg)
			if len(cfg.Validate()) == 0 {
				t.Errorf("%q was taken", bad)
			}
		}
	}
}

// A host that was public and is now inside (DNS rebinding) is judged by the address that
// is connected to, at each connection; so is where a robots.txt redirects to.
func TestRebinding(t *testing.T) {
	s := serve(t, testweb.Tiny{"http://example.org/": testweb.Text("x"),
		"http://away.example/robots.txt": testweb.Redirect(302, "http://inner.example/robots.txt")})
	known := hosts{"example.org": {netip.MustParseAddr("127.0.0.1")}}
	port := netip.MustParseAddrPort(s.HTTPAddr()).Port()
	at := func(host string) string {
		return "http://" + host + ":" + strings.TrimPrefix(s.HTTPAddr(), "127.0.0.1:") + "/"
	}
	h := client(t, nil, func(c *Config, d *Deps) {
		d.Hosts, c.MaxIdle, c.Allow = known, 0, []string{netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), port).String()}
	})
	for _, c := range []struct {
		addr   string
		status crawl.Status
	}{{"127.0.0.1", 404}, {"127.0.0.2", crawl.StatusUnfetchable}, {"10.0.0.1", crawl.StatusUnfetchable}, {"127.0.0.1", 404}} {
		known["example.org"] = []netip.Addr{netip.MustParseAddr(c.addr)}
		u := page(at("example.org"))
		process(t, h, u)
		if u.Status != c.status {
			t.Errorf("%s: status %d %v, want %d", c.addr, u.Status, u.Annotations, c.status)
		}
	}
	u := page("http://127.0.0.1:25/")
	process(t, client(t, nil, nil), u)
	if u.Status != crawl.StatusUnfetchable || !slices.Equal(u.Annotations, []string{string(notePort)}) {
		t.Errorf("mail: status %d %v", u.Status, u.Annotations)
	}
	h = client(t, s, func(c *Config, _ *Deps) { c.ConnectTo["inner.example:80"] = "192.168.1.1:80" })
	u = page("http://away.example/robots.txt")
	u.Key = crawl.RobotsKey("http://away.example")
	process(t, h, u)
	if u.Origin == nil || u.Origin.Status != 302 {
		t.Errorf("robots.txt inside: %+v, status %d", u.Origin, u.Status)
	}
}

// What is connected to instead of a host, and is never allowed, is known before the crawl.
func TestNotices(t *testing.T) {
	c := testConfig()
	c.ConnectTo = map[string]string{"a.cz:80": "127.0.0.1:8080", "*:443": "10.0.0.1:8443", "b.cz:80": "127.0.0.1:6000", "c.cz:80": "8.8.8.8:80"}
	got := strings.Join(c.Notices(), "\n")
	if n := len(c.Notices()); n != 2 || !strings.Contains(got, "10.0.0.1:8443") || !strings.Contains(got, "127.0.0.1:6000") {
		t.Errorf("%d: %s", n, got)
	}
	// No allow helps against refuse, so none is advised.
	c.ConnectTo, c.Refuse = map[string]string{"a.cz:80": "10.0.0.1:80"}, []string{"10.0.0.0/8"}
	if got := strings.Join(c.Notices(), "\n"); !strings.Contains(got, "http.refuse") || strings.Contains(got, "add ") {
		t.Errorf("an address that is refused: %s", got)
	}
}
