package seedlog

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cespare/xxhash/v2"
)

// Exact as long as there is room, and then an estimate that says so, from few to
// many; what occurs twice counts once.
func TestDistinct(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 50_000, 100_000, 1_000_000} {
		d := newDistinct(50_000)
		for range 2 {
			for i := range n {
				d.add(xxhash.Sum64String(fmt.Sprint("http://host", i, ".com/")))
			}
		}
		switch e := d.count(); {
		case n <= 50_000 && (!e.Exact || e.N != int64(n)):
			t.Errorf("%d: %+v", n, e)
		case n > 50_000 && (e.Exact || math.Abs(float64(e.N)-float64(n)) > 0.02*float64(n)):
			t.Errorf("%d: estimated %+v", n, e)
		}
	}
	d := newDistinct(10)
	d.add(0)
	d.add(0)
	if e := d.count(); e.N != 1 {
		t.Errorf("the hash 0: %+v", e)
	}
}

// Frequencies are exact while there is room; beyond, no count is off by more than
// the error told, and nothing more frequent than the error is lost (Misra, Gries).
func TestFrequent(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rng, 1.3, 1, 100_000)
	f, exact := newFrequent(1000), map[string]int64{}
	for range 500_000 {
		name := fmt.Sprint("h", zipf.Uint64())
		f.add(name)
		exact[name]++
	}
	top := f.top(20)
	if top.Error == 0 || len(f.n) > 2001 {
		t.Fatalf("%d names kept, error %d: this test shows nothing", len(f.n), top.Error)
	}
	seen := map[string]int64{}
	for _, s := range f.top(3000).Most {
		seen[s.Name] = s.N
	}
	for name, n := range exact {
		if got := seen[name]; got > n || got+top.Error < n {
			t.Errorf("%s: %d counted as %d, error %d", name, n, got, top.Error)
		}
	}
	if top.Most[0].Name != "h0" {
		t.Errorf("most frequent: %+v", top.Most[:3])
	}
	small := newFrequent(2)
	for _, name := range []string{"a", "b", "b", "c"} {
		small.add(name)
	}
	if got := small.top(2); got.Error != 0 || got.Most[0] != (Share{"b", 2}) || got.Most[1] != (Share{"a", 1}) {
		t.Errorf("%+v", got)
	}
}
