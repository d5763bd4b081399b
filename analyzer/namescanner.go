package analyzer

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"exclave/dict"
)

// nameScanner goes through the words of a text for names, which are told by their capital
// letters. Words are those of dict.Words, and shorter ones. It may be copied, and each copy goes
// on from there.
type nameScanner struct {
	text       string
	start, end int  // of the word in text
	capital    bool // it begins with a capital letter
	joined     bool // hardly anything but blanks or a hyphen is between it and the word before
	digits     bool // it holds digits, so it is no word
	marks      bool // it holds marks, so it may not be composed
}

// next goes on to the next word, and reports whether there is one.
func (s *nameScanner) next() bool {
	at, gap := s.end, s.end
	s.joined = true
	for at < len(s.text) {
		if s.text[at] == ' ' {
			at++
			continue
		}
		r, size := decode(s.text[at:])
		if isWordRune(r) {
			break
		}
		switch r {
		case '\u00a0', '-', '\u2011', '\'', '’', '.':
		default:
			s.joined = false
		}
		at += size
	}
	s.joined = s.joined && at-gap <= maxGap
	s.start, s.capital, s.digits, s.marks = at, false, false, false
	for at < len(s.text) {
		if c := s.text[at]; c < utf8.RuneSelf { // most of a text
			if c |= 0x20; 'a' <= c && c <= 'z' {
				if at == s.start {
					s.capital = s.text[at] != c
				}
			} else if '0' <= c && c <= '9' && s.text[at] == c {
				s.digits = true
			} else {
				break
			}
			at++
			continue
		}
		r, size := decode(s.text[at:])
		if !isWordRune(r) {
			break
		}
		if at == s.start {
			s.capital = unicode.IsUpper(r) || unicode.IsTitle(r)
		}
		if r >= firstMark {
			s.digits = s.digits || unicode.IsDigit(r)
			s.marks = s.marks || unicode.Is(unicode.M, r)
		}
		at += size
	}
	s.end = at
	return s.end > s.start
}

const (
	firstMark  = 0x300
	softHyphen = '\u00ad'
	maxGap     = 3 // bytes between two words of a name
)

func decode(s string) (rune, int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	return utf8.DecodeRuneInString(s)
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9'
	}
	if 0xc0 <= r && r < 0x250 { // Latin
		return r != '×' && r != '÷'
	}
	return unicode.IsLetter(r) || r >= firstMark && (unicode.Is(unicode.M, r) || unicode.IsDigit(r)) || r == softHyphen
}

// appendWord appends the word in normal form to b, nil when it is none: it holds digits, or is
// longer than a word.
func (s *nameScanner) appendWord(b []byte) []byte {
	if s.digits || s.end-s.start > 2*dict.MaxWord {
		return nil
	}
	n := len(b)
	for at := s.start; at < s.end; {
		r, size := decode(s.text[at:])
		if at += size; r != softHyphen {
			b = utf8.AppendRune(b, unicode.ToLower(r))
		}
	}
	if s.marks {
		b = append(b[:n], norm.NFC.Bytes(b[n:])...)
	}
	return b
}
