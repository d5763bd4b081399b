package urlx

import "testing"

func TestOfBytes(t *testing.T) {
	for in, want := range map[string]string{"/n\xe1rodn\xed?a=\xe8": "/n%E1rodn%ED?a=%E8", "/národní": "/národní", "/a%20b": "/a%20b", "": ""} {
		if got := OfBytes(in); got != want {
			t.Errorf("%q: %q, not %q", in, got, want)
		}
	}
}
