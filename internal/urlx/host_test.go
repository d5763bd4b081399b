package urlx

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"golang.org/x/net/idna"

	"exclave/internal/sharedtest"
)

// TestRegisteredDomainOfficial: the list's own tests (publicsuffix.org),
// with Unicode names in ACE, as hosts are here.
func TestRegisteredDomainOfficial(t *testing.T) {
	f, err := os.Open(sharedtest.Path(t, "data/urls/publicsuffix/tests/tests.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ran := 0
	for sc := bufio.NewScanner(f); sc.Scan(); {
		host, want, ok := strings.Cut(strings.TrimSpace(sc.Text()), " ")
		if !ok || strings.HasPrefix(host, "//") || host == "null" {
			continue
		}
		if want == "null" {
			want = ""
		}
		host, _ = idna.ToASCII(host)
		want, _ = idna.ToASCII(want)
		ran++
		if got := RegisteredDomain(host); got != want {
			t.Errorf("RegisteredDomain(%q) = %q, want %q", host, got, want)
		}
	}
	if ran < 50 {
		t.Errorf("only %d cases ran", ran)
	}
}

func TestHosts(t *testing.T) {
	cases := []struct{ why, host, registered, tld, display string }{
		{"ordinary", "www.example.cz", "example.cz", "cz", "www.example.cz"},
		{"two-level suffix", "a.b.example.co.uk", "example.co.uk", "uk", "a.b.example.co.uk"},
		{"ACE is for machines", "www.xn--pklad-zsa96e.cz", "xn--pklad-zsa96e.cz", "cz", "www.příklad.cz"},
		{"rooted name", "www.example.cz.", "example.cz", "cz", "www.example.cz."},
		{"a suffix has no owner", "co.uk", "", "uk", "co.uk"},
		{"IPv4 has neither", "127.0.0.1", "", "", "127.0.0.1"},
		{"IPv6 has neither", "2001:db8::1", "", "", "2001:db8::1"},
		{"broken punycode is shown as it is", "xn--a.cz", "xn--a.cz", "cz", "xn--a.cz"},
		{"nothing", "", "", "", ""},
	}
	for _, c := range cases {
		if got := [3]string{RegisteredDomain(c.host), TLD(c.host), DisplayHost(c.host)}; got != [3]string{c.registered, c.tld, c.display} {
			t.Errorf("%s: %q gives %q", c.why, c.host, got)
		}
	}
}
