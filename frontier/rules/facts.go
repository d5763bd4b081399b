package rules

import (
	"fmt"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/internal/robots"
)

// failedFactsTTL is how long a prerequisite that ended without facts counts as failed.
const failedFactsTTL = time.Hour

// learnFailure gives a prerequisite that ended without facts (a chain without a fetcher
// for it, a failure of ours) those of a failure: otherwise URIs that need it would ask for it
// for ever.
func (t *Tx) learnFailure(u *crawl.CrawlURI) error {
	if u.Disposition != crawl.Done {
		return nil
	}
	now := t.env.Now()
	if host, ok := crawl.DNSHost(u.Key); ok && u.HostFacts == nil {
		u.HostFacts = &crawl.HostFacts{Host: host, Status: u.Status, Asked: now, Expires: now.Add(failedFactsTTL)}
	}
	if origin, ok := crawl.RobotsOrigin(u.Key); ok && u.Origin == nil {
		rules, err := robots.FromStatus(0, nil, "").MarshalBinary()
		if err != nil {
			return err
		}
		u.Origin = &crawl.OriginFacts{Origin: origin, Status: u.Status, Robots: rules, Fetched: now, Expires: now.Add(failedFactsTTL)}
	}
	return nil
}

// learnFacts stores the facts about its host that the URI brought, and deferred records for the host's first archived
// page; those that this page carried are marked as written.
func (t *Tx) learnFacts(u *crawl.CrawlURI) error {
	if err := t.learnFailure(u); err != nil {
		return err
	}
	if h := u.HostFacts; h != nil {
		t.w.Set(schema.HostFactsKey(h.Host), schema.EncodeHostFacts(h))
	}
	if o := u.Origin; o != nil {
		t.w.Set(schema.OriginFactsKey(o.Origin), schema.EncodeOriginFacts(o))
	}
	if d := u.Deferred; d != nil {
		if err := t.SetDeferred(d); err != nil {
			return err
		}
	}
	if u.Disposition != crawl.Done {
		return nil
	}
	for _, key := range u.Carried {
		v, err := t.Row(schema.AnswerKey(key))
		if err != nil {
			return err
		}
		a, err := schema.DecodeAnswer(v)
		if err != nil {
			return fmt.Errorf("deferred answer %s: %w", key, err)
		}
		a.Written, a.Packed = true, nil
		if err := t.setAnswer(key, &a); err != nil {
			return err
		}
	}
	return nil
}

// SetDeferred stores a deferred record.
func (t *Tx) SetDeferred(d *crawl.Deferred) error {
	return t.setAnswer(d.Key, &schema.Answer{Written: d.Written, Time: d.Time, Packed: t.env.Pack(d.Raw)})
}

// setAnswer sets the row of a deferred record, which this commit may read again.
func (t *Tx) setAnswer(key string, a *schema.Answer) error {
	t.setRow(schema.AnswerKey(key), a.Encode())
	return nil
}
