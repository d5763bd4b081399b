package job_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/jobtest"
	"exclave/internal/job/verify"
	"exclave/internal/testweb"
)

// A lock that cannot be opened is not somebody else's, and a state without one, as a restored
// checkpoint is, can be looked into.
func TestLock(t *testing.T) {
	j := newJob(t, testweb.Tiny{"http://a.test/": testweb.NationalPage(1)}, nil)
	j.run(job.Options{}, "http://a.test/")
	lock := filepath.Join(j.cfg.Dir, folder.StateDir, folder.LockFile)
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if s, err := jobtest.Show(t.Context(), j.cfg, "http://a.test/"); err != nil || s == nil {
		t.Errorf("%v, %v", s, err)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(lock, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"open": func() error { _, err := job.Open(t.Context(), j.cfg, job.Options{}); return err }(),
		"show": func() error {
			_, err := jobtest.Show(t.Context(), j.cfg, "http://a.test/")
			return err
		}(),
		"verify": func() error { _, err := verify.All(t.Context(), folder.Of(j.cfg, folder.Env{})); return err }(),
	} {
		if err == nil || errors.Is(err, folder.ErrLocked) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
