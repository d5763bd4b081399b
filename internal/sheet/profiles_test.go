package sheet

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	"exclave/internal/conf"
	"exclave/internal/urlx"
)

// names are the profiles of the job, of bits 1, 2 and 4.
func names() []string { return []string{"cz", "sk", "pl"} }

// inForce are the settings in force for a URL of some profiles: "max_hops 3". What is explained is the same.
func inForce(t *testing.T, s *Set, url string, profiles uint8) string {
	t.Helper()
	u, err := urlx.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	var said, explained []string
	s.Of(u, profiles).each(func(key, value string) { said = append(said, key+" "+value) })
	for _, a := range s.Explain(u, profiles) {
		explained = append(explained, a.Key+" "+a.Value)
	}
	slices.Sort(said)
	if !slices.Equal(said, explained) {
		t.Errorf("%s of %03b: in force %q, explained %q", url, profiles, said, explained)
	}
	return strings.Join(said, ", ")
}

// A sheet by profile holds for what the profile found; key by key one by address goes before it, and of several by profile
// the later, not that of the later profile.
func TestProfiles(t *testing.T) {
	s, ps := Read([]Text{{"a.toml", []byte(`
[[sheet]]
name = "slovak"
profiles = ["sk"]
max_hops = 7
[sheet.http]
max_size = 1
accept_language = "sk"
headers = {A = "sk", B = "sk", C = "sk"}

[[sheet]]
name = "both"
profiles = ["cz", "sk"]
hosts = ["wide.org"]
[sheet.http]
max_size = 2

[[sheet]]
name = "host"
domains = ["a.cz"]
[sheet.http]
accept_language = "en"
headers = {A = "host"}
`)}, {"b.toml", []byte(`
[[sheet]]
name = "czech"
profiles = ["cz"]
[sheet.http]
accept_language = "cs"
headers = {B = "cs"}
`)}}, names())
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	const cz, sk, pl = 1, 2, 4
	for _, c := range []struct {
		url      string
		profiles uint8
		want     string
	}{
		{"http://b.cz/", 0, ""},
		{"http://b.cz/", pl, ""},
		{"http://b.cz/", cz, "http.accept_language cs, http.headers.B cs, http.max_size 2"},
		{"http://b.cz/", cz | pl, "http.accept_language cs, http.headers.B cs, http.max_size 2"},
		{"http://b.cz/", sk, "http.accept_language sk, http.headers.A sk, http.headers.B sk, http.headers.C sk, http.max_size 2, max_hops 7"},
		{"http://b.cz/", cz | sk, "http.accept_language cs, http.headers.A sk, http.headers.B cs, http.headers.C sk, http.max_size 2, max_hops 7"},
		{"http://www.a.cz/", 0, "http.accept_language en, http.headers.A host"},
		{"http://www.a.cz/", pl, "http.accept_language en, http.headers.A host"},
		{"http://www.a.cz/", cz | sk, "http.accept_language en, http.headers.A host, http.headers.B cs, http.headers.C sk, http.max_size 2, max_hops 7"},
		{"http://wide.org/", 0, "http.max_size 2"}, // each that is listed widens
		{"http://wide.org/", sk, "http.accept_language sk, http.headers.A sk, http.headers.B sk, http.headers.C sk, http.max_size 2, max_hops 7"},
	} {
		if got := inForce(t, s, c.url, c.profiles); got != c.want {
			t.Errorf("%s of %03b: %s, want %s", c.url, c.profiles, got, c.want)
		}
	}
	if s.Len() != 4 || s.ByProfile() != 3 || len(s.all()) != 4 {
		t.Errorf("%d sheets, %d by profile, %d to look at", s.Len(), s.ByProfile(), len(s.all()))
	}
	u, err := urlx.Parse("http://wide.org/")
	if err != nil {
		t.Fatal(err)
	}
	why := map[string]string{}
	for _, a := range s.Explain(u, cz|sk) {
		why[a.Key] = a.Sheet + " " + cmp.Or(a.Prefix, a.Profile)
	}
	if want := map[string]string{"http.accept_language": "czech cz", "http.headers.A": "slovak sk", "http.headers.B": "czech cz", "http.headers.C": "slovak sk",
		"http.max_size": "both http://(org,wide,)", "max_hops": "slovak sk"}; !maps.Equal(why, want) {
		t.Errorf("why: %v", why)
	}
	for _, a := range s.Explain(u, sk) { // "both" applies by the one of its profiles that the URI has
		why[a.Key] = a.Sheet + " " + cmp.Or(a.Prefix, a.Profile)
	}
	if got := s.Explain(nil, sk); why["http.accept_language"] != "slovak sk" || got[len(got)-2] != (Applied{"http.max_size", "2", "both", "a.toml", "", "sk"}) {
		t.Errorf("why: %v\n%v", why, got)
	}
	if got := s.Of(nil, cz).HTTP.AcceptLanguage; got == nil || *got != "cs" { // what has no address has profiles all the same
		t.Error("nothing for what has no address")
	}
	if got := inForce(t, nil, "http://wide.org/", cz); got != "" || (*Set)(nil).ByProfile() != 0 {
		t.Errorf("no set says %s", got)
	}
}

// What a profile cannot be asked for is refused where it stands.
func TestProblemsOfProfiles(t *testing.T) {
	const start = "[[sheet]]\nname = \"a\"\nprofiles = [\"sk\"]\n"
	for text, want := range map[string]string{
		"[[sheet]]\nname = \"a\"\nblocked = true\nprofiles = [\"cz\", \"cs\"]": `a.toml:4:19: sheet[0].profiles[1]: "cs" is no profile of this job, whose [analysis] profiles are "cz", "sk", "pl"`,
		start:                                 "sets nothing",
		start + "hours = \"22:00-06:00\"":     "a.toml:4:1: sheet[0].hours: it is about whole hosts",
		start + "frontier.min_delay = \"4s\"": "a.toml:4:1: sheet[0].frontier: it is about whole hosts",
		start + "[sheet.frontier]\nmin_delay = \"4s\"":                "a.toml:4:8: sheet[0].frontier: it is about whole hosts",
		start + "[sheet.limits]\nhost_bytes = 4":                      "a.toml:4:8: sheet[0].limits: it is about whole hosts",
		start + "[sheet.sitemaps]\nuse = \"off\"":                     "a.toml:4:8: sheet[0].sitemaps: it is about whole hosts",
		start + "hosts = [\"a.cz\"]\n[sheet.limits]\nhost_bytes = 4":  "a.toml:5:8: sheet[0].limits: it is about whole hosts",
		"[[sheet]]\nname = \"a\"\nprofile = [\"sk\"]\nblocked = true": "a.toml:3:1: sheet[0].profile: unknown key; did you mean profiles?",
		"[[sheet]]\nname = \"a\"\nprofiles = \"sk\"\nblocked = true":  "a.toml:3:1: sheet[0].profiles",
	} {
		if s, ps := Read([]Text{{"a.toml", []byte(text)}}, names()); s != nil || !slices.ContainsFunc(ps, func(p conf.Problem) bool { return strings.Contains(p.String(), want) }) {
			t.Errorf("%q: %v, want %s", text, ps, want)
		}
	}
	if _, ps := Read([]Text{{"a.toml", []byte(start + "max_hops = 3")}}, nil); len(ps) != 1 {
		t.Errorf("a job without profiles: %v", ps)
	}
}

// Sheets by profile cost a URI of no profile nothing, nor one that no address is named for.
func TestLookupWithoutProfileAllocatesNoMore(t *testing.T) {
	const hosts = "[[sheet]]\nname = \"a\"\ndomains = [\"a.cz\"]\nmax_hops = 3\n"
	u, err := urlx.Parse("http://www.a.cz/x")
	if err != nil {
		t.Fatal(err)
	}
	allocs := func(text string, profiles uint8) float64 {
		s, ps := Read([]Text{{"a.toml", []byte(text)}}, names())
		if len(ps) > 0 {
			t.Fatal(ps)
		}
		return testing.AllocsPerRun(100, func() { s.Of(u, profiles) })
	}
	now := allocs(hosts, 0)
	for text, profiles := range map[string]uint8{
		hosts: 1,
		hosts + "[[sheet]]\nname = \"b\"\nprofiles = [\"cz\"]\nmax_hops = 4\n":          0,
		hosts + "[[sheet]]\nname = \"b\"\nprofiles = [\"sk\"]\nmax_hops = 4\n":          1,
		hosts[:strings.Index(hosts, "domains")] + "profiles = [\"cz\"]\nmax_hops = 4\n": 1,
	} {
		if n := allocs(text, profiles); n > now {
			t.Errorf("%g allocations of %q for %03b, %g without profiles", n, text, profiles, now)
		}
	}
}

// Where a sheet by address and one by profile meet, one is laid over the other at the look-up.
func BenchmarkOfProfile(b *testing.B) {
	s, ps := Read([]Text{{"a.toml", []byte("[[sheet]]\nname = \"a\"\ndomains = [\"cz\"]\nmax_hops = 3\n[sheet.http]\naccept_language = \"en\"\n[[sheet]]\nname = \"b\"\nprofiles = [\"cz\"]\nhttp.max_size = 4\n")}}, names())
	if len(ps) > 0 {
		b.Fatal(ps)
	}
	u, err := urlx.Parse("http://www.owner55.example.cz/a/page.html")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		s.Of(u, 1)
	}
}
