package job_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"exclave/config"
	"exclave/internal/fsx"
	"exclave/internal/job"
	"exclave/internal/job/checkpoint"
	"exclave/internal/job/folder"
	"exclave/internal/job/moved"
	"exclave/internal/job/question"
	"exclave/internal/job/storage"
	"exclave/internal/job/verify"
	"exclave/internal/testweb"
	"exclave/warc"
	"exclave/warc/store"
	"exclave/warc/store/storetest"
)

// logText is a writer of a log that several goroutines write to.
type logText struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// remotely verifies a job with the files that are elsewhere, and without; it returns how many were taken on trust.
func remotely(t *testing.T, cfg *config.Config, remote bool) (defects []string, trusted int) {
	t.Helper()
	must(t, verify.Run(t.Context(), folder.Of(cfg, folder.Env{}), verify.Options{Remote: remote, Defect: func(d verify.Defect) { defects = append(defects, d.String()) },
		Trusted: func(n int, _ int64) { trusted = n }}))
	return defects, trusted
}

// filesOf are the files of a job at rest.
func filesOf(t *testing.T, f folder.Folder) (all []moved.File) {
	t.Helper()
	must(t, question.Look(t.Context(), f, func(q question.Questions) (err error) {
		all, err = q.Files(t.Context())
		return err
	}))
	return all
}

// storeAll stores the files of a job at rest.
func storeAll(t *testing.T, cfg *config.Config, env folder.Env) error {
	t.Helper()
	f := folder.Of(cfg, env)
	all := filesOf(t, f)
	s, err := storage.Open(f, cfg.Storage(), true)
	if err != nil {
		return err
	}
	waiting, err := s.Waiting(all)
	for i := 0; i < len(waiting) && err == nil; i++ {
		_, err = s.Put(t.Context(), waiting[i])
	}
	return errors.Join(err, s.Close())
}

// waitsForStorage is a web whose page /wait is answered once a file of the job was stored and deleted.
type waitsForStorage struct {
	testweb.Web
	moved func() (folder.MovedFiles, error)
}

func (w waitsForStorage) Host(name string) http.Handler {
	h := w.Web.Host(name)
	if h == nil {
		return nil
	}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			ctx, cancel := context.WithTimeout(r.Context(), time.Minute)
			defer cancel()
			for ctx.Err() == nil {
				if m, err := w.moved(); err == nil && slices.ContainsFunc(m, func(m folder.Moved) bool { return m.Deleted }) {
					break
				}
				select {
				case <-ctx.Done():
				case <-time.After(20 * time.Millisecond):
				}
			}
		}
		h.ServeHTTP(rw, r)
	})
}

// Issue 20: a crawl stores its complete files beside its work and deletes them here; verify takes them on trust, or reads them from the
// server; a revisit finds its original there; what has to be read again is read from there.
func TestStorageBesideACrawl(t *testing.T) {
	server := storetest.Start(t)
	var cfg *config.Config
	web := waitsForStorage{tiny(pages{"/a": same(), "/b": same(), "/next": foreign("/wait"), "/wait": testweb.NationalPage(4), "/c": same()}),
		func() (folder.MovedFiles, error) { return folder.Of(cfg, folder.Env{}).Moved() }}
	j := newJob(t, web, func(c *config.Config) {
		cfg = c
		c.WARC.MaxSize, c.WARC.PoolSize = 1, 1
		c.Store = server.Config("harvest/2026")
		c.Store.Delete = true
	})
	said := &logText{}
	j.run(job.Options{Log: slog.New(slog.NewTextHandler(said, nil))}, site+"/a", site+"/wait")
	f := folder.Of(j.cfg, folder.Env{})
	known, err := f.Moved()
	must(t, err)
	if len(known) == 0 || !known[0].Deleted {
		t.Fatalf("nothing was stored beside the crawl: %+v", known)
	}
	if !strings.Contains(said.String(), "not stored yet") { // the last file was completed by the end
		t.Errorf("the end does not say what is not stored: %s", said)
	}
	must(t, storeAll(t, j.cfg, folder.Env{}))
	noneHere(t, f)
	check := func(files int) {
		t.Helper()
		if d, n := remotely(t, j.cfg, false); len(d) > 0 || n != files {
			t.Errorf("%d taken on trust, of %d; %v", n, files, d)
		}
		if d, n := remotely(t, j.cfg, true); len(d) > 0 || n != 0 {
			t.Errorf("read there: %d on trust; %v", n, d)
		}
	}
	check(len(storage.Complete(filesOf(t, f))))

	// The original of a revisit record is elsewhere, and so are the links of an archived page whose claim grows.
	j.run(job.Options{}, site+"/c")
	must(t, storeAll(t, j.cfg, folder.Env{}))
	all := storage.Complete(filesOf(t, f))
	check(len(all))
	must(t, question.Look(t.Context(), f, func(q question.Questions) error {
		s, err := q.Show(t.Context(), site+"/a", false)
		if err != nil || len(s.Notes) > 0 || len(s.Records) < 3 || s.Links == nil {
			t.Errorf("%+v, %v", s, err)
		}
		return nil
	}))

	// What is not as it should be there is found, and what cannot be read is no defect.
	object := server.Object("harvest/2026/" + all[0].Name)
	whole, err := os.ReadFile(object)
	must(t, err)
	rotten := slices.Clone(whole)
	rotten[len(rotten)/2] ^= 1
	must(t, os.WriteFile(object, rotten, 0o600))
	if d, _ := remotely(t, j.cfg, false); len(d) > 0 {
		t.Errorf("on trust: %v", d)
	}
	if d, _ := remotely(t, j.cfg, true); len(d) == 0 || !strings.Contains(d[0], all[0].Name) {
		t.Errorf("a damaged object: %v", d)
	}
	must(t, os.Remove(object))
	if d, _ := remotely(t, j.cfg, true); !slices.ContainsFunc(d, func(s string) bool { return strings.Contains(s, "s3://archive/harvest/2026/"+all[0].Name) }) {
		t.Errorf("a missing object: %v", d)
	}
	keys := j.cfg.Store.Credentials
	j.cfg.Store.Credentials = filepath.Join(t.TempDir(), "none")
	if err := verify.Run(t.Context(), f, verify.Options{Remote: true}); !errors.Is(err, store.ErrSettings) {
		t.Errorf("without keys: %v", err)
	}
	j.cfg.Store.Credentials = keys
	must(t, os.WriteFile(object, whole, 0o600))
	text, err := os.ReadFile(f.Path(folder.MovedFile))
	must(t, err)
	if strings.Contains(string(text)+said.String(), "exclave-test-secret") {
		t.Error("a secret is in the register or the log")
	}

	// Register, manifest and state must say the same.
	for what, change := range map[string]func() (undo func()){
		"another digest": func() func() {
			return edit(t, f.Path(folder.MovedFile), known[0].SHA256, strings.Repeat("0", 64))
		},
		"another line": func() func() {
			return edit(t, f.Path(folder.WARCDir, warc.ManifestName), known[0].SHA256, strings.Repeat("0", 64))
		},
		"no line": func() func() {
			return edit(t, f.Path(folder.WARCDir, warc.ManifestName), known[0].SHA256+"  "+known[0].File+"\n", "")
		},
		"another size": func() func() {
			return edit(t, f.Path(folder.MovedFile), `"size":`, `"size":1`)
		},
	} {
		undo := change()
		if d, _ := remotely(t, j.cfg, false); len(d) == 0 {
			t.Errorf("%s: no defect", what)
		}
		undo()
	}
	check(len(all))
}

// noneHere demands that no WARC file of a job is in its folder.
func noneHere(t *testing.T, f folder.Folder) {
	t.Helper()
	left, err := filepath.Glob(f.Path(folder.WARCDir, "*.warc.gz*"))
	if err != nil || len(left) > 0 {
		t.Fatalf("left here: %v, %v", left, err)
	}
}

// edit replaces text in a file, once.
func edit(t *testing.T, name, old, made string) (undo func()) {
	t.Helper()
	text, err := os.ReadFile(name)
	must(t, err)
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s is not in %s", old, name)
	}
	must(t, os.WriteFile(name, []byte(strings.Replace(string(text), old, made, 1)), 0o600))
	return func() { must(t, os.WriteFile(name, text, 0o600)) }
}

// Whatever operation on the disk fails, each file is here or there, whole; the job can be crawled and verified, and the next call goes on.
func TestStorageFaults(t *testing.T) {
	j := newJob(t, tiny(pages{"/a": same(), "/next": foreign()}), func(c *config.Config) { c.WARC.PoolSize = 1 })
	j.run(job.Options{}, site+"/a")
	j.cfg.Store.Delete = true
	rest := t.TempDir()
	must(t, os.CopyFS(rest, os.DirFS(j.cfg.Dir)))
	f := folder.Of(j.cfg, folder.Env{})
	digests, err := warc.ReadManifest(fsx.Real(), f.Path(folder.WARCDir))
	must(t, err)
	for at := int64(0); ; at++ {
		must(t, os.RemoveAll(j.cfg.Dir))
		must(t, os.CopyFS(j.cfg.Dir, os.DirFS(rest)))
		j.cfg.Store.To = t.TempDir()
		all := filesOf(t, f)
		fsys := fsx.NewFaulty(fsx.Real(), fsx.Fault{At: at})
		s, err := storage.Open(folder.Of(j.cfg, folder.Env{FS: fsys}), j.cfg.Storage(), true)
		if err == nil {
			for _, file := range storage.Complete(all) {
				_, failed := s.Put(t.Context(), file)
				err = errors.Join(err, failed)
			}
			err = errors.Join(err, s.Close())
		}
		for name, digest := range digests {
			if !here(t, f.Path(folder.WARCDir, name), digest) && !here(t, filepath.Join(j.cfg.Store.To, name), digest) {
				t.Fatalf("operation %d fails (%v), and %s is nowhere", at, err, name)
			}
		}
		if d, _ := remotely(t, j.cfg, true); len(d) > 0 {
			t.Fatalf("operation %d fails: %v", at, d)
		}
		if _, failed := fsys.Counts(); failed == 0 {
			must(t, err)
			if at < 30 {
				t.Errorf("only %d operations", at)
			}
			break
		}
		must(t, storeAll(t, j.cfg, folder.Env{}))
		noneHere(t, f)
	}
	j.run(job.Options{}, site+"/next")
}

// here reports whether a file has a digest.
func here(t *testing.T, name, digest string) bool {
	t.Helper()
	m := warc.Manifest{}
	return m.Add(t.Context(), fsx.Real(), filepath.Dir(name), filepath.Base(name), nil) == nil && m[filepath.Base(name)] == digest
}

// A file that is not what was registered, or whose place is taken, stays here; others are stored.
func TestStorageRefuses(t *testing.T) {
	j := newJob(t, tiny(pages{"/a": same(), "/b": testweb.NationalPage(3), "/next": foreign()}), func(c *config.Config) { c.WARC.MaxSize, c.WARC.PoolSize = 1, 1 })
	j.run(job.Options{}, site+"/a", site+"/b")
	j.cfg.Store.To, j.cfg.Store.Delete = "other-disk", true
	f := folder.Of(j.cfg, folder.Env{})
	must(t, os.Mkdir(f.Path("other-disk"), 0o750)) // relative: in the job's folder
	files := warcs(t, j.cfg)
	must(t, os.WriteFile(f.Path("other-disk", filepath.Base(files[0])), []byte("something else"), 0o600))
	if err := storeAll(t, j.cfg, folder.Env{}); !errors.Is(err, store.ErrTaken) {
		t.Errorf("taken: %v", err)
	}
	lock, err := f.HoldFiles()
	must(t, err)
	if err := storeAll(t, j.cfg, folder.Env{}); !errors.Is(err, folder.ErrStoring) {
		t.Errorf("while another one stores: %v", err)
	}
	if err := verify.Run(t.Context(), f, verify.Options{}); !errors.Is(err, folder.ErrStoring) {
		t.Errorf("verify while another one stores: %v", err)
	}
	must(t, lock.Close())
	must(t, os.Remove(f.Path("other-disk", filepath.Base(files[0]))))
	must(t, storeAll(t, j.cfg, folder.Env{}))

	// A checkpoint of a job whose files are elsewhere knows where they are.
	j.with(job.Options{}, func(b *job.Job) {
		c, err := b.Checkpoint(t.Context(), "x")
		if err != nil || len(c.Missing) != len(files) || !slices.ContainsFunc(c.Files, func(f checkpoint.File) bool { return strings.HasSuffix(f.Path, folder.MovedFile) }) {
			t.Errorf("%+v, %v", c, err)
		}
	})
}
