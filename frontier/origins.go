package frontier

import (
	"errors"
	"fmt"
	"time"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// Failures belong to origins (docs/adr/0036): URIs of an origin that backs off keep their places in
// the queue and are skipped.

// snoozeLeft is what is left of a snooze or back-off. One that is longer than any rule allows was stored
// before the clock was set back: it counts from the opening of the state.
func (f *Frontier) snoozeLeft(until time.Time) time.Duration {
	return f.pace.SnoozeLeft(until, f.o.Clock.Mono())
}

// originIn returns the row of the origin of a URI in a queue, from read or else from the state.
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

// RestingOrigin is an origin that failed.
type RestingOrigin struct {
	Origin   string    `json:"origin"`
	Until    time.Time `json:"until"`             // it backs off until then
	Failures int       `json:"failures"`          // that its back-off counts; halved by every answer
	GaveUp   bool      `json:"gave_up,omitempty"` // each of its URIs gets one attempt
}

// maxOrigins is the maximum number of origins shown of a queue.
const maxOrigins = 10

// failedOrigins returns the first origins of a queue that failed and have not recovered.
func (f *Frontier) failedOrigins(queue uint64) (out []RestingOrigin, err error) {
	err = f.db.Scan(schema.OriginsPrefix(queue), func(_, v []byte) error {
		o, err := schema.DecodeOrigin(v)
		if err != nil {
			return err
		}
		if out = append(out, RestingOrigin{o.Name, o.Until, int(o.Backoff), o.GaveUp}); len(out) == maxOrigins {
			return rules.ErrStop
		}
		return nil
	})
	if errors.Is(err, rules.ErrStop) {
		err = nil
	}
	return out, err
}

// readOrigin returns the row of an origin; had reports whether there is one.
func readOrigin(r store.Reader, id schema.OriginID) (o schema.Origin, had bool, err error) {
	v, err := r.Get(id.Key())
	if v == nil || err != nil {
		return o, false, err
	}
	if o, err = schema.DecodeOrigin(v); err != nil {
		return o, false, fmt.Errorf("origin %x: %w", id.Key(), err)
	}
	return o, true, nil
}

// wall is the time that wake times are compared with: the wall clock when the state was
// opened, plus the monotonic time since then.
func (f *Frontier) wall() time.Time { return f.pace.Wall(f.o.Clock.Mono()) }
