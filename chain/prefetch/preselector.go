package prefetch

import (
	"context"

	"exclave/chain"
	"exclave/chain/decide"
	"exclave/crawl"
)

// Preselector asks the scope again just before a URI is fetched: its rules, or
// the claim of the URI, may have changed since it was found.
type Preselector struct{ scope chain.Filter }

var _ chain.Processor = (*Preselector)(nil)

// NewPreselector returns the processor. The scope lets in what it accepts, and
// nothing about which it is silent.
func NewPreselector(scope chain.Filter) *Preselector { return &Preselector{scope} }

// Process ends URIs out of scope with crawl.StatusOutOfScope and the annotation
// "scope:" and the rule that decided.
func (p *Preselector) Process(_ context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	if u.IsPrereq() || u.Mode == crawl.ModeJudge {
		return chain.Result{}, nil
	}
	if u.Parsed() == nil {
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
