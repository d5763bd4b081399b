package langid

import (
	"slices"
	"sync"
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
	scorers   sync.Pool // of *Scorer, at rest
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
	scores  [maxClasses]classScore
	words   int
	letters int
	known   int // words that are in the table
	grams   grams
	batch   batch
	touched byte

	rows []row // of the different words of a bag
	ids  [atOnce]uint32
}

// classScore is the score of a class, and above it, from commonBit on, how many of its most frequent words there were.
type classScore uint64

const commonBit = 40

func (c classScore) score() int { return int(c & (1<<commonBit - 1)) }

func (c classScore) common() int { return int(c >> commonBit) }

// row is what the table has of a word.
type row struct {
	from    uint32 // in table.data
	letters uint16
	n       uint8 // bytes there
	state   rowState
}

type rowState uint8

const (
	rowUnasked rowState = iota
	rowAsked
	rowUnknown
	rowKnown
)

// maxRows is how many rows a Scorer at rest keeps the memory for.
const maxRows = 1 << 15

// keep leaves s to whom it may serve next.
func (s *Scorer) keep() {
	if cap(s.rows) <= maxRows {
		s.m.scorers.Put(s)
	}
}

// NewScorer returns a Scorer of m.
func (m *Model) NewScorer() *Scorer { return &Scorer{m: m} }

// atOnce is how many keys are looked up at once.
const atOnce = 32

// batch are keys that are looked up at once: the table is larger than the processor's caches, which
// fetch what several keys need at the same time when no key waits for the one before.
type batch struct {
	n        int
	hash     [atOnce]uint64
	from, to [atOnce]uint32 // their buckets
}

// locate finds the buckets and has them fetched.
func (s *Scorer) locate() {
	b, t := &s.batch, &s.m.table
	for i, h := range b.hash[:b.n] {
		at := h >> t.shift
		b.from[i], b.to[i] = t.starts[at], t.starts[at+1]-1
	}
	var touched byte
	for i := range b.n {
		if b.from[i] < b.to[i] {
			touched ^= t.data[b.from[i]]
		}
	}
	s.touched = touched // or they would not be
}

// Add adds words in normal form (dict.Words).
func (s *Scorer) Add(words ...[]byte) {
	b := dict.BagOf(slices.Values(words))
	s.begin(b)
	s.find(b, b.Order())
	s.findRest()
	s.add(b, b.Order())
}

// begin begins with the words of a bag.
func (s *Scorer) begin(b *dict.Bag) {
	s.rows = slices.Grow(s.rows[:0], b.Len())[:b.Len()]
	clear(s.rows)
}

// find looks some words of a bag up that were not asked for yet; the last of them with those of the
// next call, or by findRest.
func (s *Scorer) find(b *dict.Bag, ids []uint32) {
	for _, id := range ids {
		r := &s.rows[id]
		if r.state != rowUnasked {
			continue
		}
		w, _ := b.Word(int(id))
		r.state, r.letters = rowAsked, uint16(utf8.RuneCount(w))
		s.ids[s.batch.n] = id
		s.batch.hash[s.batch.n] = hashKey(w)
		if s.batch.n++; s.batch.n == atOnce {
			s.findRest()
		}
	}
}

func (s *Scorer) findRest() {
	s.locate()
	b := &s.batch
	for i, h := range b.hash[:b.n] {
		r := &s.rows[s.ids[i]]
		var ok bool
		if r.from, r.n, ok = s.m.table.in(b.from[i], b.to[i], h); ok {
			r.state = rowKnown
		} else {
			r.state = rowUnknown
		}
	}
	b.n = 0
}

// add adds words that were found.
func (s *Scorer) add(b *dict.Bag, ids []uint32) {
	s.words += len(ids)
	for _, id := range ids {
		r := &s.rows[id]
		s.letters += int(r.letters)
		if r.state == rowUnknown {
			w, _ := b.Word(int(id))
			for s.grams.begin(w); s.grams.next(); {
				s.batch.hash[s.batch.n] = hashKey(s.grams.key)
				if s.batch.n++; s.batch.n == atOnce {
					s.addGrams()
				}
			}
			continue
		}
		s.known++
		weights := s.m.table.data[r.from : r.from+uint32(r.n)]
		for i := 0; i+1 < len(weights); i += 2 {
			s.scores[weights[i]&^common] += classScore(weights[i]>>7)<<commonBit | classScore(weights[i+1])
		}
	}
	s.addGrams()
}

// addGrams adds the n-grams of the batch.
func (s *Scorer) addGrams() {
	s.locate()
	b, t := &s.batch, &s.m.table
	for i, h := range b.hash[:b.n] {
		at, n, _ := t.in(b.from[i], b.to[i], h)
		weights := t.data[at : at+uint32(n)]
		for i := 0; i+1 < len(weights); i += 2 {
			s.scores[weights[i]&^common] += classScore(weights[i+1])
		}
	}
	b.n = 0
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
func (s *Scorer) Passage() Passage { return s.passage(nil, nil) }

// passage is Passage that adds the score of each language to totals and, when the passage is running
// text, to running, unless they are nil.
func (s *Scorer) passage(totals, running []int) Passage {
	p := Passage{Words: s.words, Letters: s.letters, Known: s.known}
	var best [maxClasses]int // of each language
	first, second := -1, -1  // classes
	most, next := 0, 0       // their scores
	for c, language := range s.m.language {
		score := s.scores[c].score()
		if score == 0 && second >= 0 {
			continue // as most are
		}
		best[language] = max(best[language], score)
		switch {
		case first < 0 || score > most:
			if first >= 0 && language != s.m.language[first] {
				second, next = first, most
			}
			first, most = c, score
		case language != s.m.language[first] && (second < 0 || score > next):
			second, next = c, score
		}
	}
	p.Best, p.Second = s.score(first), s.score(second)
	text := p.text()
	for l := range totals {
		totals[l] += best[l]
		if text {
			running[l] += best[l]
		}
	}
	s.words, s.letters, s.known = 0, 0, 0
	clear(s.scores[:])
	return p
}

func (s *Scorer) score(class int) Score {
	if class < 0 {
		return Score{}
	}
	return Score{s.m.languages[s.m.language[class]], s.scores[class].score(), s.scores[class].common()}
}
