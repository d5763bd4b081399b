package frontier

import (
	"maps"
	"testing"
	"time"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
)

// retry offers everything that failed again.
func (r *rig) retry() map[crawl.Status]int64 {
	r.t.Helper()
	var us []rules.RetryURI
	must(r.t, r.EachURI(func(rec *schema.Record) error {
		if rec.State == schema.Done {
			us = append(us, rules.RetryURI{ID: rec.ID, Status: rec.Outcome.Status})
		}
		return nil
	}))
	n, err := r.Retry(r.t.Context(), us...)
	must(r.t, err)
	return n
}

// What failed is offered again as if it were new: its origin and its host rest no longer than
// politeness asks for, its attempts are counted anew; statistics and state stay right (issue 16).
func TestRetry(t *testing.T) {
	c := unlimited()
	c.MaxRetries = 1
	r := open(t, c, oneProfile(0))
	r.schedule(secure("a.test", "/1", analyse), secure("a.test", "/2", analyse))
	r.fail(r.next("https://a.test/1"))
	r.schedule(cand("b.test", "/", analyse))
	u := r.next("http://b.test/")
	u.Status, u.Disposition = 503, crawl.Done
	r.finish(u)
	if s := r.Stats(); s.Failed != 1 || s.Finished != 2 {
		t.Fatalf("%+v", s)
	}
	if got := r.record("https://a.test/1").Last; !got.Equal(r.clk.Now()) {
		t.Errorf("finished at %v", got)
	}
	r.clk.Advance(10 * time.Second)
	if n := r.retry(); !maps.Equal(n, map[crawl.Status]int64{crawl.StatusConnectFailed: 1, 503: 1}) {
		t.Errorf("offered again: %v", n)
	}
	sound(t, r.Frontier)
	if s := r.Stats(); s.Failed != 1 || s.Finished != 0 || s.Queued != 3 {
		t.Errorf("%+v", s)
	}
	r.finish(r.answer(r.next("https://a.test/2"), crawl.ClassHTML, 0)) // it waited longer
	if q, err := r.Queue(t.Context(), "a.test"); err != nil || len(q.Origins) > 0 {
		t.Errorf("%v, %+v", err, q.Origins)
	}
	r.clk.Advance(30 * time.Second)  // max_delay: how long the answer took is not known
	first, u := r.ready(), r.ready() // of two hosts that may be asked which goes first is not promised
	if first.Host == "b.test" {
		first, u = u, first
	}
	r.finish(r.answer(first, crawl.ClassHTML, 0))
	if u.URL != "http://b.test/" || u.Attempt != 1 || u.Prior == nil {
		t.Errorf("offered again as attempt %d, %+v", u.Attempt, u.Prior)
	}
	r.finish(r.answer(u, crawl.ClassHTML, 0))
	if s := r.Stats(); s.Failed != 0 || s.Finished != 3 {
		t.Errorf("%+v", s)
	}
	if rec := r.record("https://a.test/1"); rec.Finishes != 2 || rec.Outcome.Status != 200 {
		t.Errorf("%+v", rec)
	}
	r.over()
}

// A URI that failed for want of an address, or of robots.txt, needs these to be asked for again.
func TestRetryForgetsFacts(t *testing.T) {
	r := open(t, quick(), oneProfile(0))
	r.schedule(cand("a.test", "/", analyse), cand("b.test", "/", analyse))
	until := r.clk.Now().Add(time.Hour)
	a, b := r.ready(), r.ready()
	if a.Host == "b.test" {
		a, b = b, a
	}
	a.Status, a.HostFacts = crawl.StatusDNSPrereqFailed, &crawl.HostFacts{Host: "a.test", Status: crawl.StatusDNSFailed, Expires: until}
	r.finish(a)
	b.Status, b.Origin = crawl.StatusRobotsPrereqFailed, &crawl.OriginFacts{Origin: "http://b.test", Status: 503, Fetched: r.clk.Now(), Expires: until}
	b.HostFacts = &crawl.HostFacts{Host: "b.test", Status: crawl.StatusDNS, Expires: until}
	r.finish(b)
	r.retry()
	for host, known := range map[string]bool{"a.test": false, "b.test": true} {
		if h, err := r.Host(t.Context(), host); err != nil || h.Known(r.clk.Now()) != known {
			t.Errorf("%s: its address is known: %v (%v), want %v", host, !known, err, known)
		}
	}
	if o, err := r.Origin(t.Context(), "http://b.test"); err != nil || o.Known(r.clk.Now()) {
		t.Errorf("robots.txt that could not be had is relied on: %+v, %v", o, err)
	}
}

// URIs that wait, prerequisites, and what is finished otherwise by now are left alone.
func TestRetryLeavesAlone(t *testing.T) {
	r := open(t, quick(), oneProfile(0))
	r.schedule(cand("a.test", "/", analyse), cand("a.test", "/2", analyse))
	r.finish(prereq(r.next("http://a.test/"), "dns:a.test", "dns:a.test"))
	dns := r.next("dns:a.test")
	dns.Status, dns.Disposition = crawl.StatusDNSFailed, crawl.Done
	r.finish(dns)
	r.finish(r.answer(r.next("http://a.test/"), crawl.ClassHTML, 0))
	n, err := r.Retry(t.Context(), rules.RetryURI{ID: r.id("http://a.test/"), Status: crawl.StatusTimeout}, rules.RetryURI{ID: r.id("http://a.test/2"), Status: 0},
		rules.RetryURI{ID: r.id("dns:a.test"), Status: crawl.StatusDNSFailed}, rules.RetryURI{ID: r.id("http://nobody.test/"), Status: 200})
	if err != nil || len(n) > 0 {
		t.Errorf("%v; offered again: %v", err, n)
	}
}
