package evaluation

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"exclave/analyzer"
	"exclave/internal/labels"
)

// Report is what was measured of one profile.
type Report struct {
	Profile    string        `json:"profile"`
	Nation     string        `json:"nation"`
	Unlabelled int           `json:"unlabelled"` // pages left out: nobody said whether they are the nation's
	All        Counts        `json:"all"`
	ByLength   []Group       `json:"by_length"` // "≥ 50 words" is the sum of the longer ones; "?": nobody knows
	ByLanguage []Group       `json:"by_language"`
	ByKind     []Group       `json:"by_kind"`
	Score      string        `json:"score"` // what Curve is of: "probability" or "points"
	Curve      []Point       `json:"curve"` // from the greatest threshold to the least: one for each percent of recall, and for 99.5 %
	Searchers  []Alone       `json:"searchers"`
	Missed     []Error       `json:"missed"`   // the nation's pages that are not valid, the worst first
	Accepted   []Error       `json:"accepted"` // others' that are
	Confusion  []NationGroup `json:"confusion"`
}

// Group are the pages of one length, language or kind.
type Group struct {
	Name string `json:"name"`
	Counts
}

// MarshalJSON implements [json.Marshaler]: that of Counts would hide the name.
func (g Group) MarshalJSON() ([]byte, error) { return named(g.Name, g.Counts) }

// NationGroup are the pages that belong to the same nations.
type NationGroup struct {
	Nations string `json:"nations"` // "cz", "cz sk", "" = none
	Pages   int    `json:"pages"`
	Valid   int    `json:"valid"`
}

// Point is precision and recall when a score of at least Threshold makes a page valid.
type Point struct {
	Threshold float64 `json:"threshold"`
	Precision Share   `json:"precision"`
	Recall    Share   `json:"recall"`
}

// Alone is what one searcher says of the pages by itself.
type Alone struct {
	Searcher string `json:"searcher"`
	Any      Counts `json:"any"`  // valid where anything counted
	At       int    `json:"at"`   // the count that tells the pages apart best, by F1
	Best     Counts `json:"best"` // valid where so much counted
}

// Error is a page that was judged wrongly.
type Error struct {
	URL      string           `json:"url"`
	Source   string           `json:"source,omitempty"`
	Kind     string           `json:"kind,omitempty"`
	Language string           `json:"language,omitempty"`
	Words    int              `json:"words"`
	Verdict  analyzer.Verdict `json:"verdict"`

	distance float64 // from being right
}

// lengths are the buckets of lengths, in words; each ends before the next.
func lengths() []struct {
	least int
	name  string
} {
	return []struct {
		least int
		name  string
	}{{0, "< 20 words"}, {20, "20–49 words"}, {50, "50–199 words"}, {200, "≥ 200 words"}}
}

// long is what pages of so many words and more are called together: from there on text is enough.
const (
	longWords = 50
	long      = "≥ 50 words"
)

// LengthOf names the bucket of a page of so many words, "?" when there are fewer than none: nobody knows.
func LengthOf(words int) string {
	name := unknown
	for _, l := range lengths() {
		if words >= l.least {
			name = l.name
		}
	}
	return name
}

// Builder makes the report of one profile.
type Builder struct {
	report    Report
	at        int // of the profile's verdict in a sample
	errors    int // kept of each sort
	length    map[string]*Counts
	language  map[string]*Counts
	kind      map[string]*Counts
	nations   map[string]*NationGroup
	scores    []scored
	searchers []string
	counted   map[string]map[int]*[2]int // searcher → count → pages of others, of the nation
}

// scored is what is kept of every page.
type scored struct {
	score   float64
	belongs bool
}

// NewBuilder returns a Builder for the profile with the verdict number at of each sample. At most worst
// errors of each sort are kept.
func NewBuilder(p analyzer.Profile, nation string, at, worst int) *Builder {
	b := &Builder{report: Report{Profile: p.Name, Nation: nation, Score: "points"}, at: at, errors: worst,
		length: map[string]*Counts{}, language: map[string]*Counts{}, kind: map[string]*Counts{},
		nations: map[string]*NationGroup{}, counted: map[string]map[int]*[2]int{}}
	if p.Probability != nil && (p.Decide == analyzer.DecideProbability || p.Decide == analyzer.DecideExpression) {
		b.report.Score = "probability" // of an expression it is the nearest thing to a threshold
	}
	for _, s := range p.Searchers {
		b.searchers = append(b.searchers, s.Name)
		b.counted[s.Name] = map[int]*[2]int{}
	}
	return b
}

// Add counts a page.
func (b *Builder) Add(s labels.Sample) {
	v := s.Verdicts[b.at]
	belongs, known := s.Belongs(b.report.Nation)
	if !known {
		b.report.Unlabelled++
		return
	}
	b.report.All.Add(belongs, v.Valid)
	for m, name := range map[*map[string]*Counts]string{&b.length: LengthOf(s.Words), &b.language: cmp.Or(s.Language, unknown), &b.kind: cmp.Or(s.Kind, unknown)} {
		group(*m, name).Add(belongs, v.Valid)
	}
	if s.Words >= longWords {
		group(b.length, long).Add(belongs, v.Valid)
	}
	b.nation(s, v.Valid)
	b.scores = append(b.scores, scored{b.score(v), belongs})
	for _, name := range b.searchers {
		n := 0
		for _, by := range v.By {
			if by.Searcher == name {
				n = by.Counted
			}
		}
		h := b.counted[name]
		if h[n] == nil {
			h[n] = &[2]int{}
		}
		h[n][index(belongs)]++
	}
	if belongs != v.Valid {
		b.keep(s, v, belongs)
	}
}

// unknown is the group of pages of which nobody said the length, language or kind.
const unknown = "?"

func group(m map[string]*Counts, name string) *Counts {
	if m[name] == nil {
		m[name] = &Counts{}
	}
	return m[name]
}

func index(belongs bool) int {
	if belongs {
		return 1
	}
	return 0
}

// nation counts the page among those of the same nations, where all are known.
func (b *Builder) nation(s labels.Sample, valid bool) {
	if s.Nations == nil {
		return
	}
	name := ""
	for _, n := range slices.Sorted(slices.Values(*s.Nations)) {
		if name != "" {
			name += " "
		}
		name += n
	}
	if b.nations[name] == nil {
		b.nations[name] = &NationGroup{Nations: name}
	}
	b.nations[name].Pages++
	if valid {
		b.nations[name].Valid++
	}
}

// score is what the curve is drawn of.
func (b *Builder) score(v analyzer.Verdict) float64 {
	switch {
	case b.report.Score == "points":
		return float64(v.Points)
	case v.Probability == nil: // not judged
		return 0
	}
	return *v.Probability
}

// keep keeps an error when it is among the worst.
func (b *Builder) keep(s labels.Sample, v analyzer.Verdict, belongs bool) {
	e := Error{URL: s.URL, Source: s.Source, Kind: s.Kind, Language: s.Language, Words: s.Words, Verdict: v}
	e.distance = math.Abs(b.score(v) - float64(v.Min))
	if b.report.Score == "probability" && v.Probability != nil {
		e.distance = math.Abs(v.LogOdds() - math.Log(v.MinProbability/(1-v.MinProbability)))
	}
	list := &b.report.Accepted
	if belongs {
		list = &b.report.Missed
	}
	i, _ := slices.BinarySearchFunc(*list, e, func(a, e Error) int {
		if a.distance < e.distance {
			return 1
		}
		return -1
	})
	*list = slices.Insert(*list, i, e)
	*list = (*list)[:min(len(*list), b.errors)]
}

// Report returns what was measured so far.
func (b *Builder) Report() Report {
	r := b.report
	for _, l := range lengths() {
		if c := b.length[l.name]; c != nil {
			r.ByLength = append(r.ByLength, Group{l.name, *c})
		}
	}
	if c := b.length[long]; c != nil {
		r.ByLength = append(r.ByLength, Group{long, *c})
	}
	if c := b.length[unknown]; c != nil {
		r.ByLength = append(r.ByLength, Group{unknown, *c})
	}
	r.ByLanguage, r.ByKind = groups(b.language), groups(b.kind)
	for _, n := range slices.Sorted(maps.Keys(b.nations)) {
		r.Confusion = append(r.Confusion, *b.nations[n])
	}
	r.Curve = curve(b.scores)
	for _, name := range b.searchers {
		r.Searchers = append(r.Searchers, alone(name, b.counted[name]))
	}
	r.ByLength, r.ByLanguage, r.ByKind, r.Confusion = list(r.ByLength), list(r.ByLanguage), list(r.ByKind), list(r.Confusion)
	r.Curve, r.Searchers, r.Missed, r.Accepted = list(r.Curve), list(r.Searchers), list(r.Missed), list(r.Accepted)
	return r
}

// list is a list for programs: of nothing it is empty, not null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// groups sorts by the number of pages, then by name.
func groups(m map[string]*Counts) []Group {
	var out []Group
	for name, c := range m {
		out = append(out, Group{name, *c})
	}
	slices.SortFunc(out, func(a, b Group) int { return cmp.Or(b.Pages()-a.Pages(), cmp.Compare(a.Name, b.Name)) })
	return out
}

// curve computes precision and recall at each score, and keeps the first point of each percent of recall.
func curve(scores []scored) []Point {
	sorted := slices.Clone(scores)
	slices.SortFunc(sorted, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	positives := 0
	for _, s := range sorted {
		positives += index(s.belongs)
	}
	if positives == 0 {
		return nil
	}
	var all []Point
	valid, right := 0, 0
	for i, s := range sorted {
		valid, right = valid+1, right+index(s.belongs)
		if i+1 == len(sorted) || sorted[i+1].score != s.score {
			all = append(all, Point{s.score, shareOf(right, valid), shareOf(right, positives)})
		}
		if right == positives && all != nil && all[len(all)-1].Recall == 1 {
			break // less is never better
		}
	}
	recalls := make([]Share, 0, 102)
	for i := range 100 {
		recalls = append(recalls, Share(float64(i)/100))
	}
	return atRecalls(all, append(recalls, 0.995, 1))
}

// atRecalls keeps the point with the greatest threshold that has each of the recalls, which ascend as those of the points do.
func atRecalls(points []Point, recalls []Share) (out []Point) {
	for _, p := range points {
		n := 0
		for n < len(recalls) && recalls[n] <= p.Recall {
			n++
		}
		if n > 0 {
			out, recalls = append(out, p), recalls[n:]
		}
	}
	return out
}

// alone judges by what one searcher counted: by anything, and by the count with the best F1.
func alone(name string, h map[int]*[2]int) Alone {
	a := Alone{Searcher: name}
	var total Counts // nothing is valid
	for _, n := range h {
		total.TrueNegative += n[0]
		total.FalseNegative += n[1]
	}
	c := total
	a.Best = c
	best := math.Inf(-1)
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(h))) {
		if n <= 0 {
			break
		}
		c.FalsePositive, c.TrueNegative = c.FalsePositive+h[n][0], c.TrueNegative-h[n][0]
		c.TruePositive, c.FalseNegative = c.TruePositive+h[n][1], c.FalseNegative-h[n][1]
		if f := float64(c.F1()); f > best {
			best, a.At, a.Best = f, n, c
		}
	}
	a.Any = c
	return a
}
