package frontier

import (
	"context"
	"fmt"

	"exclave/crawl"
	"exclave/frontier/commit"
	"exclave/frontier/rules"
)

// Retry offers finished URIs again, as if none of their attempts had been made: what their origin and
// their queue back off for is forgotten, and so is a failed answer of a name server or robots.txt that
// would fail them at once. Politeness stays: the delays after the last request hold. URIs that are no
// longer finished with that status, and prerequisites, are left alone. It returns how many were offered
// again, by status.
func (f *Frontier) Retry(ctx context.Context, us ...rules.RetryURI) (map[crawl.Status]int64, error) {
	n := map[crawl.Status]int64{}
	for len(us) > 0 {
		r := &commit.Request{Request: rules.Request{Retries: &rules.Retries{URIs: us[:min(len(us), rules.MaxLinks)]}}}
		us = us[len(r.Retries.URIs):]
		if err := f.committer.Submit(ctx, r); err != nil {
			return n, fmt.Errorf("frontier: retry: %w", err)
		}
		for s, k := range r.Retries.Retried {
			n[s] += k
		}
	}
	return n, nil
}
