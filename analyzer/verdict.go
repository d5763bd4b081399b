package analyzer

import (
	"cmp"
	"fmt"
	"io"
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
	Valid   bool     `json:"valid"`  // Judged and Points ≥ Min
	Points  int64    `json:"points"`
	Min     int64    `json:"min"`
	By      []Scored `json:"by,omitempty"` // in the order of the profile
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
	if _, err := fmt.Fprintf(w, "profile %s: %s, %d points of %d needed\n", v.Profile, summary, v.Points, v.Min); err != nil {
		return err
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
