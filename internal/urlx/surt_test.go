package urlx

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"exclave/internal/sharedtest"
)

func TestSURT(t *testing.T) {
	cases := []struct{ why, in, want string }{
		{"Heritrix glossary", "http://www.Example.cz/A?q#f", "http://(cz,example,www,)/A?q"},
		{"https is compared as http (Heritrix SurtPrefixSet)", "https://a.cz/", "http://(cz,a,)/"},
		{"port", "http://a.cz:8080/", "http://(cz,a,:8080)/"},
		{"credentials say nothing about the place", "http://u:p@a.cz/", "http://(cz,a,)/"},
		{"addresses are not reversed", "http://127.0.0.1:81/x", "http://(127.0.0.1:81)/x"},
		{"IPv6", "http://[::1]/", "http://([::1])/"},
		{"rooted name is the same host", "http://a.cz./", "http://(cz,a,)/"},
		{"one label", "http://localhost/", "http://(localhost,)/"},
		{"ftp stays apart", "ftp://a.cz/", "ftp://(cz,a,)/"},
	}
	for _, c := range cases {
		if got := SURT(mustParse(t, c.in)); got != c.want {
			t.Errorf("%s: SURT(%q) = %q, want %q", c.why, c.in, got, c.want)
		}
	}
}

// TestSURTUrlcanon: the first ancestor urlcanon lists is the SURT form itself.
func TestSURTUrlcanon(t *testing.T) {
	b, err := os.ReadFile(sharedtest.Path(t, "data/urls/urlcanon/testdata/parsing.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string]struct {
		Ancestry []string `json:"surt_ancestry"`
	}
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for in, c := range cases {
		// urlcanon does not normalise here; only what is already normal applies.
		u, err := Parse(in)
		if err != nil || len(c.Ancestry) == 0 || u.WithoutFragment().String() != in {
			continue
		}
		ran++
		for _, prefix := range c.Ancestry {
			if !strings.HasPrefix(SURT(u), prefix) {
				t.Errorf("%q: SURT %q does not begin with its ancestor %q", in, SURT(u), prefix)
			}
		}
	}
	if ran < 5 {
		t.Errorf("only %d cases ran", ran)
	}
}

func TestSURTPrefix(t *testing.T) {
	cases := []struct{ why, in, want string }{
		{"SURT prefix list (formats.md)", " +http://(cz,", "http://(cz,"},
		{"https and http are one", "https://(cz,example,)/", "http://(cz,example,)/"},
		{"part of a label is a prefix too", "http://(cz,exam", "http://(cz,exam"},
		{"scheme left out", "+(cz,", "http://(cz,"},
		{"labels as people write them", "http://(cz,Příklad,)/ž", "http://(cz,xn--pklad-zsa96e,)/%C5%BE"},
		{"path case matters", "http://(CZ,a,)/B", "http://(cz,a,)/B"},
		{"bare host: it and those below (Heritrix rule 3)", "Example.cz", "http://(cz,example,"},
		{"a whole national domain", "cz", "http://(cz,"},
		{"host without path in full", "https://www.example.cz", "http://(cz,example,www,"},
		{"a slash means this host only", "http://www.example.cz/", "http://(cz,example,www,)/"},
		{"up to the last slash (Heritrix rule 2)", "www.example.cz/a/b.html", "http://(cz,example,www,)/a/"},
		{"folder", "http://a.cz/a/", "http://(cz,a,)/a/"},
		{"port binds to the host", "http://a.cz:8080", "http://(cz,a,:8080)"},
		{"addresses have no hosts below", "127.0.0.1", "http://(127.0.0.1)"},
	}
	for _, c := range cases {
		got, err := SURTPrefix(c.in)
		if err != nil || got != c.want {
			t.Errorf("%s: SURTPrefix(%q) = %q, %v, want %q", c.why, c.in, got, err, c.want)
			continue
		}
		if again, err := SURTPrefix(got); err != nil || again != got {
			t.Errorf("%s: prefix of prefix %q is %q, %v", c.why, got, again, err)
		}
	}
	for _, bad := range []struct{ why, in string }{
		{"nothing would match everything", ""},
		{"Heritrix's exclusion is another list here", "-http://(cz,"},
		{"URL and SURT mixed up", "http://(cz,example/a"},
		{"something between host and path", "http://(cz,a,)x"},
		{"SURT without its parenthesis", "cz,example,"},
		{"not crawled", "gopher://a.cz"},
		{"not crawled, as SURT", "gopher://(cz,"},
	} {
		if got, err := SURTPrefix(bad.in); err == nil {
			t.Errorf("%s: SURTPrefix(%q) = %q, want an error", bad.why, bad.in, got)
		}
	}
}

// An address is a prefix as it is written; what can match nothing is refused, with what to write.
func TestExactSURTPrefix(t *testing.T) {
	for in, want := range map[string]string{
		"http://www.example.cz/private":   "http://(cz,example,www,)/private",
		"www.example.cz/a/b.html?q=1":     "http://(cz,example,www,)/a/b.html?q=1",
		"http://127.0.0.5:8085/secret":    "http://(127.0.0.5:8085)/secret",
		"http://(127.0.0.5:8085)/secret":  "http://(127.0.0.5:8085)/secret",
		"http://([::1]:80)/":              "http://([::1]:80)/",
		"http://(cz,exam":                 "http://(cz,exam",
		"http://(cz,example,:8080)/*/a":   "http://(cz,example,:8080)/*/a",
		"https://www.example.cz":          "http://(cz,example,www,",
		"http://www.example.cz/":          "http://(cz,example,www,)/",
		"http://www.example.cz/a%20b/%23": "http://(cz,example,www,)/a%20b/%23",
		"http://(127.0.":                  "http://(127.0.",
		"http://([2001:":                  "http://([2001:",
		"http://(":                        "http://(",
		"http://(cz,a,:80":                "http://(cz,a,:80",
		"http://u:secret@a.cz/x":          "http://(cz,a,)/x",
	} {
		if got, err := ExactSURTPrefix(in); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"http://(cz,example,www)/private": `write "http://(cz,example,www,)/private"`,
		"http://(cz,a:8080)/":             `write "http://(cz,a,:8080)/"`,
		"http://(cz,a,)/A b":              "%20",
		"http://(cz,a,)/A#f":              "without",
		"http://a.cz/A#f":                 "without",
		"*":                               "without",
		"*.example.cz":                    "without",
		"http://(cz,*":                    "without",
		"http://a.cz/private/*":           "without",
		"http://()/":                      "no host",
		"http://(www.a.cz)/":              `write "http://(cz,a,www,)/"`,
		"http://(www.a.cz:8080)/x":        `write "http://(cz,a,www,:8080)/x"`,
		"http://(a.cz,)/":                 `write "http://(cz,a,)/"`,
		"http://(a.cz,www,)/":             `write "http://(cz,a,www,)/"`,
		"http://(www.a.cz":                `write "http://(cz,a,www,"`,
		"http://(cz,a.b,c":                `write "http://(cz,b,a,c"`,
		"http://(127.0.0.5,)/":            `write "http://(127.0.0.5)/"`,
		"http://(cz,,a,)/":                "is empty",
		"http://(,cz,)/":                  "is empty",
		"http://(a..cz)/":                 "is empty",
		"http://(cz,a,,":                  "is empty",
	} {
		if got, err := ExactSURTPrefix(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v, want %s", in, got, err, want)
		}
	}
}

// A password that somebody left in a prefix is in no error.
func TestSURTPrefixHidesPasswords(t *testing.T) {
	for _, in := range []string{
		"http://u:secret@a.cz/#x", "+http://u:secret@a.cz/#x", "u:secret@a.cz/#x", "u:secret@a.cz/?u=http://b.cz/#x", "http://u:secret@a.cz:99999/", "u:secret@a b", "ftp://u:secret@a.cz/*", "http://u:secret@(a,b)/",
		"http://(u:secret@cz,a,)/", "(u:secret@a.cz)/", "http://(u:secret@cz,a/", "http://(ů\u00ad_:secret@a.cz)/", "http://u:secret@a..cz/", "gopher://u:secret@a.cz/",
	} {
		if p, err := ExactSURTPrefix(in); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %q, %v", in, p, err)
		}
	}
}

// TestSURTPrefixMeaning: the two functions are only useful together.
func TestSURTPrefixMeaning(t *testing.T) {
	cases := []struct {
		prefix, url string
		want        bool
	}{
		{"example.cz", "https://www.example.cz/x", true},
		{"example.cz", "http://example.cz:8080/", true},
		{"example.cz", "http://badexample.cz/", false},
		{"http://example.cz/", "http://www.example.cz/", false},
		{"http://example.cz/a/", "http://example.cz/b", false},
		{"+http://(cz,", "http://example.sk/", false},
	}
	for _, c := range cases {
		p, err := SURTPrefix(c.prefix)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.HasPrefix(SURT(mustParse(t, c.url)), p); got != c.want {
			t.Errorf("%q matches %q: %v, want %v", c.prefix, c.url, got, c.want)
		}
	}
}

func FuzzSURTPrefix(f *testing.F) {
	for _, s := range []string{"+http://(cz,", "example.cz/a", "http://(cz,př,)/ž", "https://u@[::1]:8/x#y", "(", "://("} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := SURTPrefix(s)
		if err != nil {
			return
		}
		if again, err := SURTPrefix(p); err != nil || again != p {
			t.Fatalf("%q: prefix %q becomes %q, %v", s, p, again, err)
		}
	})
}
