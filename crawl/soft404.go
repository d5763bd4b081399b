package crawl

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"exclave/internal/simhash"
	"exclave/internal/urlx"
)

// AttrSoft404 is the attribute of a page under which a Soft404 stands.
const AttrSoft404 = "fetch.soft404"

// Soft404 is what the origin of a page answers to an address that does not exist (ADR 106).
type Soft404 struct {
	Text *Soft404Text
	Hold bool // the links of what equals it are not followed
}

// Soft404Text is what is compared of a page: its words, without those that have a digit in them (dates, numbers, ids).
type Soft404Text struct {
	n     int      // words
	first []uint32 // of the first of them, in order of their numbers
}

const (
	// mostSoft404Words is how many words of a page are compared.
	mostSoft404Words = 1000
	// soft404Other is how many words there are for each that may be another one, and mostSoft404Other how many that are at most: a
	// short page within a large frame is another page.
	soft404Other, mostSoft404Other = 50, 3
)

// NewSoft404Text returns what is compared of the answer to an address that does not exist. at is that address, which it may repeat.
func NewSoft404Text(text string, at *urlx.URL) *Soft404Text {
	own := ownWords(at)
	t := &Soft404Text{}
	for word, hash := range simhash.Words(text) {
		if n := uint32(hash); !hasDigit(word) && !own[n] {
			t.add(n)
		}
	}
	slices.Sort(t.first)
	return t
}

func (t *Soft404Text) add(word uint32) {
	if t.n++; len(t.first) < mostSoft404Words {
		t.first = append(t.first, word)
	}
}

// Equals reports whether a page is the one that stands for addresses that do not exist. Words of its address may stand in it besides.
func (s Soft404) Equals(text string, at *urlx.URL) bool {
	var page Soft404Text
	for word, hash := range simhash.Words(text) {
		if !hasDigit(word) {
			page.add(uint32(hash))
		}
	}
	slices.Sort(page.first)
	may := min(s.Text.n/soft404Other, mostSoft404Other)
	own := ownWords(at)
	more, less, echoed := 0, 0, 0
	for a, b := s.Text.first, page.first; len(a) > 0 || len(b) > 0; {
		switch {
		case len(a) > 0 && len(b) > 0 && a[0] == b[0]:
			a, b = a[1:], b[1:]
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			less++
			a = a[1:]
		default:
			if own[b[0]] {
				echoed++
			} else {
				more++
			}
			b = b[1:]
		}
	}
	longer := page.n - s.Text.n // also behind the words that are compared
	return more <= may && less <= may && longer <= may+echoed && longer >= -may
}

// ownWords are the words of the path and the query of an address.
func ownWords(at *urlx.URL) map[uint32]bool {
	path := at.PathQuery()
	if plain, err := url.PathUnescape(strings.ReplaceAll(path, "+", " ")); err == nil {
		path = plain
	}
	own := map[uint32]bool{}
	for _, hash := range simhash.Words(path) {
		own[uint32(hash)] = true
	}
	return own
}

func hasDigit(word string) bool { return strings.ContainsFunc(word, unicode.IsDigit) }
