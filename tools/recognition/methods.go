package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"exclave/analyzer"
	"exclave/internal/calibration"
	"exclave/internal/evaluation"
)

// judgement says whether a page is valid.
type judgement func(p *page) bool

// method is one way to judge pages of a nation.
type method struct {
	name string
	// shipped judges as it is; nil = it must learn.
	shipped judgement
	// learn judges by what pages teach, and says what that was; nil = nothing is learned.
	learn func(train []*page) (judgement, string, error)
	cost  func(costs []cost, lingua float64) float64 // of a page, in ns; 0 = not measured
}

// forTest is the judgement on test pages, which has seen no other than those for training.
func (m method) forTest(train []*page) (judgement, string, error) {
	if m.shipped != nil {
		return m.shipped, "", nil
	}
	return m.learn(train)
}

// forFold is the judgement on pages held out.
func (m method) forFold(rest []*page) (judgement, string, error) {
	if m.learn != nil {
		return m.learn(rest)
	}
	return m.shipped, "", nil
}

// valid judges by a profile's verdict.
func valid(profile string) judgement {
	return func(p *page) bool { v := p.verdicts[profile]; return v != nil && v.Valid }
}

// atLeast judges by a number; the least one is learned: that with the best F1.
func atLeast(n nation, number func(p *page) int64) func([]*page) (judgement, string, error) {
	return func(train []*page) (judgement, string, error) {
		counted := map[int64]*[2]int{} // number → pages of others, of the nation
		total := 0
		for _, p := range train {
			x := number(p)
			if counted[x] == nil {
				counted[x] = &[2]int{}
			}
			if p.belongs(n) {
				counted[x][1]++
				total++
			} else {
				counted[x][0]++
			}
		}
		least, best := int64(math.MaxInt64), math.Inf(-1)
		c := evaluation.Counts{FalseNegative: total}
		for _, x := range slices.Backward(slices.Sorted(maps.Keys(counted))) {
			if x <= 0 {
				break
			}
			c.FalsePositive += counted[x][0]
			c.TruePositive, c.FalseNegative = c.TruePositive+counted[x][1], c.FalseNegative-counted[x][1]
			if f := float64(c.F1()); f > best {
				least, best = x, f
			}
		}
		note := "never found"
		if least < math.MaxInt64 {
			note = fmt.Sprintf("at least %d", least)
		}
		return func(p *page) bool { return number(p) >= least }, note, nil
	}
}

// points of a profile.
func points(profile string) func(p *page) int64 {
	return func(p *page) int64 {
		if v := p.verdicts[profile]; v != nil {
			return v.Points
		}
		return 0
	}
}

// counted is how much a searcher counted.
func counted(profile, searcher string) func(p *page) int64 {
	return func(p *page) int64 {
		if v := p.verdicts[profile]; v != nil {
			for _, by := range v.By {
				if by.Searcher == searcher {
					return int64(by.Counted)
				}
			}
		}
		return 0
	}
}

// inLanguage judges by the language model alone: no other language has more of the page.
func inLanguage(n nation) judgement {
	return func(p *page) bool {
		v := p.verdicts[languagesProfile]
		if v == nil {
			return false
		}
		own, other := 0., 0.
		for _, by := range v.By {
			code := strings.TrimPrefix(by.Searcher, "in_")
			if slices.Contains(n.Languages, code) {
				own += by.Values["share"]
				for name, share := range by.Values {
					if l, ok := strings.CutPrefix(name, "in_"); ok && !slices.Contains(n.Languages, l) {
						other = max(other, share)
					}
				}
			}
		}
		return own > 0 && own >= other
	}
}

// methodsOf are the ways to judge that are compared, in the order of the table.
func methodsOf(n nation, p analyzer.Profile) []method {
	imported := originalName(n)
	out := []method{
		{name: "the original's settings", shipped: valid(imported)},
		{name: "the same, with a threshold that was learned", learn: atLeast(n, points(imported))},
	}
	for _, s := range p.Searchers {
		out = append(out, method{name: "searcher `" + s.Name + "` alone", learn: atLeast(n, counted(p.Name, s.Name)),
			cost: func(costs []cost, _ float64) float64 { return costOf(costs, s.Name) }})
	}
	out = append(out,
		method{name: "language model alone", shipped: inLanguage(n), cost: func(costs []cost, _ float64) float64 { return costOf(costs, modelAlone) }},
		method{name: "lingua", shipped: func(p *page) bool { return slices.Contains(n.Languages, p.lingua) }, cost: func(_ []cost, lingua float64) float64 { return lingua }})
	all := method{name: "**all: profile `" + p.Name + "`**", shipped: valid(p.Name), cost: func(costs []cost, _ float64) float64 { return costOf(costs, together) }}
	if p.Probability != nil && p.Decide == analyzer.DecideProbability {
		if p.MinPoints > 0 {
			out = append(out, method{name: "all, by points", shipped: func(q *page) bool { return points(p.Name)(q) >= p.MinPoints }})
		}
		all.learn = func(train []*page) (judgement, string, error) {
			m, err := calibration.Weights(rows(train, n, p, -1), fitOptions(p, -1))
			if err != nil {
				return nil, "", err
			}
			return func(q *page) bool {
				return calibration.Probability(m.Odds(inputs(q, p, -1))) >= p.Probability.Min
			}, "", nil
		}
	}
	return append(out, all)
}

// fitOptions are those of calibrate --fresh, for the terms without the one numbered, -1 = all.
func fitOptions(p analyzer.Profile, without int) calibration.Options {
	o := calibration.Options{L2: 1, Positive: 1}
	for i, t := range p.Probability.Terms {
		if i != without {
			o.Signs = append(o.Signs, t.Sign.Of())
		}
	}
	return o
}

// inputs are the scaled values of the terms, without the one numbered, -1 = of all.
func inputs(p *page, profile analyzer.Profile, without int) []float64 {
	v := p.verdicts[profile.Name]
	if v == nil {
		v = &analyzer.Verdict{}
	}
	x := profile.Probability.Inputs(*v)
	if without >= 0 {
		x = slices.Delete(x, without, without+1)
	}
	return x
}

// rows are what weights are fitted to: pages that are judged.
func rows(pages []*page, n nation, profile analyzer.Profile, without int) (out []calibration.Row) {
	for _, p := range pages {
		if v := p.verdicts[profile.Name]; v != nil && v.Judged {
			out = append(out, calibration.Row{X: inputs(p, profile, without), Belongs: p.belongs(n), Origin: p.Source, Words: p.Words})
		}
	}
	return out
}
