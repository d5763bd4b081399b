package analyzer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A word is taken for a part of a proper name when it begins with a capital beside another one, where no sentence, line
// or cell begins, or when it begins one in which there are capitals only, as in a list of people. Names are the same
// in every language, so the words that surnames are made of say nothing of the language of a page. A capital alone
// within a line is more often the beginning of what was a line of its own.

// nearWords is how many words around one are looked at, so that a list without any line does not
// cost its length for each word.
const nearWords = 8

// letterCase is how a word is written.
type letterCase uint8

const (
	smallLetters letterCase = iota // or a script without capitals
	capitalized
	allCapitals
	twoLetters // with a capital, as many units have: never a name, and makes no list of names
)

// names returns of each of the different words of the page, how often it is a part of a proper name; nil when none is
// ever. They are found once for all searchers.
func (p *Page) names() []uint32 {
	w := p.split()
	if w.named {
		return w.names
	}
	w.named, w.names = true, w.names[:0]
	order, at := w.Order(), w.From()
	for i, n := range order {
		text, from := p.Title, at[:w.title]
		if i >= w.title {
			text, from, i = p.Text, at[w.title:], i-w.title
		}
		if c := text[from[i]]; c < utf8.RuneSelf && (c < 'A' || c > 'Z') || !properName(text, from, i) {
			continue // most words begin with a small letter
		}
		if len(w.names) == 0 {
			w.names = slices.Grow(w.names, w.Len())[:w.Len()]
			clear(w.names)
		}
		w.names[n]++
	}
	if len(w.names) == 0 {
		return nil
	}
	return w.names
}

// properName reports whether word i of those that begin at the places of a text is a part of a proper name.
func properName(text string, at []uint32, i int) bool {
	switch caseOf(text[at[i]:]) {
	case capitalized:
		if begins(text, int(at[i])) != inside {
			break
		}
		if i > 0 && caseOf(text[at[i-1]:]) != smallLetters {
			return true
		}
		return i+1 < len(at) && begins(text, int(at[i+1])) == inside && caseOf(text[at[i+1]:]) != smallLetters
	case allCapitals: // a heading, or the surname beside a first name
	default:
		return false
	}
	others := false // with a capital
	for j := i; j > 0 && j > i-nearWords && begins(text, int(at[j])) < line; j-- {
		switch caseOf(text[at[j-1]:]) {
		case smallLetters:
			return false
		case capitalized:
			others = true
		}
	}
	for j := i + 1; j < len(at) && j <= i+nearWords && begins(text, int(at[j])) < line; j++ {
		switch caseOf(text[at[j]:]) {
		case smallLetters:
			return false
		case capitalized:
			others = true
		}
	}
	return others
}

// caseOf says how the word is written that text begins with.
func caseOf(text string) letterCase {
	r, n := utf8.DecodeRuneInString(text)
	if r >= utf8.RuneSelf && !unicode.IsUpper(r) && !unicode.IsTitle(r) || r < utf8.RuneSelf && (r < 'A' || r > 'Z') {
		return smallLetters
	}
	letters, small := 1, false
	for _, r := range text[n:] {
		switch {
		case unicode.IsLetter(r):
			small = small || letters == 1 && !unicode.IsUpper(r)
			if letters++; letters > 2 && small {
				return capitalized
			}
			if letters > 2 {
				return allCapitals
			}
		case !unicode.Is(unicode.M, r) && r != '\u00ad':
			return twoLetters
		}
	}
	return twoLetters
}

// standing is where a word stands.
type standing uint8

const (
	inside standing = iota
	cell            // the first one of a cell of a table
	line            // the first one of a sentence or a line
)

// begins says what the word at text[at] is the first one of. A full stop
// ends none after an initial or a short title ("J.", "Ing."), nor any sign between digits ("6:4").
func begins(text string, at int) standing {
	before, tab := text[:at], inside
	for len(before) > 0 {
		r, n := utf8.DecodeLastRuneInString(before)
		rest := before[:len(before)-n]
		switch {
		case unicode.IsLetter(r), unicode.Is(unicode.M, r):
			return tab
		case r == '\t':
			tab = cell
		case r == '.' || r == ':':
			if next, _ := utf8.DecodeRuneInString(text[len(before):]); unicode.IsDigit(next) {
				break
			}
			if r == ':' || !abbreviated(rest) {
				return line
			}
		case strings.ContainsRune("\n\r!?;|/*>\"…•·●■▪»«“”„‹›", r):
			return line
		}
		before = rest
	}
	return line
}

// maxTitle is how many letters a title before a name has, written with a capital.
const maxTitle = 3

// abbreviated reports whether a text ends with an initial or a short title.
func abbreviated(text string) bool {
	first := rune(0)
	for n := 0; ; n++ {
		r, size := utf8.DecodeLastRuneInString(text)
		if size == 0 || !unicode.IsLetter(r) {
			return unicode.IsUpper(first)
		}
		if n == maxTitle {
			return false
		}
		first, text = r, text[:len(text)-size]
	}
}
