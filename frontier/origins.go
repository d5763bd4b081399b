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

// Failures belong to origins (docs/adr/0036): what stands in a queue of one that rests is passed
// over, not moved.

// left is how long a rest lasts yet. One that no rule can have asked for was noted before the clock
// was set back: it counts from the opening.
func (f *Frontier) left(until time.Time) time.Duration {
	return f.pace.SnoozeLeft(until, f.o.Clock.Mono())
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
	err = f.db.Scan(schema.OriginsPrefix(queue), func(_, v []byte) error {
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
	v, err := r.Get(id.Key())
	if v == nil || err != nil {
		return o, false, err
	}
	if o, err = schema.DecodeOrigin(v); err != nil {
		return o, false, fmt.Errorf("origin %x: %w", id.Key(), err)
	}
	return o, true, nil
}

// wall is the time by which hosts rest: that of the wall when the state was opened,
// and monotonic from there.
func (f *Frontier) wall() time.Time { return f.pace.Wall(f.o.Clock.Mono()) }
