package calibration

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Row is a page: the scaled value of each term, and what it is.
type Row struct {
	X       []float64
	Belongs bool
	Origin  string // pages of one origin are never divided between folds
	Words   int
}

// Options of a fit.
type Options struct {
	L2       float64 // penalty on weights of values with a standard deviation of 1; more than 0
	Positive float64 // how many times a page of the nation counts; 0 = so that both classes count the same
	Signs    []int   // of each term: 1 = its weight is not negative, -1 = not positive, 0 = either; empty = either of all

	// Around are weights that have the Signs. The penalty is then on how far from them the weights are, and the log odds
	// of the mean page from theirs; a value that is the same on every page keeps its weight. nil: the penalty is on the
	// weights, and such a value has none.
	Around *Around
}

// Around are the numbers of a profile that few pages must not ruin.
type Around struct {
	Model
	Min float64 // that [Fit] keeps, unless there are pages enough to choose one
}

// Model are weights, beside the terms.
type Model struct {
	Bias    float64
	Weights []float64
}

// Odds are the log odds of a page.
func (m Model) Odds(x []float64) float64 {
	sum := m.Bias
	for i, w := range m.Weights {
		sum += w * x[i]
	}
	return sum
}

// ErrOneClass reports pages of which all, or none, are the nation's.
var ErrOneClass = errors.New("all pages are of the nation, or none is; both are wanted, to tell them apart: label others, too")

// Bounds of the iteration.
const (
	maxSteps = 1000
	enough   = 1e-9 // change of the penalised likelihood, by its amount
	atRest   = 1e-6 // what a further step would gain of it, by its amount
)

var (
	errUndetermined = errors.New("the weights are not determined: values of terms follow from each other, or are too great; use a greater --l2, or give the terms a cap")
	errRestless     = fmt.Errorf("the fit has come to no end in %d steps; use a greater --l2, or give terms of great values a cap", maxSteps)
)

// fit solves for the weights; rows must have both classes, unless it is around some.
func fit(rows []*Row, o Options) (Model, error) {
	positive, positives := o.Positive, belonging(rows)
	if o.Around == nil && (positives == 0 || positives == len(rows)) {
		return Model{}, ErrOneClass
	}
	if positive == 0 {
		positive = max(1, float64(len(rows)-positives)) / max(1, float64(positives))
	}
	d := len(rows[0].X)
	if len(o.Signs) == 0 {
		o.Signs = make([]int, d)
	}
	mean, deviation := moments(rows, d)
	// The first parameter is the log odds of the mean page. Values are standardised, so that the penalty is fair.
	p := problem{rows: rows, mean: mean, deviation: deviation, penalty: make([]float64, d+1), centre: make([]float64, d+1), positive: positive, x: make([]float64, d+1)}
	m := Model{Weights: make([]float64, d)}
	if o.Around != nil {
		p.penalty[0], p.centre[0] = o.L2, o.Around.Odds(mean)
		copy(m.Weights, o.Around.Weights)
	}
	for i := range d {
		p.penalty[i+1], p.centre[i+1] = o.L2, m.Weights[i]*deviation[i]
	}
	at, err := p.maximum(append([]int{0}, o.Signs...))
	if err != nil {
		return Model{}, err
	}
	m.Bias = at[0]
	for i := range d {
		if deviation[i] > 0 {
			m.Weights[i] = at[i+1] / deviation[i]
		}
		m.Bias -= m.Weights[i] * mean[i]
	}
	return m, nil
}

func belonging(rows []*Row) (n int) {
	for _, r := range rows {
		if r.Belongs {
			n++
		}
	}
	return n
}

// maximum returns where the value is greatest, of the places whose parameters have the signs. Newton's steps are
// taken among the free parameters; one that comes to 0 on its way to the wrong side is held there, and the one that
// gains most is let go when the others have come to rest. The value rises with each step, so no set of
// held ones comes twice.
func (p *problem) maximum(signs []int) (at []float64, err error) {
	at = slices.Clone(p.centre)
	signs = append(signs, make([]int, len(at)-len(signs))...)
	held := make([]bool, len(at))
	for i, s := range signs {
		held[i] = s != 0 && at[i] == 0
	}
	value := p.value(at)
	for range maxSteps {
		gradient, hessian := p.derivatives(at)
		hessian, freed := free(hessian, gradient, held)
		step, ok := solve(hessian, freed)
		gain := dot(step, freed) / 2 // of the whole step, were the value quadratic
		if !ok || math.IsNaN(gain) || math.IsInf(gain, 0) {
			return nil, errUndetermined
		}
		size, bound := 1., -1
		for i, s := range signs {
			if s != 0 && !held[i] && (at[i]+step[i])*float64(s) < 0 {
				if to := -at[i] / step[i]; to < size {
					size, bound = to, i
				}
			}
		}
		next, improved, whole := make([]float64, len(at)), value, true
		for {
			for i := range next {
				next[i] = at[i] + size*step[i]
			}
			if improved = p.value(next); improved >= value || size < 1e-6 {
				break
			}
			size, whole = size/2, false
		}
		if bound >= 0 && whole {
			next[bound], held[bound] = 0, true
		}
		change := improved - value
		if change >= 0 {
			at, value = next, improved
		}
		if bound >= 0 && whole || change > enough*(1+math.Abs(value)) {
			continue
		}
		if !letGo(held, signs, gradient) {
			if gain > atRest*(1+math.Abs(value)) {
				break
			}
			return at, nil
		}
	}
	return nil, errRestless
}

// free leaves the parameters that are held out of a step.
func free(hessian [][]float64, gradient []float64, held []bool) ([][]float64, []float64) {
	gradient = slices.Clone(gradient)
	for i := range hessian {
		for j := range i {
			if held[i] || held[j] {
				hessian[i][j] = 0
			}
		}
		if held[i] {
			hessian[i][i], gradient[i] = 1, 0
		}
	}
	return hessian, gradient
}

// letGo frees the held parameter that gains most on its own side of 0, and says whether there is one.
func letGo(held []bool, signs []int, gradient []float64) bool {
	best, most := -1, 1e-6
	for i, g := range gradient {
		if g *= float64(signs[i]); held[i] && g > most {
			best, most = i, g
		}
	}
	if best >= 0 {
		held[best] = false
	}
	return best >= 0
}

// moments returns mean and standard deviation of each value.
func moments(rows []*Row, d int) (mean, deviation []float64) {
	mean, deviation = make([]float64, d), make([]float64, d)
	n := float64(len(rows))
	for _, r := range rows {
		for i, x := range r.X {
			mean[i] += x / n
		}
	}
	for _, r := range rows {
		for i, x := range r.X {
			deviation[i] += (x - mean[i]) * (x - mean[i]) / n
		}
	}
	for i := range deviation {
		if deviation[i] = math.Sqrt(deviation[i]); deviation[i] < 1e-12*(1+math.Abs(mean[i])) {
			deviation[i] = 0 // the same on every page: it tells nothing
		}
	}
	return mean, deviation
}

// problem is the penalised likelihood of some rows.
type problem struct {
	rows            []*Row
	mean, deviation []float64
	penalty, centre []float64 // of each parameter: on its distance, from where
	positive        float64
	x               []float64 // scratch: the standardised row
}

func (p *problem) row(r *Row) []float64 {
	p.x[0] = 1
	for i, x := range r.X {
		p.x[i+1] = 0
		if p.deviation[i] > 0 {
			p.x[i+1] = (x - p.mean[i]) / p.deviation[i]
		}
	}
	return p.x
}

func (p *problem) weight(r *Row) float64 {
	if r.Belongs {
		return p.positive
	}
	return 1
}

// value is the logarithm of the likelihood, less the penalty.
func (p *problem) value(at []float64) (sum float64) {
	for _, r := range p.rows {
		odds := dot(at, p.row(r))
		if !r.Belongs {
			odds = -odds
		}
		// log(1/(1+e^−odds)) without overflow.
		sum += p.weight(r) * (min(odds, 0) - math.Log1p(math.Exp(-math.Abs(odds))))
	}
	for i, w := range at {
		w -= p.centre[i]
		sum -= p.penalty[i] / 2 * w * w
	}
	return sum
}

// derivatives are the gradient, and the second derivatives with the opposite sign.
func (p *problem) derivatives(at []float64) (gradient []float64, hessian [][]float64) {
	n := len(at)
	gradient, hessian = make([]float64, n), make([][]float64, n)
	for i := range hessian {
		hessian[i] = make([]float64, n)
		hessian[i][i] = 1e-9 + p.penalty[i]
		gradient[i] = -p.penalty[i] * (at[i] - p.centre[i])
	}
	for _, r := range p.rows {
		x := p.row(r)
		q := Probability(dot(at, x))
		y := 0.
		if r.Belongs {
			y = 1
		}
		w := p.weight(r)
		for i, xi := range x {
			gradient[i] += w * (y - q) * xi
			k := w * q * (1 - q) * xi
			for j := 0; j <= i && k != 0; j++ {
				hessian[i][j] += k * x[j]
			}
		}
	}
	return gradient, hessian
}

// Probability is that of log odds.
func Probability(odds float64) float64 { return 1 / (1 + math.Exp(-odds)) }

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// solve returns x with a·x = b for a symmetric, positive a, of which the lower half is given, by
// Cholesky's decomposition; a is overwritten.
func solve(a [][]float64, b []float64) (x []float64, ok bool) {
	n := len(b)
	x = make([]float64, n)
	for i := range n {
		for j := 0; j <= i; j++ {
			sum := a[i][j]
			for k := range j {
				sum -= a[i][k] * a[j][k]
			}
			if i > j {
				a[i][j] = sum / a[j][j]
				continue
			}
			if !(sum > 0) {
				return nil, false
			}
			a[i][i] = math.Sqrt(sum)
		}
	}
	for i := range n {
		x[i] = b[i]
		for k := range i {
			x[i] -= a[i][k] * x[k]
		}
		x[i] /= a[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			x[i] -= a[k][i] * x[k]
		}
		x[i] /= a[i][i]
	}
	return x, true
}
