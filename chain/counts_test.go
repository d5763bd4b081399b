package chain

import (
	"maps"
	"sync/atomic"
	"testing"

	"exclave/crawl"
)

// The errors of a run are counted by class; what is no error of a server is not.
func TestErrorsByClass(t *testing.T) {
	cases := []crawl.CrawlURI{
		{Status: 200},
		{Status: 404},
		{Status: 404, Candidate: crawl.Candidate{Hops: "LP"}}, // no robots.txt: everything is allowed
		{Status: 503, Candidate: crawl.Candidate{Hops: "LP"}},
		{Status: crawl.StatusTimeout, Disposition: crawl.Retry},
		{Status: crawl.StatusTimeout},
		{Status: crawl.StatusTimeout, Disposition: crawl.Resign}, // cut short by us
		{Status: crawl.StatusDNSFailed, Mode: crawl.ModeJudge},   // nothing was asked
	}
	var n atomic.Int32
	give := does(func(u *crawl.CrawlURI) (Result, error) {
		c := cases[n.Add(1)-1]
		u.Status, u.Hops, u.Disposition, u.Mode = c.Status, c.Hops, c.Disposition, c.Mode
		return Result{}, nil
	})
	c := controller(t, Config{ToeThreads: 2}, &list{left: len(cases)}, map[Name][]Step{Fetch: {{Name: "give", Proc: give}}})
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{crawl.Error4xx: 1, crawl.Error5xx: 1, crawl.ErrorTimeout: 2}
	if got := c.Counts().Errors; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
