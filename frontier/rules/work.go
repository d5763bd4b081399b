package rules

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// WorkBatch is how many records a commit touches for work items at most.
const WorkBatch = 1000

// maxWork is how many work items are in memory; the others are in the state only.
const maxWork = 10000

// backlogItem is a work item in memory.
type backlogItem struct {
	schema.Work
	stored bool // there is a row of it
	dirty  bool // differs from the row
}

// Backlog has the oldest work items, in order. It belongs to the committer.
type Backlog struct {
	items []backlogItem
	More  bool   // there are rows behind those in items
	done  uint64 // number of the last that was done
}

// addWork adds a work item, for what follows from this commit but may be too much for it.
func (t *Tx) addWork(kind schema.WorkKind, id crawl.ID) error {
	t.Counters.Work++
	t.Works++
	w := backlogItem{Work: schema.Work{Number: t.Counters.Work, Kind: kind, ID: id}, dirty: true}
	q := t.env.Backlog
	if q.More || len(q.items) == maxWork {
		q.More, t.workBehind = true, true
		t.w.Set(schema.WorkKey(w.Number), w.Encode())
		return nil
	}
	q.items = append(q.items, w)
	return nil
}

// refillBacklog reads the oldest work items from the state, without those of this commit.
func (t *Tx) refillBacklog() error {
	q := t.env.Backlog
	full := errors.New("full")
	q.items = q.items[:0]
	err := t.state.Scan(schema.WorkKey(q.done+1), schema.Works.Prefix(), func(k, v []byte) error {
		if len(q.items) == maxWork {
			return full
		}
		w, err := schema.DecodeWork(k, v)
		if err != nil {
			return fmt.Errorf("work row: %w", err)
		}
		q.items = append(q.items, backlogItem{Work: w, stored: true})
		return nil
	})
	if errors.Is(err, full) {
		return nil
	}
	q.More = t.workBehind
	return err
}

// flushWork stores the work items that changed.
func (t *Tx) flushWork() {
	items := t.env.Backlog.items
	for i := range items {
		w := &items[i]
		if !w.dirty {
			continue
		}
		t.w.Set(schema.WorkKey(w.Number), w.Encode())
		w.stored, w.dirty = true, false
	}
}

// DrainBacklog does the oldest work items, up to about WorkBatch records or items. Work items are durable: the next
// commits, or the next run, do the others.
func (t *Tx) DrainBacklog() error {
	q := t.env.Backlog
	most := len(t.recs) + WorkBatch
	for n := 0; t.Works > 0 && n < WorkBatch && len(t.recs) < most; n++ {
		if len(q.items) == 0 {
			if err := t.refillBacklog(); err != nil {
				return err
			}
			if len(q.items) == 0 {
				return nil // the others can be read after this commit
			}
		}
		w := q.items[0]
		from, err := t.doWork(w)
		if err != nil {
			return err
		}
		if from > 0 {
			q.items[0].From, q.items[0].dirty = from, true
			continue
		}
		t.Works--
		q.done, q.items = w.Number, q.items[1:]
		if w.stored {
			t.w.Delete(schema.WorkKey(w.Number))
		}
	}
	return nil
}

// doWork does a work item, or a part of it; it returns where to continue, 0 at the end.
func (t *Tx) doWork(w backlogItem) (next uint64, err error) {
	r, err := t.Record(w.ID)
	if err != nil {
		return 0, err
	}
	if r == nil {
		return 0, fmt.Errorf("work row: record %v is missing", w.ID)
	}
	if w.Kind == schema.WorkLinks {
		next, err = t.passClaims(r, w.From)
	} else {
		err = t.keepRedirects(r)
	}
	if err != nil {
		return 0, fmt.Errorf("pass on claims of %s: %w", r.URL, err)
	}
	return next, nil
}

// passClaims joins the claims of a page's links, from the given link on; it returns
// where to continue, 0 at the end.
func (t *Tx) passClaims(r *schema.Record, from uint64) (uint64, error) {
	links, err := t.linksOf(r)
	if err != nil {
		return 0, err
	}
	for i := from; i < uint64(len(links)); i++ {
		if i == from+WorkBatch {
			return i, nil
		}
		child, err := t.Record(links[i].ID)
		if err != nil {
			return 0, err
		}
		if child == nil || child.ID == r.ID {
			continue // it was refused
		}
		var ways crawl.Ways // those of other links are what they were
		if links[i].Kind == crawl.LinkRedirect {
			ways = r.Ways().Over(crawl.HopRedirect, true)
			if err := t.redirectNearer(r, child); err != nil {
				return 0, err
			}
		}
		if err := t.Join(child, t.env.Depths.Child(r.Claim, r.Outcome, links[i].Kind), ways); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// linksOf returns the links of a page, from the state or its metadata record.
func (t *Tx) linksOf(r *schema.Record) ([]schema.Link, error) {
	var out []schema.Link
	if r.LinksInMetadata {
		known, err := t.env.Links.Outlinks(context.Background(), r.Metadata)
		if err != nil {
			return nil, err
		}
		for _, k := range known {
			c, id, err := t.Lookup(k.Key)
			if err != nil {
				return nil, err
			}
			if c != nil {
				out = append(out, schema.Link{ID: id, Kind: k.Kind})
			}
		}
		return out, nil
	}
	v, err := t.Row(schema.LinksKey(r.ID))
	if err != nil || v == nil {
		return nil, err
	}
	return schema.DecodeLinks(r.ID.Host, v)
}

// keepRedirects claims the redirects that lead to a URI.
func (t *Tx) keepRedirects(r *schema.Record) error {
	sources := slices.Clone(t.edges[r.ID])
	if err := t.scan(schema.RedirectPrefix(r.ID), func(k, _ []byte) error {
		sources = append(sources, schema.RedirectSource(k))
		return nil
	}); err != nil {
		return err
	}
	for _, id := range sources {
		s, err := t.Record(id)
		if err != nil {
			return err
		}
		if s == nil {
			return fmt.Errorf("record %v of a redirect is missing", id)
		}
		had := s.Claim.Keep
		if err := t.Join(s, crawl.Claim{Keep: true}, crawl.Ways{}); err != nil {
			return err
		}
		if !had && s.RedirectTarget && s.State != schema.Done {
			// Fetched again; what leads to it is kept as well.
			if err := t.addWork(schema.WorkKeep, s.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// KnownLink is a link of an archived page: its key and kind.
type KnownLink struct {
	Key  string
	Kind crawl.LinkKind
}

// LinkReader reads the outlinks of an archived page from its metadata record.
type LinkReader interface {
	Outlinks(ctx context.Context, metadata crawl.Ref) ([]KnownLink, error)
}
