package markup

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// What is read eight bytes at a time is read as it is byte by byte: of all pairs of bytes at all places, and of what stands close together.
func TestEight(t *testing.T) {
	until := func(s []byte, end func(c byte) bool) int {
		for i, c := range s {
			if end(c) {
				return i
			}
		}
		return len(s)
	}
	check := func(s []byte) {
		t.Helper()
		for _, f := range []struct {
			name      string
			got, want int
		}{
			{"ascii", asciiLen(s), until(s, func(c byte) bool { return c >= 0x80 })},
			{"blank", blankLen(s), until(s, func(c byte) bool { return c > ' ' })},
			{"inside", insideLen(s, '"'), until(s, func(c byte) bool { return c == '"' || c == '\\' || c == '\n' || c == '\r' })},
			{"tag", quoteOrEnd(s), until(s, func(c byte) bool { return c == '>' || c == '"' || c == '\'' })},
		} {
			if f.got != f.want {
				t.Fatalf("%s of %q: %d, want %d", f.name, s, f.got, f.want)
			}
		}
	}
	for _, fill := range []byte{' ', 'a', '\t'} {
		for a := range 256 {
			for b := range 256 {
				s := bytes.Repeat([]byte{fill}, 19)
				s[7], s[8] = byte(a), byte(b)
				check(s)
				check(s[a%8:])
			}
		}
	}
	near := []byte("!\"#'>\\\n\r\t \x00\x7F\x80\xFFa=?")
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		s := make([]byte, r.IntN(40))
		for i := range s {
			s[i] = near[r.IntN(len(near))]
			if r.IntN(3) > 0 {
				s[i] = " a"[r.IntN(2)]
			}
		}
		check(s)
	}
}
