package live

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"exclave/internal/job/progress"
	"exclave/internal/printable"
)

// maxMarks is how many marks without a width of their own a character may carry.
const maxMarks = 4

// columns is how many columns of a terminal a printable rune takes.
func columns(r rune) int {
	if r < 0x300 { // most of what there is
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// cut returns the beginning of s that fits into the given number of columns, with
// an ellipsis when something is missing. What is not printable, and would move the
// cursor, turn the text around or start a command of the terminal, is replaced.
func cut(s string, most int) string {
	var b strings.Builder
	used, marks := 0, 0
	keep, full := 0, false // length of b that leaves room for the ellipsis
	for _, r := range s {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			r = unicode.ReplacementChar
		}
		n := columns(r)
		if n == 0 {
			if marks++; marks > maxMarks || used == 0 {
				continue
			}
		} else {
			marks = 0
		}
		if used+n > most {
			full = true
			break
		}
		if n > 0 && used+n <= most-1 || n == 0 && used <= most-1 {
			keep = b.Len() + utf8.RuneLen(r)
		}
		b.WriteRune(r)
		used += n
	}
	if !full || most < 1 {
		return b.String()
	}
	return b.String()[:keep] + "…"
}

// widthOf is how many columns a text made by cut takes.
func widthOf(s string) int {
	n := 0
	for _, r := range s {
		n += columns(r)
	}
	return n
}

// cell is s in exactly n columns.
func cell(s string, n int) string {
	s = cut(s, n)
	return s + strings.Repeat(" ", max(0, n-widthOf(s)))
}

// Number prints n with its thousands apart, as all texts for people do: 1,234,567.
func Number(n int64) string {
	s := strconv.FormatInt(n, 10)
	first := 0
	if n < 0 {
		first = 1
	}
	for i := len(s) - 3; i > first; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func rateOf(r progress.Rate) string {
	return fmt.Sprintf("%.1f URIs/s %s/s", r.URIs, printable.Size(int64(r.Bytes)))
}

// hours prints a long duration as h:mm:ss.
func hours(d time.Duration) string {
	s := max(0, int64(d/time.Second))
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// short prints a duration in at most seven columns.
func short(d time.Duration) string {
	switch {
	case d < 0:
		return "0 s"
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d h", d/time.Hour)
}
