package seedlog

import (
	"fmt"
	"strings"
	"testing"
)

// A log that invents rules is counted in bounded memory, and no trap escapes; every line counts once, also when
// the log is read in two parts, and when traps are taken in the second.
func TestRulesAreBounded(t *testing.T) {
	var b strings.Builder
	line := func(rule string, n int) {
		fmt.Fprintf(&b, `{"url":"http://a.com/%d","rule":"%s","time":"2026-11-21T05:12:08.802Z"}`+"\n", n, rule)
	}
	const n = 3 * maxRules
	for i := range n {
		line(fmt.Sprintf("rule-%d", i), i)
		line(fmt.Sprintf("too-many-hops#%d", i), i)
		line(strings.Repeat("long", maxRuleName), i)
	}
	log := b.String()
	urls, whole, _ := read(t, strings.NewReader(log), Options{})
	if int64(len(urls)) != 2*n || whole.LeftOut() != n || whole.Lines != 3*n {
		t.Errorf("%d entries, %d left out of %d", len(urls), whole.LeftOut(), whole.Lines)
	}
	if len(whole.Rules) > maxRules+1 || len(whole.Traps) > maxRules+1 || whole.Rules[otherRules] == 0 || whole.Traps["too-many-hops"] == 0 {
		t.Errorf("%d rules, %d of traps: %v %v", len(whole.Rules), len(whole.Traps), whole.Rules, whole.Traps)
	}
	sum := int64(0)
	for _, n := range whole.Rules {
		sum += n
	}
	if sum != int64(len(urls)) {
		t.Errorf("%d entries by rule, %d in all", sum, len(urls))
	}

	d, err := Open(strings.NewReader(log), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for range n {
		if _, err := d.Next(); err != nil {
			t.Fatal(err)
		}
	}
	half := d.State()
	_, rest, _ := read(t, strings.NewReader(log), Options{Resume: half})
	if rest.LeftOut() != n || rest.Lines != whole.Lines || len(rest.Rules) != len(whole.Rules) {
		t.Errorf("in two parts: %+v, in one: %+v", rest, whole)
	}
	more, taken, _ := read(t, strings.NewReader(log), Options{Resume: half, Traps: true})
	if taken.LeftOut() != half.LeftOut() || int64(len(more))+n+half.LeftOut() != taken.Lines {
		t.Errorf("taken: %v, before: %v, %d more", taken.Traps, half.Traps, len(more))
	}
}
