package job_test

import (
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/question"
	"exclave/internal/job/rebuild"
	"exclave/internal/testweb"
	"exclave/warc"
)

// changing is a web of which every fifth page is another one after the change. Pages with an even number have an ETag.
type changing struct {
	pages   int
	changed *atomic.Bool
}

func (c changing) Host(name string) http.Handler {
	if name != "a.test" {
		return nil
	}
	return c
}

func (c changing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.Path[1:])
	if r.URL.Path == "/" {
		n, err = 0, nil
	}
	if err != nil || n >= c.pages {
		testweb.NotFound().ServeHTTP(w, r)
		return
	}
	version := n
	if c.changed.Load() && n%5 == 0 {
		version += c.pages
	}
	page := testweb.NationalPage(version, "/"+strconv.Itoa(n+1))
	if tag := `"` + strconv.Itoa(version) + `"`; n%2 == 0 {
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		page = page.With("ETag", tag)
	}
	page.ServeHTTP(w, r)
}

// TestRecrawl harvests, changes a fifth of the web, and asks for everything archived again.
func TestRecrawl(t *testing.T) {
	t.Parallel()
	const n = 20
	web := changing{n, new(atomic.Bool)}
	j := newJob(t, web, func(c *config.Config) { c.Analysis.Depth = n })
	first := j.run(job.Options{}, "http://a.test/")
	if got := len(first.archived()); got < n {
		t.Fatalf("%d URIs archived by the first harvest", got)
	}
	web.changed.Store(true)
	again := j.run(job.Options{Recrawl: true})
	for i := range n {
		uri := "http://a.test/" + strconv.Itoa(i)
		if i == 0 {
			uri = "http://a.test/"
		}
		unmodified := i%2 == 0 && i%5 != 0
		if hits := again.hits[uri]; hits != 2 {
			t.Errorf("%s was asked for %d times", uri, hits)
		}
		if got := len(again.of(warc.TypeRevisit, uri)) == 1; unmodified && !got {
			t.Errorf("%s, unmodified, has no revisit record", uri)
		}
		// What did not change adds a revisit record alone (ADR 90).
		if n := len(again.of(warc.TypeMetadata, uri)); unmodified && n != 1 {
			t.Errorf("%s has %d metadata records", uri, n)
		}
		if i%5 == 0 && len(again.of(warc.TypeResponse, uri)) != 2 {
			t.Errorf("%s changed and was not archived again", uri)
		}
	}
}

// What a revisit record alone says is enough to make the state anew: as it was, with what the records before it say, also when no
// log is left (ADR 90).
func TestRecoverOfARecrawl(t *testing.T) {
	t.Parallel()
	const n = 20
	web := changing{n, new(atomic.Bool)}
	j := newJob(t, web, func(c *config.Config) { c.Analysis.Depth = n })
	j.run(job.Options{}, "http://a.test/")
	web.changed.Store(true)
	j.run(job.Options{Recrawl: true})
	want := finishedIn(t, j.cfg)
	if len(want) < n {
		t.Fatalf("%d URIs", len(want))
	}
	loseState(t, j.cfg)
	recoverJob(t, j.cfg, rebuild.Options{})
	got := finishedIn(t, j.cfg)
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if got[key] != want[key] {
			t.Errorf("%s:\n%s, was\n%s", key, got[key], want[key])
		}
	}
	loseState(t, j.cfg)
	must(t, os.RemoveAll(filepath.Join(j.cfg.Dir, folder.LogDir)))
	if made := recoverJob(t, j.cfg, rebuild.Options{}); made.Lost > 0 || made.Abandoned > 0 || made.Written < 2*n {
		t.Errorf("without logs: %+v", made)
	}
}

// TestRecrawlChosen queues parts of what is archived, at rest, and crawls them.
func TestRecrawlChosen(t *testing.T) {
	t.Parallel()
	web := testweb.Tiny{
		"http://a.test/":      testweb.NationalPage(1, testweb.Img("/i.png"), "/gone", "http://b.test/"),
		"http://a.test/i.png": testweb.Text("no page"),
		"http://b.test/":      testweb.NationalPage(2),
	}
	j := newJob(t, web, func(c *config.Config) { c.Analysis.Depth = 1 })
	j.run(job.Options{}, "http://a.test/")
	archived := j.run(job.Options{}).archived()
	count := func(r question.Retry) int64 {
		t.Helper()
		r.Archived = true
		var out question.Retried
		err := question.Look(t.Context(), folder.Of(j.cfg, folder.Env{}), func(q question.Questions) (err error) {
			out, err = q.CountRetry(t.Context(), r)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return out.URIs
	}
	valid, unjudged := count(question.Retry{Verdict: question.Valid}), count(question.Retry{Verdict: question.Unjudged})
	invalid := count(question.Retry{Verdict: question.Invalid})
	if all := count(question.Retry{}); all != int64(len(archived)) || valid != 2 || unjudged == 0 || valid+invalid+unjudged != all {
		t.Errorf("%d archived (%q), %d valid, %d invalid, %d not judged", all, archived, valid, invalid, unjudged)
	}
	ok := question.Statuses{{First: 200, Last: 299}}
	if n := count(question.Retry{Statuses: ok, Filter: question.Filter{Host: "a.test"}}); n != 2 {
		t.Errorf("%d of a.test with 2xx", n)
	}
	if n := count(question.Retry{Before: time.Now().Add(-time.Hour)}); n != 0 {
		t.Errorf("%d are older than an hour", n)
	}
	if n := count(question.Retry{Before: time.Now().Add(time.Hour)}); n != int64(len(archived)) {
		t.Errorf("%d of %d are older than the future", n, len(archived))
	}

	b, err := job.Open(t.Context(), j.cfg, job.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := b.Retry(t.Context(), question.Retry{Archived: true, Filter: question.Filter{Host: "b.test"}})
	if err := errors.Join(err, b.Close()); err != nil || out.URIs != 1 {
		t.Fatalf("%d queued, %v", out.URIs, err)
	}
	h := j.run(job.Options{})
	if h.hits["http://b.test/"] != 2 || h.hits["http://a.test/"] != 1 {
		t.Errorf("asked for %v", slices.Sorted(maps.Keys(h.hits)))
	}
}
