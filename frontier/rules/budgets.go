package rules

import (
	"bytes"
	"errors"
	"time"

	"exclave/frontier/schema"
)

// isSpent reports whether a tally has reached one of the limits of a budget.
func isSpent(documents, bytes int64, y schema.Tally) bool {
	return documents > 0 && y.URIs >= documents || bytes > 0 && y.Bytes >= bytes
}

// HostSpent reports whether the budget of a host is spent.
func (c *LimitsConfig) HostSpent(h *schema.Host) bool {
	return h.Tally != nil && isSpent(c.HostDocuments, c.HostBytes, *h.Tally)
}

func (e *Env) hostSpent(h *schema.Host) bool {
	l := e.HostLimits(h.Name)
	return l.HostSpent(h)
}

// DomainSpent reports whether the budget of a registered domain is spent.
func (c *LimitsConfig) DomainSpent(d *schema.Domain) bool {
	return isSpent(c.DomainDocuments, c.DomainBytes, schema.Tally{URIs: int64(d.Documents), Bytes: int64(d.Bytes)})
}

// SourceSpent reports whether the budget of a source tag with the tally y is spent.
func (c *LimitsConfig) SourceSpent(y schema.Tally) bool {
	return isSpent(c.SourceDocuments, c.SourceBytes, y)
}

// retireWhenSpent retires the queue of a URI that was just counted when the budget of its host or domain is spent. It
// reads their tallies and changes the queue alone.
func (t *Tx) retireWhenSpent(r *schema.Record) error {
	l := &t.env.Limits
	q, _, err := t.QueueOf(r)
	if err != nil {
		return err
	}
	switch d, err := t.Domain(r.Host); {
	case err != nil:
		return err
	case t.env.Config.Key() == QueueByHost && t.env.hostSpent(&q.Host):
		q.Retired = schema.HostBudget
	case d != nil && l.DomainSpent(&d.Domain):
		q.Retired = schema.DomainBudget
	}
	return nil
}

// revive revives a retired queue that gets a URI, unless the budget of that URI is still spent. It reads the tallies of
// host, domain or source and changes the queue alone.
func (t *Tx) revive(r *schema.Record, q *Queue) error {
	l, spent := &t.env.Limits, false
	switch q.Retired {
	case schema.HostBudget:
		spent = t.env.hostSpent(&q.Host)
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

// Revival is a look at the queues that are retired, at most MaxLinks of them.
type Revival struct {
	After schema.Place // the last one that was looked at, set when the request is committed; zero: none yet
	Over  bool         // none is left; set when the request is committed
}

// ReviveRaised revives queues that are retired for the budgets of their hosts, where other limits of the host leave some
// of it. It reads the places and the rows of retired queues, and changes the queues alone.
func (t *Tx) ReviveRaised(a *Revival) error {
	from := schema.Retired.Prefix()
	if a.After != (schema.Place{}) {
		from = append(a.After.Key(), 0)
	}
	n := 0
	err := t.state.Scan(from, schema.Retired.Prefix(), func(k, _ []byte) error {
		if n++; n > MaxLinks {
			return ErrStop
		}
		a.After = schema.ReadPlace(k)
		q := t.Queues[a.After.Host]
		if q == nil {
			var err error
			if q, err = t.open(a.After.Host, ""); err != nil {
				return err
			}
		}
		if q.Retired == schema.HostBudget && !t.env.hostSpent(&q.Host) {
			q.Retired = schema.NotRetired
		}
		return nil
	})
	a.Over = !errors.Is(err, ErrStop)
	if !a.Over {
		return nil
	}
	return err
}

// shelve moves URIs at the head of a queue to its end when the budgets of their sources are spent. It reads the queue, its
// records, origins and the tallies of sources. Afterwards another URI is the head, or the queue is retired because there
// is none, or it is snoozed until the first origin of the others ends its back-off.
func (t *Tx) shelve(name string) error {
	hash := t.env.Salt.Hash(name)
	q, err := t.Host(name)
	if err != nil {
		return err
	}
	var heads []*schema.Record
	var until time.Time // when the first back-off ends
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
		if r == nil || r.State != schema.Pending || !bytes.Equal(schema.QueueKey(hash, r.Precedence, r.Seq), k) {
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
			if o == nil || t.env.SnoozeLeft(o.Until) == 0 {
				return ErrStop
			}
			if until.IsZero() || o.Until.Before(until) {
				until = o.Until
			}
			if past++; past > mostSkipped {
				return errNothingElse // enough for one commit
			}
			return nil
		}
		if r.Precedence == schema.PrecShelved {
			return errNothingElse
		}
		heads = append(heads, r)
		return nil
	})
	switch {
	case errors.Is(err, ErrStop):
	case err != nil && !errors.Is(err, errNothingElse):
		return err
	case len(heads) > 0:
	case until.IsZero(): // all of them had been shelved
		q.Retired = schema.SourceBudget
	default:
		t.backOffUntil(q, until)
	}
	for _, r := range heads {
		if err := t.requeue(r, schema.PrecShelved); err != nil {
			return err
		}
	}
	return nil
}

// errNothingElse ends the scan of a queue in which no other URI may be dispatched.
var errNothingElse = errors.New("no other URI may be dispatched")

// mostSkipped is how many URIs of origins that back off are skipped in a commit.
const mostSkipped = 10 * MaxLinks

// Leave is a queue to be evicted: its row gets its wake time, or why it is retired.
type Leave struct {
	Queue  uint64
	Until  time.Time         // its wake time, unless it is retired
	Retire schema.Retirement // why it is retired
	// BacksOff says that all its origins back off until then, as far as was known; Current, that no commit has
	// changed the queue since.
	BacksOff, Current bool
}

// Leave stores that queues are snoozed or retired, so that they can be evicted. It reads and changes their rows. A queue
// that backs off stays resident when its URIs changed meanwhile.
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
		case l.BacksOff: // a URI of another origin may have been added meanwhile
			if l.Current && h.Put == nil && !h.Origins {
				t.backOffUntil(h, l.Until)
			}
		case l.Retire == schema.NotRetired:
			h.Snoozed = true
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
