package job_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"exclave/config"
	"exclave/internal/fsx"
	"exclave/internal/job"
	"exclave/internal/job/checkpoint"
	"exclave/internal/job/folder"
	"exclave/internal/job/verify"
	"exclave/internal/testweb"
	"exclave/warc"
)

// heldWeb does not answer for /held until it is opened.
type heldWeb struct {
	testweb.Tiny
	asked chan struct{} // gets a value at the first request held
	open  chan struct{}
}

func newHeldWeb(web testweb.Tiny) heldWeb {
	return heldWeb{web, make(chan struct{}, 1), make(chan struct{})}
}

// Host implements [testweb.Web].
func (w heldWeb) Host(name string) http.Handler {
	h := w.Tiny.Host(name)
	if h == nil {
		return nil
	}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/held" {
			select {
			case w.asked <- struct{}{}:
			default:
			}
			<-w.open
		}
		h.ServeHTTP(rw, r)
	})
}

// halfWeb is a site that is half crawled when /held is asked for: there are pages of it
// ahead in its queue, behind, and not yet found.
func halfWeb() testweb.Tiny {
	web := pages{"/v": testweb.NationalPage(0, "/1", "/2", "/3", "/4", "/held", "/5", "/6")}
	for i := range 7 {
		web[fmt.Sprintf("/%d", i+1)] = testweb.NationalPage(i+1, "/v", testweb.Img(fmt.Sprintf("/%d.png", i+1)))
		web[fmt.Sprintf("/%d.png", i+1)] = img(i + 1)
	}
	web["/held"] = testweb.NationalPage(8, "/7", testweb.Img("http://cdn.net/1.png"))
	web["http://cdn.net/1.png"] = img(9)
	return tiny(web)
}

// started is a job whose crawl is under way.
type started struct {
	*testJob
	*job.Job
	ended chan error
}

func (j *testJob) start(o job.Options, seeds ...string) started {
	j.t.Helper()
	j.seeds(seeds...)
	o.Version, o.Software = "test", "exclave/test"
	b, err := job.Open(j.t.Context(), j.cfg, o)
	if err != nil {
		j.t.Fatal(err)
	}
	s := started{j, b, make(chan error, 1)}
	go func() {
		_, err := b.Run(j.t.Context())
		s.ended <- err
	}()
	return s
}

// end waits for the end of the crawl and closes the job.
func (s started) end() {
	s.t.Helper()
	if err := errors.Join(<-s.ended, s.Close()); err != nil {
		s.t.Fatal(err)
	}
}

// made gets a value when a logger tells that a checkpoint was made.
type made chan struct{}

// Write implements io.Writer.
func (m made) Write(line []byte) (int, error) {
	if strings.Contains(string(line), "checkpoint made") {
		select {
		case m <- struct{}{}:
		default:
		}
	}
	return len(line), nil
}

// checksums returns a checksum of every file below the folders.
func checksums(t testing.TB, dirs ...string) map[string][sha256.Size]byte {
	t.Helper()
	sums := map[string][sha256.Size]byte{}
	for _, dir := range dirs {
		if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			sums[path] = sha256.Sum256(data)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	return sums
}

// restored makes a job of a checkpoint, demands that it verifies, and returns it.
func (j *testJob) restored(c checkpoint.Manifest) *testJob {
	t := j.t
	t.Helper()
	dir := filepath.Join(t.TempDir(), "restored")
	r, err := checkpoint.Restore(t.Context(), j.checkpoint(c.Name), dir, folder.Env{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Bytes < r.Linked || r.Time != c.Time {
		t.Errorf("restored %+v of %+v", r, c)
	}
	cfg, problems := config.Load(dir)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	defects, err := verify.All(t.Context(), folder.Of(cfg, folder.Env{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range defects {
		t.Errorf("%s before its crawl: defect: %s", c.Name, d)
	}
	return &testJob{t, cfg, j.web}
}

func (j *testJob) checkpoint(name string) string {
	return filepath.Join(j.cfg.Dir, folder.CheckpointDir, name)
}

func smallFiles(c *config.Config) {
	c.Analysis.Depth = 1
	c.WARC.MaxSize, c.Logs.MaxSize = 4<<10, 1<<10 // some are complete at any time
}

// A checkpoint of a running crawl: the crawl itself and two jobs restored from it end
// with what an undisturbed crawl archives, and nobody changes files of others.
func TestCheckpoint(t *testing.T) {
	t.Parallel()
	t.Run("complete WARC files", func(t *testing.T) {
		t.Parallel()
		if shared, _ := checkpointOfACrawl(t, smallFiles); shared == 0 {
			t.Error("no WARC file was complete: nothing was shown of them")
		}
	})
	t.Run("open WARC files", func(t *testing.T) {
		t.Parallel()
		if _, growing := checkpointOfACrawl(t, func(c *config.Config) { c.Analysis.Depth = 1 }); growing == 0 {
			t.Error("no WARC file was open: nothing was shown of them")
		}
	})
}

// checkpointOfACrawl returns how many complete and open WARC files the checkpoint had.
func checkpointOfACrawl(t *testing.T, change func(*config.Config)) (shared, growing int) {
	web := newHeldWeb(halfWeb())
	j := newJob(t, web, change)
	crawl := j.start(job.Options{}, site+"/v")
	<-web.asked
	c, err := crawl.Checkpoint(t.Context(), "half")
	if err != nil {
		t.Fatal(err)
	}
	if c.Stats.InProcess == 0 || c.Stats.Archived < 5 || !c.Named || c.Copied != 0 || c.Took < c.Held {
		t.Errorf("%+v", c)
	}
	for _, f := range c.Files {
		if strings.HasPrefix(f.Path, folder.WARCDir+"/") && f.Shared {
			shared++
		} else if strings.HasPrefix(f.Path, folder.WARCDir+"/") {
			growing++
		}
	}
	// Beyond what counts: the next commits of the crawl, and what it will cut off.
	close(web.open)
	crawl.end()
	original := j.run(job.Options{})
	want := newJob(t, web, change).run(job.Options{}, site+"/v")
	if got, want := original.archived(), want.archived(); !slices.Equal(got, want) || len(want) != 17 {
		t.Errorf("the original archived %q\nundisturbed %q", got, want)
	}
	log, err := os.ReadFile(filepath.Join(j.cfg.Dir, folder.LogDir, folder.ProgressLog))
	if err != nil || !strings.Contains(string(log), "CRAWL CHECKPOINTED - half in ") {
		t.Errorf("progress-statistics.log does not tell of it: %v\n%s", err, log)
	}
	before := checksums(t, j.cfg.Dir)
	first, second := j.restored(c), j.restored(c)
	for _, r := range []*testJob{first, second} {
		h := r.run(job.Options{}, site+"/v") // a line more in seeds.txt, a file that grows
		if got, want := h.archived(), want.archived(); !slices.Equal(got, want) {
			t.Errorf("restored: archived %q\nundisturbed %q", got, want)
		}
		if _, err := os.Stat(filepath.Join(r.cfg.Dir, folder.CheckpointDir)); err == nil {
			t.Error("a restored job has the checkpoints of another")
		}
	}
	if after := checksums(t, j.cfg.Dir); !maps.Equal(before, after) {
		for name := range before {
			if before[name] != after[name] {
				t.Errorf("%s was changed by a restored job", name)
			}
		}
	}
	// Files of one name: equal, or one is the beginning of the other.
	for _, name := range warcNames(t, first) {
		a, b := readFile(t, filepath.Join(first.cfg.Dir, folder.WARCDir, name)), readFileIf(filepath.Join(j.cfg.Dir, folder.WARCDir, name))
		if b != "" && !strings.HasPrefix(b, a) {
			t.Errorf("%s in the restored job holds what the original's has not", name)
		}
	}
	return shared, growing
}

func warcNames(t testing.TB, j *testJob) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(j.cfg.Dir, folder.WARCDir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if warc.IsManifest(e.Name()) {
			continue
		}
		names = append(names, e.Name())
	}
	return names
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func readFileIf(name string) string {
	data, _ := os.ReadFile(name)
	return string(data)
}

// Checkpoints made one after another of a crawl that goes on at full speed agree in
// themselves, every one of them.
func TestCheckpointsOfACrawl(t *testing.T) {
	t.Parallel()
	web := testweb.Tiny{}
	for h := range 6 {
		host := fmt.Sprintf("http://h%d.test", h)
		web[host+"/"] = testweb.NationalPage(h, "/1", "/2", "/3", fmt.Sprintf("http://h%d.test/", (h+1)%6))
		for i := range 12 {
			web[fmt.Sprintf("%s/%d", host, i+1)] = testweb.NationalPage(i, fmt.Sprintf("/%d", i+3), testweb.Img("/a.png"))
		}
		web[host+"/a.png"] = img(h)
	}
	j := newJob(t, web, func(c *config.Config) { smallFiles(c); c.Checkpoint.Keep = 5 })
	crawl := j.start(job.Options{}, "http://h0.test/")
	made := 0
	for len(crawl.ended) == 0 {
		if _, err := crawl.Checkpoint(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		made++
	}
	crawl.end()
	kept, err := checkpoint.List(j.cfg.Dir, folder.Env{})
	if err != nil || len(kept) != min(made, 5) {
		t.Fatalf("%d of %d are kept: %v", len(kept), made, err)
	}
	for _, c := range kept {
		j.restored(c)
	}
}

// A crawl makes checkpoints by itself, and keeps as many as it should.
func TestCheckpointEvery(t *testing.T) {
	t.Parallel()
	web := newHeldWeb(halfWeb())
	j := newJob(t, web, func(c *config.Config) { smallFiles(c); c.Checkpoint.Every = time.Millisecond })
	said := make(made, 1)
	crawl := j.start(job.Options{Log: slog.New(slog.NewTextHandler(said, nil))}, site+"/v")
	<-web.asked
	<-said
	close(web.open)
	crawl.end()
	all, err := checkpoint.List(j.cfg.Dir, folder.Env{})
	if err != nil || len(all) == 0 || all[0].Named {
		t.Errorf("%d checkpoints, %v", len(all), err)
	}
}

// finishedJob is a job after a crawl of two pages.
func finishedJob(t testing.TB, change func(*config.Config)) *testJob {
	t.Helper()
	j := newJob(t, tiny(pages{"/v": national("/p"), "/p": foreign()}), change)
	j.run(job.Options{}, site+"/v")
	return j
}

// with opens the job for a test.
func (j *testJob) with(o job.Options, fn func(*job.Job)) {
	j.t.Helper()
	b, err := job.Open(j.t.Context(), j.cfg, o)
	if err != nil {
		j.t.Fatal(err)
	}
	fn(b)
	if err := b.Close(); err != nil {
		j.t.Fatal(err)
	}
}

func (j *testJob) names() (names []string) {
	j.t.Helper()
	entries, err := os.ReadDir(filepath.Join(j.cfg.Dir, folder.CheckpointDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		j.t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Retention deletes the oldest without a name of their own, and nothing that is no
// checkpoint; what a kill left of making and deleting is removed.
func TestCheckpointRetention(t *testing.T) {
	t.Parallel()
	j := finishedJob(t, func(c *config.Config) { c.Checkpoint.Keep = 2 })
	foreign := []string{"20200101T000000.000Z", "notes.txt"}
	if err := errors.Join(os.MkdirAll(j.checkpoint(foreign[0])+"/state", 0o777),
		os.MkdirAll(j.checkpoint(".making")+"/state", 0o777), os.MkdirAll(j.checkpoint(".removing")+"/state", 0o777),
		os.WriteFile(j.checkpoint("notes.txt"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	var made []string
	j.with(job.Options{}, func(b *job.Job) {
		for _, name := range []string{"", "keep-me", "", "", ""} {
			c, err := b.Checkpoint(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			made = append(made, c.Name)
		}
		for _, name := range []string{"keep-me", ".hidden", "a/b", "a b", ".."} {
			if _, err := b.Checkpoint(t.Context(), name); !errors.Is(err, checkpoint.ErrUnusable) {
				t.Errorf("name %q: %v", name, err)
			}
		}
	})
	want := slices.Sorted(slices.Values(append(foreign, made[1], made[3], made[4])))
	if got := j.names(); !slices.Equal(got, want) {
		t.Errorf("there are %q, want %q", got, want)
	}
	if !slices.IsSorted([]string{made[0], made[2], made[3], made[4]}) {
		t.Errorf("names are not in order: %q", made)
	}
	j.run(job.Options{}) // and verify
}

// Where files cannot be linked they are copied, and it is said; not when the disk would
// be full of them.
func TestCheckpointWithoutLinks(t *testing.T) {
	t.Parallel()
	j := finishedJob(t, nil)
	noLinks := fsx.NewFaulty(fsx.Real(), fsx.Fault{Stay: true, Err: syscall.EPERM, Match: func(o fsx.Op) bool { return o.Kind == "link" }})
	j.with(job.Options{FS: noLinks}, func(b *job.Job) {
		c, err := b.Checkpoint(t.Context(), "copied")
		if err != nil {
			t.Fatal(err)
		}
		if c.Copied == 0 || !strings.Contains(c.String(), "copied, not linked") {
			t.Errorf("%v: %d bytes copied", c, c.Copied)
		}
		free := j.cfg.Crawl.MinFreeDisk
		j.cfg.Crawl.MinFreeDisk = 1 << 60
		if _, err := b.Checkpoint(t.Context(), "large"); err == nil || !strings.Contains(err.Error(), "min_free_disk") {
			t.Errorf("without room: %v", err)
		}
		j.cfg.Crawl.MinFreeDisk = free
	})
	if got := j.names(); !slices.Equal(got, []string{"copied"}) {
		t.Errorf("there are %q", got)
	}
	r, err := checkpoint.Restore(t.Context(), j.checkpoint("copied"), filepath.Join(t.TempDir(), "new"), folder.Env{FS: noLinks})
	if err != nil || r.Linked != 0 {
		t.Errorf("restored without links: %+v, %v", r, err)
	}
	all, err := checkpoint.List(j.cfg.Dir, folder.Env{})
	if err != nil {
		t.Fatal(err)
	}
	j.restored(all[0]).run(job.Options{})
}

// An operation in the folder of checkpoints that fails, each in turn: there is no
// checkpoint, and the job works on.
func TestCheckpointFaults(t *testing.T) {
	t.Parallel()
	j := finishedJob(t, nil)
	faulty := fsx.NewFaulty(fsx.Real(), fsx.Fault{At: -1})
	j.with(job.Options{FS: faulty}, func(b *job.Job) {
		for i := int64(0); ; i++ {
			faulty.Set(fsx.Fault{At: i, Err: syscall.EIO, Match: func(o fsx.Op) bool {
				return !o.Reads() && o.Kind != "close" && (strings.Contains(o.Path, "/"+folder.CheckpointDir) ||
					o.Kind == "link" && strings.Contains(o.Path, "/"+folder.WARCDir+"/"))
			}})
			_, err := b.Checkpoint(t.Context(), "x")
			_, failed := faulty.Counts()
			faulty.Set(fsx.Fault{At: -1})
			if failed == 0 {
				if err != nil || i < 20 {
					t.Fatalf("without a fault, after %d with one: %v", i, err)
				}
				break
			}
			if err == nil || !errors.Is(err, syscall.EIO) {
				t.Fatalf("operation %d fails: %v", i, err)
			}
			if all, err := checkpoint.List(j.cfg.Dir, folder.Env{}); len(all) > 0 || err != nil {
				t.Fatalf("operation %d fails: there are %v, %v", i, all, err)
			}
		}
	})
	all, err := checkpoint.List(j.cfg.Dir, folder.Env{})
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	j.restored(all[0])
	j.run(job.Options{})
}

// What is no checkpoint, or no whole one, is said to be so, and nothing is made.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	j := finishedJob(t, nil)
	j.with(job.Options{}, func(b *job.Job) {
		if _, err := b.Checkpoint(t.Context(), "whole"); err != nil {
			t.Fatal(err)
		}
	})
	var c checkpoint.Manifest
	manifest := j.checkpoint("whole") + "/checkpoint.json"
	if err := json.Unmarshal([]byte(readFile(t, manifest)), &c); err != nil {
		t.Fatal(err)
	}
	one := func(prefix, suffix string) string {
		for _, f := range c.Files {
			if strings.HasPrefix(f.Path, prefix) && strings.HasSuffix(f.Path, suffix) {
				return f.Path
			}
		}
		t.Fatalf("no file %s…%s", prefix, suffix)
		return ""
	}
	edit := func(old, with string) func(string) error {
		return func(dir string) error {
			text := strings.Replace(readFile(t, dir+"/checkpoint.json"), old, with, 1)
			return os.WriteFile(dir+"/checkpoint.json", []byte(text), 0o666)
		}
	}
	// linked moves what is there out of the checkpoint and leaves a link to it.
	linked := func(path string) func(string) error {
		return func(dir string) error {
			to := filepath.Join(t.TempDir(), "elsewhere")
			return errors.Join(os.Rename(filepath.Join(dir, path), to), os.Symlink(to, filepath.Join(dir, path)))
		}
	}
	for name, is := range map[string]struct {
		damage func(dir string) error
		says   string
	}{
		"no manifest":   {func(dir string) error { return os.Remove(dir + "/checkpoint.json") }, "it has no checkpoint.json"},
		"no file":       {func(dir string) error { return os.Remove(dir + "/" + one("warcs/", ".gz")) }, "is missing: the checkpoint is damaged"},
		"short log":     {func(dir string) error { return os.Truncate(dir+"/"+one("logs/crawl", ".log"), 3) }, "has 3 bytes of"},
		"outside":       {edit(`"logs/crawl.log"`, `"config/../../x"`), "lies outside"},
		"other length":  {edit(`"logs/crawl.log",`+"\n"+`   "length": `, `"logs/crawl.log",`+"\n"+`   "length": 1, "x": `), "the state has"},
		"a file of two": {edit(`"config/job.toml"`, `"config/logs/crawl.log"`), "is named twice"},
		"no length":     {edit(`"length": `, `"length": -1, "x": `), "has a negative length"},
		"shared log": {func(dir string) error {
			text := regexp.MustCompile(`("logs/crawl.log",\s*"length": \d+,\s*"shared": )false`).ReplaceAllString(readFile(t, dir+"/checkpoint.json"), "${1}true")
			return os.WriteFile(dir+"/checkpoint.json", []byte(text), 0o666)
		}, "is shared"},
		"foreign name":      {edit(`"name": "whole"`, `"name": "../whole"`), "checkpoint is damaged"},
		"terminal codes":    {edit(`"job": "test"`, `"job": "\u001b[2J"`), "checkpoint is damaged"},
		"a linked file":     {linked("logs/crawl.log"), "is a link"},
		"a linked table":    {linked(one("state/frontier", ".sst")), "is a link"},
		"a linked folder":   {linked("logs"), "is a link"},
		"a linked manifest": {linked("checkpoint.json"), "is a link"},
		"a pipe": {func(dir string) error {
			name := dir + "/logs/crawl.log"
			return errors.Join(os.Remove(name), syscall.Mkfifo(name, 0o600))
		}, "is no file"},
		"configuration": {func(dir string) error {
			return os.WriteFile(dir+"/"+one("config/", "job.toml"), make([]byte, 1e6), 0o666)
		}, "configuration cannot be used"},
	} {
		dir := j.checkpoint(strings.ReplaceAll(name, " ", "-"))
		if err := errors.Join(os.CopyFS(dir, os.DirFS(j.checkpoint("whole"))), is.damage(dir)); err != nil {
			t.Fatal(err)
		}
		at := t.TempDir()
		_, err := checkpoint.Restore(t.Context(), dir, at+"/new", folder.Env{})
		if !errors.Is(err, checkpoint.ErrUnusable) || !strings.Contains(err.Error(), is.says) {
			t.Errorf("%s: %v", name, err)
		}
		if left, _ := os.ReadDir(at); len(left) > 0 {
			t.Errorf("%s: %v is left", name, left)
		}
	}
	if _, err := checkpoint.Restore(t.Context(), j.checkpoint("whole"), j.cfg.Dir, folder.Env{}); !errors.Is(err, checkpoint.ErrUnusable) {
		t.Errorf("over a job: %v", err)
	}
	if _, problems := config.Load(j.checkpoint("whole")); len(problems) == 0 {
		t.Error("a checkpoint is taken for a job")
	}
}

// A link in the folder of checkpoints is none of them: retention must not take one for
// its own, nor a list show what lies elsewhere. Links in the job's folder are its
// owner's: what they lead to is kept, not the link.
func TestCheckpointLinks(t *testing.T) {
	t.Parallel()
	j := finishedJob(t, nil)
	away := t.TempDir()
	for _, pattern := range []string{"seeds.txt", folder.WARCDir + "/*.gz"} {
		names, err := filepath.Glob(filepath.Join(j.cfg.Dir, pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("%v, %v", names, err)
		}
		to := filepath.Join(away, filepath.Base(names[0]))
		if err := errors.Join(os.Rename(names[0], to), os.Symlink(to, names[0])); err != nil {
			t.Fatal(err)
		}
	}
	j.with(job.Options{}, func(b *job.Job) {
		if _, err := b.Checkpoint(t.Context(), "one"); err != nil {
			t.Fatal(err)
		}
	})
	if err := os.Symlink("one", j.checkpoint("latest")); err != nil {
		t.Fatal(err)
	}
	all, err := checkpoint.List(j.cfg.Dir, folder.Env{})
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	if err := os.RemoveAll(away); err != nil {
		t.Fatal(err)
	}
	j.restored(all[0]).run(job.Options{})
}
