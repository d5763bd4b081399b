package verify

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"
)

// A log is cut into whole lines whatever their length and the size of the pieces; a line longer than any that a
// crawl writes is not held, but counted, and those behind it have their numbers.
func TestLineReader(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string // number, then the line or a mark
	}{
		{"", nil},
		{"a\nbb\n", []string{"1 a\n", "2 bb\n"}},
		{"a\nno end", []string{"1 a\n", "2 no end"}},
		{"\n\n", []string{"1 \n", "2 \n"}},
		{"a\n" + strings.Repeat("x", 300) + "\nb\nc\n", []string{"1 a\n", "2 long", "3 b\n", "4 c\n"}},
		{strings.Repeat("x", 300), []string{"1 long"}},
		{strings.Repeat("x", 300) + "\n" + strings.Repeat("y", 300) + "\n", []string{"1 long", "2 long"}},
	} {
		for _, size := range []int{1, 7, 50} {
			r := lineReader{in: strings.NewReader(c.text), size: size, most: 60, free: make(chan []byte, 1)}
			var got []string
			if err := r.all(func(b batch) error {
				if b.long {
					got = append(got, fmt.Sprintf("%d long", b.first))
					return nil
				}
				n := b.first
				for line := range strings.Lines(string(b.data)) {
					got = append(got, fmt.Sprintf("%d %s", n, line))
					n++
				}
				r.done(b.data)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, c.want) || r.lines != int64(len(c.want)) || r.n != int64(len(c.text)) ||
				r.crc != crc32.Checksum([]byte(c.text), crc32.MakeTable(crc32.Castagnoli)) {
				t.Errorf("%.20q in pieces of %d: %q, %d lines, %d bytes", c.text, size, got, r.lines, r.n)
			}
		}
	}
}
