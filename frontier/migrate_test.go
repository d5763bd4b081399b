package frontier

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
	"exclave/frontier/store"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// testdata/format3.tar.gz is a state that the program of format 3 made: four hosts with
// seeds; a.test has a valid page and got a link, b.test rests after a time-out, c.test
// waits for its delay, e.test was found.
func TestMigration(t *testing.T) {
	dir := t.TempDir()
	unpack(t, filepath.Join("testdata", "format3.tar.gz"), dir)
	o := options(fsx.Real(), clock.NewFake(began.Add(time.Second)), unlimited(), oneProfile(1))
	o.Dir, o.LogDir, o.Order = filepath.Join(dir, "state"), dir, rules.DefaultOrderConfig()
	ro := o
	ro.ReadOnly = true
	if _, err := Open(t.Context(), ro); err == nil || !strings.Contains(err.Error(), "open it once with exclave crawl") {
		t.Errorf("opened only to read: %v", err)
	}
	f, ar, err := start(t, o)
	must(t, err)
	r := &rig{Frontier: f, t: t, clk: o.Clock.(*clock.Fake), ar: ar}
	sound(t, f)
	if s := r.Stats(); s.Discovered != 19 || s.Finished != 2 || s.Queued != 17 || s.Archived != 1 || s.Valid != 1 {
		t.Errorf("%+v", s)
	}
	if q := r.Queues(); q.Resting != 1 || q.Inactive != 4 {
		t.Errorf("%+v", q)
	}
	if a, b := r.rests("a.test"), r.rests("b.test"); a != 4*time.Second || b != 899*time.Second {
		t.Errorf("rests %v and %v", a, b)
	}
	q, err := r.Queue(t.Context(), "a.test")
	must(t, err)
	if q.Known != 5 || q.Valid != 1 || q.Tally.Bytes != 1000 || q.Next[0] != "http://a.test/1" {
		t.Errorf("%+v", q)
	}
	asked := 0
	for ; asked < 17; asked++ {
		u := r.any()
		for u == nil {
			r.clk.Advance(time.Second)
			u = r.any()
		}
		r.finish(r.answer(u, crawl.ClassHTML, 0))
	}
	r.over()
	sound(t, f)
	must(t, f.Close(t.Context()))

	// One that was killed half-way goes on: some rows are new, the format is not.
	dir = t.TempDir()
	unpack(t, filepath.Join("testdata", "format3.tar.gz"), dir)
	o.Dir, o.LogDir = filepath.Join(dir, "state"), dir
	ro = o
	half := &Frontier{o: o, cfg: o.Config, order: rules.NewOrder(o.Order, o.Limits), openedAt: began}
	must(t, half.openStore())
	must(t, half.migrate3())
	must(t, half.db.Close())
	f, _, err = start(t, o)
	must(t, err)
	sound(t, f)
	must(t, f.Close(t.Context()))
}

// testdata/format4.tar.gz is a state that the program of format 4 made: of a.test https rests
// after a time-out, and with it the host, before three URIs of http; b.test has a valid page. It is
// read as it is.
func TestFormat4(t *testing.T) {
	dir := t.TempDir()
	unpack(t, filepath.Join("testdata", "format4.tar.gz"), dir)
	clk := clock.NewFake(began.Add(time.Second))
	o := options(fsx.Real(), clk, unlimited(), oneProfile(1))
	o.Dir, o.LogDir, o.Order = filepath.Join(dir, "state"), dir, rules.DefaultOrderConfig()
	ro := o
	ro.ReadOnly = true
	f, err := Open(t.Context(), ro)
	must(t, err)
	bad, err := f.Check()
	if err != nil || len(bad) > 0 || f.Stats().Queued != 4 {
		t.Errorf("%v, %v, %+v", err, bad, f.Stats())
	}
	must(t, f.Close(t.Context()))
	f, ar, err := start(t, o)
	must(t, err)
	r := &rig{Frontier: f, t: t, clk: clk, ar: ar}
	sound(t, f)
	clk.Advance(898 * time.Second)
	r.none("the host rests, as it did")
	clk.Advance(time.Second)
	r.fail(r.next("https://a.test/1"))
	for i := range 3 {
		clk.Advance(3 * time.Second)
		r.finish(r.answer(r.next("http://a.test"+path(i)), crawl.ClassHTML, 0))
	}
	sound(t, f)
	must(t, f.Close(t.Context()))
}

func unpack(t *testing.T, name, dir string) {
	t.Helper()
	packed, err := os.ReadFile(name)
	must(t, err)
	z, err := gzip.NewReader(bytes.NewReader(packed))
	must(t, err)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		must(t, err)
		to := filepath.Join(dir, filepath.FromSlash(h.Name))
		if h.Typeflag == tar.TypeDir {
			must(t, os.MkdirAll(to, 0o755))
			continue
		}
		b, err := io.ReadAll(r)
		must(t, err)
		must(t, os.WriteFile(to, b, 0o644))
	}
}

// A state of format 5 is one of this format that knows no payloads, of format 6 one that does not know how attempts failed: its
// commits go on with their numbers.
func TestMigrateNumbered(t *testing.T) {
	for _, version := range []uint64{5, 6} {
		migrateNumbered(t, version)
	}
}

func migrateNumbered(t *testing.T, version uint64) {
	o := options(fsx.NewMem(), clock.NewFake(began), quick(), oneProfile(0))
	f, _, err := start(t, o)
	must(t, err)
	must(t, f.Schedule(t.Context(), cand("a.test", "/", analyse)))
	number := f.number
	must(t, f.Close(t.Context()))
	db, err := store.Open(store.Options{FS: o.FS, Dir: o.Dir, Logger: o.Logger})
	must(t, err)
	var b store.Batch
	b.Set(schema.MetaKey(schema.MetaFormat), (&schema.Format{Version: version, Rules: o.RulesHash, Salt: f.salt}).Encode())
	must(t, db.Commit(&b, true))
	must(t, db.Close())
	for _, readOnly := range []bool{true, false} {
		o.ReadOnly = readOnly
		f, err = Open(t.Context(), o)
		must(t, err)
		if f.number != number || f.Stats().Queued != 1 {
			t.Errorf("commit %d, was %d; %+v", f.number, number, f.Stats())
		}
		v, err := f.db.Get(schema.MetaKey(schema.MetaFormat))
		must(t, err)
		if got, err := schema.DecodeFormat(v); err != nil || got.Version != map[bool]uint64{true: version, false: schema.FormatVersion}[readOnly] {
			t.Errorf("format %+v %v", got, err)
		}
		must(t, f.Close(t.Context()))
	}
}

func TestOtherFormatIsRefused(t *testing.T) {
	// Decision 12: the state of another program version is left alone.
	o := options(fsx.NewMem(), clock.NewFake(began), quick(), oneProfile(0))
	f, err := Open(t.Context(), o)
	must(t, err)
	must(t, f.Close(t.Context()))
	for version, want := range map[uint64]string{schema.FormatVersion + 1: "a newer exclave wrote it", 2: "use the program that made it"} {
		db, err := store.Open(store.Options{FS: o.FS, Dir: o.Dir, Logger: o.Logger})
		must(t, err)
		var b store.Batch
		b.Set(schema.MetaKey(schema.MetaFormat), (&schema.Format{Version: version, Rules: o.RulesHash, Salt: f.salt}).Encode())
		must(t, db.Commit(&b, true))
		must(t, db.Close())
		if _, err := Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a state of format %d: %v", version, err)
		}
	}
}
