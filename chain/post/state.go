package post

import (
	"context"

	"exclave/chain"
	"exclave/crawl"
)

// StateUpdater decides by the status what the frontier is to do with the URI:
// processor "crawl-state-updater". A disposition other than Done that was set
// before stays.
type StateUpdater struct{}

// NewStateUpdater returns the processor.
func NewStateUpdater() *StateUpdater { return &StateUpdater{} }

// ownAttempts is how often a URI on which a processor of ours fails is tried.
const ownAttempts = 3

// Process implements [chain.Processor].
func (*StateUpdater) Process(ctx context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	if u.Disposition != crawl.Done {
		return chain.Result{}, nil
	}
	if u.Mode == crawl.ModeJudge && u.Err == nil {
		return chain.Result{}, nil
	}
	switch u.Status.Class() {
	case crawl.ClassRetry:
		switch {
		case u.Span != nil && u.Err == nil, u.LastAttempt:
			// An archived answer is an answer.
		case u.Err != nil && ctx.Err() == nil && u.Attempt >= ownAttempts:
			// The same bytes make us fail the same way: the host need not rest for it.
		case ctx.Err() != nil:
			u.Disposition = crawl.Resign
		default:
			u.Disposition = crawl.Retry
		}
	case crawl.ClassDefer:
		switch {
		case u.Prereq != nil:
			u.Disposition = crawl.Defer
		case ctx.Err() != nil:
			u.Disposition = crawl.Resign
		default:
			u.Status = crawl.StatusUnfetchable // no processor took it
		}
	}
	return chain.Result{}, nil
}
