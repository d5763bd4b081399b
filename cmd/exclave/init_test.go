package main

import (
	"os"
	"path/filepath"
	"testing"

	"exclave/internal/fsx"
)

// A job's configuration may hold what is nobody else's business.
func TestInitModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "job")
	if err := makeJob(dir, "cz", "https://example.org/"); err != nil {
		t.Fatal(err)
	}
	for name, may := range map[string]os.FileMode{
		"": fsx.FolderMode | os.ModeDir, "job.toml": fsx.FileMode, "seeds.txt": fsx.FileMode,
	} {
		st, err := os.Stat(filepath.Join(dir, name))
		if err != nil || st.Mode()&^may != 0 {
			t.Errorf("%q: %v, may be %v (%v)", name, st.Mode(), may, err)
		}
	}
}
