package dict

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
)

// Recipe says how a list of words that belong to one language only is made.
// All files are UTF-8 with a word per line; a frequency list has a tab and the
// word's relative frequency (0 … 1) behind it. Lines of a frequency list that
// are not one word are passed over.
type Recipe struct {
	Words   string   // frequency list of the language
	Others  []string // frequency lists of languages to be told from it
	Exclude []string // lists of words that are left out, however rare elsewhere
	Keep    string   // list of the only words that may stay; empty = any may
	Ratio   float64  // a word goes if another language uses it more than Ratio times as often; 0.05 is good
	Max     int      // the most words, the most frequent first; 24,000 is good
}

// Build makes the list called name. It is reproducible: the same files give
// the same list. Ties in frequency go to the word that sorts first.
func Build(name string, r Recipe) (*List, error) {
	if r.Max <= 0 || r.Ratio <= 0 {
		return nil, fmt.Errorf("dict: build list %s: Max %d and Ratio %v must be positive", name, r.Max, r.Ratio)
	}
	words := map[string]float64{}
	err := frequencies(r.Words, func(w string, f float64) { words[w] = max(words[w], f) })
	if err != nil {
		return nil, fmt.Errorf("dict: build list %s: %w", name, err)
	}
	for _, file := range r.Others {
		err := frequencies(file, func(w string, f float64) {
			if f > r.Ratio*words[w] {
				delete(words, w)
			}
		})
		if err != nil {
			return nil, fmt.Errorf("dict: build list %s: %w", name, err)
		}
	}
	for _, file := range r.Exclude {
		l, err := Open(file)
		if err != nil {
			return nil, err
		}
		for w := range l.All() {
			delete(words, w)
		}
	}
	if r.Keep != "" {
		l, err := Open(r.Keep)
		if err != nil {
			return nil, err
		}
		maps.DeleteFunc(words, func(w string, _ float64) bool { return !l.Has(w) })
	}
	all := slices.Collect(maps.Keys(words))
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(words[b], words[a]), cmp.Compare(a, b))
	})
	return newList(name, all[:min(r.Max, len(all))])
}

// frequencies calls f for each line of a frequency list that is one word.
func frequencies(file string, f func(word string, freq float64)) error {
	r, err := os.Open(file)
	if err != nil {
		return err
	}
	defer r.Close()
	return readFrequencies(r, f, file)
}

func readFrequencies(r io.Reader, f func(word string, freq float64), file string) error {
	for e, err := range entries(r) {
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if !isWord(e.word) {
			continue
		}
		freq, err := strconv.ParseFloat(e.rest, 64)
		if err != nil {
			return fmt.Errorf("%s: line %d: %q has no frequency behind a tab", file, e.line, e.word)
		}
		f(e.word, freq)
	}
	return nil
}
