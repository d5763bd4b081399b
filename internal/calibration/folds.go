package calibration

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"exclave/internal/evaluation"
)

// Result is what was fitted, and how it does on pages that it had not seen.
type Result struct {
	Model
	Min       float64 // least probability of a valid page, to 4 decimals
	Kept      bool    // Min is that of Around: too few pages to choose one
	Reached   bool    // the precision that is wanted was reached on held-out pages
	HeldOut   evaluation.Counts
	ByLength  []Length // "all" first
	Origins   int
	Belonging int // pages of the nation
}

// Length are the shares of pages of one length, a fold each.
type Length struct {
	Name      string            `json:"name"`
	Pages     int               `json:"pages"`
	Precision evaluation.Spread `json:"precision"`
	Recall    evaluation.Spread `json:"recall"`
	F1        evaluation.Spread `json:"f1"`
}

// predicted is a page with the log odds that weights gave it which had not seen it.
type predicted struct {
	*Row
	odds float64
	fold int
}

// Fit fits to all rows. Before that it fits to all folds but one, for each, to predict that one: from these predictions
// Min is chosen as the probability with the greatest recall that has at least the precision. Around a model it is chosen only when
// there are different pages of the nation enough for one error among them to be allowed ([Enough]).
func Fit(rows []Row, o Options, folds int, precision float64) (Result, error) {
	all := make([]*Row, len(rows))
	for i := range rows {
		all[i] = &rows[i]
	}
	r := Result{Belonging: belonging(all)}
	if r.Belonging == 0 || r.Belonging == len(all) {
		return r, ErrOneClass
	}
	fold := divide(rows, folds)
	if r.Origins = len(fold); r.Origins < folds {
		return r, fmt.Errorf("%d folds are wanted, but the pages have only %d origins; label more, or use --folds", folds, r.Origins)
	}
	var err error
	if r.Model, err = fit(all, o); err != nil {
		return r, err
	}
	r.Model = r.rounded()
	var held []predicted
	for k := range folds {
		var train []*Row
		for _, row := range all {
			if fold[row.Origin] != k {
				train = append(train, row)
			}
		}
		m, err := fit(train, o)
		if err != nil {
			return r, fmt.Errorf("without fold %d of %d: %w", k+1, folds, err)
		}
		for _, row := range all {
			if fold[row.Origin] == k {
				held = append(held, predicted{row, m.Odds(row.X), k})
			}
		}
	}
	choose := func(held []predicted) (float64, bool) { return threshold(held, precision) }
	if o.Around != nil && different(all) < Enough(precision) {
		r.Kept = true
		choose = func([]predicted) (float64, bool) { return o.Around.Min, true }
	}
	r.Min, r.Reached = choose(held)
	for _, p := range held {
		r.HeldOut.Add(p.Belongs, Probability(p.odds) >= r.Min)
	}
	if r.Kept {
		r.Reached = float64(r.HeldOut.Precision()) >= precision // not when no page is valid
	}
	r.ByLength = byLength(held, folds, choose)
	return r, nil
}

// different counts the pages of the nation that differ in a value: copies prove nothing.
func different(rows []*Row) int {
	seen := map[string]bool{}
	for _, r := range rows {
		if r.Belongs {
			seen[fmt.Sprint(r.X)] = true
		}
	}
	return len(seen)
}

// Enough is how many different pages of a nation can tell a precision: so many that one error among them is allowed.
func Enough(precision float64) int {
	if !(precision < 1-1e-6) {
		return 1_000_000
	}
	return int(math.Ceil(1/(1-precision) - 1e-6))
}

// divide gives each origin a fold: by the order of their hashes, so that folds are of the same size
// and do not depend on how origins are called or sorted.
func divide(rows []Row, folds int) map[string]int {
	hash := map[string]uint64{}
	for _, r := range rows {
		h := fnv.New64a()
		_, _ = h.Write([]byte(r.Origin)) // never fails
		hash[r.Origin] = h.Sum64()
	}
	origins := make([]string, 0, len(hash))
	for o := range hash {
		origins = append(origins, o)
	}
	slices.SortFunc(origins, func(a, b string) int { return cmp.Or(cmp.Compare(hash[a], hash[b]), cmp.Compare(a, b)) })
	out := map[string]int{}
	for i, o := range origins {
		out[o] = i % folds
	}
	return out
}

// threshold returns the least probability of a valid page: of those with the precision the one with the greatest recall, and
// half way, in log odds, to the next page below. When none has it, no page is valid.
func threshold(held []predicted, precision float64) (least float64, reached bool) {
	sorted := slices.Clone(held)
	slices.SortStableFunc(sorted, func(a, b predicted) int { return cmp.Compare(b.odds, a.odds) })
	if len(sorted) == 0 {
		return 0.5, false
	}
	at := sorted[0].odds + 1
	right, best := 0, 0
	for i, p := range sorted {
		if p.Belongs {
			right++
		}
		last := i+1 == len(sorted)
		if !last && sorted[i+1].odds == p.odds || right <= best || float64(right) < precision*float64(i+1) {
			continue
		}
		best, reached = right, true
		if at = p.odds - 1; !last {
			at = (p.odds + sorted[i+1].odds) / 2
		}
	}
	return max(0.0001, min(0.9999, math.Round(Probability(at)*1e4)/1e4)), reached
}

// byLength counts held-out pages fold by fold; the threshold of a fold is chosen from the other folds.
func byLength(held []predicted, folds int, choose func([]predicted) (float64, bool)) []Length {
	names := []string{"all"}
	for _, words := range []int{0, 20, 50, 200} {
		names = append(names, evaluation.LengthOf(words))
	}
	counts := make(map[string][]evaluation.Counts)
	for _, n := range names {
		counts[n] = make([]evaluation.Counts, folds)
	}
	for k := range folds {
		least, _ := choose(slices.DeleteFunc(slices.Clone(held), func(p predicted) bool { return p.fold == k }))
		for _, p := range held {
			if p.fold == k {
				for _, n := range []string{"all", evaluation.LengthOf(p.Words)} {
					counts[n][k].Add(p.Belongs, Probability(p.odds) >= least)
				}
			}
		}
	}
	var out []Length
	for _, n := range names {
		l := Length{Name: n}
		var precisions, recalls, f1s []evaluation.Share
		for _, c := range counts[n] {
			l.Pages += c.Pages()
			precisions, recalls, f1s = append(precisions, c.Precision()), append(recalls, c.Recall()), append(f1s, c.F1())
		}
		l.Precision, l.Recall, l.F1 = evaluation.SpreadOf(precisions), evaluation.SpreadOf(recalls), evaluation.SpreadOf(f1s)
		if l.Pages > 0 {
			out = append(out, l)
		}
	}
	return out
}

// rounded keeps three decimals: more than that nobody can argue about.
func (m Model) rounded() Model {
	round := func(x float64) float64 { return math.Round(x*1000)/1000 + 0 }
	out := Model{Bias: round(m.Bias)}
	for _, w := range m.Weights {
		out.Weights = append(out.Weights, round(w))
	}
	return out
}
