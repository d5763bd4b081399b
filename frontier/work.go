package frontier

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

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

func (t *tx) addWork(kind byte, id crawl.ID) error {
	t.st.work++
	t.works++
	e := newEnc()
	e.uv(uint64(kind))
	e.uv(uint64(id))
	e.uv(0)
	return t.b.Set(idKey('k', crawl.ID(t.st.work)), e.b, nil)
}

// drain does a batch of the oldest work.
func (t *tx) drain() error {
	found := errors.New("found")
	var key, val []byte
	err := scan(t.b, []byte{'k'}, func(k, v []byte) error {
		key, val = append(key, k...), append(val, v...)
		return found
	})
	if !errors.Is(err, found) {
		if err == nil {
			t.works = 0
		}
		return err
	}
	d := newDec(val)
	kind, id, from := d.uv(), crawl.ID(d.uv()), d.uv()
	if err := d.end(); err != nil {
		return fmt.Errorf("work row: %w", err)
	}
	r, err := t.record(id)
	if err != nil {
		return err
	}
	if r == nil {
		return fmt.Errorf("work row: record %016x is missing", uint64(id))
	}
	var next uint64
	if kind == workLinks {
		next, err = t.passOn(r, from)
	} else {
		err = t.keepSources(r)
	}
	if err != nil {
		return fmt.Errorf("pass on claims of %s: %w", r.URL, err)
	}
	if next == 0 {
		t.works--
		return t.b.Delete(key, nil)
	}
	e := newEnc()
	e.uv(kind)
	e.uv(uint64(id))
	e.uv(next)
	return t.b.Set(key, e.b, nil)
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
		if err := t.join(child, t.f.o.Depths.Child(r.Claim, r.Outcome, links[i].kind)); err != nil {
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
	v, err := get(t.b, idKey('l', r.ID))
	if err != nil || v == nil {
		return nil, err
	}
	if v[0] != valueVersion || (len(v)-1)%9 != 0 {
		return nil, errCorrupt
	}
	for v = v[1:]; len(v) > 0; v = v[9:] {
		out = append(out, keptLink{crawl.ID(binary.BigEndian.Uint64(v)), crawl.LinkKind(v[8])})
	}
	return out, nil
}

// keepSources claims the redirects that lead to a URI.
func (t *tx) keepSources(r *Record) error {
	var sources []crawl.ID
	if err := scan(t.b, idKey('r', r.ID), func(k, _ []byte) error {
		sources = append(sources, crawl.ID(binary.BigEndian.Uint64(k[9:])))
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
			return fmt.Errorf("record %016x of a redirect is missing", uint64(id))
		}
		had := s.Claim.Keep
		if err := t.join(s, crawl.Claim{Keep: true}); err != nil {
			return err
		}
		if !had && s.State != Done {
			// Fetched again; what leads to it is kept as well.
			if err := t.addWork(workKeep, s.ID); err != nil {
				return err
			}
		}
	}
	return nil
}
