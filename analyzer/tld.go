package analyzer

import "context"

// ownHost counts the page's own host, once; it is valid when it is in one of the domains.
type ownHost struct {
	domains domainSet
}

// tldOptions are those of the kind "tld".
type tldOptions struct{ domainsOption }

func (o *tldOptions) open(*resources) (Searcher, error) { return ownHost{o.set()}, nil }

// Search implements Searcher.
func (s ownHost) Search(_ context.Context, p *Page) (Finding, error) {
	var t tally
	if p.Host != "" {
		t.add(s.domains.has(p.Host), p.Host, "host")
	}
	return t.finding(), nil
}
