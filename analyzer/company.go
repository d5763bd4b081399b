package analyzer

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"exclave/internal/conf"
)

// companyID counts identifiers of companies in the text: numbers of the length that a scheme
// has, behind a label, or behind the letters of a country. Valid are those whose check
// digits are right, and whose country is one of the wanted.
type companyID struct {
	scheme    scheme
	labels    labels
	countries []country
}

// companyIDOptions are those of the kind "company_id".
type companyIDOptions struct {
	Scheme    string    `toml:"scheme,required"` // a row of schemes
	Labels    []string  `toml:"labels"`          // words one of which must stand before a number; none may be wanted where letters tell it
	Countries []country `toml:"countries"`       // whose numbers are valid, where the number says it; none = of all
}

// Validate returns every value that cannot be.
func (o *companyIDOptions) Validate() (ps conf.Problems) {
	s, ok := schemes()[o.Scheme]
	if !ok {
		ps.Add("scheme", "%q: one of %s", o.Scheme, strings.Join(slices.Sorted(maps.Keys(schemes())), ", "))
		return ps
	}
	ps.Check(s.lettered || len(o.Labels) > 0, "labels", "wanted with scheme %q: digits alone may be any number", o.Scheme)
	ps.Check(len(o.Countries) == 0 || s.lettered || o.Scheme == "dic", "countries", "numbers of scheme %q do not say a country", o.Scheme)
	ps.Merge(labels(o.Labels).validate("labels"))
	return ps
}

func (o *companyIDOptions) open(*resources) (Searcher, error) {
	return companyID{schemes()[o.Scheme], o.Labels, o.Countries}, nil
}

// Search implements Searcher.
func (s companyID) Search(ctx context.Context, p *Page) (Finding, error) {
	var t tally
	all := s.digits(p.Text)
	if s.scheme.lettered {
		all = s.lettered(p.Text)
	}
	for id := range counted(ctx, all) {
		of, ok := s.scheme.check(id.country, id.number)
		ok = ok && (len(s.countries) == 0 || slices.Contains(s.countries, country(of)))
		value := ""
		if ok {
			value = id.country + id.number
		}
		t.add(ok, value, "text")
	}
	return t.finding(), ctx.Err()
}

// identifier is a number without signs, and the letters of a country before it.
type identifier struct{ country, number string }

// digits yields the numbers of a scheme of digits.
func (s companyID) digits(text string) iter.Seq[identifier] {
	return func(yield func(identifier) bool) {
		var c candidate
		for i := nextDigit(text, 0); i < len(text); i = nextDigit(text, i+1) {
			at, of := s.letters(text, i)
			if at == 0 || !isAlnum(text[at-1]) {
				end := c.read(text, i)
				if n := s.size(&c, text, of); n > 0 && s.labels.before(text, at) {
					if !yield(identifier{of, string(c.digits[:n])}) {
						return
					}
					i = end - 1
					continue
				}
			}
			for digitAt(text, i+1) { // a number never begins within digits
				i++
			}
		}
	}
}

// letters returns where the letters of the scheme's country before a number at text[i:] begin, and
// the letters; i and "" when there are none.
func (s companyID) letters(text string, i int) (int, string) {
	if s.scheme.country == "" {
		return i, ""
	}
	at := skipBlanksBack(text, i) - 2
	if at < 0 || at > 0 && isAlnum(text[at-1]) {
		return i, ""
	}
	of := text[at : at+2]
	if of == s.scheme.country || of == "SK" && s.scheme.country == "CZ" {
		return at, of
	}
	return i, ""
}

// size returns how many of the digits of c are a number of the scheme: of several the longest
// that is right, or else the longest; 0 when none are.
func (s companyID) size(c *candidate, text, of string) int {
	longest := 0
	for i := c.groups - 1; i >= 0; i-- {
		n := c.ends[i]
		if !slices.Contains(s.scheme.sizes, n) || c.stops[i] < len(text) && isAlnum(text[c.stops[i]]) {
			continue
		}
		if _, ok := s.scheme.check(of, string(c.digits[:n])); ok {
			return n
		}
		longest = max(longest, n)
	}
	return longest
}

// lettered yields what is written like a number behind the letters of a country: letters and
// digits, in groups apart by single blanks.
func (s companyID) lettered(text string) iter.Seq[identifier] {
	return func(yield func(identifier) bool) {
		for i := 0; i+4 < len(text); i++ {
			if !upper(text[i]) || i > 0 && isAlnum(text[i-1]) || !upper(text[i+1]) {
				continue
			}
			at := skipBlanks(text, i+2)
			if !digitAt(text, at) || len(s.labels) > 0 && !s.labels.before(text, i) {
				continue
			}
			if number := s.longest(text[i:i+2], text[at:]); number != "" && !yield(identifier{text[i : i+2], number}) {
				return
			}
		}
	}
}

func upper(c byte) bool { return 'A' <= c && c <= 'Z' }

// maxNumber bounds the characters of a number (ISO 13616: 34 with the country).
const maxNumber = 32

// longest returns the longest right number at the start of s that ends where a group does, or else what
// there is; "" when that is too short for a number.
func (s companyID) longest(country, text string) string {
	var number [maxNumber]byte
	n, right := 0, 0
	for i := 0; n < maxNumber; {
		for i < len(text) && n < maxNumber && (digitAt(text, i) || upper(text[i])) {
			number[n] = text[i]
			n, i = n+1, i+1
		}
		if i < len(text) && isAlnum(text[i]) {
			break // a word
		}
		if n >= 8 {
			if _, ok := s.scheme.check(country, string(number[:n])); ok {
				right = n
			}
		}
		if i+1 >= len(text) || text[i] != ' ' && text[i] != '-' || !digitAt(text, i+1) && !upper(text[i+1]) {
			break
		}
		i++
	}
	switch {
	case right > 0:
		return string(number[:right])
	case n >= 8:
		return string(number[:n])
	}
	return ""
}
