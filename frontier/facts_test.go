package frontier

import (
	"testing"

	"exclave/crawl"
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
