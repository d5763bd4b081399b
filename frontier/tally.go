package frontier

import (
	"fmt"
	"maps"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
	"exclave/frontier/store"
)

func loadTallies(a *rules.Tallies, r store.Reader) error {
	for _, t := range []struct {
		kind schema.TallyTable
		of   string
		into map[string]schema.Tally
	}{{schema.ByType, "MIME types", a.Types}, {schema.BySource, "sources", a.Sources}} {
		if err := r.Scan(schema.TallyPrefix(t.kind), func(k, v []byte) (err error) {
			t.into[schema.TallyName(k)], err = schema.DecodeTally(v)
			return err
		}); err != nil {
			return fmt.Errorf("tallies of %s: %w", t.of, err)
		}
	}
	if err := r.Scan(schema.TallyPrefix(schema.ByStatus), func(k, v []byte) error {
		status, err := schema.TallyStatus(k)
		if err == nil {
			a.Statuses[status], err = schema.DecodeTally(v)
		}
		return err
	}); err != nil {
		return fmt.Errorf("tallies of statuses: %w", err)
	}
	return nil
}

// Counted reports whether the tallies count every visit. It is false if the crawl was begun
// by a version without tallies.
func (f *Frontier) Counted() (bool, error) {
	v, err := f.db.Get(schema.MetaKey(schema.MetaCounted))
	return v != nil, err
}

// Types returns the tallies by MIME type: at most 2,000, [OtherTypes] beside them.
func (f *Frontier) Types() map[string]schema.Tally {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.tallies.Types)
}

// Statuses returns the tallies by status.
func (f *Frontier) Statuses() map[crawl.Status]schema.Tally {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.tallies.Statuses)
}

// Total returns the tally of all visits.
func (f *Frontier) Total() (y schema.Tally) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.tallies.Statuses {
		y.Add(s)
	}
	return y
}
