package labelled

import (
	"fmt"
	"slices"
	"strings"
)

// mostPassages is how many passages of one length there are, at most.
const mostPassages = 200

// ASCIIPassages makes pages of so many words each without diacritics, of the test texts of a language
// (a folder of texts/): the texts behind one another, from every n-th word on, so that there are up to
// 200 pages, which overlap when the texts are short of words. They declare no language, and every other one
// is plain text. They are no part of the set: other pages show the same texts.
func ASCIIPassages(language string, words int) ([]Page, error) {
	origins, around, err := load()
	if err != nil {
		return nil, err
	}
	m := &maker{origins: origins, around: around}
	var all []string
	for _, o := range origins[language] {
		if o.testing() && !listed(o) && o.kind != "quotation" {
			for _, s := range o.sentences() {
				all = append(all, strings.Fields(withoutDiacritics(s))...)
			}
		}
	}
	// Fields such as "–" and "12" are no words: passages are cut by what Words counts.
	if Words(strings.Join(all, " ")) < words {
		return nil, fmt.Errorf("labelled: %s has too few test texts for %d words", language, words)
	}
	var pages []Page
	stride := max(1, len(all)/mostPassages)
	for first := 0; first < len(all) && len(pages) < mostPassages; first += stride {
		text, n := passageOf(all[first:], words)
		if n < words {
			break
		}
		p := Page{
			URL:  fmt.Sprintf("http://www.example.org/%s/ascii-%d-%d", language, words, first),
			Type: "text/plain; charset=utf-8", Language: code(language), Nations: m.nation(language),
			Source: fmt.Sprintf("%s/ascii", language), Split: "test", Kind: "ascii", Tags: []string{"no-diacritics"}, Words: n,
		}
		if len(pages)%2 == 0 {
			p.Text = text + "\n"
		} else {
			s := sheet{main: blocks(text), generator: "plain"}
			p.HTML, p.Type = s.html(), "text/html; charset=utf-8"
		}
		pages = append(pages, p)
	}
	return slices.Clip(pages), nil
}

// passageOf returns as many of the fields as have so many words, and how many words they have.
func passageOf(fields []string, words int) (string, int) {
	n := 0
	for i, f := range fields {
		if n += Words(f); n >= words {
			return strings.Join(fields[:i+1], " "), n
		}
	}
	return strings.Join(fields, " "), n
}
