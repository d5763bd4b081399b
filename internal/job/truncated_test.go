package job_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/question"
	"exclave/internal/job/rebuild"
	"exclave/internal/testweb"
	"exclave/warc"
)

// TestTruncated: what a limit cut is listed, is known again after recover, with and without logs, and is
// fetched whole when it is asked for again with another limit.
func TestTruncated(t *testing.T) {
	t.Parallel()
	const pdf, page = "http://a.test/report.pdf", "http://a.test/"
	long := testweb.Text("%PDF-1.4\n"+strings.Repeat("x", 5000)).With("Content-Type", "application/pdf").With("ETag", `"1"`)
	j := newJob(t, testweb.Tiny{page: testweb.NationalPage(1, "/report.pdf"), pdf: long}, func(c *config.Config) {
		c.HTTP.MaxSizes = map[string]int64{"application/pdf": 1000}
		c.Analysis.Depth = 1
	})
	listed := func() string {
		t.Helper()
		var b strings.Builder
		must(t, question.Look(t.Context(), folder.Of(j.cfg, folder.Env{}), func(q question.Questions) error {
			return q.Report(t.Context(), "truncated-report", &b)
		}))
		return b.String()
	}
	const head = "[status] [archived] [url]\n"
	const want = head + "200 archived " + pdf + "\n"
	h := j.run(job.Options{}, page)
	if got := listed(); got != want {
		t.Errorf("listed:\n%s", got)
	}
	if r := h.of(warc.TypeResponse, pdf); len(r) != 1 || r[0].header.Get("WARC-Truncated") != "length" {
		t.Errorf("%d records", len(r))
	}
	for _, logs := range []bool{true, false} {
		loseState(t, j.cfg)
		if !logs {
			must(t, os.RemoveAll(filepath.Join(j.cfg.Dir, folder.LogDir)))
		}
		recoverJob(t, j.cfg, rebuild.Options{})
		if got := listed(); got != want {
			t.Errorf("listed after recover, logs %v:\n%s", logs, got)
		}
	}
	j.cfg.HTTP.MaxSizes = nil
	b, err := job.Open(t.Context(), j.cfg, job.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := b.Retry(t.Context(), question.Retry{Truncated: true})
	if err := errors.Join(err, b.Close()); err != nil || out.URIs != 1 {
		t.Fatalf("%d queued, %v", out.URIs, err)
	}
	h = j.run(job.Options{})
	if r := h.of(warc.TypeResponse, pdf); len(r) != 2 || r[1].header.Get("WARC-Truncated") != "" || len(r[1].block) < 5000 {
		t.Errorf("fetched again: %d records", len(r))
	}
	if got := listed(); got != head {
		t.Errorf("listed at the end:\n%s", got)
	}
}
