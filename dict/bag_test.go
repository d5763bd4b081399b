package dict_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"exclave/dict"
)

// TestBag: a bag has the words of a text in their order, and each different one once, also of the next text
// when it is used again.
func TestBag(t *testing.T) {
	var many strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&many, "slovo%c%c%c ", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26) // more than there is room for at first
		if i%3 == 0 {
			many.WriteString("Opět znovu; ")
		}
	}
	var b dict.Bag
	for _, text := range []string{"", "ŽIVÁ voda, živa\u0301 VODA", many.String(), "a kdo kde kdo", many.String()} {
		var want []string
		different := map[string]int{}
		for w := range dict.Words(text + " konec") {
			want = append(want, string(w))
			different[string(w)]++
		}
		b.Reset()
		b.Add(text)
		b.Add("konec")
		of := dict.BagOf(dict.Words(text + " konec"))
		for _, b := range []*dict.Bag{&b, of} {
			var got []string
			next := uint32(0)
			for _, i := range b.Order() {
				if i > next {
					t.Fatalf("%.20q: the different words are not numbered as they come", text)
				} else if i == next {
					next++
				}
				w, n := b.Word(int(i))
				if got = append(got, string(w)); n != different[string(w)] {
					t.Errorf("%.20q: %q %d times, want %d", text, w, n, different[string(w)])
				}
			}
			if !slices.Equal(got, want) || b.Count() != len(want) || b.Len() != len(different) {
				t.Errorf("%.20q: %d words, %d different, %.200q, want %d, %d", text, b.Count(), b.Len(), got, len(want), len(different))
			}
		}
	}
	if n := testing.AllocsPerRun(5, func() { b.Reset(); b.Add(many.String()[:100_000]) }); n > 1 {
		t.Errorf("%v allocations for a text no longer than the one before", n)
	}
}
