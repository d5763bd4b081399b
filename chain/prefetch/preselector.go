package prefetch

import (
	"context"

	"exclave/chain"
	"exclave/chain/decide"
	"exclave/crawl"
	"exclave/internal/sheet"
)

// Preselector asks the scope again just before a URI is fetched: its rules, or
// the claim of the URI, may have changed since it was found. It also asks the
// sheets whether the URI is blocked.
type Preselector struct {
	scope  chain.Filter
	sheets *sheet.Set
}

var _ chain.Processor = (*Preselector)(nil)

// NewPreselector returns the processor. The scope lets in what it accepts, and
// nothing about which it is silent; sheets may be nil.
func NewPreselector(scope chain.Filter, sheets *sheet.Set) *Preselector {
	return &Preselector{scope, sheets}
}

// Process ends URIs out of scope with crawl.StatusOutOfScope and the annotation
// "scope:" and the rule that decided, and those that a sheet blocks with
// crawl.StatusBlockedByUser and "blocked:" and the reason.
func (p *Preselector) Process(_ context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	if u.IsPrereq() || u.Mode == crawl.ModeJudge {
		return chain.Result{}, nil
	}
	if u.Parsed() == nil {
		u.Status = crawl.StatusUnfetchable
		return chain.Jump(chain.Post), nil
	}
	if reason, blocked := p.sheets.Blocked(u.Parsed()); blocked {
		u.Status = crawl.StatusBlockedByUser
		u.Annotate("blocked:" + reason)
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
