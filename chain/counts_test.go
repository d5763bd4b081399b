package chain

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"exclave/crawl"
)

// The errors of a run are counted by class; what is no error of a server is not.
func TestErrorsByClass(t *testing.T) {
	cases := []crawl.CrawlURI{
		{Status: 200},
		{Status: 404},
		{Status: 404, Candidate: crawl.Candidate{Key: crawl.RobotsKey("http://a.test")}}, // no robots.txt: everything is allowed
		{Status: 503, Candidate: crawl.Candidate{Key: crawl.RobotsKey("http://a.test")}},
		{Status: crawl.StatusTimeout, Disposition: crawl.Retry},
		{Status: crawl.StatusTimeout},
		{Status: crawl.StatusTimeout, Disposition: crawl.Resign}, // cut short by us
		{Status: crawl.StatusDNSFailed, Mode: crawl.ModeJudge},   // nothing was asked
	}
	var n atomic.Int32
	give := does(func(u *crawl.CrawlURI) (Result, error) {
		c := cases[n.Add(1)-1]
		u.Status, u.Key, u.Disposition, u.Mode = c.Status, c.Key, c.Disposition, c.Mode
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

// behindOne is a frontier in which every outcome waits for the first, as they do
// that lie behind it in a file.
type behindOne struct {
	list
	waiting atomic.Int32
	enough  chan struct{} // closed when maxHanding wait
	first   chan struct{} // closed when the first is handed in
}

func (b *behindOne) Finished(ctx context.Context, u *crawl.CrawlURI) error {
	if u.HTTPStatus == 1 {
		close(b.first)
	} else {
		if b.waiting.Add(1) == maxHanding {
			close(b.enough)
		}
		<-b.first
	}
	return b.list.Finished(ctx, u)
}

// However many outcomes wait for one, that one is handed in (found by review: the
// crawl stood still for ever); those that wait are counted.
func TestOutcomesWaitForOne(t *testing.T) {
	f := &behindOne{list: list{left: maxHanding + 100}, enough: make(chan struct{}), first: make(chan struct{})}
	var n, waiting atomic.Int32
	var c *Controller
	slow := does(func(u *crawl.CrawlURI) (Result, error) {
		u.Status, u.Disposition = 200, crawl.Done
		if u.HTTPStatus = int(n.Add(1)); u.HTTPStatus == 1 {
			<-f.enough
			waiting.Store(int32(c.Counts().Committing))
		}
		return Result{}, nil
	})
	c = controller(t, Config{ToeThreads: 2}, f, map[Name][]Step{Post: {{Name: "slow", Proc: slow}}})
	if r, err := c.Run(t.Context()); err != nil || r != Finished {
		t.Errorf("%s, %v", r, err)
	}
	if during, after := waiting.Load(), c.Counts().Committing; during < maxHanding || after != 0 {
		t.Errorf("%d outcomes wait for their commit when %d do, %d at the end", during, maxHanding, after)
	}
}

// slowDisk counts how many outcomes wait for it at the same time.
type slowDisk struct {
	list
	mu        sync.Mutex
	now, most int
}

func (d *slowDisk) Finished(ctx context.Context, u *crawl.CrawlURI) error {
	d.mu.Lock()
	d.now++
	d.most = max(d.most, d.now)
	d.mu.Unlock()
	<-time.After(time.Second) // of the bubble
	d.mu.Lock()
	d.now--
	d.mu.Unlock()
	return d.list.Finished(ctx, u)
}

// Outcomes that wait for the disk hold what they teach: 500 times a robots.txt of 512 KB
// and its rules were 0.5 GB.
func TestLargeOutcomesAreNoMoreThanThreads(t *testing.T) {
	for _, tt := range []struct{ bytes, most int }{{maxFacts / 2, 100}, {maxFacts/2 + 1, 3}} {
		synctest.Test(t, func(t *testing.T) {
			d := &slowDisk{list: list{left: 100}}
			fetch := does(func(u *crawl.CrawlURI) (Result, error) {
				u.Status, u.Disposition = 200, crawl.Done
				u.Deferred = &crawl.Deferred{Raw: make([]byte, tt.bytes)}
				u.Origin = &crawl.OriginFacts{Robots: make([]byte, tt.bytes)}
				return Result{}, nil
			})
			c := controller(t, Config{ToeThreads: 3}, d, map[Name][]Step{Post: {{Name: "fetch", Proc: fetch}}})
			if r, err := c.Run(t.Context()); err != nil || r != Finished {
				t.Errorf("%s, %v", r, err)
			}
			if d.most != tt.most {
				t.Errorf("2 × %d bytes: %d wait for the disk at the same time, want %d", tt.bytes, d.most, tt.most)
			}
		})
	}
}
