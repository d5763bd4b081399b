package markup

import (
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// What a declaration must be contradicted by before it is not believed.
const (
	minHigh   = 6    // letters beyond ASCII, of a body in a single-byte charset, unless one cannot be in a word
	minUTF8   = 3    // sequences of a body that is UTF-8 throughout, unless they split words
	minBroken = 2    // broken sequences of a body that is called UTF-8 and has others
	margin    = 0.8  // by how much a letter must be likelier, in another charset
	likely    = -3.6 // how likely a letter is on average where text is language at all

	alphabetMargin = 0.3 // as margin, between charsets of an alphabet of its own
	sameMargin     = 0.1 // as margin, in another charset of the same language
	sameLeast      = 4.0 // by how much all letters together must be likelier there
)

// contradicted returns the charset of a page that is not in the one it declares, by the letters
// of its text, and "" when the declaration can be true. Only charsets whose letters
// are known are doubted.
func contradicted(body []byte, declared, lang string) string {
	body = body[:min(len(body), detectSize)]
	n := countUTF8(body)
	switch {
	case declared == "utf-8":
		// Of the two, broken characters are worse than those of a guess.
		if n.broken == 0 || n.valid >= n.broken || n.broken < minBroken && n.valid > 0 {
			return ""
		}
	case n.broken == 0 && (n.valid >= minUTF8 || n.valid > 0 && splitsWord(body)), n.oneDamaged():
		// No text in a single-byte charset is UTF-8 by accident.
		if doubtful(declared) || singleByteName(declared) {
			return "utf-8"
		}
		return ""
	case !doubtful(declared):
		return ""
	}
	c := countHigh(body)
	if c.total == 0 {
		return ""
	}
	g, rows := guess(c, lang, declared), inRow(body) > c.total/2
	if g.score < likely*float64(c.total) || alphabet(g.charset) != rows || declared != "utf-8" && !g.beats(c.total, declared, rows) {
		return ""
	}
	return g.charset
}

// beats reports whether the guess is so much better than the declared charset, for total letters, that
// this is not believed. rows is whether letters beyond ASCII follow each other, as in an alphabet of its own.
func (g guessed) beats(total int, declared string, rows bool) bool {
	n, better := float64(total), g.score-g.declared
	switch {
	case alphabet(declared) && !rows:
		return true
	case total < minHigh: // only what cannot be a word counts
		return g.broken > 0 && better >= sameLeast
	case alphabet(declared):
		return better >= max(2*sameLeast, alphabetMargin*n)
	// Of the same language in both, other letters are enough.
	case g.declared == g.same && better >= max(sameLeast, sameMargin*n):
		return true
	}
	return better >= margin*n
}

// splitsWord reports whether a small letter is followed by a character of two bytes: in charsets of one byte
// the first of these is a capital.
func splitsWord(b []byte) bool {
	for i := 1; i < len(b); i++ {
		if b[i] >= 0xc3 && b[i] < 0xd2 && 'a' <= b[i-1] && b[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// doubtful reports whether detection knows the letters of the languages that use a charset.
func doubtful(name string) bool {
	switch name {
	case "windows-1250", "windows-1251", "windows-1252", "windows-1254", "windows-1257", "iso-8859-2", "iso-8859-5", "koi8-r", "koi8-u", "ibm852", "x-mac-ce":
		return true
	}
	return false
}

// alphabet reports whether text in a charset is written in letters beyond ASCII altogether, and
// not with some among those of ASCII.
func alphabet(charset string) bool {
	switch charset {
	case "windows-1251", "windows-1253", "iso-8859-5", "koi8-r", "koi8-u":
		return true
	}
	return false
}

// inRow counts bytes above 0x7F that follow another one.
func inRow(b []byte) (n int) {
	for i := 1; i < len(b); i++ {
		if b[i] >= 0x80 && b[i-1] >= 0x80 {
			n++
		}
	}
	return n
}

// twiceSample is how many runs of characters beyond ASCII tell whether a body is UTF-8 coded
// twice, and twiceLeast how many of them there must be.
const (
	twiceSample = 24
	twiceLeast  = 3
)

// twice undoes UTF-8 that was taken for windows-1252 or windows-1250 and coded as UTF-8 once
// more; nil when body is none such. body is valid UTF-8. A body in order is looked at up to
// its first characters beyond ASCII.
func twice(body []byte) []byte {
	for _, m := range [...]*charmap.Charmap{charmap.Windows1252, charmap.Windows1250} {
		if codedTwice(body, m) {
			return undoTwice(body, m)
		}
	}
	return nil
}

func codedTwice(body []byte, m *charmap.Charmap) bool {
	var runs, undone int
	var buf [64]byte
	for rest := body; runs < twiceSample; {
		var run []byte
		if run, rest = highRun(rest); run == nil {
			break
		}
		runs++
		if _, ok := undo(buf[:0], run, m); ok {
			undone++
		}
		if runs-undone > 3 {
			return false
		}
	}
	return undone >= twiceLeast && runs-undone <= undone/8
}

// highRun returns the first run of bytes beyond ASCII in b, nil when there is none, and what follows it.
func highRun(b []byte) (run, rest []byte) {
	i := 0
	for i < len(b) && b[i] < utf8.RuneSelf {
		i++
	}
	j := i
	for j < len(b) && b[j] >= utf8.RuneSelf && j-i < 60 {
		j++
	}
	for j < len(b) && !utf8.RuneStart(b[j]) { // cut at a character
		j++
	}
	if i == j {
		return nil, nil
	}
	return b[i:j], b[j:]
}

// undo appends the bytes that run stood for to out, when they are UTF-8.
func undo(out, run []byte, m *charmap.Charmap) ([]byte, bool) {
	from := len(out)
	for len(run) > 0 {
		r, n := utf8.DecodeRune(run)
		run = run[n:]
		c, ok := m.EncodeRune(r)
		if !ok {
			if r < 0x80 || r > 0x9f { // what the charset lacks is coded as it is
				return out, false
			}
			c = byte(r)
		}
		out = append(out, c)
	}
	return out, utf8.Valid(out[from:])
}

// undoTwice undoes all runs that can be; a page may be made of parts.
func undoTwice(body []byte, m *charmap.Charmap) []byte {
	out := make([]byte, 0, len(body))
	for rest := body; ; {
		run, after := highRun(rest)
		if run == nil {
			return append(out, rest...)
		}
		out = append(out, rest[:len(rest)-len(run)-len(after)]...)
		from := len(out)
		if o, ok := undo(out, run, m); ok {
			out = o
		} else {
			out = append(out[:from], run...)
		}
		rest = after
	}
}
