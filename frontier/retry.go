package frontier

import (
	"context"
	"fmt"

	"exclave/crawl"
	"exclave/frontier/commit"
	"exclave/frontier/rules"
)

// Retry makes finished URIs pending again, as if none of their attempts had been made. It resets the
// back-off of their origins and queues, and deletes failed DNS answers and robots.txt that would make
// them fail at once. Delays after the last request still hold. URIs that are no longer finished with
// the given status, and prerequisites, are left alone. It returns how many are retried, by status.
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
