package frontier

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/internal/robots"
)

// A prerequisite that ends without facts (no fetcher for it, a failure of ours)
// must count as failed: the page that waits for it would ask for it for ever.
func TestPrerequisiteWithoutFacts(t *testing.T) {
	r := open(t, quick(), oneProfile(0))
	r.schedule(cand("a.com", "/", analyse))
	for _, key := range []string{crawl.DNSKey("a.com"), crawl.RobotsKey("http://a.com")} {
		page := r.next("http://a.com/")
		page.Status, page.Disposition = crawl.StatusDeferred, crawl.Defer
		page.Prereq = &crawl.Candidate{URL: key, Key: key, Host: "a.com", Hops: "P", Force: true}
		r.finish(page)
		p := r.next(key)
		p.Status, p.Disposition = crawl.StatusUnfetchable, crawl.Done
		r.finish(p)
	}
	h, err := r.Host(t.Context(), "a.com")
	must(t, err)
	if !h.Known(r.clk.Now()) || h.Status != crawl.StatusUnfetchable {
		t.Errorf("the host's facts are %+v", h)
	}
	o, err := r.Origin(t.Context(), "http://a.com")
	must(t, err)
	var rules robots.Rules
	must(t, rules.UnmarshalBinary(o.Robots))
	if !o.Known(r.clk.Now()) || !rules.Unreachable() {
		t.Errorf("the origin's facts are %+v", o)
	}
}

func TestOriginsInMemoryAreBoundedInBytes(t *testing.T) {
	// 1,500 hosts with a robots.txt of 512 KB each took 3.6 GB.
	r := open(t, quick(), oneProfile(0))
	rules, err := robots.FromStatus(200, append([]byte("User-agent: *\nDisallow: /"), bytes.Repeat([]byte("x"), 10<<10)...), "x").MarshalBinary()
	must(t, err)
	rules = append(rules, make([]byte, 500<<10)...)
	for i := range 80 {
		name := fmt.Sprintf("http://h%d.com", i)
		r.schedule(cand(fmt.Sprintf("h%d.com", i), "/", analyse))
		u := r.next(name + "/")
		u.Status, u.Disposition = crawl.StatusUnfetchable, crawl.Done
		u.Origin = &crawl.OriginFacts{Origin: name, Status: 200, Robots: rules, Fetched: r.clk.Now(), Expires: r.clk.Now()}
		r.finish(u)
		for range 2 {
			o, err := r.Origin(t.Context(), name)
			must(t, err)
			if !bytes.Equal(o.Robots, rules) {
				t.Fatalf("%s: %d bytes", name, len(o.Robots))
			}
		}
	}
	held := 0
	for i := range 80 {
		if o, ok := r.originFacts.Get(fmt.Sprintf("http://h%d.com", i)); ok {
			held += len(o.Robots)
		}
	}
	if held > 2*factBytes || held == 0 {
		t.Errorf("%d bytes of rules are held", held)
	}
}

// HostVerdicts counts a page once, by profile, as it was judged last.
func TestHostVerdicts(t *testing.T) {
	r := ordered(t, func(*rules.OrderConfig, *rules.LimitsConfig) {})
	is := func(why string, judged uint64, valid ...uint64) {
		t.Helper()
		want := crawl.HostVerdicts{Judged: judged}
		copy(want.Valid[:], valid)
		if got, err := r.HostVerdicts(t.Context(), "a.com"); err != nil || got != want {
			t.Errorf("%s: %+v %v, want %+v", why, got, err, want)
		}
	}
	is("a host that is not known", 0)
	r.schedule(hop("a.com", "/1", 1), hop("a.com", "/2", 1), hop("a.com", "/3", 1), hop("b.com", "/", 1), hop("a.com", "/4", 1))
	is("nothing is judged", 0)
	valid := map[string]uint8{"a.com/1": 1, "a.com/2": 3, "b.com/": 1}
	r.drain(func(u *crawl.CrawlURI) {
		url := strings.TrimPrefix(u.URL, "http://")
		if url == "a.com/4" {
			r.answer(u, crawl.ClassOther, 0) // not judged
			return
		}
		r.answer(u, crawl.ClassHTML, valid[url])
	})
	is("three pages", 3, 2, 1)
	again := hop("a.com", "/2", 1)
	again.Force, again.Seed = true, true
	r.schedule(again)
	r.drain(func(u *crawl.CrawlURI) { r.answer(u, crawl.ClassHTML, 2) })
	is("one was judged again, otherwise", 3, 1, 1)
	sound(t, r.Frontier)
	r.over()
}
