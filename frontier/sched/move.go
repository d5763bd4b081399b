package sched

import (
	"time"

	"exclave/frontier/schema"
)

// move lets a queue go to another state. It alone changes a state, puts queues into heaps and takes them out,
// into memory and out of it, and counts.
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
// A queue is asked only from Ready, InProcessReady or Address: never while it waits, rests, is being
// loaded or is about to leave.
func (s *Scheduler) move(q *queue, to State) {
	from := q.state
	if from == to {
		s.inHeap(q)
		return
	}
	s.unheap(q)
	if from == Address {
		s.unwait(q)
	}
	s.made[from][to]++
	q.state = to
	if (to == Ready || to == InProcessReady) && !loading.has(from) {
		s.turns++
		q.turnedUp = s.turns
	}
	if !loading.has(to) {
		q.since = nil
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

// unheap takes a queue out of its heap, if it is in one: before what orders it changes.
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

// settle moves a queue to where it belongs. over says that what held it is over: it was loaded, the commit was
// made that it was to leave by, it was its turn.
func (s *Scheduler) settle(q *queue, now time.Duration, over bool) { s.move(q, s.target(q, now, over)) }

// target is the state in which a queue belongs.
func (s *Scheduler) target(q *queue, now time.Duration, over bool) State {
	near, wait := s.near(q.place()), q.dueAt() > now
	if q.busy > 0 {
		switch {
		case q.kind == schema.Retired:
			return InProcessRetired
		case !near || !s.maySpare(q):
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
		return standing(q.place())
	case loading.has(q.state) && !over:
		return Loading
	case q.state == Leaving && !over:
		return Leaving
	case wait && (q.failed || q.rest):
		return Resting
	case wait:
		return Waiting
	case q.state == Address && !over:
		return Address
	}
	return Ready
}

// wake moves the queues whose time has come to those that are ready.
func (s *Scheduler) wake(now time.Duration) {
	for len(s.waking.items) > 0 {
		q := s.waking.top()
		if q.dueAt() > now {
			return
		}
		if q.state == InProcessWaiting {
			s.move(q, InProcessReady)
		} else {
			s.move(q, Ready)
		}
	}
}

// Leave is a queue that is to leave memory, which only a commit can do: it says so in the row.
type Leave struct {
	Queue uint64
	// Until is when it may be asked again, if it is to be snoozed.
	Until time.Time
	// Retire is why it is to be retired, as rows have it; 0: it is to be snoozed.
	Retire schema.Retirement
	// Rests says that all that waits in it rests until then, as far as was known; Current, that no commit has
	// changed the queue since.
	Rests, Current bool

	version uint16
}

// leave lets a queue wait for the commit by which it leaves.
func (s *Scheduler) leave(q *queue, l Leave) {
	l.version = q.version
	s.leaves = append(s.leaves, l)
	s.move(q, Leaving)
}

// Leaves returns the first queues that are to leave, at most n. They stay until a commit says in
// [Publication.Left] how many have left.
func (s *Scheduler) Leaves(n int) []Leave {
	ls := make([]Leave, min(n, len(s.leaves)))
	copy(ls, s.leaves)
	for i := range ls {
		q := s.queues[ls[i].Queue]
		ls[i].Current = q != nil && q.state == Leaving && q.version == ls[i].version
	}
	return ls
}

// Leaving is how many queues are to leave.
func (s *Scheduler) Leaving() int { return len(s.leaves) }

// Wall is the time on the wall at a moment: that at which the run was opened, and monotonic from there.
func (c *Config) Wall(now time.Duration) time.Time { return c.OpenedAt.Add(now - c.Opened) }

// RestsFor is how long a rest lasts yet. One that no rule can have asked for was noted before the
// clock was set back: it counts from the opening.
func (c *Config) RestsFor(until time.Time, now time.Duration) time.Duration {
	rest := until.Sub(c.Wall(now))
	if until.IsZero() || rest <= 0 {
		return 0
	}
	if rest > c.LongestRest {
		return max(c.Opened+c.LongestRest-now, 0)
	}
	return rest
}

func (s *Scheduler) wall(now time.Duration) time.Time { return s.cfg.Wall(now) }

// WakeAt is when a queue may be asked that may not be before a time on the wall. A clock set back while
// nobody crawled must not make it wait for longer than any rule asks.
func (s *Scheduler) WakeAt(wake time.Time, now time.Duration) time.Duration {
	at := now
	if s.killed { // how long its last answer took is not known
		at = max(at, s.killedAt+s.cfg.MaxDelay)
	}
	if wake.IsZero() {
		return at
	}
	return max(at, now+min(wake.Sub(s.wall(now)), s.cfg.LongestRest))
}

// restUntil notes until when all rests that waits in a queue, which is in no heap.
func (s *Scheduler) restUntil(q *queue, until time.Time, now time.Duration) {
	if rest := s.cfg.RestsFor(until, now); rest > 0 {
		q.rest, q.till = true, now+rest
	}
}
