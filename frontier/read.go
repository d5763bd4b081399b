package frontier

import (
	"fmt"
	"slices"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// Files returns the rows of all WARC files by number.
func (f *Frontier) Files() []schema.FileRow {
	f.mu.Lock()
	defer f.mu.Unlock()
	rows := make([]schema.FileRow, 0, len(f.files))
	for _, r := range f.files {
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b schema.FileRow) int { return int(a.Number) - int(b.Number) })
	return rows
}

// Logs returns the rows of the committed logs.
func (f *Frontier) Logs() []schema.LogRow {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.logRows[:])
}

// EachURI calls fn for every known URI, in unspecified order. Via is empty if that page is
// known itself.
func (f *Frontier) EachURI(fn func(*schema.Record) error) error { return eachURI(f.db, fn) }

func eachURI(db store.Reader, fn func(*schema.Record) error) error {
	names := oneName(db) // IDs sort by host
	return db.Scan(schema.URIs.Prefix(), func(k, v []byte) error {
		r, err := schema.DecodeRecord(schema.ReadID(k[1:]), v, names)
		if err != nil {
			return fmt.Errorf("frontier: record %x: %w", k[1:], err)
		}
		return fn(r)
	})
}

// EachCapture calls fn for every capture group, by file and offset.
func (f *Frontier) EachCapture(fn func(schema.Capture) error) error {
	return f.captures(schema.Captures.Prefix(), fn)
}

func (f *Frontier) captures(prefix []byte, fn func(schema.Capture) error) error {
	return f.db.Scan(prefix, func(k, v []byte) error {
		c, err := schema.DecodeCapture(k, v)
		if err != nil {
			return fmt.Errorf("frontier: capture %x: %w", k[1:], err)
		}
		return fn(c)
	})
}

// CapturesOf calls fn for every capture group of a file, by offset.
func (f *Frontier) CapturesOf(file uint32, fn func(schema.Capture) error) error {
	return f.captures(schema.CapturesOf(file), fn)
}

// ID returns the ID that is tried first for a key; colliding keys have the next ones.
func (f *Frontier) ID(key string) crawl.ID { return f.id(key) }

// EachDeferred calls fn for every deferred record.
func (f *Frontier) EachDeferred(fn func(crawl.Deferred) error) error {
	return f.db.Scan(schema.Answers.Prefix(), func(k, v []byte) error {
		d, err := f.decodeDeferred(schema.AnswerName(k), v)
		if err != nil {
			return fmt.Errorf("frontier: deferred answer %s: %w", k[1:], err)
		}
		return fn(d)
	})
}

// Lookup returns the row of a key with its via, nil when the URI is not known.
func (f *Frontier) Lookup(key string) (*schema.Record, error) {
	for id := f.id(key); ; id.URI++ {
		v, err := f.db.Get(schema.URIKey(id))
		if v == nil || err != nil {
			return nil, err
		}
		r, err := schema.DecodeRecord(id, v, f.name)
		if err != nil {
			return nil, fmt.Errorf("frontier: %s: %w", key, err)
		}
		if r.Key == key {
			r.Via, err = f.viaOf(r)
			return r, err
		}
	}
}

func count(s *schema.Stats, r *schema.Record) {
	s.Discovered++
	switch r.State {
	case schema.Parked:
		s.Parked++
	case schema.Pending:
		s.Queued++
	case schema.Done:
		s.Finished++
	}
	if r.Finishes == 0 {
		return
	}
	for n, is := range map[*int64]bool{&s.Archived: r.Outcome.Archived, &s.Judged: r.Outcome.Judged, &s.Valid: r.Outcome.Valid(),
		&s.Failed:      rules.Failed(r.Outcome.Status),
		&s.Disregarded: rules.Excluded(r.Outcome.Status)} {
		if is {
			*n++
		}
	}
}

// InProcess reports whether the URI is in process.
func (f *Frontier) InProcess(id crawl.ID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sched.InProcess(id)
}
