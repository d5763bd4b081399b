package frontier

import (
	"net/netip"
	"testing"
	"time"

	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/fsx"
	"exclave/internal/robots"
)

// killed returns the rig as the next start finds it after the process was killed.
func (r *rig) killed(after time.Duration) *rig {
	r.t.Helper()
	mem := r.fs.(*fsx.Mem).CrashClone(fsx.Crash{})
	clk := clock.NewFake(r.clk.Now().Add(after))
	o := r.o
	o.FS, o.Clock = mem, clk
	f, ar, err := start(r.t, o)
	must(r.t, err)
	k := &rig{Frontier: f, t: r.t, fs: mem, clk: clk, ar: ar}
	r.t.Cleanup(func() { must(r.t, f.Close(r.t.Context())) })
	return k
}

// offeredIn returns how long it takes until a URI of the host is offered.
func (r *rig) offeredIn(host string) time.Duration {
	r.t.Helper()
	from := r.clk.Mono()
	for r.clk.Mono()-from < time.Hour {
		for u := r.any(); u != nil; u = r.any() {
			if u.Host == host {
				return r.clk.Mono() - from
			}
		}
		r.clk.Advance(100 * time.Millisecond)
	}
	r.t.Fatalf("no URI of %s is offered within an hour", host)
	return 0
}

func crawlDelay(t *testing.T, seconds string) []byte {
	t.Helper()
	b, err := robots.FromStatus(200, []byte("User-agent: *\nCrawl-delay: "+seconds), "exclave").MarshalBinary()
	must(t, err)
	return b
}

// Decision 6: what was asked for in the last moments before a kill, the state does not
// know. The clock of the host survives all the same: the next start waits as if it had
// been asked just now and had taken long; also when a start without a crawl came between.
func TestClockOfAHostSurvivesAKill(t *testing.T) {
	cfg := unlimited()
	for _, c := range []struct {
		why    string
		robots string
		want   time.Duration
	}{
		{"the most that the factor leads to", "", cfg.MaxDelay},
		{"Crawl-delay beyond it", "100", 100 * time.Second},
		{"Crawl-delay is capped", "9999", cfg.MaxCrawlDelay},
	} {
		r := open(t, cfg, oneProfile(0))
		r.schedule(cand("a.test", "/1", analyse))
		if c.robots != "" {
			u := r.next("http://a.test/1")
			u.Origin = &crawl.OriginFacts{Origin: "http://a.test", Status: 200, Robots: crawlDelay(t, c.robots), Expires: r.clk.Now().Add(24 * time.Hour)}
			u.Status = crawl.StatusRobots
			r.finish(u)
			r.schedule(cand("a.test", "/2", analyse))
		}
		_ = r.ready() // is being asked for at the kill
		r.schedule(cand("b.test", "/1", analyse))
		if got := r.killed(time.Second).offeredIn("a.test"); got != c.want {
			t.Errorf("%s: the host is asked again after %v, want %v", c.why, got, c.want)
		}
		k := r.killed(time.Second)
		must(t, k.Close(t.Context()))
		k.clk.Jump(5 * time.Second)
		o := k.o
		f, ar, err := start(t, o)
		must(t, err)
		k = &rig{Frontier: f, t: t, clk: k.clk, ar: ar}
		if got := k.offeredIn("a.test"); got != c.want-5*time.Second {
			t.Errorf("%s: after a start in between the host is asked again after %v, want %v", c.why, got, c.want-5*time.Second)
		}
		must(t, f.Close(t.Context()))
	}
}

// A state that was closed in order, or is new, makes nobody wait.
func TestNoRestWithoutAKill(t *testing.T) {
	r := open(t, unlimited(), oneProfile(0))
	r.schedule(cand("a.test", "/", analyse))
	if got := r.offeredIn("a.test"); got != 0 {
		t.Errorf("the first URI is offered after %v", got)
	}
}

// The request that nobody noted may have been the last before a general pause: the
// address rests for one.
func TestGeneralPauseSurvivesAKill(t *testing.T) {
	cfg := unlimited()
	cfg.PauseAfter, cfg.Pause = 3, time.Minute
	r := open(t, cfg, oneProfile(0))
	r.schedule(cand("a.test", "/1", analyse), cand("a.test", "/2", analyse))
	u := r.next("http://a.test/1")
	ip := netip.MustParseAddr("10.0.0.1")
	u.HostFacts = &crawl.HostFacts{Host: "a.test", Status: crawl.StatusDNS, Addrs: []netip.Addr{ip}, Expires: r.clk.Now().Add(time.Hour)}
	u.Addr = ip
	r.finish(r.answer(u, crawl.ClassHTML, 0))
	if got := r.killed(time.Second).offeredIn("a.test"); got != time.Minute {
		t.Errorf("the address rests %v after a kill, want a minute", got)
	}
}

// A request that was cut short by us was made: the host rests, and it counts towards the
// general pause. So does one without an answer, at the address that DNS names.
func TestWhatIsCutShortWasAsked(t *testing.T) {
	cfg := unlimited()
	cfg.PauseAfter, cfg.Pause = 2, time.Minute
	r := open(t, cfg, oneProfile(0))
	ip := netip.MustParseAddr("10.0.0.1")
	r.schedule(cand("a.test", "/1", analyse))
	u := r.next("http://a.test/1")
	u.Disposition = crawl.Resign // nothing was asked; but now the address is known
	u.HostFacts = &crawl.HostFacts{Host: "a.test", Status: crawl.StatusDNS, Addrs: []netip.Addr{ip}, Expires: r.clk.Now().Add(time.Hour)}
	r.finish(u)
	u = r.next("http://a.test/1")
	r.schedule(cand("b.test", "/1", analyse))
	b := r.next("http://b.test/1") // is in process when the pause of the address begins
	for i, want := range []time.Duration{5 * time.Second, 7 * time.Second} {
		if i > 0 {
			u = r.next("http://a.test/1")
			u.Status, u.RetryAfter = 503, 7*time.Second
		}
		u.Disposition, u.Started, u.Took = crawl.Resign, r.clk.Now(), time.Second
		r.finish(u)
		if got := r.rests("a.test"); got != want {
			t.Errorf("the host rests %v, want %v", got, want)
		}
		r.clk.Advance(want)
	}
	b.Addr = ip
	r.finish(r.answer(b, crawl.ClassHTML, 0))
	if got := r.offeredIn("a.test"); got != time.Minute {
		t.Errorf("the address is asked again %v after the last answer, want a minute", got)
	}
}

// The rules hold for the last attempt as well: a server that is overloaded or
// gone gets no rest shorter because we give the URI up.
func TestLastAttemptBacksOff(t *testing.T) {
	for _, c := range []struct {
		why  string
		u    func(u *crawl.CrawlURI)
		want time.Duration
	}{
		{"503", func(u *crawl.CrawlURI) { u.Status = 503 }, 15 * time.Minute},
		{"429 with Retry-After", func(u *crawl.CrawlURI) { u.Status, u.RetryAfter = 429, time.Minute }, time.Minute},
		{"no connection", func(u *crawl.CrawlURI) { u.Status = crawl.StatusConnectFailed }, 15 * time.Minute},
		{"a processor of ours fails on an answer", func(u *crawl.CrawlURI) {
			u.Status, u.Started, u.Took = crawl.StatusRuntimeError, began, time.Second
		}, 5 * time.Second},
	} {
		r := open(t, unlimited(), oneProfile(0))
		r.schedule(cand("a.test", "/1", analyse), cand("a.test", "/2", analyse))
		u := r.next("http://a.test/1")
		c.u(u)
		r.finish(u)
		if got := r.rests("a.test"); got != c.want {
			t.Errorf("%s: the host rests %v, want %v", c.why, got, c.want)
		}
	}
}

// A host that is an IP address has that address.
func TestAddressOfAnIPLiteral(t *testing.T) {
	cfg := unlimited()
	cfg.HostsPerAddress = 1
	r := open(t, cfg, oneProfile(0))
	r.schedule(cand("a.test", "/", analyse))
	u := r.next("http://a.test/")
	u.HostFacts = &crawl.HostFacts{Host: "a.test", Status: crawl.StatusDNS, Addrs: []netip.Addr{netip.MustParseAddr("10.0.0.1")}, Expires: r.clk.Now().Add(time.Hour)}
	u.Disposition = crawl.Resign
	r.finish(u)
	a := r.next("http://a.test/")
	r.schedule(cand("10.0.0.1", "/", analyse))
	if u := r.any(); u != nil {
		t.Errorf("%s is offered while its address is asked under a name", u.URL)
	}
	r.finish(r.answer(a, crawl.ClassHTML, 0))
	r.finish(r.answer(r.next("http://10.0.0.1/"), crawl.ClassHTML, 0))
}

// A URI that nobody handed back before the state was closed in order may have been
// asked for all the same: the next start offers it again, and lets its host rest first.
func TestURILeftInProcess(t *testing.T) {
	cfg := unlimited()
	for _, left := range []bool{true, false} {
		mem, clk := fsx.NewMem(), clock.NewFake(began)
		f, ar, err := start(t, options(mem, clk, cfg, oneProfile(0)))
		must(t, err)
		r := &rig{Frontier: f, t: t, fs: mem, clk: clk, ar: ar}
		r.schedule(cand("a.test", "/", analyse))
		u := r.next("http://a.test/")
		if !left {
			u.Disposition = crawl.Resign
			must(t, f.Finished(t.Context(), u))
		}
		must(t, f.Close(t.Context()))

		clk = clock.NewFake(began.Add(time.Minute))
		f, ar, err = start(t, options(mem, clk, cfg, oneProfile(0)))
		must(t, err)
		r = &rig{Frontier: f, t: t, fs: mem, clk: clk, ar: ar}
		if f.Clean() == left {
			t.Errorf("left %v: closed in order: %v", left, f.Clean())
		}
		sound(t, f)
		if wait := r.offeredIn("a.test"); left != (wait > 0) {
			t.Errorf("left %v: offered after %v", left, wait)
		}
		must(t, f.Close(t.Context()))
	}
}
