package urlx_test

import (
	"testing"

	"exclave/internal/urlx"
)

// The keys are those that the Python package surt 0.3.1 made.
func TestCDXKeyOf(t *testing.T) {
	for uri, want := range map[string]string{
		"http://www.A.cz/X?b=1&a=2":                 "cz,a)/x?a=2&b=1",
		"urn:exclave:verdict:http://a.cz/X?b=1&a=2": "urn:exclave:verdict:http://a.cz/x?a=2&b=1",
		"urn:uuid:AB":               "urn:uuid:ab",
		"metadata://gnu.org/A":      "org,gnu)/a",
		"screenshot:https://A.cz/B": "screenshot:https://a.cz/b",
		"file:///A b/c":             "file:/a%20b/c",
		"mailto:A@b":                "mailto:a@b",
		"urn:a://B":                 "urn:a://b",
		"whois://a.cz/":             "cz,a)/",
		"ftp://a.cz/":               "cz,a)/",
		"dns:A.cz":                  "dns:a.cz",
		"about:blank":               "about:blank",
	} {
		if got := urlx.CDXKeyOf(uri); got != want {
			t.Errorf("%s: %s, want %s", uri, got, want)
		}
	}
	if got := urlx.CDXKeyOf("nothing"); got != "nothing" {
		t.Error(got)
	}
}
