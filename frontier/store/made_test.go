package store

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"exclave/internal/fsx"
)

// A store of which only the name of its manifest reached the disk never held anything: it is made again. One that held
// something is not touched.
func TestHalfMade(t *testing.T) {
	for name, tt := range map[string]struct{ extra, want string }{
		"nothing held":      {"000002.log", ""},
		"a table":           {"000005.sst", "MANIFEST-000001"},
		"what is not ours":  {"notes.txt", "MANIFEST-000001"},
		"no log either":     {"", ""},
		"begun to be named": {"marker.format-version.000001.013", ""},
	} {
		mem := fsx.NewMem()
		o := Options{FS: mem, Dir: "state", Logger: slog.New(slog.DiscardHandler), Advice: "mend it"}
		write(t, mem, "state/marker.manifest.000001.MANIFEST-000001")
		if tt.extra != "" {
			write(t, mem, "state/"+tt.extra)
		}
		ro := o
		ro.ReadOnly = true
		if _, err := Open(ro); errors.Is(err, ErrNone) != (tt.want == "") {
			t.Errorf("%s: opened to read only: %v", name, err)
		}
		s, err := Open(o)
		switch {
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "mend it")):
			t.Errorf("%s: %v", name, err)
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func write(t *testing.T, fsys fsx.FS, name string) {
	t.Helper()
	if err := fsx.MkdirAll(fsys, fsys.PathDir(name)); err != nil {
		t.Fatal(err)
	}
	f, err := fsys.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
