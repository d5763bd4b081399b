package markup

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Bytes are looked through eight at a time where most of them say nothing: of those in a word that is compared with one byte eight times
// over, the highest bit of the first that is alike is the lowest that is set (Hacker's Delight, 6-1).

const (
	eachLow  = 0x0101010101010101
	eachHigh = 0x8080808080808080
)

func eight(s []byte) uint64 { return binary.LittleEndian.Uint64(s) }

// zeros marks the bytes that are 0; what is above the first of them may be wrong.
func zeros(w uint64) uint64 { return (w - eachLow) &^ w & eachHigh }

// asciiLen is how many bytes of ASCII s begins with.
func asciiLen(s []byte) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if high := eight(s[i:]) & eachHigh; high != 0 {
			return i + bits.TrailingZeros64(high)/8
		}
	}
	for ; i < len(s) && s[i] < utf8.RuneSelf; i++ {
	}
	return i
}

// blankLen is how many bytes s begins with that are a blank or below it.
func blankLen(s []byte) int {
	i := 0
	for i+8 <= len(s) {
		w := eight(s[i:])
		if (w&^eachHigh+('\x7F'-' ')*eachLow|w)&eachHigh != 0 {
			break
		}
		i += 8
	}
	for ; i < len(s) && s[i] <= ' '; i++ {
	}
	return i
}

// insideLen is how many bytes s begins with that are neither the quote nor a backslash nor the end of a line.
func insideLen(s []byte, quote byte) int {
	quotes := uint64(quote) * eachLow
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := eight(s[i:])
		found := zeros(w^quotes) | zeros(w^('\\'*eachLow)) | (w-0x0E*eachLow)&^w&eachHigh // the last: below 0x0E
		if found == 0 {
			continue
		}
		if at := i + bits.TrailingZeros64(found)/8; ends(s[at], quote) {
			return at
		}
		for end := i + 8; i < end; i++ {
			if ends(s[i], quote) {
				return i
			}
		}
		i -= 8
	}
	for ; i < len(s) && !ends(s[i], quote); i++ {
	}
	return i
}

func ends(c, quote byte) bool { return c == quote || c == '\\' || c == '\n' || c == '\r' }

// quoteOrEnd is where the first quote or end of a tag in s is, its length when there is none.
func quoteOrEnd(s []byte) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := eight(s[i:])
		if found := zeros(w^('>'*eachLow)) | zeros(w^('"'*eachLow)) | zeros(w^('\''*eachLow)); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(s) && s[i] != '>' && s[i] != '"' && s[i] != '\''; i++ {
	}
	return i
}
