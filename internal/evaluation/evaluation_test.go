package evaluation_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"exclave/analyzer"
	"exclave/internal/evaluation"
	"exclave/internal/labels"
)

// sample is a page with so many points of 100, of one searcher that counted them.
func sample(n int, nations []string, language string, words, points int) labels.Sample {
	v := analyzer.Verdict{Profile: "cz", Judged: true, Valid: points >= 100, Points: int64(points), Min: 100,
		By: []analyzer.Scored{{Searcher: "words", Counted: points / 10, Points: int64(points)}}}
	return labels.Sample{Page: &labels.Page{URL: fmt.Sprintf("http://%d.test/", n), Nations: &nations, Language: language}, Words: words, Verdicts: []analyzer.Verdict{v}}
}

// TestReport: every figure of six pages, by hand.
func TestReport(t *testing.T) {
	p := analyzer.Profile{Name: "cz", Searchers: []analyzer.SearcherConfig{{Name: "words"}}}
	b := evaluation.NewBuilder(p, "cz", 0, 1)
	for i, s := range []labels.Sample{
		sample(0, []string{"cz"}, "cs", 300, 200),
		sample(1, []string{"cz", "sk"}, "cs", 60, 120),
		sample(2, []string{"cz"}, "cs", 19, 40),
		sample(3, []string{"cz"}, "cs", 20, 80),
		sample(4, []string{"sk"}, "sk", 49, 110),
		sample(5, nil, "en", 50, 0),
		sample(6, nil, "en", -1, 0),
	} {
		if i >= 5 {
			*s.Nations = []string{}
		}
		b.Add(s)
	}
	b.Add(labels.Sample{Page: &labels.Page{Label: map[string]bool{"sk": true}}, Verdicts: []analyzer.Verdict{{}}})
	r := b.Report()
	if want := (evaluation.Counts{TruePositive: 2, FalsePositive: 1, FalseNegative: 2, TrueNegative: 2}); r.All != want || r.Unlabelled != 1 {
		t.Errorf("%+v", r.All)
	}
	if p, q, f := r.All.Precision(), r.All.Recall(), r.All.F1(); math.Abs(float64(p)-2./3) > 1e-9 || q != .5 || math.Abs(float64(f)-4./7) > 1e-9 {
		t.Error(p, q, f)
	}
	lengths := ""
	for _, g := range r.ByLength {
		lengths += fmt.Sprintf("%s %d %v; ", g.Name, g.Pages(), g.Recall())
	}
	if want := "< 20 words 1 0.0 %; 20–49 words 2 0.0 %; 50–199 words 2 100.0 %; ≥ 200 words 1 100.0 %; ≥ 50 words 3 100.0 %; ? 1 –; "; lengths != want {
		t.Error(lengths)
	}
	if got := fmt.Sprint(r.Confusion); got != "[{ 2 0} {cz 3 1} {cz sk 1 1} {sk 1 1}]" {
		t.Error(got)
	}
	if got := fmt.Sprint(r.Curve); got != "[{200 100.0 % 25.0 %} {120 100.0 % 50.0 %} {80 75.0 % 75.0 %} {40 80.0 % 100.0 %}]" {
		t.Error(got)
	}
	if a := r.Searchers[0]; a.At != 4 || a.Best.Recall() != 1 || a.Best.FalsePositive != 1 || a.Any != a.Best {
		t.Errorf("%+v", a)
	}
	if len(r.Missed) != 1 || r.Missed[0].URL != "http://2.test/" || len(r.Accepted) != 1 || r.Accepted[0].URL != "http://4.test/" {
		t.Errorf("%+v %+v", r.Missed, r.Accepted)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"by_language":[{"name":"cs","true_positive":2,"false_positive":0,"false_negative":2,"true_negative":0,"precision":1,"recall":0.5,"f1":0.666667}`, `"recall":null`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s\nlacks %s", data, want)
		}
	}
	var text strings.Builder
	if err := r.Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"profile cz, nation cz: 7 pages; 1 without a label", "all           7      4         3      2      2       1      66.7 %     50.0 %   57.1 %", "?             1 ", "not valid, though the nation's, the worst first:\nhttp://2.test/  cs  19 words\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%s\nlacks %s", text.String(), want)
		}
	}
}

// TestCurveIsBounded: a point for each percent of recall, the ends among them, and only the first of it: later ones
// have more wrong pages.
func TestCurveIsBounded(t *testing.T) {
	b := evaluation.NewBuilder(analyzer.Profile{Name: "cz"}, "cz", 0, 0)
	for i := range 1000 {
		b.Add(sample(i, []string{"cz"}, "cs", 10, i))
		b.Add(sample(i, []string{}, "en", 10, i-10000))
	}
	r := b.Report()
	if n := len(r.Curve); n != 102 || r.Curve[0].Threshold != 999 || r.Curve[1].Threshold != 990 || r.Curve[100].Threshold != 5 || r.Curve[101].Threshold != 0 {
		t.Errorf("%d points: %v, %v … %v", n, r.Curve[0], r.Curve[1], r.Curve[n-1])
	}
	var text strings.Builder
	if err := r.Write(&text); err != nil || !strings.Contains(text.String(), "\n20               100.0 %    98.0 %\n10               100.0 %    99.0 %\n5                100.0 %    99.5 %\n0                100.0 %    100.0 %\n") {
		t.Errorf("%v\n%s", err, text.String())
	}
	if len(r.Missed) != 0 {
		t.Error("errors are kept that nobody wants")
	}
}

func TestSpread(t *testing.T) {
	if got := evaluation.SpreadOf([]evaluation.Share{0.9, 1, evaluation.Share(math.NaN())}).String(); got != "95.0 % (90.0–100.0)" {
		t.Error(got)
	}
	if got := evaluation.SpreadOf(nil).String(); got != "–" {
		t.Error(got)
	}
}

// TestScore: the curve and the worst errors are of what decides, not of what is shown beside it.
func TestScore(t *testing.T) {
	for _, tt := range []struct {
		decide analyzer.Decider
		score  string
		worst  int // page
	}{{analyzer.DecidePoints, "points", 0}, {"", "points", 0}, {analyzer.DecideProbability, "probability", 1}, {analyzer.DecideExpression, "probability", 1}} {
		p := analyzer.Profile{Name: "cz", Decide: tt.decide, Probability: &analyzer.Probability{}}
		b := evaluation.NewBuilder(p, "cz", 0, 1)
		for i, s := range []labels.Sample{sample(0, []string{"cz"}, "cs", 10, 10), sample(1, []string{"cz"}, "cs", 10, 90)} {
			probability := []float64{0.4, 0.1}[i]
			v := &s.Verdicts[0]
			v.Probability, v.MinProbability, v.Terms = &probability, 0.5, []analyzer.Weighed{{Added: math.Log(probability / (1 - probability))}}
			b.Add(s)
		}
		r := b.Report()
		if r.Score != tt.score || len(r.Missed) != 1 || r.Missed[0].URL != fmt.Sprintf("http://%d.test/", tt.worst) {
			t.Errorf("%q: %s, %+v", tt.decide, r.Score, r.Missed)
		}
	}
}

// A list without anything is a list for programs, too.
func TestReportOfNothing(t *testing.T) {
	text, err := json.Marshal(evaluation.NewBuilder(analyzer.Profile{Name: "cz"}, "cz", 0, 5).Report())
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"by_length", "by_language", "by_kind", "curve", "searchers", "missed", "accepted", "confusion"} {
		if !strings.Contains(string(text), `"`+key+`":[]`) {
			t.Errorf("%s of nothing: %s", key, text)
		}
	}
}
