package frontier

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"exclave/crawl"
	"exclave/frontier/rules"
)

// offHours hands a URI back that was due outside the hours of a sheet.
func (r *rig) offHours(u *crawl.CrawlURI) {
	u.Status, u.Disposition, u.Wait = crawl.StatusDeferred, crawl.Defer, 5*time.Hour
	r.finish(u)
}

// A reload of sheets wakes the queues that wait for hours which are others now, however many; those whose hours are as they were, and
// those that rest for another reason, sleep on.
func TestWakeOffHours(t *testing.T) {
	const hosts = rules.MaxLinks + 3
	r := open(t, unlimited(), oneProfile(0))
	all := []crawl.Candidate{cand("failed.test", "/", analyse)}
	for i := range hosts {
		all = append(all, cand(fmt.Sprintf("h%d.test", i), "/", analyse))
	}
	r.schedule(all...)
	for range all {
		u := r.any()
		if u.Host == "failed.test" {
			r.fail(u)
			continue
		}
		r.offHours(u)
	}
	open := func(url string) bool { return !strings.HasPrefix(url, "http://h7.") }
	must(t, r.WakeOffHours(t.Context(), func(string) bool { return false }))
	r.none("no hours are others")
	must(t, r.WakeOffHours(t.Context(), open))
	sound(t, r.Frontier)
	for n := range hosts - 1 {
		u := r.any()
		if u == nil || !open(u.URL) || u.Host == "failed.test" {
			t.Fatalf("%d were offered, then %v", n, u)
		}
		r.finish(r.answer(u, crawl.ClassHTML, 0))
	}
	r.none("the others wait")
	for host, want := range map[string]time.Duration{"h7.test": 10 * time.Minute, "failed.test": 15 * time.Minute} {
		if got := r.rests(host); got != want {
			t.Errorf("%s rests %v, want %v", host, got, want)
		}
	}
}

// The delay after an answer holds for a queue that another URI of it had snoozed for its hours.
func TestWakeOffHoursWithinDelay(t *testing.T) {
	for why, answered := range map[string]func(r *rig, first, second *crawl.CrawlURI){
		"answered before": func(r *rig, first, second *crawl.CrawlURI) {
			r.finish(r.answer(first, crawl.ClassHTML, 0))
			r.offHours(second)
		},
		"answered after": func(r *rig, first, second *crawl.CrawlURI) {
			r.offHours(second)
			r.finish(r.answer(first, crawl.ClassHTML, 0))
		},
	} {
		r := openWith(t, func(o *Options) { o.Config = unlimited(); o.Config.ConnectionsPerHost = 2 })
		r.schedule(cand("a.test", "/0", analyse), cand("a.test", "/1", analyse))
		first := r.any()
		r.clk.Advance(3 * time.Second)
		answered(r, first, r.any())
		must(t, r.WakeOffHours(t.Context(), func(string) bool { return true }))
		if u := r.any(); u != nil {
			t.Errorf("%s: %s is offered during the delay", why, u.URL)
		}
	}
}
