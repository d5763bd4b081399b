package langid

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"
)

// A Weight says how much more probable a feature is in one class than in a text of no
// language that is known.
type Weight struct {
	Class  int
	Value  int  // in Unit, 1 … MaxWeight
	Common bool // the feature is one of the class's most frequent words
}

// Entry is a feature and its weights: a word in normal form, or an n-gram (Grams).
type Entry struct {
	Key     string
	Weights []Weight
}

const (
	// Unit is how many steps a weight of one nat (a factor of e) has.
	Unit = 8
	// MaxWeight is the largest value of a weight.
	MaxWeight = 127
	// MaxWeights is how many classes one feature can speak for.
	MaxWeights = 15

	magic      = "exclave-langid-1\n"
	perBucket  = 3   // entries a bucket has in the mean
	maxClasses = 128 // a class is told by 7 bits
	maxTable   = 64 << 20
	common     = 0x80 // in the byte of a class
)

var errFormat = errors.New("langid: not a model of this version")

// table finds entries by the hash of their key. The entries of a bucket lie one after the
// other, each as 2 bytes of the hash, a count, and class and value of each weight: one look
// into memory, as a rule, for a key that is there and for one that is not.
type table struct {
	starts []uint32 // of each bucket in data; it ends at the count of entries before the next one
	data   []byte
	shift  uint
}

// hashKey is FNV-1a of 64 bits, mixed so that its first bits are as good as its last.
func hashKey[T string | []byte](key T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	h ^= h >> 32
	return h * 0x9e3779b97f4a7c15
}

// in returns where the weights of a key are in the bucket of its hash, two bytes each.
func (t *table) in(from, to uint32, h uint64) (at uint32, n uint8, ok bool) {
	check := uint16(h)
	for rest := t.data[from:to]; len(rest) >= 3; {
		size := 3 + 2*int(rest[2])
		if binary.LittleEndian.Uint16(rest) == check {
			return to - uint32(len(rest)) + 3, 2 * rest[2], true
		}
		rest = rest[size:]
	}
	return 0, 0, false
}

// Write writes a model of entries in the form that Read reads. Keys are unique; classes are
// names such as "cs" and "cs/ascii" (Model). The same entries make the same bytes.
func Write(w io.Writer, classes []string, entries []Entry) error {
	if len(classes) > maxClasses {
		return fmt.Errorf("langid: write: %d classes, at most %d can be told", len(classes), maxClasses)
	}
	logBuckets := max(1, bits.Len(uint(len(entries)/perBucket)))
	shift := uint(64 - logBuckets)
	buckets := make([][]Entry, 1<<logBuckets)
	for _, e := range entries {
		at := hashKey(e.Key) >> shift
		buckets[at] = append(buckets[at], e)
	}
	b := bufio.NewWriter(w)
	_, _ = b.WriteString(magic) // errors stay until Flush
	_ = b.WriteByte(byte(len(classes)))
	for _, c := range classes {
		_ = b.WriteByte(byte(len(c)))
		_, _ = b.WriteString(c)
	}
	_ = b.WriteByte(byte(logBuckets))
	for _, bucket := range buckets {
		slices.SortFunc(bucket, func(a, b Entry) int {
			return cmp.Or(cmp.Compare(uint16(hashKey(a.Key)), uint16(hashKey(b.Key))), cmp.Compare(a.Key, b.Key))
		})
		_ = b.WriteByte(byte(len(bucket)))
		for _, e := range bucket {
			var check [2]byte
			binary.LittleEndian.PutUint16(check[:], uint16(hashKey(e.Key)))
			_, _ = b.Write(check[:])
			if len(e.Weights) > MaxWeights {
				return fmt.Errorf("langid: write: %q has %d weights, more than %d", e.Key, len(e.Weights), MaxWeights)
			}
			_ = b.WriteByte(byte(len(e.Weights)))
			for _, v := range e.Weights {
				class := byte(v.Class)
				if v.Common {
					class |= common
				}
				_ = b.WriteByte(class)
				_ = b.WriteByte(byte(min(v.Value, MaxWeight)))
			}
		}
		if len(bucket) > 255 {
			return fmt.Errorf("langid: write: %d entries in one bucket", len(bucket))
		}
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("langid: write: %w", err)
	}
	return nil
}

// Read reads a model. What is not one, or is damaged so that it could not be looked into, is
// an error.
func Read(r io.Reader) (*Model, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxTable))
	if err != nil {
		return nil, fmt.Errorf("langid: read: %w", err)
	}
	return parse(data)
}

// parse makes a model of data, which it keeps.
func parse(data []byte) (*Model, error) {
	p := parser{data}
	m := &Model{digest: fmt.Sprintf("%.8x", sha256.Sum256(data))}
	if !m.header(&p) {
		return nil, errFormat
	}
	logBuckets := int(p.byte())
	if logBuckets < 1 || logBuckets > 24 {
		return nil, errFormat
	}
	m.table.shift = uint(64 - logBuckets)
	m.table.starts = make([]uint32, 0, 1<<logBuckets+1)
	m.table.data = p.rest
	size := len(p.rest)
	for range 1 << logBuckets {
		n := p.byte()
		m.table.starts = append(m.table.starts, uint32(size-len(p.rest)))
		for range n {
			head := p.take(3)
			if len(head) < 3 {
				return nil, errFormat
			}
			if head[2] > MaxWeights {
				return nil, errFormat
			}
			weights := p.take(2 * int(head[2]))
			for i := 0; i < len(weights); i += 2 {
				if int(weights[i]&^common) >= len(m.classes) {
					return nil, errFormat
				}
			}
		}
	}
	if p.rest == nil {
		return nil, errFormat
	}
	m.table.starts = append(m.table.starts, uint32(size-len(p.rest)+1))
	return m, nil
}

// header reads the names of the classes and finds out their languages.
func (m *Model) header(p *parser) bool {
	if string(p.take(len(magic))) != magic {
		return false
	}
	for range p.byte() {
		c := string(p.take(int(p.byte())))
		code, _, _ := strings.Cut(c, "/")
		m.classes, m.languages = append(m.classes, c), append(m.languages, code)
	}
	codes := m.languages
	m.languages = slices.Compact(slices.Sorted(slices.Values(codes)))
	for _, code := range codes {
		m.language = append(m.language, uint8(m.number(code)))
	}
	return p.rest != nil && len(m.classes) > 0 && len(m.classes) <= maxClasses
}

// parser takes a model apart; rest is nil once something was missing.
type parser struct{ rest []byte }

func (p *parser) take(n int) []byte {
	if p.rest == nil || n > len(p.rest) {
		p.rest = nil
		return nil
	}
	taken := p.rest[:n]
	p.rest = p.rest[n:]
	return taken
}

func (p *parser) byte() byte {
	if b := p.take(1); len(b) == 1 {
		return b[0]
	}
	return 0
}
