package dict

import (
	"hash/maphash"
	"iter"
)

// Bag is a bag of words: those of a text in normal form, in their order, but each different one kept once, with how
// often it is there. The zero Bag is empty and ready. It belongs to one goroutine.
type Bag struct {
	seed  maphash.Seed // a text cannot know which words collide
	text  []byte       // the different words, one behind the other
	words []bagged
	order []uint32 // of each word of the text the index in words
	from  []uint32 // of each word where it begins in the text that was added; nothing of a BagOf
	slots []uint32 // 1 + index in words, by hash: open addressing, at most half full
}

// bagged is a word of a Bag.
type bagged struct {
	from, to    uint32 // in Bag.text
	hash, count uint32
}

// BagOf returns a Bag of words in normal form.
func BagOf(words iter.Seq[[]byte]) *Bag {
	b := &Bag{}
	for w := range words {
		from := len(b.text)
		b.text = append(b.text, w...)
		if !b.put(b.text, from) {
			b.text = b.text[:from]
		}
	}
	return b
}

// Add adds the words that Words yields from a text, which is at most 1 GiB.
func (b *Bag) Add(text string) {
	s := scanner{text: text, out: b.text, start: len(b.text)}
	for s.next() {
		b.from = append(b.from, uint32(s.from))
		if b.put(s.out, s.start) {
			s.start = len(s.out)
		}
	}
	b.text = s.out[:s.start]
}

// put counts the word text[from:], the end of what is or becomes Bag.text, and reports whether it is a new one.
func (b *Bag) put(text []byte, from int) bool {
	if 2*len(b.words) >= len(b.slots) {
		b.grow()
	}
	word := text[from:]
	h := uint32(maphash.Bytes(b.seed, word))
	mask := uint32(len(b.slots) - 1)
	at := h & mask
	for ; b.slots[at] != 0; at = (at + 1) & mask {
		i := b.slots[at] - 1
		if w := &b.words[i]; w.hash == h && string(text[w.from:w.to]) == string(word) {
			w.count++
			b.order = append(b.order, i)
			return false
		}
	}
	b.order = append(b.order, uint32(len(b.words)))
	b.words = append(b.words, bagged{uint32(from), uint32(len(text)), h, 1})
	b.slots[at] = uint32(len(b.words))
	return true
}

// fewWords is how many slots an empty Bag begins with.
const fewWords = 2048

// grow doubles the slots.
func (b *Bag) grow() {
	n := max(fewWords, 2*len(b.slots))
	if n == fewWords {
		b.seed = maphash.MakeSeed()
	}
	if n <= cap(b.slots) {
		b.slots = b.slots[:n]
		clear(b.slots)
	} else {
		b.slots = make([]uint32, n)
	}
	mask := uint32(n - 1)
	for i, w := range b.words {
		at := w.hash & mask
		for b.slots[at] != 0 {
			at = (at + 1) & mask
		}
		b.slots[at] = uint32(i + 1)
	}
}

// Reset empties b, which keeps its memory. What was got from it is no longer valid.
func (b *Bag) Reset() {
	b.text, b.words, b.order, b.slots = b.text[:0], b.words[:0], b.order[:0], b.slots[:0]
	b.from = b.from[:0]
}

// Room returns how many bytes of memory b keeps.
func (b *Bag) Room() int {
	return cap(b.text) + 16*cap(b.words) + 4*cap(b.order) + 4*cap(b.from) + 4*cap(b.slots)
}

// Count returns how many words there are.
func (b *Bag) Count() int { return len(b.order) }

// Len returns how many of them are different.
func (b *Bag) Len() int { return len(b.words) }

// Order returns of each word, in the order of the text, which of the different ones it is. These
// are numbered in the order in which they come first. It is valid until b is changed and must not be changed.
func (b *Bag) Order() []uint32 { return b.order }

// From returns of each word, in the order of the text, at which byte of the text that was added it begins. It is
// valid until b is changed and must not be changed.
func (b *Bag) From() []uint32 { return b.from }

// Word returns one of the different words and how often it is there. It must not be changed and is valid until
// b is.
func (b *Bag) Word(i int) (word []byte, count int) {
	w := b.words[i]
	return b.text[w.from:w.to:w.to], int(w.count)
}
