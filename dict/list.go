package dict

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// maxList is the largest list in bytes: offsets are 32 bits wide.
const maxList = math.MaxUint32

// maxNotes is how many comments at the head of a list are kept.
const maxNotes = 20

// ErrNoList reports a built-in list that does not exist.
var ErrNoList = errors.New("no such built-in word list")

// List is an immutable set of normalised words. It holds all words in one
// string and a hash table of 32-bit offsets into it, each with the word's hash beside
// it, so that a word that is not there is seldom compared: about 30 bytes a word, the
// word included.
type List struct {
	name  string
	words string // each word followed by the mark of its class, sorted bytewise
	slots []slot // open addressing
	n     [NumClasses]int
	notes []string

	digests [NumClasses]func() string
}

// slot is 1 + the offset of a word in List.words, and above it the word's hash; 0 = empty.
type slot uint64

func slotOf(off int, h uint32) slot { return slot(h)<<32 | slot(off+1) }

func (s slot) hash() uint32 { return uint32(s >> 32) }

func (s slot) offset() int { return int(uint32(s)) - 1 }

// Open reads the list kept in the file at path: UTF-8, one word per line, and behind a
// tab its class, unless that is Exclusive. Anything else behind a tab is ignored, so
// frequency lists can be read too; empty lines and lines that start with # are skipped.
// Words are normalised, sorted and made unique, so any order will do; of a word in several
// classes the first one counts. The list's name is the file's without folder and extension.
func Open(path string) (*List, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("dict: open list: %w", err)
	}
	defer f.Close()
	base := filepath.Base(path)
	return Read(f, strings.TrimSuffix(base, filepath.Ext(base)))
}

// Read reads a list in the format of Open and gives it a name. A line that is
// not one word (Words) is an error naming the line.
func Read(r io.Reader, name string) (*List, error) {
	var words []Word
	var notes []string
	for e, err := range entries(r) {
		if err != nil {
			return nil, fmt.Errorf("dict: read list %s: %w", name, err)
		}
		if e.note != "" {
			if len(words) == 0 && len(notes) < maxNotes {
				notes = append(notes, e.note)
			}
			continue
		}
		if !IsWord(e.word) {
			return nil, fmt.Errorf("dict: read list %s: line %d: %q is not one word", name, e.line, clip(e.word, 40))
		}
		c, _ := ParseClass(e.rest)
		words = append(words, Word{e.word, c})
	}
	l, err := New(name, words)
	if err == nil {
		l.notes = notes
	}
	return l, err
}

// New makes a list of words in normal form; it sorts them.
func New(name string, words []Word) (*List, error) {
	slices.SortFunc(words, func(a, b Word) int {
		return cmp.Or(strings.Compare(a.Text, b.Text), cmp.Compare(a.Class, b.Class))
	})
	words = slices.CompactFunc(words, func(a, b Word) bool { return a.Text == b.Text })
	size := 0
	for _, w := range words {
		size += len(w.Text) + 1
	}
	if size > maxList {
		return nil, fmt.Errorf("dict: list %s: %d bytes of words, the most is %d", name, size, uint32(maxList))
	}
	var blob strings.Builder
	blob.Grow(size)
	for _, w := range words {
		blob.WriteString(w.Text)
		blob.WriteByte(w.Class.mark())
	}
	return index(name, blob.String(), len(words)), nil
}

// index makes the hash table over n words, which must keep List's invariants.
func index(name, words string, n int) *List {
	l := &List{name: name, words: words}
	for c := range l.digests {
		l.digests[c] = sync.OnceValue(func() string { return l.digest(Class(c)) })
	}
	size := 8
	for size*2 < n*3 { // at most two thirds full: probes stay short
		size *= 2
	}
	l.slots = make([]slot, size)
	mask := uint32(size - 1)
	off := 0
	var buf []byte
	for w, c := range l.Classed() {
		buf = append(buf[:0], w...)
		h := hash(buf)
		i := h & mask
		for l.slots[i] != 0 {
			i = (i + 1) & mask
		}
		l.slots[i] = slotOf(off, h)
		l.n[c]++
		off += len(w) + 1
	}
	return l
}

// hash takes eight bytes at a time: a multiplication of 64 bits, both halves of the product put
// together, as in wyhash. A hash that takes byte after byte costs more than the look into the table.
func hash(word []byte) uint32 {
	const k1, k2 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db
	h := uint64(len(word)) * k2
	for len(word) >= 8 {
		high, low := bits.Mul64(h^binary.LittleEndian.Uint64(word), k1)
		h, word = high^low, word[8:]
	}
	var rest uint64
	switch n := len(word); {
	case n >= 4:
		rest = uint64(binary.LittleEndian.Uint32(word))<<32 | uint64(binary.LittleEndian.Uint32(word[n-4:]))
	case n > 0:
		rest = uint64(word[0])<<16 | uint64(word[n/2])<<8 | uint64(word[n-1])
	}
	high, low := bits.Mul64(h^rest, k1)
	return uint32(high ^ low)
}

// Lookup returns the list's own copy of word, which must be in the normal form
// that Words yields, and whether the list has it, in any class. It does not allocate.
func (l *List) Lookup(word []byte) (string, bool) {
	v, _, ok := l.Find(word)
	return v, ok
}

// Find is Lookup that tells the word's class, too.
func (l *List) Find(word []byte) (string, Class, bool) {
	h := hash(word)
	return l.from(h&uint32(len(l.slots)-1), h, word)
}

// from looks for a word from a slot on.
func (l *List) from(i, h uint32, word []byte) (string, Class, bool) {
	for mask := uint32(len(l.slots) - 1); l.slots[i] != 0; i = (i + 1) & mask {
		if l.slots[i].hash() != h {
			continue
		}
		off := l.slots[i].offset()
		end := off + len(word)
		if end < len(l.words) && isMark(l.words[end]) && l.words[off:end] == string(word) {
			return l.words[off:end], classOfMark(l.words[end]), true
		}
	}
	return "", 0, false
}

// AtOnce is how many words FindAll takes at once.
const AtOnce = 32

// FindAll is Find for several words, at most AtOnce: it calls found for each that the list has, in their order. A
// list is larger than the processor's caches, which fetch what several words need at the same time when
// no word waits for the one before.
func (l *List) FindAll(words [][]byte, found func(i int, word string, c Class)) {
	var hashes [AtOnce]uint32
	var slots [AtOnce]slot
	words = words[:min(len(words), AtOnce)]
	mask := uint32(len(l.slots) - 1)
	for i, w := range words {
		hashes[i] = hash(w)
		slots[i] = l.slots[hashes[i]&mask]
	}
	// The words are read for the caches only: none begins with a mark.
	marks := 0
	for i, s := range slots[:len(words)] {
		if s != 0 && s.hash() == hashes[i] && isMark(l.words[s.offset()]) {
			marks++
		}
	}
	for i, w := range words {
		if slots[i] == 0 {
			continue
		}
		if v, c, ok := l.from(hashes[i]&mask, hashes[i], w); ok && marks == 0 {
			found(i, v, c)
		}
	}
}

// Has reports whether the list has word in any letter case, normal form and class.
func (l *List) Has(word string) bool {
	_, ok := l.Lookup([]byte(Normalize(word)))
	return ok
}

// Name returns the name the list was opened by.
func (l *List) Name() string { return l.name }

// Len returns the number of words, of all classes.
func (l *List) Len() (n int) {
	for _, c := range l.n {
		n += c
	}
	return n
}

// LenOf returns the number of words of a class.
func (l *List) LenOf(c Class) int { return l.n[c] }

// Bytes returns how much memory the list takes.
func (l *List) Bytes() int { return len(l.words) + 8*len(l.slots) }

// Notes returns the comments at the head of the list, a line each, without their #: what it
// is made of, and its licence.
func (l *List) Notes() []string { return slices.Clone(l.notes) }

// Annotate adds lines to the Notes of a list that nobody else has yet.
func (l *List) Annotate(notes ...string) { l.notes = append(l.notes, notes...) }

// All yields the words of every class in bytewise order.
func (l *List) All() iter.Seq[string] {
	return func(yield func(string) bool) {
		for w := range l.Classed() {
			if !yield(w) {
				return
			}
		}
	}
}

// Digest returns the first 16 hex digits of the SHA-256 of the words of a class, a line each, in bytewise order. It is computed once.
func (l *List) Digest(c Class) string { return l.digests[c]() }

func (l *List) digest(of Class) string {
	h := sha256.New()
	for w, c := range l.Classed() {
		if c == of {
			_, _ = io.WriteString(h, w+"\n") // never fails
		}
	}
	return fmt.Sprintf("%.8x", h.Sum(nil))
}

// Classed yields the words in bytewise order, and their classes.
func (l *List) Classed() iter.Seq2[string, Class] {
	return func(yield func(string, Class) bool) {
		for from, i := 0, 0; i < len(l.words); i++ {
			if isMark(l.words[i]) {
				if !yield(l.words[from:i], classOfMark(l.words[i])) {
					return
				}
				from = i + 1
			}
		}
	}
}

// WriteTo writes the list in the format of Open, sorted bytewise, behind its notes.
func (l *List) WriteTo(w io.Writer) (int64, error) {
	out := bufio.NewWriter(w)
	size := 0
	put := func(parts ...string) {
		for _, p := range parts {
			n, _ := out.WriteString(p) // Flush tells
			size += n
		}
	}
	for _, n := range l.notes {
		put("# ", n, "\n")
	}
	for word, c := range l.Classed() {
		if put(word); c != Exclusive {
			put("\t", c.String())
		}
		put("\n")
	}
	if err := out.Flush(); err != nil {
		return int64(size - out.Buffered()), fmt.Errorf("dict: write list %s: %w", l.name, err)
	}
	return int64(size), nil
}

// entry is one line of a list: what stands before the tab in normal form, and
// what stands behind it; or a comment.
type entry struct {
	word, rest string
	note       string
	line       int
}

// entries yields the lines of a list in the format of Open, words or not;
// after an error it stops.
func entries(r io.Reader) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		s := bufio.NewScanner(r)
		for n := 1; s.Scan(); n++ {
			line := bytes.TrimSpace(s.Bytes())
			if len(line) == 0 || string(line) == "#" {
				continue
			}
			if line[0] == '#' {
				if !yield(entry{note: string(bytes.TrimSpace(line[1:])), line: n}, nil) {
					return
				}
				continue
			}
			raw, rest, _ := bytes.Cut(line, []byte("\t"))
			word := Normalize(string(bytes.TrimSpace(raw)))
			if !yield(entry{word: word, rest: string(rest), line: n}, nil) {
				return
			}
		}
		if err := s.Err(); err != nil {
			yield(entry{}, err)
		}
	}
}

func clip(s string, n int) string { return s[:min(n, len(s))] }
