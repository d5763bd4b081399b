package frontier

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"exclave/crawl"
)

// Kinds of work that follows from a commit but may be too much for it. Work is
// durable and drained in batches between commits.
const (
	workLinks = 1 // the links of an archived page get its greater claims
	workKeep  = 2 // the redirects that lead to a URI are archived
)

// workBatch is how many records one batch of work touches at most.
const workBatch = 1000

// maxWork is how much work is kept in memory; the rest waits in the state.
const maxWork = 10000

// workItem is something left to do, with its number, which orders it.
type workItem struct {
	number uint64
	kind   byte
	id     crawl.ID
	from   uint64 // how far it was done
	stored bool   // there is a row of it
	dirty  bool   // the row, if any, says something else
}

// workQueue is the oldest work, in order.
type workQueue struct {
	items []workItem
	more  bool   // there are rows behind those in items
	done  uint64 // number of the last that was done
}

func workKey(number uint64) []byte { return numberKey('k', number) }

func (w *workItem) encode() []byte {
	e := newEnc()
	e.uv(uint64(w.kind))
	e.id(w.id)
	e.uv(w.from)
	return e.b
}

func (t *tx) addWork(kind byte, id crawl.ID) error {
	t.st.work++
	t.works++
	w := workItem{number: t.st.work, kind: kind, id: id, dirty: true}
	q := &t.f.work
	if q.more || len(q.items) == maxWork {
		q.more, t.behind = true, true
		return t.b.Set(workKey(w.number), w.encode(), nil)
	}
	q.items = append(q.items, w)
	return nil
}

// refill reads the oldest work from the state, where this commit cannot be seen yet.
func (t *tx) refill() error {
	q := &t.f.work
	full := errors.New("full")
	q.items = q.items[:0]
	err := scanFrom(t.f.db, workKey(q.done+1), []byte{'k'}, func(k, v []byte) error {
		if len(q.items) == maxWork {
			return full
		}
		d := newDec(v)
		w := workItem{number: binary.BigEndian.Uint64(k[1:]), kind: byte(d.uv()), id: d.id(), from: d.uv(), stored: true}
		if err := d.end(); err != nil {
			return fmt.Errorf("work row: %w", err)
		}
		q.items = append(q.items, w)
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
		if err := t.b.Set(workKey(w.number), w.encode(), nil); err != nil {
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
			q.items[0].from, q.items[0].dirty = from, true
			continue
		}
		t.works--
		q.done, q.items = w.number, q.items[1:]
		if w.stored {
			if err := t.b.Delete(workKey(w.number), nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// do does a piece of work, or a part of it; it returns where to go on, 0 at the end.
func (t *tx) do(w workItem) (next uint64, err error) {
	r, err := t.record(w.id)
	if err != nil {
		return 0, err
	}
	if r == nil {
		return 0, fmt.Errorf("work row: record %v is missing", w.id)
	}
	if w.kind == workLinks {
		next, err = t.passOn(r, w.from)
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
func (t *tx) passOn(r *Record, from uint64) (uint64, error) {
	links, err := t.linksOf(r)
	if err != nil {
		return 0, err
	}
	for i := from; i < uint64(len(links)); i++ {
		if i == from+workBatch {
			return i, nil
		}
		child, err := t.record(links[i].id)
		if err != nil {
			return 0, err
		}
		if child == nil || child.ID == r.ID {
			continue // was out of scope
		}
		var ways crawl.Ways // those of other links are what they were
		if links[i].kind == crawl.LinkRedirect {
			ways = r.Ways().Over(crawl.HopRedirect, true)
			if err := t.redirectNearer(r, child); err != nil {
				return 0, err
			}
		}
		if err := t.join(child, t.f.o.Depths.Child(r.Claim, r.Outcome, links[i].kind), ways); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

type keptLink struct {
	id   crawl.ID
	kind crawl.LinkKind
}

func (t *tx) linksOf(r *Record) ([]keptLink, error) {
	var out []keptLink
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
				out = append(out, keptLink{id, k.Kind})
			}
		}
		return out, nil
	}
	v, err := t.row(idKey('l', r.ID))
	if err != nil || v == nil {
		return nil, err
	}
	return decodeLinks(r.ID.Host, v)
}

// ownHost marks the kind of a kept link whose host is that of the page.
const ownHost = 0x80

// appendLink writes a link of a page on the host.
func appendLink(b []byte, host uint64, l keptLink) []byte {
	if l.id.Host == host {
		return binary.BigEndian.AppendUint64(append(b, byte(l.kind)|ownHost), l.id.URI)
	}
	return appendID(append(b, byte(l.kind)), l.id)
}

func decodeLinks(host uint64, v []byte) (out []keptLink, err error) {
	d := newDec(v)
	for len(d.b) > 0 {
		kind := d.take(1)[0]
		l := keptLink{crawl.ID{Host: host}, crawl.LinkKind(kind &^ ownHost)}
		if kind&ownHost == 0 {
			l.id = d.id()
		} else if b := d.take(8); b != nil {
			l.id.URI = binary.BigEndian.Uint64(b)
		}
		out = append(out, l)
	}
	return out, d.end()
}

// keepSources claims the redirects that lead to a URI.
func (t *tx) keepSources(r *Record) error {
	sources := slices.Clone(t.edges[r.ID])
	if err := scan(t.f.db, idKey('r', r.ID), func(k, _ []byte) error {
		sources = append(sources, readID(k[1+idLen:]))
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
		if !had && s.Targeted && s.State != Done {
			// Fetched again; what leads to it is kept as well.
			if err := t.addWork(workKeep, s.ID); err != nil {
				return err
			}
		}
	}
	return nil
}
