package dict

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxList is the largest list in bytes: offsets are 32 bits wide.
const maxList = math.MaxUint32

// ErrNoList reports a built-in list that does not exist.
var ErrNoList = errors.New("no such built-in word list")

// List is an immutable set of normalised words. It holds all words in one
// string and a hash table of 32-bit offsets into it: about 20 bytes a word, the
// word included.
type List struct {
	name  string
	words string   // each word followed by a line feed, sorted bytewise
	slots []uint32 // open addressing; 1 + offset into words, 0 = empty
	n     int
}

// Open reads the list kept in the file at path: UTF-8, one word per line. What
// follows a tab is ignored, so frequency lists can be read too; empty lines and
// lines that start with # are skipped. Words are normalised, sorted and made
// unique, so any order will do. The list's name is the file's without folder
// and extension.
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
	var words []string
	for e, err := range entries(r) {
		if err != nil {
			return nil, fmt.Errorf("dict: read list %s: %w", name, err)
		}
		if !isWord(e.word) {
			return nil, fmt.Errorf("dict: read list %s: line %d: %q is not one word", name, e.line, clip(e.word, 40))
		}
		words = append(words, e.word)
	}
	return newList(name, words)
}

// newList takes ownership of words.
func newList(name string, words []string) (*List, error) {
	slices.Sort(words)
	words = slices.Compact(words)
	size := 0
	for _, w := range words {
		size += len(w) + 1
	}
	if size > maxList {
		return nil, fmt.Errorf("dict: list %s: %d bytes of words, the most is %d", name, size, uint32(maxList))
	}
	var blob strings.Builder
	blob.Grow(size)
	for _, w := range words {
		blob.WriteString(w)
		blob.WriteByte('\n')
	}
	return index(name, blob.String()), nil
}

// index makes the hash table over words, which must keep List's invariants.
func index(name, words string) *List {
	l := &List{name: name, words: words, n: strings.Count(words, "\n")}
	size := 8
	for size < 2*l.n { // at most half full: probes stay short
		size *= 2
	}
	l.slots = make([]uint32, size)
	mask := uint32(size - 1)
	for off := 0; off < len(words); {
		w := words[off : off+strings.IndexByte(words[off:], '\n')]
		i := hash(w) & mask
		for l.slots[i] != 0 {
			i = (i + 1) & mask
		}
		l.slots[i] = uint32(off) + 1
		off += len(w) + 1
	}
	return l
}

// hash is FNV-1a, 32 bits wide.
func hash[T string | []byte](word T) uint32 {
	h := uint32(2166136261)
	for i := range len(word) {
		h = (h ^ uint32(word[i])) * 16777619
	}
	return h
}

// Lookup returns the list's own copy of word, which must be in the normal form
// that Words yields, and whether the list has it. It does not allocate.
func (l *List) Lookup(word []byte) (string, bool) {
	mask := uint32(len(l.slots) - 1)
	for i := hash(word) & mask; l.slots[i] != 0; i = (i + 1) & mask {
		off := int(l.slots[i] - 1)
		end := off + len(word)
		if end < len(l.words) && l.words[end] == '\n' && l.words[off:end] == string(word) {
			return l.words[off:end], true
		}
	}
	return "", false
}

// Has reports whether the list has word in any letter case and normal form.
func (l *List) Has(word string) bool {
	_, ok := l.Lookup([]byte(Normalize(word)))
	return ok
}

// Name returns the name the list was opened by.
func (l *List) Name() string { return l.name }

// Len returns the number of words.
func (l *List) Len() int { return l.n }

// All yields the words in bytewise order.
func (l *List) All() iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(l.words) {
			if !yield(line[:len(line)-1]) {
				return
			}
		}
	}
}

// WriteTo writes the list in the format of Open, sorted bytewise.
func (l *List) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, l.words)
	if err != nil {
		return int64(n), fmt.Errorf("dict: write list %s: %w", l.name, err)
	}
	return int64(n), nil
}

// entry is one line of a list: what stands before the tab in normal form, and
// what stands behind it.
type entry struct {
	word, rest string
	line       int
}

// entries yields the lines of a list in the format of Open, words or not;
// after an error it stops.
func entries(r io.Reader) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		s := bufio.NewScanner(r)
		for n := 1; s.Scan(); n++ {
			line := bytes.TrimSpace(s.Bytes())
			if len(line) == 0 || line[0] == '#' {
				continue
			}
			raw, rest, _ := bytes.Cut(line, []byte("\t"))
			word := Normalize(string(bytes.TrimSpace(raw)))
			if !yield(entry{word, string(rest), n}, nil) {
				return
			}
		}
		if err := s.Err(); err != nil {
			yield(entry{}, err)
		}
	}
}

func clip(s string, n int) string { return s[:min(n, len(s))] }
