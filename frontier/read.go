package frontier

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"exclave/crawl"
)

// Files returns the rows of all WARC files by number.
func (f *Frontier) Files() []FileRow {
	f.mu.Lock()
	defer f.mu.Unlock()
	rows := make([]FileRow, 0, len(f.files))
	for _, r := range f.files {
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b FileRow) int { return int(a.Number) - int(b.Number) })
	return rows
}

// Logs returns the rows of the committed logs.
func (f *Frontier) Logs() []LogRow {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.logRows[:])
}

// EachURI calls fn for every URI known, in no order a caller may rely on. Via is
// empty where that page is known itself.
func (f *Frontier) EachURI(fn func(*Record) error) error { return eachURI(f.db, fn) }

func eachURI(db pebble.Reader, fn func(*Record) error) error {
	names := oneName(db) // ids sort by host: the last name is the next
	return scan(db, []byte{'u'}, func(k, v []byte) error {
		r, err := decodeRecord(readID(k[1:]), v, names)
		if err != nil {
			return fmt.Errorf("frontier: record %x: %w", k[1:], err)
		}
		return fn(r)
	})
}

// EachCapture calls fn for every capture group, by file and offset.
func (f *Frontier) EachCapture(fn func(Capture) error) error {
	return scan(f.db, []byte{'c'}, func(k, v []byte) error {
		c, err := decodeCapture(binary.BigEndian.Uint32(k[1:]), int64(binary.BigEndian.Uint64(k[5:])), v)
		if err != nil {
			return fmt.Errorf("frontier: capture %x: %w", k[1:], err)
		}
		return fn(c)
	})
}

// EachDeferred calls fn for every answer that was kept for the archive.
func (f *Frontier) EachDeferred(fn func(crawl.Deferred) error) error {
	return scan(f.db, []byte{'d'}, func(k, v []byte) error {
		d, err := f.decodeDeferred(string(k[1:]), v)
		if err != nil {
			return fmt.Errorf("frontier: deferred answer %s: %w", k[1:], err)
		}
		return fn(d)
	})
}

// Lookup returns the record of a key with its via, nil when the URI is not known.
func (f *Frontier) Lookup(key string) (*Record, error) {
	for id := f.id(key); ; id.URI++ {
		v, err := get(f.db, idKey('u', id))
		if v == nil || err != nil {
			return nil, err
		}
		r, err := decodeRecord(id, v, f.name)
		if err != nil {
			return nil, fmt.Errorf("frontier: %s: %w", key, err)
		}
		if r.Key == key {
			r.Via, err = f.viaOf(r)
			return r, err
		}
	}
}

// Check looks for contradictions within the state and returns one sentence for
// each.
func (f *Frontier) Check() (_ []string, err error) {
	// One instant of the state: the committer may be at work.
	db := f.db.NewSnapshot()
	defer func() { err = errors.Join(err, db.Close()) }()
	var bad []string
	note := func(format string, a ...any) { bad = append(bad, fmt.Sprintf(format, a...)) }
	queued := map[crawl.ID]uint32{}
	perHost := map[uint64]uint64{}
	if err := scan(db, []byte{'q'}, func(k, v []byte) error {
		host := binary.BigEndian.Uint64(k[1:])
		id, origin, err := queueRow(host, v)
		if err != nil {
			return err
		}
		if _, ok := queued[id]; ok {
			note("URI %v stands in the queues twice", id)
		}
		queued[id] = origin
		perHost[host]++
		return nil
	}); err != nil {
		return nil, err
	}
	var st Stats
	knownOf := map[string]uint64{}
	if err := eachURI(db, func(r *Record) error {
		f.checkRecord(r, queued, note)
		if r.via != (crawl.ID{}) {
			if v, err := get(db, idKey('u', r.via)); err != nil {
				return err
			} else if v == nil {
				note("%s was found on URI %v, which has no record", r.URL, r.via)
			}
		}
		delete(queued, r.ID)
		knownOf[r.Host]++
		st.count(r)
		return nil
	}); err != nil {
		return nil, err
	}
	for id := range queued {
		note("the queues hold URI %v, which has no record", id)
	}
	standing := map[place]bool{}
	for _, kind := range []byte{placeLine, placeResting, placeRetired} {
		if err := scan(db, []byte{kind}, func(k, _ []byte) error {
			standing[readPlace(k)] = true
			return nil
		}); err != nil {
			return nil, err
		}
	}
	ill := map[uint64]uint64{}
	if err := scan(db, []byte{'e'}, func(k, v []byte) error {
		ill[binary.BigEndian.Uint64(k[1:])]++
		_, err := decodeOrigin(v)
		return err
	}); err != nil {
		return nil, err
	}
	if err := scan(db, []byte{'h'}, func(k, v []byte) error {
		h, err := decodeHost(v)
		if err != nil {
			return err
		}
		hash := binary.BigEndian.Uint64(k[1:])
		if p := f.standing(h, hash, standing); p == (place{}) && h.Waiting > 0 {
			note("host %s has URIs waiting, but does not stand in line", h.Name)
		} else {
			delete(standing, p)
		}
		if n := knownOf[h.Name]; n != h.Known {
			note("host %s: %d URIs are known by its row, %d have records", h.Name, h.Known, n)
		}
		if n := perHost[hash]; n != h.Waiting {
			note("host %s: %d URIs wait by its row, %d stand in its queue", h.Name, h.Waiting, n)
		}
		if n := ill[hash]; n != h.Ill {
			note("host %s: %d origins failed by its row, %d have rows", h.Name, h.Ill, n)
		}
		delete(perHost, hash)
		delete(ill, hash)
		return nil
	}); err != nil {
		return nil, err
	}
	for p := range standing {
		note("host %016x stands in line where it does not belong", p.host)
	}
	if err := checkTallies(db, note); err != nil {
		return nil, err
	}
	for h := range ill {
		note("an origin failed in the queue of host %016x, which has no host row", h)
	}
	for h := range perHost {
		note("the queue of host %016x has no host row", h)
	}
	var have Stats
	if v, err := get(db, nameKey('m', "stats")); err != nil {
		return nil, err
	} else if v != nil {
		s, err := decodeStored(v)
		if err != nil {
			return nil, fmt.Errorf("frontier: statistics row: %w", err)
		}
		have = s.Stats
	}
	have.InProcess, have.Retried, have.Refused = 0, 0, 0
	st.Discovered += have.Dropped // of those nothing is left
	st.Dropped = have.Dropped
	if st != have {
		note("the statistics say %+v, the records %+v", have, st)
	}
	return bad, nil
}

// standing returns where a queue stands among those that do: a program with another
// [OrderConfig] may have put it there.
func (f *Frontier) standing(h *hostRow, hash uint64, all map[place]bool) place {
	p := h.stands(f.order, hash)
	if all[p] || p.kind != placeLine {
		if !all[p] {
			return place{}
		}
		return p
	}
	for q := range all {
		if q.host == hash && q.kind == placeLine {
			return q
		}
	}
	return place{}
}

func (f *Frontier) checkRecord(r *Record, queued map[crawl.ID]uint32, note func(string, ...any)) {
	origin, ok := queued[r.ID]
	if (r.State == Waiting) != ok {
		note("%s: its state is %v, in a queue: %v", r.URL, r.State, ok)
	}
	if ok && origin != noTag && origin != f.originTag(r.URL) {
		note("%s: its queue tells another origin", r.URL)
	}
	if r.State == Parked && !r.Claim.IsZero() {
		note("%s: is parked although it is claimed", r.URL)
	}
	if r.Outcome.Archived && r.Response.IsZero() {
		note("%s: is archived, but the place of its record is missing", r.URL)
	}
	if r.State == Done && f.o.Depths.Archived(r.Claim, r.Outcome) && !r.Outcome.Archived {
		note("%s: its claims ask for archiving, but it is not archived", r.URL)
	}
	// A later answer may be of another class than the one in the archive.
	if r.State == Done && r.Finishes == 1 && r.Outcome.Archived && !f.o.Depths.Archived(r.Claim, r.Outcome) {
		note("%s: is archived without a claim", r.URL)
	}
}

func (s *Stats) count(r *Record) {
	s.Discovered++
	switch r.State {
	case Parked:
		s.Parked++
	case Waiting:
		s.Queued++
	case Done:
		s.Finished++
	}
	if r.Finishes == 0 {
		return
	}
	for n, is := range map[*int64]bool{&s.Archived: r.Outcome.Archived, &s.Judged: r.Outcome.Judged, &s.Valid: r.Outcome.Valid(),
		&s.Failed:      Failed(r.Outcome.Status),
		&s.Disregarded: excluded(r.Outcome.Status)} {
		if is {
			*n++
		}
	}
}

// InProcess reports whether a ToeThread has the URI.
func (f *Frontier) InProcess(id crawl.ID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, ok := f.process[id]
	return ok
}
