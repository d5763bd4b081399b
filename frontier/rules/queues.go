package rules

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// QueueKey says which URIs share a queue, and with it politeness.
type QueueKey string

// The keys of queues.
const (
	QueueByHost      QueueKey = "host"
	QueueByAuthority QueueKey = "authority" // host and port, as in a SURT
	QueueByDomain    QueueKey = "domain"    // registered domain
	QueueByAddress   QueueKey = "address"   // IP address, once the host has one
)

// QueueName is the name of the queue of a URI.
func (e *Env) QueueName(r *schema.Record) string {
	if r.QueueName != "" {
		return r.QueueName
	}
	switch e.Config.QueueKey {
	case QueueByAuthority:
		return authority(r)
	case QueueByDomain:
		return DomainOf(r.Host)
	}
	return r.Host
}

// authority is host:port, without the port where it is the scheme's.
func authority(r *schema.Record) string {
	_, rest, ok := strings.Cut(r.URL, "://")
	if !ok {
		return r.Host
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	if i := strings.LastIndexByte(rest, ':'); i >= 0 && !strings.HasSuffix(rest, "]") {
		return r.Host + rest[i:]
	}
	return r.Host
}

// assignQueue sets the queue of a URI that is about to be queued, where it does not follow from the URI.
func (t *Tx) assignQueue(r *schema.Record) error {
	if t.env.Config.QueueKey != QueueByAddress || r.QueueName != "" && r.IsPrereq() {
		return nil
	}
	facts, err := t.env.Facts.Host(context.Background(), r.Host)
	if err != nil {
		return err
	}
	if r.QueueName = ""; len(facts.Addrs) > 0 {
		r.QueueName = facts.Addrs[0].String()
	}
	return nil
}

// QueueOf returns the row of the queue of a URI, and its hash.
func (t *Tx) QueueOf(r *schema.Record) (*Queue, uint64, error) {
	name := t.env.QueueName(r)
	h, err := t.Host(name)
	return h, t.env.Salt.Hash(name), err
}

// Enqueue puts a URI into its queue, whatever its state. It changes record, queue and counters. Afterwards it is pending
// at its precedence, and its queue is in line, unless it is snoozed or retired.
func (t *Tx) Enqueue(r *schema.Record, m crawl.Mode) error {
	switch r.State {
	case schema.Parked:
		t.Counters.Parked--
	case schema.Done:
		t.Counters.Finished--
	}
	r.State, r.Mode, r.Attempts = schema.Pending, m, 0
	t.Counters.Queued++
	t.Counters.Seq++
	r.Seq = t.Counters.Seq
	r.Precedence = t.env.Order.Precedence(r)
	if err := t.assignQueue(r); err != nil {
		return err
	}
	q, hash, err := t.QueueOf(r)
	if err != nil {
		return err
	}
	if q.Pending++; q.Pending == 1 {
		q.Ticket, q.Spent = t.env.Wall(), 0
	}
	if err := errors.Join(t.revive(r, q), t.endBackOffFor(r, q, hash)); err != nil {
		return err
	}
	t.noteAdded(q, hash, r)
	t.w.Set(schema.QueueKey(hash, r.Precedence, r.Seq), schema.EncodeQueued(hash, r.ID, t.env.Salt.OriginTag(r.URL)))
	return nil
}

// Dequeue removes a URI from its queue. The caller sets its next state.
func (t *Tx) Dequeue(r *schema.Record) error {
	q, hash, err := t.QueueOf(r)
	if err != nil {
		return err
	}
	q.Pending--
	t.Counters.Queued--
	key := schema.QueueKey(hash, r.Precedence, r.Seq)
	q.Taken = append(q.Taken, key)
	t.w.Delete(key)
	return t.noteTaken(q, hash, key)
}

// requeue gives a pending URI another precedence in its queue.
func (t *Tx) requeue(r *schema.Record, prec uint8) error {
	q, hash, err := t.QueueOf(r)
	if err != nil {
		return err
	}
	was := schema.QueueKey(hash, r.Precedence, r.Seq)
	t.w.Delete(was)
	r.Precedence = prec
	q.Taken = append(q.Taken, was)
	t.noteAdded(q, hash, r)
	t.w.Set(schema.QueueKey(hash, r.Precedence, r.Seq), schema.EncodeQueued(hash, r.ID, t.env.Salt.OriginTag(r.URL)))
	return t.noteTaken(q, hash, was)
}

// noteAdded notes that a URI was added to a queue.
func (t *Tx) noteAdded(q *Queue, hash uint64, r *schema.Record) {
	key := schema.QueueKey(hash, r.Precedence, r.Seq)
	if t.env.Order.Queues == QueuesBest {
		q.added = append(q.added, key)
		delete(t.taken, string(key))
	}
	if q.Put == nil || bytes.Compare(key, q.Put) < 0 {
		q.Put = key
	}
	if r.Precedence < q.Best || q.Pending == 1 {
		q.Best = r.Precedence
	}
}

// promote moves a pending URI forward when its precedence is lower than when it was queued.
func (t *Tx) promote(r *schema.Record) error {
	if r.State != schema.Pending || r.Precedence == schema.PrecPrereq || r.Precedence == schema.PrecShelved {
		return nil
	}
	if p := t.env.Order.Precedence(r); p < r.Precedence {
		return t.requeue(r, p)
	}
	return nil
}

// noteTaken notes that a key was removed from a queue, whose head may have another precedence now.
func (t *Tx) noteTaken(q *Queue, hash uint64, key []byte) error {
	if t.env.Order.Queues != QueuesBest {
		return nil
	}
	t.taken[string(key)] = true
	if q.Pending == 0 || key[9] > q.Best {
		return nil
	}
	best, err := t.firstKey(q, hash)
	if err == nil && best != nil {
		q.Best = best[9]
	}
	return err
}

// firstKey returns the first key of a queue as this commit leaves it, nil when there is none.
func (t *Tx) firstKey(q *Queue, hash uint64) (best []byte, err error) {
	best = t.env.Queues.First(hash, func(key []byte) bool { return t.taken[string(key)] })
	if best == nil {
		err = t.scan(schema.QueuePrefix(hash), func(k, _ []byte) error {
			if t.taken[string(k)] {
				return nil
			}
			best = bytes.Clone(k)
			return ErrStop
		})
	}
	for _, k := range q.added {
		if !t.taken[string(k)] && (best == nil || bytes.Compare(k, best) < 0) {
			best = k
		}
	}
	if errors.Is(err, ErrStop) {
		err = nil
	}
	return best, err
}

// ErrStop ends a scan early.
var ErrStop = errors.New("enough")

// ResidentSnooze is the longest snooze of a resident queue: one snoozed for longer is evicted.
const ResidentSnooze = time.Minute
