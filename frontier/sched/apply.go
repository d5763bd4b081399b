package sched

import (
	"net/netip"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// Publication is what the scheduler is told of a commit.
type Publication struct {
	Changes          []Change     // one per queue that the commit changed
	Returned         []crawl.ID   // URIs no longer in process
	Paused           []netip.Addr // addresses that are paused from now on
	Freed            []crawl.ID   // reserved URIs that the commit removed from their queues
	Leaves           int          // how many, the first of Scheduler.Leaves, the commit has written
	Round, RoundUsed uint64
}

// Change is what a commit changed in a queue. Row is its row after the commit.
type Change struct {
	Queue   uint64
	Was, At schema.Place // before and after the commit; the zero place: exhausted
	Row     Row
	put     Key // if isPut, see NotePut
	isPut   bool
	Taken   []Key // places from which URIs were removed
	// Origins: one of its origins failed, answered, or was reset by a retry.
	Origins bool
	// Requested: it was sent a request, and is snoozed for Delay; Failed: because the request failed.
	Requested bool
	Delay     time.Duration
	Failed    bool
	Recovered bool // it does not back off any more
	Left      bool // it was one of Scheduler.Leaves, and the commit has decided on it
}

// NotePut notes that a URI was queued at a place; the first of several places counts.
func (c *Change) NotePut(k Key) {
	if !c.isPut || k.Before(c.put) {
		c.put, c.isPut = k, true
	}
}

// Apply publishes a commit.
func (s *Scheduler) Apply(p *Publication, now time.Duration) {
	s.round.now, s.round.used = p.Round, p.RoundUsed
	s.returned = s.returned[:0]
	for _, id := range p.Returned {
		if q := s.removeInProcess(id, now); q != nil {
			s.returned = append(s.returned, q)
		}
	}
	for _, ip := range p.Paused {
		s.pause(ip, now)
	}
	for _, id := range p.Freed {
		delete(s.reserved, id)
	}
	if s.leaves = s.leaves[p.Leaves:]; len(s.leaves) == 0 {
		s.leaves = nil
	}
	for i := range p.Changes {
		s.change(&p.Changes[i], now)
	}
	for _, q := range s.returned {
		if s.queues[q.hash] == q {
			s.settle(q, now, false)
		}
	}
	clear(s.returned)
	s.evictHalf()
	if len(s.addrs) > s.cfg.InMemory {
		for _, a := range s.addrs {
			s.settleAddress(a, now) // evicts those whose pause or delay is over
		}
	}
}

// removeInProcess notes that a URI is no longer in process, and returns its queue, removed from its heap; nil: it was
// not in process.
func (s *Scheduler) removeInProcess(id crawl.ID, now time.Duration) *queue {
	in, ok := s.inProcess[id]
	if !ok {
		return nil
	}
	delete(s.inProcess, id)
	q := in.q
	s.unheap(q)
	if q.inProcess--; q.inProcess == 0 {
		s.leaveAddress(q, now)
	}
	q.hasPrereq = q.hasPrereq && !in.prereq
	q.head = nil
	return q
}

// change publishes what a commit changed in a queue.
func (s *Scheduler) change(c *Change, now time.Duration) {
	q := s.queues[c.Queue]
	s.countMove(c.Queue, c.Was, c.At)
	if q == nil {
		if !s.resident(c.At) {
			if from, to := evictedState(c.Was), evictedState(c.At); from != to {
				s.made[from][to]++
			}
			s.noteOnDisk(c.At)
			return
		}
		q = &queue{hash: c.Queue, heap: -1, state: evictedState(c.Was)}
		s.queues[q.hash] = q
	} else {
		if at := q.place(); at != c.Was { // it was loaded after the commit was written, before it was published
			if from, to := evictedState(c.Was), evictedState(at); from != to {
				s.made[from][to]++
			}
		}
	}
	if !q.rowLoaded {
		s.restore(q, &c.Row, c.At, now)
	} else {
		q.setRow(&c.Row, c.At)
	}
	if c.Requested {
		q.wake, q.failed = now+c.Delay, c.Failed
	}
	if c.Left {
		q.wake, q.backsOff = s.WakeAt(c.Row.Wake, now), false // but for what its row says, below
	}
	if c.Recovered {
		q.wake, q.failed = s.WakeAt(c.Row.Wake, now), false
	}
	q.update(c)
	s.backOffUntil(q, c.Row.Until, now)
	if q.head != nil {
		if i := s.firstAvailable(q); i == len(q.next) || q.next[i].ID != q.head.ID || c.Origins {
			q.head = nil
		}
	}
	if !s.resident(c.At) {
		s.noteOnDisk(c.At)
	}
	s.settle(q, now, c.Left)
}

// Withdraw undoes an offer whose URI must not be requested: its queue is to be retired, or (0) is read again.
func (s *Scheduler) Withdraw(o Offer, retire schema.Retirement, now time.Duration) {
	q := s.removeInProcess(o.ID, now)
	if q == nil {
		return
	}
	if retire != 0 && q.inProcess == 0 && q.kind != schema.Retired && s.resident(q.place()) {
		s.leave(q, Leave{Queue: q.hash, Retire: retire})
		return
	}
	if retire == 0 {
		q.update(&Change{Origins: true}) // what was read of it is outdated
	}
	s.settle(q, now, false)
}

// Reserve keeps a URI from being offered until it is [Publication.Freed]; false: it is in process.
func (s *Scheduler) Reserve(id crawl.ID) bool {
	if s.InProcess(id) {
		return false
	}
	s.reserved[id] = true
	return true
}

// InProcess reports whether a URI is in process.
func (s *Scheduler) InProcess(id crawl.ID) bool {
	_, is := s.inProcess[id]
	return is
}

// InProcessCount is how many URIs are in process.
func (s *Scheduler) InProcessCount() int { return len(s.inProcess) }

// Round returns the present round, from 0, and how many of its URIs are used.
func (s *Scheduler) Round() (now, used uint64) { return s.round.now, s.round.used }

// First returns the place of the first URI of a queue that is not taken; false: it is not known.
func (s *Scheduler) First(queue uint64, taken func(Key) bool) (Key, bool) {
	q := s.queues[queue]
	if q == nil || q.skippedUntil > 0 { // skipped URIs are missing in next
		return Key{}, false
	}
	for _, e := range q.next {
		if !taken(e.Key()) {
			return e.Key(), true
		}
	}
	return Key{}, false
}

// QueueInfo is what the scheduler knows of a queue.
type QueueInfo struct {
	// Resident says that a queue at that place belongs in memory; WillBeLoaded, that it does or will be loaded, a
	// snoozed one at its wake time.
	Resident, WillBeLoaded bool
	// The following are known of a resident queue only.
	State     State
	Place     schema.Place
	RowLoaded bool
	URIs      int           // pending URIs that are loaded
	ReadyAt   time.Duration // its wake time
	// BackOffUntil is until when all its origins back off, AddressUntil until when its address is at a limit; 0: not.
	BackOffUntil, AddressUntil time.Duration
}

// QueueInfo describes the queue at a place; false: it is not resident.
func (s *Scheduler) QueueInfo(p schema.Place, now time.Duration) (l QueueInfo, ok bool) {
	l.Resident = s.resident(p)
	l.WillBeLoaded = l.Resident || p.Kind == schema.Line && s.onDisk || p.Kind == schema.Snoozed && s.nextWake != 0 && s.nextWake <= p.At
	q := s.queues[p.Host]
	if q == nil {
		return l, false
	}
	l.State, l.Place, l.RowLoaded, l.URIs, l.ReadyAt = q.state, q.place(), q.rowLoaded, len(q.next), q.readyAt()
	if q.backsOff && q.skippedUntil > now {
		l.BackOffUntil = q.skippedUntil
	}
	if q.state == Address && q.address != nil {
		l.AddressUntil = q.address.next
	}
	return l, true
}

// NextWake is how long until the first snoozed queue wakes, 0 when none is snoozed.
func (s *Scheduler) NextWake(now time.Duration) (wait time.Duration) {
	s.wake(now)
	soon := func(w time.Duration) {
		if w > 0 && (wait == 0 || w < wait) {
			wait = w
		}
	}
	soon(nextNotInProcess(&s.waking) - now)
	if len(s.waitingAddrs.items) > 0 {
		soon(s.waitingAddrs.top().next - now)
	}
	soon(s.untilNextWake(now))
	return wait
}
