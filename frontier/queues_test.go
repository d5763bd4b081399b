package frontier

import (
	"testing"
	"time"

	"exclave/crawl"
)

// The live view says why nothing happens and when it goes on: Queues has the
// states of hosts, the next wake, and whether more is to come.
func TestQueues(t *testing.T) {
	f := open(t, DefaultConfig(), oneProfile(0))
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
	want("one failed", QueueStates{InProcess: 1, Resting: 1, Next: 900 * time.Second})
	f.finish(f.answer(b, crawl.ClassHTML, 0))
	want("one answered", QueueStates{Waiting: 1, Resting: 1, Next: 3 * time.Second})
	f.clk.Advance(2 * time.Second)
	want("time passed", QueueStates{Waiting: 1, Resting: 1, Next: time.Second})
	f.clk.Advance(time.Second)
	want("one may be asked again", QueueStates{Ready: 1, Resting: 1, Next: 897 * time.Second})
}
