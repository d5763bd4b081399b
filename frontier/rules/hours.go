package rules

import (
	"errors"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// Waking is a look at the queues that are snoozed, at most MaxLinks of them.
type Waking struct {
	// Open reports whether a URL may be asked for at this hour. It is called by the committer, and must not block.
	Open  func(url string) bool
	After schema.Place // the last one that was looked at, set when the request is committed; zero: none yet
	Over  bool         // none is left; set when the request is committed
}

// WakeOffHours wakes queues that are snoozed because a URI was due outside the hours of a sheet, when their first URI may be
// asked for now. It reads the places and rows of snoozed queues, and their first URIs, and changes the queues alone.
func (t *Tx) WakeOffHours(a *Waking) error {
	from := schema.Snoozed.Prefix()
	if a.After != (schema.Place{}) {
		from = append(a.After.Key(), 0)
	}
	n := 0
	err := t.state.Scan(from, schema.Snoozed.Prefix(), func(k, _ []byte) error {
		if n++; n > MaxLinks {
			return ErrStop
		}
		a.After = schema.ReadPlace(k)
		return t.wakeOffHours(a.After.Host, a.Open)
	})
	if a.Over = !errors.Is(err, ErrStop); !a.Over {
		return nil
	}
	return err
}

// wakeOffHours is WakeOffHours for one queue. Whose first URI must still wait stays asleep: it would be put off again at once.
func (t *Tx) wakeOffHours(hash uint64, open func(url string) bool) error {
	q := t.Queues[hash]
	if q == nil {
		var err error
		if q, err = t.open(hash, ""); err != nil {
			return err
		}
	}
	if !q.OffHours || q.Pending == 0 || t.env.SnoozeLeft(q.Until) > 0 {
		return nil
	}
	key, err := t.firstKey(q, hash)
	if key == nil || err != nil {
		return err
	}
	v, err := t.state.Row(key)
	if v == nil || err != nil { // queued by this commit
		return err
	}
	id, err := schema.QueuedID(hash, v)
	if err != nil {
		return err
	}
	r, err := t.Record(id)
	if r == nil || err != nil {
		return err
	}
	url := r.URL
	if crawl.IsDNS(r.Key) {
		url = "http://" + r.Host + "/"
	}
	if open(url) {
		q.Wake = t.env.Wall()
		q.Snoozed, q.OffHours, q.Recovered = false, false, true
	}
	return nil
}
