package rules

import (
	"errors"
	"fmt"
	"time"

	"exclave/frontier/schema"
)

// origin is the row of an origin within a commit.
type origin struct {
	schema.Origin
	had bool // before
}

// originFor returns the row of a URI's origin for changing; nil when there is none and fresh is
// false.
func (t *Tx) originFor(r *schema.Record, q *Queue, queue uint64, fresh bool) (*origin, error) {
	id := schema.OriginID{Queue: queue, Tag: t.env.Salt.OriginTag(r.URL)}
	o := t.origins[id]
	if o == nil && q.Failing > 0 {
		row, had, err := t.originBefore(id)
		if err != nil {
			return nil, err
		}
		if had {
			o = &origin{row, true}
			t.origins[id] = o
		}
	}
	if o == nil && fresh {
		o = &origin{Origin: schema.Origin{Name: schema.OriginOf(r.URL)}}
		t.origins[id] = o
	}
	return o, nil
}

// originFailed makes the origin of a URI that could not be fetched back off, and its queue when all its origins do. It
// reads and changes the rows of the origin and the queue.
func (t *Tx) originFailed(r *schema.Record, gaveUp bool) error {
	q, hash, err := t.QueueOf(r)
	if err != nil {
		return err
	}
	o, err := t.originFor(r, q, hash, true)
	if err != nil {
		return err
	}
	rest := max(t.env.Config.backOff(o.Backoff), t.env.SnoozeLeft(o.Until)) // another URI of it may have failed
	o.Backoff = min(o.Backoff+1, maxBackoff)
	o.GaveUp = o.GaveUp || gaveUp
	o.Until = schema.CeilMillis(t.env.Wall().Add(rest))
	q.Origins = true
	return t.backOffWithOrigins(q, hash)
}

// originAnswered notes an answer of an origin; cleared says that it ends its being given up. It halves the failures that
// the back-off is for; an origin without failures has no row.
func (t *Tx) originAnswered(r *schema.Record, cleared bool) error {
	q, hash, err := t.QueueOf(r)
	if err != nil {
		return err
	}
	o, err := t.originFor(r, q, hash, false)
	if o == nil || err != nil {
		return err
	}
	o.Backoff /= 2
	o.GaveUp = o.GaveUp && !cleared
	q.Origins = true
	return nil
}

// backOffWithOrigins makes a queue back off until the first of its origins ends its back-off, if all of them back off.
// A long queue, and one that this commit adds to, is examined when it is dispatched.
func (t *Tx) backOffWithOrigins(q *Queue, hash uint64) error {
	if q.Pending > ReadAhead || q.Put != nil {
		return nil
	}
	var until time.Time
	err := t.scan(schema.QueuePrefix(hash), func(_, v []byte) error {
		_, tag, err := schema.DecodeQueued(hash, v)
		if err != nil {
			return err
		}
		o, err := t.originNow(schema.OriginID{Queue: hash, Tag: tag})
		if err != nil {
			return err
		}
		if t.env.SnoozeLeft(o.Until) == 0 { // also where the row has no origin
			return ErrStop
		}
		if until.IsZero() || o.Until.Before(until) {
			until = o.Until
		}
		return nil
	})
	if errors.Is(err, ErrStop) {
		return nil
	}
	if err == nil {
		t.backOffUntil(q, until)
	}
	return err
}

// originNow returns the row of an origin as this commit has it so far.
func (t *Tx) originNow(id schema.OriginID) (schema.Origin, error) {
	if o := t.origins[id]; o != nil {
		return o.Origin, nil
	}
	o, _, err := t.originBefore(id)
	return o, err
}

// endBackOffFor ends the back-off of a queue when a URI is added whose origin does not back off.
func (t *Tx) endBackOffFor(r *schema.Record, q *Queue, hash uint64) error {
	if q.Until.IsZero() {
		return nil
	}
	o, err := t.originFor(r, q, hash, false)
	if err == nil && (o == nil || t.env.SnoozeLeft(o.Until) == 0) {
		t.backOffUntil(q, time.Time{})
	}
	return err
}

// flushOrigins stores the rows of origins and counts them with their queues.
func (t *Tx) flushOrigins() {
	for id, o := range t.origins {
		q := t.Queues[id.Queue]
		has := o.Failing() || t.env.SnoozeLeft(o.Until) > 0
		switch {
		case has && !o.had:
			q.Failing++
		case !has && o.had:
			q.Failing--
		}
		if has {
			t.w.Set(id.Key(), o.Encode())
		} else if o.had {
			t.w.Delete(id.Key())
		}
	}
}

// originBefore returns the row of an origin as it was before this commit; had says that there was one.
func (t *Tx) originBefore(id schema.OriginID) (o schema.Origin, had bool, err error) {
	v, err := t.state.Row(id.Key())
	if v == nil || err != nil {
		return o, false, err
	}
	if o, err = schema.DecodeOrigin(v); err != nil {
		return o, false, fmt.Errorf("origin %x: %w", id.Key(), err)
	}
	return o, true, nil
}
