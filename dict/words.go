package dict

import (
	"iter"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MinWord and MaxWord bound the length of a word in letters: a single letter
// tells nothing about a language, and a longer run is no word.
const (
	MinWord = 2
	MaxWord = 40
)

// maxRaw bounds the bytes kept of a run of letters and marks, so that a text
// of marks alone cannot grow the buffer: MaxWord letters of four bytes, and as
// many marks.
const maxRaw = 8 * MaxWord

// softHyphen marks where a word may be broken; it is no part of the word.
const softHyphen = '\u00ad'

// Words yields the words of text in the order of the text, in normal form. A
// word is a longest run of letters (Unicode L) and marks (M), MinWord to
// MaxWord letters long, that touches no digit: "covid19" is no word, a hyphen or an
// apostrophe ends one, a soft hyphen is left out. Shorter and longer runs are left out. The slice yielded
// is valid until the next step. Bytes that are not UTF-8 end a word.
func Words(text string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for s := (scanner{text: text, out: make([]byte, 0, maxRaw+utf8.UTFMax)}); s.next(); s.out = s.out[:0] {
			if !yield(s.out) {
				return
			}
		}
	}
}

// scanner finds the words of a text.
type scanner struct {
	text     string
	i        int    // where it has come to
	from     int    // where the word begins
	out      []byte // the word, from start on
	start    int
	composed []byte
}

// next finds the next word; without one nothing is behind start.
func (s *scanner) next() bool {
	text, out, start := s.text, s.out[:s.start], s.start
	letters, plain, digits := 0, true, false
	for i := s.i; ; {
		if len(out) == start {
			s.from = i
		}
		// Most of a text is runs of small Latin letters.
		for i < len(text) && len(out)-start < maxRaw {
			c := text[i] | 0x20
			if c < 'a' || c > 'z' {
				break
			}
			out = append(out, c)
			letters++
			i++
		}
		if i < len(text) {
			r, size := rune(text[i]), 1
			switch {
			case r < utf8.RuneSelf:
			case 0xc3 <= r && r < 0xc6 && i+1 < len(text) && text[i+1]&0xc0 == 0x80: // most of what is not ASCII
				r, size = (r&0x1f)<<6|rune(text[i+1]&0x3f), 2
			default:
				r, size = utf8.DecodeRuneInString(text[i:])
			}
			i += size
			switch class := classOf(r); {
			case class == letter || class == mark && len(out) > start:
				if len(out)-start < maxRaw {
					out = utf8.AppendRune(out, lower(r))
				}
				if class == letter {
					letters++
				}
				plain = plain && r < 0x300
				continue
			case class == digit:
				digits = true
				continue
			case r == softHyphen:
				continue
			case len(out) == start && !digits:
				continue
			}
		}
		ok := !digits && letters >= MinWord && letters <= MaxWord && len(out)-start < maxRaw
		if ok && !plain && !norm.NFC.IsNormal(out[start:]) {
			s.composed = norm.NFC.Append(s.composed[:0], out[start:]...)
			out = append(out[:start], s.composed...)
		}
		if ok || i >= len(text) {
			if !ok {
				out = out[:start]
			}
			s.i, s.out = i, out
			return ok
		}
		out = out[:start]
		letters, plain, digits = 0, true, false
	}
}

// Normalize returns the normal form of a word: lower case, NFC.
func Normalize(word string) string {
	b := make([]byte, 0, len(word))
	for _, r := range word {
		b = utf8.AppendRune(b, lower(r))
	}
	return string(norm.NFC.Bytes(b))
}

// IsWord reports whether Words would yield s, and s alone, from s.
func IsWord(s string) bool {
	for w := range Words(s) {
		return string(w) == s
	}
	return false
}

type class uint8

const (
	other class = iota
	letter
	mark
	digit
)

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
			return letter
		case '0' <= r && r <= '9':
			return digit
		}
		return other
	case 0xc0 <= r && r < 0x250: // most of what is not ASCII; the rest is a search in tables
		if r == '×' || r == '÷' {
			return other
		}
		return letter
	case unicode.IsLetter(r):
		return letter
	case unicode.Is(unicode.M, r):
		return mark
	case unicode.IsDigit(r):
		return digit
	}
	return other
}

func lower(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}
	switch { // most of what is not ASCII; the rest is a search in tables
	case 0xdf <= r && r < 0x100:
		return r
	case 0xc0 <= r && r < 0xdf && r != '×':
		return r + 0x20
	case 0x100 <= r && r < 0x130, 0x14a <= r && r < 0x178: // pairs, the small one odd
		return r | 1
	case 0x139 <= r && r < 0x149, 0x179 <= r && r < 0x17f: // pairs, the small one even
		return r + r&1
	}
	return unicode.ToLower(r)
}
