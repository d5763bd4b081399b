package analyzer

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Changes says why a verdict is another one than before, on the same findings: what decides, the threshold, and
// what searchers or terms count, the most first.
func Changes(was, now Verdict) (out []string) {
	d := func(v Verdict) Decider { return cmp.Or(v.DecidedBy, DecidePoints) }
	if d(was) != d(now) {
		out = append(out, fmt.Sprintf("decided by %s, not %s", d(now), d(was)))
	}
	switch d(now) {
	case DecideExpression:
		return append(out, fmt.Sprintf("expression %v", now.Expression != nil && *now.Expression))
	case DecideProbability:
		if was.Probability == nil {
			return append(out, now.explainTerms()...)
		}
		if was.MinProbability != now.MinProbability {
			out = append(out, fmt.Sprintf("%v needed, not %v", now.MinProbability, was.MinProbability))
		}
		switch {
		case len(now.Lacks) > 0:
			out = append(out, "nothing of what one is needed of: "+strings.Join(now.Lacks, ", "))
		case len(was.Lacks) > 0:
			out = append(out, "needs none of "+strings.Join(was.Lacks, ", ")+" any more, or has one")
		}
		return append(out, termChanges(was, now)...)
	}
	if was.Min != now.Min {
		out = append(out, fmt.Sprintf("%d points needed, not %d", now.Min, was.Min))
	}
	return append(out, pointChanges(was, now)...)
}

// change is what one part of a verdict counts, before and now.
type change struct {
	name     string
	was, now float64
}

func (c change) size() float64 { return math.Abs(c.now - c.was) }

func termChanges(was, now Verdict) []string {
	added := map[string]float64{}
	for _, t := range was.Terms {
		added[t.Name] = t.Added
	}
	var all []change
	for _, t := range now.Terms {
		all = append(all, change{t.Name, added[t.Name], t.Added})
		delete(added, t.Name)
	}
	for _, t := range was.Terms {
		if x, gone := added[t.Name]; gone {
			all = append(all, change{t.Name, x, 0})
		}
	}
	return changes(all, " %+.1f, not %+.1f")
}

func pointChanges(was, now Verdict) []string {
	var all []change
	for _, s := range now.By {
		all = append(all, change{s.Searcher, float64(was.found(s.Searcher).Points), float64(s.Points)})
	}
	for _, s := range was.By {
		if now.by(s.Searcher) == nil {
			all = append(all, change{s.Searcher, float64(s.Points), 0})
		}
	}
	return changes(all, " %v points, not %v")
}

func changes(all []change, format string) (out []string) {
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Compare(b.size(), a.size()) })
	for _, c := range all {
		if c.size() > 0 {
			out = append(out, c.name+fmt.Sprintf(format, c.now, c.was))
		}
	}
	return out
}

// OtherFindings names the searchers of two profiles that have one name and would not find the same: their kind or an option
// of it is another.
func OtherFindings(a, b Profile) (names []string) {
	for _, s := range a.Searchers {
		for _, t := range b.Searchers {
			if s.Name == t.Name && (s.Kind != t.Kind || !reflect.DeepEqual(s.own, t.own)) {
				names = append(names, s.Name)
			}
		}
	}
	return names
}
