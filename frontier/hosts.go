package frontier

import (
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"exclave/crawl"
)

// near reports whether a host that stands at p belongs in memory. f.mu is held.
func (f *Frontier) near(p place) bool { return !f.more || !f.horizon.before(p) }

func readPlace(key []byte) place {
	return place{binary.BigEndian.Uint64(key[1:]), binary.BigEndian.Uint64(key[9:])}
}

// restOf is how long a host that stands at p rests from now. A clock set back must
// not make it wait for longer than any rule asks.
func (f *Frontier) restOf(p place, now time.Time) time.Duration {
	return min(max(time.UnixMilli(int64(p.at)).Sub(now), 0), f.cfg.longestRest())
}

// fill sees to it that hosts are in memory that may be asked next. f.mu is held.
func (f *Frontier) fill() error {
	if !f.more || len(f.ready) >= max(f.cfg.HostsInMemory/4, 1) || len(f.off) >= f.cfg.HostsInMemory/2 {
		return nil
	}
	if len(f.ready) > 0 && len(f.hosts) >= f.cfg.HostsInMemory/2 {
		return nil
	}
	return f.refill()
}

// refill takes the next hosts in the order of waking into memory. f.mu is held.
func (f *Frontier) refill() (err error) {
	it, err := f.db.NewIter(&pebble.IterOptions{LowerBound: append(f.horizon.key(), 0), UpperBound: []byte{'w' + 1}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	now, mono := f.o.Clock.Now(), f.o.Clock.Mono()
	more, loaded := it.First(), 0
	for ; more && (loaded == 0 || len(f.hosts) < f.cfg.HostsInMemory/2); more = it.Next() {
		p := readPlace(it.Key())
		f.horizon = p
		if f.hosts[p.host] != nil {
			continue // it is in process, or about to be put off
		}
		h := &host{hash: p.host, place: p, heap: -1, wake: mono + f.restOf(p, now)}
		f.hosts[p.host] = h
		f.ready.push(h)
		loaded++
	}
	f.more = more
	return it.Error()
}

// shrink moves the horizon to the middle of the hosts in memory. f.mu is held.
func (f *Frontier) shrink() {
	places := make([]place, 0, len(f.hosts))
	for _, h := range f.hosts {
		if !h.busy && !h.off {
			places = append(places, h.place)
		}
	}
	if len(places) < 2 {
		return
	}
	slices.SortFunc(places, func(a, b place) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	f.horizon, f.more = places[len(places)/2-1], true
	for _, p := range places[len(places)/2:] {
		f.forget(f.hosts[p.host])
	}
}

// forget drops a host from memory. f.mu is held.
func (f *Frontier) forget(h *host) {
	if h.heap >= 0 {
		heap.Remove(&f.ready, h.heap)
	}
	if a := h.address; a != nil && !h.busy {
		h.address = nil
		f.place(a)
	}
	delete(f.hosts, h.hash)
}

// settle puts a host where it belongs: among the ready, or out of memory. f.mu is
// held.
func (f *Frontier) settle(h *host) {
	switch {
	case h.busy || h.off:
	case h.address != nil && h.place != place{} && f.near(h.place): // waits for its address
	case h.place == place{} || !f.near(h.place):
		f.forget(h)
	default:
		f.ready.push(h)
	}
}

// readRow reads the row of a host that came from the order of waking. f.mu is held.
func (f *Frontier) readRow(h *host) error {
	v, err := get(f.db, hostKey(h.hash))
	if err != nil {
		return err
	}
	if v == nil {
		return fmt.Errorf("the row of host %016x is missing", h.hash)
	}
	row, err := decodeHost(v)
	if err != nil {
		return err
	}
	row.Tally = nil
	h.row = *row
	return nil
}

// setHost puts the row of a host into the batch, and its place in the order.
func (t *tx) setHost(hash uint64, h *hostRow) error {
	now := h.stands(hash)
	if now != h.was {
		if h.was != (place{}) {
			if err := t.b.Delete(h.was.key(), nil); err != nil {
				return err
			}
		}
		if now != (place{}) {
			if err := t.b.Set(now.key(), nil, nil); err != nil {
				return err
			}
		}
	}
	switch {
	case now == place{} && h.was != place{}:
		t.st.queues--
	case now != place{} && h.was == place{}:
		t.st.queues++
	}
	if n := h.Waiting; hash == t.st.longest || n > t.st.length {
		t.st.longest, t.st.length = hash, n
	}
	v := h.encode()
	if string(v) == string(h.read) {
		return nil
	}
	return t.b.Set(hostKey(hash), v, nil)
}

// memo remembers what was read, and forgets everything when it is full.
type memo[K comparable, V any] struct {
	mu sync.Mutex
	m  map[K]V
}

func (m *memo[K, V]) get(key K, read func(K) (V, error)) (V, error) {
	m.mu.Lock()
	v, ok := m.m[key]
	m.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := read(key)
	if err != nil {
		return v, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.m) >= cacheSize || m.m == nil {
		m.m = map[K]V{}
	}
	m.m[key] = v
	return v, nil
}

// name returns the name of a host.
func (f *Frontier) name(hash uint64) (string, error) {
	return f.names.get(hash, func(hash uint64) (string, error) { return readName(f.db, hash) })
}

func readName(r pebble.Reader, hash uint64) (string, error) {
	v, err := get(r, hostKey(hash))
	return decodeName(hash, v, err)
}

func decodeName(hash uint64, v []byte, err error) (string, error) {
	if err == nil && v == nil {
		err = errors.New("its row is missing")
	}
	var h *hostRow
	if err == nil {
		h, err = decodeHost(v)
	}
	if err != nil {
		return "", fmt.Errorf("host %016x: %w", hash, err)
	}
	return h.Name, nil
}

// oneName remembers the last name: ids sort by host.
func oneName(r pebble.Reader) names {
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
func (f *Frontier) viaOf(r *Record) (string, error) {
	if r.via == (crawl.ID{}) {
		return r.Via, nil
	}
	return f.vias.get(r.via, func(id crawl.ID) (string, error) {
		v, err := get(f.db, idKey('u', id))
		if err != nil || v == nil {
			return "", err
		}
		page, err := decodeRecord(id, v, f.name)
		if err != nil {
			return "", fmt.Errorf("record %v: %w", id, err)
		}
		return page.URL, nil
	})
}
