package sheet

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/internal/conf"
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
hosts = ["one.org", "[2001:db8::1]", "2001:0db8::2"]
surts = ["http://(cz,example,www,)/open/shut"]
blocked = true
reason = "order-17"
`

func TestBlocked(t *testing.T) {
	s, ps := Read([]Text{{"a.toml", []byte(sheets)}}, nil)
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
		// Nothing is below an IP address, and an address that begins with the same digits is somebody else's.
		"http://10.0.0.10/":         "",
		"http://[2001:db8::1]:81/":  "order-17",
		"http://[2001:db8::1f]/":    "",
		"http://[2001:db8::2]/":     "order-17",
		"ftp://ftp.example.cz/pub/": "opt-out", // whatever the scheme, an owner's hosts are the same
		"whois://one.org/x":         "order-17",
	} {
		u, err := urlx.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		if got, blocked := s.Of(u, 0).Blocks(); got != want || blocked != (want != "") {
			t.Errorf("%s: %q, %v; want %q", url, got, blocked, want)
		}
	}
}

func TestProblems(t *testing.T) {
	const start = "[[sheet]]\nname = \"a\"\nhosts = [\"a.cz\"]\n"
	for text, want := range map[string]string{
		"[[sheet]]\nname = \"a\"\nhosts = [\"a.cz\"]\nblock = true":                                          "a.toml:4:1: sheet[0].block",
		"[[sheet]]\nname = \"a\"\nhosts = [\"a.cz/x\"]":                                                      "a.toml:3:10: sheet[0].hosts[0]",
		"[[sheet]]\nname = \"a\"\nhosts = [\"*.y.cz\"]\nblocked = true":                                      `domains = ["y.cz"]`,
		"[[sheet]]\nname = \"a\"\ndomains = [\"*.y.cz\"]\nblocked = true":                                    `domains = ["y.cz"]`,
		"[[sheet]]\nname = \"a\"\ndomains = [\"*\"]\nblocked = true":                                         "a.toml:3:12: sheet[0].domains[0]",
		"[[sheet]]\nname = \"a\"\nsurts = [\"http://(cz,example,www)/private\"]\nblocked = true":             `write "http://(cz,example,www,)/private"`,
		"[[sheet]]\nname = \"a\"\nsurts = [\"http://(cz,example,www,)/A b?q#f\"]\nblocked = true":            "a.toml:3:10: sheet[0].surts[0]",
		"[[sheet]]\nname = \"a\"\nhosts = [\"a.cz\"]":                                                        "sets nothing",
		"[[sheet]]\nname = \"a\"\nhost = [\"a.cz\"]\nblocked = true":                                         "a.toml:3:1: sheet[0].host: unknown key; did you mean hosts?",
		"[[sheet]]\nname = \"a\"":                                                                            "applies to nothing",
		"[[sheet]]\nhosts = [\"a.cz\"]":                                                                      "needs a name",
		"[[sheet]]\nname = \"a\"\nhosts = [\"a.cz\"]\nblocked = true\nreason = \"a b\"\n":                    "a.toml:5:1: sheet[0].reason",
		"[[sheet]]\nname = \"a\"\nsurts = [\"http://a.cz\", \"ftp://(cz,a,:2121)/\"]\nlimits.host_bytes = 1": "a.toml:3:25: sheet[0].surts[1]: \"ftp://(cz,a,:2121)/\" names a port",
		"[[sheet]]\nname = \"a\"\nsurts = [\"http://[::1]:81/\"]\nlimits.host_bytes = 1":                     "a.toml:3:10: sheet[0].surts[0]",
		start + "scope = \"yes\"":                                                                            "a.toml:4:1: sheet[0].scope",
		start + "hours = \"22-6\"":                                                                           "a.toml:4:1: sheet[0].hours",
		start + "hours = \"06:00-6:00\"":                                                                     "a.toml:4:1: sheet[0].hours",
		start + "max_hops = 200":                                                                             "a.toml:4:1: sheet[0].max_hops",
		start + "[sheet.frontier]\nmin_delay = \"4s\"\nmax_delay = \"3s\"":                                   "a.toml:6:1: sheet[0].frontier.max_delay",
		"[[sheet]]\nname = \"a\"\nhosts = [\"[::1]:80\"]\nblocked = true":                                    "a.toml:3:10: sheet[0].hosts[0]",
		start + "blocked = true\nreason = \"\"":                                                              "a.toml:5:1: sheet[0].reason: is empty",
		start + "[sheet.http]\nheaders = {X-A = \"1\", x-a = \"2\"}":                                         "sheet[0].http.headers.x-a: is the field X-A",
		start + "[sheet.http]\nproxy = \"http://:8080\"":                                                     "a.toml:5:1: sheet[0].http.proxy",
		start + "[sheet.http]\nproxy = \"http://a.cz:99999\"":                                                "a.toml:5:1: sheet[0].http.proxy",
		start + "[sheet.http]\nproxy = \"http://a.cz:80/x\"":                                                 `; "direct" = none`,
		"[[sheet]]\nname = \"a\"\nsurts = [\"http://(cz,a,)/x/\"]\nhours = \"22:00-06:00\"":                  "ends within a path, and hours is about whole hosts",
		start + "[sheet.http]\nmax_size = -1":                                                                "a.toml:5:1: sheet[0].http.max_size",
		start + "[sheet.http]\ntimeout = \"0s\"":                                                             "a.toml:5:1: sheet[0].http.timeout",
		start + "[sheet.http]\nheaders = {cookie = \"x\"}":                                                   "sheet[0].http.headers.cookie",
		start + "blocked = true\nreason = \"a,b\"":                                                           "a.toml:5:1: sheet[0].reason",
		start + "[sheet.limits]\nhost_bytes = -1":                                                            "a.toml:5:1: sheet[0].limits.host_bytes",
		start + "[sheet.http]\nheaders = {Cookie = \"x\"}":                                                   "sheet[0].http.headers.Cookie",
		start + "[sheet.http]\nreferrer_policy = \"all\"":                                                    "a.toml:5:1: sheet[0].http.referrer_policy",
		start + "[sheet.robots]\npolicy = \"never\"":                                                         "a.toml:5:1: sheet[0].robots.policy",
		"[[sheet]]\nname = \"a\"\nsurts = [\"http://(cz,a,)/x/\"]\n[sheet.frontier]\nmin_delay = \"4s\"":     "a.toml:3:10: sheet[0].surts[0]",
	} {
		if _, ps := Read([]Text{{"a.toml", []byte(text)}}, nil); !slices.ContainsFunc(ps, func(p conf.Problem) bool { return strings.Contains(p.String(), want) }) {
			t.Errorf("%q: %v, want %s", text, ps, want)
		}
	}
}

// The least and the most that may be are no problems.
func TestBounds(t *testing.T) {
	const text = "[[sheet]]\nname = \"a\"\nhosts = [\"a.cz\"]\nsurts = [\"http://[::1]/\", \"http://([2001:\"]\nmax_hops = 199\n[sheet.limits]\nhost_bytes = 0\n[sheet.frontier]\nmin_delay = \"3s\"\nmax_delay = \"3s\"\n[sheet.http]\nmax_size = 0\nheaders = {X-A = \"1\", x-b = \"2\"}\n"
	if _, ps := Read([]Text{{"a.toml", []byte(text)}}, nil); len(ps) > 0 {
		t.Error(ps)
	}
}

// Every problem is said, each once: a typo hides no other, and what follows from it is none.
func TestAllProblems(t *testing.T) {
	_, ps := Read([]Text{{"a.toml", []byte("[[sheet]]\nname = \"a\"\nhost = [\"a.cz\"]\nblocked = true\n[[sheet]]\nname = \"b\"\nhosts = [\"*.b.cz\"]\nmax_hops = 1000\n")},
		{"b.toml", []byte("[[sheet]]\nname = ")}, {"c.toml", []byte("[[sheet]]\nhosts = [\"c.cz\"]\nblocked = true\n")}}, nil)
	var at []string
	for _, p := range ps {
		at = append(at, fmt.Sprintf("%s:%d", p.File, p.Line))
	}
	if got, want := strings.Join(at, " "), "a.toml:3 a.toml:7 a.toml:8 b.toml:2 c.toml:1"; got != want {
		t.Errorf("%s, want %s\n%v", got, want, ps)
	}
}

// A URL among SURT prefixes is one as it is written.
func TestSURTsAreNotWidened(t *testing.T) {
	s, ps := Read([]Text{{"a.toml", []byte("[[sheet]]\nname = \"a\"\nblocked = true\nsurts = [\"http://www.example.cz/private\", \"http://127.0.0.5:8085/secret\"]\n")}}, nil)
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	for url, want := range map[string]bool{
		"http://www.example.cz/": false, "http://www.example.cz/privat": false, "https://www.example.cz/private/x": true, "http://www.example.cz/private": true,
		"http://127.0.0.5:8085/": false, "http://127.0.0.5:8085/secret?x": true, "http://127.0.0.5/secret": false,
	} {
		u, err := urlx.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		if _, blocked := s.Of(u, 0).Blocks(); blocked != want {
			t.Errorf("%s: %v", url, blocked)
		}
	}
}

// Key by key the longest prefix wins, of equal ones the later sheet; why is said.
func TestExplain(t *testing.T) {
	s, ps := Read([]Text{{"a.toml", []byte(`
[[sheet]]
name = "nation"
domains = ["cz"]
hours = "22:00-06:00"
[sheet.frontier]
min_delay = "4s"
delay_factor = 2.0
[sheet.http]
headers = {A = "1", B = "1"}

[[sheet]]
name = "press"
domains = ["press.cz"]
[sheet.frontier]
min_delay = "100ms"
[sheet.robots]
policy = "ignore"
[sheet.http]
headers = {B = "2"}
`)}, {"b.toml", []byte(`
[[sheet]]
name = "later"
domains = ["press.cz"]
[sheet.robots]
policy = "obey"
`)}}, nil)
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	u, err := urlx.Parse("http://www.press.cz/x")
	if err != nil {
		t.Fatal(err)
	}
	const inner, outer = "http://(cz,press,", "http://(cz,"
	want := []Applied{
		{"frontier.delay_factor", "2", "nation", "a.toml", outer, ""}, {"frontier.min_delay", "100ms", "press", "a.toml", inner, ""},
		{"hours", "22:00-06:00", "nation", "a.toml", outer, ""},
		{"http.headers.A", "1", "nation", "a.toml", outer, ""}, {"http.headers.B", "2", "press", "a.toml", inner, ""},
		{"robots.policy", "obey", "later", "b.toml", inner, ""},
	}
	if got := s.Explain(u, 0); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	of := s.Of(u, 0) // what is explained is what is in force
	var said []string
	of.each(func(key, value string) { said = append(said, key+" "+value) })
	var explained []string
	for _, a := range want {
		explained = append(explained, a.Key+" "+a.Value)
	}
	slices.Sort(said)
	if !slices.Equal(said, explained) {
		t.Errorf("in force: %q", said)
	}
}

// A budget is of a host, whatever the scheme that a sheet gives it for.
func TestExplainBudgets(t *testing.T) {
	s, ps := Read([]Text{{"a.toml", []byte(`
[[sheet]]
name = "nation"
domains = ["cz"]
[sheet.limits]
host_documents = 5
host_bytes = 6
[[sheet]]
name = "files"
surts = ["ftp://(cz,press,"]
limits.host_documents = 7
max_hops = 8
`)}}, nil)
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	budgets := []Applied{{"limits.host_bytes", "6", "nation", "a.toml", "http://(cz,", ""}, {"limits.host_documents", "7", "files", "a.toml", "ftp://(cz,press,", ""}}
	for _, at := range []string{"http://www.press.cz/x/y?z", "http://www.press.cz:81/"} {
		u, err := urlx.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Explain(u, 0); !slices.Equal(got, budgets) {
			t.Errorf("%s: %+v", at, got)
		}
	}
	if of := s.BudgetsOf("www.press.cz"); *of.HostDocuments != 7 || *of.HostBytes != 6 {
		t.Error(of)
	}
	if of := s.BudgetsOf("press.sk"); of != (Limits{}) {
		t.Error(of)
	}
}

func TestHours(t *testing.T) {
	for text, waits := range map[string]map[string]time.Duration{
		"22:00-06:00": {"21:59:00": time.Minute, "22:00:00": 0, "00:00:00": 0, "05:59:00": 0, "06:00:00": 16 * time.Hour, "21:59:45": 15 * time.Second},
		"08:30-09:00": {"08:00:00": 30 * time.Minute, "08:45:00": 0, "09:00:00": 23*time.Hour + 30*time.Minute},
	} {
		var h Hours
		if err := h.UnmarshalText([]byte(text)); err != nil || h.String() != text {
			t.Fatal(h, err)
		}
		for at, want := range waits {
			now, err := time.Parse("15:04:05", at)
			if err != nil {
				t.Fatal(err)
			}
			if got := h.Wait(now); got != want {
				t.Errorf("%s at %s: %v, want %v", text, at, got, want)
			}
		}
	}
}

// Who waits for hours is said, with the sheet that counts and when they begin.
func TestClosed(t *testing.T) {
	s, ps := Read([]Text{{"a.toml", []byte(`
[[sheet]]
name = "nation"
domains = ["cz"]
hosts = ["one.org"]
hours = "22:00-06:00"

[[sheet]]
name = "at-noon"
domains = ["a.cz"]
hours = "11:00-11:01"

[[sheet]]
name = "always"
domains = ["a.cz"]
hours = "00:00-23:59"
`)}}, nil)
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	now := time.Date(2026, 1, 2, 12, 30, 0, 0, time.UTC)
	const want = "outside the hours 22:00-06:00 of sheet nation, until 22:00"
	if all := s.Closed(now.Add(1)); len(all) != 2 || all[1].String() != want || all[0].Sheet != "at-noon" || !all[1].Until.Equal(now.Add(9*time.Hour+30*time.Minute)) {
		t.Error(all)
	}
	if all := s.Closed(now.Add(12 * time.Hour)); len(all) != 1 {
		t.Error(all)
	}
	for url, closed := range map[string]bool{"http://b.cz/": true, "http://a.cz/": false, "http://one.org/x": true, "http://b.sk/": false} {
		u, err := urlx.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		if c, got := s.ClosedFor(u, now); got != closed || closed && c.String() != want {
			t.Errorf("%s: %v, %v", url, c, got)
		}
	}
	var none *Set
	if len(none.Closed(now)) > 0 {
		t.Error("no set has hours")
	}
}

// Budgets count where queues are hosts; which sheets have some is said, with the line.
func TestBudgets(t *testing.T) {
	s, ps := Read([]Text{{"a.toml", []byte("[[sheet]]\nname = \"a\"\nsurts = [\"http://(cz,a,)/\"]\n[sheet.limits]\nhost_documents = 0\nhost_bytes = 5\n")}}, nil)
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	if ps := s.Budgets(); len(ps) != 1 || !strings.HasPrefix(ps[0].String(), "a.toml:6:1: sheet[0].limits.host_bytes: ") {
		t.Error(ps)
	}
}

func TestSourceAddresses(t *testing.T) {
	s, ps := Read([]Text{{"a.toml", []byte("[[sheet]]\nname = \"a\"\nhosts = [\"a.cz\", \"b.cz\"]\n[sheet.http]\nsource_address = \"9.9.9.9\"\n")}}, nil)
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	got := s.SourceAddresses(func(a string) error { return fmt.Errorf("not %s", a) })
	if len(got) != 1 || got[0].String() != "a.toml:5:1: sheet[0].http.source_address: not 9.9.9.9" {
		t.Error(got)
	}
	if got := s.SourceAddresses(func(string) error { return nil }); len(got) > 0 {
		t.Error(got)
	}
}

// A set has what its text says, or problems: whatever the text.
func FuzzRead(f *testing.F) {
	f.Add([]byte(sheets))
	f.Add([]byte("[[sheet]]\nname=\"a\"\nhosts=[\"a.cz\"]\n[sheet.http]\nheaders={A=\"b\"}"))
	u, err := urlx.Parse("http://www.example.cz/open/x")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, ps := Read([]Text{{"a.toml", data}}, []string{"cz"}); (s == nil) != (len(ps) > 0) {
			t.Error(ps)
		} else {
			s.Explain(u, 0)
		}
	})
}

// A prefix of one scheme is laid over those of hosts for that scheme alone, however they came to be read.
func TestPrefixesOfOneScheme(t *testing.T) {
	const hosts, ftp = "[[sheet]]\nname = \"hosts\"\nhosts = [\"a.cz\"]\ndomains = [\"b.cz\"]\nmax_hops = 1\nhttp.max_size = 1\n",
		"[[sheet]]\nname = \"ftp\"\nsurts = [\"ftp://(cz,a,)\", \"ftp://(cz,b,\", \"ftp://(cz,b,)/x\", \"http://(cz,\"]\nmax_hops = 2\n"
	for _, text := range []string{hosts + ftp, ftp + hosts} {
		s, ps := Read([]Text{{"a.toml", []byte(text)}}, nil)
		if len(ps) > 0 {
			t.Fatal(ps)
		}
		later := "ftp"
		if text == ftp+hosts {
			later = "hosts"
		}
		for url, want := range map[string]string{
			"http://a.cz/": "hosts http://(cz,a,)", "https://a.cz:81/": "hosts http://(cz,a,:", "whois://a.cz/q": "hosts whois://(cz,a,)", "ftp://a.cz/": later + " ftp://(cz,a,)",
			"ftp://a.cz:81/": "hosts ftp://(cz,a,:", "http://x.b.cz/": "hosts http://(cz,b,", "ftp://x.b.cz/x": later + " ftp://(cz,b,", "ftp://b.cz/x": "ftp ftp://(cz,b,)/x",
			"http://c.cz/": "ftp http://(cz,", "ftp://c.cz/": "", "whois://b.cz/x": "hosts whois://(cz,b,",
		} {
			u, err := urlx.Parse(url)
			if err != nil {
				t.Fatal(err)
			}
			got, size := "", false
			for _, a := range s.Explain(u, 0) {
				if a.Key == "max_hops" {
					got = a.Sheet + " " + a.Prefix
				}
				size = size || a.Key == "http.max_size"
			}
			of := s.Of(u, 0)
			if got != want || size != (of.HTTP.MaxSize != nil) || size != !strings.Contains(url, "c.cz") || (of.MaxHops == nil) != (want == "") ||
				want != "" && (*of.MaxHops == 1) != strings.HasPrefix(want, "hosts") {
				t.Errorf("%s: %q, want %q; %+v", url, got, want, of)
			}
		}
	}
}

// BenchmarkRead reads an opt-out list.
func BenchmarkRead(b *testing.B) {
	var text strings.Builder
	text.WriteString("[[sheet]]\nname = \"a\"\nblocked = true\nhosts = [\n")
	for i := range 100_000 {
		fmt.Fprintf(&text, "  \"www.owner%d.cz\",\n", i)
	}
	text.WriteString("]\n")
	texts := []Text{{"a.toml", []byte(text.String())}}
	b.ReportAllocs()
	for b.Loop() {
		if _, ps := Read(texts, nil); len(ps) > 0 {
			b.Fatal(ps)
		}
	}
}

// An opt-out list is long: looking up a host that is not on it costs no more.
func BenchmarkOf(b *testing.B) {
	all := prefixes{of: map[string][]prefix{}}
	own := []*Sheet{{}}
	for i := range 100_000 {
		all.add("", fmt.Sprintf("(cz,owner%d,", i), own)
	}
	s := newSet(&all)
	u, err := urlx.Parse("http://www.owner55.example.cz/a/page.html")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s.Of(u, 0)
	}
}
