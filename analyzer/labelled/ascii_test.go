package labelled

import "testing"

// TestASCIIPassages: as many words as are asked for, none with diacritics, of test texts only.
func TestASCIIPassages(t *testing.T) {
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
			if withoutDiacritics(doc) != doc || p.Words < words || p.Words > words+4 || p.Split != "test" || len(p.Nations) != 1 {
				t.Errorf("%s: %d words, %v\n%s", p.URL, p.Words, p.Nations, doc)
			}
		}
	}
	if _, err := ASCIIPassages("cs", 1e6); err == nil {
		t.Error("a million words of texts that have fewer")
	}
}
