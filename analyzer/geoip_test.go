package analyzer_test

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exclave/analyzer"
	"exclave/internal/geoip"
	"exclave/internal/sharedtest"
)

// database writes a database of ranges and returns its path.
func database(t testing.TB, ranges string) string {
	t.Helper()
	var b geoip.Builder
	err := geoip.ReadRanges(strings.NewReader(ranges), b.Add, func(l geoip.BadLine) { t.Error(l) })
	if err != nil {
		t.Fatal(err)
	}
	data, err := b.Build(geoip.Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "geo.mmdb")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const ranges = "192.0.2.0/24,CZ\n198.51.100.0/24,SK\n2001:db8::/32,CZ\n"

// openPlaces opens a profile of geoip searchers only.
func openPlaces(t testing.TB, path, more string) *analyzer.Analyzer {
	t.Helper()
	p, problems := analyzer.ParseProfile([]byte("[profile]\nname=\"p\"\nmin_points=3\njudged_types=[\"text/html\",\"image/png\"]\n"+
		"[[searcher]]\nkind=\"geoip\"\ncountries=[\"cz\"]\npoints=1\n"+more), "p.toml")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	a, err := analyzer.Open(t.Context(), analyzer.Config{Further: []analyzer.Profile{p}, GeoIP: filepath.Base(path), Dir: filepath.Dir(path)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

func link(host, addr string) analyzer.Outlink {
	l := analyzer.Outlink{URL: "http://" + host + "/", Host: host}
	if addr != "" {
		l.Addr = netip.MustParseAddr(addr)
	}
	return l
}

// What counts, by the design's table of searchers: the page's host and each
// outlink, repeats again; what is unknown does not count at all.
func TestGeoIP(t *testing.T) {
	a := openPlaces(t, database(t, ranges), "")
	for _, tt := range []struct {
		why          string
		addr         string
		links        []analyzer.Outlink
		found, valid int
		evidence     string
	}{
		{"the page itself", "192.0.2.1", nil, 1, 1, "a.cz → 192.0.2.1 → CZ host×1"},
		{"elsewhere is found, not valid", "198.51.100.1", nil, 1, 0, ""},
		{"a page without address says nothing", "", nil, 0, 0, ""},
		{"an address without country says nothing", "10.0.0.1", nil, 0, 0, ""},
		{"repeats of a host count again", "192.0.2.1", []analyzer.Outlink{link("a.cz", "192.0.2.1"), link("b.cz", "192.0.2.2"), link("b.cz", "192.0.2.2")}, 4, 4,
			"a.cz → 192.0.2.1 → CZ host×2|b.cz → 192.0.2.2 → CZ link×2"},
		{"links that are not resolved do not count", "192.0.2.1", []analyzer.Outlink{link("c.sk", "198.51.100.1"), link("d.com", ""), link("e.com", "10.0.0.1")}, 2, 1, "a.cz → 192.0.2.1 → CZ host×1"},
		{"IPv6, and IPv4 mapped into it", "2001:db8::1", []analyzer.Outlink{link("m.cz", "::ffff:192.0.2.9")}, 2, 2,
			"a.cz → 2001:db8::1 → CZ host×1|m.cz → 192.0.2.9 → CZ link×1"},
		{"a long name gives way to the address", "", []analyzer.Outlink{link(strings.Repeat("x", 200), "192.0.2.255")}, 1, 1,
			strings.Repeat("x", 120-len(" → 192.0.2.255 → CZ")) + " → 192.0.2.255 → CZ link×1"},
	} {
		p := &analyzer.Page{Host: "a.cz", Type: "text/html", Outlinks: tt.links}
		if tt.addr != "" {
			p.Addr = netip.MustParseAddr(tt.addr)
		}
		v := verdicts(t, a, p)["p"]
		f := v.By[0]
		var got []string
		for _, e := range f.Evidence {
			got = append(got, e.Value+" "+e.Where+"×"+string(rune('0'+e.Count)))
		}
		if f.Found != tt.found || f.Valid != tt.valid || strings.Join(got, "|") != tt.evidence {
			t.Errorf("%s: found %d, valid %d, %q", tt.why, f.Found, f.Valid, got)
		}
		if v.Points != int64(tt.valid) || v.Valid != (tt.valid >= 3) {
			t.Errorf("%s: %s", tt.why, explain(v))
		}
	}
}

// Settings that all searchers have work for this one; a profile that looks at
// addresses only judges what is no text, when it names the type.
func TestGeoIPSettings(t *testing.T) {
	path := database(t, ranges)
	a := openPlaces(t, path, "min_share = 0.6\ncap = 5\n[[searcher]]\nkind=\"geoip\"\nname=\"neighbour\"\ncountries=[\"SK\", \"AT\"]\npoints=-1\n")
	page := func(cz, sk int) *analyzer.Page {
		p := &analyzer.Page{Host: "a", Type: "image/png"}
		p.Outlinks = append(slices.Repeat([]analyzer.Outlink{link("cz", "192.0.2.1")}, cz), slices.Repeat([]analyzer.Outlink{link("sk", "198.51.100.1")}, sk)...)
		return p
	}
	for _, tt := range []struct {
		cz, sk int
		want   int64
	}{{10, 0, 5}, {4, 1, 3}, {3, 2, 1}, {2, 2, -2}, {0, 3, -3}} {
		v := verdicts(t, a, page(tt.cz, tt.sk))["p"]
		if !v.Judged || v.Points != tt.want {
			t.Errorf("%d and %d links: %s", tt.cz, tt.sk, explain(v))
		}
	}
	if v := verdicts(t, a, &analyzer.Page{Type: "image/jpeg"})["p"]; v.Judged {
		t.Error("a type that the profile does not name is judged")
	}
}

// Without a database the searcher is off: verdicts are those of a profile without
// it, one notice says so, and nobody need find addresses out.
func TestGeoIPOff(t *testing.T) {
	off := open(t, "cz")
	p := htmlPage(`<html lang="cs"><p>info@firma.cz +420 777 123 456`)
	p.Addr = netip.MustParseAddr("192.0.2.1")
	v := verdicts(t, off, p)["cz"]
	if off.WantsAddrs() || v.Points != 90 || slices.ContainsFunc(v.By, func(s analyzer.Scored) bool { return s.Searcher == "geoip" }) {
		t.Errorf("%v %s", off.WantsAddrs(), explain(v))
	}
	c := analyzer.Config{Profiles: []string{"cz", "sk"}}
	if got := c.Notices(); len(got) != 1 || got[0].String() != "no GeoIP database is configured; searchers cz/geoip, sk/geoip are off" {
		t.Errorf("%q", got)
	}

	// With one, the address is worth its points.
	c = analyzer.Config{Profiles: []string{"cz"}, GeoIP: database(t, ranges)}
	on, err := analyzer.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer on.Close()
	if v := verdicts(t, on, p)["cz"]; !on.WantsAddrs() || v.Points != 100 || len(c.Notices()) > 0 {
		t.Errorf("%v %s", on.WantsAddrs(), explain(v))
	}
	p.Addr = netip.MustParseAddr("198.51.100.1")
	if v := verdicts(t, on, p)["cz"]; v.Points != 90 {
		t.Errorf("%s", explain(v))
	}
}

// A database that cannot be used is an error when the Analyzer is opened.
func TestGeoIPErrors(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.mmdb")
	if err := os.WriteFile(bad, []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]error{bad: geoip.ErrDamaged, bad + ".gone": os.ErrNotExist} {
		if _, err := analyzer.Open(t.Context(), analyzer.Config{Profiles: []string{"cz"}, GeoIP: file}); !errors.Is(err, want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func BenchmarkGeoIP(b *testing.B) {
	a := openPlaces(b, database(b, ranges), "")
	p := &analyzer.Page{Host: "a.cz", Type: "text/html", Addr: netip.MustParseAddr("192.0.2.1")}
	for range 100 {
		p.Outlinks = append(p.Outlinks, link("a.cz", "192.0.2.1"), link("b.cz", "192.0.2.2"), link("c.sk", "198.51.100.1"))
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.Run(b.Context(), p); err != nil {
			b.Fatal(err)
		}
	}
}

// City and owner of the network stand behind the country, where databases name
// them; a long host leaves them less room, and none changes what is counted.
func TestGeoIPDetails(t *testing.T) {
	const dir = "data/geoip/maxmind-testdata/test-data/"
	p, problems := analyzer.ParseProfile([]byte("[profile]\nname=\"p\"\nmin_points=1\njudged_types=[\"text/html\"]\n"+
		"[[searcher]]\nkind=\"geoip\"\ncountries=[\"SE\"]\npoints=1\n"), "p.toml")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, tt := range []struct{ places, owners, host, want string }{
		{"GeoLite2-Country-Test.mmdb", "", "a.se", "a.se → 89.160.20.112 → SE"},
		{"GeoLite2-City-Test.mmdb", "", "a.se", "a.se → 89.160.20.112 → SE → Linköping"},
		{"GeoIP2-Precision-Enterprise-Test.mmdb", "", "a.se", "a.se → 89.160.20.112 → SE → Linköping → AS29518 Bredband2 AB"},
		{"GeoLite2-Country-Test.mmdb", "GeoLite2-ASN-Test.mmdb", "a.se", "a.se → 89.160.20.112 → SE → AS29518 Bredband2 AB"},
		{"GeoLite2-City-Test.mmdb", "GeoLite2-ASN-Test.mmdb", strings.Repeat("x", 60), strings.Repeat("x", 60) + " → 89.160.20.112 → SE → Linköping → AS29518 Bred…"},
		{"GeoLite2-City-Test.mmdb", "GeoLite2-ASN-Test.mmdb", strings.Repeat("x", 200), strings.Repeat("x", 95) + " → 89.160.20.112 → SE"},
	} {
		c := analyzer.Config{Further: []analyzer.Profile{p}, GeoIP: sharedtest.Path(t, dir+tt.places)}
		if tt.owners != "" {
			c.GeoIPASN = sharedtest.Path(t, dir+tt.owners)
		}
		a, err := analyzer.Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		f := verdicts(t, a, &analyzer.Page{Host: tt.host, Type: "text/html", Addr: netip.MustParseAddr("89.160.20.112")})["p"].By[0]
		if f.Found != 1 || f.Valid != 1 || len(f.Evidence) != 1 || f.Evidence[0].Value != tt.want || len(f.Evidence[0].Value) > analyzer.MaxEvidenceValue {
			t.Errorf("%s, %s: %+v, want %q", tt.places, tt.owners, f, tt.want)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
	c := analyzer.Config{Further: []analyzer.Profile{p}, GeoIPASN: sharedtest.Path(t, dir+"GeoLite2-Country-Test.mmdb")}
	if _, err := analyzer.Open(t.Context(), c); !errors.Is(err, geoip.ErrNotOwners) {
		t.Errorf("a database without owners: %v", err)
	}
}
