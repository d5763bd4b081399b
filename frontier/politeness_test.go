package frontier

import (
	"testing"
	"testing/synctest"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/internal/clock"
	"exclave/internal/fsx"
	"exclave/internal/sheet"
)

// rests returns how long the host of the URI rests from now.
func (r *rig) rests(host string) time.Duration {
	if l, in := r.look(host); in && l.RowLoaded {
		return max(l.ReadyAt-r.clk.Mono(), 0)
	}
	v, err := r.db.Get(schema.HostKey(r.hash(host)))
	must(r.t, err)
	if v == nil {
		return -1
	}
	h, err := schema.DecodeHost(v)
	must(r.t, err)
	return r.sched.WakeAt(h.WakeTime(), r.clk.Mono()) - r.clk.Mono()
}

func sheetOf(f sheet.Frontier) *sheet.Settings { return &sheet.Settings{Frontier: f} }

func in(d time.Duration) *time.Duration { return &d }

func TestDelayAfterARequest(t *testing.T) {
	// Decision 6, System 5 (a): which answers make a host rest, and for how long.
	const s = time.Second
	cases := []struct {
		why  string
		u    func(u *crawl.CrawlURI)
		want time.Duration
	}{
		{"factor × duration", func(u *crawl.CrawlURI) { u.Status, u.Took = 200, 2*s }, 10 * s},
		{"at least the minimum", func(u *crawl.CrawlURI) { u.Status, u.Took = 200, 0 }, 3 * s},
		{"at most the maximum", func(u *crawl.CrawlURI) { u.Status, u.Took = 404, 60*s }, 30 * s},
		{"Crawl-delay beyond the maximum", func(u *crawl.CrawlURI) { u.Status, u.Took, u.CrawlDelay = 200, s, 100*s }, 100 * s},
		{"Crawl-delay is capped", func(u *crawl.CrawlURI) { u.Status, u.CrawlDelay = 200, 24*time.Hour }, 300 * s},
		{"a failed connection, given up", func(u *crawl.CrawlURI) { u.Status, u.Took = crawl.StatusConnectFailed, s }, 900 * s},
		{"forbidden by robots.txt: nothing was asked", func(u *crawl.CrawlURI) { u.Status = crawl.StatusRobots }, 0},
		{"no address: nothing was asked", func(u *crawl.CrawlURI) { u.Status = crawl.StatusDNSPrereqFailed }, 0},
		{"retry", func(u *crawl.CrawlURI) { u.Status, u.Disposition = crawl.StatusTimeout, crawl.Retry }, 900 * s},
		{"Retry-After", func(u *crawl.CrawlURI) { u.Status, u.Disposition, u.RetryAfter = 503, crawl.Retry, 77*s }, 77 * s},
		{"Retry-After is capped", func(u *crawl.CrawlURI) { u.Status, u.Disposition, u.RetryAfter = 429, crawl.Retry, 99*time.Hour }, time.Hour},
		{"Retry-After does not undercut the delay", func(u *crawl.CrawlURI) {
			u.Status, u.Disposition, u.RetryAfter, u.Took = 429, crawl.Retry, s, 2*s
		}, 10 * s},
		{"a sheet's least delay, below the job's", func(u *crawl.CrawlURI) {
			u.Status, u.Sheet = 200, sheetOf(sheet.Frontier{MinDelay: in(s / 10)})
		}, s / 10},
		{"a sheet's least delay, above the job's most", func(u *crawl.CrawlURI) {
			u.Status, u.Sheet = 200, sheetOf(sheet.Frontier{MinDelay: in(60 * s)})
		}, 60 * s},
		{"no sheet's delay is longer than the longest wait", func(u *crawl.CrawlURI) {
			u.Status, u.Sheet = 200, sheetOf(sheet.Frontier{MinDelay: in(100 * time.Hour)})
		}, 4 * time.Hour},
		{"a sheet's most delay", func(u *crawl.CrawlURI) {
			u.Status, u.Took, u.Sheet = 200, 60*s, sheetOf(sheet.Frontier{MaxDelay: in(7 * s)})
		}, 7 * s},
		{"a sheet's bound on Crawl-delay", func(u *crawl.CrawlURI) {
			u.Status, u.CrawlDelay, u.Sheet = 200, 100*s, sheetOf(sheet.Frontier{MaxCrawlDelay: in(0)})
		}, 3 * s},
		{"the wrong hours: nothing was asked", func(u *crawl.CrawlURI) { u.Status, u.Disposition, u.Wait = crawl.StatusDeferred, crawl.Defer, 100*s }, 100 * s},
		{"the wrong hours may be others soon", func(u *crawl.CrawlURI) {
			u.Status, u.Disposition, u.Wait = crawl.StatusDeferred, crawl.Defer, 5*time.Hour
		}, 10 * time.Minute},
		{"resigned", func(u *crawl.CrawlURI) { u.Disposition = crawl.Resign }, 0},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			f := open(t, unlimited(), oneProfile(0))
			f.schedule(cand("a.test", "/1", analyse))
			f.schedule(cand("a.test", "/2", analyse))
			u := f.next("http://a.test/1")
			c.u(u)
			f.finish(u)
			if got := f.rests("a.test"); got != c.want {
				t.Errorf("the host rests %v, want %v", got, c.want)
			}
		})
	}
}

func TestOneConnectionPerHost(t *testing.T) {
	// Decision 6: a host is lent to one URI at a time; another is not held up.
	f := open(t, unlimited(), oneProfile(0))
	f.schedule(cand("a.test", "/1", analyse))
	f.schedule(cand("a.test", "/2", analyse))
	f.schedule(cand("b.test", "/1", analyse))
	a := f.take("http://a.test/1")
	b := f.take("http://b.test/1")
	if u := f.ready(); u != nil {
		t.Fatalf("%s is offered while its host is busy", u.URL)
	}
	f.finish(f.answer(b, crawl.ClassHTML, 0))
	f.finish(f.answer(a, crawl.ClassHTML, 0))
	if u := f.ready(); u != nil {
		t.Fatalf("%s is offered during the delay", u.URL)
	}
	f.clk.Advance(3 * time.Second)
	f.finish(f.answer(f.next("http://a.test/2"), crawl.ClassHTML, 0))
}

// A queue that a URI comes to again while its host rests is that of a host that rests.
func TestEmptyQueueRests(t *testing.T) {
	r := open(t, unlimited(), oneProfile(0))
	r.schedule(cand("a.test", "/1", analyse))
	u := r.answer(r.next("http://a.test/1"), crawl.ClassHTML, 0)
	u.Took = 2 * time.Second
	r.finish(u)
	r.clk.Advance(4 * time.Second)
	r.schedule(cand("a.test", "/2", analyse))
	if got := r.rests("a.test"); got != 6*time.Second {
		t.Errorf("rests for %v, want 6s", got)
	}
	if u := r.ready(); u != nil {
		t.Errorf("%s is offered 6s early", u.URL)
	}
	r.clk.Advance(6 * time.Second)
	r.next("http://a.test/2").Disposition = crawl.Resign
}

func TestClockSetBackDoesNotShortenADelay(t *testing.T) {
	// Decision 6: monotonic time is what is waited on.
	for _, jump := range []time.Duration{-time.Hour, time.Hour} {
		f := open(t, unlimited(), oneProfile(0))
		f.schedule(cand("a.test", "/1", analyse))
		f.schedule(cand("a.test", "/2", analyse))
		f.finish(f.answer(f.next("http://a.test/1"), crawl.ClassHTML, 0))
		f.clk.Jump(jump)
		if got := f.rests("a.test"); got != 3*time.Second {
			t.Errorf("after a jump by %v the host rests %v", jump, got)
		}
	}
}

func TestRestSurvivesARestart(t *testing.T) {
	// Decision 6: clocks survive a restart; a clock set back by a year must not
	// make a host rest for a year.
	for _, c := range []struct{ passed, want time.Duration }{
		{time.Second, 2 * time.Second}, {time.Minute, 0}, {-365 * 24 * time.Hour, unlimited().LongestSnooze()},
	} {
		clk := clock.NewFake(began)
		o := options(fsx.NewMem(), clk, unlimited(), oneProfile(0))
		f, ar, err := start(t, o)
		must(t, err)
		r := &rig{Frontier: f, t: t, clk: clk, ar: ar}
		r.schedule(cand("a.test", "/1", analyse))
		r.schedule(cand("a.test", "/2", analyse))
		r.finish(r.answer(r.next("http://a.test/1"), crawl.ClassHTML, 0))
		must(t, f.Close(t.Context()))
		clk.Jump(c.passed)
		r.Frontier, r.ar, err = start(t, o)
		must(t, err)
		if got := r.rests("a.test"); got != c.want {
			t.Errorf("%v later the host rests %v, want %v", c.passed, got, c.want)
		}
		must(t, r.Close(t.Context()))
	}
}

func TestNextSleepsUntilTheHostWakes(t *testing.T) {
	// A ToeThread must not spin while all hosts rest.
	synctest.Test(t, func(t *testing.T) {
		f := open(t, unlimited(), oneProfile(0))
		f.schedule(cand("a.test", "/1", analyse))
		f.schedule(cand("a.test", "/2", analyse))
		f.finish(f.answer(f.next("http://a.test/1"), crawl.ClassHTML, 0))
		got := make(chan *crawl.CrawlURI, 1)
		go func() {
			u, err := f.Next(t.Context())
			if err != nil {
				t.Error(err)
			}
			got <- u
		}()
		synctest.Wait()
		if n, in := f.clk.Armed(); n != 1 || in != 3*time.Second {
			t.Fatalf("%d timers, the first in %v", n, in)
		}
		f.clk.Advance(3 * time.Second)
		f.finish(f.answer(<-got, crawl.ClassHTML, 0))
	})
}

func prereq(u *crawl.CrawlURI, url, key string) *crawl.CrawlURI {
	u.Status, u.Disposition = crawl.StatusDeferred, crawl.Defer
	u.Prereq = &crawl.Candidate{URL: url, Key: key, Host: u.Host, Hops: u.Hops + "P", Via: u.URL, Force: true}
	return u
}

func TestPrerequisitesGoFirst(t *testing.T) {
	// System 1: DNS and robots.txt of a host come before its pages, again when
	// they have expired; DNS costs no delay and no attempt.
	f := open(t, unlimited(), oneProfile(0))
	f.schedule(cand("a.test", "/", analyse))
	for range 2 {
		f.finish(prereq(f.next("http://a.test/"), "dns:a.test", "dns:a.test"))
		dns := f.next("dns:a.test")
		dns.Status = crawl.StatusDNS
		dns.HostFacts = &crawl.HostFacts{Host: "a.test", Status: crawl.StatusDNS, Asked: f.clk.Now(), Expires: f.clk.Now().Add(time.Hour)}
		f.finish(dns)
		f.finish(prereq(f.next("http://a.test/"), "http://a.test/robots.txt", "robots:http://a.test"))
		robots := f.next("http://a.test/robots.txt")
		robots.Status = 404
		robots.Origin = &crawl.OriginFacts{Origin: "http://a.test", Status: 404, Expires: f.clk.Now().Add(time.Hour)}
		robots.Deferred = &crawl.Deferred{Key: "robots:http://a.test", Time: f.clk.Now(), Raw: []byte("raw")}
		f.finish(robots)
		if f.ready() != nil {
			t.Fatal("no delay after robots.txt")
		}
		f.clk.Advance(3 * time.Second)
	}
	u := f.next("http://a.test/")
	if u.Attempt != 1 {
		t.Errorf("attempt %d after prerequisites only", u.Attempt)
	}
	h, err := f.Host(t.Context(), "a.test")
	must(t, err)
	o, err := f.Origin(t.Context(), "http://a.test")
	must(t, err)
	d, ok, err := f.Deferred(t.Context(), "robots:http://a.test")
	must(t, err)
	if !h.Known(f.clk.Now()) || !o.Known(f.clk.Now()) || o.Status != 404 || !ok || string(d.Raw) != "raw" || d.Written {
		t.Errorf("facts %+v %+v %+v", h, o, d)
	}
	u.Carried = []string{"robots:http://a.test"}
	f.finish(f.answer(u, crawl.ClassHTML, 1))
	if d, ok, err = f.Deferred(t.Context(), "robots:http://a.test"); err != nil || !ok || !d.Written || len(d.Raw) != 0 {
		t.Errorf("after it was written: %+v %v %v", d, ok, err)
	}
}

func TestRetriesEnd(t *testing.T) {
	// A URI is tried MaxRetries times; once a host has been given up, its other
	// URIs get one attempt each until it answers.
	f := open(t, quick(), oneProfile(0))
	for i := range 4 {
		f.schedule(cand("a.test", path(i), analyse))
	}
	fail := func(i, attempt int, last bool) {
		t.Helper()
		u := f.next("http://a.test" + path(i))
		if u.Attempt != attempt || u.LastAttempt != last {
			t.Fatalf("attempt %d, last %v; want %d, %v", u.Attempt, u.LastAttempt, attempt, last)
		}
		u.Status, u.Disposition = crawl.StatusConnectFailed, crawl.Retry
		if u.LastAttempt {
			u.Disposition = crawl.Done
		}
		f.finish(u)
	}
	fail(0, 1, false)
	fail(0, 2, false)
	fail(0, 3, true)
	fail(1, 1, true)
	u := f.next("http://a.test/2")
	u.Status = 200
	f.finish(u)
	fail(3, 1, false)
	if s := f.Stats(); s.Failed != 2 || s.Retried != 3 {
		t.Errorf("%+v", s)
	}
}

func TestNotModifiedKeepsTheCaptureWithTheBody(t *testing.T) {
	// Case 30: verdict, bytes and links of the earlier record stay in force.
	f := open(t, quick(), oneProfile(1))
	f.schedule(cand("a.test", "/", analyse))
	f.finish(f.answer(f.next("http://a.test/"), crawl.ClassHTML, 1, cand("b.test", "/", crawl.Claim{})))
	f.finish(f.answer(f.next("http://b.test/"), crawl.ClassOther, 0))
	before := f.record("http://a.test/")
	again := cand("a.test", "/", link(2))
	again.Force = true
	f.schedule(again)
	u := f.captured(f.next("http://a.test/"), 1, 20)
	u.Status, u.NotModified, u.Class = 304, true, crawl.ClassHTML
	f.finish(u)
	after := f.record("http://a.test/")
	if after.Response != before.Response || after.RecordID != before.RecordID || !after.Outcome.Valid() {
		t.Errorf("after a 304: %+v\nbefore: %+v", after, before)
	}
	if b := f.record("http://b.test/"); b.Claim.Link[0] != 2 {
		t.Errorf("the link of a page under L2 has %+v, want L1", b.Claim)
	}
}
