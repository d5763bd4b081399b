package analyzer

import (
	"context"

	"exclave/internal/urlx"
)

// inLinks counts the page on which this one was found first, by this crawl or, for a seed, by the
// harvest whose log names it; it is valid when its host is in one of the domains. Further
// pages that link here are not known when the page is judged.
type inLinks struct {
	domains domainSet
}

// inLinksOptions are those of the kind "in_links".
type inLinksOptions struct{ domainsOption }

func (o *inLinksOptions) open(*resources) (Searcher, error) { return inLinks{o.set()}, nil }

// Search implements Searcher.
func (s inLinks) Search(_ context.Context, p *Page) (Finding, error) {
	var t tally
	if p.Via == "" {
		return t.finding(), nil
	}
	if u, err := urlx.Parse(p.Via); err == nil && u.Hostname() != "" {
		t.add(s.domains.has(u.Hostname()), p.Via, "via")
	}
	return t.finding(), nil
}
