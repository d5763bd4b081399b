package main

import (
	"context"
	"slices"
	"time"

	"exclave/analyzer"
)

// What costs are of, beside searchers.
const (
	words      = "splitting words, which all searchers of words share"
	modelAlone = "language model"
	together   = "all together"
)

// Pages that costs are measured on, and how often.
const (
	costPages  = 300
	costRounds = 5
)

// costsOf measures what each searcher takes for a page, opened alone.
func costsOf(ctx context.Context, n nation, p analyzer.Profile, pages []*page) ([]cost, error) {
	var sample []*analyzer.Page
	for i := 0; i < costPages; i++ {
		if q := pages[i*len(pages)/costPages]; q.verdicts[p.Name] != nil {
			sample = append(sample, q.judged)
		}
	}
	out := []cost{{words, timed(len(sample), func() {
		for _, q := range sample {
			fresh := &analyzer.Page{Title: q.Title, Text: q.Text}
			fresh.WordCount()
		}
	})}}
	measure := func(name string, p analyzer.Profile) error {
		a, err := analyzer.Open(ctx, analyzer.Config{Further: []analyzer.Profile{p}})
		if err != nil {
			return err
		}
		defer a.Close()
		var failed error
		ns := timed(len(sample), func() {
			for _, q := range sample {
				if _, err := a.Run(ctx, q); err != nil {
					failed = err
				}
			}
		})
		out = append(out, cost{name, ns})
		return failed
	}
	for i, s := range p.Searchers {
		alone := p
		alone.Searchers = slices.Clone(p.Searchers[i : i+1])
		alone.Probability, alone.Expression, alone.Decide, alone.MinPoints = nil, "", analyzer.DecidePoints, 1
		if err := measure(s.Name, alone); err != nil {
			return nil, err
		}
	}
	model, err := languages([]nation{{Languages: n.Languages[:1]}})
	if err != nil {
		return nil, err
	}
	if err := measure(modelAlone, model); err != nil {
		return nil, err
	}
	return out, measure(together, p)
}

// timed returns the time for each of n pages: of the fastest of some rounds, since what disturbs only slows.
func timed(n int, round func()) float64 {
	var best time.Duration
	for i := range costRounds {
		start := time.Now()
		round()
		if took := time.Since(start); i == 0 || took < best {
			best = took
		}
	}
	return float64(best.Nanoseconds()) / float64(n)
}

func costOf(costs []cost, name string) float64 {
	for _, c := range costs {
		if c.Searcher == name {
			return c.NS
		}
	}
	return 0
}
