package frontier

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/internal/robots"
)

// parallel is a frontier that asks hosts for several URIs at a time.
func parallel(t *testing.T, n int, change func(c *rules.Config)) *rig {
	t.Helper()
	return openWith(t, func(o *Options) {
		o.Config = unlimited()
		o.Config.ConnectionsPerHost = n
		if change != nil {
			change(&o.Config)
		}
	})
}

// lend takes as many URIs as are offered at this moment.
func (r *rig) lend() (us []*crawl.CrawlURI) {
	for u := r.ready(); u != nil; u = r.ready() {
		us = append(us, u)
	}
	return us
}

// lends demands that so many URIs are offered now.
func (r *rig) lends(n int) []*crawl.CrawlURI {
	r.t.Helper()
	us := r.lend()
	if len(us) != n {
		r.t.Fatalf("%d URIs are offered, want %d", len(us), n)
	}
	return us
}

func TestConnections(t *testing.T) {
	// As many as allowed, min_delay apart; the delays of all answers hold.
	r := parallel(t, 3, nil)
	for i := range 8 {
		r.schedule(cand("a.test", path(i), analyse))
	}
	var lent []*crawl.CrawlURI
	for i := range 3 {
		lent = append(lent, r.lends(1)...)
		if lent[i].URL != "http://a.test"+path(i) {
			t.Errorf("%s is offered as number %d", lent[i].URL, i)
		}
		r.clk.Advance(3*time.Second - 1)
		r.lends(0)
		r.clk.Advance(1)
	}
	if r.lends(0); r.Queues().InProcess != 1 || r.Stats().InProcess != 3 {
		t.Errorf("%+v %+v", r.Queues(), r.Stats())
	}
	lent[1].Took = 4 * time.Second
	r.finish(r.answer(lent[1], crawl.ClassOther, 0)) // rests 20 s
	r.finish(r.answer(lent[0], crawl.ClassOther, 0)) // rests 3 s
	r.clk.Advance(20*time.Second - 1)
	r.lends(0)
	r.clk.Advance(1)
	lent = append(r.lends(1), lent[2])
	sound(t, r.Frontier)

	// One that fails is asked for one at a time, until it answers again.
	u := lent[0]
	u.Status, u.Disposition = 503, crawl.Retry
	r.finish(u)
	r.finish(r.answer(lent[1], crawl.ClassOther, 0)) // answers, but the rest of the other holds
	r.clk.Advance(15*time.Minute - 1)
	r.lends(0)
	r.clk.Advance(1)
	us := r.lends(1)
	r.clk.Advance(3 * time.Second)
	us = append(us, r.lends(1)...) // the answer that came since halved the back-off to none
	for _, u := range us {
		r.finish(r.answer(u, crawl.ClassOther, 0))
	}
	r.clk.Advance(time.Minute)
	u = r.lends(1)[0]
	u.Status, u.Disposition = 503, crawl.Retry
	r.finish(u)
	r.clk.Advance(time.Hour)
	u = r.lends(1)[0]
	r.clk.Advance(time.Hour)
	r.lends(0)
	r.finish(r.answer(u, crawl.ClassOther, 0))
	r.clk.Advance(time.Minute)
	for range 2 {
		us = append(r.lends(1), us...)
		r.clk.Advance(3 * time.Second)
	}
	r.finish(r.answer(us[0], crawl.ClassOther, 0))
	r.finish(r.answer(us[1], crawl.ClassOther, 0))
	r.over()
	sound(t, r.Frontier)
}

// A queue snoozed for so long that its place is on disk, while a URI of it is in process, goes on at its wake time:
// it does not wait until that URI is handed back.
func TestConnectionsLongSnooze(t *testing.T) {
	r := parallel(t, 2, nil)
	for i := range 4 {
		r.schedule(cand("a.test", path(i), analyse))
	}
	us := r.lends(1)
	r.clk.Advance(3 * time.Second)
	us = append(us, r.lends(1)...)
	us[0].CrawlDelay = 100 * time.Second
	r.finish(r.answer(us[0], crawl.ClassOther, 0))
	r.clk.Advance(100*time.Second - time.Millisecond)
	r.lends(0)
	sound(t, r.Frontier)
	r.clk.Advance(time.Millisecond)
	us = append(us[1:], r.lends(1)...)
	if us[1].URL != "http://a.test/2" {
		t.Errorf("%s is offered", us[1].URL)
	}
	sound(t, r.Frontier)
	for _, u := range us {
		r.finish(r.answer(u, crawl.ClassOther, 0))
	}
	r.clk.Advance(100 * time.Second)
	r.finish(r.answer(r.lends(1)[0], crawl.ClassOther, 0))
	r.over()
	sound(t, r.Frontier)
}

// So does one whose place in line was evicted, when the line is loaded that far again.
func TestConnectionsEvicted(t *testing.T) {
	r := parallel(t, 2, func(c *rules.Config) { c.HostsInMemory = 3 })
	// Each in line behind the others.
	for _, host := range []string{"b.test", "c.test"} {
		r.schedule(cand(host, "/0", analyse), cand(host, "/1", analyse))
		r.clk.Advance(16 * time.Millisecond)
	}
	others := r.lends(2)
	r.schedule(cand("a.test", "/0", analyse))
	r.lends(1)
	for _, u := range others {
		r.finish(r.answer(u, crawl.ClassOther, 0))
	}
	r.clk.Advance(16 * time.Millisecond)
	r.schedule(cand("d.test", "/0", analyse)) // too many are in memory
	r.schedule(cand("a.test", "/1", analyse))
	sound(t, r.Frontier)
	r.clk.Advance(time.Minute)
	others = r.lends(2) // for more there is no room
	r.finish(r.answer(others[0], crawl.ClassOther, 0))
	urls := []string{others[0].URL, others[1].URL}
	for _, u := range r.lends(2) {
		urls = append(urls, u.URL)
	}
	if want := []string{"http://b.test/1", "http://c.test/1", "http://a.test/1", "http://d.test/0"}; !slices.Equal(urls, want) {
		t.Errorf("%v are offered, want %v", urls, want)
	}
	sound(t, r.Frontier)
}

// What the others need is asked for alone; what waits for it is not offered meanwhile.
func TestConnectionsPrerequisite(t *testing.T) {
	r := parallel(t, 2, nil)
	r.schedule(cand("a.test", "/0", analyse), cand("a.test", "/1", analyse))
	u := r.lends(1)[0]
	u.Disposition = crawl.Defer
	u.Prereq = &crawl.Candidate{URL: "dns:a.test", Key: "dns:a.test", Host: "a.test", Force: true}
	r.finish(u)
	p := r.lends(1)[0]
	r.clk.Advance(time.Minute)
	r.lends(0)
	if p.URL != "dns:a.test" {
		t.Fatalf("%s is offered", p.URL)
	}
	p.Status, p.Disposition = crawl.StatusDNS, crawl.Done
	r.finish(p)
	r.lends(1)
	r.clk.Advance(3 * time.Second)
	r.lends(1)
}

// A Crawl-delay holds between the beginnings of requests.
func TestConnectionsCrawlDelay(t *testing.T) {
	r := parallel(t, 2, nil)
	r.schedule(cand("a.test", "/0", analyse), cand("a.test", "/1", analyse), cand("a.test", "/2", analyse))
	u := r.lends(1)[0]
	rules := robots.Parse([]byte("User-agent: *\nCrawl-delay: 40\n"), "exclave")
	text, err := rules.MarshalBinary()
	must(t, err)
	u.Origin = &crawl.OriginFacts{Origin: "http://a.test", Robots: text, Expires: r.clk.Now().Add(time.Hour)}
	r.finish(r.answer(u, crawl.ClassOther, 0))
	r.clk.Advance(time.Minute)
	r.lends(1)
	r.clk.Advance(40*time.Second - 1)
	r.lends(0)
	r.clk.Advance(1)
	r.lends(1)
}

// An address counts a host once, and hosts that wait for it come before a further URI of
// the one that asks it.
func TestConnectionsAddress(t *testing.T) {
	r := parallel(t, 3, func(c *rules.Config) { c.HostsPerAddress, c.AddressDelay = 1, 10*time.Second })
	r.at("10.0.0.1", "b.test")
	r.at("10.0.0.1", "a.test")
	for i := range 3 {
		r.schedule(cand("a.test", path(i), analyse))
	}
	us := r.lends(1)
	r.clk.Advance(10*time.Second - 1)
	r.lends(0)
	r.clk.Advance(1)
	us = append(us, r.lends(1)...)
	r.schedule(cand("b.test", "/", analyse))
	r.clk.Advance(time.Minute)
	r.lends(0)
	r.finish(r.answer(us[0], crawl.ClassOther, 0))
	r.clk.Advance(time.Minute)
	r.lends(0)
	r.finish(r.answer(us[1], crawl.ClassOther, 0))
	if us = r.lends(1); us[0].URL != "http://b.test/" {
		t.Fatalf("%s is offered", us[0].URL)
	}
	r.clk.Advance(time.Minute)
	r.lends(0)
	r.finish(r.answer(us[0], crawl.ClassOther, 0))
	r.lends(1)
	sound(t, r.Frontier)
}

// What is in process counts when a general pause is due.
func TestConnectionsPause(t *testing.T) {
	r := parallel(t, 8, func(c *rules.Config) { c.PauseAfter = 3 })
	r.at("10.0.0.1", "a.test")
	for i := range 7 {
		r.schedule(cand("a.test", path(i), analyse))
	}
	visit := func(us []*crawl.CrawlURI) {
		r.lends(0)
		for _, u := range us {
			u.Addr = netip.MustParseAddr("10.0.0.1")
			r.finish(r.answer(u, crawl.ClassOther, 0))
		}
	}
	several := func(n int) (us []*crawl.CrawlURI) {
		for range n {
			us = append(us, r.lends(1)...)
			r.clk.Advance(3 * time.Second)
		}
		return us
	}
	visit(several(3))
	r.clk.Advance(time.Minute - 1)
	r.lends(0)
	r.clk.Advance(1)
	visit(several(1)) // alone: it finds out that the address has paused
	r.clk.Advance(3 * time.Second)
	visit(several(2))
	r.clk.Advance(time.Minute - 1)
	r.lends(0)
	r.clk.Advance(1)
	r.lends(1)
}

// at makes the address of a host known, of which no URI is.
func (r *rig) at(addr, host string) {
	r.t.Helper()
	u := cand(host, "/robots.txt", crawl.Claim{})
	u.Force = true
	r.schedule(u)
	for _, u := range r.lend() {
		u.Disposition = crawl.Resign
		if u.Host == host {
			u.Disposition = crawl.Done
			u.Status = crawl.StatusRobots
			u.HostFacts = &crawl.HostFacts{Host: host, Status: crawl.StatusDNS, Addrs: []netip.Addr{netip.MustParseAddr(addr)}, Expires: r.clk.Now().Add(24 * time.Hour)}
		}
		r.finish(u)
	}
	r.clk.Advance(time.Minute)
}
