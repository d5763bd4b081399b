package analyzer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/internal/urlx"
)

// outlink returns a link as a page has it.
func outlink(url string) Outlink {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host[strings.LastIndexByte(host, '@')+1:], ":")
	return Outlink{URL: url, Host: host}
}

func outlinks(urls ...string) (out []Outlink) {
	for _, u := range urls {
		out = append(out, outlink(u))
	}
	return out
}

func TestURL(t *testing.T) {
	page := func(urls ...string) *Page { return &Page{Host: "a.com", Outlinks: outlinks(urls...)} }
	tests := []struct {
		why     string
		domains []domainName
		others  bool
		page    *Page
		found   int
		want    string
	}{
		{"repeats count again (systems.md 1.2)", []domainName{"cz"}, false, page("http://b.cz/1", "http://b.cz/2", "http://c.sk/"), 3, "b.cz link ×2"},
		{"the domain itself, and what is below it", []domainName{"gov.au"}, false, page("http://gov.au/", "http://a.b.gov.au/", "http://xgov.au/", "http://au/"), 4, "a.b.gov.au link ×1, gov.au link ×1"},
		{"a domain in the path is none", []domainName{"cz"}, false, page("http://b.com/x.cz/", "http://cz.b.com/"), 2, ""},
		{"a dot at the end of a host", []domainName{"cz"}, false, page("http://b.cz./"), 1, "b.cz. link ×1"},
		{"links without a host say nothing", []domainName{"cz"}, false, &Page{Outlinks: []Outlink{{URL: "mailto:a@b.cz"}}}, 0, ""},
		{"an address is in no domain", []domainName{"1"}, false, page("http://192.0.2.1/"), 1, "192.0.2.1 link ×1"},
		{"links within the site can be left out: they say what its host says", []domainName{"com", "cz"}, true, page("http://a.com/1", "http://b.cz/"), 1, "b.cz link ×1"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			f, got := search(t, &urlOptions{domainsOption{tt.domains}, tt.others}, tt.page)
			if f.Found != tt.found || got != tt.want {
				t.Errorf("found %d %q, want %d %q", f.Found, got, tt.found, tt.want)
			}
		})
	}
}

// TestDomainForms: a profile may write a domain as people do.
func TestDomainForms(t *testing.T) {
	for said, want := range map[string]domainName{".CZ": "cz", "рф": "xn--p1ai", "xn--p1ai": "xn--p1ai", "Bücher.Example": "xn--bcher-kva.example"} {
		var d domainName
		if err := d.UnmarshalText([]byte(said)); err != nil || d != want {
			t.Errorf("%s: %q %v, want %q", said, d, err, want)
		}
	}
}

func TestTLD(t *testing.T) {
	for host, want := range map[string]string{"www.a.cz": "www.a.cz host ×1", "a.sk": "", "a.xn--p1ai": "a.xn--p1ai host ×1", "192.0.2.1": ""} {
		f, got := search(t, &tldOptions{domainsOption{[]domainName{"cz", "xn--p1ai"}}}, &Page{Host: host})
		if f.Found != 1 || got != want {
			t.Errorf("%s: found %d %q, want %q", host, f.Found, got, want)
		}
	}
	if f, _ := search(t, &tldOptions{}, &Page{}); f.Found != 0 {
		t.Error("a file has no host")
	}
}

func TestInLinks(t *testing.T) {
	for via, want := range map[string]string{
		"http://www.a.cz/odkazy?x=1": "1 http://www.a.cz/odkazy?x=1 via ×1",
		"http://a.sk/":               "1 ",
		"https://b.example:8080/":    "1 https://b.example:8080/ via ×1",
		"":                           "0 ", // a seed that no log names a page for
		"no address":                 "0 ",
	} {
		f, got := search(t, &inLinksOptions{domainsOption{[]domainName{"cz", "b.example"}}}, &Page{Via: via})
		if got = fmt.Sprintf("%d %s", f.Found, got); got != want {
			t.Errorf("%s: %q, want %q", via, got, want)
		}
	}
}

func TestCharset(t *testing.T) {
	var o charsetOptions
	for _, label := range []string{"CP1250", "latin2"} {
		var c charsetName
		if err := c.UnmarshalText([]byte(label)); err != nil {
			t.Fatal(err)
		}
		o.Charsets = append(o.Charsets, c)
	}
	for _, tt := range []struct{ charset, from, want string }{
		{"windows-1250", "meta", "1 windows-1250 meta ×1"},
		{"iso-8859-2", "detected", "1 iso-8859-2 detected ×1"},
		{"utf-8", "http", "1 "},
		{"", "", "0 "}, // PDF
	} {
		f, got := search(t, &o, &Page{Charset: tt.charset, CharsetFrom: tt.from})
		if got = fmt.Sprintf("%d %s", f.Found, got); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.charset, got, tt.want)
		}
	}
}

// TestSiteLinks: an entry means what it means in the rules of a job's scope.
func TestSiteLinks(t *testing.T) {
	tests := []struct{ why, entry, yes, no string }{
		{"a host or a domain, and what is below it", "nkp.cz", "http://nkp.cz/ https://www.nkp.cz/x http://nkp.cz:8080/ ftp://nkp.cz/", "http://xnkp.cz/ http://cz/ http://nkp.cz.com/"},
		{"one host only", "http://nkp.cz/", "http://nkp.cz/ https://nkp.cz/a", "http://www.nkp.cz/ http://nkp.cz:8080/"},
		{"a part of a site", "http://geocities.com/cz/", "http://geocities.com/cz/ http://geocities.com/cz/a", "http://geocities.com/ http://www.geocities.com/cz/"},
		{"without a scheme", "geocities.com/cz/", "https://geocities.com/cz/a", "http://geocities.com/c"},
		{"a SURT prefix", "http://(cz,nkp,", "http://nkp.cz/ http://www.nkp.cz/", "http://nk.cz/"},
		{"a SURT prefix that ends within a label", "+http://(cz,nk", "http://nkp.cz/ http://nk.cz/", "http://np.cz/"},
		{"a domain with letters outside ASCII", "škola.cz", "http://www.xn--kola-f6a.cz/", "http://skola.cz/"},
		{"an address", "192.0.2.1", "http://192.0.2.1/a", "http://192.0.2.10/ http://192.0.2.2/"},
		{"an address of IPv6", "http://[2001:db8::1]/", "http://[2001:db8::1]/a", "http://[2001:db8::2]/"},
		{"the whole web", "http://(", "http://a.cz/ http://192.0.2.1/", "ftp://a.cz/"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			o := &siteOptions{Sites: []string{"unrelated.example", tt.entry}}
			if ps := o.Validate(); len(ps) > 0 {
				t.Fatal(ps)
			}
			for i, urls := range []string{tt.no, tt.yes} {
				for _, u := range strings.Fields(urls) {
					l := outlink(u)
					if strings.Contains(u, "[") {
						l.Host = u[strings.IndexByte(u, '[') : strings.IndexByte(u, ']')+1]
					}
					f, got := search(t, o, &Page{Outlinks: []Outlink{l}})
					if f.Found != 1 && !strings.HasPrefix(u, "ftp") || f.Valid != i && !strings.HasPrefix(u, "ftp") {
						t.Errorf("%s: found %d, valid %d, want %d", u, f.Found, f.Valid, i)
					}
					if want := tt.entry + " link ×1"; f.Valid == 1 && got != want {
						t.Errorf("%s: %q, want %q", u, got, want)
					}
					if l.To, _ = urlx.Parse(u); l.To != nil {
						if again, _ := search(t, o, &Page{Outlinks: []Outlink{l}}); again.Valid != f.Valid {
							t.Errorf("%s: valid %d, when it is parsed already %d", u, f.Valid, again.Valid)
						}
					}
				}
			}
		})
	}
}

// TestSiteFile: what a list beside the profile may hold, and what a begun job holds on to.
// linkFarm is a page of 1,000 links that are parsed, to some 30 hosts, of which some are listed in part.
func linkFarm(t testing.TB) *Page {
	t.Helper()
	p := &Page{Host: "www.a.cz", Via: "http://b.cz/"}
	for i := range 1000 {
		l := outlink(fmt.Sprintf("http://www.%s.cz/clanek/%d.html", strings.Repeat("ab", 1+i/33%30), i))
		var err error
		if l.To, err = urlx.Parse(l.URL); err != nil {
			t.Fatal(err)
		}
		p.Outlinks = append(p.Outlinks, l)
	}
	return p
}

// linkSearchers are those that look at each link.
func linkSearchers(t testing.TB) (all []Searcher) {
	t.Helper()
	for _, o := range []options{
		&urlOptions{domainsOption: domainsOption{[]domainName{"cz"}}},
		&siteOptions{Sites: []string{"abab.cz", "http://www.ababab.cz/clanek/"}},
		&forbiddenLinkOptions{siteOptions{Sites: []string{"http://(cz,ab"}}},
	} {
		s, err := o.open(&resources{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// TestLinkAllocations: what a link costs is no memory.
func TestLinkAllocations(t *testing.T) {
	p, all := linkFarm(t), linkSearchers(t)
	n := testing.AllocsPerRun(10, func() {
		for _, s := range all {
			if f, err := s.Search(t.Context(), p); err != nil || f.Found != 1000 || f.Valid == 0 {
				t.Error(f, err)
			}
		}
	})
	if n > 30 {
		t.Errorf("%v allocations for 1,000 links and %d searchers", n, len(all))
	}
}

func BenchmarkLinks(b *testing.B) {
	p, all := linkFarm(b), linkSearchers(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range all {
			if _, err := s.Search(context.Background(), p); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func TestSiteFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "sites.txt")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const text = "[profile]\nname = \"p\"\nmin_points = 1\n" +
		"[[searcher]]\nkind = \"valid_link\"\nlist = \"sites.txt\"\nsites = [\"b.cz\"]\npoints = 5\n" +
		"[[searcher]]\nkind = \"forbidden_link\"\nlist = \"sites.txt\"\npoints = -5\ncap = 10\n"
	name := filepath.Join(dir, "p.toml")
	if got := fmt.Sprint(checkProfile([]byte(text), name, kinds())); strings.Count(got, "no such file or directory") != 2 || !strings.Contains(got, "p.toml:6:1: searcher[0].list: ") {
		t.Errorf("without its file: %s", got)
	}
	write("a.cz\nhttp://\n")
	if got := fmt.Sprint(checkProfile([]byte(text), name, kinds())); !strings.Contains(got, `sites.txt: line 2: "http://": a host, a domain, a URL or a SURT prefix is wanted`) {
		t.Errorf("a line that is no site: %s", got)
	}
	open := func() *Analyzer {
		t.Helper()
		_, p, problems := parseProfile([]byte(text), name, kinds())
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		a, err := Open(t.Context(), Config{Further: []Profile{p}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = a.Close() })
		return a
	}
	write("\ufeff# portals\r\n\r\na.cz\r\nwww.a.cz\r\n")
	a := open()
	v, err := a.Run(t.Context(), &Page{Type: "text/html", Outlinks: outlinks("http://www.a.cz/", "http://a.cz/", "http://www.b.cz/", "http://c.cz/")})
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%+v", v[0].By)
	if v[0].Points != 3*5-2*5 || v[0].By[0].Found != 4 || !strings.Contains(got, "{Value:a.cz Where:link Count:2} {Value:b.cz Where:link Count:1}") {
		t.Errorf("%d points by %s", v[0].Points, got)
	}
	was := fmt.Sprint(a.Parts())
	write("# the same in other words\nhttp://(cz,a,\n")
	if now := fmt.Sprint(open().Parts()); now != was {
		t.Errorf("the same sites are others: %s, %s", was, now)
	}
	write("c.cz\n")
	if now := fmt.Sprint(open().Parts()); now == was {
		t.Errorf("other sites are the same: %s", now)
	}
}

// TestForbiddenDictionary: words on the list take points away.
func TestForbiddenDictionary(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "casino.txt"), []byte("kasino\nsázky\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, p, problems := parseProfile([]byte("[profile]\nname = \"p\"\nmin_points = 0\n[[searcher]]\nkind = \"forbidden_dictionary\"\nlist = \"./casino.txt\"\npoints = -10\ncap = 25\n"), filepath.Join(dir, "p.toml"), kinds())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	a, err := Open(context.Background(), Config{Further: []Profile{p}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for text, want := range map[string]int64{"nic": 0, "Kasino, KASINO": -20, "kasino sázky kasino": -25} {
		v, err := a.Run(t.Context(), &Page{Type: "text/html", Text: text})
		if err != nil || v[0].Points != want || v[0].Valid != (want == 0) {
			t.Errorf("%s: %+v %v, want %d points", text, v, err, want)
		}
	}
}

// TestHost: what the host's other pages were says what a page is that says little itself.
func TestHost(t *testing.T) {
	for _, tt := range []struct {
		why    string
		least  int
		judged int
		valid  []int
		want   string
	}{
		{"most pages of the host are valid", 5, 41, []int{37}, "41 37 1 37 of 41 pages of the host host ×1"},
		{"none is", 5, 41, []int{0}, "41 0 0 "},
		{"too few say nothing", 5, 4, []int{4}, "0 0 0 "},
		{"just enough", 5, 5, []int{4}, "5 4 1 4 of 5 pages of the host host ×1"},
		{"nobody counts", 1, 0, nil, "0 0 0 "},
		{"counted since this program runs the job, and judged again since", 1, 2, []int{3}, "2 2 1 2 of 2 pages of the host host ×1"},
	} {
		f, got := search(t, &hostOptions{MinPages: tt.least}, &Page{HostJudged: tt.judged, HostValid: tt.valid})
		if got = fmt.Sprintf("%d %d %d %s", f.Found, f.Valid, f.Distinct, got); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.why, got, tt.want)
		}
	}
}

// TestHostByProfile: each profile is told of its own verdicts.
func TestHostByProfile(t *testing.T) {
	profile := func(name string) Profile {
		_, p, problems := parseProfile([]byte("[profile]\nname = \""+name+"\"\nmin_points = 10\n[[searcher]]\nkind = \"host\"\npoints = 10\ndistinct = true\nmin_share = 0.8\n"), "p.toml", kinds())
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return p
	}
	a, err := Open(t.Context(), Config{Further: []Profile{profile("a"), profile("b")}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if !a.WantsHost() {
		t.Error("nobody would count")
	}
	v, err := a.Run(t.Context(), &Page{Type: "text/html", HostJudged: 10, HostValid: []int{9, 1, 0, 0}})
	if err != nil || !v[0].Valid || v[1].Valid || v[0].Points != 10 || v[1].By[0].Valid != 1 {
		t.Errorf("%+v %v", v, err)
	}
}
