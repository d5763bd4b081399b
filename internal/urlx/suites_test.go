package urlx

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"exclave/internal/sharedtest"
)

// The suites of ../shared/data/urls. Not here: setters_tests, ada_extra_setters and
// urlpattern* (a URL never changes here, and there are no patterns),
// verifydnslength_tests (the URL standard does not verify lengths; the resolver
// finds no such names), urlcanon's ssurt and reverseHost (a form of its own, which no
// index uses) and its urltestdata (an older one than that of ada-wpt). urltestdata
// itself is TestWPT, parsing.json is TestSURTUrlcanon.

// suite reads a file of ../shared/data/urls.
func suite(t *testing.T, name string, into any) {
	t.Helper()
	b, err := os.ReadFile(sharedtest.Path(t, "data/urls/"+name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}

// pairs reads a suite of urlcanon: input to output. Inputs that are not ASCII are
// bytes, one a character.
func pairs(t *testing.T, name string) map[string]string {
	t.Helper()
	var raw map[string]string
	suite(t, "urlcanon/testdata/"+name, &raw)
	return asBytes(raw)
}

func asBytes(raw map[string]string) map[string]string {
	out := map[string]string{}
	for in, want := range raw {
		if b, err := charmap.ISO8859_1.NewEncoder().String(in); err == nil {
			in = b
		}
		out[in] = want
	}
	return out
}

// reasons counts why cases of a suite do not apply, and compares.
type reasons map[string]int

func (r reasons) check(t *testing.T, ran, most int, want reasons) {
	t.Helper()
	if ran < most {
		t.Errorf("only %d cases ran", ran)
	}
	if !maps.Equal(r, want) {
		t.Errorf("cases that do not apply: %v, want %v", r, want)
	}
}

// TestUrlcanonSemantic: urlcanon's normal form keeps meaning; ours under the rules
// of like purpose is the same, or keeps more apart.
func TestUrlcanonSemantic(t *testing.T) {
	rules := Rules{NormalEscapes: true, MergeSlashes: true, SortQuery: true}
	ran, no := 0, reasons{}
	cases := pairs(t, "semantic_precise.json")
	for _, in := range slices.Sorted(maps.Keys(cases)) {
		want, _, _ := strings.Cut(cases[in], "#") // keys have no fragment
		if !supported(Scheme(want)) {
			no["not crawled"]++
			continue
		}
		u, err := Parse(in)
		if err != nil {
			no["no address, says the URL standard"]++
			continue
		}
		got := rules.Key(u)
		_, authority, _ := strings.Cut(got, "//")
		authority, _, _ = strings.Cut(authority, "/")
		switch {
		case got == want:
			ran++
		case strings.Contains(authority, "@"):
			no["we keep credentials"]++
		case strings.Trim(u.Hostname(), ".") == "":
			no["we keep a host of dots"]++
		case u.Hostname() != strings.TrimRight(u.Hostname(), "."):
			no["we keep the dot of a rooted name"]++
		case unescapeAll(got) == unescapeAll(want):
			no["urlcanon decodes reserved characters, and more than once"]++
		case sameParameters(got, want):
			no["equal names in a query keep their order"]++
		case strings.Contains(got, "%EF%BF%BD"):
			no["bytes that are no UTF-8 become U+FFFD"]++
		default:
			t.Errorf("%q: key %q, urlcanon %q", in, got, want)
		}
	}
	no.check(t, ran, 90, reasons{
		"not crawled": 113, "no address, says the URL standard": 11, "we keep credentials": 15, "we keep a host of dots": 12,
		"we keep the dot of a rooted name": 1, "urlcanon decodes reserved characters, and more than once": 20,
		"equal names in a query keep their order": 2, "bytes that are no UTF-8 become U+FFFD": 1,
	})
}

func sameParameters(a, b string) bool {
	split := func(s string) []string {
		path, query, _ := strings.Cut(s, "?")
		params := append(strings.Split(query, "&"), path)
		slices.Sort(params)
		return params
	}
	return slices.Equal(split(a), split(b))
}

// TestUrlcanonWHATWG: cases of the URL standard that were collected beside its suite.
func TestUrlcanonWHATWG(t *testing.T) {
	ran, no := 0, reasons{}
	for in, want := range pairs(t, "supplemental_whatwg.json") {
		u, err := Parse(in)
		switch {
		case !supported(Scheme(want)):
			no["not crawled"]++
		case err != nil:
			no["no address, says the URL standard of today"]++
		case want == "http://0.0.0.0/a/b" && strings.Trim(u.Hostname(), ".") == "":
			no["a host of dots is no number"]++
		case u.String() != want:
			t.Errorf("%q: %q, urlcanon %q", in, u, want)
		default:
			ran++
		}
	}
	no.check(t, ran, 58, reasons{"not crawled": 43, "no address, says the URL standard of today": 5, "a host of dots is no number": 12})
}

func TestUrlcanonPathDots(t *testing.T) {
	var cases struct{ Special map[string]string } // "nonspecial": schemes that are not crawled
	suite(t, "urlcanon/testdata/path_dots.json", &cases)
	ran := 0
	for in, want := range cases.Special {
		if strings.Contains(in, `\`) {
			continue // of a path whose '\' are '/' already; parsing does that first
		}
		ran++
		if u := mustParse(t, "http://a.cz"+in); u.Path() != want {
			t.Errorf("%q: path %q, want %q", in, u.Path(), want)
		}
	}
	if ran < 200 {
		t.Errorf("only %d cases ran", ran)
	}
}

func TestUrlcanonIPv4(t *testing.T) {
	var cases map[string]*string
	suite(t, "urlcanon/testdata/funky_ipv4.json", &cases)
	delete(cases, "0000xa") // no number, so a name to the URL standard
	for in, want := range cases {
		u, err := Parse("http://" + in)
		switch {
		case want == nil && err == nil:
			t.Errorf("%q: %q, want an error", in, u)
		case want != nil && err != nil:
			t.Errorf("%q: %v, want %q", in, err, *want)
		case want != nil && (u.Hostname() != *want || !u.IsIP()):
			t.Errorf("%q: %q, want the address %q", in, u, *want)
		}
	}
}

func TestUrlcanonIdempotence(t *testing.T) {
	var cases []string
	suite(t, "urlcanon/testdata/idempotence.json", &cases)
	ran := 0
	for _, in := range cases {
		u, err := Parse(in)
		if err != nil {
			continue
		}
		ran++
		for _, r := range []Rules{{}, allRules(t)} {
			key := r.Key(u)
			if v, err := Parse(key); err != nil || r.Key(v) != key {
				t.Errorf("%q: key %q is not its own key: %v", in, key, err)
			}
		}
	}
	if ran < 12 {
		t.Errorf("only %d cases ran", ran)
	}
}

// TestUrlcanonCDXKey: what the Internet Archive's canonicalizers, whose test cases
// these are, make one, has one key in an index; and their own keys are ours.
func TestUrlcanonCDXKey(t *testing.T) {
	same := pairs(t, "aggressive.json")
	// urlcanon drops empty parameters and more session ids than the package surt does.
	for _, in := range []string{"http://example.com/foo?&", "http://example.com/foo?&&a=1&&&&b=2&c=3&", "http://example.com/foo?c=5&&a=1&B=3&A=2&b=4&C=6&",
		"http://example.com/?a=1&CFID=3304324&CFTOKEN=57491900&jsessionid=a63098d96360$B0$D9$A&foo=bar",
		"http://example.com/something/;jsessionid=E85FAC04E331FFCA55549B10B7C7A4FA"} {
		delete(same, in)
	}
	var groups map[string]json.RawMessage
	suite(t, "urlcanon/testdata/surt.json", &groups)
	group := func(name string) map[string]string {
		var m map[string]string
		if err := json.Unmarshal(groups[name], &m); err != nil {
			t.Fatal(err)
		}
		return asBytes(m)
	}
	for _, name := range []string{"google", "googleSupplementalFromSurt", "Canonicalizer.IA", "Canonicalizer.DefaultIA"} {
		maps.Copy(same, group(name))
	}
	ran := 0
	for in, want := range same {
		if Scheme(in) == "" {
			in = "http://" + in
		}
		u, err := Parse(in)
		if err != nil {
			continue // another scheme, or a host that is none to the URL standard
		}
		ran++
		if got, want := CDXKey(u), CDXKey(mustParse(t, want)); got != want {
			t.Errorf("%q: key %q, want %q", in, got, want)
		}
	}
	for in, want := range group("defaultIASurt") {
		if u, err := Parse(in); err == nil { // dns:, filedesc: and whois: are not crawled
			ran++
			if got := CDXKey(u); got != want {
				t.Errorf("%q: key %q, want %q", in, got, want)
			}
		}
	}
	if ran < 70 {
		t.Errorf("only %d cases ran", ran)
	}
	ran = 0
	var surts struct{ Surt map[string]string }
	suite(t, "urlcanon/testdata/ssurt.json", &surts)
	for in, want := range surts.Surt {
		u, err := Parse(in)
		if err != nil {
			continue
		}
		ran++
		want, _, _ = strings.Cut(want, "#") // urlcanon parses without normalising
		if authority, rest, _ := strings.Cut(want, ")"); !strings.HasPrefix(rest, "/") {
			want = authority + ")/" + rest
		}
		if got := SURT(u); got != want {
			t.Errorf("SURT(%q) = %q, want %q", in, got, want)
		}
	}
	if ran < 6 {
		t.Errorf("only %d cases of the SURT form ran", ran)
	}
}

// TestIDNA: a host name that must not be accepted is not, and one that is accepted
// is the host that a browser goes to. x/net/idna refuses more than browsers since 2024
// do: punycode that cannot come from a name, symbols like ≠, labels of more than 63 bytes.
func TestIDNA(t *testing.T) {
	agree, refused := 0, 0
	for _, name := range []string{"IdnaTestV2.json", "IdnaTestV2-removed.json", "toascii.json"} {
		var rows []json.RawMessage
		suite(t, "ada-wpt/tests/wpt/"+name, &rows)
		for _, row := range rows {
			var c struct {
				Input  string
				Output *string
			}
			// The empty name is no question to a URL: "http:///x" has the host x.
			if row[0] != '{' || json.Unmarshal(row, &c) != nil || c.Input == "" {
				continue
			}
			u, err := Parse("http://" + c.Input + "/x")
			switch {
			case c.Output == nil && err == nil:
				t.Errorf("%s: %q is %q, must fail", name, c.Input, u)
			case c.Output != nil && err != nil:
				refused++
			case c.Output != nil && u.Hostname() != *c.Output && !strings.ContainsRune(c.Input, 'ẞ'): // "ss" before Unicode 15.1
				t.Errorf("%s: %q is %q, want %q", name, c.Input, u.Hostname(), *c.Output)
			default:
				agree++
			}
		}
	}
	if agree < 1700 || refused > 1005 {
		t.Errorf("%d agree, %d are refused", agree, refused)
	}
}

// TestPercentEncoding: queries in the charset of their page.
func TestPercentEncoding(t *testing.T) {
	var rows []json.RawMessage
	suite(t, "ada-wpt/tests/wpt/percent-encoding.json", &rows)
	// x/text has other tables for these than browsers.
	other := []string{"iso-2022-jp \x0eA", "iso-2022-jp \u203e\\", "gb18030 \ue5e5", "shift_jis \u2212"}
	base, ran := mustParse(t, "http://a.cz/"), 0
	for _, row := range rows {
		var c struct {
			Input  string
			Output map[string]string
		}
		if row[0] != '{' || json.Unmarshal(row, &c) != nil {
			continue
		}
		for charset, want := range c.Output {
			if slices.Contains(other, charset+" "+c.Input) {
				continue
			}
			ran++
			if u, err := base.ResolveCharset("?"+c.Input, charset); err != nil || u.Query() != want {
				t.Errorf("%q in %s: %v, %v, want %q", c.Input, charset, u, err, want)
			}
		}
	}
	if ran < 10 {
		t.Errorf("only %d cases ran", ran)
	}
}
