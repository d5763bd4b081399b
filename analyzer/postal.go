package analyzer

import (
	"context"
	"iter"
	"regexp"
	"strings"
	"unicode/utf8"

	"exclave/internal/conf"
)

// postalCode counts postal codes in the text: digits that match the pattern, behind a label or
// next to the name of a town. Digits alone are no evidence. Valid are all that are found.
type postalCode struct {
	pattern *regexp.Regexp
	labels  labels
	towns   labels
}

// postalCodeOptions are those of the kind "postal_code".
type postalCodeOptions struct {
	patternOption
	Labels []string `toml:"labels"` // words before a code: "PSČ"
	Towns  []string `toml:"towns"`  // names after a code, or before it
}

// Validate returns every value that cannot be.
func (o *postalCodeOptions) Validate() conf.Problems {
	ps := o.patternOption.Validate()
	ps.Merge(labels(o.Labels).validate("labels"))
	ps.Merge(labels(o.Towns).validate("towns"))
	ps.Check(len(o.Labels)+len(o.Towns) > 0, "labels", "labels or towns are wanted: digits alone are no evidence")
	return ps
}

func (o *postalCodeOptions) open(*resources) (Searcher, error) {
	re, err := compile(o.Pattern)
	if err != nil {
		return nil, err
	}
	return postalCode{re, o.Labels, o.Towns}, nil
}

// maxPostal bounds a postal code in bytes.
const maxPostal = 12

// Search implements Searcher.
func (s postalCode) Search(ctx context.Context, p *Page) (Finding, error) {
	var t tally
	for v := range counted(ctx, s.codes(p.Text)) {
		t.add(true, v, "text")
	}
	return t.finding(), ctx.Err()
}

// codes yields the codes without blanks.
func (s postalCode) codes(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var b [maxPostal]byte
		for i := nextDigit(text, 0); i < len(text); i = nextDigit(text, i+1) {
			if i == 0 || !isAlnum(text[i-1]) {
				code, end := readPostal(b[:0], text, i)
				if s.pattern.Match(code) && s.near(text, i, end) {
					if !yield(strings.ReplaceAll(string(code), " ", "")) {
						return
					}
					i = end - 1
					continue
				}
			}
			for digitAt(text, i+1) { // a code never begins within digits
				i++
			}
		}
	}
}

// readPostal appends the digits at text[i:], of at most two groups with a blank or hyphen
// between, and returns where they end.
func readPostal(code []byte, text string, i int) ([]byte, int) {
	for groups := 0; ; {
		for digitAt(text, i) && len(code) < maxPostal {
			code = append(code, text[i])
			i++
		}
		if groups++; groups == 2 || len(code) == maxPostal {
			return code, i
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case !digitAt(text, i+size):
			return code, i
		case r == '-':
			code = append(code, '-')
		case r == ' ' || r == '\u00a0' || r == '\u202f':
			code = append(code, ' ')
		default:
			return code, i
		}
		i += size
	}
}

// near reports that the code at text[at:end] is one by what stands around it.
func (s postalCode) near(text string, at, end int) bool {
	after := text[end:]
	if after != "" && isAlnum(after[0]) || amount(after) {
		return false
	}
	if s.labels.before(text, at) {
		return true
	}
	between, year := " ,\u00a0\n\t-–", isYear(text[at:end])
	if year {
		between = " \u00a0"
	}
	after = strings.TrimLeft(after, between)
	for _, town := range s.towns {
		if rest, ok := cutPrefixFold(after, town); ok {
			if r, _ := utf8.DecodeRuneInString(rest); rest == "" || !wordRune(r) {
				return true
			}
		}
	}
	return !year && s.towns.ends(strings.TrimRight(text[max(0, at-labelReach):district(text, at)], " ,\u00a0"), "")
}

// isYear reports whether a code may be a year: "Oslo 1952", "London 2012 – Oslo".
func isYear(code string) bool {
	return len(code) == 4 && (strings.HasPrefix(code, "19") || strings.HasPrefix(code, "20"))
}

// district returns at, or where the number of a town's district before it begins: "Praha 1, 110 00".
func district(text string, at int) int {
	t := strings.TrimRight(text[:at], " ,")
	i := len(t)
	for i > 0 && digitAt(t, i-1) && len(t)-i < 3 {
		i--
	}
	if i < len(t) && at-len(t) <= 2 && i > 0 && t[i-1] == ' ' {
		return i
	}
	return at
}
