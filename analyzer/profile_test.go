package analyzer_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exclave/analyzer"
)

const good = `
[profile]
name = "x"
min_points = 10
[[searcher]]
kind = "email"
points = 1
pattern = 'cz$'
`

// TestParseProfileProblems: every problem is reported at once, by a key path
// that can be found in the file.
func TestParseProfileProblems(t *testing.T) {
	head := "[profile]\nname = \"x\"\nmin_points = 1\n"
	one := head + "[[searcher]]\nkind = \"email\"\npoints = 1\npattern = 'a'\n"
	tests := []struct{ why, in, want string }{
		{"a good one has none", good, ""},
		{"broken TOML has a position", "[profile\n", "x.toml:1:9: not TOML: "},
		{"an empty file", "", "profile: is missing; add [profile]\nx.toml: no [[searcher]]: nothing could ever be valid"},
		{"no searcher could ever find anything", head, "no [[searcher]]"},
		{"a name is wanted for verdicts", strings.Replace(one, `name = "x"`, "", 1), "x.toml:1:2: profile.name: is missing; write a string in quotes"},
		{"a name ends up in logs and file names", strings.Replace(one, `"x"`, `"x y/"`, 1), `profile.name: "x y/"`},
		{"an empty name", strings.Replace(one, `"x"`, `""`, 1), "profile.name: is empty"},
		{"misspelt keys in the head", head + "dept = 1\n", "profile.dept: unknown key; did you mean depth?"},
		{"misspelt tables", one + "[[searchers]]\n", "searchers: unknown key"},
		{"the wrong type says what is written and what is wanted", strings.Replace(one, "min_points = 1", `min_points = "1"`, 1), "x.toml:3:1: profile.min_points: is a string; write a whole number"},
		{"min_points decides everything, so there is no default", strings.Replace(one, "min_points = 1", "", 1), "profile.min_points: is missing; write a whole number"},
		{"depth has bounds (systems.md 1.2)", strings.Replace(one, "min_points = 1", "min_points = 1\ndepth = 1000001", 1), "profile.depth: 1000001: 0 to 1000000 is allowed"},
		{"a depth below 0 too", strings.Replace(one, "min_points = 1", "min_points = 1\ndepth = -1", 1), "profile.depth: -1"},
		{"a type with a parameter would never match", strings.Replace(one, "min_points = 1", "min_points = 1\njudged_types = [\"text/html; charset=utf-8\"]", 1), "profile.judged_types"},
		{"an array element of the wrong type", strings.Replace(one, "min_points = 1", "min_points = 1\njudged_types = [1]", 1), "x.toml:4:17: profile.judged_types[0]: is a number; write a string in quotes"},
		{"how much evidence is one of three", strings.Replace(one, "min_points = 1", "min_points = 1\nevidence = \"some\"", 1), `profile.evidence: "some"`},
		{"an unknown kind names those there are", strings.Replace(one, `"email"`, `"mail"`, 1), `searcher[0].kind: "mail": one of charset, cities, company_id, currency, dictionary, email, forbidden_dictionary, forbidden_link, geoip, host, html_lang, in_links, language, phone, postal_code, regexp, tld, url, valid_link`},
		{"a pattern that does not compile", strings.Replace(one, "'a'", "'('", 1), "searcher[0].pattern: "},
		{"a missing pattern", strings.Replace(one, "pattern = 'a'", "", 1), "searcher[0].pattern: is missing; write a string in quotes"},
		{"an empty pattern would match everything", strings.Replace(one, "'a'", "''", 1), "searcher[0].pattern: is empty"},
		{"a country code that is none", head + "[[searcher]]\nkind = \"geoip\"\npoints = 1\ncountries = [\"cz\", \"Czechia\"]\n", `searcher[0].countries[1]: "Czechia": a country code of two letters is wanted`},
		{"no countries", head + "[[searcher]]\nkind = \"geoip\"\npoints = 1\n", "searcher[0].countries: is missing; write an array, like [ … ]"},
		{"no country among the countries", head + "[[searcher]]\nkind = \"geoip\"\npoints = 1\ncountries = []\n", "searcher[0].countries: is empty"},
		{"a country where several may stand", head + "[[searcher]]\nkind = \"geoip\"\npoints = 1\ncountries = \"CZ\"\n", "searcher[0].countries: is a string; write an array, like [ … ]"},
		{"a domain is no URL", head + "[[searcher]]\nkind = \"url\"\npoints = 1\ndomains = [\".cz\", \"http://a.cz/\"]\n", `searcher[0].domains[1]: "http://a.cz/": a domain is wanted`},
		{"no domain among the domains", head + "[[searcher]]\nkind = \"tld\"\npoints = 1\ndomains = []\n", "searcher[0].domains: is empty"},
		{"a charset that nobody knows", head + "[[searcher]]\nkind = \"charset\"\npoints = 1\ncharsets = [\"cp1250\", \"kamenicky\"]\n", `searcher[0].charsets[1]: "kamenicky": a charset that browsers know is wanted`},
		{"no charset among the charsets", head + "[[searcher]]\nkind = \"charset\"\npoints = 1\ncharsets = []\n", "searcher[0].charsets: is empty"},
		{"a share of no pages says nothing", head + "[[searcher]]\nkind = \"host\"\npoints = 1\nmin_pages = 0\n", "searcher[0].min_pages: 0 is less than 1"},
		{"no currency", head + "[[searcher]]\nkind = \"currency\"\npoints = 1\nunits = []\n", "searcher[0].units: is empty"},
		{"an amount is no currency", head + "[[searcher]]\nkind = \"currency\"\npoints = 1\nunits = [\"Kč\", \"100 Kč\"]\n", `searcher[0].units[1]: "100 Kč": the sign, code or word`},
		{"a place where no language is declared", head + "[[searcher]]\nkind = \"html_lang\"\npoints = 1\npattern = 'a'\nwhere = \"body\"\n", `searcher[0].where: "body": "any", "root"`},
		{"towns of nobody", head + "[[searcher]]\nkind = \"cities\"\npoints = 1\nlist = \"\"\n", "searcher[0].list: is empty"},
		{"no site at all", head + "[[searcher]]\nkind = \"valid_link\"\npoints = 1\n", "searcher[0]: names no site"},
		{"what is no site", head + "[[searcher]]\nkind = \"valid_link\"\npoints = 1\nsites = [\"a.cz\", \"http://\"]\n", `searcher[0].sites[1]: "http://": a host, a domain, a URL or a SURT prefix is wanted`},
		{"a forbidden link that speaks for a page", head + "[[searcher]]\nkind = \"forbidden_link\"\npoints = 5\nsites = [\"a.cz\"]\n", "searcher[0].points: 5: a searcher of kind forbidden_link takes points away; write -5"},
		{"a forbidden word that speaks for a page", head + "[[searcher]]\nkind = \"forbidden_dictionary\"\npoints = 5\nlist = \"x.txt\"\n", "searcher[0].points: 5: a searcher of kind forbidden_dictionary takes points away; write -5"},
		{"a pattern that matches nothing is found everywhere", head + "[[searcher]]\nkind = \"regexp\"\npoints = 1\npattern = 'a*'\n", "searcher[0].pattern: \"a*\" matches nothing, too"},
		{"what is valid must compile, and it is searched somewhere", head + "[[searcher]]\nkind = \"regexp\"\npoints = 1\npattern = 'a'\nvalid = '('\nin = 'head'\n", "x.toml:9:1: searcher[0].in: \"head\": \"source\" or \"text\""},
		{"an option of another kind", one + "list = \"cs\"\n", "searcher[0].list: unknown key"},
		{"a second of a kind needs a name", one + "[[searcher]]\nkind = \"email\"\npoints = 2\npattern = 'b'\n", `searcher[1].name: "email" is taken`},
		{"points have bounds", strings.Replace(one, "points = 1\npat", "points = 1000001\npat", 1), "searcher[0].points: 1000001"},
		{"a share is a part of one", one + "min_share = 4\n", "searcher[0].min_share: 4: 0 to 1"},
		{"not a number is no share", one + "min_share = nan\n", "searcher[0].min_share: NaN"},
		{"a cap is no debt", one + "cap = -5\n", "searcher[0].cap: -5"},
		{"a flag is no word", one + "distinct = \"yes\"\n", "searcher[0].distinct: is a string; write true or false"},
		{"one table where an array is wanted", head + "[searcher]\nkind = \"email\"\n", "searcher: is a table; write [[searcher]] tables"},
		{"all problems at once", head + "a = 1\n[[searcher]]\nkind = \"phone\"\nb = 2\n", "x.toml:4:1: profile.a: unknown key; remove it; known here are name, nation, description, min_points, depth, judged_types, evidence, own_domains, decide, expression\n" +
			"x.toml:5:3: searcher[0].points: is missing; write a whole number\nx.toml:5:3: searcher[0].pattern: is missing; write a string in quotes\n" +
			"x.toml:7:1: searcher[0].b: unknown key; remove it; known here are kind, name, points, cap, distinct, min_distinct, min_share, pattern"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			_, problems := analyzer.ParseProfile([]byte(tt.in), "x.toml")
			var lines []string
			for _, p := range problems {
				lines = append(lines, p.String())
			}
			got := strings.Join(lines, "\n")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}

// TestProfileDefaults: what a profile does not say (docs/formats/profile.md).
func TestProfileDefaults(t *testing.T) {
	p, problems := analyzer.ParseProfile([]byte(good), "x.toml")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if p.Depth != 0 || p.Evidence != analyzer.DetailFull || !slices.Equal(p.JudgedTypes, analyzer.DefaultTypes()) {
		t.Errorf("%+v", p)
	}
	if s := p.Searchers[0]; s.Name != "email" || s.Cap != 0 || s.Distinct {
		t.Errorf("%+v", s)
	}
}

// TestListBesideProfile: a profile and its word lists are moved together.
func TestListBesideProfile(t *testing.T) {
	dir := t.TempDir()
	text := strings.Replace(good, `kind = "email"`, `kind = "dictionary"`, 1)
	text = strings.Replace(text, `pattern = 'cz$'`, `list = "towns.txt"`, 1)
	file := filepath.Join(dir, "p.toml")
	for name, data := range map[string]string{file: text, filepath.Join(dir, "towns.txt"): "praha\n"} {
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, err := analyzer.Open(t.Context(), analyzer.Config{Profiles: []string{"p.toml"}, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	v := verdicts(t, a, &analyzer.Page{Type: "text/plain", Text: strings.Repeat("Praha ", 10)})["x"]
	if !v.Valid || v.Points != 10 {
		t.Errorf("%s", explain(v))
	}
}

func TestOpenErrors(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.toml")
	if err := os.WriteFile(bad, []byte("[profile]\nmin_points = 1\n[[searcher]]\nkind = \"x\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing, _ := analyzer.ParseProfile([]byte(`
[profile]
name = "m"
min_points = 1
[[searcher]]
kind = "dictionary"
list = "xx"
points = 1
`), "m.toml")
	tests := []struct {
		why  string
		c    analyzer.Config
		want []string
	}{
		{"no profile judges nothing", analyzer.Config{}, []string{"profiles", "cz"}},
		{"an unknown profile names those there are", analyzer.Config{Profiles: []string{"xx"}}, []string{`"xx"`, "au, cz, dk, gr, hr, hu, no, original, pl, pt, si, sk, th"}},
		{"a file that is not there", analyzer.Config{Profiles: []string{"no.toml"}}, []string{"no.toml"}},
		{"all problems of a file", analyzer.Config{Profiles: []string{bad}}, []string{"bad.toml", "profile.name", "searcher[0].kind", "searcher[0].points"}},
		{"one profile twice has one verdict too many", analyzer.Config{Profiles: []string{"cz", "cz"}}, []string{"cz is given twice"}},
		{"a word list that is not there", analyzer.Config{Further: []analyzer.Profile{missing}}, []string{"profile m", "dictionary", `"xx"`}},
		{"a kind of evidence that is none", analyzer.Config{Profiles: []string{"cz"}, Evidence: "x"}, []string{"evidence"}},
		{"a negative size", analyzer.Config{Profiles: []string{"cz"}, MaxText: -1}, []string{"max_text"}},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			_, err := analyzer.Open(t.Context(), tt.c)
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%v: lacks %q", err, w)
				}
			}
		})
	}
	if _, err := analyzer.LoadProfile("xx"); !errors.Is(err, analyzer.ErrNoProfile) {
		t.Errorf("%v is not ErrNoProfile", err)
	}
}

func FuzzParseProfile(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("[[searcher]]\nkind = 1\n[profile]\njudged_types = [[]]\n"))
	for _, name := range analyzer.Builtins() {
		src, err := analyzer.BuiltinSource(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, problems := analyzer.ParseProfile(data, "f.toml")
		if len(problems) == 0 && (p.Name == "" || len(p.Searchers) == 0) {
			t.Errorf("no problem in %+v", p)
		}
	})
}
