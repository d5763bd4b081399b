package rescore

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"exclave/analyzer"
	"exclave/crawl"
	"exclave/internal/fsx"
	"exclave/internal/labels"
	"exclave/internal/logparts"
)

// Logged is a judged page of a log.
type Logged struct {
	URL      string
	Via      string
	Verdict  analyzer.Verdict
	distance float64
}

// distance says how far a verdict is from being the other one: in log odds, else in the part of the points that are needed. That of a
// page without text is the greatest: there is little to read for whoever is asked, and the evidence of all such pages is alike.
func distance(v analyzer.Verdict) float64 {
	if v.Words != nil && *v.Words == 0 {
		return math.Inf(1)
	}
	if v.Probability != nil {
		return math.Abs(v.LogOdds() - math.Log(v.MinProbability/(1-v.MinProbability)))
	}
	return math.Abs(float64(v.Points-v.Min)) / max(1, math.Abs(float64(v.Min)))
}

// Near returns the n pages of a log in a folder whose verdict of a profile is nearest to being the other one, the nearest first,
// but for those that skip names, and those without text last. Of a page that was judged twice the last verdict counts. profile "" is the
// only one.
func Near(ctx context.Context, dir, profile string, n int, skip func(url string) bool) ([]Logged, error) {
	var near []Logged
	err := logparts.EachLine(fsx.Real(), dir, crawl.LogAnalysis.Name(), func(at logparts.Place, text []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		var line struct {
			URL      string             `json:"url"`
			Via      string             `json:"via"`
			Verdicts []analyzer.Verdict `json:"verdicts"`
		}
		if err := json.Unmarshal(text, &line); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		v, ok := labels.Logged(line.Verdicts, profile)
		if !ok && profile == "" {
			return &Error{fmt.Errorf("%s: there are verdicts of %d profiles, %s; name one (--profile)", at, len(line.Verdicts), strings.Join(names(line.Verdicts), ", "))}
		}
		if ok = ok && (profile == "" || v.Profile == profile); !ok {
			return &Error{fmt.Errorf("%s: no verdict of profile %q: there are %s; name one (--profile)", at, profile, names(line.Verdicts))}
		}
		near = slices.DeleteFunc(near, func(l Logged) bool { return l.URL == line.URL })
		if !v.Judged || skip(line.URL) {
			return nil
		}
		l := Logged{line.URL, line.Via, v, distance(v)}
		i, _ := slices.BinarySearchFunc(near, l, func(a, b Logged) int { return cmp.Or(cmp.Compare(a.distance, b.distance), -1) })
		if i < n {
			near = slices.Insert(near, i, l)
			near = near[:min(len(near), n)]
		}
		return nil
	})
	return near, err
}
