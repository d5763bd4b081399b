package analyzer

import (
	"context"
	"fmt"
	"iter"
	"regexp"

	"exclave/internal/conf"
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

// kinds is the table of searchers: how a profile calls each kind, and its options with
// their defaults. A new kind is a file and a row (docs/howto/new-searcher.md).
func kinds() kindTable {
	return kindTable{
		"charset":              func() options { return &charsetOptions{} },
		"cities":               func() options { return &citiesOptions{} },
		"company_id":           func() options { return &companyIDOptions{} },
		"postal_code":          func() options { return &postalCodeOptions{} },
		"currency":             func() options { return &currencyOptions{} },
		"dictionary":           func() options { return &dictionaryOptions{} },
		"email":                func() options { return &emailOptions{} },
		"forbidden_dictionary": func() options { return &forbiddenDictionaryOptions{} },
		"forbidden_link":       func() options { return &forbiddenLinkOptions{} },
		"geoip":                func() options { return &geoipOptions{} },
		"host":                 func() options { return &hostOptions{MinPages: defaultMinPages} },
		"html_lang":            func() options { return &htmlLangOptions{} },
		"in_links":             func() options { return &inLinksOptions{} },
		"language":             func() options { return &languageOptions{} },
		"phone":                func() options { return &phoneOptions{} },
		"regexp":               func() options { return &regexpOptions{In: inText} },
		"tld":                  func() options { return &tldOptions{} },
		"url":                  func() options { return &urlOptions{} },
		"valid_link":           func() options { return &siteOptions{} },
		"whois":                func() options { return &whoisOptions{} },
	}
}

type kindTable map[string]func() options

// options are what one kind of searcher is told by its [[searcher]] table, beyond what all
// kinds are told (SearcherConfig): a pointer to a struct, whose fields are the keys. All
// of them are settings that verdicts follow from: a begun job holds on to their values.
type options interface {
	conf.Validator
	// open makes the searcher. What it shares with others it gets by [shared].
	open(r *resources) (Searcher, error)
}

// What options can do beside; each is optional.
type (
	// namesFiles is for options that name files.
	namesFiles interface {
		// beside makes names of files that are relative those of the folder dir, where
		// the profile lies.
		beside(dir string)
		// check returns what is wrong with the files.
		check() conf.Problems
	}
	// needsJob is for kinds that use what the job names, not the profile: a key of
	// [analysis] in job.toml, a field of Config.
	needsJob interface {
		// provide opens it, for [shared] to find; keys of problems are those of Config.
		provide(c Config, r *resources) conf.Problems
		// off says what a searcher does nothing without; "" = the job names it. A
		// searcher that is off is not in the verdict.
		off(c Config) Missing
	}
	// unwanted is for kinds that find what speaks against a page: their points are not
	// positive.
	unwanted interface{ unwanted() }
)

// What a Searcher can do beside; each is optional. One that has Close() error is closed
// with the Analyzer.
type (
	// needsAddrs is for searchers that look at the addresses of a page's outlinks.
	needsAddrs interface{ needsAddrs() bool }
	// needsHost is for searchers that look at how other pages of the host were judged.
	needsHost interface{ needsHost() bool }
	// needsWhois is for searchers that look at the WHOIS answer about the page's domain.
	needsWhois interface{ needsWhois() bool }
	// hasContents is for searchers that an option names something for: contents returns
	// what is in it by the option's key, since another content makes other verdicts.
	hasContents interface{ contents() map[string]string }
)

// patternOption is an option of several kinds.
type patternOption struct {
	Pattern string `toml:"pattern,required"` // RE2, searched in the value in lower case
}

// Validate returns every value that cannot be.
func (o patternOption) Validate() (ps conf.Problems) {
	if _, err := compile(o.Pattern); err != nil {
		ps.Add("pattern", "%v", err)
	}
	ps.Check(o.Pattern != "", "pattern", "is empty")
	return ps
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
