package analyzer

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"exclave/internal/conf"
)

// Decider says which of a profile's judgements counts (ADR 53).
type Decider string

// The values of Decider.
const (
	DecidePoints      Decider = "points"      // the sum of points reaches min_points
	DecideProbability Decider = "probability" // the probability reaches its min
	DecideExpression  Decider = "expression"  // the expression is true
)

// Probability is how a profile turns findings into the probability that a page is the
// nation's: a logistic regression. The log odds are Bias and what the terms add.
type Probability struct {
	Bias  float64 `toml:"bias,required"` // log odds of a page of which no term says anything
	Min   float64 `toml:"min,required"`  // a page as probable is valid; more than 0, less than 1
	Terms []Term  `toml:"term"`

	// Needs are names of searchers, of which at least one must have found something that counts: else a page
	// is not valid, however probable. Empty: none is needed.
	Needs []string `toml:"needs"`
}

// Term is one [[probability.term]] of a profile.
type Term struct {
	Of     string  `toml:"of,required"`     // name of a searcher, or OfPage
	Value  string  `toml:"value,required"`  // what of it is weighed
	Weight float64 `toml:"weight,required"` // log odds for each unit of the scaled value
	Name   string  `toml:"name"`            // in verdicts; default Of and Value
	Scale  Scale   `toml:"scale"`           // default ScaleLinear
	Cap    float64 `toml:"cap"`             // most of the value, before it is scaled, or most negative; 0 = no cap
	Sign   Sign    `toml:"sign"`            // that the weight must have; empty = either
	Words  []int   `toml:"words"`           // least and most words of a page for which the term counts, 0 = any number; empty = all pages

	shown string // in verdicts; "" = not made yet
}

// OfPage is the Of of a term that weighs the page itself.
const OfPage = "page"

// Scale says what a value is made of before it is weighed.
type Scale string

// The values of Scale.
const (
	ScaleLinear Scale = "linear" // the value
	ScaleLog    Scale = "log"    // the natural logarithm of 1 + value; of a negative one that of its amount, negative
	ScaleAny    Scale = "any"    // 1 for a value above 0, else 0
)

// Sign is the one that a weight may have, whatever some labelled pages say: what speaks for a nation must not
// come to count against it.
type Sign string

// The values of Sign.
const (
	SignPlus  Sign = "+" // 0 or more
	SignMinus Sign = "-" // 0 or less
)

// Of returns the sign as a number: 1, -1, or 0 when any weight is allowed.
func (s Sign) Of() int {
	switch s {
	case SignPlus:
		return 1
	case SignMinus:
		return -1
	}
	return 0
}

// maxTerms bounds what a verdict holds.
const maxTerms = 200

// MaxWeight bounds bias and weights, either way, so that no sum is infinite.
const MaxWeight = 1000

// hasValues is for options whose searchers give named values (Finding.Values), which terms and
// expressions may use.
type hasValues interface{ values() []string }

// countValues are the values that every searcher has.
func countValues() []string {
	return []string{"found", "valid", "distinct", "counted", "points", "share", "per_word"}
}

// pageValues are the values of OfPage.
func pageValues() []string { return []string{"one", "words", "points"} }

// valuesOf lists the values of a searcher.
func (c SearcherConfig) valuesOf() []string {
	list := countValues()
	if o, ok := c.own.(hasValues); ok {
		list = append(list, o.values()...)
	}
	return list
}

// Validate returns every value that cannot be, but for what must go with the searchers.
func (p Probability) Validate() (ps conf.Problems) {
	ps.Check(math.Abs(p.Bias) <= MaxWeight, "bias", "%v: -%d to %d is allowed", p.Bias, MaxWeight, MaxWeight)
	ps.Check(p.Min > 0 && p.Min < 1, "min", "%v: more than 0 and less than 1 is allowed", p.Min)
	ps.Check(len(p.Terms) > 0, "term", "there is none: each page would be as probable as another")
	ps.Check(len(p.Terms) <= maxTerms, "term", "there are %d; %d is allowed", len(p.Terms), maxTerms)
	for i, t := range p.Terms {
		ps.Merge(t.validate().Below(conf.Element("term", i)))
		same := func(o Term) bool { return o.name() == t.name() }
		ps.Check(!slices.ContainsFunc(p.Terms[:i], same), conf.Join(conf.Element("term", i), "name"), "%q is taken by a term above; give this one a name of its own", t.name())
	}
	return ps
}

func (t Term) validate() (ps conf.Problems) {
	ps.Check(math.Abs(t.Weight) <= MaxWeight, "weight", "%v: -%d to %d is allowed", t.Weight, MaxWeight, MaxWeight)
	ps.Check(t.Cap >= 0 && t.Cap <= MaxPoints, "cap", "%v: 0 to %d is allowed", t.Cap, MaxPoints)
	ps.Check(slices.Contains([]Scale{"", ScaleLinear, ScaleLog, ScaleAny}, t.Scale), "scale", `%q: "linear", "log" or "any"`, t.Scale)
	switch t.Sign {
	case "", SignPlus, SignMinus:
		ps.Check(t.Weight*float64(t.Sign.Of()) >= 0, "weight", "%v: the sign is to be %q", t.Weight, t.Sign)
	default:
		ps.Add("sign", `%q: "+" or "-"`, t.Sign)
	}
	switch {
	case len(t.Words) == 0:
	case len(t.Words) != 2:
		ps.Add("words", "two numbers are wanted, like [ 0, 19 ]")
	default:
		ps.Check(t.Words[0] >= 0 && (t.Words[1] == 0 || t.Words[1] >= t.Words[0]), "words", "%d to %d is no range", t.Words[0], t.Words[1])
	}
	return ps
}

// check returns what of the terms does not go with the searchers.
func (p Probability) check(searchers []SearcherConfig) (ps conf.Problems) {
	for i, n := range p.Needs {
		known := slices.ContainsFunc(searchers, func(s SearcherConfig) bool { return s.Name == n })
		ps.Check(known, conf.Element("needs", i), "%q: no searcher is called so", n)
	}
	for i, t := range p.Terms {
		at := func(key string) string { return conf.Join(conf.Element("term", i), key) }
		values, names := pageValues(), []string{OfPage}
		for _, s := range searchers {
			names = append(names, s.Name)
			if t.Of != s.Name || t.Of == OfPage {
				continue
			}
			if values = s.valuesOf(); s.own == nil { // it has a problem of its own
				values = append(values, t.Value)
			}
		}
		if !slices.Contains(names, t.Of) {
			ps.Add(at("of"), "%q: no searcher is called so; there are %s", t.Of, strings.Join(names, ", "))
			continue
		}
		ps.Check(slices.Contains(values, t.Value), at("value"), "%q: %s has %s", t.Value, t.Of, strings.Join(values, ", "))
	}
	return ps
}

// name is what tells the term from others of its profile.
func (t Term) name() string {
	if t.Name != "" {
		return t.Name
	}
	name := t.Of + " " + t.Value
	if len(t.Words) == 2 {
		name += " (" + t.rangeText() + ")"
	}
	return name
}

// shownName is what the term is called in verdicts.
func (t Term) shownName() string {
	if t.Name == "" && t.Of == OfPage && t.Value == "one" && len(t.Words) == 2 {
		return t.rangeText()
	}
	return t.name()
}

// named returns p with the names of the terms made once for all verdicts.
func (p *Probability) named() *Probability {
	if p == nil {
		return nil
	}
	q := *p
	q.Terms = slices.Clone(p.Terms)
	for i := range q.Terms {
		q.Terms[i].shown = q.Terms[i].shownName()
	}
	return &q
}

// rangeText says for which pages the term counts.
func (t Term) rangeText() string {
	switch least, most := t.Words[0], t.Words[1]; {
	case most == 0:
		return strconv.Itoa(least) + " words or more"
	case least == 0:
		return "at most " + strconv.Itoa(most) + " words"
	default:
		return fmt.Sprintf("%d–%d words", least, most)
	}
}

// applies reports whether the term counts for a page of so many words.
func (t Term) applies(words int) bool {
	return len(t.Words) != 2 || words >= t.Words[0] && (t.Words[1] == 0 || words <= t.Words[1])
}

// Scaled returns what is weighed of a value.
func (t Term) scaled(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	if t.Cap > 0 {
		x = max(-t.Cap, min(t.Cap, x))
	}
	switch t.Scale {
	case ScaleLog:
		x = math.Copysign(math.Log1p(math.Abs(x)), x)
	case ScaleAny:
		if x > 0 {
			return 1
		}
		return 0
	}
	return x
}

// value returns a value of what a searcher found; a named one comes before a share that is
// computed, since the searcher knows better.
func (s Scored) value(name string, words int) float64 {
	if v, ok := s.Values[name]; ok {
		return v
	}
	switch name {
	case "found":
		return float64(s.Found)
	case "valid":
		return float64(s.Valid)
	case "distinct":
		return float64(s.Distinct)
	case "counted":
		return float64(s.Counted)
	case "points":
		return float64(s.Points)
	case "share":
		return ratio(s.Valid, s.Found)
	case "per_word":
		return ratio(s.Valid, words)
	}
	return 0
}

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// input returns the scaled value of a term for a verdict with the findings, points and
// words of a page; 0 when the term does not count.
func (t Term) input(v *Verdict) (raw, scaled float64) {
	words := v.words()
	if !t.applies(words) {
		return 0, 0
	}
	if t.Of == OfPage {
		switch t.Value {
		case "one":
			raw = 1
		case "words":
			raw = float64(words)
		case "points":
			raw = float64(v.Points)
		}
	} else if s := v.by(t.Of); s != nil {
		raw = s.value(t.Value, words)
	}
	return raw, t.scaled(raw)
}

// Inputs returns the scaled value of each term for a verdict that has the findings and the
// words of its page: what weights are fitted to.
func (p Probability) Inputs(v Verdict) []float64 {
	out := make([]float64, len(p.Terms))
	for i, t := range p.Terms {
		_, out[i] = t.input(&v)
	}
	return out
}

// judge adds the probability and its terms to a verdict with findings, points and words.
// What is summed is what is written, so that the terms of a verdict are its log odds.
func (p *Probability) judge(v *Verdict) {
	odds := rounded(p.Bias, 4)
	v.Terms = append(make([]Weighed, 0, 1+len(p.Terms)), Weighed{Name: "bias", Value: 1, Weight: p.Bias, Added: odds})
	for _, t := range p.Terms {
		raw, x := t.input(v)
		added := rounded(t.Weight*x, 4)
		if added == 0 {
			continue
		}
		odds += added
		name := t.shown
		if name == "" {
			name = t.shownName()
		}
		v.Terms = append(v.Terms, Weighed{Name: name, Of: t.Of, Value: rounded(raw, 6), Weight: t.Weight, Added: added})
	}
	probability := rounded(1/(1+math.Exp(-odds)), 6)
	v.Probability, v.MinProbability = &probability, p.Min
	if probability >= p.Min && len(p.Needs) > 0 && !slices.ContainsFunc(p.Needs, func(n string) bool { return v.found(n).Valid > 0 }) {
		v.Lacks = p.Needs
	}
}

// rounded keeps so many decimals, and no negative zero.
func rounded(x float64, decimals int) float64 {
	unit := math.Pow10(decimals)
	return math.Round(x*unit)/unit + 0
}

// WithWeights returns the TOML text of a profile with other weights, in the order of its terms; all else stays as it
// is, comments too.
func WithWeights(source []byte, bias, least float64, weights []float64) ([]byte, error) {
	values := map[string]float64{"probability.bias": bias, "probability.min": least}
	for i, w := range weights {
		values[conf.Join(conf.Element("probability.term", i), "weight")] = w
	}
	out, err := conf.SetNumbers(source, values)
	if err != nil {
		return nil, fmt.Errorf("analyzer: weights of a profile: %w", err)
	}
	return out, nil
}

// TermNames are the names of the terms in verdicts.
func (p Probability) TermNames() []string {
	var out []string
	for _, t := range p.Terms {
		out = append(out, t.name())
	}
	return out
}
