package urlx

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"exclave/internal/sharedtest"
)

// mustParse is for addresses a test wrote itself.
func mustParse(t testing.TB, s string) *URL {
	t.Helper()
	u, err := Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

type wptCase struct {
	Input   string
	Base    *string
	Href    string
	Failure bool
}

// wptCases reads the shared suites of the standard's own test format.
func wptCases(t testing.TB) []wptCase {
	t.Helper()
	var all []wptCase
	for _, name := range []string{"urltestdata.json", "urltestdata-javascript-only.json", "ada_extra_urltestdata.json", "ada_long_urltestdata.json"} {
		b, err := os.ReadFile(sharedtest.Path(t, "data/urls/ada-wpt/tests/wpt/"+name))
		if err != nil {
			t.Fatal(err)
		}
		var rows []json.RawMessage
		if err := json.Unmarshal(b, &rows); err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			var c wptCase
			if row[0] == '{' && json.Unmarshal(row, &c) == nil {
				all = append(all, c)
			}
		}
	}
	return all
}

// TestWPT: the standard's own suite decides what an address means (URL
// standard; web-platform-tests url/resources/urltestdata.json).
func TestWPT(t *testing.T) {
	ran, refused := 0, 0
	for _, c := range wptCases(t) {
		special := supported(Scheme(c.Href))
		u, err := Parse(c.Input)
		if c.Base != nil {
			base, baseErr := Parse(*c.Base)
			if baseErr != nil {
				continue
			}
			u, err = base.Resolve(c.Input)
		}
		ran++
		switch {
		case c.Failure || !special:
			if err == nil {
				t.Errorf("%q base %v: got %q, want an error", c.Input, c.Base, u)
			}
		case len(c.Href) > MaxLength || len(c.Input) > MaxLength:
			if !errors.Is(err, ErrTooLong) {
				t.Errorf("%.40q: %v, want ErrTooLong", c.Input, err)
			}
		case err != nil && strings.Contains(c.Href, "xn--"):
			refused++
		case err != nil:
			t.Errorf("%q: %v, want %q", c.Input, err, c.Href)
		case u.String() != c.Href:
			t.Errorf("%q: got %q, want %q", c.Input, u, c.Href)
		}
	}
	if ran < 500 {
		t.Errorf("only %d cases ran", ran)
	}
	// Labels that begin with xn-- and are no punycode: the suites accept some,
	// x/net/idna does not, and no registry hands them out.
	if refused > 7 {
		t.Errorf("%d addresses with impossible punycode refused, 7 are known", refused)
	}
}

// TestFastEqualsGeneral: the fast path exists for speed alone, so over every
// shared address, and every pair of reference and base, it must agree with the
// library byte for byte.
func TestFastEqualsGeneral(t *testing.T) {
	inputs := []string{
		"http://example.cz/a/%2e%2E/b", "http://example.cz/a/.%2e", "http://example.cz/./..", "http://a.cz/žluťoučký kůň?q='ž'#ž `",
		"http://a_b.cz/", "http://-a-.cz", "http://a--b.cz", "http://ab--c.cz/", "http://EXAMPLE.CZ:080/", "http://a.cz:80", "https://a.cz:80/?",
		"http://a.cz:65535", "http://a.cz:65536", "http://a.cz:", "http://1.2.3.4/", "http://1.2.3.04/", "http://1.2.3/", "http://a.1", "http://a.0x", "http://a.cz./",
		"../../..", "./x/", "..?q", ".#f", "a/../../b", "?", "#", "//h.cz", "//H.cz:443/x", "/..", "x:y", "a/x:y", "http:x", "%2e%2e/x", "/^{}|~!$&'()*+,;=@", "?^`{}|'\\",
		"http://" + strings.Repeat("a", 64) + ".cz", "http://a.cz/\x00\x7f\x1f", "http://xn--a.cz/", "http://aXN--a.cz", "http://a.cz/\ufffd\xff", "/\xc3", "?\xc3", "\x00/ \x01",
	}
	for _, c := range wptCases(t) {
		inputs = append(inputs, c.Input, c.Href)
	}
	slices.Sort(inputs)
	inputs = slices.Compact(inputs)
	bases := []*URL{
		mustParse(t, "http://example.cz"), mustParse(t, "https://u:p@example.cz:8443/a/b/c.html?q#f"),
		mustParse(t, "http://[::1]/a/"), mustParse(t, "http://1.2.3.4:81//x//?"), mustParse(t, "ftp://h.cz/a/b"),
	}
	fast := 0
	for _, in := range inputs {
		s := clean(in)
		check := func(base, got string, ok bool) {
			if !ok {
				return
			}
			fast++
			if want, err := parseGeneral(s, base); err != nil || got != want {
				t.Errorf("%q base %q: fast %q, library %q, %v", s, base, got, want, err)
			}
		}
		got, ok := parseFast(s)
		check("", got, ok)
		for _, b := range bases {
			if s != "" {
				got, ok := b.resolveFast(s)
				check(b.String(), got, ok)
			}
		}
	}
	if fast < 1000 {
		t.Errorf("the fast path took only %d of %d", fast, 6*len(inputs))
	}
}

func TestParseErrors(t *testing.T) {
	cases := []struct {
		why, in string
		want    error
	}{
		{"links to other protocols are common on pages", "mailto:a@example.cz", ErrScheme},
		{"a script is not an address", "javascript:void(0)", ErrScheme},
		{"pages must not reach the crawler's disk", "file:///etc/passwd", ErrScheme},
		{"crawl pseudo-URIs are made by the frontier", "dns:example.cz", ErrScheme},
		{"relative without base", "/path", ErrScheme},
		{"empty attribute", "", ErrScheme},
		{"no host", "http://", ErrSyntax},
		{"URL standard: forbidden host code point", "http://a b/", ErrSyntax},
		{"invalid punycode", "http://xn--a/", ErrSyntax},
		{"punycode of nothing", "http://xn--.example/", ErrSyntax},
		{"punycode of nothing, capitals and a port", "http://a.XN--:8080/", ErrSyntax},
		{"punycode of nothing, percent-encoded", "http://a%2e%78n--.example", ErrSyntax},
		{"punycode of nothing, full width and a soft hyphen", "http://u@a。ｘn-\u00ad-.example/", ErrSyntax},
		{"trap: ever growing path", "http://a.cz/" + strings.Repeat("x/", MaxLength), ErrTooLong},
		{"escaping makes it too long", "http://a.cz/" + strings.Repeat("\"", MaxLength/2), ErrTooLong},
	}
	for _, c := range cases {
		_, err := Parse(c.in)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: Parse(%.40q) = %v, want %v", c.why, c.in, err, c.want)
		}
		if err != nil && len(err.Error()) > 500 {
			t.Errorf("%s: error of %d bytes", c.why, len(err.Error()))
		}
	}
	if _, err := mustParse(t, "http://a.cz/").Resolve("data:image/png;base64," + strings.Repeat("A", 1<<20)); !errors.Is(err, ErrScheme) {
		t.Errorf("inline images are long and are no addresses: %v", err)
	}
}

func TestAccessors(t *testing.T) {
	cases := []struct {
		why, in                                                                string
		scheme, host, port, effective, authority, origin, path, query, pathQry string
		segments                                                               int
		ip                                                                     bool
	}{
		{"everything present", "https://u:p@Example.CZ:8443/a/b.html?x=1?y#f?", "https", "example.cz", "8443", "8443", "example.cz:8443", "https://example.cz:8443", "/a/b.html", "x=1?y", "/a/b.html?x=1?y", 2, false},
		{"nothing but a host", "http://example.cz", "http", "example.cz", "", "80", "example.cz:80", "http://example.cz", "/", "", "/", 1, false},
		{"default port is left out", "https://a.cz:443/", "https", "a.cz", "", "443", "a.cz:443", "https://a.cz", "/", "", "/", 1, false},
		{"IPv6 (RFC 3986 §3.2.2): brackets only where a port may follow", "http://[2001:DB8::1]:81/", "http", "2001:db8::1", "81", "81", "[2001:db8::1]:81", "http://[2001:db8::1]:81", "/", "", "/", 1, true},
		{"IPv6 without port", "http://[::]/", "http", "::", "", "80", "[::]:80", "http://[::]", "/", "", "/", 1, true},
		{"IPv4 written as one number", "http://2130706433/", "http", "127.0.0.1", "", "80", "127.0.0.1:80", "http://127.0.0.1", "/", "", "/", 1, true},
		{"IDNA", "http://příklad.cz/?", "http", "xn--pklad-zsa96e.cz", "", "80", "xn--pklad-zsa96e.cz:80", "http://xn--pklad-zsa96e.cz", "/", "", "/?", 1, false},
		{"ftp", "ftp://f.cz/x", "ftp", "f.cz", "", "21", "f.cz:21", "ftp://f.cz", "/x", "", "/x", 1, false},
		{"whois names its server", "WHOIS://Whois.Nic.CZ:43/Firma.cz?x", "whois", "whois.nic.cz", "", "43", "whois.nic.cz:43", "whois://whois.nic.cz", "/Firma.cz", "x", "/Firma.cz?x", 1, false},
		{"whois at another port", "whois://a.cz:4343/b", "whois", "a.cz", "4343", "4343", "a.cz:4343", "whois://a.cz:4343", "/b", "", "/b", 1, false},
		{"whois without a server asks IANA", "whois:firma.cz", "whois", "whois.iana.org", "", "43", "whois.iana.org:43", "whois://whois.iana.org", "/firma.cz", "", "/firma.cz", 1, false},
		{"'@' and ':' in the path are not credentials or port", "http://a.cz/x@y:z//", "http", "a.cz", "", "80", "a.cz:80", "http://a.cz", "/x@y:z//", "", "/x@y:z//", 3, false},
	}
	for _, c := range cases {
		u := mustParse(t, c.in)
		got := []string{u.Scheme(), u.Hostname(), u.Port(), u.EffectivePort(), u.Authority(), u.Origin(), u.Path(), u.Query(), u.PathQuery()}
		want := []string{c.scheme, c.host, c.port, c.effective, c.authority, c.origin, c.path, c.query, c.pathQry}
		if !slices.Equal(got, want) || u.PathSegments() != c.segments || u.IsIP() != c.ip {
			t.Errorf("%s: %q\ngot  %q %d %v\nwant %q %d %v", c.why, c.in, got, u.PathSegments(), u.IsIP(), want, c.segments, c.ip)
		}
	}
	u := mustParse(t, "http://a.cz/x?y#frag")
	if v := u.WithoutFragment(); v.String() != "http://a.cz/x?y" || v.Fragment() != "" || u.Fragment() != "frag" || v.Query() != "y" {
		t.Errorf("fragment: %q %q", v, u.Fragment())
	}
}

func TestResolveCharset(t *testing.T) {
	base := mustParse(t, "http://a.cz/ž/")
	cases := []struct{ why, ref, charset, want string }{
		{"Czech pages of the nineties", "hledej?q=žluť", "windows-1250", "http://a.cz/%C5%BE/hledej?q=%9Elu%9D"},
		{"only the query: path and fragment are always UTF-8", "ž?ž#ž", "iso-8859-2", "http://a.cz/%C5%BE/%C5%BE?%BE#%C5%BE"},
		{"URL standard: what the charset lacks becomes a character reference", "?q=ž€я", "windows-1250", "http://a.cz/%C5%BE/?q=%9E%80%26%231103%3B"},
		{"multibyte: a second byte in ASCII stays (percent-encode after encoding)", "?ア", "shift_jis", "http://a.cz/%C5%BE/?%83A"},
		{"UTF-16 pages send UTF-8 (output encoding)", "?ž", "utf-16le", "http://a.cz/%C5%BE/?%C5%BE"},
		{"unknown label", "?ž", "klingon", "http://a.cz/%C5%BE/?%C5%BE"},
		{"'?' inside the fragment is no query", "#ž?ž", "windows-1250", "http://a.cz/%C5%BE/#%C5%BE?%C5%BE"},
		{"existing escapes are kept", "?%9E&ž", "windows-1250", "http://a.cz/%C5%BE/?%9E&%9E"},
	}
	for _, c := range cases {
		u, err := base.ResolveCharset(c.ref, c.charset)
		if err != nil || u.String() != c.want {
			t.Errorf("%s: %q in %s = %q, %v, want %q", c.why, c.ref, c.charset, u, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"http://example.cz/a/../b?q#f", "HTTP://u:p@[::1]:80//\\x", "http://příklad.cz/ ž", "ftp://1.2.3/%2e%2e", "https://-1/", "http://+1/", "http://0x-1/", "//a", "http://www.www.a.cz/;jsessionid=1/..;jsessionid=2/index.html/?sid=&&utm_x"} {
		f.Add(s, "../x?y")
	}
	all := allRules(f)
	f.Fuzz(func(t *testing.T, raw, ref string) {
		u, err := Parse(raw)
		if err != nil {
			return
		}
		if v, err := Parse(u.String()); err != nil || *v != *u {
			t.Fatalf("%q parses to %q, that to %v, %v", raw, u, v, err)
		}
		if v, err := u.Resolve(u.String()); err != nil || *v != *u {
			t.Fatalf("%q resolved against itself: %v, %v", u, v, err)
		}
		for _, r := range []Rules{{}, all} {
			key := r.Key(u)
			v, err := Parse(key)
			if err != nil || r.Key(v) != key {
				t.Fatalf("%q: key %q is not its own key: %v %v", u, key, v, err)
			}
		}
		SURT(u)
		if v, err := u.Resolve(ref); err == nil {
			if s := clean(ref); s != "" {
				got, ok := u.resolveFast(s)
				if want, err := parseGeneral(s, u.String()); ok && (err != nil || got != want) {
					t.Fatalf("%q on %q: fast %q, library %q %v", ref, u, got, want, err)
				}
			}
			if w, err := Parse(v.String()); err != nil || *w != *v {
				t.Fatalf("%q on %q gives %q, parsed again %v %v", ref, u, v, w, err)
			}
		}
		if got, ok := parseFast(clean(raw)); ok {
			if want, err := parseGeneral(clean(raw), ""); err != nil || got != want {
				t.Fatalf("%q: fast %q, library %q %v", raw, got, want, err)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	const s = "https://www.example.cz/clanky/2026/11/nazev-clanku.html?id=123&page=2"
	b.Run("fast", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Parse(s); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("library", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := parseGeneral(s, ""); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkResolve(b *testing.B) {
	base := mustParse(b, "https://www.example.cz/clanky/2026/11/nazev.html")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := base.Resolve("../10/jiny-clanek.html?id=1"); err != nil {
			b.Fatal(err)
		}
	}
}

// A user name or a password is known wherever it stands, and what is left is the same
// address.
func TestUserinfo(t *testing.T) {
	for _, c := range []struct{ raw, user, without string }{
		{"http://h.cz/a@b?c@d#e", "", "http://h.cz/a@b?c@d#e"},
		{"http://u:p@h.cz/", "u:p", "http://h.cz/"},
		{"http://u@h.cz:8080/x?y#z", "u", "http://h.cz:8080/x?y#z"},
		{"https://u:p:q@[2001:db8::1]:8443/", "u:p%3Aq", "https://[2001:db8::1]:8443/"},
		{"http://a@b@h.cz/@", "a%40b", "http://h.cz/@"},
		{`http:\\u:p@h.cz\x`, "u:p", "http://h.cz/x"},
		{"http://:@h.cz/", "", "http://h.cz/"},
		{"http://:p@h.cz/", ":p", "http://h.cz/"},
		{"ftp://anonymous:a%40b@h.cz/", "anonymous:a%40b", "ftp://h.cz/"},
	} {
		u, err := Parse(c.raw)
		if err != nil {
			t.Errorf("%s: %v", c.raw, err)
			continue
		}
		without := u.WithoutUserinfo()
		if u.Userinfo() != c.user || without.String() != c.without || without.Userinfo() != "" || without.Authority() != u.Authority() {
			t.Errorf("%s: %q, %s of %s", c.raw, u.Userinfo(), without, without.Authority())
		}
		if got := HideUserinfo(c.raw); c.user != "" && got != c.without {
			t.Errorf("%s is hidden as %s", c.raw, got)
		}
	}
	for raw, want := range map[string]string{
		"": "", "harvest 2026": "harvest 2026", "me@h.cz": "me@h.cz", "see http://u:p@[x": "see http://[x", "http://u:p/q@h.cz/": "http://h.cz/",
	} {
		if got := HideUserinfo(raw); got != want {
			t.Errorf("%q is hidden as %q, not %q", raw, got, want)
		}
	}
}

// Labels that are empty as they stand are the standard's; the host stays the one that was written.
func TestEmptyLabels(t *testing.T) {
	for raw, want := range map[string]string{
		"http://a..b/": "http://a..b/", "http://příklad.cz./": "http://xn--pklad-zsa96e.cz./", "http://\u00ad.xn--pklad-zsa96e.cz/": "http://.xn--pklad-zsa96e.cz/",
		"http://a.cz./xn--.": "http://a.cz./xn--.", "http://axn--..b/": "http://axn--..b/",
	} {
		if u, err := Parse(raw); err != nil || u.String() != want {
			t.Errorf("%s: %v, %v, not %s", raw, u, err, want)
		}
	}
	if u, err := mustParse(t, "http://a.cz/").Resolve("//xn--.cz/x"); err == nil {
		t.Errorf("a link to %s", u)
	}
}

// Errors stand in logs and on terminals: no password in them, however broken the address is,
// and of one that is too long not its beginning either.
func TestErrorsHideUserinfo(t *testing.T) {
	base := mustParse(t, "https://h.cz/")
	for raw, shown := range map[string]string{
		"http://user:secret@[x/":         "http://[x/",
		"http:user:secret@[x/":           "http:[x/",
		`HTTP:\\user:secret@[x/`:         `HTTP:\\[x/`,
		"//user:secret@[x/":              "//[x/",
		"http://user:secret@h.cz:99999/": "http://h.cz:99999/",
		"http://user:sec/secret@h.cz/":   "http://h.cz/",
		"user:secret@h.cz":               "h.cz",
		"gopher://user:secret@h.cz/a@b":  "gopher://h.cz/a@b",
		"whois://user:secret@[x/":        "whois://[x/",
		"mailto:me@h.cz":                 "mailto:me@h.cz",
		"http://h.cz:x/a":                "http://h.cz:x/a",
		"http://user:" + strings.Repeat("secret", 40) + "@h.cz/" + strings.Repeat("a", MaxLength): "http://h.cz/aaa",
		"http://h.cz/" + strings.Repeat("a", MaxLength) + "@b":                                    "http://h.cz/aaa",
	} {
		_, err := Parse(raw)
		_, err2 := base.Resolve(raw)
		for _, err := range []error{err, err2} {
			if err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "user") || !strings.Contains(err.Error(), strings.Trim(strconv.Quote(shown), `"`)) {
				t.Errorf("%.40s: %v", raw, err)
			}
		}
	}
}

// A label that DNS cannot hold is refused before it is written in Punycode, which takes
// time in the square of its length: a page of such links took half a minute.
func TestEndlessLabels(t *testing.T) {
	for _, c := range []struct {
		host string
		ok   bool
	}{
		{strings.Repeat("ř", 50) + ".cz", true},
		{strings.Repeat(strings.Repeat("ř", 20)+".", 6) + "cz", true},
		{strings.Repeat(strings.Repeat("ř", 20)+"。", 20) + "cz", true},
		{strings.Repeat("a", 300) + ".cz", true}, // it costs nothing; DNS says no
		{"ř@" + strings.Repeat("a", 300), true},
		{strings.Repeat("%C5%99", 40) + ".cz", true},
		{strings.Repeat("ř", 200) + ".cz", false},
		{"a." + strings.Repeat("\u4e2d\u6587", 600), false},
		{"xn--" + strings.Repeat("a9", 600), false},
		{"XN--" + strings.Repeat("a9", 600), false},
		{strings.Repeat("%C5%99", 200) + ".cz", false},
	} {
		for _, ref := range []string{"http://" + c.host + "/p", "//" + c.host, `\\/` + c.host + "?q", "http:////" + c.host} {
			base, err := Parse("http://a.test/")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := base.Resolve(ref); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrSyntax) {
				t.Errorf("%.60s…: %v", ref, err)
			}
		}
	}
	base, err := Parse("http://a.test/")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := base.Resolve("/" + strings.Repeat("ř", 1000)); err != nil {
		t.Errorf("a path: %v", err)
	}
}
