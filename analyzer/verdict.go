package analyzer

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
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
	var best *Scored
	var out []Evidence
	done := make([]bool, len(v.By))
	for range v.By {
		best = nil
		at := 0
		for i := range v.By {
			if !done[i] && (best == nil || v.By[i].Points > best.Points) {
				best, at = &v.By[i], i
			}
		}
		done[at] = true
		if best.Points <= 0 {
			break
		}
		for _, e := range best.Evidence {
			if len(out) == n {
				return out
			}
			out = append(out, e)
		}
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
	if _, err := fmt.Fprintf(w, "profile %s: %s, %d points of %d needed\n", v.Profile, summary, v.Points, v.Min); err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  searcher\tfound\tvalid\tdistinct\tcounted\tpoints\tevidence")
	for _, s := range v.By {
		fmt.Fprintf(t, "  %s\t%d\t%d\t%d\t%d\t%d\t%s\n", s.Searcher, s.Found, s.Valid, s.Distinct, s.Counted, s.Points, strings.Join(values(s.Evidence, 5), ", "))
	}
	return t.Flush()
}

// values renders the first n values of evidence, control characters quoted.
func values(evidence []Evidence, n int) []string {
	var out []string
	for _, e := range evidence[:min(n, len(evidence))] {
		s := strings.Map(printable, e.Value)
		if e.Count > 1 {
			s = fmt.Sprintf("%s ×%d", s, e.Count)
		}
		out = append(out, s)
	}
	return out
}

// printable keeps a stranger's value from steering the reader's terminal.
func printable(r rune) rune {
	if r < ' ' || r >= 0x7f && r < 0xa0 {
		return '?'
	}
	return r
}
