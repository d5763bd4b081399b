package analyzer

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"exclave/internal/printable"
)

// Verdict is the judgement of one profile on one page. Its JSON form is stable
// (docs/formats/profile.md).
type Verdict struct {
	Profile string   `json:"profile"`
	Judged  bool     `json:"judged"` // false: the profile does not judge the page's type
	Valid   bool     `json:"valid"`  // Judged, and what decides says so: without DecidedBy, Points ≥ Min
	Points  int64    `json:"points"`
	Min     int64    `json:"min"`
	By      []Scored `json:"by,omitempty"` // in the order of the profile

	// What follows is there when the profile has a probability or an expression (ADR 53).

	Words          *int      `json:"words,omitempty"`           // of title and text
	DecidedBy      Decider   `json:"decided_by,omitempty"`      // what Valid follows from
	Probability    *float64  `json:"probability,omitempty"`     // to 6 decimals
	MinProbability float64   `json:"min_probability,omitempty"` // the least of a valid page
	Lacks          []string  `json:"lacks,omitempty"`           // searchers of which one would have to find something: probable enough, and not valid
	Terms          []Weighed `json:"terms,omitempty"`           // whose sum is the log odds; those that add nothing are left out
	Expression     *bool     `json:"expression,omitempty"`
}

// Weighed is what one term of the probability added.
type Weighed struct {
	Name   string  `json:"name"`         // of the term; "bias" is the first
	Of     string  `json:"of,omitempty"` // searcher, or page
	Value  float64 `json:"value"`        // before it was scaled
	Weight float64 `json:"weight"`
	Added  float64 `json:"added"` // log odds, to 4 decimals
}

// words is the number of words, 0 when it is not known.
func (v *Verdict) words() int {
	if v.Words == nil {
		return 0
	}
	return *v.Words
}

// by returns what a searcher found; nil when it is not in the verdict.
func (v *Verdict) by(name string) *Scored {
	for i := range v.By {
		if v.By[i].Searcher == name {
			return &v.By[i]
		}
	}
	return nil
}

// found is by, with nothing found when the searcher is off.
func (v *Verdict) found(name string) Scored {
	if s := v.by(name); s != nil {
		return *s
	}
	return Scored{}
}

// Near reports whether a page that is not valid has half of what it needs. An expression
// knows no half: then the points say it, when there is a min_points.
func (v Verdict) Near() bool {
	switch {
	case !v.Judged || v.Valid:
		return false
	case v.DecidedBy == DecideProbability:
		return v.Probability != nil && *v.Probability >= v.MinProbability/2
	}
	return v.Min > 0 && v.Points >= (v.Min+1)/2
}

// Scored is what one searcher found and what that was worth.
type Scored struct {
	Searcher string `json:"searcher"` // its name in the profile
	Finding
	Counted    int   `json:"counted"` // elements that count, after distinct and the thresholds
	PointsEach int64 `json:"points_each"`
	Points     int64 `json:"points"` // Counted × PointsEach, within the cap
}

// Strongest returns the evidence that speaks loudest for the verdict, at most n
// values: of the searchers in the order of their points, the most frequent.
func (v Verdict) Strongest(n int) []Evidence {
	by := slices.Clone(v.By)
	slices.SortStableFunc(by, func(a, b Scored) int { return cmp.Compare(b.Points, a.Points) })
	var out []Evidence
	for _, s := range by {
		if s.Points > 0 {
			out = append(out, s.Evidence...)
		}
	}
	return out[:min(n, len(out))]
}

// Summary says what decided and by how much: "110 points of 100 needed", "probability 0.981 of 0.9 needed, 40 points".
func (v Verdict) Summary() string {
	points := fmt.Sprintf("%d points of %d needed", v.Points, v.Min)
	var parts []string
	if v.Probability != nil {
		s := fmt.Sprintf("probability %s of %v needed", probabilityText(*v.Probability), v.MinProbability)
		if len(v.Lacks) > 0 {
			s += ", but nothing of what one is needed of: " + strings.Join(v.Lacks, ", ")
		}
		parts = append(parts, s)
	}
	if v.Expression != nil {
		parts = append(parts, fmt.Sprintf("expression %v", *v.Expression))
	}
	switch v.DecidedBy {
	case "", DecidePoints:
		return strings.Join(append([]string{points}, parts...), "; ")
	case DecideExpression:
		slices.Reverse(parts)
	}
	return strings.Join(append(parts, count(v.Points, "point")), "; ")
}

// probabilityText shows what tells it from 0 and 1.
func probabilityText(p float64) string {
	if p < 0.001 || p > 0.999 {
		return fmt.Sprintf("%.6f", p)
	}
	return fmt.Sprintf("%.3f", p)
}

func count(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// LogOdds is the sum of the terms: 0 is as probable as not.
func (v Verdict) LogOdds() (sum float64) {
	for _, t := range v.Terms {
		sum += t.Added
	}
	return sum
}

// explainTerms returns "+1.7 root lang: cs", the strongest first, the bias at the end.
func (v Verdict) explainTerms() []string {
	terms := slices.Clone(v.Terms)
	slices.SortStableFunc(terms, func(a, b Weighed) int {
		if (a.Name == "bias") != (b.Name == "bias") {
			if a.Name == "bias" {
				return 1
			}
			return -1
		}
		return cmp.Compare(math.Abs(b.Added), math.Abs(a.Added))
	})
	var out []string
	for _, t := range terms {
		s := fmt.Sprintf("%+.1f %s", t.Added, t.Name)
		switch {
		case t.Of == OfPage && v.Words != nil:
			s += ": " + count(int64(*v.Words), "word")
		case t.Of != "" && t.Of != OfPage:
			s += fmt.Sprintf(" %.4g", t.Value)
			if e := values(v.found(t.Of).Evidence, 1); len(e) > 0 {
				s += " (" + e[0] + ")"
			}
		}
		out = append(out, s)
	}
	return out
}

// Explain writes the verdict as a table for people: a line of summary, then
// one line per searcher.
func (v Verdict) Explain(w io.Writer) error {
	summary := "not valid"
	switch {
	case !v.Judged:
		_, err := fmt.Fprintf(w, "profile %s: not judged, the type is not one it judges\n", v.Profile)
		return err
	case v.Valid:
		summary = "valid"
	}
	if _, err := fmt.Fprintf(w, "profile %s: %s, %s\n", v.Profile, summary, v.Summary()); err != nil {
		return err
	}
	if terms := v.explainTerms(); len(terms) > 0 {
		if _, err := fmt.Fprintf(w, "  log odds %+.2f = %s\n", v.LogOdds(), strings.Join(terms, ", ")); err != nil {
			return err
		}
	}
	var rows strings.Builder
	rows.WriteString("  searcher\tfound\tvalid\tdistinct\tcounted\tpoints\tevidence\n")
	for _, s := range v.By {
		fmt.Fprintf(&rows, "  %s\t%d\t%d\t%d\t%d\t%d\t%s\n", s.Searcher, s.Found, s.Valid, s.Distinct, s.Counted, s.Points, strings.Join(values(s.Evidence, 5), ", "))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if _, err := io.WriteString(t, rows.String()); err != nil {
		return err
	}
	return t.Flush()
}

// values renders the first n values of evidence, on one line.
func values(evidence []Evidence, n int) []string {
	var out []string
	for _, e := range evidence[:min(n, len(evidence))] {
		s := printable.Text(e.Value)
		if e.Count > 1 {
			s = fmt.Sprintf("%s ×%d", s, e.Count)
		}
		out = append(out, s)
	}
	return out
}
