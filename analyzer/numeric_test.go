package analyzer

import (
	"math/rand"
	"strings"
	"testing"
)

// TestNextDigit: eight bytes at a time find what one at a time do, wherever it stands.
func TestNextDigit(t *testing.T) {
	const signs = "0123456789:;<=>?/ab+(),-. \xef\xf0\xb9\x00\x80\xff"
	r := rand.New(rand.NewSource(1))
	for range 20_000 {
		b := []byte(strings.Repeat("a", r.Intn(40)))
		for range r.Intn(4) {
			b = append(append(b, signs[r.Intn(len(signs))]), strings.Repeat("\xc5", r.Intn(9))...)
		}
		text := string(b)
		from := r.Intn(len(text) + 1)
		digit, number := from, from
		for digit < len(text) && !digitAt(text, digit) {
			digit++
		}
		for number < len(text) && !beginsNumber(text[number]) {
			number++
		}
		if got := nextDigit(text, from); got != digit {
			t.Fatalf("%q from %d: digit at %d, want %d", text, from, got, digit)
		}
		if got := nextNumber(text, from); got != number {
			t.Fatalf("%q from %d: number at %d, want %d", text, from, got, number)
		}
	}
}
