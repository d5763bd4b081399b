package analyzer

import (
	"strings"
	"testing"
)

// ADR 54: a text's language is evidence, never the verdict, unless the profile says so; then the user is told, whatever
// decides, once a profile, with the length from which it is so.
func TestLanguageAlone(t *testing.T) {
	const slovak = "\n[[searcher]]\nkind = \"language\"\nname = \"sk\"\nlanguage = \"sk\"\npoints = 0\n"
	const languages = "\n[[searcher]]\nkind = \"language\"\nlanguage = \"cs\"\npoints = 20\ncap = 60\n[[searcher]]\nkind = \"html_lang\"\npattern = \"^cs\"\npoints = 60\n" + slovak
	const odds = "[probability]\nbias = -4.0\nmin = 0.9\n[[probability.term]]\nof = \"language\"\nvalue = \"share\"\nweight = "
	for name, c := range map[string]struct{ text, want string }{
		"points below the threshold": {"min_points = 61" + languages, ""},
		"points that reach it":       {"min_points = 60" + languages, "profile own accepts a text of 50 words for its language alone (language): "},
		"unlikely":                   {"decide = \"probability\"" + languages + odds + "6.0", ""},
		"probable":                   {"decide = \"probability\"" + languages + odds + "7.0", "a text of 10 words"},
		"probable, but when short": {"decide = \"probability\"" + languages + odds + "7.0\n[[probability.term]]\nof = \"page\"\nvalue = \"one\"\nwords = [0, 99]\nweight = -3.0",
			"a text of 100 words"},
		"probable, but for what speaks against it": {"decide = \"probability\"" + languages + odds + "7.0\n[[probability.term]]\nof = \"sk\"\nvalue = \"best_other\"\nweight = -3.0", ""},
		"probable, but something else is needed":   {"decide = \"probability\"" + languages + strings.Replace(odds, "min =", "needs = [\"html_lang\"]\nmin =", 1) + "7.0", ""},
		"computed, but not what decides":           {"min_points = 61" + languages + odds + "7.0", ""},
		"an expression of it alone":                {"decide = \"expression\"\nexpression = 'lang(\"cs\")'" + languages, "a text of 10 words"},
		"an expression of more":                    {"decide = \"expression\"\nexpression = 'lang(\"cs\") && tld(\"cz\")'" + languages, ""},
		"no such searcher":                         {"min_points = 0\n[[searcher]]\nkind = \"tld\"\ndomains = [\"cz\"]\npoints = 1", ""},
	} {
		_, p, problems := parseProfile([]byte("[profile]\nname = \"own\"\n"+c.text), "own.toml", kinds())
		if len(problems) > 0 {
			t.Fatalf("%s: %v", name, problems)
		}
		got := Config{Further: []Profile{p}}.LanguageAlone()
		if (c.want == "") != (len(got) == 0) || len(got) > 1 || len(got) == 1 && !strings.Contains(got[0], c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
