package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"exclave/analyzer"
	"exclave/analyzer/labelled"
	"exclave/internal/evaluation"
)

// written are the figures of docs/recognition.md.
func written(t *testing.T) (r results) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "data", "recognition.json"))
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPage: the page is what the figures give; nobody edited it, and no figure came from elsewhere.
func TestPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "recognition.md"))
	if err != nil {
		t.Fatal(err)
	}
	if r := written(t); r.markdown() != string(page) {
		t.Errorf("docs/recognition.md is not what docs/data/recognition.json gives; run %s", r.Command)
	}
}

// stale names what is another one now than what was measured; the shared data need not be there.
func stale(measured, now []input) (names []string) {
	for _, i := range now {
		if !slices.Contains(measured, i) {
			names = append(names, i.Name)
		}
	}
	for _, i := range measured {
		if i.Name != sharedSet && !slices.ContainsFunc(now, func(j input) bool { return j.Name == i.Name }) {
			names = append(names, i.Name)
		}
	}
	return names
}

func TestStale(t *testing.T) {
	measured := []input{{"profile cz", "9 lines", "aa"}, {"profile sk", "9 lines", "bb"}, {sharedSet, "", "cc"}}
	for _, tt := range []struct {
		why  string
		now  []input
		want []string
	}{
		{"nothing is another one; without the shared data", measured[:2], nil},
		{"a profile was changed", []input{measured[0], {"profile sk", "9 lines", "bc"}}, []string{"profile sk"}},
		{"a profile more, one less", []input{measured[0], {"profile pl", "9 lines", "dd"}}, []string{"profile pl", "profile sk"}},
		{"the shared data were changed", []input{measured[0], measured[1], {sharedSet, "", "cd"}}, []string{sharedSet}},
	} {
		if got := stale(measured, tt.now); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.why, got, tt.want)
		}
	}
	if a, b := settings([]byte("# why\na = 1\n\n b = 2\n")), settings([]byte("a = 1\nb = 2 \n#\n")); digest(a) != digest(b) {
		t.Error("a comment changes the digest of a profile")
	}
}

func TestTally(t *testing.T) {
	in := group{"all", tally{evaluation.Counts{TruePositive: 5, FalsePositive: 1, FalseNegative: 2, TrueNegative: 90}}}
	data, err := json.Marshal(in)
	if want := `{"name":"all","counts":"5 right, 2 missed, 1 wrong, 90 neither"}`; err != nil || string(data) != want {
		t.Fatalf("%s %v", data, err)
	}
	var out group
	if err := json.Unmarshal(data, &out); err != nil || out != in {
		t.Errorf("%+v %v", out, err)
	}
}

// judged is a page with a verdict of the profile x.
func judged(points int64, own ...string) *page {
	return &page{Page: labelled.Page{Nations: own}, verdicts: map[string]*analyzer.Verdict{"x": {Points: points}}}
}

// TestAtLeast: the threshold is that with the best F1, and of nothing found nothing is learned.
func TestAtLeast(t *testing.T) {
	n := nation{Name: "cz"}
	train := []*page{judged(9, "cz"), judged(7, "cz"), judged(7), judged(5, "cz"), judged(2), judged(2), judged(2), judged(0, "cz")}
	is, note, err := atLeast(n, points("x"))(train)
	if err != nil || note != "at least 5" { // 3 of 4 right, 1 missed, 1 wrong
		t.Fatal(note, err)
	}
	if !is(judged(5)) || is(judged(4)) || is(&page{}) {
		t.Error("5 and more is valid, and nothing else")
	}
	is, note, _ = atLeast(n, points("x"))([]*page{judged(0, "cz"), judged(-3)})
	if note != "never found" || is(judged(100)) {
		t.Error(note)
	}
}

func TestInLanguage(t *testing.T) {
	in := func(code string, values map[string]float64) *page {
		v := &analyzer.Verdict{By: []analyzer.Scored{{Searcher: "in_" + code, Finding: analyzer.Finding{Values: values}}}}
		return &page{verdicts: map[string]*analyzer.Verdict{languagesProfile: v}}
	}
	n := nation{Languages: []string{"nb", "no"}}
	for _, tt := range []struct {
		why  string
		p    *page
		want bool
	}{
		{"most of it", in("no", map[string]float64{"share": 0.6, "in_da": 0.4}), true},
		{"side by side", in("no", map[string]float64{"share": 0.5, "in_da": 0.5}), true},
		{"less than another", in("no", map[string]float64{"share": 0.3, "in_da": 0.5}), false},
		{"nothing is known", in("no", map[string]float64{"share": 0}), false},
		{"another nation's language", in("da", map[string]float64{"share": 1}), false},
		{"not judged", &page{}, false},
	} {
		if got := inLanguage(n)(tt.p); got != tt.want {
			t.Errorf("%s: %v", tt.why, got)
		}
	}
}

// TestProfiles: what the profiles are compared with can be opened, and judges a page.
func TestProfiles(t *testing.T) {
	list, err := nations()
	if err != nil {
		t.Fatal(err)
	}
	a, err := open(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	p := &page{Page: labelled.Page{URL: "http://a.test/", HTML: "<html lang=sk><p>Ďakujeme, že ste prišli, a tešíme sa na ďalšie stretnutie.", Type: "text/html; charset=utf-8", Language: "sk", Nations: []string{"sk"}}}
	if err := judgeAll(t.Context(), a, []*page{p}, t.Logf); err != nil {
		t.Fatal(err)
	}
	for i, n := range list {
		v := p.verdicts[originalName(n)]
		if a.Profiles()[i].Name != n.Name || v == nil || (v.Points > 2) != (n.Name == "sk") {
			t.Errorf("%s: %+v", n.Name, v)
		}
		if got := inLanguage(n)(p); got != p.belongs(n) {
			t.Errorf("%s: in its language: %v", n.Name, got)
		}
	}
	if p.Words != 9 || len(p.judged.Langs) != 1 {
		t.Errorf("%d words, %v", p.Words, p.judged.Langs)
	}
}

// TestLengths: each length has one row, and a page in no language of the nation is foreign.
func TestLengths(t *testing.T) {
	for words, want := range map[int]string{0: "0–9", 9: "0–9", 10: "10–19", 19: "10–19", 49: "35–49", 50: "50–99", 399: "200–399", 5000: "400 or more"} {
		if got := lengthOf(words); got != want {
			t.Errorf("%d: %s", words, got)
		}
	}
	n := nation{Name: "cz", Languages: []string{"cs"}}
	p := judged(0)
	if p.Language = "cs"; p.foreign(n) {
		t.Error("a page in the nation's language is foreign")
	}
	if p.Language = "pl"; !p.foreign(n) {
		t.Error("a page in another language is not")
	}
	if p.ascii = 20; p.foreign(n) {
		t.Error("a passage beside the set counts")
	}
}
