package chain

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"exclave/crawl"
)

// offers is a frontier that has a URI whenever it is told so, and keeps what comes back.
type offers struct {
	uris chan *crawl.CrawlURI
	mu   sync.Mutex
	back []crawl.Disposition
}

func (o *offers) Next(ctx context.Context) (*crawl.CrawlURI, error) {
	select {
	case u := <-o.uris:
		return u, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (o *offers) Schedule(context.Context, ...crawl.Candidate) error { return nil }

func (o *offers) Finished(_ context.Context, u *crawl.CrawlURI) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.back = append(o.back, u.Disposition)
	return nil
}

// Once a pause is acknowledged no request is begun: neither for a URI that a ToeThread waited
// for when the pause began, nor for one that was in the pre-fetch chain, nor when the paused
// crawl is stopped (39 requests were sent then). They are handed back, to be offered again.
func TestPauseBeginsNothing(t *testing.T) {
	for why, c := range map[string]struct {
		early bool // the URI is in the pre-fetch chain when the pause begins
	}{
		"a ToeThread waited for a URI":       {false},
		"the URI was in the pre-fetch chain": {true},
	} {
		t.Run(why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := &offers{uris: make(chan *crawl.CrawlURI)}
				pass := make(chan struct{})
				fetched := 0
				ctl := controller(t, Config{ToeThreads: 1, Grace: time.Second}, o, map[Name][]Step{
					PreFetch: {{Name: "pre", Proc: does(func(*crawl.CrawlURI) (Result, error) { <-pass; return Result{}, nil })}},
					Fetch:    {{Name: "fetch", Proc: does(func(*crawl.CrawlURI) (Result, error) { fetched++; return Result{}, nil })}}})
				ended := make(chan Reason, 1)
				go func() {
					r, err := ctl.Run(t.Context())
					if err != nil {
						t.Error(err)
					}
					ended <- r
				}()
				synctest.Wait()
				if c.early {
					o.uris <- &crawl.CrawlURI{}
					synctest.Wait()
				}
				ctl.Pause()
				if !c.early {
					o.uris <- &crawl.CrawlURI{}
				}
				close(pass)
				synctest.Wait()
				if fetched > 0 {
					t.Error("a request was begun during the pause")
				}
				ctl.Stop(Stopped)
				if r := <-ended; r != Stopped || fetched > 0 {
					t.Errorf("%s, %d requests at the stop of a paused crawl", r, fetched)
				}
				if len(o.back) != 1 || o.back[0] != crawl.Resign {
					t.Errorf("handed back as %v, want resigned", o.back)
				}
			})
		})
	}
}

// A URI whose fetch was begun before the pause is finished, and after a resume the next is
// taken.
func TestPauseLetsFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &offers{uris: make(chan *crawl.CrawlURI)}
		answer := make(chan struct{})
		ctl := controller(t, Config{ToeThreads: 1, Grace: time.Second}, o, map[Name][]Step{
			Fetch: {{Name: "fetch", Proc: does(func(u *crawl.CrawlURI) (Result, error) { <-answer; u.Status = 200; return Result{}, nil })}}})
		ended := make(chan error, 1)
		go func() { _, err := ctl.Run(t.Context()); ended <- err }()
		o.uris <- &crawl.CrawlURI{}
		synctest.Wait()
		ctl.Pause()
		close(answer)
		synctest.Wait()
		ctl.Resume()
		o.uris <- &crawl.CrawlURI{}
		synctest.Wait()
		ctl.Stop(Stopped)
		if err := <-ended; err != nil || len(o.back) != 2 || o.back[0] != crawl.Done || o.back[1] != crawl.Done {
			t.Errorf("%v; handed back as %v, want both done", err, o.back)
		}
	})
}
