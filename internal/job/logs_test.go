package job_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"exclave/config"
	"exclave/crawl"
	"exclave/internal/fsx"
	"exclave/internal/job"
	"exclave/internal/job/checkpoint"
	"exclave/internal/job/folder"
	"exclave/internal/job/moved"
	"exclave/internal/job/question"
	"exclave/internal/job/rebuild"
	"exclave/internal/logparts"
)

// rolledJob is a job that is over, whose logs were rolled.
func rolledJob(t testing.TB) *testJob {
	t.Helper()
	j := newJob(t, smallWeb(), func(c *config.Config) { c.Logs.MaxSize = 600 })
	j.run(job.Options{}, "http://a.test/", "http://c.test/")
	if n := len(j.parts(crawl.LogCrawl)); n < 3 {
		t.Fatalf("%d parts of crawl.log are too few", n)
	}
	return j
}

// parts are the parts of a log, in order.
func (j *testJob) parts(l crawl.LogID) []string {
	j.t.Helper()
	names, err := logparts.List(fsx.Real(), filepath.Join(j.cfg.Dir, folder.LogDir), l.Name())
	must(j.t, err)
	return names
}

func (j *testJob) logPath(name string) string { return filepath.Join(j.cfg.Dir, folder.LogDir, name) }

// allLines are the lines of all logs.
func (j *testJob) allLines() (all []string) {
	j.t.Helper()
	for l := range crawl.NumLogs {
		all = append(all, j.log(l)...)
	}
	return all
}

// A crawl that is over has its parts compressed; whoever reads a log finds what stands in them.
func TestRolledLogsAreRead(t *testing.T) {
	j := rolledJob(t)
	for l := range crawl.NumLogs {
		for _, name := range j.parts(l) {
			if _, err := os.Stat(j.logPath(name + logparts.Packed)); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(j.logPath(name)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s is there, not compressed: %v", name, err)
			}
		}
	}
	const first = "http://a.test/"
	must(t, question.Look(t.Context(), folder.Of(j.cfg, folder.Env{}), func(b question.Questions) error {
		w, err := b.Why(t.Context(), first)
		must(t, err)
		if text := strings.Join(w.Sentences, "\n"); !regexp.MustCompile(`crawl\.log\.\d{14} line \d`).MatchString(text) {
			t.Errorf("%s: %s", first, text)
		}
		return nil
	}))
	hosts, err := job.Hosts(t.Context(), j.cfg)
	must(t, err)
	if !slices.ContainsFunc(hosts, func(h job.HostSummary) bool { return h.Host == "a.test" && h.Evidence != "" }) {
		t.Errorf("%+v", hosts)
	}
}

// What damages a part of a log is found, and a part that was moved away on purpose is not missed.
func TestVerifyRolledLogs(t *testing.T) {
	part := func(j *testJob) string { return j.parts(crawl.LogCrawl)[1] }
	for _, c := range []struct {
		why   string
		harm  func(j *testJob, path string) error // of the second part, compressed
		says  string
		opens bool // crawling refuses all that changes a length
	}{
		{"a bit", func(_ *testJob, path string) error { return flip(path, 30) }, `^crawl\.log\.\d{14}: is damaged`, true},
		{"cut", func(_ *testJob, path string) error { return os.Truncate(path, 40) }, `^crawl\.log\.\d{14}: is damaged`, false},
		{"empty", func(_ *testJob, path string) error { return os.Truncate(path, 0) }, `^crawl\.log\.\d{14}: is damaged`, false},
		{"missing", func(_ *testJob, path string) error { return os.Remove(path) }, `^crawl\.log\.\d{14}: is missing; \d+ bytes are acknowledged`, false},
		{"another's", func(j *testJob, path string) error {
			return os.Link(path, j.logPath("crawl.log.20991231235959.gz"))
		}, `^crawl\.log\.20991231235959: the state does not know this part of crawl\.log`, false},
		{"plain, of another length", func(j *testJob, path string) error {
			text := readOn(j.t.(*testing.T), fsx.Real(), path)
			return errors.Join(os.Remove(path), os.WriteFile(strings.TrimSuffix(path, logparts.Packed), text, 0o600))
		}, `^crawl\.log\.\d{14}: has \d+ bytes, \d+ are acknowledged`, false},
	} {
		t.Run(c.why, func(t *testing.T) {
			j := rolledJob(t)
			must(t, c.harm(j, j.logPath(part(j)+logparts.Packed)))
			said := false
			for _, d := range verifyAll(t, j.cfg, job.Options{}) {
				said = said || regexp.MustCompile(c.says).MatchString(d.String())
			}
			if !said {
				t.Errorf("verify says %v, not %q", verifyAll(t, j.cfg, job.Options{}), c.says)
			}
			b, err := job.Open(t.Context(), j.cfg, job.Options{})
			if err == nil {
				must(t, b.Close())
			}
			if (err == nil) != c.opens {
				t.Errorf("the job is opened: %v", err)
			}
		})
	}
}

func flip(path string, at int) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	data[at] ^= 4
	return os.WriteFile(path, data, 0o600)
}

// A part that is registered as moved away is not missed, and used again when it is back; recover asks for it.
func TestMovedLogParts(t *testing.T) {
	j := rolledJob(t)
	lines, name := j.allLines(), j.parts(crawl.LogCrawl)[1]
	away := filepath.Join(t.TempDir(), "part")
	must(t, os.Rename(j.logPath(name+logparts.Packed), away))
	made, err := registerMoved(t, j.cfg, "tape 7", []string{name + logparts.Packed})
	if err != nil || len(made) != 1 || made[0].File != name {
		t.Fatalf("%+v, %v", made, err)
	}
	if again, err := registerMoved(t, j.cfg, "", nil); err != nil || len(again) > 0 {
		t.Errorf("again: %+v, %v", again, err)
	}
	j.run(job.Options{}) // and verify
	j.with(job.Options{}, func(b *job.Job) {
		c, err := b.Checkpoint(t.Context(), "x")
		if err != nil || !slices.Contains(c.Missing, name) {
			t.Errorf("%+v, %v", c, err)
		}
	})
	if _, err := rebuild.State(t.Context(), folder.Of(j.cfg, folder.Env{}), rebuild.Options{}); !errors.Is(err, rebuild.ErrRefused) || !strings.Contains(err.Error(), "tape 7") {
		t.Errorf("recover: %v", err)
	}
	must(t, os.Rename(away, j.logPath(name+logparts.Packed)))
	j.run(job.Options{})
	if got := j.allLines(); !slices.Equal(got, lines) {
		t.Errorf("%d lines, %d before", len(got), len(lines))
	}
}

// A checkpoint holds the parts, and shares them; the job made of it goes on with them.
func TestCheckpointOfRolledLogs(t *testing.T) {
	j := rolledJob(t)
	lines := j.allLines()
	var c checkpoint.Manifest
	j.with(job.Options{}, func(b *job.Job) {
		var err error
		c, err = b.Checkpoint(t.Context(), "x")
		must(t, err)
	})
	for _, f := range c.Files {
		if strings.HasPrefix(f.Path, folder.LogDir+"/") && f.Shared != strings.HasSuffix(f.Path, logparts.Packed) {
			t.Errorf("%+v", f)
		}
	}
	r := j.restored(c)
	r.run(job.Options{})
	if got := r.allLines(); !slices.Equal(got, lines) {
		t.Errorf("%d lines, %d before", len(got), len(lines))
	}
}

// A state made anew has the parts as they are, also where the log itself is lost, and of a damaged part the lines that can be
// read; what was there is kept.
func TestRecoverRolledLogs(t *testing.T) {
	t.Run("whole", func(t *testing.T) {
		j := rolledJob(t)
		lines, want, parts := j.allLines(), finishedIn(t, j.cfg), j.parts(crawl.LogCrawl)
		loseState(t, j.cfg)
		if made := recoverJob(t, j.cfg, rebuild.Options{}); !made.Over || made.Written+made.Lost > 0 || len(made.Aside) > 0 {
			t.Errorf("%+v", made)
		}
		j.run(job.Options{})
		if got := j.allLines(); !slices.Equal(got, lines) {
			t.Errorf("%d lines, %d before", len(got), len(lines))
		}
		if got := j.parts(crawl.LogCrawl); !slices.Equal(got, parts) {
			t.Errorf("%q, %q before", got, parts)
		}
		for key, is := range finishedIn(t, j.cfg) {
			if want[key] != is {
				t.Errorf("%s: %s, before %s", key, is, want[key])
			}
		}
	})
	t.Run("the log is lost", func(t *testing.T) {
		j := rolledJob(t)
		must(t, os.WriteFile(j.logPath("crawl.log"), nil, 0o600))
		must(t, os.Remove(j.logPath("crawl.log")))
		loseState(t, j.cfg)
		if made := recoverJob(t, j.cfg, rebuild.Options{}); made.Lines == 0 {
			t.Errorf("%+v", made)
		}
		j.run(job.Options{})
	})
	t.Run("a part that was changed and reads well", func(t *testing.T) {
		j := rolledJob(t)
		name := j.parts(crawl.LogCrawl)[0]
		in, err := logparts.OpenPart(fsx.Real(), filepath.Join(j.cfg.Dir, folder.LogDir), name)
		must(t, err)
		text, err := io.ReadAll(in)
		must(t, errors.Join(err, in.Close(), os.Remove(j.logPath(name+logparts.Packed))))
		must(t, os.WriteFile(j.logPath(name), bytes.ReplaceAll(text, []byte("/robots.txt"), []byte("/robotX.txt")), 0o600))
		loseState(t, j.cfg)
		if made := recoverJob(t, j.cfg, rebuild.Options{}); len(made.Aside) != 1 { // recoverJob verifies, too
			t.Errorf("%+v", made)
		}
	})
	t.Run("a damaged part", func(t *testing.T) {
		j := rolledJob(t)
		want := slices.Sorted(slices.Values(j.run(job.Options{}).archived()))
		name := j.parts(crawl.LogCrawl)[0]
		path := j.logPath(name + logparts.Packed)
		must(t, flip(path, int(size(t, path))-20))
		old, err := os.ReadFile(path)
		must(t, err)
		loseState(t, j.cfg)
		made := recoverJob(t, j.cfg, rebuild.Options{})
		if made.Over || len(made.Aside) != 1 || !strings.Contains(made.Aside[0].Why, "cannot be read behind its line") {
			t.Fatalf("%+v", made)
		}
		for _, note := range made.Notes {
			if strings.Contains(note, "\n") {
				t.Errorf("%q is more than a line", note)
			}
		}
		if kept, err := os.ReadFile(filepath.Join(j.cfg.Dir, made.Aside[0].Kept)); err != nil || string(kept) != string(old) {
			t.Errorf("%d bytes are kept of %d, %v", len(kept), len(old), err)
		}
		if got := slices.Sorted(slices.Values(j.run(job.Options{}).archived())); !slices.Equal(got, want) {
			t.Errorf("archived %v, want %v", got, want)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("the part that was written anew is not compressed: %v", err)
		}
	})
}

// A state is not made anew without lines that lie beside the logs.
func TestRecoverRefusesLogs(t *testing.T) {
	part := func(j *testJob) string { return j.logPath(j.parts(crawl.LogCrawl)[1]) }
	unpack := func(j *testJob, cut int) error {
		path := part(j)
		in, err := logparts.OpenPart(fsx.Real(), filepath.Dir(path), filepath.Base(path))
		must(t, err)
		text, err := io.ReadAll(in)
		return errors.Join(err, in.Close(), os.WriteFile(path, text[:len(text)-cut], 0o600))
	}
	for _, c := range []struct {
		why     string
		harm    func(j *testJob) error
		says    string // "": a state is made
		without bool   // --fetch-missing does without
	}{
		{"compressed otherwise", func(j *testJob) error { return os.Rename(part(j)+logparts.Packed, part(j)+".zst") }, `crawl\.log\.\d{14}\.zst may hold lines of crawl\.log`, true},
		{"rotated by somebody else", func(j *testJob) error {
			return os.Rename(j.logPath("crawl.log"), j.logPath("crawl.log-20261123"))
		}, `crawl\.log-20261123 may hold lines of crawl\.log`, true},
		{"of a recovery that was killed", func(j *testJob) error { return os.WriteFile(part(j)+".tmp", []byte("x\n"), 0o600) }, "", false},
		{"there twice, the plain one cut", func(j *testJob) error { return unpack(j, 10) }, `crawl\.log\.\d{14} and \S+\.gz hold different bytes`, false},
		{"there twice", func(j *testJob) error { return unpack(j, 0) }, "", false},
		{"of a roll of which the disk kept half", func(j *testJob) error {
			must(t, unpack(j, 0))
			for _, later := range j.parts(crawl.LogCrawl)[2:] {
				must(t, os.Remove(j.logPath(later+logparts.Packed)))
			}
			return errors.Join(os.Remove(part(j)+logparts.Packed), os.Remove(j.logPath("crawl.log")), os.Link(part(j), j.logPath("crawl.log")))
		}, `crawl\.log and its last part, crawl\.log\.\d{14}, hold the same`, false},
		{"there twice, the compressed one cut", func(j *testJob) error {
			return errors.Join(unpack(j, 0), os.Truncate(part(j)+logparts.Packed, 40))
		}, "", false},
	} {
		t.Run(c.why, func(t *testing.T) {
			j := rolledJob(t)
			must(t, c.harm(j))
			loseState(t, j.cfg)
			if c.says == "" {
				recoverJob(t, j.cfg, rebuild.Options{})
				return
			}
			for _, without := range []bool{false, true} {
				_, err := rebuild.State(t.Context(), folder.Of(j.cfg, folder.Env{}), rebuild.Options{FetchMissing: without})
				if without && c.without {
					must(t, err)
				} else if !errors.Is(err, rebuild.ErrRefused) || !regexp.MustCompile(c.says).MatchString(err.Error()) {
					t.Errorf("--fetch-missing %v: %v", without, err)
				}
			}
		})
	}
}

func size(t testing.TB, path string) int64 {
	t.Helper()
	st, err := os.Stat(path)
	must(t, err)
	return st.Size()
}

// registerMoved asks a job at rest for its files and registers some as moved.
func registerMoved(t *testing.T, cfg *config.Config, to string, names []string) (made []folder.Moved, err error) {
	t.Helper()
	f := folder.Of(cfg, folder.Env{})
	err = question.Look(t.Context(), f, func(q question.Questions) error {
		all, err := q.Files(t.Context())
		if err != nil {
			return err
		}
		made, err = moved.Register(f, all, to, names)
		return err
	})
	return made, err
}
