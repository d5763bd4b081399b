package labelled

import (
	"strings"
	"testing"
)

// TestASCIIPassages: as many words as are asked for, none with diacritics, of test texts only.
func TestASCIIPassages(t *testing.T) {
	origins, _, err := load()
	if err != nil {
		t.Fatal(err)
	}
	training := ""
	for _, o := range origins["cs"] {
		if !o.testing() {
			training += withoutDiacritics(strings.Join(o.sentences(), " ")) + "\n"
		}
	}
	for _, words := range []int{20, 50, 100, 400} {
		pages, err := ASCIIPassages("cs", words)
		if err != nil {
			t.Fatal(err)
		}
		if len(pages) < 100 {
			t.Errorf("%d pages of %d words", len(pages), words)
		}
		for _, p := range pages {
			doc := p.HTML + p.Text
			if strings.Contains(training, strings.TrimSpace(p.Text)) && p.Text != "" {
				t.Errorf("%s is of a text for training: %s", p.URL, p.Text)
			}
			if withoutDiacritics(doc) != doc || p.Words < words || p.Words > words+4 || p.Split != "test" || len(p.Nations) != 1 {
				t.Errorf("%s: %d words, %v\n%s", p.URL, p.Words, p.Nations, doc)
			}
		}
	}
	if _, err := ASCIIPassages("cs", 1e6); err == nil {
		t.Error("a million words of texts that have fewer")
	}
}
