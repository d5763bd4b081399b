package frontier

import (
	"container/heap"
	"errors"
	"fmt"
	"slices"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// near reports whether a queue that stands at p belongs in memory. f.mu is held.
func (f *Frontier) near(p schema.Place) bool {
	switch p.Kind {
	case schema.Line:
		return !f.more || !f.horizon.Before(p)
	case schema.Snoozed:
		return !f.awake.Before(p)
	}
	return false
}

// restOf is how long a host rests from now that may not be asked before a time. A clock
// set back while nobody crawled must not make it wait for longer than any rule asks.
func (f *Frontier) restOf(wake time.Time) time.Duration {
	rest := f.sinceKill(f.cfg.MaxDelay) // how long its last answer took is not known
	if wake.IsZero() {
		return rest
	}
	return max(rest, min(wake.Sub(f.wall()), f.longest))
}

// restsUntil notes that a host rests on disk. f.mu is held.
func (f *Frontier) restsUntil(at uint64) {
	if f.resume == 0 || at < f.resume {
		f.resume = at
	}
}

// untilResume is how long until the first host that rests on disk may be asked,
// negative when none does. f.mu is held.
func (f *Frontier) untilResume() time.Duration {
	if f.resume == 0 || f.st.Snoozed == 0 { // the last may have been dropped
		return -1
	}
	return max(time.UnixMilli(int64(f.resume)).Sub(f.wall())-f.ahead, 0)
}

// loadChunk is how many hosts are read from disk together.
const loadChunk = 256

// wake takes hosts into memory that rest on disk and may be asked now. f.mu is held.
func (f *Frontier) wake() (err error) {
	if f.untilResume() != 0 || len(f.hosts) >= 2*f.cfg.HostsInMemory {
		return nil
	}
	it, err := f.db.Iter(append(f.awake.Key(), 0), schema.Snoozed.End())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	now := uint64(max(f.wall().Add(f.ahead).UnixMilli(), 0))
	more, loaded := it.First(), 0
	for ; more && loaded < loadChunk; more = it.Next() {
		p := schema.ReadPlace(it.Key())
		if p.At > now {
			break
		}
		f.awake = p
		if f.hosts[p.Host] == nil { // else it is about to be put off
			f.enter(p)
			loaded++
		}
	}
	if f.resume = 0; more {
		f.resume = schema.ReadPlace(it.Key()).At
	}
	f.changes.Woken += int64(loaded)
	return it.Error()
}

// enter takes a host into memory; its row is read when it is its turn. f.mu is held.
func (f *Frontier) enter(p schema.Place) {
	h := &host{hash: p.Host, place: p, heap: -1}
	if p.Kind == schema.Line {
		h.class = schema.ClassOf(p.At)
	}
	f.hosts[p.Host] = h
	f.ready.push(h)
}

// refill takes the next hosts in line into memory, when there is room, and reports
// whether there were any. f.mu is held.
func (f *Frontier) refill() (loaded bool, err error) {
	if !f.more || len(f.hosts) >= f.cfg.HostsInMemory {
		return false, nil
	}
	it, err := f.db.Iter(append(f.horizon.Key(), 0), schema.Line.End())
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	more, n := it.First(), 0
	room := min(loadChunk, f.cfg.HostsInMemory-len(f.hosts))
	for ; more && n < room; more = it.Next() {
		p := schema.ReadPlace(it.Key())
		if f.order.HasRounds() && schema.ClassOf(p.At).Round() > f.st.Round {
			break
		}
		f.horizon = p
		if f.hosts[p.Host] == nil { // else it is in process, or about to be put off
			f.enter(p)
			n++
		}
	}
	f.more = more
	f.changes.Activated += int64(n)
	return n > 0, it.Error()
}

// betterInLine reports whether hosts on disk may have to be asked before h: one that rested
// came to memory out of their order. f.mu is held.
func (f *Frontier) betterInLine(h *host) bool {
	return f.more && schema.ClassOf(f.horizon.At) < h.class
}

// shrink moves the horizon to the middle of the hosts in memory. f.mu is held.
func (f *Frontier) shrink() {
	places := make([]schema.Place, 0, len(f.hosts))
	for _, h := range f.hosts {
		if h.busy == 0 && !h.off && !h.reading && h.place.Kind == schema.Line {
			places = append(places, h.place)
		}
	}
	if len(places) < 2 {
		return
	}
	slices.SortFunc(places, func(a, b schema.Place) int {
		if a.Before(b) {
			return -1
		}
		return 1
	})
	f.horizon, f.more = places[len(places)/2-1], true
	for _, p := range places[len(places)/2:] {
		f.forget(f.hosts[p.Host])
	}
	f.changes.Deactivated += int64(len(places) - len(places)/2)
}

// forget drops a host from memory. f.mu is held.
func (f *Frontier) forget(h *host) {
	f.unready(h)
	if a := h.waits; a != nil {
		h.waits = nil
		f.place(a)
	}
	delete(f.hosts, h.hash)
}

// unready takes a host out of its heap, if it is in one. f.mu is held.
func (f *Frontier) unready(h *host) {
	if h.heap < 0 {
		return
	}
	if h.due {
		heap.Remove(&f.due, h.heap)
	} else {
		heap.Remove(&f.ready, h.heap)
	}
}

// stand gives a host in memory its row and place of a commit. f.mu is held.
func (f *Frontier) stand(h *host, row schema.Host, at schema.Place) {
	h.row, h.place = row, at
	if at.Kind == 0 {
		return
	}
	if c := schema.ClassOf(f.order.Line(&row)); c != h.class {
		if h.class = c; h.heap >= 0 && h.due {
			heap.Fix(&f.due, h.heap)
		}
	}
}

// settle puts a host where it belongs: among the ready, or out of memory. f.mu is
// held.
func (f *Frontier) settle(h *host) {
	switch {
	case h.off || h.reading || h.busy > 0 && !(f.maySpare(h) && f.near(h.place)):
		f.unready(h)
	case !f.near(h.place):
		f.forget(h)
	case h.waits != nil:
	default:
		f.ready.push(h)
	}
}

// readRow reads the row of a host that came from disk.
func (f *Frontier) readRow(hash uint64) (*schema.Host, error) {
	v, err := f.hostValue(hash)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, fmt.Errorf("the row of host %016x is missing", hash)
	}
	row, err := schema.DecodeHost(v)
	if err != nil {
		return nil, err
	}
	row.Tally = nil
	return row, nil
}

// restore gives a host that came from disk its row, and the rest that is left of what it says.
// f.mu is held.
func (f *Frontier) restore(h *host, row schema.Host) {
	f.stand(h, row, h.place)
	h.resting = row.Backoff > 0
	wake, until := row.Wake, row.Until
	if h.place.Kind == schema.Snoozed { // it was taken into memory because its time has come
		wake, until = time.Time{}, time.Time{}
	}
	h.wake = f.o.Clock.Mono() + f.restOf(wake)
	f.restTill(h, until)
}

// hostValue returns the row of a host as the last commit left it, nil when there is none.
func (f *Frontier) hostValue(hash uint64) ([]byte, error) {
	if v, ok := f.hostRows.Get(hash); ok {
		return v, nil
	}
	return get(f.db, schema.HostKey(hash))
}

// name returns the name of a host.
func (f *Frontier) name(hash uint64) (string, error) {
	return f.names.Read(hash, func(hash uint64) (string, bool, error) {
		v, err := f.hostValue(hash)
		name, err := decodeName(hash, v, err)
		return name, true, err
	})
}

func readName(r store.Reader, hash uint64) (string, error) {
	v, err := get(r, schema.HostKey(hash))
	return decodeName(hash, v, err)
}

func decodeName(hash uint64, v []byte, err error) (string, error) {
	if err == nil && v == nil {
		err = errors.New("its row is missing")
	}
	var h *schema.Host
	if err == nil {
		h, err = schema.DecodeHost(v)
	}
	if err != nil {
		return "", fmt.Errorf("host %016x: %w", hash, err)
	}
	return h.Name, nil
}

// oneName remembers the last name: ids sort by host.
func oneName(r store.Reader) schema.Names {
	var last uint64
	var name string
	return func(hash uint64) (string, error) {
		if name != "" && hash == last {
			return name, nil
		}
		var err error
		last = hash
		name, err = readName(r, hash)
		return name, err
	}
}

// viaOf returns the URL a URI was found on, "" when that page's record is missing
// ([Frontier.Check] tells).
func (f *Frontier) viaOf(r *schema.Record) (string, error) {
	if r.ViaID == (crawl.ID{}) {
		return r.Via, nil
	}
	return f.vias.Read(r.ViaID, func(id crawl.ID) (string, bool, error) {
		v, err := get(f.db, schema.URIKey(id))
		if err != nil || v == nil {
			return "", false, err
		}
		page, err := schema.DecodeRecord(id, v, f.name)
		if err != nil {
			return "", false, fmt.Errorf("record %v: %w", id, err)
		}
		return page.URL, true, nil
	})
}
