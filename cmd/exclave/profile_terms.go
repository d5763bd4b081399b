package main

import (
	"fmt"
	"slices"
	"strings"

	"exclave/analyzer"
)

// standardTerms are the terms of the built-in profiles (ADR 58), in the order in which a new profile has them.
func standardTerms() []analyzer.Term {
	return []analyzer.Term{
		{Of: "language", Value: "share", Words: []int{8, 0}, Sign: analyzer.SignPlus},
		{Of: "language", Value: "margin", Cap: 0.5, Sign: analyzer.SignPlus},
		{Of: "language", Value: "lead", Scale: analyzer.ScaleLog, Cap: 30, Sign: analyzer.SignPlus},
		{Of: "dictionary", Value: "per_word", Cap: 0.2, Sign: analyzer.SignPlus},
		{Of: "dictionary", Value: "distinct", Scale: analyzer.ScaleLog, Cap: 30, Sign: analyzer.SignPlus},
		{Of: "ascii", Value: "per_word", Cap: 0.2, Sign: analyzer.SignPlus},
		{Of: "ascii", Value: "distinct", Scale: analyzer.ScaleLog, Cap: 10, Sign: analyzer.SignPlus},
		{Of: "shared", Value: "per_word", Cap: 0.1, Words: []int{8, 0}, Sign: analyzer.SignPlus},
		{Of: "words_neighbour", Value: "per_word", Cap: 0.3, Sign: analyzer.SignMinus},
		{Of: "root_lang", Value: "valid", Scale: analyzer.ScaleAny, Sign: analyzer.SignPlus},
		{Of: "phone", Value: "valid", Scale: analyzer.ScaleAny, Sign: analyzer.SignPlus},
		{Of: analyzer.OfPage, Value: "one", Words: []int{0, 9}, Sign: analyzer.SignMinus},
	}
}

// standardName is what a searcher of a built-in profile is called in standardTerms.
func standardName(of string) string {
	switch short := strings.TrimPrefix(of, "words_"); {
	case short == "ascii" || short == "shared":
		return short
	case short != of:
		return "words_neighbour"
	}
	return of
}

// fittedWeights are the medians of the built-in profiles that decide by a probability, and what these are called.
type fittedWeights struct {
	bias, min float64
	weights   map[string]float64 // by standard name and value
	from      []string
}

func medians() (m fittedWeights, err error) {
	var biases, mins []float64
	all := map[string][]float64{}
	for _, name := range analyzer.Builtins() {
		text, err := analyzer.ReadProfile(name)
		if err != nil {
			return m, err
		}
		p, problems := analyzer.ParseProfile(text, name)
		if len(problems) > 0 {
			return m, problems.Err("profile")
		}
		if p.Decide != analyzer.DecideProbability {
			continue
		}
		m.from = append(m.from, name)
		biases, mins = append(biases, p.Probability.Bias), append(mins, p.Probability.Min)
		for _, t := range p.Probability.Terms {
			key := standardName(t.Of) + " " + t.Value
			all[key] = append(all[key], t.Weight)
		}
	}
	m.bias, m.min, m.weights = median(biases), median(mins), map[string]float64{}
	for key, list := range all {
		m.weights[key] = median(list)
	}
	return m, nil
}

// median is the middle one, of an even number the lower; there is at least one.
func median(list []float64) float64 {
	slices.Sort(list)
	return list[(len(list)-1)/2]
}

// writeTerms writes the [probability] of a profile with these searchers.
func writeTerms(b *strings.Builder, searchers []string) error {
	m, err := medians()
	if err != nil {
		return err
	}
	var needs []string
	for _, n := range searchers {
		if n != "language" && n != "root_lang" && n != "words_neighbour" && n != "geoip" {
			needs = append(needs, n)
		}
	}
	fmt.Fprintf(b, "\n# Nobody has fitted these numbers: each is the median of those of the built-in profiles %s. Label pages, and let\n# exclave calibrate --profile FILE LABELLED… -o FILE draw them to what is right for this nation (docs/howto/new-nation.md).\n[probability]\nbias = %v\nmin = %v\nneeds = [%s] # the language of a text alone decides nothing\n",
		strings.Join(m.from, ", "), m.bias, m.min, quoted(needs))
	for _, t := range standardTerms() {
		if t.Of != analyzer.OfPage && !slices.Contains(searchers, t.Of) {
			continue
		}
		fmt.Fprintf(b, "\n[[probability.term]]\nof = %q\nvalue = %q\n", t.Of, t.Value)
		if t.Scale != "" {
			fmt.Fprintf(b, "scale = %q\n", string(t.Scale))
		}
		if t.Cap > 0 {
			fmt.Fprintf(b, "cap = %v\n", t.Cap)
		}
		if len(t.Words) > 0 {
			fmt.Fprintf(b, "words = [%d, %d]\n", t.Words[0], t.Words[1])
		}
		fmt.Fprintf(b, "sign = %q\nweight = %v\n", string(t.Sign), m.weights[t.Of+" "+t.Value])
	}
	return nil
}
