package sched

import (
	"time"

	"exclave/frontier/schema"
)

// move moves a queue to another state. Nothing else changes a state, puts queues into heaps or memory or
// removes them, or counts moves.
//
// These moves are possible, and no others:
//
//	Exhausted        → Inactive Snoozed Retired Waiting Resting Ready
//	Inactive         → Exhausted Snoozed Retired Waiting Resting Ready
//	Snoozed          → Exhausted Inactive Retired Waiting Resting Ready
//	Retired          → Exhausted Inactive Snoozed Waiting Resting Ready
//	Waiting          → Exhausted Inactive Snoozed Retired Resting Ready
//	Resting          → Exhausted Inactive Snoozed Retired Waiting Ready
//	Ready            → Exhausted Inactive Snoozed Retired Waiting Resting Loading Address Leaving InProcess InProcessWaiting InProcessReady
//	Loading          → Exhausted Inactive Snoozed Retired Waiting Resting Ready Leaving
//	Address          → Exhausted Inactive Snoozed Retired Waiting Resting Loading InProcess InProcessWaiting InProcessReady
//	Leaving          → Exhausted Inactive Snoozed Retired Waiting Resting Ready
//	InProcess        → Exhausted Inactive Snoozed Retired Waiting Resting Ready Leaving InProcessWaiting InProcessReady InProcessRetired
//	InProcessWaiting → Exhausted Inactive Snoozed Retired Waiting Resting Ready Leaving InProcess InProcessReady InProcessRetired
//	InProcessReady   → Exhausted Inactive Snoozed Retired Waiting Resting Ready Leaving InProcess InProcessWaiting InProcessLoading InProcessRetired
//	InProcessLoading → Exhausted Inactive Snoozed Retired Loading Leaving InProcess InProcessWaiting InProcessReady InProcessRetired
//	InProcessRetired → Exhausted Inactive Snoozed Retired Waiting Resting Ready InProcess InProcessWaiting InProcessReady
//
// A queue is dispatched only from Ready, InProcessReady or Address: never while it is snoozed, being loaded or
// leaving.
func (s *Scheduler) move(q *queue, to State) {
	from := q.state
	if from == to {
		s.inHeap(q)
		return
	}
	s.unheap(q)
	if from == Address {
		s.stopWaiting(q)
	}
	s.made[from][to]++
	q.state = to
	if (to == Ready || to == InProcessReady) && !loading.has(from) {
		s.readySeq++
		q.readySeq = s.readySeq
	}
	if !loading.has(to) {
		q.changes = nil
	}
	if onDisk.has(to) {
		delete(s.queues, q.hash)
		return
	}
	s.inHeap(q)
}

// inHeap puts a queue into the heap of its state, if that has one.
func (s *Scheduler) inHeap(q *queue) {
	if q.heap >= 0 {
		return
	}
	switch q.state {
	case Waiting, Resting, InProcessWaiting:
		s.waking.push(q)
	case Ready, InProcessReady:
		s.ready.push(q)
	}
}

// unheap removes a queue from its heap, if it is in one. Call it before changing what orders the heap.
func (s *Scheduler) unheap(q *queue) {
	if q.heap < 0 {
		return
	}
	switch q.state {
	case Ready, InProcessReady:
		s.ready.remove(q)
	default:
		s.waking.remove(q)
	}
}

// settle moves a queue to the state it belongs in. over says that what held it has ended: the load, the
// commit it was to leave by, the wait for its address.
func (s *Scheduler) settle(q *queue, now time.Duration, over bool) { s.move(q, s.target(q, now, over)) }

// target is the state that a queue belongs in.
func (s *Scheduler) target(q *queue, now time.Duration, over bool) State {
	near, wait := s.resident(q.place()), q.readyAt() > now
	if q.inProcess > 0 {
		switch {
		case q.kind == schema.Retired:
			return InProcessRetired
		case !near || !s.mayOfferAnother(q):
			return InProcess
		case q.state == InProcessLoading && !over:
			return InProcessLoading
		case wait:
			return InProcessWaiting
		}
		return InProcessReady
	}
	switch {
	case !near:
		return evictedState(q.place())
	case loading.has(q.state) && !over:
		return Loading
	case q.state == Leaving && !over:
		return Leaving
	case wait && (q.failed || q.backsOff):
		return Resting
	case wait:
		return Waiting
	case q.state == Address && !over:
		return Address
	}
	return Ready
}

// wake makes the queues ready whose wake time has come.
func (s *Scheduler) wake(now time.Duration) {
	for len(s.waking.items) > 0 {
		q := s.waking.top()
		if q.readyAt() > now {
			return
		}
		if q.state == InProcessWaiting {
			s.move(q, InProcessReady)
		} else {
			s.move(q, Ready)
		}
	}
}

// Leave is a queue to be evicted by a commit, which writes into its row that it is snoozed or retired.
type Leave struct {
	Queue uint64
	// Until is its wake time, if it is to be snoozed.
	Until time.Time
	// Retire is why it is to be retired; 0: it is to be snoozed.
	Retire schema.Retirement
	// BacksOff says that all origins of its pending URIs back off until then, as far as was known; Current,
	// that no commit has changed the queue since.
	BacksOff, Current bool

	version uint16
}

// leave makes a queue wait for the commit that evicts it.
func (s *Scheduler) leave(q *queue, l Leave) {
	l.version = q.version
	s.leaves = append(s.leaves, l)
	s.move(q, Leaving)
}

// Leaves returns the first queues to be evicted, at most n. They stay listed until a commit says in
// [Publication.Leaves] how many it has written.
func (s *Scheduler) Leaves(n int) []Leave {
	ls := make([]Leave, min(n, len(s.leaves)))
	copy(ls, s.leaves)
	for i := range ls {
		q := s.queues[ls[i].Queue]
		ls[i].Current = q != nil && q.state == Leaving && q.version == ls[i].version
	}
	return ls
}

// Leaving is how many queues are to be evicted by a commit.
func (s *Scheduler) Leaving() int { return len(s.leaves) }

// Wall is the wall time at a moment, counted monotonically from the time the run was opened.
func (c *Config) Wall(now time.Duration) time.Time { return c.OpenedAt.Add(now - c.Opened) }

// SnoozeLeft is how much is left of a snooze that ends at until. One longer than any rule allows was stored before
// the clock was set back: it counts from the opening of the run.
func (c *Config) SnoozeLeft(until time.Time, now time.Duration) time.Duration {
	left := until.Sub(c.Wall(now))
	if until.IsZero() || left <= 0 {
		return 0
	}
	if left > c.LongestSnooze {
		return max(c.Opened+c.LongestSnooze-now, 0)
	}
	return left
}

func (s *Scheduler) wall(now time.Duration) time.Time { return s.cfg.Wall(now) }

// WakeAt turns a wake time of a row into one on the monotonic clock. A wall clock set back between runs must not
// snooze the queue for longer than any rule does.
func (s *Scheduler) WakeAt(wake time.Time, now time.Duration) time.Duration {
	at := now
	if s.killed { // it may have been sent a request just before the kill
		at = max(at, s.killedAt+s.cfg.MaxDelay)
	}
	if wake.IsZero() {
		return at
	}
	return max(at, now+min(wake.Sub(s.wall(now)), s.cfg.LongestSnooze))
}

// backOffUntil notes until when all origins of a queue back off. The queue must be in no heap.
func (s *Scheduler) backOffUntil(q *queue, until time.Time, now time.Duration) {
	if left := s.cfg.SnoozeLeft(until, now); left > 0 {
		q.backsOff, q.skippedUntil = true, now+left
	}
}
