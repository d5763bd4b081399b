package view_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"exclave/config"
	"exclave/internal/job/folder"
	"exclave/internal/job/jobtest"
	"exclave/internal/job/view"
	"exclave/internal/testweb"
)

// ADR 45: whoever looks at a job at rest has it alone until Close, opens the rules only when they are asked for, and
// gives everything back; the state is as the crawl left it.
func TestView(t *testing.T) {
	const home = "http://a.test/"
	cfg := jobtest.Config(t, jobtest.Serve(t, testweb.Tiny{home: testweb.NationalPage(1)}), home)
	r := jobtest.Run(t, cfg)
	f := folder.Of(cfg, folder.Env{})
	v, err := view.Open(t.Context(), f, view.Options{})
	jobtest.Must(t, err)
	if v.State.Stats() != r.Stats || v.Analyzer != nil || v.Scope != nil {
		t.Errorf("%+v, not %+v; rules %v %v", v.State.Stats(), r.Stats, v.Analyzer, v.Scope)
	}
	if last, err := v.LastRun(); err != nil || !last.Over() || last.Runs != 1 {
		t.Errorf("%+v, %v", last, err)
	}
	if err := v.FS.MkdirAll(v.Path("new"), 0o755); err == nil {
		t.Error("a View could make a folder")
	}
	if _, err := view.Open(t.Context(), f, view.Options{}); !errors.Is(err, folder.ErrLocked) {
		t.Errorf("a second View: %v", err)
	}
	jobtest.Must(t, errors.Join(v.Close(), v.Close()))
	v, err = view.Open(t.Context(), f, view.Options{Rules: true})
	jobtest.Must(t, err)
	if v.Analyzer == nil || v.Scope == nil {
		t.Error("asked for rules, and has none")
	}
	jobtest.Must(t, v.Close())
}

// A job that was never begun cannot be looked at, and one whose state is lost says so; neither leaves anything behind.
func TestViewOfNothing(t *testing.T) {
	cfg := config.Default("cz")
	cfg.Dir = t.TempDir()
	f := folder.Of(cfg, folder.Env{})
	if _, err := view.Open(t.Context(), f, view.Options{}); !errors.Is(err, folder.ErrNotBegun) {
		t.Errorf("never begun: %v", err)
	}
	if left, err := os.ReadDir(cfg.Dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if last, err := view.ReadLastRun(t.Context(), f); err != nil || last.Runs != 0 || last.Over() {
		t.Errorf("%+v, %v", last, err)
	}
	jobtest.Must(t, os.Mkdir(f.Path(folder.StateDir), 0o755))
	lock, err := f.Lock("begin")
	jobtest.Must(t, err)
	if _, err := view.Open(t.Context(), f, view.Options{}); !errors.Is(err, folder.ErrNotBegun) {
		t.Errorf("another process is about to begin it: %v", err)
	}
	if _, err := view.ReadLastRun(t.Context(), f); !errors.Is(err, folder.ErrLocked) {
		t.Errorf("its last run: %v", err)
	}
	jobtest.Must(t, errors.Join(lock.Close(), os.RemoveAll(f.Path(folder.StateDir))))
	jobtest.Must(t, os.Mkdir(f.Path(folder.LogDir), 0o755))
	jobtest.Must(t, os.WriteFile(filepath.Join(f.Path(folder.LogDir), "crawl.log"), []byte("a line\n"), 0o644))
	if _, err := view.Open(t.Context(), f, view.Options{}); err == nil || errors.Is(err, folder.ErrNotBegun) {
		t.Errorf("its state is lost: %v", err)
	}
}
