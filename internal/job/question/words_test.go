package question

import (
	"testing"

	"exclave/internal/traps"
)

// Each pattern of traps has words: its name alone says little to who asks why.
func TestRefusedWords(t *testing.T) {
	for _, p := range traps.All() {
		if refusedWords("traps:"+string(p)) == "" {
			t.Errorf("%s has none", p)
		}
	}
	for rule, want := range map[string]string{"traps:calendar": "it is a page of a calendar far from today, as traps have without end", "surt-prefixes": "", "traps:other": "", "shape": "pages at addresses of its form brought nothing, one after the other"} {
		if got := refusedWords(rule); got != want {
			t.Errorf("%s: %q", rule, got)
		}
	}
}
