package dict

import (
	"testing"
	"unicode"
)

// TestShortcuts: what is decided without Unicode's tables is what they say.
func TestShortcuts(t *testing.T) {
	for r := rune(0); r < 0x600; r++ {
		if got, want := classOf(r) == letter, unicode.IsLetter(r); got != want {
			t.Errorf("%U is a letter: %v, want %v", r, got, want)
		}
		if got, want := lower(r), unicode.ToLower(r); got != want {
			t.Errorf("lower(%U) = %U, want %U", r, got, want)
		}
	}
}
