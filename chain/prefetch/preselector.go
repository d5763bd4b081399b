package prefetch

import (
	"context"

	"exclave/chain"
	"exclave/chain/decide"
	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/sheet"
	"exclave/internal/urlx"
)

// Preselector asks the scope again just before a URI is fetched: its rules, or
// the claim of the URI, may have changed since it was found. Before that it lays the
// settings of the sheets on the URI.
type Preselector struct {
	scope  chain.Filter
	sheets *sheet.Live
	clk    clock.Clock
}

var _ chain.Processor = (*Preselector)(nil)

// NewPreselector returns the processor. The scope lets in what it accepts, and
// nothing about which it is silent; sheets may be nil.
func NewPreselector(scope chain.Filter, sheets *sheet.Live, clk clock.Clock) *Preselector {
	return &Preselector{scope, sheets, clk}
}

// Process ends URIs out of scope with crawl.StatusOutOfScope and the annotation
// "scope:" and the rule that decided, and those that a sheet blocks with
// crawl.StatusBlockedByUser and "blocked:" and the reason. At the wrong hours it has them wait.
func (p *Preselector) Process(_ context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	if u.Mode == crawl.ModeJudge {
		return chain.Result{}, nil
	}
	if set := p.sheets.Now(); set.Len() > 0 && p.bySheet(set, u) {
		return chain.Jump(chain.Post), nil
	}
	if u.IsPrereq() {
		return chain.Result{}, nil
	}
	if u.Parsed() == nil { // a state made by hand
		u.Status = crawl.StatusUnfetchable
		return chain.Jump(chain.Post), nil
	}
	r := p.scope.Decide(&decide.Subject{Cand: &u.Candidate})
	if r.Decision == decide.Accept {
		return chain.Result{}, nil
	}
	u.Status = crawl.StatusOutOfScope
	if r.Rule != "" {
		u.Annotate("scope:" + r.Rule)
	}
	return chain.Jump(chain.Post), nil
}

// bySheet lays the settings on the URI and reports that it is not asked for, at least not now.
func (p *Preselector) bySheet(set *sheet.Set, u *crawl.CrawlURI) bool {
	u.Sheet = set.Of(urlOf(u), u.Claim.Profiles())
	reason, blocked := u.Sheet.Blocks()
	if blocked && u.IsPrereq() { // a part of the host may be open, which cannot be had without
		if via, err := urlx.Parse(u.Via); err == nil {
			_, blocked = set.Of(via, 0).Blocks() // a sheet by profile opens nothing that one by address blocks
		}
	}
	if blocked {
		u.Status = crawl.StatusBlockedByUser
		u.Annotate("blocked:" + reason)
		return true
	}
	if h := u.Sheet.Hours; h != nil {
		u.Wait = h.Wait(p.clk.Now().Local())
	}
	if u.Wait > 0 {
		u.Status, u.Disposition = crawl.StatusDeferred, crawl.Defer
	}
	return u.Wait > 0
}

// urlOf returns the address that settings are for: of a DNS look-up the root of the host.
func urlOf(u *crawl.CrawlURI) *urlx.URL {
	if !crawl.IsDNS(u.Key) {
		return u.Parsed()
	}
	root, _ := urlx.Parse("http://" + u.Host + "/") // nil with an error
	return root
}
