package dict

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Class says what a word of a list tells about the language of a text.
type Class uint8

// The classes, from the one that tells most to the one that tells least.
const (
	Exclusive Class = iota // only this language has the word
	ASCII                  // a word of this language without its diacritics, which no other one has in any form
	Shared                 // one neighbour has the word, too, and no other language

	NumClasses = 3
)

// Word is a word in normal form, and its class.
type Word struct {
	Text  string
	Class Class
}

// Classes returns the names of all classes.
func Classes() []string { return []string{"exclusive", "ascii", "shared"} }

// String returns the name of a class, as lists and profiles have it.
func (c Class) String() string { return Classes()[c] }

// ParseClass returns the class of that name; Exclusive, when there is none.
func ParseClass(name string) (Class, bool) {
	for c, n := range Classes() {
		if n == name {
			return Class(c), true
		}
	}
	return Exclusive, false
}

// A word in List.words ends with the mark of its class, a character that is in no word.
const firstMark = '\n'

func (c Class) mark() byte { return firstMark + byte(c) }

func isMark(b byte) bool { return b-firstMark < NumClasses }

func classOfMark(b byte) Class { return Class(b - firstMark) }

// ToASCII returns a word in normal form as it is written without diacritics, and whether it
// can be: only Latin letters can.
func ToASCII(word string) (string, bool) {
	out := make([]byte, 0, len(word))
	for _, r := range norm.NFD.String(word) {
		switch {
		case r < 0x80:
			out = append(out, byte(r))
		case classOf(r) == mark:
		default:
			plain, ok := plainLetters().of(r)
			if !ok {
				return "", false
			}
			out = append(out, plain...)
		}
	}
	return string(out), true
}

type letterPairs string

// plainLetters are the letters that normal form D does not take apart, and what is written
// for them.
func plainLetters() letterPairs {
	return "ł l,đ d,ø o,æ ae,œ oe,ß ss,ı i,ð d,þ th,ŧ t,ħ h,ŋ n"
}

func (p letterPairs) of(r rune) (string, bool) {
	_, rest, ok := strings.Cut(string(p), string(r)+" ")
	if !ok {
		return "", false
	}
	plain, _, _ := strings.Cut(rest, ",")
	return plain, true
}
