package frontier

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// A state that is gone is not begun anew beside the logs of the crawl, which would be cut.
func TestNoStateBesideLogs(t *testing.T) {
	fs := fsx.NewMem()
	o := options(fs, clock.NewFake(began), quick(), oneProfile(0))
	log, err := fsx.OpenAppend(fs, "/"+crawl.LogCrawl.Name())
	must(t, err)
	_, err = log.Write([]byte("a line\n"))
	must(t, err)
	must(t, log.Close())
	for range 2 {
		if _, err := Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "exclave checkpoint list") {
			t.Errorf("opened: %v", err)
		}
	}
	st, err := fs.Stat("/" + crawl.LogCrawl.Name())
	must(t, err)
	if st.Size() != 7 {
		t.Errorf("the log has %d bytes", st.Size())
	}
}

// A damaged table is an error that says which and what to do; nothing panics, nothing hangs.
func TestDamagedTable(t *testing.T) {
	dir := t.TempDir()
	o := options(fsx.Real(), clock.NewFake(began), quick(), oneProfile(0))
	o.Dir, o.LogDir = filepath.Join(dir, "state"), dir
	f, _, err := start(t, o)
	must(t, err)
	var cs []crawl.Candidate
	for i := range 5000 {
		cs = append(cs, cand(fmt.Sprintf("h%d.test", i), "/"+strings.Repeat("x", i%100), analyse))
	}
	must(t, f.Schedule(t.Context(), cs...))
	must(t, f.Compact(t.Context()))
	must(t, f.Close(t.Context()))
	tables, err := filepath.Glob(filepath.Join(o.Dir, "*.sst"))
	must(t, err)
	if len(tables) == 0 {
		t.Fatal("no tables")
	}
	for _, name := range tables {
		b, err := os.ReadFile(name)
		must(t, err)
		for i := range len(b) / 2 { // indexes are at the end
			b[i] ^= 0xff
		}
		must(t, os.WriteFile(name, b, 0o600))
	}
	for _, readOnly := range []bool{true, false} {
		o.ReadOnly = readOnly
		f, err := Open(t.Context(), o)
		if err == nil {
			_, err = f.Check()
			if cause := f.db.Cause(); cause == nil || err == nil {
				t.Errorf("read-only %v: %v, %v", readOnly, err, cause)
			} else {
				err = cause
			}
			_ = f.Close(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), ".sst is damaged") || !strings.Contains(err.Error(), "exclave checkpoint list") {
			t.Errorf("read-only %v: %v", readOnly, err)
		}
	}
}
