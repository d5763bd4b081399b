package traps

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"exclave/internal/urlx"
)

// Pattern names one kind of trap.
type Pattern string

// The patterns. The names are written to out-of-scope.jsonl and stay.
const (
	Length   Pattern = "length"   // the URL is longer than MaxLength, or its query than MaxQuery
	Cycle    Pattern = "cycle"    // one folder stands MaxSame times or more in the path
	Index    Pattern = "index"    // Apache's list of a folder, sorted in another way
	Session  Pattern = "session"  // two session ids, or one that the page it was found on had otherwise
	Actions  Pattern = "actions"  // forms and other views of a page: reply, edit, print, put into the cart
	Search   Pattern = "search"   // results of a search for more than MaxWords words
	Calendar Pattern = "calendar" // a month or day far from today, or none of a calendar
	Facets   Pattern = "facets"   // a combination of filters
	Pages    Pattern = "pages"    // a page of a list beyond MaxPage
)

// Bounds of the patterns. docs/adr/0038-a-default-job-ends.md says why.
const (
	MaxLength = 2048 // bytes of a URL
	MaxQuery  = 1024 // bytes of its query
	MaxSame   = 4    // times that a folder stands in a path
	MaxParams = 12   // parameters of a query
	MaxFacets = 3    // parameters of one name
	MaxPage   = 9999 // number of a page of a list: books have thousands, news of many years as well
	MaxWords  = 3    // words that are searched for
	// Months from today within which lists of a month of a calendar are looked at (what
	// was on years ago often stands on those only), those of a year, of a day or week, and
	// within which any address may name a date.
	CalendarBack, CalendarAhead = 60, 12
	YearBack                    = 144
	DayBack, DayAhead           = 0, 0
	DateAhead                   = 24
	// Numbers in a path are years within these, others are ids.
	firstYear, lastYear = 1800, 2199
)

// All returns the patterns in the order in which they are asked.
func All() []Pattern {
	return []Pattern{Length, Cycle, Index, Session, Actions, Search, Calendar, Facets, Pages}
}

// Finder looks for patterns.
type Finder struct {
	month    int // of today, counted from the year 0
	patterns []Pattern
}

// New returns a Finder of some patterns, all when none is named. Today is the day that
// dates are compared with. An error names a pattern that is none.
func New(today time.Time, patterns ...Pattern) (*Finder, error) {
	for _, p := range patterns {
		if !slices.Contains(All(), p) {
			return nil, fmt.Errorf("%q is no pattern; the patterns are %v", p, All())
		}
	}
	if len(patterns) == 0 {
		patterns = All()
	}
	y, m, _ := today.UTC().Date()
	return &Finder{12*y + int(m) - 1, slices.Clone(patterns)}, nil
}

// Find returns the first pattern that an address has, "" for none. via gives the address
// of the page it was found on, "" when that is not known.
func (f *Finder) Find(u *urlx.URL, via func() *urlx.URL) Pattern {
	if len(u.String()) > MaxLength { // the others need not read it
		if slices.Contains(f.patterns, Length) {
			return Length
		}
		return ""
	}
	a := address{u: u, via: via, segments: strings.Split(strings.Trim(u.Path(), "/"), "/"), params: split(u.Query())}
	for _, p := range f.patterns {
		if f.has(p, &a) {
			return p
		}
	}
	return ""
}

func (f *Finder) has(p Pattern, a *address) bool {
	switch p {
	case Length:
		return len(a.u.Query()) > MaxQuery
	case Cycle:
		return a.cycle()
	case Index:
		return a.index()
	case Session:
		return a.session()
	case Actions:
		return a.action()
	case Search:
		return a.search()
	case Calendar:
		return f.calendar(a)
	case Facets:
		return a.facets()
	case Pages:
		return a.page() > MaxPage
	}
	return false
}

// address is a URL taken apart.
type address struct {
	u        *urlx.URL
	via      func() *urlx.URL
	segments []string
	params   []param
}

// param is a parameter of a query; its name is in lower case and without escapes.
type param struct{ name, value string }

// split takes a query apart at & and ;.
func split(query string) []param {
	if query == "" {
		return nil
	}
	var out []param
	for p := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' }) {
		name, value, _ := strings.Cut(p, "=")
		if p == "amp" { // &amp; that was written twice
			continue
		}
		out = append(out, param{plain(name), plain(value)})
	}
	return out
}

// plain is the lower case of a name or value, without the escapes that names often have.
func plain(s string) string {
	s = strings.ToLower(s)
	for i, escape := range []string{"%5b", "%5d", "%3a"} {
		if strings.Contains(s, escape) {
			s = strings.ReplaceAll(s, escape, "[]:"[i:i+1])
		}
	}
	return s
}

// cycle reports whether a folder stands in the path again and again: links that are
// meant from the top and written from the page's folder (/en/news/en/about/news/en/…).
func (a *address) cycle() bool {
	if len(a.segments) < MaxSame {
		return false
	}
	count := map[string]int{}
	for _, s := range a.segments {
		if s == "" || number(s) >= 0 { // ids cut into folders repeat: /00/00/12/00/
			continue
		}
		if count[s]++; count[s] >= MaxSame {
			return true
		}
	}
	return false
}

// index reports whether the query is one that Apache's list of a folder sorts by.
func (a *address) index() bool {
	switch len(a.params) {
	case 1: // Apache 1.3: ?N=A
		p := a.params[0]
		return len(p.name) == 1 && strings.Contains("nmsd", p.name) && (p.value == "a" || p.value == "d") && strings.HasSuffix(a.u.Path(), "/")
	case 2: // ?C=N;O=D
		c, o := a.params[0], a.params[1]
		return c.name == "c" && o.name == "o" && len(c.value) == 1 && strings.Contains("nmsd", c.value) && (o.value == "a" || o.value == "d")
	}
	return false
}

// action reports whether a parameter of software that many run leads to a form, an export
// or another view of a page that has an address without it.
func (a *address) action() bool {
	wiki := slices.ContainsFunc(a.params, func(p param) bool { return p.name == "title" }) // MediaWiki
	return slices.ContainsFunc(a.params, func(p param) bool {
		switch p.name {
		case "replytocom", // WordPress: the same page, with a form
			"add-to-cart", "add_to_wishlist", "add_to_compare", "remove_item", "veaction":
			return true
		case "ical", "outlook-ical":
			return p.value == "1"
		case "print", "printable":
			return p.value == "1" || p.value == "yes" || p.value == "true"
		case "share": // with a name of a network
			return p.value != "" && number(p.value) < 0
		case "oldid", "diff":
			return wiki
		case "action":
			switch p.value {
			case "edit", "print":
				return true
			case "history", "raw", "info", "delete", "protect", "move", "watch", "unwatch", "purge", "submit", "formedit":
				return wiki
			}
		case "do": // DokuWiki
			return p.value == "edit" || p.value == "revisions" || p.value == "backlink" || p.value == "diff"
		case "mode": // phpBB
			return strings.HasSuffix(a.u.Path(), "/posting.php")
		}
		return false
	})
}

// search reports whether somebody is said to search for many words: links that add a word
// to what is searched for.
func (a *address) search() bool {
	return slices.ContainsFunc(a.params, func(p param) bool {
		switch p.name {
		case "q", "s", "query", "search":
			return strings.Count(strings.Trim(p.value, "+"), "+")+strings.Count(p.value, "%20") >= MaxWords
		}
		return false
	})
}

// What a parameter does to a list.
const (
	arranges = 1 + iota
	chooses
)

// facet says whether a name of a parameter chooses from a list, arranges it, or neither.
func facet(name string) int {
	name, _, list := strings.Cut(name, "[")
	name, _, _ = strings.Cut(name, ":")
	switch name {
	case "sort", "sortby", "sort_by", "orderby", "order_by", "order", "dir", "direction", "sortdir", "sort_order",
		"limit", "per_page", "perpage", "pagesize", "page_size":
		return arranges
	case "filter", "filters", "facet", "facets", "fq", "refine", "attr", "attrs", "attribute", "attributes",
		"price", "price_from", "price_to", "price_min", "price_max", "min_price", "max_price", "stock", "instock", "availability",
		"color", "colour", "size", "brand", "manufacturer", "material", "rating", "discount", "tag", "tags":
		return chooses
	}
	if strings.HasPrefix(name, "filter_") || name == "f" && list { // f=3 is a forum
		return chooses
	}
	return 0
}

func (a *address) facets() bool {
	if len(a.params) > MaxParams {
		return true
	}
	chosen, arranged, twice, same := 0, 0, 0, map[string]int{}
	for _, p := range a.params {
		switch facet(p.name) {
		case chooses:
			chosen++
		case arranges:
			arranged++
		}
		switch same[p.name]++; same[p.name] {
		case 2:
			twice++
		case MaxFacets:
			return true
		}
	}
	// Twice alone is lang=cs&lang=cs of a careless template, with another each page adds all
	// of them anew; order, direction and length stand in the links to further pages of a list.
	return twice > 1 || chosen > 1 || chosen == 1 && arranged > 0
}

// numbersPages reports whether a name of a parameter numbers the pages of a list. "page"
// alone may be the number of a document.
func (a *address) numbersPages(name string) bool {
	switch name {
	case "paged", "pg", "pagenum", "page_num", "pagenumber", "page_number":
		return true
	}
	return name == "page" && len(a.params) > 1
}

// page returns the greatest number of a page of a list, -1 when there is none.
func (a *address) page() int {
	n := -1
	for _, p := range a.params {
		if a.numbersPages(p.name) {
			n = max(n, number(p.value))
		}
	}
	for i, s := range a.segments[:max(len(a.segments)-1, 0)] {
		if s == "page" {
			n = max(n, number(a.segments[i+1]))
		}
	}
	return n
}

// number returns what decimal digits mean, -1 when s is anything else or beyond 18
// digits.
func number(s string) int {
	if s == "" || len(s) > 18 {
		return -1
	}
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return -1
		}
		n = 10*n + int(s[i]-'0')
	}
	return n
}
