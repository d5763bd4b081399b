package warc

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"exclave/internal/fsx"
)

// checked is an archive with a complete file and an open one, as its rows know it.
func checked(t *testing.T) (*fsx.Mem, []FileState, map[uint32]Span) {
	t.Helper()
	fs := fsx.NewMem()
	must(t, fsx.MkdirAll(fs, "warcs"))
	p := openTestPool(t, fs, 0)
	rows, last := map[uint32]*FileState{}, map[uint32]Span{}
	for i := range 3 {
		f, err := p.Acquire(t.Context())
		must(t, err)
		s, _, err := capture(f, page(i))
		must(t, err)
		if rows[s.File] == nil {
			st, _ := p.File(s.File)
			rows[s.File] = &st
		}
		p.Release(f)
		must(t, p.Sync([]uint32{s.File}))
		events, err := p.Committed(s.File, s.End)
		must(t, err)
		rows[s.File].Committed, last[s.File] = s.End, s
		for _, e := range events {
			rows[e.File].Final = true
		}
		if len(events) > 0 && i > 0 {
			break
		}
	}
	must(t, p.closeAll())
	var out []FileState
	for _, n := range slices.Sorted(maps.Keys(rows)) {
		out = append(out, *rows[n])
	}
	return fs, out, last
}

// What a crawl finds out before it begins: each fault is said with what to do, and nothing is changed.
func TestCheck(t *testing.T) {
	_, rows, _ := checked(t)
	if len(rows) == 0 {
		t.Fatal("no files")
	}
	cases := []struct {
		why    string
		change func(fs *fsx.Mem, name string, size int64) error
		final  bool // the row says that the file is complete
		moved  bool
		strict bool
		says   string // "": no fault
	}{
		{"as it was", nil, false, false, true, ""},
		{"missing", func(fs *fsx.Mem, n string, _ int64) error { return fs.Remove(n) }, true, false, false, "exclave moved JOB"},
		{"missing, registered", func(fs *fsx.Mem, n string, _ int64) error { return fs.Remove(n) }, true, true, false, ""},
		{"open and missing", func(fs *fsx.Mem, n string, _ int64) error { return fs.Remove(n) }, false, false, false, "is missing"},
		{"short", func(fs *fsx.Mem, n string, size int64) error { return fs.Truncate(n, size-1) }, true, false, false, "acknowledged captures are lost"},
		{"complete and longer", appended, true, false, false, "the state is older than the archive"},
		{"open and longer", appended, false, false, false, ""},
		{"open and longer, no mark", appended, false, false, true, "the state is older than the archive"},
		{"zeros", func(fs *fsx.Mem, n string, size int64) error { return fsx.WriteFileAtomic(fs, n, make([]byte, size)) }, true, false, false, "the last acknowledged capture"},
		{"a complete file nobody knows", func(fs *fsx.Mem, n string, size int64) error {
			return fsx.WriteFileAtomic(fs, "warcs/OTHER-20261121050607089-00009-1~host~8443.warc.gz", []byte("x"))
		}, false, false, false, "the state does not know"},
		{"another program's file", func(fs *fsx.Mem, n string, size int64) error {
			return fsx.WriteFileAtomic(fs, "warcs/mine.warc.gz", []byte("x"))
		}, false, false, true, ""},
	}
	for _, c := range cases {
		fs, rows, last := checked(t)
		row := &rows[len(rows)-1]
		name := "warcs/" + row.DiskName()
		if c.final && !row.Final {
			row.Final = true
			must(t, fs.Rename(name, "warcs/"+row.Name))
			name = "warcs/" + row.Name
		}
		if c.change != nil {
			must(t, c.change(fs, name, row.Committed))
		}
		before := sizes(t, fs)
		err := Check(fs, "warcs", rows, func(n uint32) (Span, bool, error) { s, ok := last[n]; return s, ok, nil },
			func(string) bool { return c.moved }, c.strict)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.why, err)
		}
		if after := sizes(t, fs); after != before {
			t.Errorf("%s: changed from %s to %s", c.why, before, after)
		}
	}
}

func appended(fs *fsx.Mem, name string, _ int64) error {
	a, err := fsx.OpenAppend(fs, name)
	if err != nil {
		return err
	}
	if _, err := a.Write([]byte("more")); err != nil {
		return err
	}
	return a.Close()
}

func sizes(t *testing.T, fs fsx.FS) string {
	t.Helper()
	names, err := fs.List("warcs")
	must(t, err)
	slices.Sort(names)
	out := ""
	for _, n := range names {
		st, err := fs.Stat("warcs/" + n)
		must(t, err)
		out += fmt.Sprintf("%s:%d ", n, st.Size())
	}
	return out
}

// A file that somebody renames while it is being written is noticed by the sync that writes to it, not when it is
// complete.
func TestFileMovedMeanwhile(t *testing.T) {
	fs := fsx.NewMem()
	must(t, fsx.MkdirAll(fs, "warcs"))
	p := openTestPool(t, fs, 0)
	f, err := p.Acquire(t.Context())
	must(t, err)
	s, _, err := capture(f, page(1))
	must(t, err)
	p.Release(f)
	names, err := fs.List("warcs")
	must(t, err)
	must(t, fs.Rename("warcs/"+names[0], "warcs/away"))
	if err := p.Sync([]uint32{s.File}); err == nil || !strings.Contains(err.Error(), "give it its name back") {
		t.Errorf("sync: %v", err)
	}
	must(t, p.closeAll())
}
