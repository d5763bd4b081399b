package script

import "testing"

// What a slab makes is empty, whatever was made in it before, and more than it keeps.
func TestSlab(t *testing.T) {
	var s slab[text]
	for _, n := range []int{5, lastChunk + 1, 2 * mostChunks * lastChunk, firstChunk, 3 * lastChunk} {
		for i := range n {
			if x := s.get(); x.s != "" || x.from != 0 {
				t.Fatalf("the %d-th of %d is %+v", i, n, x)
			} else {
				x.s, x.from = "used", i
			}
			few := s.few(3)
			for _, x := range few[:3] {
				if x.s != "" {
					t.Fatalf("of the %d-th few of %d one is %+v", i, n, x)
				}
			}
			few = append(few, text{s: "a"}, text{s: "b"}, text{s: "c"}, text{s: "elsewhere"})
			if x := s.get(); x.s != "" || few[3].s != "elsewhere" {
				t.Fatalf("behind a few stands %+v", x)
			}
		}
		if s.reset(); len(s.chunks) > keptChunks || s.next != 0 || s.free != nil {
			t.Fatalf("%d chunks are kept", len(s.chunks))
		}
	}
	if long := s.few(lastChunk + 1); cap(long) != lastChunk+1 {
		t.Errorf("room for %d", cap(long))
	}
}
