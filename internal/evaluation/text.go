package evaluation

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"exclave/internal/printable"
)

// named marshals Counts with a name before them.
func named(name string, c Counts) ([]byte, error) {
	head, err := json.Marshal(name)
	if err != nil {
		return nil, err
	}
	rest, err := json.Marshal(c)
	return append(append([]byte(`{"name":`), head...), append([]byte(","), rest[1:]...)...), err
}

// shownRecalls are those that the points of the curve are printed for: most of them where profiles are set.
func shownRecalls() []Share { return []Share{0.5, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 1} }

// Write prints the report for people.
func (r Report) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "profile %s, nation %s: %d pages", printable.Text(r.Profile), printable.Text(r.Nation), r.All.Pages())
	if r.Unlabelled > 0 {
		fmt.Fprintf(&b, "; %d without a label for it left out", r.Unlabelled)
	}
	b.WriteString("\n\n")
	head := "\tpages\tnation's\tvalid\tright\tmissed\twrong\tprecision\trecall\tF1\n"
	table(&b, "by length"+head, append([]Group{{"all", r.All}}, r.ByLength...))
	table(&b, "by language"+head, r.ByLanguage)
	table(&b, "by kind"+head, r.ByKind)
	if len(r.Confusion) > 0 {
		rows := "belongs to\tpages\tvalid\n"
		for _, n := range r.Confusion {
			name := n.Nations
			if name == "" {
				name = "none"
			}
			rows += fmt.Sprintf("%s\t%d\t%d\n", printable.Text(name), n.Pages, n.Valid)
		}
		aligned(&b, rows)
	}
	rows := r.Score + " at least\tprecision\trecall\n"
	for _, p := range atRecalls(r.Curve, shownRecalls()) {
		rows += fmt.Sprintf("%v\t%v\t%v\n", p.Threshold, p.Precision, p.Recall)
	}
	aligned(&b, rows)
	rows = "each searcher alone\tanything: precision\trecall\tbest at\tprecision\trecall\tF1\n"
	for _, s := range r.Searchers {
		rows += fmt.Sprintf("%s\t%v\t%v\t%d\t%v\t%v\t%v\n", s.Searcher, s.Any.Precision(), s.Any.Recall(), s.At, s.Best.Precision(), s.Best.Recall(), s.Best.F1())
	}
	aligned(&b, rows)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	for _, list := range []struct {
		name   string
		errors []Error
	}{{"not valid, though the nation's", r.Missed}, {"valid, though not the nation's", r.Accepted}} {
		for i, e := range list.errors {
			if i == 0 {
				fmt.Fprintf(w, "%s, the worst first:\n", list.name)
			}
			if err := e.write(w); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e Error) write(w io.Writer) error {
	fmt.Fprintf(w, "%s", printable.Text(e.URL))
	for _, s := range []string{e.Source, e.Kind, e.Language} {
		if s != "" {
			fmt.Fprintf(w, "  %s", printable.Text(s))
		}
	}
	if e.Words >= 0 {
		fmt.Fprintf(w, "  %d words", e.Words)
	}
	fmt.Fprintln(w)
	return e.Verdict.Explain(w)
}

func table(b *strings.Builder, head string, groups []Group) {
	if len(groups) == 1 && groups[0].Name == unknown {
		return
	}
	rows := head
	for _, g := range groups {
		rows += fmt.Sprintf("%s\t%d\t%d\t%d\t%d\t%d\t%d\t%v\t%v\t%v\n", printable.Text(g.Name), g.Pages(), g.TruePositive+g.FalseNegative,
			g.TruePositive+g.FalsePositive, g.TruePositive, g.FalseNegative, g.FalsePositive, g.Precision(), g.Recall(), g.F1())
	}
	aligned(b, rows)
}

func aligned(b *strings.Builder, rows string) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	_, _ = io.WriteString(t, rows) // a strings.Builder takes everything
	_ = t.Flush()
	b.WriteString("\n")
}

// Spread is the mean of shares, and how far the least and the greatest lie from each other.
type Spread struct {
	Mean  Share `json:"mean"`
	Least Share `json:"least"`
	Most  Share `json:"most"`
}

// SpreadOf computes a Spread of those shares that are of something.
func SpreadOf(shares []Share) Spread {
	s := Spread{Share(math.NaN()), Share(math.Inf(1)), Share(math.Inf(-1))}
	sum, n := 0., 0
	for _, x := range shares {
		if !math.IsNaN(float64(x)) {
			sum, n = sum+float64(x), n+1
			s.Least, s.Most = min(s.Least, x), max(s.Most, x)
		}
	}
	if n == 0 {
		return Spread{s.Mean, s.Mean, s.Mean}
	}
	s.Mean = Share(sum / float64(n))
	return s
}

// String is "99.1 % (98.4–99.8)".
func (s Spread) String() string {
	if math.IsNaN(float64(s.Mean)) {
		return "–"
	}
	return fmt.Sprintf("%v (%.1f–%.1f)", s.Mean, 100*float64(s.Least), 100*float64(s.Most))
}
