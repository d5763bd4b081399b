package analyzer

import (
	"context"
	"iter"
	"regexp"
	"strings"
	"unicode/utf8"

	"exclave/internal/conf"
)

// Bounds of an international number in digits, country code included (ITU-T
// E.164 section 6.2 allows 15; nothing in use has fewer than 8), and of a national one.
const (
	minPhone    = 8
	maxPhone    = 15
	minNational = 5
)

// maxGroups bounds the groups of digits in one candidate.
const maxGroups = 15

// phone finds telephone numbers in the text, in links, and where a page says to programs
// that there is one. Those in international form always count; national ones are found only when a profile
// says how they look, and only where the page says that it is a telephone: else
// they do not say whose they are. Valid are those that match the pattern in the form
// +420123456789.
type phone struct {
	pattern  *regexp.Regexp
	national *regexp.Regexp // nil = national numbers are not looked for
	code     string         // digits
	trunk    string
	labels   labels
	form     form
}

// phoneOptions are those of the kind "phone".
type phoneOptions struct {
	patternOption
	Code     string   `toml:"country_code"` // with national: digits before a national number
	National string   `toml:"national"`     // RE2 of the digits of a national number, without trunk prefix; empty = none is looked for
	Trunk    string   `toml:"trunk"`        // digits that must stand before a national number, as they are dialled within the country
	Form     form     `toml:"form"`         // which numbers count; empty = both
	Labels   []string `toml:"labels"`       // words before a number, beside those understood everywhere
}

// form is how a number is written.
type form string

// The values of form.
const (
	international form = "international"
	national      form = "national"
)

// phoneLabels are understood everywhere.
func phoneLabels() labels {
	return labels{"tel", "telephone", "phone", "mobile", "mob", "gsm", "fax", "t", "m", "p", "whatsapp", "☎", "☏", "✆", "📞", "📱", "🕿"}
}

// Validate returns every value that cannot be.
func (o *phoneOptions) Validate() conf.Problems {
	ps := o.patternOption.Validate()
	if _, err := regexp.Compile(o.National); err != nil {
		ps.Add("national", "%v", err)
	}
	ps.Check((o.Code == "") == (o.National == ""), "country_code", "wanted with national, and only then")
	ps.Check(o.Code == "" || isDigits(o.Code) && len(o.Code) <= 4, "country_code", "%q: up to four digits are wanted, like 420", o.Code)
	ps.Check(o.Trunk == "" || isDigits(o.Trunk) && len(o.Trunk) <= 3 && o.National != "", "trunk", "%q: up to three digits are wanted, and national", o.Trunk)
	ps.Check(o.Form == "" || o.Form == international || o.Form == national, "form", `%q: "international" or "national"; without it both count`, o.Form)
	ps.Check(o.Form != national || o.National != "", "form", "national is wanted with it")
	ps.Merge(labels(o.Labels).validate("labels"))
	return ps
}

func (o *phoneOptions) open(*resources) (Searcher, error) {
	re, err := compile(o.Pattern)
	if err != nil {
		return nil, err
	}
	s := phone{pattern: re, code: o.Code, trunk: o.Trunk, form: o.Form, labels: append(phoneLabels(), o.Labels...)}
	if o.National != "" {
		if s.national, err = compile(o.National); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// number is one that was found.
type number struct {
	value    string // +420123456789
	national bool   // it was written without a country code
}

// Search implements Searcher. A number of a link or of the source counts only when it is
// valid and the page does not have it elsewhere. On a page whose international numbers are all
// another country's the national ones are, too.
func (s phone) Search(ctx context.Context, p *Page) (Finding, error) {
	var t tally
	own, foreign := false, false
	type placed struct{ value, where string }
	var nationals []placed
	for n := range counted(ctx, s.numbers(p.Text)) {
		if n.national {
			if len(nationals) < maxDistinct {
				nationals = append(nationals, placed{n.value, "text"})
			}
			continue
		}
		ok := s.pattern.MatchString(n.value)
		own, foreign = own || ok, foreign || !ok
		if s.form != national {
			t.add(ok, n.value, "text")
		}
	}
	more := func(n number, where string) {
		switch {
		case n.value == "":
		case n.national && len(nationals) == maxDistinct:
		case n.national:
			nationals = append(nationals, placed{n.value, where})
		case s.pattern.MatchString(n.value):
			own = true
			if s.form != national && !t.seen(n.value) {
				t.add(true, n.value, where)
			}
		default:
			foreign = true
		}
	}
	hasPhone := p.from("phone", 0) != ""
	for _, scheme := range [...]struct {
		name string
		rare int
	}{{"tel:", 3}, {"callto:", 6}, {"wa.me/", 0}, {"phone=", 0}} {
		if scheme.name == "phone=" && !hasPhone {
			break
		}
		for link := range counted(ctx, p.schemed(scheme.name, scheme.rare)) {
			more(s.link(link), "link")
		}
	}
	for n := range counted(ctx, s.marked(p)) {
		more(n, "source")
	}
	if own || !foreign {
		for _, n := range nationals {
			if n.where == "text" || !t.seen(n.value) {
				t.add(s.pattern.MatchString(n.value), n.value, n.where)
			}
		}
	}
	return t.finding(), ctx.Err()
}

// candidate is a run of groups of digits and the separators between them.
type candidate struct {
	digits [2 * maxPhone]byte
	n      int            // digits
	groups int            // of digits
	ends   [maxGroups]int // where groups end in digits
	stops  [maxGroups]int // where they end in the text
	blank  bool           // groups are apart by blanks, or all by the same other sign
}

// withCode returns the number in c that matches the pattern, and where it ends in the text: the
// longest that ends where a group of digits ends, since what follows a number on its line
// ("+420 123 456 789 2024") is often digits too. With none it is the longest that can
// be a number, or "".
func (s phone) withCode(c *candidate) (number string, stop int) {
	if c.n < minPhone || c.digits[0] == '0' {
		return "", 0
	}
	b := [1 + maxPhone]byte{'+'}
	v := string(b[:1+copy(b[1:], c.digits[:c.n])])
	for i := c.groups - 1; i >= 0; i-- {
		if n := c.ends[i]; minPhone <= n && n <= maxPhone && s.pattern.MatchString(v[:1+n]) {
			return v[:1+n], c.stops[i]
		}
	}
	return v, c.stops[c.groups-1]
}

// numbers yields the numbers in text as +420123456789. An international one starts with +
// or 00 that follows no letter or digit; between its groups of digits stand at most
// three of the separators that people use. A (0) among them is left out.
func (s phone) numbers(text string) iter.Seq[number] {
	return func(yield func(number) bool) {
		var c candidate
		last := -1 // where the last number ended
		for i := nextNumber(text, 0); i < len(text); i = nextNumber(text, i) {
			b := text[i]
			if n := prefixLen(text, i); n > 0 {
				end := c.read(text, i+n)
				v, stop := s.withCode(&c)
				if v != "" {
					if end, last = stop, stop; !yield(number{v, false}) {
						return
					}
				}
				i = end
				continue
			}
			if b == '+' || b == 0xef || b == '(' && !digitAt(text, i+1) {
				i++
				continue
			}
			if s.form != international && s.national != nil && (i == 0 || !isAlnum(text[i-1])) {
				c.read(text, i)
				if v, stop := s.nationalNumber(&c, text, i, last); v != "" {
					if i, last = stop, stop; !yield(number{v, true}) {
						return
					}
					continue
				}
			}
			for i++; digitAt(text, i); i++ { // a number never begins within digits
			}
		}
	}
}

func digitAt(text string, i int) bool { return i < len(text) && '0' <= text[i] && text[i] <= '9' }

// link returns the number that a tel: link is to, none when it is to no number.
func (s phone) link(link string) number {
	link = strings.TrimLeft(link, "/ ")
	var c candidate
	if link == "" {
		return number{}
	}
	if n := prefixLen(link, 0); n > 0 {
		c.read(link, n)
		v, _ := s.withCode(&c)
		return number{v, false}
	}
	if s.form == international || s.national == nil || !digitAt(link, 0) && link[0] != '(' {
		return number{}
	}
	c.read(link, 0)
	v, _ := s.matchNational(&c, true)
	return number{v, true}
}

// marked yields the numbers of which the source says that they are: in international
// form within quotes, or behind "telephone" of schema.org or the class "tel" of hCard.
func (s phone) marked(p *Page) iter.Seq[number] {
	return func(yield func(number) bool) {
		var c candidate
		for rest := p.Source; ; {
			i := strings.IndexByte(rest, '+')
			if i < 0 {
				break
			}
			if i > 0 && strings.IndexByte("\"'>: ", rest[i-1]) >= 0 && i+1 < len(rest) {
				c.read(rest, i+1)
				if v, _ := s.withCode(&c); v != "" && !yield(number{v, false}) {
					return
				}
			}
			rest = rest[i+1:]
		}
		if s.national == nil || s.form == international {
			return
		}
		for _, mark := range [...]struct {
			name string
			rare int
		}{{`class="tel"`, 5}, {"elephone\"", 3}, {"elephone'", 3}, {"data-phone=", 5}} {
			if mark.name != `class="tel"` && p.from("phone", 0) == "" {
				return
			}
			rest := p.from(mark.name, mark.rare)
			for i := indexBy(rest, mark.name, mark.rare); i >= 0; i = indexBy(rest, mark.name, mark.rare) {
				rest = rest[i+len(mark.name):]
				link := cut(rest, 60)
				if i := strings.IndexAny(link, "0123456789+("); i >= 0 && (i == 0 || strings.IndexByte("\"'>: ", link[i-1]) >= 0) {
					if n := s.link(link[i:]); n.value != "" && !yield(n) {
						return
					}
				}
			}
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
	case strings.HasPrefix(text[i:], "\uff0b"): // ＋
		n = 3
	default:
		return 0
	}
	if i > 0 && (isAlnum(text[i-1]) || text[i-1] == '+') {
		return 0
	}
	if strings.HasPrefix(text[i+n:], " ") && digitAt(text, i+n+1) {
		n++
	}
	return n
}

// read reads groups of digits and the separators between them from text[i:] into c;
// it returns where it stopped, at i or later.
func (c *candidate) read(text string, i int) int {
	c.n, c.groups, c.blank = 0, 0, true
	var sign string
	for c.groups < maxGroups {
		j := i
		if c.groups > 0 || i < len(text) && (text[i] == '(' || text[i] == '[') {
			j = skipSeparators(text, j)
		}
		start := j
		for digitAt(text, j) && c.n < len(c.digits) {
			c.digits[c.n] = text[j]
			c.n++
			j++
		}
		if j == start {
			break
		}
		if c.groups > 0 {
			if sep := text[i:start]; sign == "" {
				sign = sep
			} else if sep != sign {
				c.blank = false
			}
		}
		c.ends[c.groups], c.stops[c.groups] = c.n, j
		c.groups++
		i = j
	}
	if sign != "" && sign != " " && sign != "-" && sign != "\u00a0" {
		c.blank = false
	}
	return i
}

// skipSeparators returns where the separators at text[i:] end.
func skipSeparators(text string, i int) int {
	for range 3 {
		if strings.HasPrefix(text[i:], "(0)") {
			i += len("(0)")
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if !strings.ContainsRune(" \t\u00a0\u00b7\u2007\u2009\u200b\u202f-\u2010\u2011\u2012\u2013\u2014\u2212./()[]_", r) {
			break
		}
		i += size
	}
	return i
}
