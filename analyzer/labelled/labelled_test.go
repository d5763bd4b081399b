package labelled

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"maps"
	"mime"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"exclave/internal/markup"
	"exclave/internal/sharedtest"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/digest.txt anew")

// made are the pages, made once for all tests; no test changes them.
var made = sync.OnceValues(Pages)

// set returns the pages of the project's own texts.
func set(t testing.TB) []Page {
	t.Helper()
	pages, err := made()
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// count counts pages by a key; "" is not counted.
func count(pages []Page, key func(p Page) string) map[string]int {
	out := map[string]int{}
	for _, p := range pages {
		if k := key(p); k != "" {
			out[k]++
		}
	}
	return out
}

// bucket is the length of a page.
func bucket(p Page) string {
	for _, most := range []int{20, 50, 100, 200} {
		if p.Words < most {
			return fmt.Sprintf("<%d", most)
		}
	}
	return "200+"
}

// TestCoverage: what issue 19 wants of the set, as a table of the least numbers of pages.
func TestCoverage(t *testing.T) {
	pages := set(t)
	tagged := func(tag string) func(p Page) string {
		return func(p Page) string {
			for _, s := range p.Tags {
				if rest, ok := strings.CutPrefix(s, tag); ok {
					return rest
				}
			}
			return ""
		}
	}
	per := func(n int, keys ...string) map[string]int {
		out := map[string]int{}
		for _, k := range keys {
			out[k] = n
		}
		return out
	}
	with := func(a map[string]int, b map[string]int) map[string]int { maps.Copy(a, b); return a }
	nation := func(p Page) string { return strings.Join(p.Nations, "+") }
	both := func(f, g func(p Page) string) func(p Page) string {
		return func(p Page) string {
			if f(p) == "" || g(p) == "" {
				return ""
			}
			return f(p) + " " + g(p)
		}
	}
	for _, c := range []struct {
		why   string
		key   func(p Page) string
		least map[string]int
	}{
		{"at least 1,200 pages, in both halves", func(p Page) string { return p.Split }, map[string]int{"train": 1000, "test": 700}},
		{"14 languages and more; most of those that are told from neighbours", func(p Page) string { return p.Language },
			with(map[string]int{"cs": 250, "sk": 200}, with(per(90, "pl", "sl", "hr", "hu", "nb", "da"), per(35, languages()...)))},
		{"every length, for the nations of which much is wanted", both(nation, bucket), with(
			per(15, "cz <20", "cz <50", "cz <100", "cz <200", "cz 200+", "sk <20", "sk <50", "sk <100", "sk <200", "sk 200+"),
			per(8, "pl 200+", "si 200+", "hr 200+", "hu 200+", "no 200+", "dk 200+"))},
		{"pages of two nations", nation, per(8, "cz+sk", "hu+sk", "hr+si", "dk+no")},
		{"without diacritics, every length", func(p Page) string {
			if !slices.Contains(p.Tags, "no-diacritics") {
				return ""
			}
			return p.Language + " " + bucket(p)
		}, per(8, "cs <20", "cs <50", "cs <100", "cs <200", "sk <20", "sk <50", "sk <100", "sk <200", "pl <20", "pl <100", "hu <50", "hr <50", "de <50")},
		{"ten charsets", tagged("charset-"), per(20, "windows-1251", "koi8-u", "utf-8", "windows-1250", "iso-8859-2", "ibm852", "windows-1252", "iso-8859-1", "iso-8859-15", "utf-16le", "twice")},
		{"their declaration true, false and absent", func(p Page) string {
			for _, s := range []string{"charset-true", "charset-false", "charset-undeclared"} {
				if slices.Contains(p.Tags, s) {
					return s
				}
			}
			return ""
		}, map[string]int{"charset-true": 1000, "charset-false": 200, "charset-undeclared": 60}},
		{"the kinds of the issue", func(p Page) string { return p.Kind }, with(per(8, "gallery", "pricelist", "names", "dealers", "tourism", "quotation", "poem", "forum"),
			per(30, "menu", "contact", "mixed", "foreign-footer"))},
		{"mixed in every way", tagged("mixed-"), per(20, "comments", "sides", "quotation", "footer")},
		{"left-over declarations", tagged("lang-"), per(60, "left-over", "absent")},
		{"every generator", tagged("generator-"), per(100, generators()...)},
		{"addresses that programs do not see at once", tagged("contacts-"), per(20, "plain", "link", "at", "entities", "cloudflare", "json-ld", "image", "national")},
	} {
		got := count(pages, c.key)
		t.Logf("%s: %v", c.why, got)
		for k, n := range c.least {
			if got[k] < n {
				t.Errorf("%s: %s: %d pages, want %d", c.why, k, got[k], n)
			}
		}
	}
}

// languages are those that belong to no nation of the set.
func languages() []string {
	return []string{"bg", "de", "en", "es", "fi", "fr", "hsb", "it", "nl", "pt", "ro", "ru", "sr", "sv", "uk"}
}

// further are languages with a few texts each, which nobody should take for another one.
func further() []string {
	return []string{"be", "el", "eo", "et", "is", "la", "lt", "lv", "mk", "tr", "vi"}
}

// TestTexts: each language has as many texts as the set promises, one of them long.
func TestTexts(t *testing.T) {
	origins, _, err := load()
	if err != nil {
		t.Fatal(err)
	}
	least := map[string]int{"cs": 40, "sk": 35, "pl": 18, "sl": 18, "hr": 18, "hu": 18, "no": 17, "da": 17}
	for language, os := range origins {
		longest := 0
		for _, o := range os {
			words := 0
			for _, s := range o.sentences() {
				words += Words(s)
			}
			longest = max(longest, words)
		}
		want, long := max(8, least[language]), 200
		if slices.Contains(further(), language) {
			want, long = 3, 20
		}
		if len(os) < want || longest < long {
			t.Errorf("%s: %d texts, the longest of %d words; want %d, and %d", language, len(os), longest, want, long)
		}
	}
	for language := range least {
		if origins[language] == nil {
			t.Errorf("%s: no texts", language)
		}
	}
}

// TestSplit: a sentence of four words or more stands on one side only, and so does a source.
func TestSplit(t *testing.T) {
	side, where := map[string]string{}, map[string]string{}
	for _, p := range set(t) {
		keys := []string{"source " + p.Source}
		d := parsed(t, p)
		for line := range strings.Lines(d.Title + "\n" + d.Text) {
			for _, s := range divide(line) {
				if s = normal(s); Words(s) >= 4 && !strings.HasSuffix(s, "email protected") { // Cloudflare's words
					keys = append(keys, s)
				}
			}
		}
		for _, k := range keys {
			if was, ok := side[k]; ok && was != p.Split {
				t.Errorf("on both sides: %q: %s, %s", k, where[k], p.URL)
			}
			side[k], where[k] = p.Split, p.URL
		}
	}
}

// normal is a sentence that is compared: letters and blanks in lower case, without diacritics.
func normal(s string) string {
	s = strings.ToLower(withoutDiacritics(s))
	return strings.TrimSpace(strings.Join(regexp.MustCompile(`[^\p{L}]+`).Split(s, -1), " "))
}

// parsed reads a page as the crawler does.
func parsed(t testing.TB, p Page) *markup.Doc {
	t.Helper()
	typ, params, err := mime.ParseMediaType(p.Type)
	if err != nil {
		t.Fatal(err)
	}
	return markup.Parse(markup.KindOf(typ), p.Bytes(), markup.Options{DeclaredCharset: params["charset"], KeepSource: true})
}

// TestPages: every page can be read, has an address of its own and one document, and is what its
// tags say. What declares its charset rightly is decoded to the text that was meant.
func TestPages(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range set(t) {
		if u, err := url.Parse(p.URL); err != nil || u.Host == "" || strings.ContainsAny(u.Host, " %") {
			t.Errorf("%s: no address: %v", p.URL, err)
		}
		documents := 0
		for _, has := range []bool{p.HTML != "", p.Text != "", p.Body != nil} {
			if has {
				documents++
			}
		}
		if seen[p.URL] || documents != 1 || p.Source == "" || p.Kind == "" || p.Nations == nil || p.Language == "" {
			t.Errorf("%s: not whole, or twice: %+v", p.URL, p)
		}
		seen[p.URL] = true
		d := parsed(t, p)
		if d.Err != nil || strings.TrimSpace(d.Text) == "" || p.Words < 1 {
			t.Errorf("%s: no text: %v", p.URL, d.Err)
		}
		if slices.Contains(p.Tags, "charset-true") && !slices.Contains(p.Tags, "charset-ibm852") {
			if n := Words(d.Title) + Words(d.Text); n != p.Words || strings.Contains(d.Text, "\ufffd") {
				t.Errorf("%s: %d words after decoding as %s, %d were meant", p.URL, n, d.Charset, p.Words)
			}
		}
		if ascii := slices.Contains(p.Tags, "no-diacritics"); ascii && regexp.MustCompile(`[À-ž]`).MatchString(d.Text) {
			t.Errorf("%s: has diacritics: %q", p.URL, regexp.MustCompile(`\S*[À-ž]\S*`).FindString(d.Text))
		}
	}
}

// TestSame: the set is the same each time it is made, here and everywhere: what was measured
// on it can be measured again. After a change of texts: go test ./analyzer/labelled -run TestSame -rewrite.
func TestSame(t *testing.T) {
	var a, b bytes.Buffer
	if err := Write(&a, set(t)); err != nil {
		t.Fatal(err)
	}
	again, err := Pages()
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(&b, again); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two sets differ")
	}
	sum := sha256.Sum256(a.Bytes())
	got := fmt.Sprintf("%s %d pages\n", hex.EncodeToString(sum[:]), len(set(t)))
	file := filepath.Join("testdata", "digest.txt")
	if *rewrite {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the set is %swant %sare its texts changed? then -rewrite", got, want)
	}
}

// TestNobody: no page has the contact of somebody. Numbers hold 000 or another block that is not
// given out, domains are named as examples.
func TestNobody(t *testing.T) {
	_, around, err := load()
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile(`@(` + strings.Join(domains(around), "|") + `)-[a-z]+\d+\.[a-z.]+$`)
	mail := regexp.MustCompile(`[\w.+-]+@[\w.-]+\w`)
	for _, p := range set(t) {
		d := parsed(t, p)
		for _, m := range mail.FindAllString(d.Text, -1) {
			if !example.MatchString(m) && !slices.Contains(p.Tags, "charset-twice") && !strings.Contains(p.Type, "utf-16") {
				t.Errorf("%s: address %q", p.URL, m)
			}
		}
	}
	// Blocks that regulators keep free for fiction have no 000.
	fiction := regexp.MustCompile(`000|00 0|7946 0|555\)? 01|555\) 010|1632 960|23125 0|99998 0`)
	for language, f := range around {
		for _, n := range append(slices.Clone(f["phone"]), f["national"]...) {
			if !fiction.MatchString(n) {
				t.Errorf("%s: number %q may be somebody's", language, n)
			}
		}
	}
}

func domains(around map[string]furniture) (out []string) {
	for _, f := range around {
		out = append(out, f["domain"]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestShared: texts of other people join the set when they are there, on the right sides.
func TestShared(t *testing.T) {
	pages, err := Shared(sharedtest.Path(t, "data"))
	if err != nil {
		t.Fatal(err)
	}
	got := count(pages, func(p Page) string { return p.Split })
	if got["train"] < 100 || got["test"] < 100 {
		t.Errorf("%v pages", got)
	}
	side := map[string]string{}
	for _, p := range pages {
		// A page says its language by lang; of two that are called Norwegian it is Danish.
		if danish := bytes.Contains(p.Body, []byte(`<html lang="da"`)); danish != slices.Contains(p.Nations, "dk") {
			t.Errorf("%s: Danish %v, labelled %s %v", p.URL, danish, p.Language, p.Nations)
		}
		if was, ok := side[p.Source]; ok && was != p.Split {
			t.Errorf("%s is on both sides", p.Source)
		}
		side[p.Source] = p.Split
		if p.Words < 5 {
			t.Errorf("%s: %d words", p.URL, p.Words)
		}
	}
}

// TestCompanyID: identifiers have the check digits that registers give.
func TestCompanyID(t *testing.T) {
	if got := mod1110("6943515153"); got != 0 { // the example of the OIB's description: 69435151530
		t.Errorf("mod 11, 10: %d", got)
	}
	for i := range 200 {
		d := dice(fmt.Sprint(i))
		ico := companyID("ico", d)
		if s := weighted(ico, 8, 7, 6, 5, 4, 3, 2); (s+int(ico[7]-'0'))%11 != 0 && (11-s%11)%10 != int(ico[7]-'0') {
			t.Errorf("IČO %s", ico)
		}
		cvr := companyID("cvr", d)
		if weighted(cvr, 2, 7, 6, 5, 4, 3, 2, 1)%11 != 0 {
			t.Errorf("CVR %s", cvr)
		}
		if org := strings.ReplaceAll(companyID("no", d), " ", ""); weighted(org, 3, 2, 7, 6, 5, 4, 3, 2, 1)%11 != 0 {
			t.Errorf("organisasjonsnummer %s", org)
		}
		if hu := companyID("hu", d); weighted(hu, 9, 7, 3, 1, 9, 7, 3, 1)%10 != 0 {
			t.Errorf("adószám %s", hu)
		}
	}
}
