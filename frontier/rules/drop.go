package rules

import (
	"exclave/crawl"
	"exclave/frontier/schema"
)

// Deletion are URIs that an operator wants no more.
type Deletion struct {
	IDs     []crawl.ID
	Status  crawl.Status
	Log     func(*crawl.CrawlURI) []crawl.LogLine
	Dropped int // for the caller, once answered
}

// Drop finishes URIs that wait with a status, without a request. It reads their records and changes what finishing a URI changes. Those
// that are in process, wait no longer, or are prerequisites are left alone.
func (t *Tx) Drop(d *Deletion) error {
	for _, id := range d.IDs {
		r, err := t.Record(id)
		if err != nil {
			return err
		}
		if r == nil || r.State != schema.Waiting || r.Claim.IsZero() || !t.env.Queues.Reserve(id) {
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
		d.Dropped++
	}
	return nil
}
