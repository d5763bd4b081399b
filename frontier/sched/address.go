package sched

import (
	"net/netip"
	"slices"
	"time"
)

// address is an IP address that queues in memory ask, and on which limits hold whatever the queue.
type address struct {
	addr netip.Addr
	busy int           // queues with a URI in process
	next time.Duration // no request before
	// waiting are queues whose time has come but not the address's, in that order.
	waiting []*queue
	heap    int32 // index in the heap, -1 when it is not in it
	// tail is until when the queues are snoozed for which there was no room in waiting.
	tail time.Duration
}

func asksBefore(a, b *address) bool { return a.next < b.next }

// mostWaiting is how many queues may wait for one address in memory: those of link farms must not crowd
// out all others.
func (s *Scheduler) mostWaiting() int {
	if len(s.queues) > s.cfg.InMemory/2 {
		return 2
	}
	return 64
}

// slot is how far apart the times are until which queues of one address are snoozed: the length of a
// fast visit.
const slot = 500 * time.Millisecond

// addressOf returns the address that the first URI of a queue asks, nil when it has none that is
// limited: one without an address waits for DNS anyway.
func (s *Scheduler) addressOf(q *queue) *address {
	ip := q.head.Addr
	if !ip.IsValid() {
		return nil
	}
	a := s.addrs[ip]
	if a == nil {
		a = &address{addr: ip, heap: -1, next: q.head.AddrRests}
		// The run before may have asked it in its last moment, and that request may have been the last before a
		// pause.
		a.next = max(a.next, s.cfg.Opened+s.cfg.AddressDelay)
		if s.cfg.PauseAfter > 0 && s.killed {
			a.next = max(a.next, s.killedAt+s.cfg.Pause)
		}
		s.addrs[ip] = a
	}
	return a
}

func (s *Scheduler) full(a *address) bool {
	return s.cfg.HostsPerAddress > 0 && a.busy >= s.cfg.HostsPerAddress
}

// mayAsk reports whether a queue may ask its address now, which is nil when that has no limits. Else it
// moves the queue to where it waits for it.
func (s *Scheduler) mayAsk(q *queue, now time.Duration) (a *address, may bool) {
	if a = q.address; a != nil { // a URI of it is in process there
		switch {
		case len(a.waiting) > 0: // they come first: it goes on when it asks nothing
			s.move(q, InProcess)
		case a.next > now:
			s.unheap(q)
			q.gap = a.next
			s.settle(q, now, true)
		default:
			return a, true
		}
		return nil, false
	}
	if a = s.addressOf(q); a == nil {
		return nil, true
	}
	switch wait := !q.turn && len(a.waiting) > 0; {
	case !wait && !s.full(a) && a.next <= now:
		return a, true
	case q.busy > 0: // looked at again when one comes back
		s.move(q, InProcess)
	case q.turn || len(a.waiting) < s.mostWaiting():
		s.waitFor(a, q, now)
	default:
		// One after the other, so that each is loaded about once.
		apart := max(slot/time.Duration(max(s.cfg.HostsPerAddress, 1)), s.cfg.AddressDelay)
		a.tail = max(a.tail, max(a.next, now)+time.Duration(len(a.waiting))*apart) + apart
		s.leave(q, Leave{Queue: q.hash, Until: s.wall(a.tail)})
	}
	return nil, false
}

// waitFor lets a queue wait for its address: last, or first when it was its turn.
func (s *Scheduler) waitFor(a *address, q *queue, now time.Duration) {
	s.move(q, Address)
	q.address = a
	if q.turn {
		a.waiting = slices.Insert(a.waiting, 0, q)
	} else {
		a.waiting = append(a.waiting, q)
	}
	q.turn = false
	s.place(a, now)
}

// unwait takes a queue out of those that wait for its address, if it does.
func (s *Scheduler) unwait(q *queue) {
	a := q.address
	if a == nil {
		return
	}
	if i := slices.Index(a.waiting, q); i >= 0 {
		a.waiting = slices.Delete(a.waiting, i, i+1)
		q.address = nil
		if a.heap >= 0 && len(a.waiting) == 0 {
			s.lines.remove(a)
		}
	}
}

// turn lets the first of the queues that wait for an address ask it.
func (s *Scheduler) turn(a *address, d *Decision, now time.Duration) bool {
	q := a.waiting[0]
	s.unwait(q)
	q.turn = true
	done := s.take(q, d, now)
	s.place(a, now)
	return done
}

// place puts an address where it belongs: into the heap while queues wait and it is not full, out of memory
// when nothing is known of it.
func (s *Scheduler) place(a *address, now time.Duration) {
	wanted := len(a.waiting) > 0 && !s.full(a)
	switch {
	case wanted && a.heap < 0:
		s.lines.push(a)
	case wanted:
		s.lines.fix(int(a.heap))
	case a.heap >= 0:
		s.lines.remove(a)
	}
	if a.busy == 0 && len(a.waiting) == 0 && a.next <= now {
		delete(s.addrs, a.addr)
	}
}

// freed says that a queue asks its address for nothing any more.
func (s *Scheduler) freed(q *queue, now time.Duration) {
	if a := q.address; a != nil {
		q.address = nil
		a.busy--
		s.place(a, now)
	}
}

// pause lets an address rest, with all its queues: also one that no queue in memory asks, as a queue may be
// loaded just now that was read before.
func (s *Scheduler) pause(ip netip.Addr, now time.Duration) {
	a := s.addrs[ip]
	if a == nil {
		a = &address{addr: ip, heap: -1}
		s.addrs[ip] = a
	}
	a.next = max(a.next, now+s.cfg.Pause)
	s.place(a, now)
}
