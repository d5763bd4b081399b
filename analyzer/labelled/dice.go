package labelled

import (
	"encoding/binary"
	"hash/fnv"
	"strings"
)

// dice are the choices made for one page: the same for the same page, whatever is added to
// the set.
type dice string

// n returns a number below most, for the question what.
func (d dice) n(what string, most int) int {
	h := fnv.New64a()
	_, _ = h.Write([]byte(string(d) + "\x00" + what))
	// The low bits of FNV of similar strings are similar; one more round of mixing is enough.
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], h.Sum64())
	h.Reset()
	_, _ = h.Write(b[:])
	return int((h.Sum64() >> 17) % uint64(most))
}

// share reports true for percent of the pages.
func (d dice) share(what string, percent int) bool { return d.n(what, 100) < percent }

// fill replaces each # of a pattern by a digit.
func (d dice) fill(what, pattern string) string {
	var b strings.Builder
	for i, r := range pattern {
		if r == '#' {
			r = rune('0' + d.n(what+string(rune('a'+i%64)), 10))
		}
		b.WriteRune(r)
	}
	return b.String()
}

// oneOf returns one of some values.
func oneOf[T any](d dice, what string, of ...T) T { return of[d.n(what, len(of))] }
