package job_test

import (
	"bytes"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exclave/chain/decide"
	"exclave/config"
	"exclave/crawl"
	"exclave/internal/geoip"
	"exclave/internal/job"
	"exclave/internal/testweb"
)

// A page becomes valid by where it and the hosts it links to are, as far as the
// crawl has found that out: no host is looked up for the sake of a link.
func TestGeoIPCrawl(t *testing.T) {
	t.Parallel()
	addrs := map[string]netip.Addr{
		"home.example": netip.MustParseAddr("127.1.0.1"), "mirror.example": netip.MustParseAddr("127.1.0.2"),
		"away.example": netip.MustParseAddr("127.2.0.1"), "never.example": netip.MustParseAddr("127.1.0.3"),
	}
	web := testweb.Tiny{
		// Three known addresses of three in the country: itself, itself again, a mirror.
		"http://home.example/": testweb.Foreign("http://home.example/b", "http://mirror.example/", "http://never.example/"),
		// Elsewhere, whatever it links to.
		"http://away.example/":   testweb.Foreign("http://home.example/", "http://never.example/"),
		"http://mirror.example/": testweb.Foreign(),
		"http://never.example/":  testweb.Foreign(),
		"http://home.example/b":  testweb.Foreign(),
	}
	j := newJobAt(t, web, addrs, func(c *config.Config) {
		c.Analysis.Profiles, c.Analysis.GeoIP = []string{"place.toml"}, "geo.mmdb"
		c.Crawl.ToeThreads = 1
		c.Scope = append(c.Scope, decide.RuleConfig{Rule: "hosts", List: []string{"never.example"}})
		writeFiles(t, c.Dir, map[string]string{"place.toml": `[profile]
name = "place"
min_points = 3
[[searcher]]
kind = "geoip"
countries = ["CZ"]
points = 1
min_share = 0.6
`}, "127.1.0.0/16,CZ\n127.2.0.0/16,DE\n")
	})
	// The hosts are known when the pages that link to them are judged.
	j.run(job.Options{}, "http://mirror.example/")
	h := j.run(job.Options{}, "http://home.example/", "http://away.example/")
	if got, want := h.valid(), []string{"http://home.example/"}; !slices.Equal(got, want) {
		t.Errorf("valid %v, want %v\n%s", got, want, strings.Join(j.log(crawl.LogAnalysis), "\n"))
	}
	log := strings.Join(j.log(crawl.LogAnalysis), "\n")
	for _, w := range []string{"home.example → 127.1.0.1 → CZ", "mirror.example → 127.1.0.2 → CZ"} {
		if !strings.Contains(log, w) {
			t.Errorf("analysis.jsonl lacks %s", w)
		}
	}
	for _, host := range j.web.Lookups() {
		if host == "never.example" {
			t.Error("a host that no page was fetched from was looked up")
		}
	}
}

// writeFiles writes files into a folder, and a database of ranges, geo.mmdb.
func writeFiles(t testing.TB, dir string, files map[string]string, ranges string) {
	t.Helper()
	var b geoip.Builder
	if err := geoip.ReadRanges(strings.NewReader(ranges), b.Add, func(l geoip.BadLine) { t.Error(l) }); err != nil {
		t.Fatal(err)
	}
	data, err := b.Build(geoip.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{"geo.mmdb": data}
	for name, text := range files {
		all[name] = []byte(text)
	}
	for name, data := range all {
		if err := os.WriteFile(filepath.Join(dir, name), bytes.Clone(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
