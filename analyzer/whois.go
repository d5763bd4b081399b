package analyzer

import (
	"context"
	"regexp"

	"exclave/internal/conf"
)

// registrant looks at the lines of the WHOIS answer about the page's domain that name a country: found once, when there are
// any; valid when one matches. Who was not asked, or did not answer, says nothing. It asks nobody itself.
type registrant struct{ pattern *regexp.Regexp }

// whoisOptions are those of the kind "whois".
type whoisOptions struct{ patternOption }

var _ needsJob = (*whoisOptions)(nil)

// provide implements needsJob: the caller of Run asks.
func (o *whoisOptions) provide(Config, *resources) conf.Problems { return nil }

func (o *whoisOptions) off(c Config) Missing {
	if !c.Whois {
		return MissingWhois
	}
	return ""
}

func (o *whoisOptions) open(*resources) (Searcher, error) {
	re, err := compile(o.Pattern)
	return registrant{re}, err
}

func (s registrant) needsWhois() bool { return true }

// Search implements Searcher.
func (s registrant) Search(_ context.Context, p *Page) (Finding, error) {
	var t tally
	for _, line := range p.Whois {
		if s.pattern.MatchString(line) {
			t.add(true, line, "whois")
			return t.finding(), nil
		}
	}
	if len(p.Whois) > 0 {
		t.add(false, "", "whois")
	}
	return t.finding(), nil
}
