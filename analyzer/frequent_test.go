package analyzer

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestMostFrequent: the evidence of words is what a tally of them would pick.
func TestMostFrequent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 3*MaxEvidence).Draw(t, "different")
		order := rapid.Permutation(slices.Collect(func(yield func(int) bool) {
			for i := range n {
				yield(i)
			}
		})).Draw(t, "order")
		title := rapid.IntRange(0, n).Draw(t, "of the title")
		var all tally
		var best mostFrequent
		for at, i := range order {
			value, count := fmt.Sprintf("w%02d", i), rapid.IntRange(1, 3).Draw(t, "count")
			where := "text"
			if at < title {
				where = "title"
			}
			for range count {
				all.add(true, value, where)
			}
			best.add(value, count, at < title)
		}
		if got, want := best.evidence(), all.finding().Evidence; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}
