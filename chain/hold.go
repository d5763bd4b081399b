package chain

import "time"

// What a ToeThread holds that a stop must wait for. Whether one is left behind, or may
// write, is decided once, by whoever comes first (ADR 33).
const (
	holdsNothing int32 = iota // it may be left behind: its URI stays in its queue
	holdsOutcome              // its URI is being written or handed in: it is waited for
	leftBehind                // it writes and hands in no more
)

// A stop cancels all work so long before its grace is over, that is at most, and gives it no
// less than leastSettle to hand its URIs back: a grace of nothing is not meant to leave everything behind.
const (
	mostSettle  = time.Second
	leastSettle = 100 * time.Millisecond
)

// settle divides the grace of a stop: what work has to end by itself, and what it has to hand back
// once it is cancelled.
func settle(grace time.Duration) (work, back time.Duration) {
	back = min(mostSettle, grace/2)
	return grace - back, max(back, leastSettle)
}

// keep makes the controller wait for a ToeThread until its outcome is handed in. It is
// false when it has been left behind.
func (c *Controller) keep(i int) bool {
	return c.holds[i].CompareAndSwap(holdsNothing, holdsOutcome) || c.holds[i].Load() == holdsOutcome
}

// leave leaves those ToeThreads behind that have nothing to write.
func (c *Controller) leave(r *roll) {
	for i := range c.holds {
		if r.gone[i] || !c.holds[i].CompareAndSwap(holdsNothing, leftBehind) {
			continue
		}
		r.strike(i)
		if a := c.activity[i].Load(); a != nil {
			c.log.Warn("a ToeThread did not end; its URI is offered again by the next run", "url", a.URL, "step", a.Step, "since", a.Since)
		}
	}
}

// callFor waits for all ToeThreads, but not longer than d, and reports whether they
// have ended.
func (c *Controller) callFor(d time.Duration, r *roll) bool {
	t := c.clk.NewTimer(d)
	defer t.Stop()
	return r.call(nil, t.C())
}

// roll is the list of the ToeThreads that are waited for.
type roll struct {
	ended <-chan int
	gone  []bool
	here  int
}

// strike takes a ToeThread off the list.
func (r *roll) strike(i int) {
	if !r.gone[i] {
		r.gone[i] = true
		r.here--
	}
}

// call waits until all have ended, and reports whether they have, or until one of the
// channels tells to wait no longer. Nil channels tell nothing.
func (r *roll) call(done <-chan struct{}, late <-chan time.Time) bool {
	for r.here > 0 {
		select {
		case i := <-r.ended:
			r.strike(i)
		case <-done:
			return false
		case <-late:
			return false
		}
	}
	return true
}
