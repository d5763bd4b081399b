package frontier

import (
	"encoding/binary"
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
func (f *Frontier) EachCapture(fn func(Capture) error) error { return f.captures([]byte{'c'}, fn) }

func (f *Frontier) captures(prefix []byte, fn func(Capture) error) error {
	return scan(f.db, prefix, func(k, v []byte) error {
		c, err := decodeCapture(binary.BigEndian.Uint32(k[1:]), int64(binary.BigEndian.Uint64(k[5:])), v)
		if err != nil {
			return fmt.Errorf("frontier: capture %x: %w", k[1:], err)
		}
		return fn(c)
	})
}

// CapturesOf calls fn for every capture group of a file, by offset.
func (f *Frontier) CapturesOf(file uint32, fn func(Capture) error) error {
	return f.captures(binary.BigEndian.AppendUint32([]byte{'c'}, file), fn)
}

// ID returns where the record of a key is looked for first.
func (f *Frontier) ID(key string) crawl.ID { return f.id(key) }

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
