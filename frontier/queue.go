package frontier

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"time"

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

// queueName is the name of the queue of a URI.
func (f *Frontier) queueName(r *schema.Record) string {
	if r.QueueName != "" {
		return r.QueueName
	}
	switch f.cfg.QueueKey {
	case QueueByAuthority:
		return authority(r)
	case QueueByDomain:
		return domainOf(r.Host)
	}
	return r.Host
}

// QueueOf returns the name of the queue that a URI waits in, or would.
func (f *Frontier) QueueOf(r *schema.Record) string { return f.queueName(r) }

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

// assign gives a URI that is about to be queued its queue, where that does not follow
// from the URI.
func (t *tx) assign(r *schema.Record) error {
	if t.f.cfg.QueueKey != QueueByAddress || r.QueueName != "" && r.IsPrereq() {
		return nil
	}
	facts, err := t.f.Host(context.Background(), r.Host)
	if err != nil {
		return err
	}
	if r.QueueName = ""; len(facts.Addrs) > 0 {
		r.QueueName = facts.Addrs[0].String()
	}
	return nil
}

// queue returns the row of the queue of a URI, and its hash.
func (t *tx) queue(r *schema.Record) (*openHost, uint64, error) {
	name := t.f.queueName(r)
	h, err := t.host(name)
	return h, t.f.hash(name), err
}

// addressHost is the host whose address a queue's next request goes to.
func (f *Frontier) addressHost(h *host) (string, error) {
	if f.cfg.queueKey() == QueueByHost {
		return h.row.Name, nil
	}
	r, _, err := f.head(h)
	if r == nil || err != nil {
		return h.row.Name, err
	}
	return r.Host, nil
}

// move gives a waiting URI another place in its queue.
func (t *tx) move(r *schema.Record, prec uint8) error {
	q, hash, err := t.queue(r)
	if err != nil {
		return err
	}
	was := schema.QueueKey(hash, r.Precedence, r.Seq)
	if err := t.b.Delete(was, nil); err != nil {
		return err
	}
	r.Precedence = prec
	t.dropped[hash] = true
	t.put(q, hash, r)
	return errors.Join(t.b.Set(schema.QueueKey(hash, r.Precedence, r.Seq), schema.EncodeQueued(hash, r.ID, t.f.originTag(r.URL)), nil), t.left(q, hash, was))
}

// put notes that a URI stands in a queue now.
func (t *tx) put(q *openHost, hash uint64, r *schema.Record) {
	key := schema.QueueKey(hash, r.Precedence, r.Seq)
	if t.f.order.Queues == QueuesBest {
		t.came[hash] = append(t.came[hash], key)
		delete(t.away, string(key))
	}
	if low := t.low[hash]; low == nil || bytes.Compare(key, low) < 0 {
		t.low[hash] = key
	}
	if r.Precedence < q.Best || q.Waiting == 1 {
		q.Best = r.Precedence
	}
}

// better moves a waiting URI forward when it ranks better than when it was queued.
func (t *tx) better(r *schema.Record) error {
	if r.State != schema.Waiting || r.Precedence == schema.PrecPrereq || r.Precedence == schema.PrecShelved {
		return nil
	}
	if p := t.f.order.prec(r); p < r.Precedence {
		return t.move(r, p)
	}
	return nil
}

// left notes that a key was taken out of a queue, which may rank lower now.
func (t *tx) left(q *openHost, hash uint64, key []byte) error {
	if t.f.order.Queues != QueuesBest {
		return nil
	}
	t.away[string(key)] = true
	if q.Waiting == 0 || key[9] > q.Best {
		return nil
	}
	best, err := t.best(hash)
	if err == nil && best != nil {
		q.Best = best[9]
	}
	return err
}

// best returns the first key of a queue as this commit leaves it, nil when there is none.
func (t *tx) best(hash uint64) (best []byte, err error) {
	t.f.mu.Lock()
	if h := t.f.hosts[hash]; h != nil && h.till == 0 { // else what rests is not among them
		for _, n := range h.next {
			if k := n.key(hash); !t.away[string(k)] {
				best = k
				break
			}
		}
	}
	t.f.mu.Unlock()
	if best == nil {
		err = scan(t.f.db, schema.QueuePrefix(hash), func(k, _ []byte) error {
			if t.away[string(k)] {
				return nil
			}
			best = bytes.Clone(k)
			return errStop
		})
	}
	for _, k := range t.came[hash] {
		if !t.away[string(k)] && (best == nil || bytes.Compare(k, best) < 0) {
			best = k
		}
	}
	if errors.Is(err, errStop) {
		err = nil
	}
	return best, err
}

var errStop = errors.New("enough")

// longRest is how long a host must rest to wait on disk.
const longRest = time.Minute
