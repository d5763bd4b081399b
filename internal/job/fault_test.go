package job_test

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"exclave/config"
	"exclave/internal/fsx"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/verify"
	"exclave/internal/testweb"
	"exclave/warc"
	"exclave/warc/warctest"
)

// smallWeb has what the state treats each in its own way: pages of both kinds,
// embeds, a redirect, an error, two hosts.
func smallWeb() testweb.Tiny {
	web := testweb.Tiny{
		"http://a.test/":      testweb.NationalPage(1, "/b", "/r", testweb.Img("/a.png"), "http://c.test/"),
		"http://a.test/b":     testweb.NationalPage(2, "/missing", testweb.Stylesheet("/s.css")),
		"http://a.test/r":     testweb.Redirect(302, "/b2"),
		"http://a.test/b2":    testweb.NationalPage(3),
		"http://a.test/a.png": testweb.Image(1),
		"http://a.test/s.css": testweb.CSS("/c.png"),
		"http://a.test/c.png": testweb.Image(2),
		"http://c.test/":      testweb.ForeignPage(4, "/d", testweb.Img("/e.png")),
		"http://c.test/d":     testweb.NationalPage(5, "http://a.test/"),
		"http://c.test/e.png": testweb.Image(3),
	}
	return web
}

// smallJob is a job over srv whose folder on the real disk holds only the seeds.
func smallJob(t testing.TB, srv *testweb.Server) *config.Config {
	t.Helper()
	cfg := config.Default("cz")
	cfg.Dir = t.TempDir()
	cfg.Job.Name = "fault"
	cfg.Crawl.MinFreeDisk = 0
	cfg.Crawl.ToeThreads = 4
	cfg.HTTP.Contact = "http://127.0.0.1/"
	cfg.HTTP.Allow = []string{"127.0.0.0/8"}
	cfg.HTTP.ConnectTo = srv.ConnectTo()
	cfg.DNS.Servers = []string{srv.DNS()}
	cfg.Frontier.MinDelay, cfg.Frontier.MaxDelay = 0, 0
	cfg.Frontier.HostsPerAddress, cfg.Frontier.AddressDelay = 0, 0 // all hosts are on this machine
	cfg.Frontier.RetryDelay, cfg.Frontier.MaxRetries = time.Millisecond, 3
	cfg.WARC.MaxSize, cfg.Logs.MaxSize = 2<<10, 600 // so that files get complete on the way
	if err := os.WriteFile(filepath.Join(cfg.Dir, "seeds.txt"), []byte("http://a.test/\nhttp://c.test/\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// crawlOn opens, runs and closes the job on fs. Five minutes without an end are a
// hang, and a defect of its own.
func crawlOn(t *testing.T, cfg *config.Config, fs fsx.FS, points *fsx.FailPoints) error {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		j, err := job.Open(t.Context(), cfg, job.Options{FS: fs, Version: "test", Software: "exclave/test", Fail: points, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			ended <- err
			return
		}
		_, err = j.Run(t.Context())
		ended <- errors.Join(err, j.Close())
	}()
	select {
	case err := <-ended:
		return err
	case <-time.After(5 * time.Minute):
		t.Fatal("the crawl hangs")
		return nil
	}
}

// finishOn lets the crawl end on a healthy file system and verifies it.
func finishOn(t *testing.T, cfg *config.Config, fs fsx.FS) map[string]string {
	t.Helper()
	if err := crawlOn(t, cfg, fs, nil); err != nil {
		t.Fatalf("crawl on a healthy file system: %v", err)
	}
	defects, err := verify.All(t.Context(), folder.Of(cfg, folder.Env{FS: fs}))
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	for _, d := range defects {
		t.Error(d)
	}
	return archivedOn(t, cfg, fs)
}

// archivedOn reads the payload digest of every URL in the WARC files. Answers of
// name servers hold the time.
func archivedOn(t *testing.T, cfg *config.Config, fs fsx.FS) map[string]string {
	t.Helper()
	dir := filepath.Join(cfg.Dir, folder.WARCDir)
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, name := range names {
		if warc.IsManifest(name) {
			continue
		}
		defects, err := warctest.Verify(fs, filepath.Join(dir, name), func(r warc.RecordInfo) error {
			if r.Type == warc.TypeResponse && !strings.HasPrefix(r.TargetURI, "dns:") {
				got[r.TargetURI] = r.Payload
			}
			return nil
		})
		if err != nil || len(defects) > 0 {
			t.Fatalf("%s: %v %v", name, err, defects)
		}
	}
	return got
}

// failing is the file systems under test of one run: what failed lives on as the
// next process would find it.
type failing struct {
	stay bool
	err  error
	keep int // percent of what was not synced that survives
}

// Any single write, sync, rename … that fails, and a disk that is full or gone
// from some moment on, ends the crawl with an error that says where, or is coped
// with; the next start on a healthy disk comes to the archive of an undisturbed
// crawl (docs/architecture, engine: every error path is a tested path). All
// operations are tried with EXCLAVE_LONG=1, else a growing stride.
func TestFaults(t *testing.T) {
	srv, err := testweb.Start(smallWeb(), testweb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	cfg := smallJob(t, srv)
	want := finishOn(t, cfg, fsx.NewMem())
	if len(want) < 8 {
		t.Fatalf("the undisturbed crawl archived only %v", want)
	}
	eio, enospc := error(syscall.EIO), error(syscall.ENOSPC)
	for name, f := range map[string]failing{
		"once":              {err: eio, keep: 100},
		"once, power":       {err: eio, keep: 0},
		"from then on":      {err: eio, stay: true, keep: 50},
		"full from then on": {err: enospc, stay: true, keep: 100},
	} {
		t.Run(name, func(t *testing.T) { f.sweep(t, cfg, want) })
	}
}

func (f failing) sweep(t *testing.T, cfg *config.Config, want map[string]string) {
	rng := rand.New(rand.NewPCG(1, 2))
	runs, errored := 0, 0
	for at := int64(0); ; {
		mem := fsx.NewMem()
		faulty := fsx.NewFaulty(mem, fsx.Fault{At: at, Stay: f.stay, Err: f.err})
		err := crawlOn(t, cfg, faulty, nil)
		_, failed := faulty.Counts()
		if failed == 0 {
			if err != nil {
				t.Fatalf("operation %d: nothing was injected, yet %v", at, err)
			}
			break
		}
		runs++
		if err != nil {
			errored++
			if !errors.Is(err, f.err) && !strings.Contains(err.Error(), f.err.Error()) {
				t.Errorf("operation %d: the error does not say what failed: %v", at, err)
			}
		}
		healthy := mem.CrashClone(fsx.Crash{KeepPercent: f.keep, Rand: rng})
		if got := finishOn(t, cfg, healthy); !maps.Equal(got, want) {
			t.Errorf("operation %d: archived %v, an undisturbed crawl %v", at, got, want)
		}
		if t.Failed() {
			t.Fatalf("operation %d (%s): crawl ended with: %v", at, f.err, err)
		}
		at++
		if os.Getenv("EXCLAVE_LONG") == "" {
			at += at / 3
		}
	}
	t.Logf("%d runs with a fault, %d ended in an error", runs, errored)
}

// A machine that stops at any commit, with whatever part of what was not synced
// on its disk, leaves a job that goes on to the archive of an undisturbed crawl
// (docs/formats/state.md: order of a commit).
func TestCrash(t *testing.T) {
	srv, err := testweb.Start(smallWeb(), testweb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	cfg := smallJob(t, srv)
	want := finishOn(t, cfg, fsx.NewMem())
	rng := rand.New(rand.NewPCG(3, 4))
	for _, point := range []string{"warc.create", "warc.write.mid", "warc.sync", "warc.synced", "warc.rename", "warc.renamed",
		"frontier.commit.before-sync", "frontier.commit.after-sync", "frontier.commit.after-batch", "frontier.logs.mid",
		"frontier.roll.committed", "frontier.roll.renamed", "frontier.roll.synced", "logs.compressed", "logs.compress.renamed"} {
		for _, keep := range []int{0, 30, 100} {
			t.Run(fmt.Sprintf("%s keeps %d", point, keep), func(t *testing.T) {
				hit := 1 + rng.IntN(3)
				mem := fsx.NewMem()
				var once sync.Once
				var crashed *fsx.Mem
				points, err := fsx.NewFailPoints(fmt.Sprintf("%s=%d", point, hit), func(string) {
					once.Do(func() { crashed = mem.CrashClone(fsx.Crash{KeepPercent: keep, Rand: rng}) })
				})
				if err != nil {
					t.Fatal(err)
				}
				if err := crawlOn(t, cfg, mem, points); err != nil {
					t.Fatal(err)
				}
				if crashed == nil {
					t.Fatalf("hit %d never came", hit)
				}
				if got := finishOn(t, cfg, crashed); !maps.Equal(got, want) {
					t.Errorf("after hit %d: archived %v, an undisturbed crawl %v", hit, got, want)
				}
			})
		}
	}
}
