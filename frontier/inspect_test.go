package frontier

import (
	"math"
	"slices"
	"testing"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// TestDrop: what waits is finished without a request, wherever it stands in its queue;
// what is in process is not, and the numbers add up (docs/howto/frontier.md).
func TestDrop(t *testing.T) {
	f := open(t, quick(), oneProfile(0))
	f.schedule(cand("a.test", "/1", analyse), cand("a.test", "/2", analyse), cand("a.test", "/3", analyse), cand("b.test", "/1", analyse))
	u := f.take("http://a.test/1")
	ids := map[string]crawl.ID{}
	must(t, f.EachPending(t.Context(), "", func(r *schema.Record) error { ids[r.URL] = r.ID; return nil }))
	if len(ids) != 4 {
		t.Fatalf("%v wait", ids)
	}
	drop := func(want int, urls ...string) {
		t.Helper()
		var which []crawl.ID
		for _, url := range urls {
			which = append(which, ids[url])
		}
		n, err := f.Drop(t.Context(), crawl.StatusDeletedByUser, func(u *crawl.CrawlURI) []crawl.LogLine {
			return []crawl.LogLine{{Log: crawl.LogCrawl, Text: []byte(u.URL + "\n")}}
		}, which...)
		must(t, err)
		if n != want {
			t.Errorf("%d dropped of %v, want %d", n, urls, want)
		}
	}
	drop(1, "http://a.test/1", "http://a.test/3")
	drop(0, "http://a.test/3")
	if s := f.Stats(); s.Queued != 2 || s.InProcess != 1 || s.Finished != 1 || s.Disregarded != 1 || s.Discovered != 4 {
		t.Errorf("%+v", s)
	}
	// One that was handed back, dropped, and is handed back once more: that answer comes too late.
	u.Disposition = crawl.Resign
	f.finish(u)
	drop(1, "http://a.test/1")
	f.finish(f.answer(u, crawl.ClassHTML, 1))
	f.finish(f.answer(f.take("http://b.test/1"), crawl.ClassHTML, 0)) // a.test rests all the same
	f.clk.Advance(time.Minute)
	f.finish(f.answer(f.take("http://a.test/2"), crawl.ClassHTML, 0))
	f.over()
	sound(t, f.Frontier)
	if r := f.record("http://a.test/1"); r.Outcome.Status != crawl.StatusDeletedByUser || r.Outcome.Archived {
		t.Errorf("%+v", r.Outcome)
	}
	if n := f.Logs()[crawl.LogCrawl].Lines; n != 2 {
		t.Errorf("%d lines of crawl.log for what was dropped", n)
	}
}

// TestQueue: the state of a queue is what it waits for.
func TestQueue(t *testing.T) {
	cfg := unlimited()
	f := open(t, cfg, oneProfile(0))
	is := func(host string, want QueueState, until time.Duration, next ...string) {
		t.Helper()
		q, err := f.Queue(t.Context(), host)
		must(t, err)
		if q == nil || q.State != want || !slices.Equal(q.Next, next) {
			t.Fatalf("%s: %+v, want %s %v", host, q, want, next)
		}
		if rest := q.Until.Sub(f.clk.Now()); until > 0 && rest != until || until == 0 && !q.Until.IsZero() {
			t.Errorf("%s: until %v, want in %v", host, q.Until, until)
		}
	}
	if q, err := f.Queue(t.Context(), "a.test"); q != nil || err != nil {
		t.Errorf("%+v, %v", q, err)
	}
	f.schedule(cand("a.test", "/1", analyse), cand("a.test", "/2", analyse))
	is("a.test", QueueReady, 0, "http://a.test/1", "http://a.test/2")
	u := f.next("http://a.test/1")
	is("a.test", QueueInProcess, 0, "http://a.test/1", "http://a.test/2")
	f.finish(f.answer(u, crawl.ClassHTML, 0))
	is("a.test", QueueWaiting, cfg.MinDelay, "http://a.test/2")
	f.clk.Advance(cfg.MinDelay)
	u = f.next("http://a.test/2")
	u.Status, u.Disposition = crawl.StatusConnectFailed, crawl.Retry
	f.finish(u)
	is("a.test", QueueResting, cfg.RetryDelay, "http://a.test/2")
	q, err := f.Queue(t.Context(), "a.test")
	if must(t, err); !slices.Equal(q.Failed, []FailedURI{{"http://a.test/2", 1, crawl.StatusConnectFailed, f.clk.Now()}}) {
		t.Errorf("failed: %v", q.Failed)
	}
	f.clk.Advance(cfg.RetryDelay)
	f.finish(f.answer(f.next("http://a.test/2"), crawl.ClassHTML, 0))
	is("a.test", QueueExhausted, cfg.MinDelay)
	for _, n := range []int{-1, math.MinInt, math.MaxInt} { // exclave frontier --top -1 panicked
		if top, _, err := f.Biggest(n); err != nil || len(top) > 0 {
			t.Errorf("the longest %d: %v, %v", n, top, err)
		}
	}
	top, exhausted, err := f.Biggest(3)
	if err != nil || len(top) != 0 || exhausted != 1 {
		t.Errorf("%v, %d, %v", top, exhausted, err)
	}
}
