package rules

import (
	"bytes"
	"errors"
	"time"

	"exclave/frontier/schema"
)

// spent is a budget's limits and what was used.
func spent(documents, bytes int64, y schema.Tally) bool {
	return documents > 0 && y.URIs >= documents || bytes > 0 && y.Bytes >= bytes
}

// HostSpent reports whether the budget of a host is spent.
func (c *LimitsConfig) HostSpent(h *schema.Host) bool {
	return h.Tally != nil && spent(c.HostDocuments, c.HostBytes, *h.Tally)
}

// DomainSpent reports whether the budget of a registered domain is spent.
func (c *LimitsConfig) DomainSpent(d *schema.Domain) bool {
	return spent(c.DomainDocuments, c.DomainBytes, schema.Tally{URIs: int64(d.Documents), Bytes: int64(d.Bytes)})
}

// SourceSpent reports whether the budget of a source tag is spent, of which y was counted.
func (c *LimitsConfig) SourceSpent(y schema.Tally) bool {
	return spent(c.SourceDocuments, c.SourceBytes, y)
}

// retireWhenSpent retires the queue of a URI that was just counted when a budget is spent. It reads the tallies of its host and domain
// and changes its queue alone: the queue is retired afterwards if and only if one of them is spent that pays for it.
func (t *Tx) retireWhenSpent(r *schema.Record) error {
	l := &t.env.Limits
	q, _, err := t.QueueOf(r)
	if err != nil {
		return err
	}
	switch d, err := t.Domain(r.Host); {
	case err != nil:
		return err
	case t.env.Config.Key() == QueueByHost && l.HostSpent(&q.Host):
		q.Retired = schema.HostBudget
	case d != nil && l.DomainSpent(&d.Domain):
		q.Retired = schema.DomainBudget
	}
	return nil
}

// revive puts a retired queue that gets a URI back in order, unless the budget that would pay for the URI is spent still. It reads the
// tallies of host, domain or source and changes the queue alone.
func (t *Tx) revive(r *schema.Record, q *Queue) error {
	l, spent := &t.env.Limits, false
	switch q.Retired {
	case schema.HostBudget:
		spent = l.HostSpent(&q.Host)
	case schema.DomainBudget:
		d, err := t.Domain(r.Host)
		if err != nil {
			return err
		}
		spent = d != nil && l.DomainSpent(&d.Domain)
	case schema.SourceBudget:
		spent = !r.IsPrereq() && r.SourceTag != "" && l.SourceSpent(t.sourceTally(r.SourceTag))
	}
	if !spent {
		q.Retired = schema.NotRetired
	}
	return nil
}

// shelve moves URIs at the head of a queue whose sources' budgets are spent to its end. It reads the queue, its records, origins and the
// tallies of sources; it changes places in the queue. Afterwards its head is not one of these, or the queue is retired, or rests
// until the first of the others may be asked for.
func (t *Tx) shelve(name string) error {
	hash := t.env.Salt.Hash(name)
	q, err := t.Host(name)
	if err != nil {
		return err
	}
	var heads []*schema.Record
	var until time.Time // the first of those wakes that rest
	past := 0
	err = t.scan(schema.QueuePrefix(hash), func(k, v []byte) error {
		id, err := schema.QueuedID(hash, v)
		if err != nil {
			return err
		}
		r, err := t.Record(id)
		if err != nil {
			return err
		}
		if r == nil || r.State != schema.Waiting || !bytes.Equal(schema.QueueKey(hash, r.Precedence, r.Seq), k) {
			return nil
		}
		if len(heads) == MaxLinks {
			return ErrStop
		}
		if r.IsPrereq() || r.SourceTag == "" || !t.env.Limits.SourceSpent(t.sourceTally(r.SourceTag)) {
			o, err := t.originFor(r, q, hash, false)
			if err != nil {
				return err
			}
			if o == nil || t.env.Left(o.Until) == 0 {
				return ErrStop
			}
			if until.IsZero() || o.Until.Before(until) {
				until = o.Until
			}
			if past++; past > mostPast {
				return errAll // the others are not looked at before
			}
			return nil
		}
		if r.Precedence == schema.PrecShelved {
			return errAll
		}
		heads = append(heads, r)
		return nil
	})
	switch {
	case errors.Is(err, ErrStop):
	case err != nil && !errors.Is(err, errAll):
		return err
	case len(heads) > 0:
	case until.IsZero(): // all of them had been shelved
		q.Retired = schema.SourceBudget
	default:
		t.restUntil(q, until)
	}
	for _, r := range heads {
		if err := t.move(r, schema.PrecShelved); err != nil {
			return err
		}
	}
	return nil
}

// errAll ends a look at a queue of which nothing else may be asked for.
var errAll = errors.New("nothing else")

// mostPast is how many URIs that rest are passed over in a commit.
const mostPast = 10 * MaxLinks

// Leave is a queue that is to leave memory: the row says until when, or why.
type Leave struct {
	Queue  uint64
	Until  time.Time         // it is snoozed until then, unless
	Retire schema.Retirement // it is retired for that
	// Rests says that all that waits in it rests until then, as far as was known; Current, that no commit has
	// changed the queue since.
	Rests, Current bool
}

// Leave stores why queues leave memory. It reads and changes their rows: afterwards each is snoozed or retired, unless what waits in
// it changed meanwhile.
func (t *Tx) Leave(ls []Leave) error {
	for _, l := range ls {
		h := t.Queues[l.Queue]
		if h == nil {
			var err error
			if h, err = t.open(l.Queue, ""); err != nil {
				return err
			}
		}
		switch {
		case l.Rests: // a URI may have come meanwhile that does not
			if l.Current && h.Put == nil && !h.Origins {
				t.restUntil(h, l.Until)
			}
		case l.Retire == schema.NotRetired:
			h.Resting = true
			if until := schema.Millis(l.Until); until.After(h.Wake) {
				h.Wake = until
			}
		case l.Retire == schema.SourceBudget:
			if err := t.shelve(h.Name); err != nil {
				return err
			}
		default:
			h.Retired = l.Retire
		}
	}
	return nil
}
