package wordlist

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"exclave/dict"
	"exclave/internal/extsort"
)

// Recipe says how a list is made of words that tell a language.
type Recipe struct {
	Words  []Source // of the language
	Keep   []Source // the only words that may stay; none = any may
	Minus  []Source // of other languages: their words go
	Shared []Source // of one neighbour: its words are of a class of their own
	ASCII  bool     // also words without their diacritics that no other language has in any form

	// Ratio is from which on another language has a word: when it is there more than Ratio
	// times as frequent. Where no frequency is known, being there is enough. 0.05 is good.
	Ratio float64
	Least float64 // least relative frequency of a word; 0 = any
	Max   int     // most words of each class, the most frequent first; 0 = all
	// LeastASCII is the least number of letters of a word without diacritics: the shorter,
	// the more languages have it.
	LeastASCII int
	Forms      int    // most forms of one word of a hunspell dictionary
	Memory     int    // bytes that are sorted in memory
	Temp       string // folder for what is more; "" = the system's
}

// DefaultRecipe returns the numbers that are good, without sources.
func DefaultRecipe() Recipe {
	return Recipe{Ratio: 0.05, LeastASCII: 4, Forms: 1000, Memory: 64 << 20}
}

// Stats says what was read.
type Stats struct {
	Read int64  // words, of all sources
	Cut  int64  // words of hunspell dictionaries with more than Recipe.Forms forms
	Name string // one of these
}

// role is what a word was found as.
type role byte

const (
	own role = iota
	keep
	other
	neighbour
	otherASCII // a word of another language, or of the neighbour, without its diacritics
	candidate  // a word that stays, without its diacritics
)

// Build makes the list called name. Names, which hunspell dictionaries and plain lists
// write with a capital, are no words of the language, but they are words of others.
func Build(ctx context.Context, name string, r Recipe) (l *dict.List, st Stats, err error) {
	if len(r.Words) == 0 || r.Ratio <= 0 || r.Forms <= 0 || r.Memory <= 0 {
		return nil, st, fmt.Errorf("wordlist: build %s: no words, or a number that must be positive: ratio %v, forms %d, memory %d", name, r.Ratio, r.Forms, r.Memory)
	}
	b := &builder{Recipe: r, scratch: extsort.NewScratch(r.Temp, r.Memory)}
	defer func() { err = errors.Join(err, b.scratch.Close()) }()
	words := b.scratch.Sorter("words")
	defer words.Abandon()
	for _, of := range []struct {
		role    role
		sources []Source
	}{{own, r.Words}, {keep, r.Keep}, {other, r.Minus}, {neighbour, r.Shared}} {
		for _, s := range of.sources {
			if err := b.read(ctx, words, of.role, s); err != nil {
				return nil, b.Stats, fmt.Errorf("build %s: %w", name, err)
			}
		}
	}
	kept, err := b.choose(words)
	if err != nil {
		return nil, b.Stats, fmt.Errorf("wordlist: build %s: %w", name, err)
	}
	all := make([]dict.Word, len(kept))
	for i, w := range kept {
		all[i] = w.Word
	}
	l, err = dict.New(name, all)
	return l, b.Stats, err
}

type builder struct {
	Recipe
	Stats
	scratch *extsort.Scratch
	totals  []float64 // by source: what its numbers are of
	serial  uint32
}

// read sorts the words of a source in.
func (b *builder) read(ctx context.Context, into *extsort.Sorter, ro role, s Source) error {
	source := len(b.totals)
	b.totals = append(b.totals, 0)
	o := readOptions{names: ro == other || ro == neighbour, forms: b.Forms, cut: func(stem string) { b.Cut, b.Name = b.Cut+1, stem }}
	return s.words(ctx, o, func(word string, n float64) error {
		b.Read++
		b.totals[source] += n
		if err := b.add(into, word, ro, source, n); err != nil {
			return err
		}
		if !b.ASCII || ro != other && ro != neighbour {
			return nil
		}
		plain, ok := dict.ToASCII(word)
		if !ok || plain == word {
			return nil
		}
		return b.add(into, plain, otherASCII, source, n)
	})
}

// add sorts a record in: the first letters are its key, since keys are compared fast.
// Its serial keeps two counts of a word apart, of which a sorter would drop one.
func (b *builder) add(into *extsort.Sorter, word string, ro role, source int, n float64) error {
	var key [16]byte
	rest := word[copy(key[:], word):]
	tail := make([]byte, 0, len(rest)+20)
	tail = append(append(tail, rest...), 0, byte(ro))
	tail = binary.BigEndian.AppendUint32(tail, uint32(source))
	tail = binary.BigEndian.AppendUint64(tail, math.Float64bits(n))
	if n > 0 {
		b.serial++
		tail = binary.BigEndian.AppendUint32(tail, b.serial)
	}
	return into.Add(binary.BigEndian.Uint64(key[:8]), binary.BigEndian.Uint64(key[8:]), tail)
}

// found is one record, read again.
type found struct {
	role   role
	source int
	n      float64
}

func parse(r *extsort.Record, word []byte) ([]byte, found) {
	word = binary.BigEndian.AppendUint64(word[:0], r.A)
	word = binary.BigEndian.AppendUint64(word, r.B)
	i := bytes.IndexByte(r.Data, 0)
	word = append(bytes.TrimRight(word, "\x00"), r.Data[:i]...)
	d := r.Data[i+1:]
	return word, found{role(d[0]), int(binary.BigEndian.Uint32(d[1:])), math.Float64frombits(binary.BigEndian.Uint64(d[5:]))}
}

// use is how frequent a word is in each role, −1 = it is not there. Within a role the
// largest of several sources counts.
type use [candidate + 1]float64

// frequency returns the relative frequency that a number of a source stands for.
func (b *builder) frequency(f found) float64 {
	switch total := b.totals[f.source]; {
	case total == 0:
		return 0 // nobody knows
	case total <= 1.01: // it is relative already; a list may be cut
		return f.n
	default:
		return f.n / total
	}
}

// each calls f for every word, in order, with its use.
func (b *builder) each(s *extsort.Sorter, f func(word string, u use) error) (err error) {
	m, err := s.Sorted()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	var word, next []byte
	var u use
	perSource := map[[2]int]float64{} // counts of one source are added
	begin := func() {
		clear(perSource)
		for i := range u {
			u[i] = -1
		}
	}
	begin()
	for m.Next() {
		var fo found
		next, fo = parse(&m.Record, next)
		if !bytes.Equal(next, word) {
			if len(word) > 0 {
				if err := f(string(word), u); err != nil {
					return err
				}
			}
			word = append(word[:0], next...)
			begin()
		}
		at := [2]int{int(fo.role), fo.source}
		n := b.frequency(fo)
		if fo.role != candidate {
			perSource[at] += n
			n = perSource[at]
		}
		// Without numbers a source says only that it has the word.
		if n == 0 && (fo.role == other || fo.role == neighbour || fo.role == otherASCII) {
			n = math.Inf(1)
		}
		u[fo.role] = max(u[fo.role], n)
	}
	if m.Err == nil && len(word) > 0 {
		return f(string(word), u)
	}
	return m.Err
}

// chosen is a word that stays.
type chosen struct {
	dict.Word
	freq float64
}

// choose decides which words stay, and of which class they are.
func (b *builder) choose(words *extsort.Sorter) ([]chosen, error) {
	plain := b.scratch.Sorter("ascii") // what the words without diacritics are compared with
	defer plain.Abandon()
	b.totals = append(b.totals, 1) // of frequencies that are relative already
	var kept []chosen
	err := b.each(words, func(word string, u use) error {
		f := u[own]
		used := max(u[other], u[otherASCII])
		switch {
		case f < 0, f < b.Least, len(b.Keep) > 0 && u[keep] < 0, used > b.Ratio*f:
		case u[neighbour] > b.Ratio*f:
			kept = append(kept, chosen{dict.Word{Text: word, Class: dict.Shared}, f})
		default:
			kept = append(kept, chosen{dict.Word{Text: word}, f})
		}
		if used = max(used, u[neighbour]); b.ASCII && used >= 0 && isASCII(word) {
			return b.note(plain, word, otherASCII, used)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if kept, err = b.most(kept); err != nil || !b.ASCII {
		return kept, err
	}
	for _, w := range kept {
		p, ok := dict.ToASCII(w.Text)
		if ok && p != w.Text && len(p) >= b.LeastASCII {
			if err := b.note(plain, p, candidate, w.freq); err != nil {
				return nil, err
			}
		}
	}
	var ascii []chosen
	err = b.each(plain, func(word string, u use) error {
		if f := u[candidate]; f >= 0 && u[otherASCII] <= b.Ratio*f {
			ascii = append(ascii, chosen{dict.Word{Text: word, Class: dict.ASCII}, f})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	ascii, err = b.most(ascii)
	return append(kept, ascii...), err
}

// note is add of a relative frequency, or of +Inf.
func (b *builder) note(into *extsort.Sorter, word string, ro role, f float64) error {
	return b.add(into, word, ro, len(b.totals)-1, f)
}

// errNoFrequencies reports a list that would be all words with the first letters of the alphabet.
var errNoFrequencies = errors.New("no source says how frequent words are, and there are more than may stay (--max): " +
	"build from texts (corpus:, warc:) or a frequency list, and let a dictionary say which words may stay (--keep)")

// most returns the most frequent words of each class; of two the one that sorts first. When there are too many, those of
// which nobody knows how frequent they are go.
func (b *builder) most(words []chosen) ([]chosen, error) {
	slices.SortFunc(words, func(a, b chosen) int {
		return cmp.Or(cmp.Compare(b.freq, a.freq), cmp.Compare(a.Text, b.Text))
	})
	var n, known [3]int
	for _, w := range words {
		n[w.Class]++
		if w.freq > 0 {
			known[w.Class]++
		}
	}
	for c := range n {
		switch {
		case b.Max <= 0 || n[c] <= b.Max:
		case known[c] == 0:
			return nil, errNoFrequencies
		default:
			n[c] = min(known[c], b.Max)
		}
	}
	return slices.DeleteFunc(words, func(w chosen) bool {
		n[w.Class]--
		return n[w.Class] < 0
	}), nil
}

func isASCII(word string) bool {
	for i := range len(word) {
		if word[i] >= 0x80 {
			return false
		}
	}
	return true
}
