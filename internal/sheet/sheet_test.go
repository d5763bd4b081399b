package sheet

import (
	"fmt"
	"strings"
	"testing"

	"exclave/internal/urlx"
)

const sheets = `
[[sheet]]
name = "opt-out"
domains = ["example.cz", "10.0.0.1"]
blocked = true

[[sheet]]
name = "but-this"
surts = ["http://(cz,example,www,)/open/"]
blocked = false

[[sheet]]
name = "court"
hosts = ["one.org"]
surts = ["http://(cz,example,www,)/open/shut"]
blocked = true
reason = "order-17"
`

func TestBlocked(t *testing.T) {
	s, ps := Read([]Text{{"a.toml", []byte(sheets)}})
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	for url, want := range map[string]string{
		"https://example.cz/":               "opt-out",
		"http://deep.www.example.cz:8080/x": "opt-out",
		"http://example2.cz/":               "",
		"http://10.0.0.1:81/":               "opt-out",
		"http://www.example.cz/open/a":      "",
		"http://www.example.cz/open/shut/x": "order-17",
		"http://www.example.cz/opera":       "opt-out",
		"http://one.org:81/":                "order-17",
		"http://www.one.org/":               "",
	} {
		u, err := urlx.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		if got, blocked := s.Blocked(u); got != want || blocked != (want != "") {
			t.Errorf("%s: %q, %v; want %q", url, got, blocked, want)
		}
	}
}

func TestProblems(t *testing.T) {
	for text, want := range map[string]string{
		"[[sheet]]\nname = \"a\"\nhosts = [\"a.cz\"]\nblock = true":                       "a.toml:4:1: sheet[0].block",
		"[[sheet]]\nname = \"a\"\nhosts = [\"a.cz/x\"]":                                   "a.toml:3:10: sheet[0].hosts[0]",
		"[[sheet]]\nname = \"a\"":                                                         "applies to nothing",
		"[[sheet]]\nhosts = [\"a.cz\"]":                                                   "needs a name",
		"[[sheet]]\nname = \"a\"\nhosts = [\"a.cz\"]\nblocked = true\nreason = \"a b\"\n": "a.toml:5:1: sheet[0].reason",
	} {
		if _, ps := Read([]Text{{"a.toml", []byte(text)}}); len(ps) == 0 || !strings.Contains(ps[0].String(), want) {
			t.Errorf("%q: %v, want %s", text, ps, want)
		}
	}
}

// An opt-out list is long: looking up a host that is not on it costs no more.
func BenchmarkOf(b *testing.B) {
	var all []prefix
	for i := range 100_000 {
		all = append(all, prefix{surt: fmt.Sprintf("http://(cz,owner%d,", i)})
	}
	s := newSet(all)
	u, err := urlx.Parse("http://www.owner55.example.cz/a/page.html")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s.Of(u)
	}
}
