package calibration

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// rows are so many pages with a value, of which so many belong.
func rows(value float64, belong, others int) (out []Row) {
	for i := range belong + others {
		out = append(out, Row{X: []float64{value, 7}, Belongs: i < belong, Origin: fmt.Sprintf("%v-%d", value, i), Words: 30})
	}
	return out
}

func pointers(list []Row) (out []*Row) {
	for i := range list {
		out = append(out, &list[i])
	}
	return out
}

// TestFit: with one value of two the likelihood has its greatest value where the log odds are those of the
// shares; a value that is the same everywhere has no weight.
func TestFit(t *testing.T) {
	list := append(rows(1, 90, 10), rows(0, 20, 80)...)
	m, err := fit(pointers(list), Options{L2: 1e-9, Positive: 1})
	if err != nil {
		t.Fatal(err)
	}
	bias := math.Log(20. / 80)
	if math.Abs(m.Bias-bias) > 1e-5 || math.Abs(m.Weights[0]-(math.Log(9)-bias)) > 1e-5 || m.Weights[1] != 0 {
		t.Errorf("%+v, want bias %v and weight %v", m, bias, math.Log(9)-bias)
	}
	// Counting a page of the nation twice is as if there were twice as many.
	m, err = fit(pointers(list), Options{L2: 1e-9, Positive: 2})
	if want := math.Log(40. / 80); err != nil || math.Abs(m.Bias-want) > 1e-5 {
		t.Errorf("positive 2: %+v %v, want bias %v", m, err, want)
	}
	balanced, err := fit(pointers(list), Options{L2: 1e-9})
	if want := math.Log(20. / 110 / (80. / 90)); err != nil || math.Abs(balanced.Bias-want) > 1e-5 {
		t.Errorf("balanced: %+v %v, want bias %v", balanced, err, want)
	}
}

// TestFitSeparable: what no page contradicts has a finite weight, smaller with a greater penalty.
func TestFitSeparable(t *testing.T) {
	list := append(rows(1, 50, 0), rows(0, 0, 50)...)
	loose, err := fit(pointers(list), Options{L2: 0.01, Positive: 1})
	if err != nil {
		t.Fatal(err)
	}
	strict, err := fit(pointers(list), Options{L2: 10, Positive: 1})
	if err != nil || !(loose.Weights[0] > strict.Weights[0]) || !(strict.Weights[0] > 1) || loose.Weights[0] > 50 {
		t.Errorf("%+v %+v %v", loose, strict, err)
	}
	if _, err := fit(pointers(rows(1, 5, 0)), Options{L2: 1, Positive: 1}); !errors.Is(err, ErrOneClass) {
		t.Errorf("one class: %v", err)
	}
}

// TestFitOfManyTerms: the gradient is zero at what was found, penalty included, whatever the terms have in common.
func TestFitOfManyTerms(t *testing.T) {
	var list []Row
	state := uint64(1)
	random := func() float64 {
		state = state*6364136223846793005 + 1442695040888963407
		return float64(state>>40) / (1 << 24)
	}
	for i := range 400 {
		x := make([]float64, 12)
		for j := range x {
			x[j] = random() * float64(j+1) * 10
		}
		x[11] = x[10]*3 + x[9] // follows from two others
		list = append(list, Row{X: x, Belongs: x[0]+x[1]/2+3*random() > 12, Origin: fmt.Sprint(i)})
	}
	all := pointers(list)
	m, err := fit(all, Options{L2: 1, Positive: 1})
	if err != nil {
		t.Fatal(err)
	}
	mean, deviation := moments(all, 12)
	p := problem{rows: all, mean: mean, deviation: deviation, penalty: append([]float64{0}, slices.Repeat([]float64{1}, 12)...), centre: make([]float64, 13), positive: 1, x: make([]float64, 13)}
	at := []float64{m.Bias}
	for i, w := range m.Weights {
		at = append(at, w*deviation[i])
		at[0] += w * mean[i]
	}
	gradient, _ := p.derivatives(at)
	for i, g := range gradient {
		if math.Abs(g) > 1e-3 {
			t.Errorf("gradient %d is %v", i, g)
		}
	}
}

// TestSigns: a weight whose sign the pages contradict is 0, the others are what they are without it; one whose sign they bear out
// is as it was.
func TestSigns(t *testing.T) {
	var list []Row
	for i := range 400 {
		x, y := float64(i%7), float64(i%5)
		list = append(list, Row{X: []float64{x, y, float64(i % 3)}, Belongs: x-y+float64(i%11)/4 > 1.5, Origin: fmt.Sprint(i)})
	}
	o := Options{L2: 1, Positive: 1}
	free, err := fit(pointers(list), o)
	if err != nil || !(free.Weights[0] > 0) || !(free.Weights[1] < 0) {
		t.Fatalf("%+v %v: the test wants a weight of either sign", free, err)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-4 }
	o.Signs = []int{1, -1, 0}
	same, err := fit(pointers(list), o)
	if err != nil || !near(same.Bias, free.Bias) || !near(same.Weights[0], free.Weights[0]) || !near(same.Weights[1], free.Weights[1]) {
		t.Errorf("signs that hold anyway: %+v %v, want %+v", same, err, free)
	}
	o.Signs = []int{1, 1, 0}
	bound, err := fit(pointers(list), o)
	without := slices.Clone(list)
	for i := range without {
		without[i].X = []float64{list[i].X[0], 0, list[i].X[2]}
	}
	want, err2 := fit(pointers(without), Options{L2: 1, Positive: 1})
	if err != nil || err2 != nil || bound.Weights[1] != 0 || !near(bound.Bias, want.Bias) || !near(bound.Weights[0], want.Weights[0]) || !near(bound.Weights[2], want.Weights[2]) {
		t.Errorf("a sign that does not hold: %+v %v, want %+v", bound, err, want)
	}
}

// TestThreshold: the greatest recall that has the precision, between two pages.
func TestThreshold(t *testing.T) {
	held := func(text string) (out []predicted) { // from the most probable page on
		for i, c := range text {
			out = append(out, predicted{Row: &Row{Belongs: c == '+'}, odds: float64(4 - i)})
		}
		slices.Reverse(out)
		return out
	}
	for _, tt := range []struct {
		why, pages string
		precision  float64
		odds       float64
		reached    bool
	}{
		{"all are told apart", "+++--", 1, 1.5, true},
		{"no wrong page is allowed", "++-+-", 1, 2.5, true},
		{"one in four is", "++-+-", 0.75, 0.5, true},
		{"nobody is the nation's at the top", "-++++", 1, 5, false},
		{"but one of five may be wrong", "-++++", 0.8, -1, true},
	} {
		least, reached := threshold(held(tt.pages), tt.precision)
		if want := math.Round(Probability(tt.odds)*1e4) / 1e4; least != want || reached != tt.reached {
			t.Errorf("%s: %v %v, want %v", tt.why, least, reached, want)
		}
	}
}

// TestFolds: pages of one origin are in one fold, whatever their order, and the same pages give the same result.
func TestFolds(t *testing.T) {
	list := append(rows(1, 90, 10), rows(0, 20, 80)...)
	for i := range list {
		list[i].Origin = fmt.Sprint(i % 23)
	}
	a := divide(list, 5)
	slices.Reverse(list)
	b := divide(list, 5)
	sizes := make([]int, 5)
	for o, k := range a {
		sizes[k]++
		if b[o] != k {
			t.Errorf("origin %s is in fold %d and in %d", o, k, b[o])
		}
	}
	if len(a) != 23 || slices.Min(sizes) < 4 {
		t.Errorf("%d origins, folds of %v", len(a), sizes)
	}
	first, err := Fit(list, Options{L2: 1, Positive: 1}, 5, 0.8)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Fit(list, Options{L2: 1, Positive: 1}, 5, 0.8)
	if err != nil || fmt.Sprint(first) != fmt.Sprint(second) || first.HeldOut.Pages() != 200 || first.ByLength[0].Pages != 200 || first.ByLength[1].Name != "20–49 words" {
		t.Errorf("%+v\n%+v %v", first, second, err)
	}
	if _, err := Fit(rows(1, 2, 2), Options{L2: 1, Positive: 1}, 5, 0.8); err == nil || !strings.Contains(err.Error(), "only 4 origins") {
		t.Errorf("too few: %v", err)
	}
}
