package sched

import (
	"net/netip"
	"slices"
	"time"
)

// address is an IP address that resident queues send requests to, with the limits that all of them share.
type address struct {
	addr      netip.Addr
	inProcess int           // queues with a URI in process
	next      time.Duration // earliest next request
	// waiting are the queues that are ready but for the limits of the address, in order.
	waiting []*queue
	heap    int32 // index in the heap, -1 when it is not in it
	// snoozedUntil is the last wake time given to a queue for which waiting had no room.
	snoozedUntil time.Duration
}

func requestsBefore(a, b *address) bool { return a.next < b.next }

// maxWaiting is how many resident queues may wait for one address: those of link farms must not crowd
// out all others.
func (s *Scheduler) maxWaiting() int {
	if len(s.queues) > s.cfg.InMemory/2 {
		return 2
	}
	return 64
}

// snoozeStep is the distance between the wake times of queues that are postponed for one address: the length of a
// fast visit.
const snoozeStep = 500 * time.Millisecond

// addressOf returns the address of the first URI of a queue, nil when it has none with limits: a host without an
// address waits for DNS anyway.
func (s *Scheduler) addressOf(q *queue) *address {
	ip := q.head.Addr
	if !ip.IsValid() {
		return nil
	}
	a := s.addrs[ip]
	if a == nil {
		a = &address{addr: ip, heap: -1, next: q.head.AddrPausedUntil}
		// The run before may have sent it a request in its last moment, which may have been the last before a
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
	return s.cfg.HostsPerAddress > 0 && a.inProcess >= s.cfg.HostsPerAddress
}

// mayRequest reports whether a queue may send its address a request now; a is nil when that has no limits.
// Otherwise it moves the queue to the state in which it waits.
func (s *Scheduler) mayRequest(q *queue, now time.Duration) (a *address, may bool) {
	if a = q.address; a != nil { // a URI of the queue is in process there
		switch {
		case len(a.waiting) > 0: // they come first: the queue goes on when none of its URIs is in process
			s.move(q, InProcess)
		case a.next > now:
			s.unheap(q)
			q.nextOffer = a.next
			s.settle(q, now, true)
		default:
			return a, true
		}
		return nil, false
	}
	if a = s.addressOf(q); a == nil {
		return nil, true
	}
	switch wait := !q.addressTurn && len(a.waiting) > 0; {
	case !wait && !s.full(a) && a.next <= now:
		return a, true
	case q.inProcess > 0: // settled again when one is handed back
		s.move(q, InProcess)
	case q.addressTurn || len(a.waiting) < s.maxWaiting():
		s.waitForAddress(a, q, now)
	default:
		// One wake time after the other, so that each queue is loaded about once.
		apart := max(snoozeStep/time.Duration(max(s.cfg.HostsPerAddress, 1)), s.cfg.AddressDelay)
		a.snoozedUntil = max(a.snoozedUntil, max(a.next, now)+time.Duration(len(a.waiting))*apart) + apart
		s.leave(q, Leave{Queue: q.hash, Until: s.wall(a.snoozedUntil)})
	}
	return nil, false
}

// waitForAddress makes a queue wait for its address: at the end, or in front when it had reached the front before.
func (s *Scheduler) waitForAddress(a *address, q *queue, now time.Duration) {
	s.move(q, Address)
	q.address = a
	if q.addressTurn {
		a.waiting = slices.Insert(a.waiting, 0, q)
	} else {
		a.waiting = append(a.waiting, q)
	}
	q.addressTurn = false
	s.settleAddress(a, now)
}

// stopWaiting removes a queue from those that wait for its address, if it does.
func (s *Scheduler) stopWaiting(q *queue) {
	a := q.address
	if a == nil {
		return
	}
	if i := slices.Index(a.waiting, q); i >= 0 {
		a.waiting = slices.Delete(a.waiting, i, i+1)
		q.address = nil
		if a.heap >= 0 && len(a.waiting) == 0 {
			s.waitingAddrs.remove(a)
		}
	}
}

// offerAtAddress loads or offers the first of the queues that wait for an address.
func (s *Scheduler) offerAtAddress(a *address, d *Decision, now time.Duration) bool {
	q := a.waiting[0]
	s.stopWaiting(q)
	q.addressTurn = true
	done := s.loadOrOffer(q, d, now)
	s.settleAddress(a, now)
	return done
}

// settleAddress puts an address into the heap while queues wait and it is not full, and evicts it when nothing is
// known of it any more.
func (s *Scheduler) settleAddress(a *address, now time.Duration) {
	wanted := len(a.waiting) > 0 && !s.full(a)
	switch {
	case wanted && a.heap < 0:
		s.waitingAddrs.push(a)
	case wanted:
		s.waitingAddrs.fix(int(a.heap))
	case a.heap >= 0:
		s.waitingAddrs.remove(a)
	}
	if a.inProcess == 0 && len(a.waiting) == 0 && a.next <= now {
		delete(s.addrs, a.addr)
	}
}

// leaveAddress notes that no URI of a queue is in process at its address any more.
func (s *Scheduler) leaveAddress(q *queue, now time.Duration) {
	if a := q.address; a != nil {
		q.address = nil
		a.inProcess--
		s.settleAddress(a, now)
	}
}

// pause pauses an address, even one without a resident queue: a queue that is being loaded now may have been read
// before the pause.
func (s *Scheduler) pause(ip netip.Addr, now time.Duration) {
	a := s.addrs[ip]
	if a == nil {
		a = &address{addr: ip, heap: -1}
		s.addrs[ip] = a
	}
	a.next = max(a.next, now+s.cfg.Pause)
	s.settleAddress(a, now)
}
