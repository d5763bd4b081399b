package crawl_test

import (
	"testing"

	"exclave/crawl"
)

// A prerequisite is told by its key, and by nothing else: a robots.txt that a page links
// to has the same URL, and is an ordinary URI (systems.md 1.3, case 25).
func TestPrereq(t *testing.T) {
	for _, c := range []struct {
		why, key, url string
		prereq        bool
	}{
		{"addresses of a host", crawl.DNSKey("a.test"), "dns:a.test", true},
		{"robots.txt of an origin", crawl.RobotsKey("https://a.test:8443"), "https://a.test:8443/robots.txt", true},
		{"a robots.txt that was linked", "http://a.test/robots.txt", "http://a.test/robots.txt", false},
		{"a page", "http://a.test/", "http://a.test/", false},
		{"a host with such a name", "http://dns/", "http://dns/", false},
	} {
		t.Run(c.why, func(t *testing.T) {
			u := crawl.Candidate{Key: c.key, Force: true, Hops: "LP"}
			if u.IsPrereq() != c.prereq || crawl.PrereqURL(c.key) != c.url {
				t.Errorf("prerequisite: %t, at %s", u.IsPrereq(), crawl.PrereqURL(c.key))
			}
			if _, ok := crawl.DNSHost(c.key); ok != crawl.IsDNS(c.key) {
				t.Error("the host is not that of the key")
			}
			if _, ok := crawl.RobotsOrigin(c.key); ok != crawl.IsRobots(c.key) {
				t.Error("the origin is not that of the key")
			}
		})
	}
}

// Logs and archive have URLs only: what can be a prerequisite is found by its URL.
func TestPrereqKey(t *testing.T) {
	for url, want := range map[string]string{
		"dns:a.test":                      "dns:a.test",
		"http://a.test/robots.txt":        "robots:http://a.test",
		"https://a.test:8443/robots.txt":  "robots:https://a.test:8443",
		"http://a.test/robots.txt?x":      "",
		"http://a.test/a/robots.txt":      "",
		"http://a.test/":                  "",
		"ftp:robots.txt":                  "",
		"ftp://a.test/robots.txt":         "",
		"urn:exclave:verdict:/robots.txt": "",
	} {
		if key, ok := crawl.PrereqKey(url); key != want || ok != (want != "") {
			t.Errorf("%s: %q, %t; want %q", url, key, ok, want)
		}
	}
	if !crawl.PrereqHops("LP") || crawl.PrereqHops("PL") || crawl.PrereqHops("") {
		t.Error("the last hop of a prerequisite is P")
	}
}
