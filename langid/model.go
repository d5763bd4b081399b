package langid

import (
	"slices"
	"unicode/utf8"

	"exclave/dict"
)

// Model tells languages by the words of a text. It never changes once it is read, so any
// number of goroutines may use it at once.
type Model struct {
	classes   []string // "cs", "cs/ascii": a language, and how it is written
	languages []string // sorted, each once
	language  []uint8  // of each class, an index in languages
	table     table
	digest    string
}

// Languages returns the codes of the languages that m tells: ISO 639-1 where there is one.
func (m *Model) Languages() []string { return slices.Clone(m.languages) }

// Digest returns the first 16 hex digits of the SHA-256 of what m was read from.
func (m *Model) Digest() string { return m.digest }

// Knows reports whether m tells the language of that code.
func (m *Model) Knows(code string) bool {
	_, ok := slices.BinarySearch(m.languages, code)
	return ok
}

const (
	gramLen  = 4                // letters of an n-gram, its marks counted
	gramMark = '_'              // begins the key of an n-gram: no word has it
	maxWord  = 4 * dict.MaxWord // bytes; there is no letter longer than 4, and few have marks
)

// Grams calls yield with the keys of the n-grams of a word, which tell something of words that
// are not in the table: all of gramLen letters, with the ends of the word marked by a blank. A key
// is valid until the next one.
func Grams(word []byte, yield func(key []byte)) {
	var g grams
	for g.begin(word); g.next(); {
		yield(g.key)
	}
}

// grams is the place in a word. A value of its own costs nothing a word.
type grams struct {
	buf    [2 + maxWord + 1]byte
	rest   []byte // the word with its marks, from the place on
	at     int    // the place in buf
	starts [gramLen]int
	n      int
	key    []byte
	first  byte // what the mark of key has displaced
}

func (g *grams) begin(word []byte) {
	g.key, g.n, g.at = nil, 0, 1
	b := append(g.buf[:0], gramMark, ' ')
	if len(word) <= maxWord {
		b = append(append(b, word...), ' ')
	}
	g.rest = b
}

func (g *grams) next() bool {
	if g.key != nil {
		g.key[0] = g.first
	}
	for g.at < len(g.rest) {
		g.starts[g.n%gramLen] = g.at
		_, size := utf8.DecodeRune(g.rest[g.at:])
		g.at += size
		if g.n++; g.n >= gramLen {
			from := g.starts[g.n%gramLen] - 1
			g.key = g.rest[from:g.at]
			g.first = g.key[0]
			g.key[0] = gramMark
			return true
		}
	}
	g.key = nil
	return false
}

// Scorer adds up what the words of a passage say. It belongs to one goroutine.
type Scorer struct {
	m       *Model
	scores  [maxClasses]int32
	common  [maxClasses]uint16
	words   int
	letters int
	known   int // words that are in the table
	grams   grams
}

// NewScorer returns a Scorer of m.
func (m *Model) NewScorer() *Scorer { return &Scorer{m: m} }

// Add adds a word in normal form (dict.Words).
func (s *Scorer) Add(word []byte) {
	s.words++
	s.letters += utf8.RuneCount(word)
	t := &s.m.table
	if row := t.find(hashKey(word)); row != nil {
		s.known++
		for i := 0; i+1 < len(row); i += 2 {
			c := row[i] &^ common
			s.scores[c] += int32(row[i+1])
			s.common[c] += uint16(row[i] >> 7)
		}
		return
	}
	for s.grams.begin(word); s.grams.next(); {
		row := t.find(hashKey(s.grams.key))
		for i := 0; i+1 < len(row); i += 2 {
			s.scores[row[i]&^common] += int32(row[i+1])
		}
	}
}

// Score is what a passage scores in a language, in its best class.
type Score struct {
	Language string
	Score    int // in 1/Unit nats
	Common   int // words that are among the most frequent ones of the language
}

// Passage is the judgement on some words.
type Passage struct {
	Words, Letters, Known int
	Best, Second          Score // of different languages
}

// Passage returns the judgement on what was added and begins anew.
func (s *Scorer) Passage() Passage {
	p := Passage{Words: s.words, Letters: s.letters, Known: s.known}
	best := [2]int{-1, -1} // classes
	for c := range s.m.classes {
		switch {
		case best[0] < 0 || s.scores[c] > s.scores[best[0]]:
			if best[0] >= 0 && s.m.language[c] != s.m.language[best[0]] {
				best[1] = best[0]
			}
			best[0] = c
		case s.m.language[c] != s.m.language[best[0]] && (best[1] < 0 || s.scores[c] > s.scores[best[1]]):
			best[1] = c
		}
	}
	p.Best, p.Second = s.score(best[0]), s.score(best[1])
	s.words, s.letters, s.known = 0, 0, 0
	clear(s.scores[:])
	clear(s.common[:])
	return p
}

func (s *Scorer) score(class int) Score {
	if class < 0 {
		return Score{}
	}
	return Score{s.m.languages[s.m.language[class]], int(s.scores[class]), int(s.common[class])}
}
