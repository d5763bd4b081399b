package store

import (
	"math/rand/v2"
	"testing"
)

func TestFilter(t *testing.T) {
	const n = 20000
	f := &Filter{words: make([]uint64, n*134/10/512*8)} // as many bits for each as with 20 million
	f.complete.Store(true)
	r := rand.New(rand.NewPCG(1, 1))
	added := make([]uint64, n)
	for i := range added {
		added[i] = r.Uint64()
		f.add(added[i])
	}
	for _, h := range added {
		if !f.MayHave(h) {
			t.Fatalf("%x was added", h)
		}
	}
	wrong := 0
	for range 100000 {
		if f.MayHave(r.Uint64()) {
			wrong++
		}
	}
	if wrong > 800 { // some 500 expected
		t.Errorf("%d of 100,000 taken for known", wrong)
	}
	f.complete.Store(false)
	if !f.MayHave(r.Uint64()) {
		t.Error("a filter that is not complete must not rule anything out")
	}
}
