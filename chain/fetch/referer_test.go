package fetch

import (
	"testing"

	"exclave/internal/sheet"
)

// W3C Referrer Policy, §8: what is told of the page that led to a URI.
func TestReferer(t *testing.T) {
	h := client(t, nil, nil)
	for _, c := range []struct {
		policy, via, to, want string
		seed                  bool
	}{
		{sheet.StrictOrigin, "http://a.cz/x?q#f", "http://a.cz/y", "http://a.cz/x?q", false},
		{sheet.StrictOrigin, "http://a.cz/x?q", "http://b.cz/", "http://a.cz/", false},
		{sheet.StrictOrigin, "http://a.cz:81/x", "http://a.cz/", "http://a.cz:81/", false},
		{sheet.StrictOrigin, "https://a.cz/x", "https://b.cz/", "https://a.cz/", false},
		{sheet.StrictOrigin, "https://a.cz/x", "http://a.cz/", "", false},
		{sheet.StrictOrigin, "http://user:pass@a.cz/x", "http://a.cz/y", "http://a.cz/x", false},
		{sheet.UnsafeURL, "https://a.cz/x?q", "http://b.cz/", "https://a.cz/x?q", false},
		{sheet.NoReferrer, "http://a.cz/x", "http://a.cz/y", "", false},
		{sheet.StrictOrigin, "http://a.cz/x", "http://a.cz/y", "", true}, // another harvest's page
		{sheet.StrictOrigin, "dns:a.cz", "http://a.cz/", "", false},
		{sheet.StrictOrigin, "", "http://a.cz/", "", false},
	} {
		for _, bySheet := range []bool{false, true} {
			u := page(c.to)
			u.Via, u.Seed = c.via, c.seed
			h.cfg.ReferrerPolicy = c.policy
			if bySheet {
				h.cfg.ReferrerPolicy = sheet.UnsafeURL
				u.Sheet = &sheet.Settings{HTTP: sheet.HTTP{ReferrerPolicy: &c.policy}}
			}
			got := ""
			for _, f := range h.referer(u, u.Parsed()) {
				got = f.Value
			}
			if got != c.want {
				t.Errorf("%s, %s to %s, by sheet %v: %q, want %q", c.policy, c.via, c.to, bySheet, got, c.want)
			}
		}
	}
}
