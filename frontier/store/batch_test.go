package store

import (
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"exclave/frontier/schema"
	"exclave/internal/fsx"
)

func open(t *testing.T) *Store {
	t.Helper()
	s, err := Open(Options{FS: fsx.NewMem(), Dir: "state", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func rows(t *testing.T, r Reader) (got []string) {
	t.Helper()
	if err := r.ScanFrom([]byte{0}, nil, func(k, v []byte) error {
		got = append(got, fmt.Sprintf("%s=%s", k, v))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return got
}

// The last of several changes to a row counts; a table that is deleted holds what the batch sets.
func TestBatch(t *testing.T) {
	s := open(t)
	var first Batch
	first.Set([]byte("u2"), []byte("x"))
	first.Set([]byte("x1"), []byte("x"))
	first.Set([]byte("x2"), []byte("x"))
	if err := s.Commit(&first, true); err != nil {
		t.Fatal(err)
	}
	before, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	var b Batch
	b.Set([]byte("u2"), []byte("old"))
	b.Set([]byte("u1234567890b"), []byte("b"))
	b.Delete([]byte("u2"))
	b.Set([]byte("h1"), []byte("h"))
	b.Set([]byte("u1234567890a"), []byte("a"))
	b.Delete([]byte("w1"))
	b.Set([]byte("w1"), nil)
	b.Set([]byte("x3"), []byte("new"))
	b.DeleteTable(schema.Retired)
	if u := b.Table(schema.URIs); len(u) != 3 || string(u[0].Key) != "u1234567890a" || !u[2].Deletes || len(b.Table(schema.Queues)) != 0 {
		t.Errorf("table u: %v", u)
	}
	if err := s.Commit(&b, false); err != nil {
		t.Fatal(err)
	}
	if got := rows(t, s); !slices.Equal(got, []string{"h1=h", "u1234567890a=a", "u1234567890b=b", "w1=", "x3=new"}) {
		t.Errorf("got %q", got)
	}
	if got := rows(t, before); !slices.Equal(got, []string{"u2=x", "x1=x", "x2=x"}) {
		t.Errorf("the instant before: %q", got)
	}
	if err := before.Close(); err != nil {
		t.Error(err)
	}
}

// Rows that are read while something is committed are those of the last commit once they were
// brought up to date, and nothing is kept when nobody reads.
func TestRowsReadAhead(t *testing.T) {
	s := open(t)
	var filter Filter
	if err := filter.Start(); err != nil {
		t.Fatal(err)
	}
	cache := NewRowCache(100, func(n uint64) uint64 { return n })
	var recent Recent
	commit := func(change func(b *Batch)) {
		var b Batch
		change(&b)
		if err := s.Commit(&b, false); err != nil {
			t.Fatal(err)
		}
		filter.AddChanged(b.Table(schema.Hosts))
		SetChangedRows(cache, b.Table(schema.Hosts), hash)
		recent.Committed(&b)
	}
	commit(func(b *Batch) {
		for n := range uint64(4) {
			b.Set(schema.HostKey(n), []byte{'0' + byte(n)})
		}
	})
	if err := filter.Fill(s, nil); err != nil {
		t.Fatal(err)
	}
	cache = NewRowCache(100, func(n uint64) uint64 { return n }) // empty
	cache.Set(1, []byte("cached"))
	hosts := []uint64{0, 1, 2, 3, 4}
	w := NewRows(len(hosts), len(schema.HostKey(0)))
	for _, n := range hosts {
		w.Key(func(b []byte) []byte { return append(b, schema.HostKey(n)...) })
	}
	it, err := s.Iter(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	since := recent.BeginRead()
	commit(func(b *Batch) { b.Delete(schema.HostKey(2)); b.Set(schema.HostKey(4), []byte("new")) })
	if err := ReadRows(&w, hosts, cache, &filter, it); err != nil {
		t.Fatal(err)
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	for _, b := range recent.EndRead(since) {
		w.Update(b)
	}
	if got := fmt.Sprintf("%s", w.Values); got != "[0 cached  3 new]" {
		t.Errorf("got %s", got)
	}
	KeepRows(cache, hosts, &w)
	if v, _ := cache.Get(3); string(v) != "3" {
		t.Errorf("kept %q", v)
	}
	commit(func(b *Batch) { b.Delete(schema.HostKey(0)) })
	if len(recent.batches)+len(recent.reading) > 0 {
		t.Errorf("%d batches are kept, %d read", len(recent.batches), len(recent.reading))
	}
}

// Whoever began to read first may end last: the batches since then are kept for it.
func TestRecent(t *testing.T) {
	var r Recent
	batches := []*Batch{{}, {}, {}, {}}
	r.Committed(batches[0]) // nobody reads
	a := r.BeginRead()
	r.Committed(batches[1]) // a may not have seen it
	b := r.BeginRead()
	r.Committed(batches[2]) // nor b this one
	if got := r.EndRead(b); !slices.Equal(got, batches[2:3]) {
		t.Errorf("b may have missed %d", len(got))
	}
	if got := r.EndRead(a); !slices.Equal(got, batches[1:3]) {
		t.Errorf("a may have missed %d", len(got))
	}
	r.Committed(batches[3])
	if got := r.EndRead(r.BeginRead()); got != nil || len(r.batches)+len(r.reading) > 0 {
		t.Errorf("who begins now may have missed %d, %d are kept", len(got), len(r.batches))
	}
}
