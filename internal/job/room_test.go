package job_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"exclave/chain"
	"exclave/config"
	"exclave/internal/clock"
	"exclave/internal/fsx"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/verify"
	"exclave/internal/testweb"
)

// smallDisk is the real disk with another idea of how much of it is free.
type smallDisk struct {
	fsx.FS
	free *atomic.Uint64
}

// GetDiskUsage implements vfs.FS.
func (d smallDisk) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: d.free.Load()}, nil
}

// hurried is a clock whose timers end a hundred times sooner.
type hurried struct{ clock.Clock }

type hurriedTimer struct{ clock.Timer }

// NewTimer implements [clock.Clock].
func (h hurried) NewTimer(d time.Duration) clock.Timer {
	return hurriedTimer{h.Clock.NewTimer(d / 100)}
}

// Reset implements [clock.Timer].
func (t hurriedTimer) Reset(d time.Duration) bool { return t.Timer.Reset(d / 100) }

// before calls a function before each answer.
type before struct {
	testweb.Web
	call func(path string)
}

// Host implements [testweb.Web].
func (b before) Host(name string) http.Handler {
	h := b.Web.Host(name)
	if h == nil {
		return nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.call(r.URL.Path)
		h.ServeHTTP(w, r)
	})
}

// A disk that gets full pauses the crawl, which says so and loses nothing; a person
// cannot resume it, room can (docs/howto/control.md).
func TestDiskFull(t *testing.T) {
	const least = 1 << 20
	var free atomic.Uint64
	var filled atomic.Bool // once: the other host has a page of this path, too
	free.Store(1 << 40)
	full := make(chan struct{})
	web := testweb.Tiny{
		"http://a.test/":  testweb.NationalPage(1, "/1", "/2", "http://b.test/"),
		"http://a.test/1": testweb.NationalPage(2),
		"http://a.test/2": testweb.NationalPage(3),
		"http://b.test/":  testweb.NationalPage(4),
	}
	j := newJob(t, before{web, func(path string) {
		if path == "/" && filled.CompareAndSwap(false, true) {
			free.Store(least - 1)
			<-full
		}
	}}, func(c *config.Config) { c.Crawl.MinFreeDisk = least })
	j.seeds("http://a.test/")
	b, err := job.Open(t.Context(), j.cfg, job.Options{Version: "test", Software: "exclave/test", FS: smallDisk{fsx.Real(), &free}, Clock: hurried{clock.System()}})
	if err != nil {
		t.Fatal(err)
	}
	type ended struct {
		job.Result
		error
	}
	end := make(chan ended, 1)
	go func() {
		r, err := b.Run(t.Context())
		end <- ended{r, err}
	}()
	until := func(what string, is func(job.Snapshot) bool) {
		t.Helper()
		look := time.NewTicker(5 * time.Millisecond)
		defer look.Stop()
		for limit := time.Now().Add(5 * time.Minute); !is(b.Snapshot()); <-look.C {
			if time.Now().After(limit) {
				t.Fatalf("never %s: %+v", what, b.Snapshot())
			}
		}
	}
	until("paused", func(s job.Snapshot) bool { return s.DiskFull && s.State == chain.Paused })
	b.Resume()
	close(full)
	until("done with the page in process", func(s job.Snapshot) bool { return s.Frontier.Archived > 0 })
	if s := b.Snapshot(); s.State != chain.Paused {
		t.Errorf("while there is no room: %s", s.State)
	}
	free.Store(least + 1) // not enough to go on at once
	b.Pause()
	free.Store(1 << 40)
	until("no longer full", func(s job.Snapshot) bool { return !s.DiskFull })
	if s := b.Snapshot(); s.State != chain.Paused {
		t.Errorf("what a person paused is %s when there is room", s.State)
	}
	for _, hit := range j.web.Log() {
		if hit.URL != "http://a.test/" && hit.URL != "http://a.test/robots.txt" {
			t.Errorf("%s was begun during the pause", hit.URL)
		}
	}
	b.Resume()
	e := <-end
	if e.error != nil || e.Reason != chain.Finished || e.Stats.Archived < 4 {
		t.Errorf("%v, %s, %+v", e.error, e.Reason, e.Stats)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if defects, err := verify.All(t.Context(), folder.Of(j.cfg, folder.Env{})); err != nil || len(defects) > 0 {
		t.Errorf("%v %v", err, defects)
	}
}
