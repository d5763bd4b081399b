package job_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"exclave/analyzer"
	"exclave/config"
	"exclave/crawl"
	"exclave/internal/fsx"
	"exclave/internal/job"
	"exclave/internal/job/checkpoint"
	"exclave/internal/job/folder"
	"exclave/internal/testweb"
)

// values returns the values of the evidence in a job's log, by the URL of the page.
func values(t *testing.T, dir string) map[string][]string {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(dir, folder.LogDir, crawl.LogAnalysis.Name()))
	if err != nil {
		t.Fatal(err)
	}
	url, value := regexp.MustCompile(`"url":"([^"]*)"`), regexp.MustCompile(`"value":"([^"]*)"`)
	out := map[string][]string{}
	for line := range bytes.Lines(log) {
		for _, m := range value.FindAllSubmatch(line, -1) {
			u := string(url.FindSubmatch(line)[1])
			out[u] = append(out[u], string(m[1]))
		}
	}
	return out
}

// ADR 14: telephone numbers are few, so that whoever has the key has the numbers. The
// key is none that can be told from a job's name and folder. It stays the same over
// runs, checkpoints and in a job restored from one, which then goes on.
func TestEvidenceKeyIsSecret(t *testing.T) {
	t.Parallel()
	web := tiny(pages{"/1": testweb.National(), "/2": testweb.National(), "/3": testweb.National()})
	plain := newJob(t, web, nil)
	plain.run(job.Options{}, full("/1"))
	j := newJob(t, web, func(c *config.Config) { c.Analysis.Evidence = analyzer.DetailHashed })
	j.run(job.Options{}, full("/1"))
	first := values(t, j.cfg.Dir)[full("/1")]
	said := values(t, plain.cfg.Dir)[full("/1")]
	if len(first) < 3 || len(said) != len(first) {
		t.Fatalf("evidence: %q, hashed %q", said, first)
	}
	guess := sha256.Sum256([]byte(j.cfg.Job.Name + "\x00" + j.cfg.Dir))
	for i, v := range said {
		for _, key := range [][]byte{nil, guess[:]} {
			mac := hmac.New(sha256.New, key)
			mac.Write([]byte(v))
			if first[i] == hex.EncodeToString(mac.Sum(nil)[:8]) {
				t.Errorf("%q is hashed with a key that anybody can guess", v)
			}
		}
	}

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
	j.run(job.Options{}, full("/2"))
	other := *j
	cfg := *j.cfg
	other.cfg = &cfg
	other.cfg.Dir = filepath.Join(t.TempDir(), "restored")
	if _, err := checkpoint.Restore(t.Context(), filepath.Join(j.cfg.Dir, folder.CheckpointDir, "one"), other.cfg.Dir, folder.Env{}); err != nil {
		t.Fatal(err)
	}
	other.run(job.Options{}, full("/3"))
	for u, dir := range map[string]string{full("/2"): j.cfg.Dir, full("/3"): other.cfg.Dir} {
		if got := values(t, dir)[u]; !slices.Equal(got, first) {
			t.Errorf("%s: %q, before it was %q", u, got, first)
		}
	}

	// A job of an older version, or one that lost it, is told of its new key.
	if err := os.Remove(filepath.Join(j.cfg.Dir, folder.StateDir, folder.EvidenceKeyFile)); err != nil {
		t.Fatal(err)
	}
	var told bytes.Buffer
	j.run(job.Options{Log: slog.New(slog.NewTextHandler(&told, nil))}, full("/3"))
	if got := values(t, j.cfg.Dir)[full("/3")]; slices.Equal(got, first) || !strings.Contains(told.String(), "under a new one") {
		t.Errorf("a new key: %q, said %q", got, told.String())
	}

	next := newJob(t, web, func(c *config.Config) { c.Analysis.Evidence = analyzer.DetailHashed })
	next.run(job.Options{}, full("/1"))
	if got := values(t, next.cfg.Dir)[full("/1")]; slices.Equal(got, first) {
		t.Error("two jobs have one key")
	}
}

// A key that is damaged is not replaced in silence: what is hashed from then on could
// not be compared with what was hashed before.
func TestDamagedEvidenceKey(t *testing.T) {
	t.Parallel()
	j := newJob(t, tiny(pages{"/1": testweb.National()}), nil)
	j.run(job.Options{}, full("/1"))
	name := filepath.Join(j.cfg.Dir, folder.StateDir, folder.EvidenceKeyFile)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(name); err != nil || st.Mode()&^fsx.FileMode != 0 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
	for i := range len(whole) * 8 {
		bad := slices.Clone(whole)
		bad[i/8] ^= 1 << (i % 8)
		checkKeyRefused(t, j, name, bad)
	}
	for n := range whole {
		checkKeyRefused(t, j, name, whole[:n])
	}
	if err := os.WriteFile(name, whole, fsx.FileMode); err != nil {
		t.Fatal(err)
	}
	j.run(job.Options{})
}

func checkKeyRefused(t *testing.T, j *testJob, name string, bad []byte) {
	t.Helper()
	if err := os.WriteFile(name, bad, fsx.FileMode); err != nil {
		t.Fatal(err)
	}
	b, err := job.Open(t.Context(), j.cfg, job.Options{})
	if err == nil {
		t.Errorf("%q was taken", bad)
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, bad) {
		t.Errorf("%q became %q (%v)", bad, now, err)
	}
}

// A job that is refused gets no new key: who puts its state back finds nothing in the way.
func TestNoKeyForARefusedJob(t *testing.T) {
	j, _ := crawledJob(t)
	loseState(t, j.cfg)
	if b, err := job.Open(t.Context(), j.cfg, job.Options{}); err == nil {
		t.Error("a job without its state was not refused", b.Close())
	}
	if _, err := os.Stat(filepath.Join(j.cfg.Dir, folder.StateDir, folder.EvidenceKeyFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a key was made: %v", err)
	}
}
