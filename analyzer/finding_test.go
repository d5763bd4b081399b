package analyzer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestTally: few values or many, repeats are counted and the most frequent are the evidence.
func TestTally(t *testing.T) {
	for _, n := range []int{0, 1, 8, 9, 64, 65, 600, maxDistinct, maxDistinct + 500} {
		var c tally
		for i := range n {
			c.add(true, fmt.Sprint("value ", i), "text")
		}
		for range 2 {
			for i := range min(n, 9) {
				c.add(true, fmt.Sprint("value ", i), "link")
			}
		}
		c.add(false, "other", "text")
		if c.seen("other") || n > 0 && !c.seen(fmt.Sprint("value ", min(n, maxDistinct)-1)) {
			t.Errorf("%d: a value that was added is not known, or one that was not is", n)
		}
		f := c.finding()
		if f.Found != n+2*min(n, 9)+1 || f.Valid != f.Found-1 || f.Distinct != min(n, maxDistinct) {
			t.Errorf("%d: found %d, valid %d, distinct %d", n, f.Found, f.Valid, f.Distinct)
		}
		var want []Evidence
		for i := range min(n, MaxEvidence) {
			want = append(want, Evidence{fmt.Sprint("value ", i), "text", 3})
		}
		if !slices.Equal(f.Evidence, want) {
			t.Errorf("%d: %v", n, f.Evidence)
		}
	}
}

// TestEvidenceIsCut: values of evidence are cut, and still told apart by all of them.
func TestEvidenceIsCut(t *testing.T) {
	var c tally
	long := strings.Repeat("ž", MaxEvidenceValue/2+1)
	c.add(true, long, "text")
	c.add(true, long+"a", "text")
	f := c.finding()
	want := Evidence{long[:MaxEvidenceValue], "text", 1}
	if f.Distinct != 2 || !slices.Equal(f.Evidence, []Evidence{want, want}) {
		t.Errorf("%+v", f)
	}
}

// TestIndexBy: however often the byte is there that is looked for.
func TestIndexBy(t *testing.T) {
	const what = "tel:"
	for _, s := range []string{"", ":", "tel", "tel:", "x tel:1", "::::tel:", "tel;tel:", "el:", strings.Repeat(":", 500), strings.Repeat(":", 500) + "tel:", strings.Repeat("te:", 500) + "tel: tel:"} {
		for rare := range len(what) {
			if got, want := indexBy(s, what, rare), strings.Index(s, what); got != want {
				t.Errorf("%.20q, by %q: %d, want %d", s, what[rare], got, want)
			}
		}
	}
}
