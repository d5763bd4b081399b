package analyzer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"exclave/internal/conf"
)

// labels are words that say what the number behind them is ("tel", "PSČ"). Case
// does not count.
type labels []string

// Bounds of the text in which a label is looked for, in bytes.
const (
	labelReach = 80 // before a number
	labelGap   = 8  // signs between a label and its number
)

// validate returns every label that cannot be.
func (l labels) validate(key string) (ps conf.Problems) {
	for i, s := range l {
		ps.Check(strings.TrimSpace(s) == s && s != "" && len(s) <= 40, conf.Element(key, i), "%q: a word of at most 40 bytes is wanted", s)
		ps.Check(strings.TrimRight(s, labelSigns) == s, conf.Element(key, i), "%q: write it without the sign behind it", s)
	}
	return ps
}

// labelSigns may stand between a label and its number.
const labelSigns = " \t\n\r\u00a0.:()[]|,;=/\u00b7*\"'>-\u2013\u2014"

// before reports whether a label belongs to what begins at text[at:]. It stands directly before
// it ("Tel./fax: 1"), with a remark in parentheses between ("Mobil (office): 1"), or begins
// what stands before the colon ("Phone of the office: 1").
func (l labels) before(text string, at int) bool {
	s := text[max(0, at-labelReach):at]
	if prev, ok := strings.CutSuffix(s, "+"); ok {
		s = prev
	}
	t, signs := trimSigns(s)
	if l.ends(t, signs) {
		return true
	}
	if strings.Contains(signs, ")") {
		if i := strings.LastIndexByte(t, '('); i >= 0 {
			return l.ends(trimSigns(t[:i]))
		}
	}
	if !strings.Contains(signs, ":") {
		return false
	}
	if i := strings.LastIndexAny(t, "\n\t,;|"); i >= 0 {
		return l.begins(strings.TrimLeft(t[i+1:], " "))
	}
	return len(s) < labelReach && l.begins(t) // else the beginning is out of reach
}

// trimSigns cuts the signs that may stand behind a label off s.
func trimSigns(s string) (rest, signs string) {
	rest = s
	for rest != "" {
		r, size := rune(rest[len(rest)-1]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeLastRuneInString(rest)
		} else if isAlnum(byte(r)) {
			break // as most are
		}
		if r == utf8.RuneError && size == 1 || !strings.ContainsRune(labelSigns, r) {
			break
		}
		rest = rest[:len(rest)-size]
	}
	if len(s)-len(rest) > 2*labelGap {
		return "", ""
	}
	return rest, s[len(rest):]
}

// ends reports whether s ends with a label. One letter is a label only with a colon or dot
// behind it.
func (l labels) ends(s, signs string) bool {
	if s == "" {
		return false
	}
	last := s[len(s)-1]
	for _, label := range l {
		// Nearly all are told apart by their last byte, in whatever case. Of what is not ASCII only K (Kelvin) and İ have
		// a small letter that is.
		c, d := label[len(label)-1]|0x20, last|0x20
		if (c < utf8.RuneSelf || d < utf8.RuneSelf) && c != d && (min(c, d) != 'k' && min(c, d) != 'i' || max(c, d) < utf8.RuneSelf) {
			continue
		}
		before, ok := cutSuffixFold(s, label)
		if !ok || utf8.RuneCountInString(label) == 1 && isWord(label) && !strings.ContainsAny(signs, ":.") {
			continue
		}
		if r, _ := utf8.DecodeLastRuneInString(before); before == "" || !isWord(label) || !wordRune(r) {
			return true
		}
	}
	return false
}

// begins reports whether s begins with a label of more than one letter, and is no longer than
// one line of a form.
func (l labels) begins(s string) bool {
	if len(s) > labelReach/2 {
		return false
	}
	for _, label := range l {
		if rest, ok := cutPrefixFold(s, label); ok && len(label) > 2 {
			if r, _ := utf8.DecodeRuneInString(rest); rest == "" || !wordRune(r) {
				return true
			}
		}
	}
	return false
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isWord tells words from signs such as ☎.
func isWord(label string) bool {
	r, _ := utf8.DecodeRuneInString(label)
	return unicode.IsLetter(r)
}

// cutSuffixFold is strings.CutSuffix for any case of letters.
func cutSuffixFold(s, suffix string) (string, bool) {
	for suffix != "" {
		if n, m := len(s)-1, len(suffix)-1; n >= 0 && s[n] < utf8.RuneSelf && suffix[m] < utf8.RuneSelf {
			if !sameLetter(s[n], suffix[m]) {
				return s, false
			}
			s, suffix = s[:n], suffix[:m]
			continue
		}
		a, n := utf8.DecodeLastRuneInString(s)
		b, m := utf8.DecodeLastRuneInString(suffix)
		if n == 0 || unicode.ToLower(a) != unicode.ToLower(b) {
			return s, false
		}
		s, suffix = s[:len(s)-n], suffix[:len(suffix)-m]
	}
	return s, true
}

// cutPrefixFold is strings.CutPrefix for any case of letters.
func cutPrefixFold(s, prefix string) (string, bool) {
	for prefix != "" {
		if s != "" && s[0] < utf8.RuneSelf && prefix[0] < utf8.RuneSelf {
			if !sameLetter(s[0], prefix[0]) {
				return s, false
			}
			s, prefix = s[1:], prefix[1:]
			continue
		}
		a, n := utf8.DecodeRuneInString(s)
		b, m := utf8.DecodeRuneInString(prefix)
		if n == 0 || unicode.ToLower(a) != unicode.ToLower(b) {
			return s, false
		}
		s, prefix = s[n:], prefix[m:]
	}
	return s, true
}

// sameLetter reports whether two ASCII characters are the same in some case.
func sameLetter(a, b byte) bool {
	return a == b || a|0x20 == b|0x20 && 'a' <= a|0x20 && a|0x20 <= 'z'
}
