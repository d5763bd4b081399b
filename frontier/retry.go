package frontier

import (
	"context"
	"errors"
	"fmt"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// Failed reports whether a URI that was finished with a status counts as failed: nobody answered, or
// we failed; not that it was kept out (robots.txt, scope, a quota, an operator).
func Failed(s crawl.Status) bool { return s < 0 && !excluded(s) }

// Again is a finished URI to be offered again, and the status it was finished with.
type Again struct {
	ID     crawl.ID
	Status crawl.Status
}

// Retry offers finished URIs again, as if none of their attempts had been made: what their origin and
// their queue back off for is forgotten, and so is a failed answer of a name server or robots.txt that
// would fail them at once. Politeness stays: the delays after the last request hold. URIs that are no
// longer finished with that status, and prerequisites, are left alone. It returns how many were offered
// again, by status.
func (f *Frontier) Retry(ctx context.Context, us ...Again) (map[crawl.Status]int64, error) {
	n := map[crawl.Status]int64{}
	for len(us) > 0 {
		r := &request{again: &again{us: us[:min(len(us), maxLinks)]}}
		us = us[len(r.again.us):]
		if err := f.submit(ctx, r); err != nil {
			return n, fmt.Errorf("frontier: retry: %w", err)
		}
		for s, k := range r.again.n {
			n[s] += k
		}
	}
	return n, nil
}

// again is what Retry asks the committer for.
type again struct {
	us []Again
	n  map[crawl.Status]int64 // for the caller, once answered
}

func (t *tx) again(a *again) error {
	a.n = map[crawl.Status]int64{}
	for _, u := range a.us {
		r, err := t.record(u.ID)
		if err != nil {
			return err
		}
		if r == nil || r.State != schema.Done || r.Claim.IsZero() || r.Outcome.Status != u.Status {
			continue
		}
		if err := t.forgetFacts(r); err != nil {
			return err
		}
		if err := errors.Join(t.enqueue(r, crawl.ModeFetch), t.ease(r)); err != nil {
			return err
		}
		a.n[u.Status]++
	}
	return nil
}

// forgetFacts drops what is known of a URI's host and origin when it says that nothing can be had.
func (t *tx) forgetFacts(r *schema.Record) error {
	ctx := context.Background()
	h, err := t.f.Host(ctx, r.Host)
	if err != nil {
		return err
	}
	if h.Status < 0 {
		t.know.hosts = append(t.know.hosts, r.Host)
		if err := t.b.Delete(schema.HostFactsKey(r.Host), nil); err != nil {
			return err
		}
	}
	origin := schema.OriginOf(r.URL)
	o, err := t.f.Origin(ctx, origin)
	if err != nil {
		return err
	}
	refused := r.Outcome.Status == crawl.StatusRobots || r.Outcome.Status == crawl.StatusRobotsPrereqFailed
	if o.Fetched.IsZero() || o.Status.IsHTTP() && o.Status < 500 && !refused {
		return nil
	}
	t.know.origins = append(t.know.origins, origin)
	return t.b.Delete(schema.OriginFactsKey(origin), nil)
}

// ease ends the rest after failures of a URI's origin and queue, but for politeness.
func (t *tx) ease(r *schema.Record) error {
	q, hash, err := t.queue(r)
	if err != nil {
		return err
	}
	o, err := t.originFor(r, q, hash, false)
	if err != nil {
		return err
	}
	if o != nil {
		o.Origin = schema.Origin{Name: o.Name}
		t.turned[hash] = true
	}
	delay, err := t.f.crawlDelay(r)
	if err != nil {
		return err
	}
	if most := ceilMillis(t.f.wall().Add(max(t.f.cfg.MaxDelay, delay))); q.Wake.After(most) {
		q.Wake = most
	}
	q.Backoff, q.Refused, q.GaveUp = 0, 0, false
	t.restUntil(q, time.Time{}) // seen through when it is its turn
	t.eased[hash] = true
	return nil
}
