package sched

import (
	"net/netip"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// Config are the rules. Durations of 0 are none, numbers of 0 no limit.
type Config struct {
	InMemory        int           // queues in memory, about
	Connections     int           // URIs of a queue in process, less than ReadAhead
	ReadAhead       int           // URIs of a queue that are read together
	MinDelay        time.Duration // from one offer of a queue to the next while URIs are in process
	MaxDelay        time.Duration // most that politeness leads to: of what was asked before a kill
	LongestRest     time.Duration // that any rule makes a queue rest
	LongRest        time.Duration // more than that, and a queue is snoozed
	HostsPerAddress int           // queues that ask an IP address at the same time
	AddressDelay    time.Duration // between the beginnings of two requests to an IP address
	PauseAfter      int           // requests to a queue after which its address pauses
	Pause           time.Duration
	// Rounds are there with AreRounds: at most so many, of so many URIs.
	AreRounds         bool
	Rounds, RoundURLs int
	// Opened is the present moment on the monotonic clock, OpenedAt on the wall's.
	Opened   time.Duration
	OpenedAt time.Time
}

// State at the beginning of a run.
type Began struct {
	Inactive, Snoozed, Retired int64
	// RevivedInLine and RevivedSnoozed of the retired ones stand there instead, since a budget is
	// greater now.
	RevivedInLine, RevivedSnoozed int64
	Round, RoundUsed              uint64
	// Resume is when the first snoozed queue may be asked, Last when the last one may, in milliseconds
	// since 1970; 0: none is.
	Resume, Last uint64
	// Killed says that the run before was killed, at KilledAt on the monotonic clock. What it asked for
	// in its last moments is not known: everything rests as if it had been asked then.
	Killed   bool
	KilledAt time.Duration
}

// Scheduler knows the queues that may be asked, and says which is. It is not safe for concurrent use.
type Scheduler struct {
	cfg    Config
	queues map[uint64]*queue // in memory
	horizons
	waking heap[*queue] // those that wait or rest, by when they may be asked
	ready  heap[*queue] // those that may be, by their class
	made   [numStates][numStates]int64
	began  [numStates]int64

	addrs   map[netip.Addr]*address // as far as they matter
	lines   heap[*address]          // those for which queues wait, and that are not full
	process map[crawl.ID]inProcess
	// reserved are URIs that the commit under way takes out of their queues.
	reserved map[crawl.ID]bool
	leaves   []Leave
	loads    int    // under way
	turns    uint32 // counts the queues that came to be ready
	round    rounds
	killed   bool
	killedAt time.Duration
	// ahead is how far the wall's clock was set back since the last run: by so much sooner snoozed
	// queues come back.
	ahead time.Duration
	back  []*queue // of the commit being applied
}

// inProcess is the queue of a URI in process.
type inProcess struct {
	q     *queue
	alone bool // the URI is a prerequisite of the others
}

// New returns a scheduler that knows no queue.
func New(c Config) *Scheduler {
	return &Scheduler{cfg: c, queues: map[uint64]*queue{}, addrs: map[netip.Addr]*address{},
		process: map[crawl.ID]inProcess{}, reserved: map[crawl.ID]bool{},
		horizons: horizons{line: schema.Place{Kind: schema.Line}, awake: schema.Place{Kind: schema.Snoozed}},
		waking:   heap[*queue]{less: wakesBefore, index: queueIndex},
		ready:    heap[*queue]{less: goesBefore, index: queueIndex},
		lines:    heap[*address]{less: asksBefore, index: func(a *address) *int32 { return &a.heap }},
		round:    rounds{most: c.Rounds, urls: c.RoundURLs, are: c.AreRounds}}
}

// Start tells what is on disk when the run begins.
func (s *Scheduler) Start(b Began) {
	s.began[Inactive], s.began[Snoozed], s.began[Retired] = b.Inactive, b.Snoozed, b.Retired
	s.made[Retired][Inactive], s.made[Retired][Snoozed] = b.RevivedInLine, b.RevivedSnoozed
	s.inLine, s.snoozed = b.Inactive+b.RevivedInLine, b.Snoozed+b.RevivedSnoozed
	s.behind = s.inLine > 0
	s.round.now, s.round.used = b.Round, b.RoundUsed
	s.killed, s.killedAt, s.resume = b.Killed, b.KilledAt, b.Resume
	if b.Last > 0 {
		s.ahead = max(time.UnixMilli(int64(b.Last)).Sub(s.cfg.OpenedAt)-s.cfg.LongestRest, 0)
	}
}

// Decision is what [Scheduler.Pick] says.
type Decision struct {
	Do    Do
	Offer Offer
	Load  Load
	// Wait is how long nothing can be offered, as far as is known; negative: until something changes.
	Wait time.Duration
}

// Do is what to do.
type Do uint8

// What to do.
const (
	Sleep   Do = iota // until Wait is over or something changes
	Hand              // the URI of Offer to a ToeThread: it is in process now
	Read              // what Load says, then call Loaded or Failed and tell all who sleep if it says so
	Nothing           // the crawl is over
)

// Offer is a URI that is in process now.
type Offer struct {
	Queue uint64
	Entry
}

// Pick decides what is to be done now. quiet says that nothing is under way elsewhere that could bring
// URIs.
func (s *Scheduler) Pick(now time.Duration, quiet bool) Decision {
	for {
		if l, ok := s.loadSnoozed(now); ok {
			return Decision{Do: Read, Load: l}
		}
		d := Decision{Wait: -1}
		full := s.roundFull()
		if !full {
			if s.pick(&d, now) {
				return d
			}
		}
		quiet := quiet && len(s.process) == 0 && s.loads == 0 && len(s.leaves) == 0
		if d.Wait < 0 && quiet && s.nextRound() {
			continue
		}
		if rest := s.untilResume(now); rest >= 0 && (d.Wait < 0 || rest < d.Wait) && !full {
			d.Wait = rest
		}
		if d.Wait < 0 && quiet {
			d.Do = Nothing
		}
		return d
	}
}

// pick decides what is to be done in this round; false: nothing before d.Wait is over.
func (s *Scheduler) pick(d *Decision, now time.Duration) bool {
	for {
		if len(s.lines.items) > 0 && s.lines.top().next <= now {
			if s.turn(s.lines.top(), d, now) {
				return true
			}
			continue
		}
		s.wake(now)
		var q *queue
		if len(s.ready.items) > 0 {
			if first := s.ready.top(); s.round.of(first.class) {
				q = first
			}
		}
		if q == nil || s.lineGoesOn() && schema.ClassOf(s.line.At) < q.class { // a queue that was snoozed came out of their order
			if l, ok := s.loadLine(); ok {
				d.Do, d.Load = Read, l
				return true
			}
			if q == nil || s.reading {
				d.Wait = s.untilNext(now, q == nil)
				return false
			}
		}
		if s.take(q, d, now) {
			return true
		}
	}
}

// untilNext is how long until a queue in memory may be asked; negative: none waits for a time.
func (s *Scheduler) untilNext(now time.Duration, known bool) time.Duration {
	wait := time.Duration(-1)
	if !known { // that places are being read is what matters
		return wait
	}
	if len(s.lines.items) > 0 {
		wait = s.lines.top().next - now
	}
	if len(s.waking.items) > 0 {
		if rest := s.waking.top().dueAt() - now; wait < 0 || rest < wait {
			wait = rest
		}
	}
	return wait
}

// take decides what is to be done with a queue that may be asked: something is read, a URI of it is offered, or
// (false) it is not its turn after all.
func (s *Scheduler) take(q *queue, d *Decision, now time.Duration) bool {
	if q.till > 0 && q.till <= now { // the first of those wakes that were passed over
		q.forgetList()
	}
	i := s.free(q)
	switch {
	case !q.read:
		d.Load = s.load(q, QueueRow)
	case i == len(q.next):
		d.Load = s.load(q, QueueURIs)
	case q.head == nil || q.head.ID != q.next[i].ID:
		d.Load = s.load(q, FirstURI)
	default:
		if !s.offer(q, q.next[i], &d.Offer, now) {
			return false
		}
		d.Do = Hand
		return true
	}
	d.Do = Read
	return true
}

// offer offers a URI, unless its queue must wait or leave.
func (s *Scheduler) offer(q *queue, e Entry, o *Offer, now time.Duration) bool {
	h := q.head
	if h.Retire != 0 {
		if q.busy > 0 { // what is in process may change it
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
	a, ok := s.mayAsk(q, now)
	if !ok {
		return false
	}
	s.unheap(q)
	s.process[e.ID] = inProcess{q, h.Prereq}
	q.busy++
	q.turn, q.head, q.alone = false, nil, q.alone || h.Prereq
	q.gap = now + max(s.cfg.MinDelay, h.CrawlDelay)
	if a != nil {
		if q.address == nil {
			q.address = a
			a.busy++
		}
		a.next = max(a.next, now+s.cfg.AddressDelay)
		s.place(a, now)
	}
	s.settle(q, now, true)
	*o = Offer{q.hash, e}
	return true
}
