package extsort

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What does not fit in a chunk, and in as many runs as are merged at once, comes back
// in order, each record once (ADR 24: counts are exact).
func TestSorter(t *testing.T) {
	s := NewSorter(t.TempDir(), "test", NewPool(400)).Remember()
	rng := rand.New(rand.NewPCG(1, 2))
	type rec struct {
		a, b uint64
		data string
	}
	want := map[rec]bool{}
	for range 20_000 {
		r := rec{a: rng.Uint64N(50), b: rng.Uint64N(3) << 60}
		r.data = strings.Repeat("x", rng.IntN(3)) + fmt.Sprint(rng.IntN(20), r.a, r.b) // hashes are of the data
		want[r] = true
		if err := s.Add(r.a, r.b, []byte(r.data[:1]), []byte(r.data[1:])); err != nil {
			t.Fatal(err)
		}
	}
	if s.made < 2*fanIn {
		t.Fatalf("%d runs are too few for this test", s.made)
	}
	m, err := s.Sorted()
	if err != nil {
		t.Fatal(err)
	}
	if len(m.all) > fanIn+fanIn/8 {
		t.Errorf("%d runs are read at the same time", len(m.all))
	}
	var got []rec
	for m.Next() {
		got = append(got, rec{m.A, m.B, string(m.Data)})
	}
	if err := errors.Join(m.Err, m.Close()); err != nil {
		t.Fatal(err)
	}
	sorted := slices.SortedFunc(maps.Keys(want), func(x, y rec) int {
		return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b), cmp.Compare(x.data, y.data))
	})
	if !slices.Equal(got, sorted) {
		t.Errorf("%d records, want %d", len(got), len(sorted))
	}
	if left, err := filepath.Glob(filepath.Join(s.dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q %v", left, err)
	}
}

// What fits in a chunk comes back in order, each record once, and never touches the disk.
func TestSorterInMemory(t *testing.T) {
	scratch := NewScratch(t.TempDir(), 1<<20)
	s := scratch.Sorter("test")
	for _, n := range []uint64{3, 1, 2, 3, 1} {
		if err := s.Add(n, 0, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	m, err := s.Sorted()
	if err != nil {
		t.Fatal(err)
	}
	var got []uint64
	for m.Next() {
		got = append(got, m.A)
	}
	if err := errors.Join(m.Err, m.Close()); err != nil || !slices.Equal(got, []uint64{1, 2, 3}) {
		t.Errorf("%v %v", got, err)
	}
	if scratch.dir != "" {
		t.Error("there is a folder")
	}
}

// The folder of sorters is made when one of them needs it, and nothing is left of it.
func TestScratch(t *testing.T) {
	parent := t.TempDir()
	scratch := NewScratch(parent, 200)
	s := scratch.Sorter("test")
	for n := range uint64(100) {
		if err := s.Add(n, 0, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	m, err := s.Sorted()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadDir(parent); err != nil || len(got) != 1 {
		t.Errorf("in the folder: %v %v", got, err)
	}
	if !m.Next() || m.A != 0 {
		t.Error("no first record")
	}
	if err := errors.Join(m.Close(), scratch.Close()); err != nil { // before the end
		t.Fatal(err)
	}
	if got, err := os.ReadDir(parent); err != nil || len(got) != 0 {
		t.Errorf("left behind: %v %v", got, err)
	}
}

// A record through a sorter with runs enough to be merged: 100 of 1,300 records.
func BenchmarkSorter(b *testing.B) {
	const records = 130_000
	data := make([]byte, 64)
	for b.Loop() {
		s, rng := NewSorter(b.TempDir(), "bench", NewPool(1300*(len(data)+itemBytes))), rand.New(rand.NewPCG(1, 2))
		for range records {
			// Hosts of 20 addresses, as in a log.
			if err := s.Add(rng.Uint64N(records/20)<<40, rng.Uint64(), data); err != nil {
				b.Fatal(err)
			}
		}
		m, err := s.Sorted()
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for m.Next() {
			n++
		}
		if err := errors.Join(m.Err, m.Close()); err != nil || n != records {
			b.Fatalf("%d records: %v", n, err)
		}
	}
	b.ReportMetric(records*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// Whatever is sorted, no more is held than two chunks.
func TestSorterHolds(t *testing.T) {
	scratch := NewScratch(t.TempDir(), 1000)
	s := scratch.Sorter("test")
	most := 0
	for n := range uint64(5000) {
		if err := s.Add(n*7919%5000, 0, []byte("some data")); err != nil {
			t.Fatal(err)
		}
		most = max(most, s.now.size())
	}
	m, err := s.Sorted()
	if err != nil {
		t.Fatal(err)
	}
	n := uint64(0)
	for ; m.Next(); n++ {
		if m.A != n {
			t.Fatalf("record %d has %d", n, m.A)
		}
	}
	if err := errors.Join(m.Err, m.Close(), scratch.Close()); err != nil || n != 5000 {
		t.Fatal(n, err)
	}
	if record := itemBytes + len("some data"); most > 1000+record || len(s.pool.free) > 2 {
		t.Errorf("%d bytes in a chunk of 1000, %d chunks", most, len(s.pool.free))
	}
}

// A full disk is told once, with the name of the file.
func TestFullDisk(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip(err)
	}
	c := NewPool(1 << 20).get()
	s := Sorter{now: c, pool: NewPool(1 << 20)}
	for i := range uint64(10_000) {
		if err := s.Add(i, i*i, []byte(strings.Repeat("x", int(i%50)))); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []int{10, len(c.items)} { // told at the end, and on the way
		err := (&chunk{c.data, c.items[:n]}).write(full)
		if !errors.Is(err, syscall.ENOSPC) || strings.Count(err.Error(), full) != 1 {
			t.Errorf("%d records: %v", n, err)
		}
	}
}
