package rules

import (
	"context"
	"errors"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// Retries are finished URIs to be retried.
type Retries struct {
	URIs    []RetryURI
	Retried map[crawl.Status]int64 // set when the request is committed
}

// RetryFinished queues finished URIs as if none of their attempts had been made. It reads their records, hosts, origins
// and facts; it changes their records and queues, and deletes facts that would fail them at once. Afterwards neither queue
// nor origin backs off because of them; delays stay. URIs that are no longer finished with that status, and
// prerequisites, are left alone.
func (t *Tx) RetryFinished(a *Retries) error {
	a.Retried = map[crawl.Status]int64{}
	for _, u := range a.URIs {
		r, err := t.Record(u.ID)
		if err != nil {
			return err
		}
		if r == nil || r.State != schema.Done || r.Claim.IsZero() || r.Outcome.Status != u.Status {
			continue
		}
		if err := t.endFailureFacts(r); err != nil {
			return err
		}
		r.Force = r.Force || u.Force
		if err := errors.Join(t.Enqueue(r, crawl.ModeFetch), t.resetBackOff(r)); err != nil {
			return err
		}
		a.Retried[u.Status]++
	}
	return nil
}

// endFailureFacts ends the facts of a URI's host and origin that say that nothing can be fetched. From when on a robots.txt could not be
// had stays known (RFC 9309 §2.3.1.4).
func (t *Tx) endFailureFacts(r *schema.Record) error {
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
	o.Expires = o.Fetched
	t.w.Set(schema.OriginFactsKey(origin), schema.EncodeOriginFacts(&o))
	return nil
}

// resetBackOff ends the back-off of a URI's origin and queue. The delay of the queue stays.
func (t *Tx) resetBackOff(r *schema.Record) error {
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
	t.backOffUntil(q, time.Time{}) // found again when the queue is dispatched
	q.Recovered = true
	return nil
}

// RetryURI is a finished URI to be retried, and the status it was finished with.
type RetryURI struct {
	ID     crawl.ID
	Status crawl.Status
	Force  bool // it is asked for although it is archived: conditionally, unless it was cut
}
