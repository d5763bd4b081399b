package evaluation

import (
	"encoding/json"
	"fmt"
	"math"
)

// Counts are pages by what they are and what they were judged to be.
type Counts struct {
	TruePositive  int `json:"true_positive"`  // the nation's, valid
	FalsePositive int `json:"false_positive"` // another's, valid
	FalseNegative int `json:"false_negative"` // the nation's, not valid
	TrueNegative  int `json:"true_negative"`
}

// Add counts a page.
func (c *Counts) Add(belongs, valid bool) {
	switch {
	case belongs && valid:
		c.TruePositive++
	case valid:
		c.FalsePositive++
	case belongs:
		c.FalseNegative++
	default:
		c.TrueNegative++
	}
}

// Pages is how many were counted.
func (c Counts) Pages() int {
	return c.TruePositive + c.FalsePositive + c.FalseNegative + c.TrueNegative
}

// Share is a part of one; a share of nothing is NaN.
type Share float64

// Of returns a/b.
func shareOf(a, b int) Share {
	if b == 0 {
		return Share(math.NaN())
	}
	return Share(float64(a) / float64(b))
}

// MarshalJSON implements [json.Marshaler].
func (s Share) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(s)) {
		return []byte("null"), nil
	}
	return json.Marshal(math.Round(float64(s)*1e6) / 1e6)
}

// String is "99.5 %", "–" of nothing.
func (s Share) String() string {
	if math.IsNaN(float64(s)) {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(s))
}

// Precision is the share of the nation's pages among the valid ones.
func (c Counts) Precision() Share { return shareOf(c.TruePositive, c.TruePositive+c.FalsePositive) }

// Recall is the share of valid ones among the nation's pages.
func (c Counts) Recall() Share { return shareOf(c.TruePositive, c.TruePositive+c.FalseNegative) }

// F1 is the harmonic mean of both.
func (c Counts) F1() Share {
	return shareOf(2*c.TruePositive, 2*c.TruePositive+c.FalsePositive+c.FalseNegative)
}

// MarshalJSON implements [json.Marshaler].
func (c Counts) MarshalJSON() ([]byte, error) {
	type plain Counts
	return json.Marshal(struct {
		plain
		Precision Share `json:"precision"`
		Recall    Share `json:"recall"`
		F1        Share `json:"f1"`
	}{plain(c), c.Precision(), c.Recall(), c.F1()})
}
