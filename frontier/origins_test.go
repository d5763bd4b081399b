package frontier

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// secure is cand with https.
func secure(host, path string, c crawl.Claim) crawl.Candidate {
	u := cand(host, path, c)
	u.URL = "https://" + host + path
	u.Key = u.URL
	return u
}

// fail hands a URI back that could not be had.
func (r *rig) fail(u *crawl.CrawlURI) {
	r.t.Helper()
	u.Status, u.Disposition = crawl.StatusConnectFailed, crawl.Retry
	if u.LastAttempt {
		u.Disposition = crawl.Done
	}
	r.finish(u)
}

// none fails the test when a URI may be asked for now.
func (r *rig) none(why string) {
	r.t.Helper()
	if u := r.any(); u != nil {
		r.t.Fatalf("%s: %s is offered", why, u.URL)
	}
}

// A closed port 443 kept http:// of the same host waiting for 27 hours.
func TestFailureRestsItsOrigin(t *testing.T) {
	r := open(t, unlimited(), oneProfile(0))
	r.schedule(secure("a.test", "/1", analyse), secure("a.test", "/2", analyse), cand("a.test", "/1", analyse), cand("a.test", "/2", analyse))
	r.fail(r.next("https://a.test/1"))
	r.none("a request that failed is one, too: politeness")
	r.clk.Advance(3 * time.Second)
	r.finish(r.answer(r.next("http://a.test/1"), crawl.ClassHTML, 0))
	r.clk.Advance(3 * time.Second)
	r.finish(r.answer(r.next("http://a.test/2"), crawl.ClassHTML, 0))
	r.clk.Advance(894*time.Second - 1)
	r.none("https rests for 15 minutes")
	r.clk.Advance(1)
	r.fail(r.next("https://a.test/1"))
	r.schedule(cand("a.test", "/3", analyse))
	r.clk.Advance(3 * time.Second)
	r.finish(r.answer(r.next("http://a.test/3"), crawl.ClassHTML, 0))
	r.clk.Advance(1796 * time.Second)
	r.none("its second failure in a row makes it rest for 30 minutes")
	r.clk.Advance(time.Second)
	u := r.next("https://a.test/1")
	if u.Attempt != 3 {
		t.Errorf("attempt %d, want 3", u.Attempt)
	}
	r.finish(r.answer(u, crawl.ClassHTML, 0))
	r.clk.Advance(3 * time.Second)
	r.finish(r.answer(r.next("https://a.test/2"), crawl.ClassHTML, 0))
	r.over()
}

// What a server says of itself (429, 503), and that nobody answers for its name, concerns the
// host with all its origins.
func TestRefusalRestsTheHost(t *testing.T) {
	for why, u := range map[string]crawl.CrawlURI{
		"503":         {Status: 503, Disposition: crawl.Retry},
		"429":         {Status: 429, Disposition: crawl.Retry},
		"503 at last": {Status: 503, Disposition: crawl.Done},
	} {
		t.Run(why, func(t *testing.T) {
			r := open(t, unlimited(), oneProfile(0))
			r.schedule(secure("a.test", "/1", analyse), cand("a.test", "/1", analyse))
			got := r.next("https://a.test/1")
			got.Status, got.Disposition = u.Status, u.Disposition
			r.finish(got)
			r.clk.Advance(899 * time.Second)
			r.none("the host rests for 15 minutes")
			r.clk.Advance(time.Second)
			if r.ready() == nil {
				t.Error("nothing is offered when the rest is over")
			}
		})
	}
}

// Any number of URIs of an origin that rests, in front or behind, keep nothing from its turn,
// and no more of them are in memory than of any queue.
func TestLooksPastRestingOrigins(t *testing.T) {
	for _, n := range []int{1, rules.ReadAhead - 1, rules.ReadAhead, 5000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			r := open(t, unlimited(), oneProfile(0))
			var cs []crawl.Candidate
			for i := range n {
				cs = append(cs, secure("a.test", path(i), analyse))
			}
			cs = append(cs, cand("a.test", "/1", analyse), cand("a.test", "/2", analyse))
			r.schedule(cs...)
			r.fail(r.next("https://a.test/0"))
			for i := 1; i < 3; i++ {
				r.clk.Advance(3 * time.Second)
				r.finish(r.answer(r.next("http://a.test"+path(i)), crawl.ClassHTML, 0))
				if l, _ := r.look("a.test"); l.URIs > rules.ReadAhead {
					t.Errorf("%d URIs of the queue are in memory", l.URIs)
				}
			}
			r.clk.Advance(3 * time.Second)
			r.none("all that is left rests")
			if q := r.Queues(); q.Snoozed != 1 {
				t.Errorf("the queue does not rest on disk: %+v", q)
			}
			r.schedule(cand("a.test", "/3", analyse))
			r.finish(r.answer(r.next("http://a.test/3"), crawl.ClassHTML, 0))
			r.clk.Advance(3 * time.Second)
			r.none("all that is left rests again")
			r.clk.Advance(888 * time.Second)
			r.finish(r.answer(r.next("https://a.test/0"), crawl.ClassHTML, 0))
			if n > 1 {
				r.clk.Advance(3 * time.Second)
				r.finish(r.answer(r.next("https://a.test/1"), crawl.ClassHTML, 0))
			}
		})
	}
}

// A queue whose only origin rests is asked again when a URI of another origin comes, also when it
// rests on disk; one of the same origin changes nothing.
func TestOtherOriginComes(t *testing.T) {
	r := open(t, unlimited(), oneProfile(0))
	r.schedule(secure("a.test", "/1", analyse))
	r.fail(r.next("https://a.test/1"))
	r.clk.Advance(time.Second)
	r.schedule(secure("a.test", "/2", analyse))
	if got := r.rests("a.test"); got != 899*time.Second {
		t.Errorf("rests %v, want 14m59s", got)
	}
	r.schedule(cand("a.test", "/1", analyse))
	r.none("politeness after the request that failed")
	r.clk.Advance(2 * time.Second)
	r.finish(r.answer(r.next("http://a.test/1"), crawl.ClassHTML, 0))
}

// Rests of origins survive a restart and a clock that was set back.
func TestRestOfAnOriginSurvives(t *testing.T) {
	for _, c := range []struct {
		why    string
		jump   time.Duration
		after  time.Duration // until https may be asked
		behind bool          // an URI of http stands behind, else it was crawled before
	}{
		{"only https is left", time.Minute, 14 * time.Minute, false},
		{"http is left", time.Minute, 14 * time.Minute, true},
		{"the clock was set back by a year", -365 * 24 * time.Hour, unlimited().LongestSnooze(), true},
		{"the clock was set back by a year, only https is left", -365 * 24 * time.Hour, unlimited().LongestSnooze(), false},
		{"the rest is over", time.Hour, 0, false},
	} {
		t.Run(c.why, func(t *testing.T) {
			clk := clock.NewFake(began)
			o := options(fsx.NewMem(), clk, unlimited(), oneProfile(0))
			f, ar, err := start(t, o)
			must(t, err)
			r := &rig{Frontier: f, t: t, clk: clk, ar: ar}
			r.schedule(secure("a.test", "/1", analyse))
			if c.behind {
				r.schedule(cand("a.test", "/1", analyse))
			}
			r.fail(r.next("https://a.test/1"))
			must(t, r.Close(t.Context()))
			clk.Jump(c.jump)
			r.Frontier, r.ar, err = start(t, o)
			must(t, err)
			defer func() { sound(t, r.Frontier); must(t, r.Close(t.Context())) }()
			if c.jump < 0 {
				r.none("rests that no rule asks for") // counted from now on
			}
			rest := c.after
			if c.behind {
				clk.Advance(3 * time.Second)
				if c.jump < 0 { // of politeness
					clk.Advance(rest - 3*time.Second)
					rest = 0
				}
				u := r.ready()
				if u == nil || c.jump > 0 && u.URL != "http://a.test/1" {
					t.Fatalf("offered %+v", u)
				}
				r.finish(r.answer(u, crawl.ClassHTML, 0))
				if rest > 0 {
					rest -= 3 * time.Second
				} else {
					clk.Advance(3 * time.Second)
				}
			}
			if rest > 0 {
				clk.Advance(rest - time.Millisecond)
				r.none("before its time")
				clk.Advance(time.Millisecond)
			}
			if u := r.ready(); u == nil {
				t.Error("nothing is offered when the rest is over")
			}
		})
	}
}

// When a URI was given up, the others of its origin are tried once; those of other origins as
// often as ever, also its robots.txt.
func TestGivesUpAnOrigin(t *testing.T) {
	c := quick()
	r := open(t, c, oneProfile(0))
	r.schedule(secure("a.test", "/1", analyse), secure("a.test", "/2", analyse), cand("a.test", "/1", analyse))
	for range c.MaxRetries {
		r.fail(r.next("https://a.test/1"))
	}
	if u := r.next("https://a.test/2"); !u.LastAttempt {
		t.Error("the second URI of a silent origin is tried more than once")
	} else {
		r.fail(u)
	}
	u := r.next("http://a.test/1")
	if u.LastAttempt {
		t.Error("the URI of another origin is tried once only")
	}
	r.finish(prereq(u, "http://a.test/robots.txt", "robots:http://a.test"))
	if u = r.next("http://a.test/robots.txt"); u.LastAttempt {
		t.Error("the robots.txt of another origin is tried once only")
	}
	u.Status = 404
	r.finish(u)
	r.finish(r.answer(r.next("http://a.test/1"), crawl.ClassHTML, 0))
	r.over()
}

// A robots.txt that cannot be had rests its origin alone.
func TestRobotsRestsItsOrigin(t *testing.T) {
	r := open(t, unlimited(), oneProfile(0))
	r.schedule(secure("a.test", "/1", analyse), cand("a.test", "/1", analyse))
	r.finish(prereq(r.next("https://a.test/1"), "https://a.test/robots.txt", "robots:https://a.test"))
	r.fail(r.next("https://a.test/robots.txt"))
	r.clk.Advance(3 * time.Second)
	r.finish(r.answer(r.next("http://a.test/1"), crawl.ClassHTML, 0))
	r.clk.Advance(897 * time.Second)
	u := r.next("https://a.test/robots.txt")
	u.Status = 404
	r.finish(u)
	r.clk.Advance(3 * time.Second)
	r.finish(r.answer(r.next("https://a.test/1"), crawl.ClassHTML, 0))
	r.over()
}

// Ports are origins; a queue of a whole domain is not kept by one of its hosts.
func TestOriginsOfOtherQueues(t *testing.T) {
	c := unlimited()
	c.QueueKey = rules.QueueByDomain
	r := open(t, c, oneProfile(0))
	r.schedule(cand("a.d.test", "/1", analyse), cand("a.d.test", ":81/1", analyse), cand("b.d.test", "/1", analyse))
	for _, url := range []string{"http://a.d.test/1", "http://a.d.test:81/1", "http://b.d.test/1"} {
		r.fail(r.next(url))
		r.clk.Advance(3 * time.Second)
	}
	r.clk.Advance(891 * time.Second)
	r.finish(r.answer(r.next("http://a.d.test/1"), crawl.ClassHTML, 0))
	r.clk.Advance(3 * time.Second)
	r.finish(r.answer(r.next("http://a.d.test:81/1"), crawl.ClassHTML, 0))
	r.clk.Advance(3 * time.Second)
	r.finish(r.answer(r.next("http://b.d.test/1"), crawl.ClassHTML, 0))
	r.over()
}

// Nothing is kept of an origin that is well, and what rests is told.
func TestOriginIsTold(t *testing.T) {
	r := open(t, unlimited(), oneProfile(0))
	r.schedule(secure("a.test", "/1", analyse), cand("a.test", "/1", analyse))
	r.fail(r.next("https://a.test/1"))
	q, err := r.Queue(t.Context(), "a.test")
	must(t, err)
	until := began.Add(900 * time.Second)
	if len(q.Origins) != 1 || q.Origins[0].Origin != "https://a.test" || !q.Origins[0].Until.Equal(until) || q.Origins[0].Failures != 1 {
		t.Errorf("told of its origins: %+v", q.Origins)
	}
	if q.State != QueueWaiting {
		t.Errorf("the queue is %s, want waiting: http may be asked soon", q.State)
	}
	r.clk.Advance(3 * time.Second)
	r.finish(r.answer(r.next("http://a.test/1"), crawl.ClassHTML, 0))
	r.clk.Advance(3 * time.Second)
	r.none("https rests")
	if q, err = r.Queue(t.Context(), "a.test"); err != nil || q.State != QueueResting || !q.Until.Equal(until) {
		t.Errorf("%v; the queue is %s until %v", err, q.State, q.Until)
	}
	r.clk.Advance(894 * time.Second)
	r.finish(r.answer(r.next("https://a.test/1"), crawl.ClassHTML, 0))
	if q, err = r.Queue(t.Context(), "a.test"); err != nil || len(q.Origins) != 0 {
		t.Errorf("%v; after an answer: %+v", err, q.Origins)
	}
}

func TestOriginOf(t *testing.T) {
	// The origin of a URL as the state keeps it (WHATWG-serialised).
	for _, c := range strings.Fields(`http://a.test/x=http://a.test https://a.test:8443/?q=https://a.test:8443
		http://u:p@a.test/=http://a.test http://[::1]:80/@=http://[::1]:80 https://a.test?x@y=https://a.test https://a.test#/=https://a.test`) {
		i := strings.LastIndexByte(c, '=')
		if got := schema.OriginOf(c[:i]); got != c[i+1:] {
			t.Errorf("%s: %s, want %s", c[:i], got, c[i+1:])
		}
	}
	if got := schema.OriginOf("dns:a.test"); got != "" {
		t.Errorf("a name server has the origin %q", got)
	}
}
