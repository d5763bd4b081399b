package frontier

import (
	"testing"
	"time"

	"exclave/frontier/rules"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// Of a state that is only read the queues are counted as its next run begins with them: docs/howto/frontier.md.
func TestQueuesAtRest(t *testing.T) {
	o := options(fsx.NewMem(), clock.NewFake(began), unlimited(), oneProfile(0))
	o.Order = rules.DefaultOrderConfig()
	o.Order.Rounds, o.Order.RoundURLs = 2, 1000
	o.Limits.HostDocuments = 1
	r := &rig{t: t, fs: o.FS.(*fsx.Mem), clk: o.Clock.(*clock.Fake)}
	r.begin(o)
	r.schedule(cand("spent.test", "/1", analyse), cand("spent.test", "/2", analyse))
	inOrder(t, "within the budget", r.drain(nil), "spent.test/1")
	r.schedule(cand("failing.test", "/1", analyse))
	r.fail(r.next("http://failing.test/1"))
	r.schedule(cand("a.test", "/1", analyse), cand("b.test", "/1", analyse), cand("b.test", "/2", analyse))
	must(t, r.Close(t.Context()))

	o.ReadOnly = true
	f, err := Open(t.Context(), o)
	must(t, err)
	got := f.Census()
	must(t, f.Close(t.Context()))
	if q := got.Queues; q.Inactive != 2 || q.Resting != 1 || q.Snoozed != 1 || q.Retired != 1 || q.Ready+q.Waiting+q.InProcess > 0 || q.Round != 1 {
		t.Errorf("%+v", q)
	}
	if got.Changes != (QueueChanges{}) {
		t.Errorf("nothing is changed: %+v", got.Changes)
	}

	o.ReadOnly = false
	r.begin(o)
	want := r.Queues()
	r.clk.Advance(time.Hour)
	must(t, r.Close(t.Context()))
	if want.Next = 0; got.Queues != want {
		t.Errorf("%+v, its next run begins with %+v", got.Queues, want)
	}
}
