package sched

import (
	"net/netip"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// Publication is a commit, as far as the scheduler is concerned.
type Publication struct {
	Changes          []Change     // one for each queue that the commit changed
	Back             []crawl.ID   // URIs no longer in process
	Paused           []netip.Addr // addresses for which a general pause begins
	Freed            []crawl.ID   // reserved URIs that are out of their queues
	Left             int          // of Leaves, the first so many were seen to
	Round, RoundUsed uint64
}

// Change is what a commit changed in a queue. Its place and its row are those after it.
type Change struct {
	Queue   uint64
	Was, At schema.Place // the zero place: nowhere
	Row     Row
	Put     Key // the first of the places that URIs were put at, if IsPut
	IsPut   bool
	Taken   []Key // those that URIs were taken from
	// Origins: one failed, answered, or what was known of one was forgotten.
	Origins bool
	// Asked: it is not asked for Rest; Failed: because its last URI failed.
	Asked  bool
	Rest   time.Duration
	Failed bool
	Eased  bool // its rest after failures is over
	Left   bool // it was to leave, and did, as far as the commit agreed
}

// NotePut notes that a URI stands at a place now.
func (c *Change) NotePut(k Key) {
	if !c.IsPut || k.Before(c.Put) {
		c.Put, c.IsPut = k, true
	}
}

// Apply publishes a commit.
func (s *Scheduler) Apply(p *Publication, now time.Duration) {
	s.round.now, s.round.used = p.Round, p.RoundUsed
	s.back = s.back[:0]
	for _, id := range p.Back {
		if q := s.takeBack(id, now); q != nil {
			s.back = append(s.back, q)
		}
	}
	for _, ip := range p.Paused {
		s.pause(ip, now)
	}
	for _, id := range p.Freed {
		delete(s.reserved, id)
	}
	if s.leaves = s.leaves[p.Left:]; len(s.leaves) == 0 {
		s.leaves = nil
	}
	for i := range p.Changes {
		s.change(&p.Changes[i], now)
	}
	for _, q := range s.back {
		if s.queues[q.hash] == q {
			s.settle(q, now, false)
		}
	}
	clear(s.back)
	s.shrink()
	if len(s.addrs) > s.cfg.InMemory {
		for _, a := range s.addrs {
			s.place(a, now) // drops those that have rested
		}
	}
}

// takeBack notes that a URI is no longer in process, and returns its queue, in no heap; nil: it was not.
func (s *Scheduler) takeBack(id crawl.ID, now time.Duration) *queue {
	in, ok := s.process[id]
	if !ok {
		return nil
	}
	delete(s.process, id)
	q := in.q
	s.unheap(q)
	if q.busy--; q.busy == 0 {
		s.freed(q, now)
	}
	q.alone = q.alone && !in.alone
	q.head = nil
	return q
}

// change publishes what a commit changed in a queue.
func (s *Scheduler) change(c *Change, now time.Duration) {
	q := s.queues[c.Queue]
	s.step(c.Queue, c.Was, c.At)
	if q == nil {
		if !s.near(c.At) {
			if from, to := standing(c.Was), standing(c.At); from != to {
				s.made[from][to]++
			}
			s.putBehind(c.At)
			return
		}
		q = &queue{hash: c.Queue, heap: -1, state: standing(c.Was)}
		s.queues[q.hash] = q
	} else {
		s.unheap(q)
		if at := q.place(); at != c.Was { // was taken into memory when the commit could be seen on disk already
			if from, to := standing(c.Was), standing(at); from != to {
				s.made[from][to]++
			}
		}
	}
	if !q.read {
		s.restore(q, &c.Row, c.At, now)
	} else {
		q.setRow(&c.Row, c.At)
	}
	if c.Asked {
		q.wake, q.failed = now+c.Rest, c.Failed
	}
	if c.Left {
		q.wake, q.rest = s.WakeAt(c.Row.Wake, now), false // unless its row says so
	}
	if c.Eased {
		q.wake, q.failed = s.WakeAt(c.Row.Wake, now), false
	}
	q.update(c)
	s.restUntil(q, c.Row.Until, now)
	if q.head != nil {
		if i := s.free(q); i == len(q.next) || q.next[i].ID != q.head.ID || c.Origins {
			q.head = nil
		}
	}
	if !s.near(c.At) {
		s.putBehind(c.At)
	}
	s.settle(q, now, c.Left)
}

// Withdraw takes back a URI that was offered, but is not to be asked for: its queue is to be retired, or (0) it is
// looked at again.
func (s *Scheduler) Withdraw(o Offer, retire schema.Retirement, now time.Duration) {
	q := s.takeBack(o.ID, now)
	if q == nil {
		return
	}
	if retire != 0 && q.busy == 0 && q.kind != schema.Retired && s.near(q.place()) {
		s.leave(q, Leave{Queue: q.hash, Retire: retire})
		return
	}
	if retire == 0 {
		q.update(&Change{Origins: true}) // nothing that was read of it counts
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
	_, is := s.process[id]
	return is
}

// Busy is how many URIs are in process.
func (s *Scheduler) Busy() int { return len(s.process) }

// Round returns the present round, from 0, and how many URIs were asked for in it.
func (s *Scheduler) Round() (now, used uint64) { return s.round.now, s.round.used }

// First returns the place of the first URI of a queue, but for those taken; false: it is not known.
func (s *Scheduler) First(queue uint64, taken func(Key) bool) (Key, bool) {
	q := s.queues[queue]
	if q == nil || q.till > 0 { // then what rests is not among them
		return Key{}, false
	}
	for _, e := range q.next {
		if !taken(e.Key()) {
			return e.Key(), true
		}
	}
	return Key{}, false
}

// Look is what is known of a queue.
type Look struct {
	// Near says that a queue at that place belongs in memory, Will that it will be taken there, a snoozed one when
	// its time has come.
	Near, Will bool
	// What follows is of one in memory.
	State State
	Place schema.Place
	Read  bool          // its row was
	URIs  int           // of it that are known
	Due   time.Duration // when it may be asked
	// Rests is until when all that waits in it rests, Address until when its address may not be asked; 0: not.
	Rests, Address time.Duration
}

// Look tells of a queue at a place; false: it is not in memory.
func (s *Scheduler) Look(p schema.Place, now time.Duration) (l Look, ok bool) {
	l.Near = s.near(p)
	l.Will = l.Near || p.Kind == schema.Line && s.behind || p.Kind == schema.Snoozed && s.resume != 0 && s.resume <= p.At
	q := s.queues[p.Host]
	if q == nil {
		return l, false
	}
	l.State, l.Place, l.Read, l.URIs, l.Due = q.state, q.place(), q.read, len(q.next), q.dueAt()
	if q.rest && q.till > now {
		l.Rests = q.till
	}
	if q.state == Address && q.address != nil {
		l.Address = q.address.next
	}
	return l, true
}

// Soonest is how long until the first queue may be asked that waits or rests, 0 when none does.
func (s *Scheduler) Soonest(now time.Duration) (wait time.Duration) {
	s.wake(now)
	soon := func(w time.Duration) {
		if w > 0 && (wait == 0 || w < wait) {
			wait = w
		}
	}
	soon(nextIdle(&s.waking) - now)
	if len(s.lines.items) > 0 {
		soon(s.lines.top().next - now)
	}
	soon(s.untilResume(now))
	return wait
}
