package frontier

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
	"exclave/frontier/store"
	"exclave/internal/yield"
)

// Failures belong to origins (docs/adr/0036): what stands in a queue of one that rests is passed
// over, not moved.

// left is how long a rest lasts yet. One that no rule can have asked for was noted before the clock
// was set back: it counts from the opening.
func (f *Frontier) left(until time.Time) time.Duration {
	rest := until.Sub(f.wall())
	if until.IsZero() || rest <= 0 {
		return 0
	}
	if rest > f.longest {
		return max(f.opened+f.longest-f.o.Clock.Mono(), 0)
	}
	return rest
}

// queueHead is the first of a queue that may be asked for.
type queueHead struct {
	low  []byte // nothing that may be asked for lies below
	next []queued
	till time.Duration // the first of those that were passed over wakes, on the monotonic clock; 0: none was
}

// readQueue reads the first URIs of a queue from a key on; ill says that some of its origins may
// rest.
func (f *Frontier) readQueue(hash uint64, ill bool, low []byte) (h queueHead, err error) {
	prefix := schema.QueuePrefix(hash)
	h.low = low
	if low == nil {
		h.low = prefix
	}
	it, err := f.db.Iter(h.low, schema.After(prefix))
	if err != nil {
		return h, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	origins, others := map[uint32]schema.Origin{}, yield.Loop{}
	for ok := it.First(); ok && len(h.next) < rules.ReadAhead; ok = it.Next() {
		k := it.Key()
		v, err := it.ValueAndErr()
		if err != nil {
			return h, err
		}
		id, tag, err := schema.DecodeQueued(hash, v)
		if err != nil {
			return h, err
		}
		q := queued{prec: k[9], seq: binary.BigEndian.Uint64(k[10:]), id: id}
		if ill {
			o, err := f.originIn(origins, hash, id, tag)
			if err != nil {
				return h, err
			}
			q.ill, q.once = o.Failing(), o.GaveUp
			if rest := f.left(o.Until); rest > 0 {
				if till := f.o.Clock.Mono() + rest; h.till == 0 || till < h.till {
					h.till = till
				}
				if len(h.next) == 0 {
					h.low = append(append(h.low[:0:0], k...), 0)
				}
				others.Step(yield.Rows)
				continue
			}
		}
		if len(h.next) == 0 {
			h.low = append(h.low[:0:0], k...)
		}
		h.next = append(h.next, q)
	}
	return h, it.Error()
}

// originIn returns the row of the origin of a URI in a queue, from what was read or the state.
func (f *Frontier) originIn(read map[uint32]schema.Origin, queue uint64, id crawl.ID, tag uint32) (o schema.Origin, err error) {
	if tag == schema.NoTag { // of format 4
		r, err := f.read(f.db, id)
		if err != nil {
			return o, err
		}
		tag = f.originTag(r.URL)
	}
	o, ok := read[tag]
	if !ok {
		if o, _, err = readOrigin(f.db, schema.OriginID{Queue: queue, Tag: tag}); err == nil {
			read[tag] = o
		}
	}
	return o, err
}

// rest lets a host whose URIs all rest wait for the first of them: on disk when that takes long.
// f.mu is held.
func (f *Frontier) rest(h *host) {
	h.none = true
	if h.busy > 0 {
		f.settle(h)
		return
	}
	if rest := h.till - f.o.Clock.Mono(); rest > rules.LongRest {
		f.sendOff(putOff{host: h, until: schema.CeilMillis(f.wall().Add(rest)), resting: true, version: h.version})
		return
	}
	f.ready.push(h)
}

// restTill notes in a host in no heap until when all that waits in it rests. f.mu is held.
func (f *Frontier) restTill(h *host, until time.Time) {
	if rest := f.left(until); rest > 0 {
		h.none, h.till = true, f.o.Clock.Mono()+rest
	}
}

// woke forgets what was passed over in a queue, the first of which may be asked for now. f.mu is
// held.
func (f *Frontier) woke(h *host) {
	if h.till > 0 && h.till <= f.o.Clock.Mono() {
		h.anew()
	}
}

// anew forgets what is known of the queue.
func (h *host) anew() { h.low, h.next, h.till, h.none, h.prepared = nil, nil, 0, false, false }

// RestingOrigin is an origin that failed.
type RestingOrigin struct {
	Origin   string    `json:"origin"`
	Until    time.Time `json:"until"`             // it is not asked before
	Failures int       `json:"failures"`          // it backs off for, halved by every answer
	GaveUp   bool      `json:"gave_up,omitempty"` // its URIs are tried once
}

// shownOrigins is how many origins of a queue are told.
const shownOrigins = 10

// restingOrigins returns the first origins of a queue that failed and have not recovered.
func (f *Frontier) restingOrigins(queue uint64) (out []RestingOrigin, err error) {
	err = scan(f.db, schema.OriginsPrefix(queue), func(_, v []byte) error {
		o, err := schema.DecodeOrigin(v)
		if err != nil {
			return err
		}
		if out = append(out, RestingOrigin{o.Name, o.Until, int(o.Backoff), o.GaveUp}); len(out) == shownOrigins {
			return rules.ErrStop
		}
		return nil
	})
	if errors.Is(err, rules.ErrStop) {
		err = nil
	}
	return out, err
}

// readOrigin returns the row of an origin; had says that there is one.
func readOrigin(r store.Reader, id schema.OriginID) (o schema.Origin, had bool, err error) {
	v, err := get(r, id.Key())
	if v == nil || err != nil {
		return o, false, err
	}
	if o, err = schema.DecodeOrigin(v); err != nil {
		return o, false, fmt.Errorf("origin %x: %w", id.Key(), err)
	}
	return o, true, nil
}
