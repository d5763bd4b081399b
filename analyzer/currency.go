package analyzer

import (
	"context"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"exclave/internal/conf"
)

// currency counts amounts of money in the text: a number with a sign, code or word of a
// currency before or after it. Valid are those in one of the profile's units.
type currency struct {
	units []string
}

// currencyOptions are those of the kind "currency".
type currencyOptions struct {
	Units []string `toml:"units,required"` // signs, codes and words in any case; ",-" for amounts that end so and name no other
}

// Bounds of an amount in bytes: of its unit, and of its digits with what groups them.
const (
	maxUnit   = 16
	maxAmount = 32
)

// Validate returns every value that cannot be.
func (o *currencyOptions) Validate() (ps conf.Problems) {
	ps.Check(len(o.Units) > 0, "units", "is empty")
	for i, u := range o.Units {
		ok := u == dashUnit || len(u) <= maxUnit && u != "" && (unitWord(u) == len(u) || unitSign(u) == len(u))
		ps.Check(ok, conf.Element("units", i), `%q: the sign, code or word of a currency is wanted, or ",-"`, u)
	}
	return ps
}

func (o *currencyOptions) open(*resources) (Searcher, error) { return currency{o.Units}, nil }

// Search implements Searcher.
func (s currency) Search(ctx context.Context, p *Page) (Finding, error) {
	var t tally
	for a := range counted(ctx, s.amounts(p.Text)) {
		t.add(oneOfFold(a.unit, s.units), a.text, "text")
	}
	return t.finding(), ctx.Err()
}

// amountOf is a sum as it is written, and its unit.
type amountOf struct{ text, unit string }

// amounts yields the sums in text.
func (s currency) amounts(text string) iter.Seq[amountOf] {
	return func(yield func(amountOf) bool) {
		for i := nextDigit(text, 0); i < len(text); i = nextDigit(text, i) {
			stop := amountEnd(text, i)
			before := 0
			if i > 0 && (isAlnum(text[i-1]) || text[i-1] == '+') {
				i = stop
				continue
			}
			unit, n := s.unitAfter(text[stop:])
			if n == 0 {
				unit, before = s.unitBefore(text[:i])
			}
			if unit != "" && !yield(amountOf{text[i-before : stop+n], unit}) {
				return
			}
			i = stop + n
		}
	}
}

// amountEnd returns where the number at text[i:] ends: digits, and groups of digits that
// follow a blank, a point, a comma or an apostrophe.
func amountEnd(text string, i int) int {
	from := i
	for i-from < maxAmount {
		for digitAt(text, i) {
			i++
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if !digitAt(text, i+size) || !strings.ContainsRune(" .,'\u00a0\u2009\u202f", r) || r != '.' && r != ',' && !threeDigits(text, i+size) {
			break
		}
		i += size
	}
	return i
}

// threeDigits reports that a group of exactly three digits is at text[i:].
func threeDigits(text string, i int) bool {
	return digitAt(text, i+2) && digitAt(text, i+1) && !digitAt(text, i+3)
}

// dashUnit stands for an amount that ends with ",-" and names no currency.
const dashUnit = ",-"

// unitAfter returns the unit of an amount that after follows, and how many bytes of it are
// the amount's.
func (s currency) unitAfter(after string) (unit string, n int) {
	dash := 0
	if after != "" && (after[0] == ',' || after[0] == '.') {
		if r, size := utf8.DecodeRuneInString(after[1:]); r == '-' || r == '\u2013' || r == '\u2014' {
			dash = 1 + size
			for strings.HasPrefix(after[dash:], "-") {
				dash++
			}
		}
	}
	i := dash
	for range 2 {
		if r, size := utf8.DecodeRuneInString(after[i:]); r == ' ' || r == '\t' || r == '\u00a0' || r == '\u202f' {
			i += size
		}
	}
	if n := unitSign(after[i:]); n > 0 {
		return after[i : i+n], i + n
	}
	if n := unitWord(after[i:]); n > 0 && s.known(after[i:i+n]) {
		return after[i : i+n], i + n
	}
	if dash > 0 && !digitAt(after, dash) {
		return dashUnit, dash
	}
	return "", 0
}

// unitBefore returns the unit of an amount that before precedes, and how many bytes of it are
// the amount's.
func (s currency) unitBefore(before string) (unit string, n int) {
	t := strings.TrimRight(before[max(0, len(before)-maxUnit-2):], " \u00a0")
	i := len(t)
	for i > 0 {
		r, size := utf8.DecodeLastRuneInString(t[:i])
		if unicode.Is(unicode.Sc, r) && i == len(t) {
			i -= size
			break
		}
		if !unicode.IsLetter(r) {
			break
		}
		i -= size
	}
	unit = t[i:]
	gap := len(before[max(0, len(before)-maxUnit-2):]) - i
	blanks := gap - len(unit)
	if unit == "" || blanks > 2 || unitSign(unit) != len(unit) && (blanks == 0 || !s.known(unit)) {
		return "", 0
	}
	return unit, gap
}

// unitSign returns the length of the sign of a currency that s begins with, or 0.
func unitSign(s string) int {
	if r, size := utf8.DecodeRuneInString(s); unicode.Is(unicode.Sc, r) {
		return size
	}
	return 0
}

// unitWord returns the length of the word of letters that s begins with, 0 when it is none,
// or too long for a unit.
func unitWord(s string) int {
	for i, r := range s {
		if !unicode.IsLetter(r) {
			if unicode.IsDigit(r) {
				return 0
			}
			return i
		}
		if i > maxUnit {
			return 0
		}
	}
	return len(s)
}

// known reports whether a word is the unit of money: of the profile, or of another currency.
func (s currency) known(unit string) bool {
	return oneOfFold(unit, s.units) || currencyCode(unit)
}

func oneOfFold(s string, list []string) bool {
	for _, l := range list {
		if strings.EqualFold(s, l) {
			return true
		}
	}
	return false
}

// currencyCode reports whether s is what a currency is called next to an amount: a code (ISO 4217) in
// capitals, or the usual abbreviation. Of the world's currencies these are the ones that
// pages in Europe name.
func currencyCode(s string) bool {
	switch s {
	case "AUD", "BAM", "BGN", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HRK", "HUF", "ILS", "INR", "ISK", "JPY", "MKD", "NOK",
		"PLN", "RON", "RSD", "RUB", "SEK", "SIT", "SKK", "TRY", "UAH", "USD",
		"Kč", "Kčs", "kč", "KČ", "Sk", "SK", "zł", "zl", "ZŁ", "Ft", "FT", "ft", "kr", "Kr", "KR", "kn", "lei", "LEI", "лв", "руб", "грн", "дин", "din",
		"Euro", "euro", "Fr", "Rs":
		return true
	}
	return false
}
