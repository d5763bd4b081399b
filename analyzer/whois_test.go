package analyzer

import (
	"testing"
)

// Issue 19: a WHOIS answer is evidence once, whatever it says how often; who did not answer says nothing. Without a server
// the searcher is off, with a notice.
func TestWhois(t *testing.T) {
	const text = "[profile]\nname = \"own\"\nmin_points = 10\n[[searcher]]\nkind = \"whois\"\npattern = '^(registrant country|address): cz$'\npoints = 10\n"
	_, p, problems := parseProfile([]byte(text), "own.toml", kinds())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	off := Config{Further: []Profile{p}}
	if n := off.Notices(); len(n) != 1 || n[0].Missing != MissingWhois || n[0].String() != "no WHOIS server is asked; searcher own/whois is off" {
		t.Errorf("notices %q", n)
	}
	on := off
	on.Whois = true
	if n := on.Notices(); len(n) > 0 {
		t.Errorf("notices %q", n)
	}
	a, err := Open(t.Context(), on)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if !a.WantsWhois() {
		t.Error("nobody would be asked")
	}
	for _, c := range []struct {
		lines        []string
		found, valid int
	}{
		{nil, 0, 0},
		{[]string{"country: us"}, 1, 0},
		{[]string{"country: us", "address: cz", "registrant country: cz"}, 1, 1},
	} {
		vs, err := a.Run(t.Context(), &Page{Type: "text/html", Host: "a.com", Whois: c.lines})
		if err != nil {
			t.Fatal(err)
		}
		by := vs[0].By[0]
		if by.Found != c.found || by.Valid != c.valid || vs[0].Valid != (c.valid == 1) || c.valid == 1 && (by.Evidence[0].Value != "address: cz" || by.Evidence[0].Where != "whois") {
			t.Errorf("%q: %+v", c.lines, vs[0])
		}
	}
}
