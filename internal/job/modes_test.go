package job_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/internal/fsx"
	"exclave/internal/job"
	"exclave/internal/job/checkpoint"
	"exclave/internal/job/folder"
	"exclave/internal/testweb"
)

// What a job writes is its owner's alone; the group may fetch WARC files and reports.
// The same holds for a checkpoint, and for the job that is restored from it.
func TestModes(t *testing.T) {
	j := newJob(t, tiny(pages{"/v": testweb.NationalPage(0)}), nil)
	j.run(job.Options{}, "http://x.cz/v")
	b, err := job.Open(t.Context(), j.cfg, job.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Checkpoint(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "restored")
	if _, err := checkpoint.Restore(t.Context(), filepath.Join(j.cfg.Dir, folder.CheckpointDir, "one"), other, folder.Env{}); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{j.cfg.Dir, other} {
		if n := checkModes(t, dir); n < 15 {
			t.Errorf("%s: only %d files", dir, n)
		}
	}
}

// checkModes counts what was made in the folder of a job.
func checkModes(t *testing.T, dir string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir || e.Name() == "seeds.txt" { // made by the test
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		may := fsx.FileMode
		switch {
		case e.IsDir():
			may = fsx.FolderMode | os.ModeDir
		case strings.Contains(path, ".warc.gz"), filepath.Base(filepath.Dir(path)) == folder.ReportDir:
			may = fsx.SharedMode
		}
		if n++; info.Mode()&^may != 0 {
			t.Errorf("%s: %v, may be %v", path, info.Mode(), may)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
