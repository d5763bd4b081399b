package analyzer

import (
	"strings"
	"unicode/utf8"
)

// Reaches of what is looked at around a national number, in bytes.
const (
	contactReach = 120 // for a contact near a number without a label
	afterReach   = 24  // for what a number is an amount of
)

// nationalNumber returns the national number at text[at:] as +420123456789, and where it ends,
// when what stands around it says that it is a telephone: a label before it, a number
// that ended at last with only a comma between, or, in the way telephones are
// grouped, a contact near by. "" = none.
func (s phone) nationalNumber(c *candidate, text string, at, last int) (number string, stop int) {
	if c.n < minNational {
		return "", 0
	}
	labelled := s.labels.before(text, at) || last >= 0 && chained(text[last:at])
	if !labelled && !c.grouped() {
		return "", 0
	}
	number, stop = s.matchNational(c, labelled)
	if number == "" || amount(text[stop:]) {
		return "", 0
	}
	if !labelled && (!free(text[:at], text[stop:]) || !contactNear(text, at, stop)) {
		return "", 0
	}
	return number, stop
}

// matchNational returns the national number that c begins with, or is all of unless it was
// announced: the longest that ends with a group of digits. Before it stands the trunk prefix,
// where there is one; or the country code without a plus, when it was announced.
func (s phone) matchNational(c *candidate, announced bool) (number string, stop int) {
	for i := c.groups - 1; i >= 0; i-- {
		d := c.digits[:c.ends[i]]
		if len(d) > maxPhone {
			continue
		}
		for _, prefix := range [...]string{s.trunk, s.code} {
			if rest, ok := strings.CutPrefix(string(d), prefix); ok && s.national.MatchString(rest) {
				return "+" + s.code + rest, c.stops[i]
			}
			if !announced {
				return "", 0
			}
		}
	}
	return "", 0
}

// grouped reports groups as telephones have them, and neither dates, accounts nor part
// numbers: three or more of two or three digits, one sign between; the first has the trunk
// prefix, too.
func (c *candidate) grouped() bool {
	if c.groups < 3 || !c.blank {
		return false
	}
	for i, from := 0, 0; i < c.groups; i++ {
		if n := c.ends[i] - from; n < 2 || n > 3 && (i > 0 || n > 4) {
			return false
		}
		from = c.ends[i]
	}
	return true
}

// chained reports that between, after a number, leads to the next one.
func chained(between string) bool {
	if len(between) > labelGap {
		return false
	}
	between = strings.Trim(between, " \t")
	return len(between) == 1 && strings.Contains(",;/|\n", between)
}

// amount reports that a number is no telephone by what follows: a letter or digit that
// belongs to it, a bank's code, a currency, a percentage.
func amount(after string) bool {
	after = cut(after, afterReach)
	r, size := utf8.DecodeRuneInString(after)
	if after == "" {
		return false
	}
	if wordRune(r) || r == '@' || r == '_' {
		return true
	}
	if strings.ContainsRune("/.,-", r) && digitAt(after, size) {
		// Another number may follow: 123456789/0800 is an account, 1,50 an amount.
		n := 0
		for digitAt(after, size+n) {
			n++
		}
		return r != '/' && r != '-' && n <= 2 || r == '/' && n == 4
	}
	unit, _ := currency{}.unitAfter(after)
	return unit != "" || strings.HasPrefix(strings.TrimLeft(after, " "), "%")
}

// free reports that a number without a label is nothing's: it begins a line, a cell or an item,
// and ends one or comes before another contact.
func free(before, after string) bool {
	t := strings.TrimRight(before, " ")
	if r, _ := utf8.DecodeLastRuneInString(t); t != "" && !strings.ContainsRune(",;|\n\t", r) {
		return false
	}
	a := strings.TrimLeft(cut(after, afterReach*2), " ")
	if r, _ := utf8.DecodeRuneInString(a); a == "" || strings.ContainsRune(",;|\n\t)", r) {
		return true
	}
	return strings.ContainsRune(word(a), '@')
}

// contactNear reports an address near a number.
func contactNear(text string, at, stop int) bool {
	return strings.Contains(text[max(0, at-contactReach):at], "@") || strings.Contains(cut(text[stop:], contactReach), "@")
}
