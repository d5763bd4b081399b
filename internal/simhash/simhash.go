package simhash

import (
	"fmt"
	"iter"
	"math/bits"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// MinWords is how many words a text must have to be compared by its simhash: of a shorter one each word is a large part.
const MinWords = 50

// shingle is how many words in a row are a feature.
const shingle = 3

// Text is what is known of a text: the zero Text of one without words.
type Text struct {
	Hash  uint64 // its simhash; of less than three words 0
	Same  uint64 // the hash of its words in order: texts with the same one are the same but for case, blanks and punctuation
	Words int
}

// Of computes the numbers of a text in UTF-8; what is not UTF-8 parts words.
func Of(text string) (t Text) {
	var c counter
	var b, a uint64 // the hashes of the last two words, a of the last
	for len(text) > 0 {
		w, n := word(text)
		if n == 0 {
			_, n = utf8.DecodeRuneInString(text)
			text = text[n:]
			continue
		}
		text = text[n:]
		t.Words++
		t.Same = mix(t.Same*factor + w)
		if t.Words >= shingle {
			c.add(mix((b*factor+a)*factor + w))
		}
		b, a = a, w
	}
	t.Hash = c.majority()
	return t
}

// Words yields the words of a text, and their hashes, which are the same whatever the case.
func Words(text string) iter.Seq2[string, uint64] {
	return func(yield func(string, uint64) bool) {
		for len(text) > 0 {
			h, n := word(text)
			if n == 0 {
				_, n = utf8.DecodeRuneInString(text)
			} else if !yield(text[:n], h) {
				return
			}
			text = text[n:]
		}
	}
}

// word returns the hash of the word that a text begins with, and how many bytes it has; 0 when it begins with something else.
func word(text string) (hash uint64, n int) {
	h := uint64(offset)
	for n < len(text) {
		x := text[n]
		if x >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[n:])
			single := alone(r)
			if single && n > 0 || !single && !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) {
				break
			}
			var enc [utf8.UTFMax]byte
			for _, e := range enc[:utf8.EncodeRune(enc[:], unicode.ToLower(r))] {
				h = (h ^ uint64(e)) * prime
			}
			if n += size; single {
				break
			}
			continue
		}
		if letter := x | 0x20; letter >= 'a' && letter <= 'z' {
			x = letter
		} else if x < '0' || x > '9' {
			break
		}
		h = (h ^ uint64(x)) * prime
		n++
	}
	return mix(h), n
}

// alone reports whether a character is a word of its own: of scripts that are written without blanks.
func alone(r rune) bool {
	return r >= 0x0E00 && (r <= 0x0EFF || r >= 0x1000 && r <= 0x109F || r >= 0x1780 && r <= 0x17FF ||
		r >= 0x3041 && r <= 0x30FF || r >= 0x3400 && r <= 0x4DBF || r >= 0x4E00 && r <= 0x9FFF || r >= 0x20000 && r <= 0x3FFFF)
}

// Of FNV-1a (RFC 9923); of the finalizer of MurmurHash3, which is public domain; the golden ratio.
const (
	offset = 0xcbf29ce484222325
	prime  = 0x100000001b3
	mix1   = 0xff51afd7ed558ccd
	mix2   = 0xc4ceb9fe1a85ec53
	factor = 0x9e3779b97f4a7c15
)

// mix spreads what differs in a number over all its bits.
func mix(x uint64) uint64 {
	x = (x ^ x>>33) * mix1
	x = (x ^ x>>33) * mix2
	return x ^ x>>33
}

// counter counts for each bit in how many numbers it is set.
type counter struct {
	lanes [8]uint64 // byte j of lane i: bit 8j+i of the last numbers
	few   int       // how many these are, at most 255
	sums  [64]uint32
	n     uint32
}

func (c *counter) add(h uint64) {
	const low = 0x0101010101010101
	for i := range c.lanes {
		c.lanes[i] += h >> i & low
	}
	if c.few++; c.few == 255 {
		c.flush()
	}
}

func (c *counter) flush() {
	for i, lane := range c.lanes {
		for j := range 8 {
			c.sums[8*j+i] += uint32(lane >> (8 * j) & 0xff)
		}
	}
	c.n += uint32(c.few)
	c.lanes, c.few = [8]uint64{}, 0
}

// majority has the bits that more than half of the numbers have.
func (c *counter) majority() (h uint64) {
	c.flush()
	for i, n := range c.sums {
		if 2*uint64(n) > uint64(c.n) {
			h |= 1 << i
		}
	}
	return h
}

// Strings are the numbers as archive and crawl.log have them: sim is "" when the text has less than [MinWords] words, both are when it has none.
func (t Text) Strings() (sim, same string) {
	if t.Words >= MinWords {
		sim = format(t.Hash)
	}
	if t.Words > 0 {
		same = format(t.Same)
	}
	return sim, same
}

// Distance is how many bits of two simhashes differ, 0 … 64.
func Distance(a, b uint64) int { return bits.OnesCount64(a ^ b) }

// mostApart is how many bits the simhashes of two texts differ in that are nearly the same (ADR 81).
const mostApart = 3

// Near reports whether two texts are nearly the same: the same words in order, or, where both have enough of them, hashes that are
// close. Two texts without words are.
func (t Text) Near(o Text) bool {
	return t.Same == o.Same && t.Words == o.Words || t.Words >= MinWords && o.Words >= MinWords && Distance(t.Hash, o.Hash) <= mostApart
}

func format(h uint64) string { return fmt.Sprintf("%016x", h) }

// Parse reads a number as it is written: 16 hexadecimal digits in lower case.
func Parse(s string) (h uint64, ok bool) {
	h, err := strconv.ParseUint(s, 16, 64)
	return h, err == nil && s == format(h)
}
