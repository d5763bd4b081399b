package analyzer

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"exclave/internal/conf"
)

// search runs one searcher and renders what it found: value@where×count.
func search(t testing.TB, o options, p *Page) (Finding, string) {
	t.Helper()
	s, err := o.open(&resources{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.Search(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, e := range f.Evidence {
		parts = append(parts, fmt.Sprintf("%s %s ×%d", e.Value, e.Where, e.Count))
	}
	return f, strings.Join(parts, ", ")
}

func TestEmail(t *testing.T) {
	tests := []struct {
		why, source, text string
		found             int
		want              string
	}{
		{"any letter case", "Info@Firma.CZ", "", 1, "info@firma.cz source ×1"},
		{"the original cut top-level domains at four letters", "a@shop.museum a@b.cz.travel", "", 2, ""},
		{"an address of another country is found, not valid", "a@b.sk", "", 1, ""},
		{"the end of a sentence is no part of it", "napište na a@b.cz.", "", 1, "a@b.cz source ×1"},
		{"text that repeats the source does not count twice", "<p>a@b.cz</p>", "a@b.cz", 1, "a@b.cz source ×1"},
		{"character references hide it in the source only", "a&#64;b.cz", "a@b.cz", 1, "a@b.cz text ×1"},
		{"a link may be percent-encoded", `<a href="mailto:a%40b.cz?subject=x">`, "", 1, "a@b.cz link ×1"},
		{"a link is counted once", `<a href="mailto:a@b.cz">a@b.cz</a>`, "a@b.cz", 2, "a@b.cz source ×2"},
		{"many labels", "a.b-c_d+e@x.y.z.cz", "", 1, "a.b-c_d+e@x.y.z.cz source ×1"},
		{"no local part, no domain, no top-level domain", "@b.cz a@ a@b a@.cz a@b..cz a@-b.cz a.@b.cz", "", 0, ""},
		{"an address as host is no host name, nor is a version", "a@127.0.0.1 lib@3.cz lib@3.12.cz /npm/lib@2000.cz a@112.cz", "", 1, "a@112.cz source ×1"},
		{"internationalised top-level domains", "a@b.xn--p1ai", "", 1, ""},
		{"a row of signs", "a@b@c.cz@@d.cz", "", 1, "b@c.cz source ×1"},
		{"user names and passwords of URLs are no mailboxes", `http://u:p@b.cz/ href="//u:p!q@b.cz/" ftp://u@b.cz https://h.cz/a@b.cz mailto:c@b.cz`, "", 2, "a@b.cz source ×1, c@b.cz source ×1"},
		{"a picture for dense screens is not Czech", "logo@2x.png", "", 1, ""},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			f, got := search(t, &emailOptions{patternOption: patternOption{`@([a-z0-9-]+\.)+cz$`}}, &Page{Source: tt.source, Text: tt.text})
			if f.Found != tt.found || got != tt.want {
				t.Errorf("found %d %q, want %d %q", f.Found, got, tt.found, tt.want)
			}
		})
	}
}

func TestPhone(t *testing.T) {
	const one = "+420777123456"
	tests := []struct {
		why, text string
		found     int
		want      string
	}{
		{"as the thesis has it", "+420 777 123 456", 1, one + " text ×1"},
		{"without blanks", "+420777123456", 1, one + " text ×1"},
		{"in pairs", "+420 77 71 23 45 6", 1, one + " text ×1"},
		{"hyphens, dots, slashes", "+420-777-123-456 +420.777.123.456; +420/777123456", 3, one + " text ×3"},
		{"no-break and thin spaces", "+420\u00a0777\u00a0123\u2009456", 1, one + " text ×1"},
		{"parentheses", "(+420) 777 123 456, +(420) 777 123 456", 2, one + " text ×2"},
		{"00 for the plus", "00420 777 123 456 tel:00420777123456", 2, one + " text ×2"},
		{"a trunk zero in parentheses is not dialled", "+420 (0) 777 123 456", 1, one + " text ×1"},
		{"what follows on the line is no part of it", "+420 777 123 456 2024", 1, one + " text ×1"},
		{"nor is the next number", "+420 777 123 456 / 777 123 457", 1, one + " text ×1"},
		{"two in a row", "+420 777 123 456, +420 777 123 456", 2, one + " text ×2"},
		{"a number of another country", "+421 905 123 456", 1, ""},
		{"a number too long for the plan", "+420 777 123 4567", 1, ""},
		{"a first digit the plan does not have", "+420 077 123 456", 1, ""},
		{"without country code it does not say whose it is", "777 123 456", 0, ""},
		{"a sum is no number", "1+420777123456 x00420777123456", 0, ""},
		{"zeros", "000420777123456 +0420777123456 00000000000000", 0, ""},
		{"a number ends with its line", "+420 777\n123 456", 0, ""},
		{"too short", "+420 777", 0, ""},
		{"a row of digits", "+" + strings.Repeat("1", 1000), 1, ""},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			f, got := search(t, &phoneOptions{patternOption: patternOption{`^\+420[2-9][0-9]{8}$`}}, &Page{Text: tt.text})
			if f.Found != tt.found || got != tt.want {
				t.Errorf("found %d %q, want %d %q", f.Found, got, tt.found, tt.want)
			}
		})
	}
	p := &Page{Text: "Volejte " + one, Source: `<a href="tel:+420%20777%20123%20456"><a href='tel:+420-777-123-457'>`}
	if f, got := search(t, &phoneOptions{patternOption: patternOption{`^\+420`}}, p); f.Found != 2 || got != one+" text ×1, +420777123457 link ×1" {
		t.Errorf("tel: links count unless the text has the number: %d %q", f.Found, got)
	}
}

func TestHTMLLang(t *testing.T) {
	p := &Page{Langs: []Lang{{"CS-cz", "html@lang"}, {"cs", "p@xml:lang"}, {"cs", "meta@content-language"}, {"csb", "p@lang"}, {"en", "p@lang"}, {" ", "p@lang"}}}
	f, got := search(t, &htmlLangOptions{patternOption: patternOption{`^cs(-|$)`}}, p)
	// Kashubian (csb) is not Czech; an empty attribute says nothing.
	if f.Found != 5 || f.Valid != 3 || got != "cs p@xml:lang ×2, cs-cz html@lang ×1" {
		t.Errorf("%+v %q", f, got)
	}
}

// TestDictionaryClass: each class of a list is for a searcher of its own; a list that
// names none has exclusive words only.
func TestDictionaryClass(t *testing.T) {
	file := filepath.Join(t.TempDir(), "words.txt")
	if err := os.WriteFile(file, []byte("voda\tshared\nřeka\nreka\tascii\npotok\t0.01\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &Page{Text: "Řeka, reka, voda, potok, nic."}
	for class, want := range map[string]string{"": "potok text ×1, řeka text ×1", "exclusive": "potok text ×1, řeka text ×1", "ascii": "reka text ×1", "shared": "voda text ×1"} {
		if f, got := search(t, &dictionaryOptions{List: file, Class: class}, p); f.Found != 5 || got != want {
			t.Errorf("%s: found %d, %q, want %q", class, f.Found, got, want)
		}
	}
	if ps := (&dictionaryOptions{List: "cs", Class: "rare"}).Validate(); len(ps) != 1 || !strings.Contains(ps[0].Msg, `"rare": one of exclusive, ascii, shared`) {
		t.Error(ps)
	}
}

func TestRegexp(t *testing.T) {
	p := &Page{Title: "Foo a1", Text: "a2 b3 A4", Source: "<title>Foo a1</title>"}
	tests := []struct {
		why  string
		o    regexpOptions
		want string
	}{
		{"matches in title and text, as they are written", regexpOptions{Pattern: "(?i)a[0-9]", In: inText}, "A4 text ×1, a1 title ×1, a2 text ×1"},
		{"the source has tags", regexpOptions{Pattern: "</?title>|Foo", Valid: "title", In: inSource}, "</title> source ×1, <title> source ×1"},
		{"valid is searched in the match alone", regexpOptions{Pattern: "[ab][0-9]", Valid: "^a", In: inText}, "a1 title ×1, a2 text ×1"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			f, got := search(t, &tt.o, p)
			if f.Found != 3 || got != tt.want {
				t.Errorf("found %d, %q, want %q", f.Found, got, tt.want)
			}
		})
	}
}

// FuzzSearch: a page is a stranger's. Whatever it holds, no searcher panics, and
// counts keep the order and the bounds a Finding promises.
func FuzzSearch(f *testing.F) {
	for _, s := range []string{"", "a@b.cz", "@@@.cz", "+420 777 123 456", "00(0)(0)(0)420", "mailto:%zz@\xff", "tel:+\x00", "protože když \xff", "+(0)(0)(0)1234567890", "..cz.", "Ústí nad Ústí nad Labem Ústí\u0301-nad \xff", "http://a@b.cz:1/?"} {
		f.Add(s)
	}
	all := openAll(f, "cz$", "^.", ".")
	f.Fuzz(func(t *testing.T, s string) {
		p := &Page{Title: s, Text: s, Source: s, Langs: []Lang{{s, "html@lang"}}, Host: s, Via: s, HostJudged: len(s), HostValid: []int{len(s) / 2}, Charset: s, Outlinks: []Outlink{{URL: s, Host: s}, {URL: "http://" + s, Host: "a.cz"}}}
		for kind, sr := range all {
			got, err := sr.Search(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			if got.Distinct > got.Valid || got.Valid > got.Found || len(got.Evidence) > MaxEvidence || len(got.Evidence) > got.Distinct {
				t.Errorf("%s: %+v", kind, got)
			}
			if slices.ContainsFunc(got.Evidence, func(e Evidence) bool { return len(e.Value) > MaxEvidenceValue || e.Count < 1 }) {
				t.Errorf("%s: %+v", kind, got.Evidence)
			}
		}
	})
}

// openAll opens a searcher of each kind that needs nothing from a job, with these patterns.
func openAll(t testing.TB, emails, phones, langs string) map[string]Searcher {
	t.Helper()
	all := map[string]Searcher{}
	for kind, o := range allOptions(emails, phones, langs) {
		s, err := o.open(&resources{})
		if err != nil {
			t.Fatal(err)
		}
		all[kind] = s
	}
	return all
}

func allOptions(emails, phones, langs string) map[string]options {
	return map[string]options{
		"company_id":  &companyIDOptions{Scheme: "ico", Labels: []string{"IČO", "IČ"}},
		"iban":        &companyIDOptions{Scheme: "iban"},
		"postal_code": &postalCodeOptions{patternOption{"^[1-7][0-9]{2} ?[0-9]{2}$"}, []string{"PSČ"}, []string{"Praha", "Brno"}},
		"currency":    &currencyOptions{Units: []string{"Kč", ",-"}},
		"email":       &emailOptions{patternOption: patternOption{emails}},
		"phone":       &phoneOptions{patternOption: patternOption{phones}, Code: "420", National: "^[2-9][0-9]{8}$", Trunk: "0"},
		"html_lang":   &htmlLangOptions{patternOption: patternOption{langs}},
		"dictionary":  &dictionaryOptions{List: "cs"},

		"cities":               &citiesOptions{List: "cz", ASCII: true},
		"charset":              &charsetOptions{[]charsetName{"windows-1250"}},
		"forbidden_dictionary": &forbiddenDictionaryOptions{dictionaryOptions{List: "sk"}},
		"forbidden_link":       &forbiddenLinkOptions{siteOptions{Sites: []string{"http://(cz,a"}}},
		"language":             &languageOptions{Language: "cs"},
		"host":                 &hostOptions{MinPages: 1},
		"in_links":             &inLinksOptions{domainsOption{[]domainName{"cz"}}},
		"tld":                  &tldOptions{domainsOption{[]domainName{"cz"}}},
		"url":                  &urlOptions{domainsOption: domainsOption{[]domainName{"cz"}}},
		"valid_link":           &siteOptions{Sites: []string{"a.cz", "b.cz/x/"}},
		"whois":                &whoisOptions{patternOption{"country: cz"}},
		"regexp":               &regexpOptions{Pattern: `\+[0-9]{3} ?[0-9]{3} ?[0-9]{3} ?[0-9]{3}`, Valid: phones, In: inText},
	}
}

// TestKindsDocumented: each kind is a row in docs/formats/profile.md with each of its keys and with the default of
// those that may be left out, in parentheses behind them or in the words of [free]; and FuzzSearch opens each.
func TestKindsDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/formats/profile.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	_, table, _ := strings.Cut(string(doc), "| kind | found | valid |")
	table, _, _ = strings.Cut(table, "\n\n")
	for row := range strings.Lines(table) {
		c := strings.Split(strings.ReplaceAll(row, `\|`, ""), "|")
		if len(c) == 6 {
			for _, kind := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(c[1], -1) {
				rows[kind[1]] = c[4]
			}
		}
	}
	// What stands for a default where nothing is what a searcher does without the key.
	free := regexp.MustCompile(`\((none|empty|false|all|default)[^)]*\)|\(default|at least one of the two|every match without|wanted where|wanted with`)
	opened := map[reflect.Type]bool{reflect.TypeFor[*geoipOptions](): true} // FuzzGeoIP, with a database
	for _, o := range allOptions("", "", "") {
		opened[reflect.TypeOf(o)] = true
	}
	for kind, own := range kinds() {
		o := own()
		if !opened[reflect.TypeOf(o)] {
			t.Errorf("%s: openAll lacks it", kind)
		}
		if rows[kind] == "" && len(conf.Keys(o)) > 0 {
			t.Errorf("%s: no row in the table of kinds", kind)
		}
		for key, f := range optionFields(reflect.ValueOf(o).Elem()) {
			_, required, _ := strings.Cut(f.tag, ",")
			_, said, ok := strings.Cut(rows[kind], "`"+key+"`")
			if !ok {
				t.Errorf("%s: %s is not documented", kind, key)
			}
			switch {
			case required == "required":
			case !f.value.IsZero():
				if v := fmt.Sprint(f.value); !strings.Contains(said, "("+v+")") && !strings.Contains(said, "`"+v+"` (default") {
					t.Errorf("%s: %s: the default %v is not documented", kind, key, v)
				}
			case !free.MatchString(strings.ToLower(said)):
				t.Errorf("%s: %s may be left out; the row does not say what then: %q", kind, key, said)
			}
		}
	}
	for kind := range rows {
		if _, ok := kinds()[kind]; !ok {
			t.Errorf("%s: a row of a kind that there is not", kind)
		}
	}
}

// optionField is a key of a kind with its default.
type optionField struct {
	tag   string
	value reflect.Value
}

func optionFields(v reflect.Value) map[string]optionField {
	all := map[string]optionField{}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Anonymous {
			maps.Copy(all, optionFields(v.Field(i)))
		} else if tag := f.Tag.Get("toml"); tag != "" && tag != "-" {
			key, _, _ := strings.Cut(tag, ",")
			all[key] = optionField{tag, v.Field(i)}
		}
	}
	return all
}

// TestKinds: an option called like a key that all searchers have would be read as both.
func TestKinds(t *testing.T) {
	common := conf.Keys(SearcherConfig{})
	for kind, own := range kinds() {
		for _, key := range conf.Keys(own()) {
			if slices.Contains(common, key) {
				t.Errorf("%s: all searchers have %s", kind, key)
			}
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	text := strings.Repeat("Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv, 1 000 Kč, 2008. ", 600)
	source := strings.Repeat(`<li class="item"><a href="/kontakt/01.html">Kontakt 100</a></li> `, 3000) + "<p>info@firma.cz +420 777 123 456</p>"
	p := &Page{Text: text, Source: source, Langs: []Lang{{"cs", "html@lang"}}, Host: "www.firma.cz", Via: "http://katalog.cz/", Charset: "utf-8", CharsetFrom: "meta"}
	for i := range 100 {
		p.Outlinks = append(p.Outlinks, outlink(fmt.Sprintf("http://www.%s.cz/kontakt/%d.html", strings.Repeat("ab", i%8), i)))
	}
	for kind, s := range openAll(b, "cz$", `^\+420`, "^cs") {
		b.Run(kind, func(b *testing.B) {
			b.SetBytes(int64(len(text) + len(source)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Search(context.Background(), p.bounded(1<<20)); err != nil { // no words kept of the last time
					b.Fatal(err)
				}
			}
		})
	}
}

// TestWords: all searchers of words see the same ones, split once a page.
func TestWords(t *testing.T) {
	p := &Page{Title: "ŽIVÁ covid19 voda", Text: "a\u017eiva\u0301 \xff nej\u00adlepší, x\n" + strings.Repeat("word ", BetweenChecks)}
	var got []string
	for w, where := range p.Words(t.Context()) {
		if got = append(got, string(w)+"@"+where); len(got) == 5 {
			break
		}
	}
	if want := []string{"živá@title", "voda@title", "aživá@text", "nejlepší@text", "word@text"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if n := p.WordCount(); n != 4+BetweenChecks {
		t.Errorf("%d words", n)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	n := 0
	for range p.Words(done) {
		n++
	}
	if n >= BetweenChecks {
		t.Errorf("%d words after ctx ended", n)
	}
	// A page whose text was changed between two judgements is not judged by the old words.
	p.Text = ""
	if n := p.bounded(1).WordCount(); n != 2 {
		t.Errorf("%d words, want those of the title", n)
	}
}

func BenchmarkWords(b *testing.B) {
	text := strings.Repeat("Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv, 1 000 Kč, 2008. ", 55)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		p := &Page{Text: text}
		if p.WordCount() == 0 {
			b.Fatal("no words")
		}
	}
}
