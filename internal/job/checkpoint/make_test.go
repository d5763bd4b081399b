package checkpoint

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/config"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/job/evidence"
	"exclave/internal/job/folder"
)

// state is an open state that copies itself as a test says.
type state struct {
	t    *testing.T
	at   frontier.Instant
	err  error
	held int // holds of the names of logs that were not released
	copy func(dir string)
}

func (s *state) HoldRolls() func() { s.held++; return func() { s.held-- } }

func (s *state) Checkpoint(_ context.Context, dir string) (frontier.Instant, error) {
	if s.held != 1 {
		s.t.Errorf("logs may be renamed while they are counted: %d holds", s.held)
	}
	must(s.t, os.MkdirAll(dir, 0o700))
	must(s.t, os.WriteFile(filepath.Join(dir, "000001.sst"), []byte("table"), 0o600))
	must(s.t, os.WriteFile(filepath.Join(dir, "MANIFEST"), []byte("m"), 0o600))
	if s.copy != nil {
		s.copy(dir)
	}
	return s.at, s.err
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// jobFolder is a job with a WARC file that grows, a complete one, one that was moved away, and a log.
func jobFolder(t *testing.T) (folder.Folder, *state) {
	cfg := config.Default("cz")
	cfg.Dir, cfg.Job.Name, cfg.Crawl.MinFreeDisk, cfg.Checkpoint.Keep = t.TempDir(), "test", 0, 0
	f := folder.Of(cfg, folder.Env{})
	for _, d := range []string{folder.WARCDir, folder.LogDir, folder.StateDir} {
		must(t, os.MkdirAll(f.Path(d), 0o700))
	}
	for name, text := range map[string]string{
		f.Path("seeds.txt"):                                     "http://a.test/\n",
		f.Path(folder.WARCDir, "A-1.warc.gz"):                   "complete",
		f.Path(folder.WARCDir, "B-2.warc.gz.open"):              "growing and more",
		f.Path(folder.LogDir, crawl.LogCrawl.Name()):            "line\nmore\n",
		f.Path(folder.LogDir, crawl.LogScope.Name()):            "",
		f.Path(folder.LogDir, crawl.LogAnalysis.Name()):         "",
		f.Path(folder.StateDir, folder.EvidenceKeyFile+".else"): "not of it",
	} {
		must(t, os.WriteFile(name, []byte(text), 0o600))
	}
	logs := make([]frontier.LogRow, crawl.NumLogs)
	logs[crawl.LogCrawl].Length = 5
	return f, &state{t: t, at: frontier.Instant{At: time.Date(2026, 11, 23, 1, 2, 3, 0, time.UTC), Number: 7, Logs: logs, Files: []frontier.FileRow{
		{Number: 1, Name: "A-1.warc.gz", Committed: 8, Final: true}, {Number: 2, Name: "B-2.warc.gz", Committed: 7}, {Number: 3, Name: "C-3.warc.gz", Committed: 9, Final: true},
	}}}
}

// A checkpoint has what the state counts, under the lengths that it counts, and nothing else: no crawl is needed to make
// one. What is complete is shared; what is written to is not.
func TestMaker(t *testing.T) {
	f, s := jobFolder(t)
	var told []string
	m := NewMaker(f, s, Options{Key: evidence.NewKey(), Software: "exclave/test", Made: func(c Manifest) { told = append(told, c.Name) }})
	c, err := m.Make(t.Context(), "")
	must(t, err)
	lengths, shared := map[string]int64{}, []string{}
	for _, file := range c.Files {
		lengths[file.Path] = file.Length
		if file.Shared {
			shared = append(shared, file.Path)
		}
		if _, err := os.Stat(f.Path(folder.CheckpointDir, c.Name, file.Path)); err != nil {
			t.Error(err)
		}
	}
	for name, n := range map[string]int64{"warcs/A-1.warc.gz": 8, "warcs/B-2.warc.gz": 7, "logs/crawl.log": 5, "config/seeds.txt": 15, "state/frontier/MANIFEST": 1} {
		if got, ok := lengths[name]; !ok || got != n {
			t.Errorf("%s: %d bytes, want %d", name, got, n)
		}
	}
	if want := []string{"state/frontier/000001.sst", "warcs/A-1.warc.gz"}; !slices.Equal(slices.Sorted(slices.Values(shared)), want) {
		t.Errorf("shared: %q, want %q", shared, want)
	}
	if !slices.Equal(c.Missing, []string{"C-3.warc.gz"}) || c.Name != "20261123T010203.000Z" || c.Named || !slices.Equal(told, []string{c.Name}) || s.held != 0 {
		t.Errorf("%+v, told of %q, %d holds", c, told, s.held)
	}
	all, err := List(f.Dir(), f.Env)
	if err != nil || len(all) != 1 || all[0].String() != c.String() {
		t.Errorf("listed %v, %v", all, err)
	}
}

// A state that cannot be copied, and a log that is not there, leave no checkpoint and hold nothing up.
func TestMakerFails(t *testing.T) {
	for why, spoil := range map[string]func(folder.Folder, *state){
		"the state cannot be copied": func(_ folder.Folder, s *state) { s.err = errors.New("disk full") },
		"a log is missing": func(f folder.Folder, s *state) {
			s.copy = func(string) { must(t, os.Remove(f.Path(folder.LogDir, crawl.LogCrawl.Name()))) }
		},
	} {
		f, s := jobFolder(t)
		spoil(f, s)
		m := NewMaker(f, s, Options{Key: evidence.NewKey(), Made: func(Manifest) { t.Errorf("%s: one was made", why) }})
		if _, err := m.Make(t.Context(), "one"); err == nil || !strings.HasPrefix(err.Error(), "job: checkpoint of ") {
			t.Errorf("%s: %v", why, err)
		}
		if names, err := f.FS.List(f.Path(folder.CheckpointDir)); err != nil || len(names) > 0 || s.held != 0 {
			t.Errorf("%s: left %q, %v, %d holds", why, names, err, s.held)
		}
	}
}

// Retention deletes the oldest that nobody named, and only those.
func TestRetention(t *testing.T) {
	f, s := jobFolder(t)
	f.Config.Checkpoint.Keep = 2
	m := NewMaker(f, s, Options{Key: evidence.NewKey()})
	for _, name := range []string{"", "mine", "", "", ""} {
		if _, err := m.Make(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		s.at.At = s.at.At.Add(time.Hour)
	}
	all, err := List(f.Dir(), f.Env)
	must(t, err)
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	if want := []string{"mine", "20261123T040203.000Z", "20261123T050203.000Z"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	if left, err := f.FS.List(f.Path(folder.CheckpointDir)); err != nil || len(left) != 3 {
		t.Errorf("%q, %v", left, err)
	}
}
