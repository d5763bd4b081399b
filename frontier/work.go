package frontier

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// workBatch is how many records one batch of work touches at most.
const workBatch = 1000

// maxWork is how much work is kept in memory; the rest waits in the state.
const maxWork = 10000

// workItem is something left to do.
type workItem struct {
	schema.Work
	stored bool // there is a row of it
	dirty  bool // the row, if any, says something else
}

// workQueue is the oldest work, in order.
type workQueue struct {
	items []workItem
	more  bool   // there are rows behind those in items
	done  uint64 // number of the last that was done
}

func (t *tx) addWork(kind schema.WorkKind, id crawl.ID) error {
	t.st.Work++
	t.works++
	w := workItem{Work: schema.Work{Number: t.st.Work, Kind: kind, ID: id}, dirty: true}
	q := &t.f.work
	if q.more || len(q.items) == maxWork {
		q.more, t.behind = true, true
		return t.b.Set(schema.WorkKey(w.Number), w.Encode(), nil)
	}
	q.items = append(q.items, w)
	return nil
}

// refill reads the oldest work from the state, where this commit cannot be seen yet.
func (t *tx) refill() error {
	q := &t.f.work
	full := errors.New("full")
	q.items = q.items[:0]
	err := scanFrom(t.f.db, schema.WorkKey(q.done+1), schema.Works.Prefix(), func(k, v []byte) error {
		if len(q.items) == maxWork {
			return full
		}
		w, err := schema.DecodeWork(k, v)
		if err != nil {
			return fmt.Errorf("work row: %w", err)
		}
		q.items = append(q.items, workItem{Work: w, stored: true})
		return nil
	})
	if errors.Is(err, full) {
		return nil
	}
	q.more = t.behind
	return err
}

// flushWork stores what is left of the work.
func (t *tx) flushWork() error {
	items := t.f.work.items
	for i := range items {
		w := &items[i]
		if !w.dirty {
			continue
		}
		if err := t.b.Set(schema.WorkKey(w.Number), w.Encode(), nil); err != nil {
			return err
		}
		w.stored, w.dirty = true, false
	}
	return nil
}

// drain does the oldest work, up to about workBatch records or pieces.
func (t *tx) drain() error {
	q := &t.f.work
	most := len(t.recs) + workBatch
	for n := 0; t.works > 0 && n < workBatch && len(t.recs) < most; n++ {
		if len(q.items) == 0 {
			if err := t.refill(); err != nil {
				return err
			}
			if len(q.items) == 0 {
				return nil // what is left becomes visible with this commit
			}
		}
		w := q.items[0]
		from, err := t.do(w)
		if err != nil {
			return err
		}
		if from > 0 {
			q.items[0].From, q.items[0].dirty = from, true
			continue
		}
		t.works--
		q.done, q.items = w.Number, q.items[1:]
		if w.stored {
			if err := t.b.Delete(schema.WorkKey(w.Number), nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// do does a piece of work, or a part of it; it returns where to go on, 0 at the end.
func (t *tx) do(w workItem) (next uint64, err error) {
	r, err := t.record(w.ID)
	if err != nil {
		return 0, err
	}
	if r == nil {
		return 0, fmt.Errorf("work row: record %v is missing", w.ID)
	}
	if w.Kind == schema.WorkLinks {
		next, err = t.passOn(r, w.From)
	} else {
		err = t.keepSources(r)
	}
	if err != nil {
		return 0, fmt.Errorf("pass on claims of %s: %w", r.URL, err)
	}
	return next, nil
}

// passOn joins the claims of a page's links, from the given link on; it returns
// where to go on, 0 at the end.
func (t *tx) passOn(r *schema.Record, from uint64) (uint64, error) {
	links, err := t.linksOf(r)
	if err != nil {
		return 0, err
	}
	for i := from; i < uint64(len(links)); i++ {
		if i == from+workBatch {
			return i, nil
		}
		child, err := t.record(links[i].ID)
		if err != nil {
			return 0, err
		}
		if child == nil || child.ID == r.ID {
			continue // was out of scope
		}
		var ways crawl.Ways // those of other links are what they were
		if links[i].Kind == crawl.LinkRedirect {
			ways = r.Ways().Over(crawl.HopRedirect, true)
			if err := t.redirectNearer(r, child); err != nil {
				return 0, err
			}
		}
		if err := t.join(child, t.f.o.Depths.Child(r.Claim, r.Outcome, links[i].Kind), ways); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

func (t *tx) linksOf(r *schema.Record) ([]schema.Link, error) {
	var out []schema.Link
	if r.LinksInMetadata {
		known, err := t.f.o.Links.Outlinks(context.Background(), r.Metadata)
		if err != nil {
			return nil, err
		}
		for _, k := range known {
			c, id, err := t.lookup(k.Key)
			if err != nil {
				return nil, err
			}
			if c != nil {
				out = append(out, schema.Link{ID: id, Kind: k.Kind})
			}
		}
		return out, nil
	}
	v, err := t.row(schema.LinksKey(r.ID))
	if err != nil || v == nil {
		return nil, err
	}
	return schema.DecodeLinks(r.ID.Host, v)
}

// keepSources claims the redirects that lead to a URI.
func (t *tx) keepSources(r *schema.Record) error {
	sources := slices.Clone(t.edges[r.ID])
	if err := scan(t.f.db, schema.RedirectPrefix(r.ID), func(k, _ []byte) error {
		sources = append(sources, schema.RedirectSource(k))
		return nil
	}); err != nil {
		return err
	}
	for _, id := range sources {
		s, err := t.record(id)
		if err != nil {
			return err
		}
		if s == nil {
			return fmt.Errorf("record %v of a redirect is missing", id)
		}
		had := s.Claim.Keep
		if err := t.join(s, crawl.Claim{Keep: true}, crawl.Ways{}); err != nil {
			return err
		}
		if !had && s.Targeted && s.State != schema.Done {
			// Fetched again; what leads to it is kept as well.
			if err := t.addWork(schema.WorkKeep, s.ID); err != nil {
				return err
			}
		}
	}
	return nil
}
