package wordlist

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"exclave/dict"
)

// Hits says how many sentences of a file a list hits.
type Hits struct {
	Sentences int // with two different words at least: of fewer nothing can be asked
	Words     int
	Listed    [3]int // words on the list, by class
	Hit       [3]int // sentences with as many different words of the class as are wanted
}

// Share returns the part of the sentences that is hit by words of a class, 0 … 1.
func (h Hits) Share(c dict.Class) float64 {
	if h.Sentences == 0 {
		return 0
	}
	return float64(h.Hit[c]) / float64(h.Sentences)
}

// maxSentence bounds a sentence in bytes.
const maxSentence = 1 << 20

// Check counts the sentences of a text, one a line, that have least different words of a
// class of the list.
func Check(ctx context.Context, l *dict.List, sentences io.Reader, least int) (h Hits, err error) {
	sc := bufio.NewScanner(sentences)
	sc.Buffer(make([]byte, 64<<10), maxSentence)
	for n := 0; sc.Scan(); n++ {
		if n%1000 == 0 && ctx.Err() != nil {
			return h, ctx.Err()
		}
		all := map[string]bool{}
		var found [3]map[string]bool
		for w := range dict.Words(sc.Text()) {
			h.Words++
			all[string(w)] = true
			v, c, ok := l.Find(w)
			if !ok {
				continue
			}
			h.Listed[c]++
			if found[c] == nil {
				found[c] = map[string]bool{}
			}
			found[c][v] = true
		}
		if len(all) < 2 {
			continue
		}
		h.Sentences++
		for c := range found {
			if len(found[c]) >= least {
				h.Hit[c]++
			}
		}
	}
	if err := sc.Err(); err != nil {
		return h, fmt.Errorf("wordlist: check: %w", err)
	}
	return h, nil
}
