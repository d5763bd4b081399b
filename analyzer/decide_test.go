package analyzer_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"exclave/analyzer"
)

// weighed is a profile with a probability and an expression beside its points.
const weighed = `
[profile]
name = "w"
min_points = 100
decide = "probability"
expression = 'tld("pt", ".br") || valid("email") > 1 && inlink_tld("pt") && words < 100'
[[searcher]]
kind = "email"
pattern = 'pt$'
points = 10
[[searcher]]
kind = "html_lang"
name = "lang"
pattern = '^pt'
points = 5
[probability]
bias = -1.5
min = 0.6
[[probability.term]]
of = "email"
value = "distinct"
scale = "log"
cap = 3
weight = 2
[[probability.term]]
of = "lang"
value = "valid"
scale = "any"
weight = 0.75
name = "declared"
[[probability.term]]
of = "page"
value = "one"
words = [0, 9]
weight = -0.9
[[probability.term]]
of = "page"
value = "words"
words = [100, 0]
weight = 1
`

func TestProbability(t *testing.T) {
	a := custom(t, analyzer.Config{}, weighed)
	page := &analyzer.Page{Type: "text/html", Text: "a b c is too short", Source: "a@b.pt a@b.pt c@d.pt", Langs: []analyzer.Lang{{Value: "pt", Where: "html@lang"}, {Value: "pt", Where: "p@lang"}}}
	v := verdicts(t, a, page)["w"]
	// By hand: −1.5 + 2·ln(1+2) + 0.75 − 0.9 = 0.5472.
	if got := v.LogOdds(); math.Abs(got-0.5472) > 1e-9 {
		t.Errorf("log odds %v", got)
	}
	if want := 0.633486; math.Abs(*v.Probability-want) > 2e-6 || !v.Valid || v.DecidedBy != analyzer.DecideProbability || v.Points != 40 {
		t.Errorf("probability %v, valid %v by %s, %d points", *v.Probability, v.Valid, v.DecidedBy, v.Points)
	}
	got := explain(v)
	for _, want := range []string{
		"profile w: valid, probability 0.633 of 0.6 needed; expression false; 40 points\n",
		"  log odds +0.55 = +2.2 email distinct 2 (a@b.pt ×2), -0.9 at most 9 words: 3 words, +0.8 declared 2 (pt ×2), -1.5 bias\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	tail := `"words":3,"decided_by":"probability","probability":0.633486,"min_probability":0.6,"terms":[{"name":"bias","value":1,"weight":-1.5,"added":-1.5},` +
		`{"name":"email distinct","of":"email","value":2,"weight":2,"added":2.1972},{"name":"declared","of":"lang","value":2,"weight":0.75,"added":0.75},` +
		`{"name":"at most 9 words","of":"page","value":1,"weight":-0.9,"added":-0.9}],"expression":false}`
	if !strings.HasSuffix(string(data), tail) {
		t.Errorf("%s\nlacks %s", data, tail)
	}
}

// TestTermScales: what is weighed of a value, by hand.
// A page that is probable enough is not valid when none of the searchers has anything that the profile needs; it says so, and
// judged again without them it is.
func TestProbabilityNeeds(t *testing.T) {
	source := strings.Replace(weighed, "min = 0.6\n", "min = 0.6\nneeds = [\"lang\"]\n", 1)
	a := custom(t, analyzer.Config{}, source)
	page := &analyzer.Page{Type: "text/html", Text: strings.Repeat("palavra ", 20), Source: "a@b.pt c@d.pt"}
	v := verdicts(t, a, page)["w"]
	if v.Valid || *v.Probability < 0.6 || !slices.Equal(v.Lacks, []string{"lang"}) {
		t.Errorf("valid %v, probability %v, lacks %v", v.Valid, *v.Probability, v.Lacks)
	}
	if got, want := explain(v), "not valid, probability 0.668 of 0.6 needed, but nothing of what one is needed of: lang; "; !strings.Contains(got, want) {
		t.Errorf("%s\nlacks %s", got, want)
	}
	without, _ := analyzer.ParseProfile([]byte(weighed), "x.toml")
	again, err := analyzer.NewRejudge(without).Verdict(v, analyzer.Seen{}, -1)
	if err != nil || !again.Valid || again.Lacks != nil {
		t.Errorf("without needs: valid %v, lacks %v, %v", again.Valid, again.Lacks, err)
	}
	page.Langs = []analyzer.Lang{{Value: "pt", Where: "html@lang"}}
	if v := verdicts(t, a, page)["w"]; !v.Valid || v.Lacks != nil {
		t.Errorf("with it: valid %v, lacks %v", v.Valid, v.Lacks)
	}
}

func TestTermScales(t *testing.T) {
	for _, tt := range []struct {
		why, term string
		found     string
		want      float64
	}{
		{"a count as it is", `value = "valid"`, "a@x.pt b@x.pt c@x.pt", 3},
		{"a count up to its cap", "value = \"valid\"\ncap = 2", "a@x.pt b@x.pt c@x.pt", 2},
		{"the logarithm counts from one", "value = \"valid\"\nscale = \"log\"", "a@x.pt", 0.6931},
		{"nothing has no logarithm", "value = \"valid\"\nscale = \"log\"", "", 0},
		{"anything is one", "value = \"valid\"\nscale = \"any\"", "a@x.pt b@x.pt", 1},
		{"the share of what was found", `value = "share"`, "a@x.pt b@x.es", 0.5},
		{"nothing found has no share", `value = "share"`, "", 0},
		{"by the length of the text", `value = "per_word"`, "a@x.pt", 0.25},
		{"a page long enough", "value = \"valid\"\nwords = [4, 0]", "a@x.pt", 1},
		{"a page too short", "value = \"valid\"\nwords = [5, 0]", "a@x.pt", 0},
		{"a page in the range", "value = \"valid\"\nwords = [4, 4]", "a@x.pt", 1},
		{"a page too long", "value = \"valid\"\nwords = [0, 3]", "a@x.pt", 0},
		{"points after their cap", `value = "points"`, "a@x.pt b@x.pt", 5},
	} {
		t.Run(tt.why, func(t *testing.T) {
			a := custom(t, analyzer.Config{}, searcher("kind = \"email\"\npattern = 'pt$'\npoints = 5\ncap = 5")+
				"[probability]\nbias = 0\nmin = 0.5\n[[probability.term]]\nof = \"email\"\nweight = 1\n"+tt.term)
			v := verdicts(t, a, &analyzer.Page{Type: "text/html", Text: "vier lange Worte hier", Source: tt.found})["t"]
			if got := v.LogOdds(); got != tt.want {
				t.Errorf("%v, want %v: %+v", got, tt.want, v.Terms)
			}
		})
	}
}

func TestExpression(t *testing.T) {
	for _, tt := range []struct {
		why, expression, url, via string
		want                      bool
	}{
		{"a definition of System 1", `tld("pt") || tld("com","net","org") && valid("email") > 0 && inlink_tld("pt")`, "https://a.pt/", "", true},
		{"and its second half", `tld("pt") || tld("com","net","org") && valid("email") > 0 && inlink_tld("pt")`, "https://a.com/", "https://x.b.pt/y", true},
		{"linked from elsewhere", `tld("pt") || tld("com","net","org") && valid("email") > 0 && inlink_tld("pt")`, "https://a.com/", "https://b.es/", false},
		{"a name that ends alike is no domain", `tld("pt")`, "https://a.opt/", "", false},
		{"the domain itself, with a dot before it", `tld(".gov.pt")`, "https://gov.pt/", "", true},
		{"a domain in letters of its own", `tld("бг")`, "https://xn--e1afmkfd.xn--90ae/", "", true},
		{"words of title and text", `words == 2`, "https://a.pt/", "", true},
		{"points and shares", `points == 10 && share("email") == 0.5 && found("email") == 2 && distinct("email") == 1 && counted("email") == 1`, "https://a.pt/", "", true},
		{"a value by its name", `value("email", "per_word") == 0.5`, "https://a.pt/", "", true},
		{"parts of the address", `host == "a.pt" && url contains "/cs/" && not (via startsWith "http")`, "https://a.pt/cs/", "", true},
		{"what cannot be computed is false", `words % 0 == 0`, "https://a.pt/", "", false},
	} {
		t.Run(tt.why, func(t *testing.T) {
			profile := strings.Replace(searcher("kind = \"email\"\npattern = 'pt$'\npoints = 10"), "min_points = 1\n", "decide = \"expression\"\nexpression = '"+tt.expression+"'\n", 1)
			a := custom(t, analyzer.Config{}, profile)
			v := verdicts(t, a, &analyzer.Page{URL: tt.url, Via: tt.via, Type: "text/html", Title: "zwei", Text: "Worte", Source: "a@x.pt b@x.es"})["t"]
			if v.Valid != tt.want || *v.Expression != tt.want || v.DecidedBy != analyzer.DecideExpression {
				t.Errorf("%v: %s", v.Valid, explain(v))
			}
		})
	}
}

// TestDeciderProblems: what cannot be is found when the profile is opened, with its place.
func TestDeciderProblems(t *testing.T) {
	for _, tt := range []struct{ why, old, new, want string }{
		{"a good one", "", "", ""},
		{"a decider that is none", `"probability"`, `"chance"`, `x.toml:5:1: profile.decide: "chance": "points", "probability" or "expression"`},
		{"an unknown name", "words < 100", "wrds < 100", `x.toml:6:1: profile.expression: line 1, column 63 of the expression: unknown name wrds`},
		{"an unknown searcher", `valid("email")`, `valid("mail")`, `column 27 of the expression: "mail": no searcher is called so`},
		{"an unknown value", `valid("email")`, `value("email", "shore")`, `"shore": email has found, valid, distinct, counted, points, share, per_word`},
		{"a language that nobody looks for", `tld("pt", ".br")`, `lang("pt")`, `lang("pt"): no searcher of the profile looks for it`},
		{"what is computed cannot be checked", `tld("pt", ".br")`, `tld(host)`, `tld takes texts in quotes`},
		{"no question", `tld("pt", ".br")`, `tld()`, `tld() asks for nothing`},
		{"no domain", `".br"`, `"b r"`, `"b r": a domain is wanted`},
		{"a number is no verdict", `words < 100'`, `words < 100 ? 1 : 0'`, "profile.expression: "},
		{"nothing from outside", `words < 100`, `now().Unix() > 0`, "unknown name now"},
		{"syntax", "words < 100'", "words <'", "profile.expression: line 1"},
		{"a term of no searcher", `of = "lang"`, `of = "language"`, `probability.term[1].of: "language": no searcher is called so; there are page, email, lang`},
		{"a value that nobody has", `value = "distinct"`, `value = "margin"`, `probability.term[0].value: "margin": email has found`},
		{"a value of pages", `value = "words"`, `value = "valid"`, `probability.term[3].value: "valid": page has one, words, points`},
		{"a scale that is none", `"any"`, `"some"`, `probability.term[1].scale: "some": "linear", "log" or "any"`},
		{"a range with no end", `[0, 9]`, `[9]`, `probability.term[2].words: two numbers are wanted`},
		{"a range that is none", `[0, 9]`, `[9, 2]`, `probability.term[2].words: 9 to 2 is no range`},
		{"certainty", `min = 0.6`, `min = 1`, `probability.min: 1: more than 0 and less than 1`},
		{"a weight that is no number", `weight = 2`, `weight = inf`, "probability.term[0].weight: "},
		{"no weight", "cap = 3\nweight = 2", "cap = 3", "probability.term[0].weight: is missing; write a number"},
		{"two terms with one name", "name = \"declared\"", `name = "email distinct"`, `probability.term[1].name: "email distinct" is taken`},
		{"a misspelt key", "cap = 3", "cup = 3", "probability.term[0].cup: unknown key; did you mean cap?"},
		{"points are not needed when they do not decide", "min_points = 100\n", "", ""},
		{"they are, when they do", "min_points = 100\ndecide = \"probability\"\n", "", "profile.min_points: is missing; write a whole number"},
		{"an expression that is not there", "expression", "# expression", ""},
		{"but decides", "decide = \"probability\"\nexpression", "decide = \"expression\"\n# expression", "profile.decide: the profile has no expression"},
		{"a probability that is not there, but decides", weighed[strings.Index(weighed, "[probability]"):], "", "profile.decide: the profile has no [probability]"},
		{"a need of no searcher", "min = 0.6", "min = 0.6\nneeds = [\"lang\", \"words\"]", `probability.needs[1]: "words": no searcher is called so`},
		{"no terms", weighed[strings.Index(weighed, "[[probability.term]]"):], "", "probability.term: there is none"},
	} {
		t.Run(tt.why, func(t *testing.T) {
			if !strings.Contains(weighed, tt.old) {
				t.Fatal("nothing to replace")
			}
			_, problems := analyzer.ParseProfile([]byte(strings.Replace(weighed, tt.old, tt.new, 1)), "x.toml")
			got := fmt.Sprint(problems)
			if tt.want == "" && len(problems) > 0 || !strings.Contains(got, tt.want) {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestRejudge: the profile of a harvest changes no verdict that was logged, other weights
// change it as if the page had been judged by them, and what the log lacks is said.
func TestRejudge(t *testing.T) {
	page := &analyzer.Page{URL: "https://a.pt/", Type: "text/html", Text: "a b c is too short", Source: "a@b.pt c@d.pt", Langs: []analyzer.Lang{{Value: "pt", Where: "html@lang"}}}
	other := strings.NewReplacer("bias = -1.5", "bias = -3", "points = 10", "points = 60", "tld(\"pt\"", "tld(\"es\"").Replace(weighed)
	run := func(text string) (analyzer.Profile, analyzer.Verdict) {
		p, _ := analyzer.ParseProfile([]byte(text), "x.toml")
		v := verdicts(t, custom(t, analyzer.Config{}, text), page)["w"]
		data, err := json.Marshal(v) // as a log has it
		if err == nil {
			v = analyzer.Verdict{}
			err = json.Unmarshal(data, &v)
		}
		if err != nil {
			t.Fatal(err)
		}
		return p, v
	}
	text := func(v analyzer.Verdict) string { data, _ := json.Marshal(v); return string(data) }
	was, logged := run(weighed)
	new, fresh := run(other)
	seen := analyzer.Seen{URL: page.URL}
	if got, err := analyzer.NewRejudge(was).Verdict(logged, seen, -1); err != nil || text(got) != text(logged) {
		t.Errorf("%v\n%s\nwant\n%s", err, text(got), text(logged))
	}
	if got, err := analyzer.NewRejudge(new).Verdict(logged, seen, -1); err != nil || text(got) != text(fresh) || text(got) == text(logged) {
		t.Errorf("%v\n%s\nwant\n%s", err, text(got), text(fresh))
	}
	_, points := run(weighed[:strings.Index(weighed, "decide")] + weighed[strings.Index(weighed, "[[searcher]]"):strings.Index(weighed, "[probability]")])
	if points.Words != nil || points.DecidedBy != "" {
		t.Errorf("a profile of points has more than before: %s", text(points))
	}
	if _, err := analyzer.NewRejudge(was).Verdict(points, seen, -1); !errors.Is(err, analyzer.ErrUnlogged) {
		t.Errorf("without words: %v", err)
	}
	if got, err := analyzer.NewRejudge(was).Verdict(points, seen, 3); err != nil || text(got) != text(logged) {
		t.Errorf("with words that are known: %v\n%s\nwant\n%s", err, text(got), text(logged))
	}
	logged.By = logged.By[:1]
	if _, err := analyzer.NewRejudge(was).Verdict(logged, seen, -1); !errors.Is(err, analyzer.ErrUnlogged) || !strings.Contains(err.Error(), "lang") {
		t.Errorf("without a searcher: %v", err)
	}
	if got, err := analyzer.NewRejudge(was, "lang").Verdict(logged, seen, -1); err != nil || len(got.By) != 1 {
		t.Errorf("judged without it: %v %+v", err, got)
	}
}

// TestNear: what is half valid leads the crawl, whatever decides.
func TestNear(t *testing.T) {
	p := func(x float64) *float64 { return &x }
	for _, tt := range []struct {
		why  string
		v    analyzer.Verdict
		want bool
	}{
		{"half the points", analyzer.Verdict{Judged: true, Points: 50, Min: 100}, true},
		{"fewer", analyzer.Verdict{Judged: true, Points: 49, Min: 100}, false},
		{"valid is not near", analyzer.Verdict{Judged: true, Valid: true, Points: 100, Min: 100}, false},
		{"half the probability, no points", analyzer.Verdict{Judged: true, DecidedBy: analyzer.DecideProbability, Probability: p(.45), MinProbability: .9}, true},
		{"points do not count then", analyzer.Verdict{Judged: true, DecidedBy: analyzer.DecideProbability, Probability: p(.4), MinProbability: .9, Points: 99, Min: 100}, false},
	} {
		if tt.v.Near() != tt.want {
			t.Errorf("%s: %v", tt.why, !tt.want)
		}
	}
}

// TestDecidersAreParts: a begun job is refused another weight, and knows nothing of deciders
// that a profile does not have.
func TestDecidersAreParts(t *testing.T) {
	with := fmt.Sprint(custom(t, analyzer.Config{}, weighed).Parts())
	other := fmt.Sprint(custom(t, analyzer.Config{}, strings.Replace(weighed, "weight = 2", "weight = 2.1", 1)).Parts())
	for _, want := range []string{"{profile w, decide probability}", "{profile w, expression ", "{profile w, probability.bias -1.5}", "{profile w, probability.min 0.6}"} {
		if !strings.Contains(with, want) {
			t.Errorf("%s is not in %s", want, with)
		}
	}
	if with == other {
		t.Error("another weight, and the parts are the same")
	}
	if parts := fmt.Sprint(open(t, "original").Parts()); strings.Contains(parts, "decide") {
		t.Error(parts)
	}
}

// TestLanguageDecides: expressions ask for a language by its code, terms weigh its named values.
func TestLanguageDecides(t *testing.T) {
	a := custom(t, analyzer.Config{}, "[profile]\nname = \"t\"\ndecide = \"expression\"\nexpression = 'lang(\"cs\", \"CS\") && value(\"language\", \"margin\") > 0'\n"+
		"[[searcher]]\nkind = \"language\"\nlanguage = \"cs\"\npoints = 1\n[probability]\nbias = 0\nmin = 0.5\n[[probability.term]]\nof = \"language\"\nvalue = \"in_sk\"\nweight = -1\n")
	for text, want := range map[string]bool{czechText: true, "Our bakery bakes fresh bread every day and delivers it to the villages around the town.": false} {
		if v := verdicts(t, a, htmlPage(text))["t"]; v.Valid != want {
			t.Errorf("%s", explain(v))
		}
	}
}
