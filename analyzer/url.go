package analyzer

import "context"

// links counts the outlinks that lead to a host; valid are those to a host in one of the
// domains.
type links struct {
	domains domainSet
	others  bool // only links to other hosts than the page's
}

// urlOptions are those of the kind "url".
type urlOptions struct {
	domainsOption
	OtherHosts bool `toml:"other_hosts"` // links to the page's own host are not counted
}

func (o *urlOptions) open(*resources) (Searcher, error) { return links{o.set(), o.OtherHosts}, nil }

// Search implements Searcher.
func (s links) Search(ctx context.Context, p *Page) (Finding, error) {
	var t tally
	var last string // links to one host often follow each other
	var valid bool
	for _, l := range p.Outlinks {
		if l.Host == "" || s.others && l.Host == p.Host {
			continue
		}
		if l.Host != last {
			last, valid = l.Host, s.domains.has(l.Host)
		}
		t.add(valid, l.Host, "link")
	}
	return t.finding(), ctx.Err()
}
