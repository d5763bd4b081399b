package job_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/config"
	"exclave/crawl"
	"exclave/internal/job"
	"exclave/internal/job/checkpoint"
	"exclave/internal/job/folder"
	"exclave/internal/testweb"
)

// What a sheet blocks is asked for nothing, neither robots.txt nor a page, and crawl.log says why.
func TestBlockedBySheet(t *testing.T) {
	t.Parallel()
	j := newJob(t, testweb.Tiny{
		"http://a.test/":     testweb.National("/shut/x", "/open", "http://b.test/"),
		"http://a.test/open": testweb.NationalPage(1), "http://a.test/shut/x": testweb.NationalPage(2), "http://b.test/": testweb.NationalPage(3),
	}, func(c *config.Config) { c.Analysis.Depth = 1 })
	dir := filepath.Join(j.cfg.Dir, folder.SheetDir)
	must(t, os.MkdirAll(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "optout.toml"), []byte("[[sheet]]\nname = \"opt-out\"\nhosts = [\"b.test\"]\nsurts = [\"http://(test,a,)/shut/\"]\nblocked = true\n"), 0o644))
	h := j.run(job.Options{}, "http://a.test/")
	log := strings.Join(j.log(crawl.LogCrawl), "\n")
	if n := strings.Count(log, "blocked:opt-out"); n != 2 || strings.Count(log, " -5001 ") != 2 || strings.Contains(log, "b.test/robots.txt") {
		t.Errorf("%d URIs are blocked\n%s", n, log)
	}
	for _, r := range h.records {
		if strings.Contains(r.uri, "b.test") || strings.Contains(r.uri, "/shut/") {
			t.Errorf("asked for %s", r.uri)
		}
	}
}

// A job that is restored from a checkpoint has the sheets.
func TestCheckpointHoldsSheets(t *testing.T) {
	t.Parallel()
	j := finishedJob(t, nil)
	const text = "[[sheet]]\nname = \"a\"\nhosts = [\"b.test\"]\nblocked = true\n"
	must(t, os.MkdirAll(filepath.Join(j.cfg.Dir, folder.SheetDir), 0o755))
	must(t, os.WriteFile(filepath.Join(j.cfg.Dir, folder.SheetDir, "a.toml"), []byte(text), 0o644))
	j.with(job.Options{}, func(b *job.Job) {
		_, err := b.Checkpoint(t.Context(), "one")
		must(t, err)
	})
	other := filepath.Join(t.TempDir(), "restored")
	_, err := checkpoint.Restore(t.Context(), filepath.Join(j.cfg.Dir, folder.CheckpointDir, "one"), other, folder.Env{})
	must(t, err)
	got, err := os.ReadFile(filepath.Join(other, folder.SheetDir, "a.toml"))
	if err != nil || string(got) != text {
		t.Errorf("%q, %v", got, err)
	}
}

// A sheet that cannot be read stops the job, with its line: it might be one that blocks.
func TestBadSheet(t *testing.T) {
	t.Parallel()
	j := newJob(t, testweb.Tiny{}, nil)
	dir := filepath.Join(j.cfg.Dir, folder.SheetDir)
	must(t, os.MkdirAll(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "a.toml"), []byte("[[sheet]]\nname = \"a\"\nhosts = [\"b.test\"]\nblock = true\n"), 0o644))
	got, err := job.Open(t.Context(), j.cfg, job.Options{})
	if err == nil || !strings.Contains(err.Error(), "a.toml:4:1: sheet[0].block") {
		t.Errorf("%v, %v", got, err)
	}
}
