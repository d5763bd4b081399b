package main

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"exclave/analyzer"
	"exclave/internal/calibration"
)

const (
	folds      = 5
	bins       = 10
	mostErrors = 4 // explained of each sort and nation
)

// measure measures the profile of a nation, and what it is compared with.
func measure(n nation, p analyzer.Profile, pages []*page, lengths []int, costs []cost, lingua float64) (nationResult, error) {
	r := nationResult{Name: n.Name, Nation: p.Nation, Full: n.Full, Decide: cmp.Or(string(p.Decide), string(analyzer.DecidePoints)), Costs: costs}
	var in, train, test []*page // in: the set
	for _, q := range pages {
		if q.ascii == 0 {
			in = append(in, q)
			if q.Split == "test" {
				test = append(test, q)
			} else {
				train = append(train, q)
			}
		}
	}
	foldOf := foldsOf(in)
	for _, m := range methodsOf(n, p) {
		judge, note, err := m.forTest(train)
		if err != nil {
			return r, fmt.Errorf("%s: %s: %w", n.Name, m.name, err)
		}
		res := methodResult{Name: m.name, Note: note, ASCII: make([]tally, len(lengths))}
		if m.cost != nil {
			res.NS = m.cost(costs, lingua)
		}
		for _, q := range test {
			res.Test.add(q, q.belongs(n), judge(q))
			if q.foreign(n) {
				res.Foreign.Add(false, judge(q))
			}
		}
		for _, q := range pages {
			if q.ascii != 0 && q.belongs(n) {
				res.ASCII[slices.Index(lengths, q.ascii)].Add(true, judge(q))
			}
		}
		for k := range folds {
			rest := slices.DeleteFunc(slices.Clone(in), func(q *page) bool { return foldOf[q.Source] == k })
			if judge, _, err = m.forFold(rest); err != nil {
				return r, fmt.Errorf("%s: %s: without fold %d: %w", n.Name, m.name, k+1, err)
			}
			var b byWords
			for _, q := range in {
				if foldOf[q.Source] == k {
					b.add(q, q.belongs(n), judge(q))
				}
			}
			res.Folds = append(res.Folds, b)
		}
		r.Methods = append(r.Methods, res)
	}
	r.groups(n, test, valid(p.Name))
	r.failures(n, p, test)
	if p.Probability != nil && p.Decide == analyzer.DecideProbability {
		r.Min = p.Probability.Min
		if n.Full {
			return r, r.probability(n, p, train, test)
		}
	}
	return r, nil
}

// foldsOf divides sources as calibrate does.
func foldsOf(pages []*page) map[string]int {
	var rows []calibration.Row
	for _, p := range pages {
		rows = append(rows, calibration.Row{Origin: p.Source})
	}
	return calibration.Folds(rows, folds)
}

// groups divides the test pages by length, language and what is remarkable of them.
func (r *nationResult) groups(n nation, test []*page, judge judgement) {
	add := func(list *[]group, name string, p *page) {
		i := slices.IndexFunc(*list, func(g group) bool { return g.Name == name })
		if i < 0 {
			i = len(*list)
			*list = append(*list, group{Name: name})
		}
		(*list)[i].Counts.Add(p.belongs(n), judge(p))
	}
	for _, p := range test {
		add(&r.ByLanguage, p.Language, p)
		add(&r.ByLength, lengthOf(p.Words), p)
		for _, t := range p.Tags {
			for _, prefix := range []string{"charset-true", "charset-false", "charset-undeclared", "lang-", "mixed-", "no-diacritics", "english-chrome", "wordless"} {
				if strings.HasPrefix(t, prefix) {
					add(&r.ByTag, t, p)
				}
			}
		}
	}
	slices.SortFunc(r.ByLength, func(a, b group) int { return cmp.Compare(leastOf(a.Name), leastOf(b.Name)) })
	slices.SortFunc(r.ByLanguage, func(a, b group) int {
		return cmp.Or(b.Counts.TruePositive+b.Counts.FalseNegative-a.Counts.TruePositive-a.Counts.FalseNegative, b.Counts.FalsePositive-a.Counts.FalsePositive, cmp.Compare(a.Name, b.Name))
	})
	slices.SortFunc(r.ByTag, func(a, b group) int { return cmp.Compare(a.Name, b.Name) })
}

// lengthsOfTable begin the rows of the table by length.
func lengthsOfTable() []int { return []int{0, 10, 20, 35, 50, 100, 200, 400} }

func lengthOf(words int) string {
	list := lengthsOfTable()
	for i, least := range list {
		if i+1 == len(list) {
			return fmt.Sprintf("%d or more", least)
		} else if words < list[i+1] {
			return fmt.Sprintf("%d–%d", least, list[i+1]-1)
		}
	}
	return ""
}

func leastOf(name string) (n int) {
	_, _ = fmt.Sscanf(name, "%d", &n) // each name begins with it
	return n
}

// failures explains the worst errors.
func (r *nationResult) failures(n nation, p analyzer.Profile, test []*page) {
	distance := func(q *page) float64 {
		v := q.verdicts[p.Name]
		switch {
		case v == nil:
			return math.Inf(1)
		case v.DecidedBy == analyzer.DecideProbability && v.Probability != nil:
			return math.Abs(v.LogOdds() - math.Log(v.MinProbability/(1-v.MinProbability)))
		}
		return math.Abs(float64(v.Points - v.Min))
	}
	var missed, wrong []*page
	for _, q := range test {
		switch is, belongs := valid(p.Name)(q), q.belongs(n); {
		case is && !belongs:
			wrong = append(wrong, q)
		case belongs && !is:
			missed = append(missed, q)
		}
	}
	r.Errors = [2]int{len(missed), len(wrong)}
	if !n.Full {
		return
	}
	worst := func(list []*page) (out []failure) {
		slices.SortStableFunc(list, func(a, b *page) int { return cmp.Compare(distance(b), distance(a)) })
		for _, q := range list[:min(len(list), mostErrors)] {
			f := failure{URL: q.URL, Kind: q.Kind, Language: q.Language, Nations: strings.Join(q.Nations, " "), Tags: strings.Join(q.Tags, " "), Words: q.Words, Text: begun(q.text)}
			if v := q.verdicts[p.Name]; v != nil {
				var b bytes.Buffer
				if err := v.Explain(&b); err == nil { // a bytes.Buffer takes everything
					f.Explain = b.String()
				}
			}
			out = append(out, f)
		}
		return out
	}
	r.Missed, r.Wrong = worst(missed), worst(wrong)
}

// begun is the beginning of a text on one line.
func begun(text string) string {
	rs := []rune(strings.Join(strings.Fields(text), " "))
	if len(rs) > 160 {
		return string(rs[:160]) + "…"
	}
	return string(rs)
}

// probability measures how true the probability is, and what the terms contribute.
func (r *nationResult) probability(n nation, p analyzer.Profile, train, test []*page) error {
	r.Calibrated = make([]bin, bins)
	terms := p.Probability.Terms
	means, pages := make([][2]float64, len(terms)), [2]int{}
	for _, q := range test {
		v := q.verdicts[p.Name]
		if v == nil || v.Probability == nil {
			continue
		}
		b := &r.Calibrated[min(bins-1, int(*v.Probability*bins))]
		b.Pages, b.Sum = b.Pages+1, b.Sum+*v.Probability
		class := 0
		if q.belongs(n) {
			b.Nations++
			class = 1
		}
		pages[class]++
		for i, x := range inputs(q, p, -1) {
			means[i][class] += x
		}
	}
	base, err := without(n, p, train, test, -1)
	if err != nil {
		return err
	}
	r.Base = base
	for i, name := range p.Probability.TermNames() {
		t := term{Name: name, Weight: terms[i].Weight, Nation: means[i][1] / float64(max(1, pages[1])), Others: means[i][0] / float64(max(1, pages[0]))}
		if len(terms) > 1 {
			l, err := without(n, p, train, test, i)
			if err != nil {
				return err
			}
			t.Without = &l
		}
		r.Terms = append(r.Terms, t)
	}
	return nil
}

// without fits again without one term, -1 = with all, and counts what errors test pages have then.
func without(n nation, p analyzer.Profile, train, test []*page, i int) (l left, err error) {
	m, err := calibration.Weights(rows(train, n, p, i), fitOptions(p, i))
	if err != nil {
		return l, err
	}
	for _, q := range test {
		odds := m.Odds(inputs(q, p, i))
		is := calibration.Probability(odds) >= p.Probability.Min
		switch belongs := q.belongs(n); {
		case belongs && !is:
			l.Missed++
		case is && !belongs:
			l.Wrong++
		}
		if !q.belongs(n) {
			odds = -odds
		}
		l.Loss -= (min(odds, 0) - math.Log1p(math.Exp(-math.Abs(odds)))) / float64(len(test))
	}
	return l, nil
}

// confusion counts which profiles take the test pages of which nations for theirs.
func confusion(nations []nation, pages []*page) []confused {
	rows := map[string]*confused{}
	var order []string
	for _, p := range pages {
		if p.ascii != 0 || p.Split != "test" {
			continue
		}
		key := strings.Join(p.Nations, " + ")
		if key == "" {
			key = "none, in " + p.Language
		}
		if rows[key] == nil {
			rows[key] = &confused{Nations: key, Valid: make([]int, len(nations))}
			order = append(order, key)
		}
		rows[key].Pages++
		for i, n := range nations {
			if valid(n.Name)(p) {
				rows[key].Valid[i]++
			}
		}
	}
	var out []confused
	for _, key := range order {
		if row := rows[key]; !strings.HasPrefix(key, "none") || slices.Max(row.Valid) > 0 {
			out = append(out, *row)
		}
	}
	slices.SortStableFunc(out, func(a, b confused) int {
		none := func(c confused) int {
			if strings.HasPrefix(c.Nations, "none") {
				return 1
			}
			return 0
		}
		return cmp.Or(none(a)-none(b), b.Pages-a.Pages)
	})
	return out
}
