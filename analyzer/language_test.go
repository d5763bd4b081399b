package analyzer

import (
	"strings"
	"testing"
)

// Sentences of our own in neighbouring languages, 16 words or so each.
const (
	czech    = "Naše obec letos opravila střechu staré školy, protože do ní už dlouho zatékalo a děti musely chodit jinam. "
	slovak   = "Naša obec tento rok opravila strechu starej školy, pretože do nej už dlho zatekalo a deti museli chodiť inam. "
	english  = "This year our village has mended the roof of the old school because the rain had been coming in for a long time. "
	unmarked = "Nase obec letos opravila strechu stare skoly, protoze do ni uz dlouho zatekalo a deti musely chodit jinam. "
)

func TestLanguage(t *testing.T) {
	tests := []struct {
		why, text   string
		wanted      string
		least, most float64 // share
		positive    bool    // margin
	}{
		{"a text in the language", strings.Repeat(czech, 4), "cs", 1, 1, true},
		{"the neighbour's", strings.Repeat(slovak, 4), "cs", 0, 0, false},
		{"people leave the marks out", strings.Repeat(unmarked, 4), "cs", 1, 1, true},
		{"a short text", "Dnes máme otevřeno až od dvou hodin.", "cs", 1, 1, true},
		{"a Slovak article with a Czech comment is mostly Slovak", strings.Repeat(slovak, 8) + czech, "sk", 0.8, 0.95, true},
		{"and a little Czech", strings.Repeat(slovak, 8) + czech, "cs", 0.05, 0.2, false},
		{"side by side it is both", strings.Repeat(czech, 5) + strings.Repeat(slovak, 5), "cs", 0.4, 0.6, true},
		{"side by side it is both", strings.Repeat(czech, 5) + strings.Repeat(slovak, 5), "sk", 0.4, 0.6, false},
		{"a footer is a small share", strings.Repeat(english, 9) + czech, "cs", 0.05, 0.15, false},
		{"a menu says little", "Home Menu FAQ", "cs", 0, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			f, evidence := search(t, &languageOptions{Language: tt.wanted}, &Page{Text: tt.text})
			if got := f.Values["share"]; got < tt.least || got > tt.most || tt.most == 1 && f.Values["margin"] > 0 != tt.positive {
				t.Errorf("share %v, want %v … %v; %v %s", got, tt.least, tt.most, f.Values, evidence)
			}
			if f.Valid > 0 && !strings.HasPrefix(evidence, tt.wanted+" text ×") {
				t.Errorf("evidence %q", evidence)
			}
		})
	}
	if f, _ := search(t, &languageOptions{Language: "cs"}, &Page{}); f.Found != 0 || f.Values != nil {
		t.Errorf("a page without text: %+v", f)
	}
	if f, _ := search(t, &languageOptions{Language: "cs"}, &Page{Text: strings.Repeat(slovak, 4)}); f.Values["in_sk"] != 1 || f.Values["best_other"] != 1 {
		t.Errorf("what it is instead is said: %v", f.Values)
	}
	if ps := (&languageOptions{Language: "cz"}).Validate(); len(ps) != 1 || !strings.Contains(ps[0].Msg, `"cz" is none that the model tells: af, `) {
		t.Errorf("a nation is no language: %v", ps)
	}
}
