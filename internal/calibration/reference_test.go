package calibration

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// drawn are 300 pages with four values, of a linear congruential generator.
func drawn() (out []Row) {
	state := uint64(1)
	random := func() float64 {
		state = state*6364136223846793005 + 1442695040888963407
		return float64(state>>40) / (1 << 24)
	}
	for i := range 300 {
		a, b, c, d := random(), random()*20, 0., 0.
		if random() < 0.2 {
			c = 1
		}
		d = random() * 0.1
		belongs := 3*a-b/10+c+5*random() > 2.5+20*d*(a-0.3)
		out = append(out, Row{X: []float64{a, b, c, d}, Belongs: belongs, Origin: fmt.Sprint(i)})
	}
	return out
}

// TestReference: the weights are those of others' programs, to three decimals: scikit-learn 1.9.1 (LogisticRegression, newton-cholesky)
// where no sign is given, SciPy 1.17.1 (L-BFGS-B with bounds) where one is, or where the penalty is around weights.
func TestReference(t *testing.T) {
	before := func(bias float64, w ...float64) *Around { return &Around{Model: Model{Bias: bias, Weights: w}} }
	for _, tt := range []struct {
		why  string
		o    Options
		want Model
	}{
		{"scikit-learn", Options{L2: 1, Positive: 1}, Model{-0.081, []float64{1.995, -0.056, 0.931, -2.193}}},
		{"scikit-learn, a greater penalty", Options{L2: 5, Positive: 1}, Model{-0.056, []float64{1.861, -0.052, 0.857, -1.983}}},
		{"two signs that do not hold", Options{L2: 1, Positive: 1, Signs: []int{1, -1, -1, 1}}, Model{-0.024, []float64{1.899, -0.050, 0, 0}}},
		{"one that does not", Options{L2: 1, Positive: 1, Signs: []int{1, -1, 1, 1}}, Model{-0.204, []float64{1.994, -0.055, 0.926, 0}}},
		{"around weights", Options{L2: 5, Positive: 1, Signs: []int{1, -1, 1, 1}, Around: before(-1.5, 4, 0, 2, 3)}, Model{-0.302, []float64{2.214, -0.053, 1.058, 0}}},
		{"around others, from which one is held and one let go", Options{L2: 50, Positive: 1, Signs: []int{1, -1, -1, -1}, Around: before(-1.5, 4, -0.2, -1, 0)}, Model{-0.740, []float64{3.019, -0.123, 0, -1.294}}},
	} {
		m, err := Weights(drawn(), tt.o)
		if err != nil {
			t.Errorf("%s: %v", tt.why, err)
			continue
		}
		if got := m.rounded(); fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s: %v, want %v", tt.why, got, tt.want)
		}
	}
}

// TestAround: few pages move weights little, though they all say the contrary, and a value that is the same on all of them keeps its
// weight; thousands have their way.
func TestAround(t *testing.T) {
	o := Options{L2: 5, Positive: 1, Around: &Around{Model: Model{Bias: -1, Weights: []float64{4, 2}}, Min: 0.7}}
	few, err := Weights(append(rows(1, 1, 3), rows(0, 3, 1)...), o)
	if err != nil || !(few.Weights[0] > 2.5 && few.Weights[0] < 4) || few.Weights[1] != 2 {
		t.Errorf("8 pages: %+v %v", few, err)
	}
	many, err := Weights(append(rows(1, 1000, 3000), rows(0, 3000, 1000)...), o)
	if err != nil || !(many.Weights[0] < -2) {
		t.Errorf("8000 pages: %+v %v", many, err)
	}
	// The threshold stays until there are different pages of the nation enough to choose one.
	vary := func(list []Row) []Row {
		for i := range list {
			list[i].X[0] += float64(i) / 1000
		}
		return list
	}
	for _, tt := range []struct {
		why           string
		rows          []Row
		kept, reached bool
	}{
		{"19 of the nation", vary(append(rows(1, 18, 2), rows(0, 1, 19)...)), true, false},
		{"20", vary(append(rows(1, 20, 0), rows(0, 0, 20)...)), false, true},
		{"20 that are one", append(rows(1, 20, 0), rows(0, 0, 20)...), true, false}, // and the bias before makes them all valid
	} {
		r, err := Fit(tt.rows, o, 5, 0.95)
		if err != nil || r.Kept != tt.kept || r.Reached != tt.reached || tt.kept && r.Min != 0.7 {
			t.Errorf("%s: %+v %v", tt.why, r, err)
		}
	}
	if Enough(0.995) != 200 || Enough(0.998) != 500 || Enough(0.5) != 2 || Enough(1) != 1_000_000 {
		t.Error(Enough(0.995), Enough(0.998), Enough(0.5), Enough(1))
	}
}

// TestExtremes: what cannot be fitted is an error that says what to do; nothing is NaN.
func TestExtremes(t *testing.T) {
	fresh := Options{L2: 1, Positive: 1}
	around := Options{L2: 5, Around: &Around{Model: Model{Weights: []float64{0, 0}}, Min: 0.5}}
	wide := append(rows(1e300, 9, 1), rows(0, 5, 5)...)
	wide[0].X[0] = -1e300
	for _, tt := range []struct {
		why  string
		rows []Row
		want string // of the error; "" = none
	}{
		{"all are the nation's", rows(1, 20, 0), "label others, too"},
		{"none is", rows(1, 0, 20), "label others, too"},
		{"one page", rows(1, 1, 0), "label others, too"},
		{"no evidence on any page", rows(0, 10, 10), ""},
		{"perfectly told apart", append(rows(1, 20, 0), rows(0, 0, 20)...), ""},
		{"values beyond any sum", wide, "give the terms a cap"},
	} {
		for _, o := range []Options{fresh, around} {
			r, err := Fit(tt.rows, o, 5, 0.9)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%s: %v, want %q", tt.why, err, tt.want)
			}
			for _, x := range append(r.Weights, r.Bias, r.Min) {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Errorf("%s: %+v", tt.why, r)
				}
			}
		}
	}
	// A fold without pages of the nation has no fit of its own, unless it is around weights.
	lone := append(rows(1, 1, 0), rows(0, 0, 20)...)
	if _, err := Fit(lone, fresh, 5, 0.9); !errors.Is(err, ErrOneClass) || !strings.Contains(err.Error(), "without fold") {
		t.Errorf("one page of the nation: %v", err)
	}
	if _, err := Fit(lone, around, 5, 0.9); err != nil {
		t.Errorf("one page of the nation, around weights: %v", err)
	}
}
