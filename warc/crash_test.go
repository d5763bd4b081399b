package warc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// committer is the smallest honest caller: rows survive a crash as a database's
// would, changed only after Sync.
type committer struct {
	rows map[uint32]FileState
	next uint32
}

func (c *committer) open() []FileState {
	var out []FileState
	for _, r := range c.rows {
		out = append(out, r)
	}
	return out
}

// run writes captures until an error, and returns it.
func (c *committer) run(p *Pool, captures int, after func()) error {
	for i := range captures {
		f, err := p.Acquire(context.Background())
		if err != nil {
			return err
		}
		span, _, err := capture(f, page(i))
		p.Release(f)
		if err != nil {
			return err
		}
		if err := p.Sync([]uint32{span.File}); err != nil {
			return err
		}
		row, ok := p.File(span.File)
		if !ok {
			return fmt.Errorf("no file %d", span.File)
		}
		row.Committed = span.End
		c.rows[span.File] = row
		c.next = p.NextFile()
		events, err := p.Committed(span.File, span.End)
		c.store(events)
		if err != nil {
			return err
		}
		after()
	}
	events, err := p.Close()
	c.store(events)
	return err
}

func (c *committer) store(events []Event) {
	for _, e := range events {
		r := c.rows[e.File]
		r.Final = true
		c.rows[e.File] = r
	}
}

// recovered recovers and verifies every file to be clean and exactly as long as
// committed.
func (c *committer) recovered(t *testing.T, fs fsx.FS) []FileState {
	t.Helper()
	rows, _, err := Recover(fs, "warcs", c.open(), keep(fs), nobody, nil)
	must(t, err)
	for _, r := range rows {
		st, err := fs.Stat("warcs/" + r.DiskName())
		must(t, err)
		if st.Size() != r.Committed {
			t.Errorf("%s has %d bytes, %d are committed", r.DiskName(), st.Size(), r.Committed)
		}
		clean(t, fs, "warcs/"+r.DiskName())
	}
	names, err := fs.List("warcs")
	must(t, err)
	if len(names) != len(rows) {
		t.Errorf("%d files, %d rows: %v", len(names), len(rows), names)
	}
	return rows
}

func TestCrashAtAnyInstant(t *testing.T) {
	// Decision 2: whatever a crash leaves, recovery finds all that was committed
	// and nothing torn, and writing goes on.
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(3, seed))
		fs := fsx.NewMem()
		c := &committer{rows: make(map[uint32]FileState)}
		p := openTestPool(t, fs, 0)
		left := r.IntN(25)
		var crashed *fsx.Mem
		var rows map[uint32]FileState
		err := c.run(p, 25, func() {
			if left--; left == 0 {
				f, err := p.Acquire(context.Background())
				must(t, err)
				must(t, f.Begin())
				_, err = f.Write(page(99)[0])
				must(t, errors.Join(err, f.flush()))
				crashed = fs.CrashClone(fsx.Crash{KeepPercent: r.IntN(101), Rand: r})
				rows = make(map[uint32]FileState)
				for k, v := range c.rows {
					rows[k] = v
				}
				p.Release(f)
			}
		})
		must(t, err)
		if crashed == nil {
			continue
		}
		again := &committer{rows: rows}
		for _, row := range rows {
			again.next = max(again.next, row.Number+1)
		}
		open := again.recovered(t, crashed)
		for _, row := range open {
			again.rows[row.Number] = row
		}
		p = openTestPool(t, crashed, again.next, open...)
		must(t, again.run(p, 10, func() {}))
		again.recovered(t, crashed)
	}
}

func TestFaultAtEveryOperation(t *testing.T) {
	// libraries.md, gowarc: "a failed write leaves a partial gzip member and later
	// offsets are wrong". Fail each operation in turn, for once and for good.
	for _, stay := range []bool{false, true} {
		for at := int64(0); ; at++ {
			fs := fsx.NewMem()
			must(t, fsx.MkdirAll(fs, "warcs"))
			f := fsx.NewFaulty(fs, fsx.Fault{At: at, Stay: stay, Err: syscall.ENOSPC})
			c := &committer{rows: make(map[uint32]FileState)}
			err := c.run(openTestPool(t, f, 0), 12, func() {})
			_, failed := f.Counts()
			if failed > 0 && err == nil {
				t.Fatalf("operation %d failed unnoticed", at)
			}
			c.recovered(t, fs.CrashClone(fsx.Crash{}))
			c.recovered(t, fs)
			if failed == 0 {
				must(t, err)
				break
			}
		}
	}
}

func TestFaultInOneCaptureOnly(t *testing.T) {
	// A full disk that has room again: the failed captures are gone, the others
	// have right offsets, in the same process.
	for at := int64(0); ; at++ {
		fs := fsx.NewMem()
		must(t, fsx.MkdirAll(fs, "warcs"))
		f := fsx.NewFaulty(fs, fsx.Fault{At: -1})
		p := openTestPool(t, f, 0)
		f.Set(fsx.Fault{At: at, Err: syscall.ENOSPC, Match: func(o fsx.Op) bool { return o.Kind == "writeat" || o.Kind == "truncate" }})
		var ok []Span
		for i := range 12 {
			file, err := p.Acquire(t.Context())
			must(t, err)
			s, _, err := capture(file, page(i))
			if err == nil {
				ok = append(ok, s)
			}
			p.Release(file)
		}
		_, failed := f.Counts()
		if want := 12 - int(failed); len(ok) != want {
			t.Fatalf("write %d: %d captures, want %d", at, len(ok), want)
		}
		for _, s := range ok {
			must(t, p.Sync([]uint32{s.File}))
			_, err := p.Committed(s.File, s.End)
			must(t, err)
		}
		_, err := p.Close()
		must(t, err)
		names, err := fs.List("warcs")
		must(t, err)
		for _, n := range names {
			clean(t, fs, "warcs/"+n)
		}
		if failed == 0 {
			break
		}
	}
}

func TestRecoverStates(t *testing.T) {
	// Every state a crash around rename can leave, and every loss that must be said.
	const name = "TEST-20261121050607089-00000-1~host~8443.warc.gz"
	cases := []struct {
		why   string
		files map[string]int
		row   FileState
		final bool
		fails string
	}{
		{"as committed", map[string]int{name + ".open": 10}, FileState{Name: name, Committed: 10}, false, ""},
		{"longer: cut", map[string]int{name + ".open": 15}, FileState{Name: name, Committed: 10}, false, ""},
		{"renamed, event not stored", map[string]int{name: 10}, FileState{Name: name, Committed: 10}, true, ""},
		{"both names: directory not synced", map[string]int{name: 10, name + ".open": 10}, FileState{Name: name, Committed: 10}, true, ""},
		{"a final file may have been moved away", nil, FileState{Name: name, Committed: 10, Final: true}, true, ""},
		{"shorter than acknowledged", map[string]int{name + ".open": 9}, FileState{Name: name, Committed: 10}, false, "10 bytes were committed, the file has 9"},
		{"gone", nil, FileState{Name: name, Committed: 10}, false, "the file has 0"},
		{"final but shorter", map[string]int{name: 9}, FileState{Name: name, Committed: 10}, false, "the file has 9"},
		{"final but longer", map[string]int{name: 11}, FileState{Name: name, Committed: 10}, false, "the state is older than the archive"},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			fs := fsx.NewMem()
			must(t, fsx.MkdirAll(fs, "warcs"))
			for n, size := range c.files {
				must(t, fsx.WriteFileAtomic(fs, "warcs/"+n, make([]byte, size)))
			}
			stray := strings.Replace(name, "-00000-", "-00001-", 1) + ".open"
			for _, n := range []string{stray, "notes.txt.open"} {
				must(t, fsx.WriteFileAtomic(fs, "warcs/"+n, []byte("x")))
			}
			for range 2 { // idempotent
				rows, _, err := Recover(fs, "warcs", []FileState{c.row}, keep(fs), nobody, nil)
				if c.fails != "" {
					if err == nil || !strings.Contains(err.Error(), c.fails) || !strings.Contains(err.Error(), name) {
						t.Fatalf("error %v", err)
					}
					if _, err := fs.Stat("warcs/" + stray); err != nil {
						t.Fatal("something was changed in spite of the loss")
					}
					continue
				}
				must(t, err)
				if rows[0].Final != c.final {
					t.Fatalf("row %v", rows[0])
				}
				names, err := fs.List("warcs")
				must(t, err)
				if want := min(1, len(c.files)) + 1; len(names) != want {
					t.Fatalf("files %v", names)
				}
			}
		})
	}
}

// Every record names the warcinfo record of its file, also in a file that is gone on with after a restart, and after the first capture was rolled back.
func TestWarcinfoID(t *testing.T) {
	t.Parallel()
	fs := fsx.NewMem()
	c := testConfig()
	c.Dir, c.PoolSize = "warcs", 1
	must(t, fs.MkdirAll(c.Dir, 0o700))
	record := func() *Record {
		return &Record{Type: TypeResource, TargetURI: "http://a.com/", Date: clock.System().Now(), ContentType: "text/plain", Block: strings.NewReader("text")}
	}
	var rows []FileState
	for range 2 {
		p, err := OpenPool(fs, c, testInfo, clock.System(), 1+uint32(len(rows)), rows, nil)
		must(t, err)
		f, err := p.Acquire(t.Context())
		must(t, err)
		must(t, f.Begin())
		_, err = f.Write(record())
		must(t, err)
		must(t, f.Rollback())
		must(t, f.Begin())
		for range 2 {
			_, err = f.Write(record())
			must(t, err)
		}
		span, err := f.End()
		must(t, err)
		p.Release(f)
		must(t, p.Sync([]uint32{span.File}))
		_, err = p.Committed(span.File, span.End)
		must(t, err)
		s, ok := p.File(span.File)
		if !ok {
			t.Fatal("the file is not there")
		}
		rows = []FileState{s}
		must(t, p.closeAll())
	}
	in, err := fs.Open("warcs/" + rows[0].DiskName())
	must(t, err)
	info, n := "", 0
	for r := NewReader(io.NewSectionReader(in, 0, rows[0].Committed)); ; n++ {
		e, err := r.Next()
		if err == io.EOF {
			break
		}
		must(t, err)
		got := strings.Trim(e.Header.Get("WARC-Warcinfo-ID"), "<>")
		if e.Type() == TypeWarcinfo {
			if info != "" || got != "" {
				t.Errorf("a second warcinfo record, or one that names %q", got)
			}
			info = e.ID()
		} else if got != info {
			t.Errorf("a %s record names %q, not %q", e.Type(), got, info)
		}
	}
	must(t, in.Close())
	if info == "" || n != 5 {
		t.Errorf("%d records behind %q", n, info)
	}
}

// A file that was renamed before its row could say so, stored elsewhere and deleted here, is complete: a state that lost its last commit misses nothing.
func TestMovedBeforeItsRow(t *testing.T) {
	t.Parallel()
	fs := fsx.NewMem()
	must(t, fsx.MkdirAll(fs, "warcs"))
	row := FileState{Number: 1, Name: "EXCLAVE-20261123101946123-00001-1-h.warc.gz", Committed: 10}
	moved := func(name string) bool { return name == row.Name }
	last := func(uint32) (Span, bool, error) { return Span{}, false, nil }
	must(t, Check(fs, "warcs", []FileState{row}, last, moved, true))
	rows, _, err := Recover(fs, "warcs", []FileState{row}, keep(fs), moved, nil)
	must(t, err)
	if !rows[0].Final {
		t.Errorf("%+v", rows[0])
	}
	if err := Check(fs, "warcs", []FileState{row}, last, nobody, true); err == nil {
		t.Error("missing, and no fault")
	}
	if _, _, err := Recover(fs, "warcs", []FileState{row}, keep(fs), nobody, nil); err == nil {
		t.Error("missing, and recovered")
	}
}

// nobody moved a file away.
func nobody(string) bool { return false }
