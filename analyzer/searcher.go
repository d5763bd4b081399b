package analyzer

import (
	"context"
	"fmt"
	"iter"
	"regexp"

	"exclave/dict"
	"exclave/internal/geoip"
)

// Searcher counts one kind of element on a page. Search is called by many
// goroutines at once and keeps nothing of p; its time is linear in the size of
// the page, it looks whether ctx is done every [BetweenChecks] elements or so, and its
// memory is bounded. An error is a failure of ours (a database gone, ctx done), never
// a property of the page. A Searcher that also has
// Close() error is closed with the Analyzer.
type Searcher interface {
	Search(ctx context.Context, p *Page) (Finding, error)
}

// BetweenChecks is how many elements of a page a searcher counts, at most, before it
// looks whether it may go on.
const BetweenChecks = 1000

// counted yields the elements of a page until ctx ends, which is for the caller to
// look at afterwards.
func counted[T any](ctx context.Context, elements iter.Seq[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		n := 0
		for e := range elements {
			if n++; n%BetweenChecks == 0 && ctx.Err() != nil || !yield(e) {
				return
			}
		}
	}
}

// kind is one row of the table of searchers.
type kind struct {
	// options are the keys of a [[searcher]] table beyond those that every
	// kind has (commonOptions); required ones must be given.
	options, required []string
	open              func(c SearcherConfig, m *managers) (Searcher, error)
}

// kinds is the table of searchers: a new one is a file and a row.
func kinds() map[string]kind {
	pattern := []string{"pattern"}
	return map[string]kind{
		"email":     {options: pattern, required: pattern, open: openEmail},
		"phone":     {options: pattern, required: pattern, open: openPhone},
		"html_lang": {options: pattern, required: pattern, open: openHTMLLang},
		"dictionary": {
			options:  []string{"list"},
			required: []string{"list"},
			open:     openDictionary,
		},
		"geoip": {
			options:  []string{"countries"},
			required: []string{"countries"},
			open:     openGeoIP,
		},
	}
}

// managers hold what searchers of one Analyzer share; each resource is opened
// once, before the first page. The zero managers is ready.
type managers struct {
	lists  map[string]*dict.List
	geo    *geoip.DB     // nil = none is configured
	owners *geoip.Owners // nil = none is configured
}

// list opens the word list of that name: a built-in one, or a file.
func (m *managers) list(name string) (*dict.List, error) {
	if l := m.lists[name]; l != nil {
		return l, nil
	}
	l, err := dict.Load(name)
	if err != nil {
		return nil, err
	}
	if m.lists == nil {
		m.lists = map[string]*dict.List{}
	}
	m.lists[name] = l
	return l, nil
}

// compile compiles a profile's pattern. Patterns are searched, not anchored,
// and see values in lower case.
func compile(pattern string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	return re, nil
}
