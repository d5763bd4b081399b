package rules

import (
	"context"
	"errors"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// Retries are finished URIs to be offered again.
type Retries struct {
	URIs    []Again
	Offered map[crawl.Status]int64 // for the caller, once answered
}

// OfferAgain queues finished URIs as if none of their attempts had been made. It reads their records, hosts, origins and facts; it
// changes their records and queues and drops facts that would fail them at once. Afterwards nothing rests because of their failures;
// what politeness asks for holds. URIs that are no longer finished with that status, and prerequisites, are left alone.
func (t *Tx) OfferAgain(a *Retries) error {
	a.Offered = map[crawl.Status]int64{}
	for _, u := range a.URIs {
		r, err := t.Record(u.ID)
		if err != nil {
			return err
		}
		if r == nil || r.State != schema.Done || r.Claim.IsZero() || r.Outcome.Status != u.Status {
			continue
		}
		if err := t.forgetFacts(r); err != nil {
			return err
		}
		if err := errors.Join(t.Enqueue(r, crawl.ModeFetch), t.forgiveFailures(r)); err != nil {
			return err
		}
		a.Offered[u.Status]++
	}
	return nil
}

// forgetFacts drops what is known of a URI's host and origin when it says that nothing can be had.
func (t *Tx) forgetFacts(r *schema.Record) error {
	ctx := context.Background()
	h, err := t.env.Facts.Host(ctx, r.Host)
	if err != nil {
		return err
	}
	if h.Status < 0 {
		t.w.Delete(schema.HostFactsKey(r.Host))
	}
	origin := schema.OriginOf(r.URL)
	o, err := t.env.Facts.Origin(ctx, origin)
	if err != nil {
		return err
	}
	refused := r.Outcome.Status == crawl.StatusRobots || r.Outcome.Status == crawl.StatusRobotsPrereqFailed
	if o.Fetched.IsZero() || o.Status.IsHTTP() && o.Status < 500 && !refused {
		return nil
	}
	t.w.Delete(schema.OriginFactsKey(origin))
	return nil
}

// forgiveFailures ends the rest after failures of a URI's origin and queue, but for politeness.
func (t *Tx) forgiveFailures(r *schema.Record) error {
	q, hash, err := t.QueueOf(r)
	if err != nil {
		return err
	}
	o, err := t.originFor(r, q, hash, false)
	if err != nil {
		return err
	}
	if o != nil {
		o.Origin = schema.Origin{Name: o.Name}
		q.Origins = true
	}
	delay, err := t.env.CrawlDelay(r)
	if err != nil {
		return err
	}
	if most := schema.CeilMillis(t.env.Wall().Add(max(t.env.Config.MaxDelay, delay))); q.Wake.After(most) {
		q.Wake = most
	}
	q.Backoff, q.Refused, q.GaveUp = 0, 0, false
	t.restUntil(q, time.Time{}) // seen through when it is its turn
	q.Eased = true
	return nil
}

// Again is a finished URI to be offered again, and the status it was finished with.
type Again struct {
	ID     crawl.ID
	Status crawl.Status
}
