package rules

import (
	"exclave/crawl"
	"exclave/frontier/schema"
)

// Deletion is the URIs that an operator deletes.
type Deletion struct {
	IDs     []crawl.ID
	Status  crawl.Status
	Log     func(*crawl.CrawlURI) []crawl.LogLine
	Deleted int // set when the request is committed
}

// DeletePending finishes pending URIs with a status, without a request. It reads their records and changes what finishing
// a URI changes. URIs in process, URIs no longer pending and prerequisites are left alone.
func (t *Tx) DeletePending(d *Deletion) error {
	for _, id := range d.IDs {
		r, err := t.Record(id)
		if err != nil {
			return err
		}
		if r == nil || r.State != schema.Pending || r.Claim.IsZero() || !t.env.Queues.Reserve(id) {
			continue
		}
		t.Freed = append(t.Freed, id)
		u := OfferOf(r, false)
		if u.Via, err = t.viaText(r); err != nil {
			return err
		}
		u.Status, u.Disposition = d.Status, crawl.Done
		u.Lines = d.Log(u)
		if err := t.done(r, u); err != nil {
			return err
		}
		d.Deleted++
	}
	return nil
}
