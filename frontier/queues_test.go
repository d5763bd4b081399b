package frontier

import (
	"fmt"
	"testing"
	"time"

	"exclave/crawl"
)

// The live view says why nothing happens and when it goes on: Queues has the
// states of hosts, the next wake, and whether more is to come.
func TestQueues(t *testing.T) {
	f := open(t, unlimited(), oneProfile(0))
	want := func(why string, want QueueStates) {
		t.Helper()
		if got := f.Queues(); got != want {
			t.Errorf("%s: got %+v, want %+v", why, got, want)
		}
	}
	release := f.Hold()
	want("seeds are being read", QueueStates{Held: true})
	release()
	for _, host := range []string{"a.test", "b.test"} {
		f.schedule(cand(host, "/1", analyse))
		f.schedule(cand(host, "/2", analyse))
	}
	want("two hosts", QueueStates{Ready: 2})
	a, b := f.take("http://a.test/1"), f.take("http://b.test/1")
	want("both are asked", QueueStates{InProcess: 2})
	a.Status, a.Disposition = crawl.StatusTimeout, crawl.Retry
	f.finish(a)
	want("one failed", QueueStates{InProcess: 1, Resting: 1, Snoozed: 1, Next: 900 * time.Second})
	f.finish(f.answer(b, crawl.ClassHTML, 0))
	want("one answered", QueueStates{Waiting: 1, Resting: 1, Snoozed: 1, Next: 3 * time.Second})
	f.clk.Advance(2 * time.Second)
	want("time passed", QueueStates{Waiting: 1, Resting: 1, Snoozed: 1, Next: time.Second})
	f.clk.Advance(time.Second)
	want("one may be asked again", QueueStates{Ready: 1, Resting: 1, Snoozed: 1, Next: 897 * time.Second})
}

// With far more hosts than may be in memory each URI is offered once, no host before
// its time, and none waits while another that woke later is served (docs/adr/0023).
func TestHostsWaitOnDisk(t *testing.T) {
	const hosts, each, workers = 100, 3, 7
	cfg := unlimited()
	cfg.HostsInMemory = 8
	f := open(t, cfg, oneProfile(0))
	for i := range each {
		for h := range hosts {
			f.schedule(cand(fmt.Sprintf("h%d.test", h), path(i), analyse))
		}
	}
	asked, last := map[string]int{}, map[string]time.Duration{}
	for done := 0; done < hosts*each; {
		nearby(t, f.Frontier)
		var taken []*crawl.CrawlURI
		for u := f.ready(); u != nil; u = f.ready() {
			now := f.clk.Mono()
			if at, before := last[u.Host]; before && now-at < cfg.MinDelay {
				t.Fatalf("%s is offered %v after the last of its host", u.URL, now-at)
			}
			if asked[u.URL]++; asked[u.URL] > 1 {
				t.Fatalf("%s is offered twice", u.URL)
			}
			last[u.Host] = now
			if taken = append(taken, u); len(taken) == workers {
				break
			}
		}
		if q := f.Queues(); len(taken) == 0 && q.Ready > 0 {
			t.Fatalf("nothing is offered: %+v", q)
		}
		for _, u := range taken {
			f.finish(f.answer(u, crawl.ClassHTML, 0))
		}
		if done += len(taken); len(taken) < workers {
			f.clk.Advance(time.Second)
		}
		if n := f.inMemory(); n > int64(cfg.HostsInMemory+workers) {
			t.Errorf("%d hosts in memory", n)
		}
	}
	f.over()
}
