package robots

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/temoto/robotstxt"

	"exclave/internal/sharedtest"
)

// eachLine decodes the rows of a shared JSON Lines file.
func eachLine[T any](t *testing.T, rel string, f func(T)) {
	t.Helper()
	file, err := os.Open(sharedtest.Path(t, rel))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sc := bufio.NewScanner(file)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var row T
		if err := json.Unmarshal(sc.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		f(row)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
}

// pathQuery takes what a rule is matched against from an address.
func pathQuery(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	url, _, _ = strings.Cut(url, "#")
	if i := strings.IndexAny(url, "/?"); i >= 0 {
		return url[i:]
	}
	return "/"
}

// latin1 turns each character into the byte of its number.
func latin1(s string) []byte {
	var b []byte
	for _, r := range s {
		b = append(b, byte(r))
	}
	return b
}

// TestGoogle: the expectations of Google's parser, the behaviour site owners
// test against, except where RFC 9309 says otherwise.
func TestGoogle(t *testing.T) {
	// Rows where RFC 9309 decides against Google, by test, URL and the RFC's answer.
	differ := map[string]bool{
		// §2.2.2: escapes of unreserved characters are decoded on both sides.
		"ID_Encoding http://foo.bar/foo/bar/baz": true,
		// §2.2.2: a rule matches from the beginning; index.html is not special.
		"GoogleOnly_IndexHTMLisDirectory http://foo.com/allowed-slash/": false,
	}
	ran, differed := 0, 0
	eachLine(t, "data/robots/google_robots_cases.jsonl", func(c struct {
		Test    string
		Robots  string `json:"robots_latin1"`
		Agent   string
		URL     string
		Allowed bool
	}) {
		ran++
		want := c.Allowed
		if rfc, ok := differ[c.Test+" "+c.URL]; ok && rfc != want {
			want = rfc
			differed++
		}
		if got, rule := Parse(latin1(c.Robots), c.Agent).Allowed(pathQuery(c.URL)); got != want {
			t.Errorf("%s: %q for %q in\n%.200s\ngot %v by %q", c.Test, c.URL, c.Agent, c.Robots, got, rule)
		}
	})
	if ran != 145 || differed != len(differ) {
		t.Errorf("%d rows, %d where the RFC differs; 145 and %d are known", ran, differed, len(differ))
	}
}

// TestRFC9309: the rows were checked against the RFC's text: §5.1 and §5.2 for
// the first 16, §2.2.2 and §2.2.3 for the escapes.
func TestRFC9309(t *testing.T) {
	ran := 0
	eachLine(t, "data/robots/rfc9309_cases.jsonl", func(c struct {
		Robots, Agent, URL string
		Allowed            bool `json:"allowed_by_rfc"`
	}) {
		ran++
		if got, rule := Parse([]byte(c.Robots), c.Agent).Allowed(pathQuery(c.URL)); got != c.Allowed {
			t.Errorf("%q for %q in\n%s\ngot %v by %q", c.URL, c.Agent, c.Robots, got, rule)
		}
	})
	if ran != 22 {
		t.Errorf("%d rows, 22 are known", ran)
	}
}

func TestAllowed(t *testing.T) {
	cases := []struct {
		why, robots, path string
		allowed           bool
		rule              string
	}{
		{"RFC 9309 §2.2.2: the longest match, whatever the order", "User-agent: *\nDisallow: /a\nAllow: /a/b\n", "/a/b/c", true, "allow: /a/b"},
		{"§2.2.2: equal rules, allow wins", "User-agent: *\nDisallow: /a\nAllow: /a\n", "/a", true, "allow: /a"},
		{"§2.2.2: robots.txt is implicitly allowed", "User-agent: *\nDisallow: /\n", "/robots.txt", true, ""},
		{"§2.2.1: token without case, version ignored", "User-agent: Exclave/2.0\nDisallow: /x\nUser-agent: *\nAllow: /\n", "/x", false, "disallow: /x"},
		{"§2.2.1: not a prefix of the token", "User-agent: ex\nDisallow: /\nUser-agent: exclave-images\nDisallow: /\n", "/x", true, ""},
		{"§2.2.1: groups of one token are one", "User-agent: exclave\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n\nUser-agent: exclave\nDisallow: /b\n", "/b", false, "disallow: /b"},
		{"§2.2.1: user-agent lines without a rule between them are one group", "User-agent: exclave\n\nUser-agent: *\nDisallow: /\n", "/b", false, "disallow: /"},
		{"§2.2.1: our group with an empty rule hides '*'", "User-agent: exclave\nDisallow:\n\nUser-agent: *\nDisallow: /\n", "/b", true, ""},
		{"§2.2.4: Sitemap does not end a group", "User-agent: exclave\nSitemap: http://a/\nDisallow: /a\n", "/a", false, "disallow: /a"},
		{"§2.2.4: Crawl-delay does not end user-agent lines", "User-agent: exclave\nCrawl-delay: 10\nUser-agent: other\nDisallow: /p\n", "/p", false, "disallow: /p"},
		{"§2.2.4: unknown lines say nothing", "User-agent: *\nNoindex: /a\nHost: x\nDisallow: /b", "/a", true, ""},
		{"§2.1: rules before any group belong to nobody; the library gives up here", "Disallow: /\nUser-agent: *\nDisallow: /b\n", "/a", true, ""},
		{"an unparsable delay; the library gives up here", "User-agent: *\nCrawl-delay: soon\nDisallow: /b\n", "/b", false, "disallow: /b"},
		{"§2.2.3: end of match", "User-agent: *\nDisallow: /*.gif$\n", "/a.gif?x", true, ""},
		{"§2.2.3: several wildcards", "User-agent: *\nDisallow: /*a*b$\n", "/xaybzb", false, "disallow: /*a*b$"},
		{"§2.2.3: '$' elsewhere is itself", "User-agent: *\nDisallow: /a$b\n", "/a$bc", false, "disallow: /a%24b"},
		{"the piece after the last wildcard must not overlap the one before", "User-agent: *\nDisallow: /aba*ba$\n", "/aba", true, ""},
		{"§2.2.2: escapes in either case", "User-agent: *\nDisallow: /%c5%be\n", "/%C5%BE", false, "disallow: /%C5%BE"},
		{"§2.2.2: reserved escapes differ from the character", "User-agent: *\nDisallow: /a%2Fb\n", "/a/b", true, ""},
		{"broken escape stays", "User-agent: *\nDisallow: /a%zz%\n", "/a%zz%", false, "disallow: /a%zz%"},
		{"octets outside ASCII", "User-agent: *\nDisallow: /ž\n", "/%C5%BE", false, "disallow: /%C5%BE"},
		{"a path must begin with '/' (§2.2 path-pattern)", "User-agent: *\nDisallow: cgi-bin\n", "/cgi-bin", true, ""},
		{"spaces and comments", " \tUser-agent :  * # all\n disallow:\t/a#b\n", "/a", false, "disallow: /a"},
		{"line ends of old Macs", "User-agent: *\rDisallow: /a\r", "/a", false, "disallow: /a"},
		{"no line end at the end", "User-agent: *\nDisallow: /a", "/a", false, "disallow: /a"},
		{"an HTML error page served as 200", "<!DOCTYPE html>\n<title>Not: found</title>\n", "/a", true, ""},
		{"query", "User-agent: *\nDisallow: /*?s=\n", "/x?s=1", false, "disallow: /*?s="},
	}
	for _, c := range cases {
		got, rule := Parse([]byte(c.robots), "exclave").Allowed(c.path)
		if got != c.allowed || rule != c.rule {
			t.Errorf("%s: %q: got %v by %q, want %v by %q", c.why, c.path, got, rule, c.allowed, c.rule)
		}
	}
}

func TestRealFiles(t *testing.T) {
	cases := []struct {
		why, file, token, path string
		allowed                bool
	}{
		{"byte order mark", "robots-with-utf8-bom.txt", "x", "/login.aspx", false},
		{"UTF-16", "robots-with-utf16le-bom.txt", "x", "/login.aspx", false},
		{"UTF-16, the other order", "robots-with-utf16be-bom.txt", "x", "/login.aspx", false},
		{"RFC 9309 §2.2.2, longest match", "precedence-of-rules.txt", "testy", "/foo/bar", true},
		{"RFC 9309 §2.2.1, merged groups; equal rules", "merge-rules.txt", "wget", "/foo/bar", true},
		{"RFC 9309 §2.2.1, merged groups", "merge-rules.txt", "wget", "/tmp/bar", false},
		{"RFC 9309 §2.2.4", "crawl-delay-group-merging.txt", "mybot", "/private/x", false},
		{"misspelt disallow", "directive-typos-robots.txt", "bot1", "/dissalow/", false},
		{"a misspelling nobody knows", "directive-typos-robots.txt", "bot1", "/desallow/", true},
		{"no colon", "format-errors-robots.txt", "bot1", "/no-colon/", false},
		{"space before the colon", "format-errors-robots.txt", "bot3", "/x", false},
	}
	for _, c := range cases {
		b, err := os.ReadFile(sharedtest.Path(t, "data/robots/real-files/"+c.file))
		if err != nil {
			t.Fatal(err)
		}
		if got, rule := Parse(b, c.token).Allowed(c.path); got != c.allowed {
			t.Errorf("%s: %s %q: got %v by %q", c.why, c.file, c.path, got, rule)
		}
	}
	files, err := filepath.Glob(sharedtest.Path(t, "data/robots/real-files") + "/*.txt")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
}

func TestCrawlDelay(t *testing.T) {
	cases := []struct {
		why, robots string
		want        time.Duration
		ok          bool
	}{
		{"none", "User-agent: *\nDisallow: /\n", 0, false},
		{"fraction", "User-agent: *\nCrawl-delay: 1.5\n", 1500 * time.Millisecond, true},
		{"comma as half of Europe writes it", "User-agent: *\nCrawl-delay: 0,5\n", 500 * time.Millisecond, true},
		{"huge values turned negative in the library", "User-agent: *\nCrawl-delay: 1e30\n", MaxCrawlDelay, true},
		{"negative", "User-agent: *\nCrawl-delay: -1\n", 0, false},
		{"not a number", "User-agent: *\nCrawl-delay: NaN\n", 0, false},
		{"infinite", "User-agent: *\nCrawl-delay: Inf\n", 0, false},
		{"only that of our group", "User-agent: *\nCrawl-delay: 9\nDisallow: /a\nUser-agent: exclave\nDisallow: /\n", 0, false},
		{"merged groups: the longest is the polite one", "User-agent: exclave\nCrawl-delay: 9\nDisallow: /a\nUser-agent: exclave\nCrawl-delay: 2\n", 9 * time.Second, true},
	}
	for _, c := range cases {
		if got, ok := Parse([]byte(c.robots), "exclave").CrawlDelay(); got != c.want || ok != c.ok {
			t.Errorf("%s: %v %v, want %v %v", c.why, got, ok, c.want, c.ok)
		}
	}
}

func TestSitemaps(t *testing.T) {
	r := Parse([]byte("Sitemap: http://a.cz/s.xml\nUser-agent: other\nsitemap : /s2.xml # relative\nDisallow: /\nSitemap: http://a.cz/s.xml\nSitemap:\n"), "exclave")
	if got, want := r.Sitemaps(), []string{"http://a.cz/s.xml", "/s2.xml"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSize(t *testing.T) {
	body := []byte("User-agent: *\nDisallow: /a\n" + strings.Repeat("# a trap\n", MaxSize/9) + "Disallow: /b\n")
	r := Parse(body, "exclave")
	if ok, _ := r.Allowed("/a"); ok {
		t.Error("RFC 9309 §2.5: the beginning counts")
	}
	if ok, _ := r.Allowed("/b"); !ok {
		t.Error("what lies beyond MaxSize was read")
	}
}

func TestFromStatus(t *testing.T) {
	body := []byte("User-agent: *\nDisallow: /a\n")
	cases := []struct {
		why         string
		status      int
		a, b        bool
		unreachable bool
	}{
		{"RFC 9309 §2.3.1.1", 200, false, true, false},
		{"partial content is what there is", 206, false, true, false},
		{"§2.3.1.2: too many redirects", 301, true, true, false},
		{"§2.3.1.3: unavailable", 404, true, true, false},
		{"§2.3.1.3: forbidden is unavailable too", 403, true, true, false},
		{"overload is not absence", 429, false, false, true},
		{"§2.3.1.4: unreachable", 503, false, false, true},
		{"network failure (Heritrix codes are negative)", -2, false, false, true},
		{"never asked", 0, false, false, true},
	}
	for _, c := range cases {
		r := FromStatus(c.status, body, "exclave")
		a, _ := r.Allowed("/a")
		b, _ := r.Allowed("/b")
		if a != c.a || b != c.b || r.Unreachable() != c.unreachable {
			t.Errorf("%s: status %d: /a %v /b %v unreachable %v", c.why, c.status, a, b, r.Unreachable())
		}
	}
}

func TestPolicy(t *testing.T) {
	const file = "User-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /d\nUser-agent: exclave\nDisallow: /\nUser-agent: One\nDisallow: /a\nDisallow: /b\nDisallow: /c\nUser-agent: two/1.0\nDisallow: /b\nDisallow: /c\nDisallow: /d"
	r := Parse([]byte(file), "exclave")
	r.FavorMost([]byte(file))
	raw, err := r.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var kept Rules
	if err := kept.UnmarshalBinary(raw); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		policy Policy
		path   string
		needed bool
		want   bool
	}{
		{Obey, "/c", true, false}, {Ignore, "/c", false, true}, {ObeyButEmbeds, "/c", false, false}, {ObeyButEmbeds, "/c", true, true},
		{MostFavored, "/a", false, true}, {MostFavored, "/b", true, false}, {MostFavored, "/c", false, true}, {MostFavored, "/d", false, true},
	} {
		for _, r := range []*Rules{r, &kept} {
			if got, _ := c.policy.Allowed(r, c.path, c.needed); got != c.want {
				t.Errorf("%v, %s, needed %v: %v", c.policy, c.path, c.needed, got)
			}
		}
	}
	all := Parse([]byte("User-agent: exclave\nDisallow: /"), "exclave")
	all.FavorMost([]byte("User-agent: exclave\nDisallow: /")) // everybody else may
	if got, _ := MostFavored.Allowed(all, "/x", false); !got {
		t.Error("what everybody else may is not allowed")
	}
	away := FromStatus(503, nil, "exclave")
	for _, p := range []Policy{ObeyButEmbeds, MostFavored} {
		if got, _ := p.Allowed(away, "/x", true); got {
			t.Errorf("%v: what could not be had is allowed", p)
		}
	}
	for _, p := range []Policy{Obey, Ignore, ObeyButEmbeds, MostFavored} {
		var q Policy
		if err := q.UnmarshalText([]byte(p.String())); err != nil || q != p {
			t.Errorf("%v read back as %v, %v", p, q, err)
		}
	}
	var p Policy
	if err := p.UnmarshalText([]byte("OBEY")); err == nil {
		t.Error("a policy nobody knows must be an error of the configuration")
	}
}

func TestBinary(t *testing.T) {
	// The form is stored in job states: changing it needs a new version.
	r := Parse([]byte("User-agent: *\nCrawl-delay: 2\nDisallow: /a$\nAllow: /abc\nSitemap: /s\n"), "exclave")
	b, err := r.MarshalBinary()
	const want = "\x01\x01\xd0\x0f\x02\x01\x04/abc\x02\x02/a"
	if err != nil || string(b) != want {
		t.Errorf("got %q, %v, want %q", b, err, want)
	}
	for i := range b {
		if err := new(Rules).UnmarshalBinary(b[:i]); err == nil {
			t.Errorf("cut at %d: no error", i)
		}
	}
	if err := new(Rules).UnmarshalBinary(append(b, 0)); err == nil {
		t.Error("a byte too many: no error")
	}
	u := FromStatus(500, nil, "exclave")
	b, _ = u.MarshalBinary()
	var v Rules
	if err := v.UnmarshalBinary(b); err != nil || !v.Unreachable() {
		t.Errorf("unreachable got lost: %v", err)
	}
}

// TestLibraryAgrees: on files without what libraries.md lists as its faults,
// temoto/robotstxt, which the customer named, and we must say the same.
func TestLibraryAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(9309, 1))
	agents := []string{"exclave", "other", "*"}
	for range 300 {
		var b strings.Builder
		rng.Shuffle(len(agents), func(i, j int) { agents[i], agents[j] = agents[j], agents[i] })
		for _, a := range agents {
			fmt.Fprintf(&b, "User-agent: %s\nCrawl-delay: %d\n", a, rng.IntN(9))
			seen := map[string]bool{}
			for range 1 + rng.IntN(5) {
				path := ""
				for range 1 + rng.IntN(3) {
					path += "/" + string(rune('a'+rng.IntN(3)))
				}
				if !seen[path] {
					seen[path] = true
					fmt.Fprintf(&b, "%s: %s\n", []string{"Allow", "Disallow"}[rng.IntN(2)], path)
				}
			}
		}
		lib, err := robotstxt.FromString(b.String())
		if err != nil {
			t.Fatal(err)
		}
		r := Parse([]byte(b.String()), "exclave")
		if d, _ := r.CrawlDelay(); d != lib.FindGroup("exclave").CrawlDelay {
			t.Errorf("delay %v in\n%s", d, b.String())
		}
		for _, path := range []string{"/", "/a", "/a/b", "/b/c/a", "/c/c/c", "/ab", "/b/a?x"} {
			if got, rule := r.Allowed(path); got != lib.TestAgent(path, "exclave") {
				t.Errorf("%q: %v by %q in\n%s", path, got, rule, b.String())
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /a*b$\nAllow: /%41%2a\nCrawl-delay: 1e9\n"), "exclave", "/a/b")
	f.Add([]byte("\xff\xfeU\x00s\x00e"), "", "")
	f.Add([]byte("\xef\xbb\xbfuser-agent exclave\rdisallow /\xff*"), "exclave", "/\xff")
	f.Add([]byte("\x01\x01\xd0\x0f\x02\x01\x04/abc\x02\x02/a"), "x", "/a")
	f.Fuzz(func(t *testing.T, body []byte, token, path string) {
		r := Parse(body, token)
		ok, rule := r.Allowed(path)
		if d, _ := r.CrawlDelay(); d < 0 || d > MaxCrawlDelay {
			t.Fatalf("delay %v", d)
		}
		b, err := r.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var v Rules
		if err := v.UnmarshalBinary(b); err != nil {
			t.Fatalf("cannot read %q: %v", b, err)
		}
		if ok2, rule2 := v.Allowed(path); ok2 != ok || rule2 != rule {
			t.Fatalf("verdict %v by %q became %v by %q", ok, rule, ok2, rule2)
		}
		// The body may as well be a damaged state.
		if v.UnmarshalBinary(body) == nil {
			v.Allowed(path)
		}
	})
}

func BenchmarkAllowed(b *testing.B) {
	var s strings.Builder
	s.WriteString("User-agent: *\n")
	for i := range 100 {
		fmt.Fprintf(&s, "Disallow: /dir%d/*/print$\nAllow: /dir%d/page\n", i, i)
	}
	r := Parse([]byte(s.String()), "exclave")
	for name, path := range map[string]string{"plain": "/clanky/2026/11/nazev.html?id=1", "escaped": "/%C5%BElu%C5%A5/n%C3%A1zev?q=*"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Allowed(path)
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	body := []byte("User-agent: *\n" + strings.Repeat("Disallow: /some/folder/with*wildcard\n", 200))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(body, "exclave")
	}
}
