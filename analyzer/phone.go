package analyzer

import (
	"context"
	"iter"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Bounds of an international number in digits, country code included (ITU-T
// E.164 section 6.2 allows 15; nothing in use has fewer than 8).
const (
	minPhone = 8
	maxPhone = 15
)

// maxGroups bounds the groups of digits in one candidate.
const maxGroups = 10

// phone finds telephone numbers in international form in the text and in tel:
// links. Numbers without a country code do not count: they do not say whose
// they are. Valid are those that match the pattern in the form +420123456789.
type phone struct {
	pattern *regexp.Regexp
}

// phoneOptions are those of the kind "phone".
type phoneOptions struct{ patternOption }

func (o *phoneOptions) open(*resources) (Searcher, error) {
	re, err := compile(o.Pattern)
	if err != nil {
		return nil, err
	}
	return phone{re}, nil
}

// Search implements Searcher. A link's number counts only when the text does
// not have it.
func (s phone) Search(ctx context.Context, p *Page) (Finding, error) {
	var t tally
	for c := range counted(ctx, phones(p.Text)) {
		v, ok := s.match(c)
		t.add(ok, v, "text")
	}
	for link := range counted(ctx, schemed(p.Source, "tel:")) {
		for c := range phones(link) {
			if v, ok := s.match(c); ok && !t.seen(v) {
				t.add(true, v, "link")
			}
		}
	}
	return t.finding(), ctx.Err()
}

// candidate is a run of groups of digits after + or 00.
type candidate struct {
	digits string
	ends   []int // where groups end in digits
}

// match returns the number in c that matches the pattern: the longest that
// ends where a group of digits ends, since what follows a number on its line
// ("+420 123 456 789 2024") is often digits too.
func (s phone) match(c candidate) (string, bool) {
	for i := len(c.ends) - 1; i >= 0; i-- {
		if n := c.ends[i]; minPhone <= n && n <= maxPhone {
			if v := "+" + c.digits[:n]; s.pattern.MatchString(v) {
				return v, true
			}
		}
	}
	return "", false
}

// phones yields the candidates in text. One starts with + or 00 that follows
// no letter or digit; between its groups of digits stand at most three of the
// separators that people use. A (0) among them is left out.
func phones(text string) iter.Seq[candidate] {
	return func(yield func(candidate) bool) {
		for i := 0; i < len(text); {
			n := prefixLen(text, i)
			if n == 0 {
				i++
				continue
			}
			c, end := groups(text, i+n)
			if len(c.digits) >= minPhone && c.digits[0] != '0' && !yield(c) {
				return
			}
			i = end
		}
	}
}

// prefixLen returns the length of the international prefix at text[i:], or 0.
func prefixLen(text string, i int) int {
	n := 0
	switch {
	case text[i] == '+':
		n = 1
	case strings.HasPrefix(text[i:], "00"):
		n = 2
	default:
		return 0
	}
	if i > 0 && (isAlnum(text[i-1]) || text[i-1] == '+') {
		return 0
	}
	return n
}

// groups reads groups of digits and the separators between them from text[i:];
// it returns where it stopped, at i or later.
func groups(text string, i int) (candidate, int) {
	var c candidate
	var digits []byte
	for len(c.ends) < maxGroups {
		j := i
		if len(c.ends) > 0 || strings.HasPrefix(text[j:], "(") {
			j = skipSeparators(text, j)
		}
		start := j
		for j < len(text) && '0' <= text[j] && text[j] <= '9' && len(digits) < 2*maxPhone {
			digits = append(digits, text[j])
			j++
		}
		if j == start {
			break
		}
		c.ends = append(c.ends, len(digits))
		i = j
	}
	c.digits = string(digits)
	return c, i
}

// skipSeparators returns where the separators at text[i:] end.
func skipSeparators(text string, i int) int {
	for range 3 {
		if strings.HasPrefix(text[i:], "(0)") {
			i += len("(0)")
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if !strings.ContainsRune(" \t\u00a0\u2009\u202f-\u2010\u2011\u2013./()", r) {
			break
		}
		i += size
	}
	return i
}
