package analyzer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Seen is what deciders see of a page beside the findings.
type Seen struct {
	URL string
	Via string // the page that it was found on
}

// decide computes all that the profile defines on a verdict with findings, points and, when
// the profile needs them, words; then what decides, decides.
func (p *Profile) decide(v *Verdict, page Seen) {
	yes := v.Points >= v.Min
	if p.Probability == nil && p.compiled == nil {
		v.Valid = yes
		return
	}
	if p.Probability != nil {
		p.Probability.judge(v)
	}
	if p.compiled != nil {
		yes := p.compiled.judge(v, page)
		v.Expression = &yes
	}
	v.DecidedBy = p.decider()
	switch v.DecidedBy {
	case DecideProbability:
		yes = *v.Probability >= v.MinProbability && v.Lacks == nil
	case DecideExpression:
		yes = *v.Expression
	}
	v.Valid = yes
}

// decider is what decides.
func (p *Profile) decider() Decider {
	if p.Decide == "" {
		return DecidePoints
	}
	return p.Decide
}

// needsWords reports whether verdicts of the profile have the number of words.
func (p *Profile) needsWords() bool { return p.Probability != nil || p.Expression != "" }

// Rejudge applies a profile to findings that were logged, without the page.
type Rejudge struct {
	p Profile
}

// ErrUnlogged is wrapped by errors about what a profile needs and a verdict lacks.
var ErrUnlogged = errors.New("not in the verdict that was logged")

// NewRejudge returns a Rejudge of a profile. Searchers whose names are without are judged
// without, as if they were off.
func NewRejudge(p Profile, without ...string) *Rejudge {
	p.Searchers = slices.DeleteFunc(slices.Clone(p.Searchers), func(s SearcherConfig) bool { return slices.Contains(without, s.Name) })
	return &Rejudge{p}
}

// Verdict returns what the profile makes of the findings of another verdict on the page; one that
// is not judged stays so. words is the number of words when v does not have it, -1 when nobody knows: then a dictionary that found them says it. The error
// wraps ErrUnlogged when the verdict lacks a searcher of the profile, or the words.
func (r *Rejudge) Verdict(v Verdict, page Seen, words int) (Verdict, error) {
	out := Verdict{Profile: r.p.Name, Min: r.p.MinPoints, Judged: v.Judged}
	if !v.Judged {
		return out, nil
	}
	var missing []string
	for _, c := range r.p.Searchers {
		s := v.by(c.Name)
		if s == nil {
			missing = append(missing, c.Name)
			continue
		}
		sc := c.score(s.Finding)
		out.By = append(out.By, sc)
		out.Points += sc.Points
	}
	if len(missing) > 0 {
		return out, fmt.Errorf("searcher %s: %w", strings.Join(missing, ", "), ErrUnlogged)
	}
	if r.p.needsWords() {
		if n, known := r.Words(v); known && (v.Words != nil || words < 0) {
			words = n
		}
		if words < 0 {
			return out, fmt.Errorf("the number of words of the page: %w", ErrUnlogged)
		}
		out.Words = &words
	}
	r.p.decide(&out, page)
	return out, nil
}

// Words returns how many words title and text of the page had, as far as a logged verdict says it: itself,
// or by what a dictionary found.
func (r *Rejudge) Words(v Verdict) (words int, known bool) {
	if v.Words != nil {
		return *v.Words, true
	}
	for _, c := range r.p.Searchers {
		if s := v.by(c.Name); c.Kind == "dictionary" && s != nil {
			return s.Found, true
		}
	}
	return 0, false
}

// Off names the searchers of the profile that are off with what a job names.
func (p Profile) Off(job Config) (names []string) {
	for _, s := range p.Searchers {
		if s.off(job) != "" {
			names = append(names, s.Name)
		}
	}
	return names
}
