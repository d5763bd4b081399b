package frontier

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// At the cap of a host the worst that waits gives way to a better one; what archived
// pages need passes it, but not the hard cap; valid pages raise it.
func TestCapGivesWay(t *testing.T) {
	r := ordered(t, func(o *rules.OrderConfig, l *rules.LimitsConfig) {
		o.Policies = []rules.PolicyName{rules.PolicyHops}
		l.HostURIs, l.HostURIsMax, l.URIsPerValid = 3, 6, 1
	})
	at := func(p string, hops int, claim crawl.Claim) {
		t.Helper()
		c := cand("a.test", p, claim)
		c.Hops = strings.Repeat("L", hops)
		r.schedule(c)
		sound(t, r.Frontier)
	}
	at("/2", 2, analyse)
	at("/3", 3, analyse)
	at("/4", 4, analyse)
	at("/5", 5, analyse) // refused
	at("/1", 1, analyse) // /4 gives way
	if s := r.Stats(); s.Refused != 1 || s.Dropped != 1 || s.Queued != 3 || s.Discovered != 4 {
		t.Errorf("%+v", s)
	}
	at("/embed", 4, crawl.Claim{Bin: true})
	at("/4", 4, analyse) // refused once more: nothing is remembered of it
	u := r.next("http://a.test/1")
	r.finish(r.answer(u, crawl.ClassHTML, 1))
	at("/6", 6, analyse) // 4 are known, 3 + 1 may be: refused
	u = r.next("http://a.test/2")
	r.finish(r.answer(u, crawl.ClassHTML, 1))
	at("/7", 7, analyse) // 3 + 2
	at("/embed2", 4, crawl.Claim{Bin: true})
	at("/embed3", 4, crawl.Claim{Bin: true}) // 6: the hard cap, /7 gives way
	at("/embed4", 4, crawl.Claim{Bin: true}) // nothing is worse
	if s := r.Stats(); s.Refused != 4 || s.Dropped != 2 {
		t.Errorf("%+v", s)
	}
	if q, err := r.Queue(t.Context(), "a.test"); err != nil || q.Known != 6 || q.Valid != 2 {
		t.Errorf("%+v, %v", q, err)
	}
	r.drain(nil)
	r.over()
}

// What gives way may be about to be offered: it is offered or forgotten, not both.
func TestGivesWayWhileOffered(t *testing.T) {
	r := ordered(t, func(o *rules.OrderConfig, l *rules.LimitsConfig) {
		o.Policies = []rules.PolicyName{rules.PolicyHops}
		l.HostURIs = 1
	})
	c := cand("a.test", "/worse", analyse)
	c.Hops = "LLL"
	r.schedule(c)
	u := r.next("http://a.test/worse")
	r.schedule(cand("a.test", "/better", analyse)) // refused: /worse is in process
	r.finish(r.answer(u, crawl.ClassHTML, 0))
	r.over()
	if s := r.Stats(); s.Refused != 1 || s.Finished != 1 {
		t.Errorf("%+v", s)
	}
}

func TestDomainLimits(t *testing.T) {
	r := ordered(t, func(_ *rules.OrderConfig, l *rules.LimitsConfig) {
		l.HostsPerDomain, l.DomainURIs, l.DomainDocuments = 2, 4, 3
	})
	for i := range 5 {
		r.schedule(cand(fmt.Sprintf("h%d.farm.com", i), "/", analyse))
	}
	for i := range 5 {
		r.schedule(cand("h0.farm.com", path(i), analyse))
	}
	r.schedule(cand("h9.other.com", "/", analyse))
	if s := r.Stats(); s.Discovered != 5 || s.Refused != 6 {
		t.Errorf("%+v", s)
	}
	got := r.drain(nil)
	slices.Sort(got)
	inOrder(t, "three documents of the domain", got, "h0.farm.com/", "h0.farm.com/0", "h1.farm.com/", "h9.other.com/")
	r.over()
	q, err := r.Queue(t.Context(), "h0.farm.com")
	must(t, err)
	if s := r.Queues(); s.Retired != 1 || q.State != QueueRetired || q.Retired != schema.DomainBudget || q.Waiting != 1 {
		t.Errorf("%+v %+v", s, q)
	}
}

// A host whose only URI gives way to a better one is no further host of its domain.
func TestOnlyURIGivesWay(t *testing.T) {
	r := ordered(t, func(o *rules.OrderConfig, l *rules.LimitsConfig) {
		o.Policies = []rules.PolicyName{rules.PolicyHops}
		l.HostsPerDomain, l.HostURIsMax = 2, 1
	})
	for _, hops := range []string{"LLL", "LL", "L"} {
		c := cand("a.farm.com", "/"+hops, analyse)
		c.Hops = hops
		r.schedule(c)
	}
	r.schedule(cand("b.farm.com", "/", analyse))
	r.schedule(cand("c.farm.com", "/", analyse))
	if s := r.Stats(); s.Dropped != 2 || s.Refused != 1 {
		t.Errorf("%+v", s)
	}
	inOrder(t, "two hosts", r.drain(nil), "a.farm.com/L", "b.farm.com/")
}

// What a page of the nation loads comes from hosts beyond those of a domain, what it links to does
// not: a link farm in the nation's language is one.
func TestHostsPerDomain(t *testing.T) {
	r := ordered(t, func(_ *rules.OrderConfig, l *rules.LimitsConfig) { l.HostsPerDomain = 1 })
	r.schedule(cand("a.farm.com", "/", analyse))
	r.schedule(cand("b.farm.com", "/", link(1)))
	r.schedule(cand("c.farm.com", "/", crawl.Claim{Bin: true}))
	embed := cand("d.farm.com", "/logo.png", crawl.Claim{Bin: true})
	embed.Kind = crawl.LinkEmbed
	r.schedule(embed)
	if s := r.Stats(); s.Discovered != 2 || s.Refused != 2 {
		t.Errorf("%+v", s)
	}
	got := r.drain(nil)
	slices.Sort(got)
	inOrder(t, "one host, and an embed", got, "a.farm.com/", "d.farm.com/logo.png")
}

// Budgets retire queues; a run with greater ones wakes them, without a URI lost.
func TestBudgets(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit func(l *rules.LimitsConfig, n int64)
		first int // asked for within the budget
	}{
		{"host documents", func(l *rules.LimitsConfig, n int64) { l.HostDocuments = n }, 2 * 3},
		{"host bytes", func(l *rules.LimitsConfig, n int64) { l.HostBytes = n * 100 }, 2 * 3},
		{"domain documents", func(l *rules.LimitsConfig, n int64) { l.DomainDocuments = n }, 3},
		{"domain bytes", func(l *rules.LimitsConfig, n int64) { l.DomainBytes = n * 100 }, 3},
		{"source documents", func(l *rules.LimitsConfig, n int64) { l.SourceDocuments = n }, 3},
		{"source bytes", func(l *rules.LimitsConfig, n int64) { l.SourceBytes = n * 100 }, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			fs, clk := fsx.NewMem(), clock.NewFake(began)
			o := options(fs, clk, quick(), oneProfile(0))
			o.Order = rules.DefaultOrderConfig()
			run := func(n int64) *rig {
				t.Helper()
				o.Limits = rules.LimitsConfig{}
				c.limit(&o.Limits, n)
				o.HostLimits = func(string) rules.LimitsConfig { return o.Limits } // as in a job, which may have sheets
				r := &rig{t: t, fs: fs, clk: clk}
				var err error
				r.Frontier, r.ar, err = start(t, o)
				must(t, err)
				sound(t, r.Frontier)
				return r
			}
			answer := func(r *rig) func(*crawl.CrawlURI) {
				return func(u *crawl.CrawlURI) { r.answer(u, crawl.ClassOther, 0).Received = 100 }
			}
			r := run(3)
			for i := range 5 {
				for _, h := range []string{"a.x.com", "b.x.com"} {
					u := cand(h, path(i), analyse)
					u.SourceTag = "log"
					r.schedule(u)
				}
			}
			u := cand("c.y.com", "/", analyse)
			u.SourceTag = "other"
			r.schedule(u)
			got := r.drain(answer(r))
			if r.over(); len(got) != c.first+1 {
				t.Errorf("asked for %q", got)
			}
			if q := r.Queues(); q.Retired != 2 || q.Ready != 0 {
				t.Errorf("%+v", q)
			}
			sound(t, r.Frontier)
			must(t, r.Close(t.Context()))
			r = run(3) // the same limits wake nobody
			if q := r.Queues(); q.Retired != 2 {
				t.Errorf("after another start %+v", q)
			}
			if u := r.any(); u != nil {
				t.Errorf("%s is offered", u.URL)
			}
			must(t, r.Close(t.Context()))
			r = run(0)
			got = append(got, r.drain(answer(r))...)
			slices.Sort(got)
			if got = slices.Compact(got); len(got) != 11 {
				t.Errorf("in the end %q", got)
			}
			sound(t, r.Frontier)
			must(t, r.Close(t.Context()))
		})
	}
}

// Budgets of hosts that are raised while a crawl runs let the queues go on that they had retired, however many, and no
// others; one in process, too.
func TestBudgetsRaisedMeanwhile(t *testing.T) {
	var budget atomic.Int64
	budgets := func(change func(*Options)) *rig {
		budget.Store(1)
		return openWith(t, func(o *Options) {
			change(o)
			o.HostLimits = func(host string) (l rules.LimitsConfig) {
				if l.HostDocuments = budget.Load(); host == "h0.test" {
					l.HostDocuments = 1
				}
				return l
			}
		})
	}
	t.Run("many", func(t *testing.T) {
		const hosts = rules.MaxLinks + 3
		r := budgets(func(*Options) {})
		var all []crawl.Candidate
		for i := range hosts {
			name := fmt.Sprintf("h%d.test", i)
			all = append(all, cand(name, "/0", analyse), cand(name, "/1", analyse))
		}
		r.schedule(all...)
		if n := len(r.drain(nil)); n != hosts {
			t.Errorf("%d within the budgets", n)
		}
		must(t, r.ReviveRaised(t.Context())) // none was raised
		if c := r.Census(); c.Queues.Retired != hosts || c.Changes.Revived != 0 {
			t.Errorf("%+v", c)
		}
		budget.Store(5)
		must(t, r.ReviveRaised(t.Context()))
		if c := r.Census(); c.Queues.Retired != 1 || c.Changes.Revived != hosts-1 {
			t.Errorf("%+v", c)
		}
		if n := len(r.drain(nil)); n != hosts-1 {
			t.Errorf("%d more", n)
		}
		r.over()
	})
	t.Run("in process", func(t *testing.T) {
		r := budgets(func(o *Options) { o.Config.ConnectionsPerHost = 2 })
		r.schedule(cand("a.test", "/0", analyse), cand("a.test", "/1", analyse), cand("a.test", "/2", analyse))
		first, second := r.any(), r.any()
		r.finish(r.answer(first, crawl.ClassHTML, 0))
		if u := r.any(); u != nil {
			t.Fatalf("%s is offered beyond the budget", u.URL)
		}
		budget.Store(5)
		must(t, r.ReviveRaised(t.Context()))
		r.finish(r.answer(r.next("http://a.test/2"), crawl.ClassHTML, 0))
		r.finish(r.answer(second, crawl.ClassHTML, 0))
		r.over()
	})
}

// What was put behind all else, because the budget of its source is spent or for want
// of turns at its address, can be dropped like anything that waits; nothing of it is
// offered later, and the crawl ends.
func TestDropShelved(t *testing.T) {
	drop := func(r *rig, host string, want int) {
		t.Helper()
		var ids []crawl.ID
		must(t, r.EachPending(t.Context(), host, func(u *schema.Record) error { ids = append(ids, u.ID); return nil }))
		n, err := r.Drop(t.Context(), crawl.StatusDeletedByUser, func(*crawl.CrawlURI) []crawl.LogLine { return nil }, ids...)
		if must(t, err); n != want {
			t.Errorf("%d of %d dropped, want %d", n, len(ids), want)
		}
		sound(t, r.Frontier)
	}
	tagged := func(host, p, tag string) crawl.Candidate {
		c := cand(host, p, analyse)
		c.SourceTag = tag
		return c
	}
	t.Run("source", func(t *testing.T) {
		r := ordered(t, func(_ *rules.OrderConfig, l *rules.LimitsConfig) { l.SourceDocuments = 1 })
		for _, host := range []string{"a.test", "b.test"} { // a.test is asked first
			for i := range 4 {
				r.schedule(tagged(host, path(i), "log"))
			}
			r.clk.Advance(time.Second)
		}
		r.schedule(tagged("b.test", "/other", "other"))
		got := r.drain(nil)
		slices.Sort(got)
		inOrder(t, "one of each source", got, "a.test/0", "b.test/other")
		if c := r.Census(); c.Queues.Retired != 2 || c.Stats.Queued != 7 {
			t.Fatalf("%+v", c)
		}
		drop(r, "a.test", 3)
		if c := r.Census(); c.Queues.Retired != 1 || c.Stats.Queued != 4 || c.Stats.Finished != 5 || c.Changes.Exhausted != 1 {
			t.Errorf("%+v", c)
		}
		r.schedule(tagged("a.test", "/new", "new"), tagged("b.test", "/new", "newer")) // other budgets
		got = r.drain(nil)
		slices.Sort(got)
		inOrder(t, "other sources", got, "a.test/new", "b.test/new")
		drop(r, "", 4)
		r.over()
		if c := r.Census(); c.Queues != (QueueStates{}) || c.Stats.Queued != 0 {
			t.Errorf("%+v", c)
		}
	})
	t.Run("address", func(t *testing.T) {
		const hosts = 200
		r := openWith(t, func(o *Options) {
			o.Config = unlimited()
			o.Config.AddressDelay = time.Minute // the others wait, or are put off to later
		})
		for i := range hosts {
			name := fmt.Sprintf("f%d.farm.test", i)
			r.schedule(cand(name, "/", analyse))
			u := r.next("http://" + name + "/")
			u.Disposition = crawl.Resign
			u.HostFacts = &crawl.HostFacts{Host: name, Status: crawl.StatusDNS, Addrs: []netip.Addr{netip.MustParseAddr("10.0.0.1")}, Expires: r.clk.Now().Add(time.Hour)}
			r.finish(u)
		}
		r.clk.Advance(time.Minute)
		u := r.any()
		if u == nil || r.any() != nil {
			t.Fatalf("%v, and another is offered at its address", u)
		}
		if q := r.Queues(); q.Snoozed < hosts/2 {
			t.Fatalf("few are put off: %+v", q)
		}
		drop(r, "", hosts-1)
		r.finish(r.answer(u, crawl.ClassHTML, 0))
		r.over()
	})
}

// A queue whose budget was spent with its last URI has its turn again when it gets
// another under a greater budget.
func TestBudgetRaisedWhileExhausted(t *testing.T) {
	o := options(fsx.NewMem(), clock.NewFake(began), quick(), oneProfile(0))
	for n := range int64(2) {
		o.Limits.HostDocuments = n + 1
		f, ar, err := start(t, o)
		must(t, err)
		r := &rig{Frontier: f, t: t, clk: o.Clock.(*clock.Fake), ar: ar}
		c := cand("a.test", path(int(n)), analyse)
		r.schedule(c)
		r.finish(r.answer(r.next(c.URL), crawl.ClassOther, 0))
		r.over()
		sound(t, f)
		must(t, f.Close(t.Context()))
	}
}
