package robots

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exclave/internal/sharedtest"
)

// explained is Explain of a file, with what it must agree with.
func explained(t *testing.T, body []byte, token, path string) Explained {
	t.Helper()
	e := Explain(200, body, token, path)
	rules := Parse(body, token)
	allowed, rule := rules.Allowed(path)
	if e.Allowed != allowed || (e.Rule != nil) != (rule != "") {
		t.Errorf("%q for %q in\n%.300s\nexplained as %v by %+v, is %v by %q", path, token, body, e.Allowed, e.Rule, allowed, rule)
	}
	if e.Rule == nil && e.Because == nil {
		t.Errorf("%q for %q in\n%.300s\nno reason is given", path, token, body)
	}
	if d, ok := rules.CrawlDelay(); ok != (e.CrawlDelay != nil) || ok && (*e.CrawlDelay != d || e.DelayLine == nil) {
		t.Errorf("%q in\n%.300s\ncrawl-delay %v at %+v, is %v", token, body, e.CrawlDelay, e.DelayLine, d)
	}
	lib, err := ask(200, body, token, path)
	if same := err == nil && lib == allowed; e.Library.Same != same || same != (e.Library.Because == nil) || (err != nil) != (e.Library.Error != "") {
		t.Errorf("%q for %q in\n%.300s\nthe library says %v %v, explained as %+v", path, token, body, lib, err, e.Library)
	}
	return e
}

// Which line decides, in which group, by its number in the file.
func TestExplain(t *testing.T) {
	const file = "# of our site\r\nUser-agent: other\r\nDisallow: /\r\n\r\nUser-agent: Exclave/1.0\r\nCrawl-delay: 2\r\nCrawl-delay: 5\r\nDisallow: /a # not this\r\nAllow: /a/b\r\n" +
		"Sitemap: http://a.example/s.xml\r\n\r\nUser-agent: *\r\nDisallow: /c\r\nUser-agent: exclave\r\nDisallow: /d\r\nDisallow: /a\r\n"
	for _, tt := range []struct {
		token, path          string
		allowed              bool
		rule, agent, group   string
		because, delay, map_ string
	}{
		{"exclave", "/a/x", false, "8 Disallow: /a # not this", "5 User-agent: Exclave/1.0", "exclave", "", "5s 7 Crawl-delay: 5", "http://a.example/s.xml"},
		{"exclave", "/a/b", true, "9 Allow: /a/b", "5 User-agent: Exclave/1.0", "exclave", "", "5s 7 Crawl-delay: 5", "http://a.example/s.xml"},
		{"exclave", "/d", false, "15 Disallow: /d", "14 User-agent: exclave", "exclave", "", "5s 7 Crawl-delay: 5", "http://a.example/s.xml"},
		{"exclave", "/c", true, "", "5 User-agent: Exclave/1.0", "exclave", "2.2.2", "5s 7 Crawl-delay: 5", "http://a.example/s.xml"},
		{"exclave", "/robots.txt", true, "", "5 User-agent: Exclave/1.0", "exclave", "2.2.2", "5s 7 Crawl-delay: 5", "http://a.example/s.xml"},
		{"nobody", "/c", false, "13 Disallow: /c", "12 User-agent: *", "*", "", "", "http://a.example/s.xml"},
	} {
		e := explained(t, []byte(file), tt.token, tt.path)
		line := func(l *Line) string {
			if l == nil {
				return ""
			}
			return fmt.Sprint(l.Number, " ", l.Text)
		}
		because, delay := "", ""
		if e.Because != nil {
			because = e.Because.Number
		}
		if e.CrawlDelay != nil {
			delay = fmt.Sprint(*e.CrawlDelay, " ", line(e.DelayLine))
		}
		if e.Allowed != tt.allowed || line(e.Rule) != tt.rule || line(e.Agent) != tt.agent || e.Group != tt.group || because != tt.because || delay != tt.delay || strings.Join(e.Sitemaps, " ") != tt.map_ {
			t.Errorf("%s %s: %v by %q, of %q (%s), because of %q, %q, %q", tt.token, tt.path, e.Allowed, line(e.Rule), line(e.Agent), e.Group, because, delay, e.Sitemaps)
		}
	}
	if e := explained(t, []byte("User-agent: other\nDisallow: /\n"), "exclave", "/x"); !e.Allowed || e.Because.Number != "2.2.1" || e.Agent != nil || e.Group != "" {
		t.Errorf("a file with no group for us: %+v", e)
	}
	if e := explained(t, []byte("User-agent: *\rDisallow: /x\r"), "exclave", "/x"); e.Rule.Number != 2 {
		t.Errorf("lines of old Macs: %+v", e.Rule)
	}
	if e := explained(t, []byte("User-agent: *\nDisallow: /"+strings.Repeat("x", 2*maxText)), "exclave", "/x"); len(e.Library.Error) > 0 {
		t.Errorf("a long line: %+v", e.Library)
	}
}

// An answer that is no robots.txt: what it means, by which paragraph; and the library's
// view of it.
func TestExplainStatus(t *testing.T) {
	for _, tt := range []struct {
		status  int
		path    string
		allowed bool
		because string
		library string // "same", "differs", "none"
	}{
		{404, "/x", true, "2.3.1.3", "same"}, {403, "/x", true, "2.3.1.3", "same"}, {301, "/x", true, "2.3.1.2", "differs"},
		{503, "/x", false, "2.3.1.4", "same"}, {429, "/x", false, "2.3.1.4", "differs"}, {-2, "/x", false, "2.3.1.4", "none"}, {0, "/x", false, "2.3.1.4", "none"},
		{503, "/robots.txt", true, "2.2.2", "differs"},
	} {
		e := Explain(tt.status, []byte("User-agent: *\nDisallow: /x\n"), "exclave", tt.path)
		library := "none"
		if l := e.Library; l != nil {
			if library = "differs"; l.Same {
				library = "same"
			} else if l.Because == nil {
				t.Errorf("%d: the library differs, and nothing says why", tt.status)
			}
		}
		if want, _ := FromStatus(tt.status, nil, "exclave").Allowed(tt.path); e.Allowed != tt.allowed || e.Allowed != want || e.Because.Number != tt.because || library != tt.library {
			t.Errorf("%d: %+v, library %s, want %+v", tt.status, e, library, tt)
		}
	}
}

// Each known difference between the library and us goes by its paragraph.
func TestLibraryDiffers(t *testing.T) {
	for _, tt := range []struct{ why, body, token, path, paragraph, says string }{
		{"equivalent rules: the first wins there", "User-agent: *\nDisallow: /a\nAllow: /a\n", "x", "/a", "2.2.2", "equivalent"},
		{"the length of a rule with a wildcard, which there is that of a regular expression", "User-agent: *\nDisallow: /a/*.b\nAllow: /a/bbbb\n", "x", "/a/bbbb.b", "2.2.2", "most octets"},
		{"the longest", "User-agent: *\nAllow: /\nDisallow: /*\n", "x", "/a", "2.2.2", "most octets"},
		{"a pattern in the midst of a path", "User-agent: *\nDisallow: /a*b\n", "x", "/c/aab", "2.2.2", "from the first octet"},
		{"an escaped asterisk", "User-agent: *\nDisallow: /a%2Ab\n", "x", "/a*b", "2.2.3", ""},
		{"a dollar that ends nothing", "User-agent: *\nDisallow: /a$b\n", "x", "/a$b", "2.2.3", ""},
		{"escapes of what needs none", "User-agent: *\nDisallow: /%61\n", "x", "/a", "2.2.2", "escaped"},
		{"characters outside of ASCII", "User-agent: *\nDisallow: /ž\n", "x", "/%C5%BE", "2.2.2", "escaped"},
		{"every path", "User-agent: *\nDisallow: *\n", "x", "/a", "2.2.3", ""},
		{"a path without its slash", "User-agent: *\nDisallow: a\n", "x", "/a", "2.2", "begins with /"},
		{"Crawl-delay ends user-agent lines there", "User-agent: exclave\nCrawl-delay: 10\nUser-agent: other\nDisallow: /p\n", "exclave", "/p", "2.2.4", "other records"},
		{"a prefix of the token", "User-agent: ex\nDisallow: /\n", "exclave", "/a", "2.2.1", ""},
		{"a version behind the token", "User-agent: exclave/2.0\nDisallow: /\n", "exclave", "/a", "2.2.1", ""},
		{"misspelt", "User-agent: *\nDissallow: /a\n", "x", "/a", "2.2.4", "misspellings"},
		{"a line that it cannot parse ends all", "User-agent: *\nCrawl-delay: soon\nDisallow: /b\n", "x", "/b", "2.3.1.5", ""},
		{"a rule of nobody ends all", "Disallow: /\nUser-agent: *\nDisallow: /b\n", "x", "/b", "2.3.1.5", ""},
		{"robots.txt itself", "User-agent: *\nDisallow: /\n", "x", "/robots.txt", "2.2.2", "robots.txt itself"},
		{"UTF-16", "\xff\xfeU\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00t\x00:\x00*\x00\n\x00D\x00i\x00s\x00a\x00l\x00l\x00o\x00w\x00:\x00/\x00\n\x00", "x", "/a", "2.3", ""},
		{"what stands behind 512 KiB", "User-agent: *\nDisallow: /a\n" + strings.Repeat("# a trap\n", MaxSize/9) + "Disallow: /b\n", "x", "/b", "2.5", ""},
	} {
		e := explained(t, []byte(tt.body), tt.token, tt.path)
		if e.Library.Same || e.Library.Because == nil || e.Library.Because.Number != tt.paragraph || !strings.Contains(e.Library.Because.Says, tt.says) {
			t.Errorf("%s: %+v because of %+v, want %s", tt.why, e.Library, e.Library.Because, tt.paragraph)
		}
	}
}

// Over all that other people wrote: Google's expectations, those of RFC 9309 and real
// files, asked for paths that their rules name. Wherever the library differs a paragraph
// says why, and every step that leads there leaves our own verdict as it is.
func TestLibraryOnOthersFiles(t *testing.T) {
	asked, by := 0, map[string]int{}
	each := func(body []byte, token, path string) {
		asked++
		e := explained(t, body, token, path)
		if l := e.Library; !l.Same {
			by[l.Because.Number+" "+l.Because.Says]++
		}
		stepsKeep(t, body, token, path, e.Allowed)
	}
	eachLine(t, "data/robots/google_robots_cases.jsonl", func(c struct {
		Robots string `json:"robots_latin1"`
		Agent  string
		URL    string
	}) {
		each(latin1(c.Robots), c.Agent, pathQuery(c.URL))
	})
	eachLine(t, "data/robots/rfc9309_cases.jsonl", func(c struct{ Robots, Agent, URL string }) {
		each([]byte(c.Robots), c.Agent, pathQuery(c.URL))
	})
	files, err := filepath.Glob(sharedtest.Path(t, "data/robots/real-files") + "/*.txt")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		tokens, paths := namedIn(body)
		for _, token := range tokens {
			for _, path := range paths {
				each(body, token, path)
			}
		}
	}
	t.Logf("%d times asked", asked)
	differ := 0
	for _, k := range slices.Sorted(maps.Keys(by)) {
		t.Logf("%5d %s", by[k], k)
		differ += by[k]
	}
	if asked < 2000 || differ < 100 || len(by) < 6 {
		t.Errorf("asked %d times, %d differences of %d kinds: too little", asked, differ, len(by))
	}
}

// stepsKeep checks that what a file is rewritten to means the same to us.
func stepsKeep(t *testing.T, body []byte, token, path string, allowed bool) {
	t.Helper()
	if path == ownPath {
		return
	}
	by := Parse(body, token).deciding(path)
	for _, s := range rewritten(body, decode(body), token, path, by) {
		if got, _ := Parse(s.body, s.token).Allowed(s.path); got != allowed {
			t.Errorf("%q for %q in\n%.300s\nis %v, rewritten by %s (%s) to\n%.300s\nit is %v", path, token, body, allowed, s.because.Number, s.because.Says, s.body, got)
		}
	}
}

// namedIn returns product tokens and paths that a file names: a few of the former, and
// of the latter each with something behind it, without its last letter, and with what
// wildcards may stand for.
func namedIn(body []byte) (tokens, paths []string) {
	const mostTokens, mostPaths = 6, 60
	tokens, paths = []string{"exclave", "*"}, []string{"/", "/robots.txt"}
	for _, line := range lines(decode(body)) {
		key, value, ok := split(line)
		switch key = canonical(key); {
		case !ok || value == "":
		case key == keyAgent && len(tokens) < mostTokens && !slices.Contains(tokens, value):
			tokens = append(tokens, value)
		case (key == keyAllow || key == keyDisallow) && len(paths) < mostPaths:
			p := strings.NewReplacer("*", "x/y", "$", "").Replace(value)
			if !strings.HasPrefix(p, "/") {
				p = "/" + p
			}
			paths = append(paths, p, p+"z?q=*", p[:max(1, len(p)-1)], "/before"+p)
		}
	}
	return tokens, paths
}

// A file may be as large and as odd as a server likes: explaining it takes time that is
// linear in it, and never fails.
func FuzzExplain(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /a*b$\nAllow: /%41%2a\nCrawl-delay: 1e9\n"), "exclave", "/a/b")
	f.Add([]byte("\xff\xfeU\x00s\x00e"), "", "/")
	f.Add([]byte("\xef\xbb\xbfuser-agent exclave\rdisallow /\xff*\r\r\nfoo"), "exclave", "/\xff")
	f.Add([]byte("Disallow: /\nuser-agent: ex\nuser-agent: *\nsitemap: x\nallow: $\ndisallow: **\n"), "exclave", "/*$")
	f.Fuzz(func(t *testing.T, body []byte, token, path string) {
		e := Explain(200, body, token, path)
		if allowed, _ := Parse(body, token).Allowed(path); e.Allowed != allowed {
			t.Errorf("%q in %q: explained as %v", path, body, e.Allowed)
		}
		if !e.Library.Same && e.Library.Because == nil {
			t.Errorf("%q in %q: the library differs without a reason", path, body)
		}
	})
}

// BenchmarkExplain: a file as large as is read, with rules on every line.
func BenchmarkExplain(b *testing.B) {
	body := bytes.Repeat([]byte("Disallow: /some/path/*x$\n"), MaxSize/25)
	body = append([]byte("User-agent: *\n"), body...)
	for b.Loop() {
		Explain(200, body, "exclave", "/some/path/that/is/longx")
	}
}
