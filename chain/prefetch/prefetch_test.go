package prefetch

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"exclave/chain"
	"exclave/chain/decide"
	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/robots"
	"exclave/internal/sheet"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

type facts struct {
	hosts   map[string]crawl.HostFacts
	origins map[string]crawl.OriginFacts
	err     error
}

func (f facts) Host(_ context.Context, host string) (crawl.HostFacts, error) {
	return f.hosts[host], f.err
}
func (f facts) Origin(_ context.Context, origin string) (crawl.OriginFacts, error) {
	return f.origins[origin], f.err
}
func (facts) Deferred(context.Context, string) (crawl.Deferred, bool, error) {
	return crawl.Deferred{}, false, nil
}

func wall() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

func origin(t testing.TB, status int, body string, expires time.Time) crawl.OriginFacts {
	t.Helper()
	raw, err := robots.FromStatus(status, []byte(body), "exclave").MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return crawl.OriginFacts{Origin: "http://a.org", Robots: raw, Fetched: wall().Add(-time.Hour), Expires: expires}
}

func TestPreconditions(t *testing.T) {
	later, before := wall().Add(time.Hour), wall().Add(-time.Second)
	known := map[string]crawl.HostFacts{"a.org": {Status: crawl.StatusDNS, Expires: later}}
	rules := func(status int, body string) map[string]crawl.OriginFacts {
		return map[string]crawl.OriginFacts{"http://a.org": origin(t, status, body, later)}
	}
	const forbid = "User-agent: *\nDisallow: /no\nCrawl-delay: 7\n"
	tests := []struct {
		why, url, key string
		policy, sheet robots.Policy // sheet: Obey is none
		kind          crawl.LinkKind
		claim         crawl.Claim
		mode          crawl.Mode
		facts         facts
		status        crawl.Status // 0: goes on
		prereq        string       // key
		delay         time.Duration
	}{
		{why: "no address yet", url: "http://a.org/", status: crawl.StatusDeferred, prereq: "dns:a.org"},
		{why: "address too old", url: "http://a.org/", status: crawl.StatusDeferred, prereq: "dns:a.org",
			facts: facts{hosts: map[string]crawl.HostFacts{"a.org": {Status: crawl.StatusDNS, Expires: before}}}},
		{why: "status -6: no such host", url: "http://a.org/", status: crawl.StatusDNSPrereqFailed,
			facts: facts{hosts: map[string]crawl.HostFacts{"a.org": {Status: crawl.StatusDNSFailed, Expires: later}}}},
		{why: "no robots.txt yet", url: "http://a.org/", status: crawl.StatusDeferred, prereq: "robots:http://a.org", facts: facts{hosts: known}},
		{why: "robots.txt too old", url: "http://a.org/", status: crawl.StatusDeferred, prereq: "robots:http://a.org",
			facts: facts{hosts: known, origins: map[string]crawl.OriginFacts{"http://a.org": origin(t, 404, "", before)}}},
		{why: "robots.txt is of the origin, not of the host", url: "http://a.org:8080/", status: crawl.StatusDeferred,
			prereq: "robots:http://a.org:8080", facts: facts{hosts: known, origins: rules(404, "")}},
		{why: "allowed, with a delay", url: "http://a.org/yes", facts: facts{hosts: known, origins: rules(200, forbid)}, delay: 7 * time.Second},
		{why: "status -9998", url: "http://a.org/no?x", status: crawl.StatusRobots, facts: facts{hosts: known, origins: rules(200, forbid)}, delay: 7 * time.Second},
		{why: "status -61", url: "http://a.org/", status: crawl.StatusRobotsPrereqFailed, facts: facts{hosts: known, origins: rules(500, "")}},
		{why: "robots.txt itself, linked", url: "http://a.org/robots.txt", facts: facts{hosts: known, origins: rules(200, "User-agent: *\nDisallow: /")}},
		{why: "policy ignore asks for nothing", url: "http://a.org/no", policy: robots.Ignore, facts: facts{hosts: known}},
		{why: "a sheet's policy ignore asks for it and goes on", url: "http://a.org/no", sheet: robots.Ignore, facts: facts{hosts: known, origins: rules(200, forbid)}, delay: 7 * time.Second},
		{why: "a sheet's policy ignore needs robots.txt", url: "http://a.org/no", sheet: robots.Ignore, status: crawl.StatusDeferred, prereq: "robots:http://a.org", facts: facts{hosts: known}},
		{why: "what an archived page embeds", url: "http://a.org/no", policy: robots.ObeyButEmbeds, kind: crawl.LinkEmbed, claim: crawl.Claim{Bin: true},
			facts: facts{hosts: known, origins: rules(200, forbid)}, delay: 7 * time.Second},
		{why: "what an archived page links", url: "http://a.org/no", policy: robots.ObeyButEmbeds, kind: crawl.LinkNav, claim: crawl.Claim{Bin: true}, status: crawl.StatusRobots,
			facts: facts{hosts: known, origins: rules(200, forbid)}, delay: 7 * time.Second},
		{why: "what a page embeds that is only judged", url: "http://a.org/no", policy: robots.ObeyButEmbeds, kind: crawl.LinkEmbed, claim: crawl.Claim{Analyse: true}, status: crawl.StatusRobots,
			facts: facts{hosts: known, origins: rules(200, forbid)}, delay: 7 * time.Second},
		{why: "an IP literal needs no address", url: "http://192.0.2.1/", status: crawl.StatusDeferred, prereq: "robots:http://192.0.2.1"},
		{why: "dns: needs nothing", url: "dns:a.org", key: "dns:a.org"},
		{why: "robots.txt as prerequisite needs an address", url: "http://a.org/robots.txt", key: "robots:http://a.org", status: crawl.StatusDeferred, prereq: "dns:a.org"},
		{why: "and nothing else", url: "http://a.org/robots.txt", key: "robots:http://a.org", facts: facts{hosts: known}},
		{why: "judging from the archive makes no request", url: "http://a.org/", mode: crawl.ModeJudge},
		{why: "not a URL", url: "http://", status: crawl.StatusUnfetchable},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			if tt.key == "" {
				tt.key = tt.url
			}
			p := NewPreconditions(tt.policy, tt.facts, clock.NewFake(wall()))
			for range 2 { // the second time from the cache
				u := &crawl.CrawlURI{Mode: tt.mode, Candidate: crawl.Candidate{URL: tt.url, Key: tt.key, Host: "a.org", Hops: "L", Kind: tt.kind, Claim: tt.claim}}
				if tt.sheet != robots.Obey {
					u.Sheet = &sheet.Settings{Robots: sheet.Robots{Policy: &tt.sheet}}
				}
				res, err := p.Process(context.Background(), u)
				if err != nil || u.Status != tt.status || (res.Jump == chain.Post) != (tt.status != 0) || u.CrawlDelay != tt.delay {
					t.Fatalf("status %d, jump %q, delay %v, %v", u.Status, res.Jump, u.CrawlDelay, err)
				}
				if tt.prereq == "" {
					if u.Prereq != nil {
						t.Fatalf("prerequisite %+v", u.Prereq)
					}
					continue
				}
				want := &crawl.Candidate{URL: u.Prereq.URL, Key: tt.prereq, Host: "a.org", Via: tt.url, Hops: "LP", Force: true}
				if d := cmp.Diff(want, u.Prereq, cmpopts.IgnoreUnexported(crawl.Candidate{})); d != "" || u.Disposition != crawl.Defer {
					t.Fatalf("disposition %d, %s", u.Disposition, d)
				}
			}
		})
	}
}

func TestPreconditionsOurFailure(t *testing.T) {
	// A broken state is our failure, not the page's.
	later := wall().Add(time.Hour)
	broken := errors.New("disk")
	known := map[string]crawl.HostFacts{"a.org": {Status: crawl.StatusDNS, Expires: later}}
	for _, f := range []facts{{err: broken}, {hosts: known, origins: map[string]crawl.OriginFacts{"http://a.org": {Robots: []byte("x"), Expires: later}}}} {
		u := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: "http://a.org/"}}
		if _, err := NewPreconditions(robots.Obey, f, clock.NewFake(wall())).Process(context.Background(), u); err == nil || u.Status != 0 {
			t.Errorf("error %v, status %d", err, u.Status)
		}
	}
}

type scope decide.Decision

func (s scope) Decide(*decide.Subject) decide.Ruling {
	return decide.Ruling{Decision: decide.Decision(s), Rule: "hosts"}
}

func TestPreselector(t *testing.T) {
	for _, tt := range []struct {
		why, key string
		mode     crawl.Mode
		scope    decide.Decision
		status   crawl.Status
	}{
		{"accepted", "", crawl.ModeFetch, decide.Accept, 0},
		{"rejected", "", crawl.ModeFetch, decide.Reject, crawl.StatusOutOfScope},
		{"silence is rejection, as in Heritrix", "", crawl.ModeFetch, decide.None, crawl.StatusOutOfScope},
		{"prerequisites pass", crawl.RobotsKey("http://a.org"), crawl.ModeFetch, decide.Reject, 0},
		{"no request is made", "", crawl.ModeJudge, decide.Reject, 0},
	} {
		u := &crawl.CrawlURI{Mode: tt.mode, Candidate: crawl.Candidate{URL: "http://a.org/", Key: tt.key}}
		res, err := NewPreselector(scope(tt.scope), nil, clock.NewFake(wall())).Process(context.Background(), u)
		if err != nil || u.Status != tt.status || (res.Jump == chain.Post) != (tt.status != 0) {
			t.Errorf("%s: status %d, jump %q, %v", tt.why, u.Status, res.Jump, err)
		}
	}
}

// At the wrong hours a URI waits, prerequisites too, and nothing of it is decided; at the right ones it goes on.
func TestHours(t *testing.T) {
	now := wall()
	of := func(d time.Duration) string { return now.Local().Add(d).Format("15:04") }
	for _, tt := range []struct {
		hours string
		waits bool
	}{{of(-time.Hour) + "-" + of(time.Hour), false}, {of(time.Hour) + "-" + of(2*time.Hour), true}} {
		set, ps := sheet.Read([]sheet.Text{{Name: "a.toml", Data: []byte("[[sheet]]\nname = \"night\"\nhosts = [\"a.org\"]\nhours = \"" + tt.hours + "\"\n")}}, nil)
		if len(ps) > 0 {
			t.Fatal(ps)
		}
		p := NewPreselector(scope(decide.Accept), sheet.NewLive(set), clock.NewFake(now))
		for _, key := range []string{"", crawl.RobotsKey("http://a.org"), crawl.DNSKey("a.org")} {
			u := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: "http://a.org/", Key: key, Host: "a.org"}}
			res, err := p.Process(context.Background(), u)
			if err != nil || (res.Jump == chain.Post) != tt.waits || (u.Wait > 0) != tt.waits || (u.Disposition == crawl.Defer) != tt.waits || u.Wait > time.Hour {
				t.Errorf("%s, %q: waits %v, disposition %d, %v", tt.hours, key, u.Wait, u.Disposition, err)
			}
		}
	}
}

func TestCacheIsBounded(t *testing.T) {
	// Decision 4: memory is bounded by configuration; a renewed answer replaces the old.
	c := newCache(3, cachedBytes)
	for i := range 10 {
		f := origin(t, 404, "", wall())
		f.Origin += strconv.Itoa(i % 5)
		if _, err := c.get(f); err != nil {
			t.Fatal(err)
		}
	}
	if c.order.Len() != 3 || len(c.by) != 3 {
		t.Errorf("%d, %d", c.order.Len(), len(c.by))
	}
	f := origin(t, 404, "", wall())
	first, err := c.get(f)
	if err != nil {
		t.Fatal(err)
	}
	f.Fetched = f.Fetched.Add(time.Minute)
	if second, err := c.get(f); err != nil || second == first || c.order.Len() != 3 {
		t.Errorf("not replaced: %v", err)
	}
}

func TestCacheIsBoundedInBytes(t *testing.T) {
	// 1,500 hosts with a robots.txt of 512 KB each took 3.6 GB.
	p := NewPreconditions(robots.Obey, facts{}, clock.NewFake(wall()))
	var body strings.Builder
	body.WriteString("User-agent: *\n")
	for i := 0; body.Len() < robots.MaxSize; i++ {
		body.WriteString("Disallow: /" + strconv.Itoa(i) + "\n")
	}
	long := origin(t, 200, body.String(), wall())
	for i := range 60 {
		f := long
		f.Origin = "http://h" + strconv.Itoa(i) + ".org"
		if rules, err := p.rules.get(f); err != nil {
			t.Fatal(err)
		} else if ok, _ := rules.Allowed("/77"); ok {
			t.Fatal("allowed")
		}
	}
	held := 0
	for el := p.rules.order.Front(); el != nil; el = el.Next() {
		held += el.Value.(*entry).rules.Size()
	}
	if held > cachedBytes || held < cachedBytes/2 || held != p.rules.bytes || p.rules.order.Len() != len(p.rules.by) {
		t.Errorf("%d bytes of %d held, %d counted, for %d origins", held, cachedBytes, p.rules.bytes, len(p.rules.by))
	}
	alone := newCache(10, 1) // what is larger than all room is kept until the next
	if _, err := alone.get(long); err != nil || alone.order.Len() != 1 {
		t.Errorf("%d held, %v", alone.order.Len(), err)
	}
}

func BenchmarkPreconditions(b *testing.B) {
	later := wall().Add(time.Hour)
	f := facts{hosts: map[string]crawl.HostFacts{"a.org": {Status: crawl.StatusDNS, Expires: later}},
		origins: map[string]crawl.OriginFacts{"http://a.org": origin(b, 200, "User-agent: *\nDisallow: /no\n", later)}}
	p := NewPreconditions(robots.Obey, f, clock.NewFake(wall()))
	b.ReportAllocs()
	for b.Loop() {
		u := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: "http://a.org/a/b?c=d"}}
		if _, err := p.Process(context.Background(), u); err != nil || u.Status != 0 {
			b.Fatal(u.Status, err)
		}
	}
}
