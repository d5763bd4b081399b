package sched

import (
	"net/netip"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// Config has the rules. A duration of 0 is none, a number of 0 no limit.
type Config struct {
	InMemory        int           // resident queues, about
	Connections     int           // URIs of a queue in process, less than ReadAhead
	ReadAhead       int           // URIs of a queue that are loaded together
	MinDelay        time.Duration // from one offer of a queue to the next while URIs are in process
	MaxDelay        time.Duration // longest delay after an answer; after a kill, what queues owe for requests not known of
	LongestSnooze   time.Duration // longest time that any rule snoozes a queue for
	ResidentSnooze  time.Duration // a queue snoozed for longer is evicted
	HostsPerAddress int           // queues with a URI in process at one IP address
	AddressDelay    time.Duration // from the start of one request to an IP address to the next
	PauseAfter      int           // requests of a queue after which its address is paused
	Pause           time.Duration
	// With HasRounds: at most Rounds rounds of RoundURLs URIs each.
	HasRounds         bool
	Rounds, RoundURLs int
	// Opened and OpenedAt are the same moment, when the run was opened: on the monotonic clock, and as wall time.
	Opened   time.Duration
	OpenedAt time.Time
}

// Initial is what is on disk at the beginning of a run.
type Initial struct {
	Inactive, Snoozed, Retired int64
	// RevivedInLine and RevivedSnoozed of the retired queues are in line or snoozed instead, because a
	// budget was raised.
	RevivedInLine, RevivedSnoozed int64
	Round, RoundUsed              uint64
	// NextWake and LastWake are the first and the last wake time of a snoozed queue, in milliseconds since
	// 1970; 0: none is snoozed.
	NextWake, LastWake uint64
	// Killed says that the run before was killed, at KilledAt on the monotonic clock. Its last requests are
	// not known: every queue is snoozed as if it had been sent one then.
	Killed   bool
	KilledAt time.Duration
}

// Scheduler decides which queue is dispatched next. It is not safe for concurrent use.
type Scheduler struct {
	cfg    Config
	queues map[uint64]*queue // resident
	horizons
	waking  heap[*queue] // those in Waiting, Resting and InProcessWaiting, by wake time
	ready   heap[*queue] // those in Ready and InProcessReady, by class
	made    [numStates][numStates]int64
	initial [numStates]int64

	addrs        map[netip.Addr]*address // those in use, with queues waiting, or before their next request
	waitingAddrs heap[*address]          // those with queues waiting, and not at their limit
	inProcess    map[crawl.ID]inProcess
	// reserved are URIs that the commit in flight takes out of their queues.
	reserved map[crawl.ID]bool
	leaves   []Leave
	loads    int    // in flight
	readySeq uint32 // counts moves to a ready state
	round    rounds
	killed   bool
	killedAt time.Duration
	// clockSetBack is how far the wall clock was set back since the last run: snoozed queues wake that much
	// sooner.
	clockSetBack time.Duration
	returned     []*queue // queues that the commit being applied returns URIs to
}

// inProcess is the queue of a URI in process.
type inProcess struct {
	q      *queue
	prereq bool // the URI is a prerequisite of others in the queue
}

// New returns a scheduler that knows no queue.
func New(c Config) *Scheduler {
	return &Scheduler{cfg: c, queues: map[uint64]*queue{}, addrs: map[netip.Addr]*address{},
		inProcess: map[crawl.ID]inProcess{}, reserved: map[crawl.ID]bool{},
		horizons:     horizons{line: schema.Place{Kind: schema.Line}, woken: schema.Place{Kind: schema.Snoozed}},
		waking:       heap[*queue]{less: wakesBefore, index: queueIndex},
		ready:        heap[*queue]{less: goesBefore, index: queueIndex},
		waitingAddrs: heap[*address]{less: requestsBefore, index: func(a *address) *int32 { return &a.heap }},
		round:        rounds{most: c.Rounds, urls: c.RoundURLs, enabled: c.HasRounds}}
}

// Start sets what is on disk when the run begins.
func (s *Scheduler) Start(b Initial) {
	s.initial[Inactive], s.initial[Snoozed], s.initial[Retired] = b.Inactive, b.Snoozed, b.Retired
	s.made[Retired][Inactive], s.made[Retired][Snoozed] = b.RevivedInLine, b.RevivedSnoozed
	s.inLine, s.snoozed = b.Inactive+b.RevivedInLine, b.Snoozed+b.RevivedSnoozed
	s.onDisk = s.inLine > 0
	s.round.now, s.round.used = b.Round, b.RoundUsed
	s.killed, s.killedAt, s.nextWake = b.Killed, b.KilledAt, b.NextWake
	if b.LastWake > 0 {
		s.clockSetBack = max(time.UnixMilli(int64(b.LastWake)).Sub(s.cfg.OpenedAt)-s.cfg.LongestSnooze, 0)
	}
}

// Decision is the answer of [Scheduler.Pick].
type Decision struct {
	Action Action
	Offer  Offer
	Load   Load
	// Wait is for how long nothing can be offered, as far as is known; negative: until something changes.
	Wait time.Duration
}

// Action is what the caller must do.
type Action uint8

// The actions.
const (
	Sleep    Action = iota // until Wait has passed or something changes
	Dispatch               // hand the URI of Offer to a ToeThread: it is in process now
	Read                   // what Load names, call Loaded or Failed, and wake all sleepers if that says so
	Finish                 // nothing is left: the crawl ends
)

// Offer is a URI that is in process now.
type Offer struct {
	Queue uint64
	Entry
}

// Pick decides what to do now. quiet says that nothing is in flight elsewhere that could make URIs known.
func (s *Scheduler) Pick(now time.Duration, quiet bool) Decision {
	for {
		if l, ok := s.loadSnoozed(now); ok {
			return Decision{Action: Read, Load: l}
		}
		d := Decision{Wait: -1}
		full := s.roundFull()
		if !full {
			if s.pick(&d, now) {
				return d
			}
		}
		quiet := quiet && len(s.inProcess) == 0 && s.loads == 0 && len(s.leaves) == 0
		if d.Wait < 0 && quiet && s.nextRound() {
			continue
		}
		if left := s.untilNextWake(now); left >= 0 && (d.Wait < 0 || left < d.Wait) && !full {
			d.Wait = left
		}
		if d.Wait < 0 && quiet {
			d.Action = Finish
		}
		return d
	}
}

// pick decides what to do in this round; false: nothing before d.Wait has passed.
func (s *Scheduler) pick(d *Decision, now time.Duration) bool {
	for {
		if len(s.waitingAddrs.items) > 0 && s.waitingAddrs.top().next <= now {
			if s.offerAtAddress(s.waitingAddrs.top(), d, now) {
				return true
			}
			continue
		}
		s.wake(now)
		var q *queue
		if len(s.ready.items) > 0 {
			if first := s.ready.top(); s.round.includes(first.class) {
				q = first
			}
		}
		if q == nil || s.moreInLine() && schema.ClassOf(s.line.At) < q.class { // it was snoozed, and those in line on disk go first
			if l, ok := s.loadLine(); ok {
				d.Action, d.Load = Read, l
				return true
			}
			if q == nil || s.reading {
				if q == nil { // else what is being read decides who is next
					d.Wait = s.untilNext(now)
				}
				return false
			}
		}
		if s.loadOrOffer(q, d, now) {
			return true
		}
	}
}

// untilNext is how long until a resident queue is ready; negative: not known.
func (s *Scheduler) untilNext(now time.Duration) time.Duration {
	wait := time.Duration(-1)
	if len(s.waitingAddrs.items) > 0 {
		wait = s.waitingAddrs.top().next - now
	}
	if len(s.waking.items) > 0 {
		if left := s.waking.top().readyAt() - now; wait < 0 || left < wait {
			wait = left
		}
	}
	return wait
}

// loadOrOffer loads what a ready queue needs or offers a URI of it; false: the queue moved to another state instead.
func (s *Scheduler) loadOrOffer(q *queue, d *Decision, now time.Duration) bool {
	if q.skippedUntil > 0 && q.skippedUntil <= now { // the first of the skipped URIs may be offered
		q.clearURIs()
	}
	i := s.firstAvailable(q)
	switch {
	case !q.rowLoaded:
		d.Load = s.load(q, QueueRow)
	case i == len(q.next):
		d.Load = s.load(q, QueueURIs)
	case q.head == nil || q.head.ID != q.next[i].ID:
		d.Load = s.load(q, FirstURI)
	default:
		if !s.offer(q, q.next[i], &d.Offer, now) {
			return false
		}
		d.Action = Dispatch
		return true
	}
	d.Action = Read
	return true
}

// offer offers a URI, unless its queue must wait or is to be retired.
func (s *Scheduler) offer(q *queue, e Entry, o *Offer, now time.Duration) bool {
	h := q.head
	if h.Retire != 0 {
		if q.inProcess > 0 { // finishing those may change it
			s.move(q, InProcess)
		} else {
			s.leave(q, Leave{Queue: q.hash, Retire: h.Retire})
		}
		return false
	}
	if owed := s.killedAt + h.CrawlDelay; s.killed && h.CrawlDelay > 0 && owed > now {
		s.unheap(q)
		q.wake = owed
		s.settle(q, now, true)
		return false
	}
	a, ok := s.mayRequest(q, now)
	if !ok {
		return false
	}
	s.unheap(q)
	s.inProcess[e.ID] = inProcess{q, h.Prereq}
	q.inProcess++
	q.addressTurn, q.head, q.hasPrereq = false, nil, q.hasPrereq || h.Prereq
	q.nextOffer = now + max(s.cfg.MinDelay, h.CrawlDelay)
	if a != nil {
		if q.address == nil {
			q.address = a
			a.inProcess++
		}
		a.next = max(a.next, now+s.cfg.AddressDelay)
		s.settleAddress(a, now)
	}
	s.settle(q, now, true)
	*o = Offer{q.hash, e}
	return true
}
