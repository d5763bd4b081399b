package sched

import (
	"slices"
	"time"

	"exclave/frontier/schema"
)

// What is to be read.
type What uint8

// What can be read.
const (
	Places    What = iota // of queues
	QueueRow              // of a queue
	QueueURIs             // the first URIs of a queue
	FirstURI              // what it takes to offer a URI
)

// Load is something that must be read before anything can be offered. While it is, commits go on: the scheduler
// notes what they change and decides in [Scheduler.Loaded] what of it is current.
type Load struct {
	What What
	// Places: at most Most behind After, with a number below Until (0: any).
	After schema.Place
	Until uint64
	Most  int
	// QueueRow, QueueURIs, FirstURI: of this queue.
	Queue uint64
	// QueueURIs: at most Most from From on; Ill: some of its origins may rest, whose URIs are passed over.
	From  Key
	Ill   bool
	First Entry // FirstURI

	q    *queue
	load uint16
}

// Rows are what was read.
type Rows struct {
	// Places in their order. More: there are others behind them; Next is the number of the first of these.
	Places []schema.Place
	More   bool
	Next   uint64
	Row    Row // QueueRow
	// QueueURIs: nothing that may be asked for stands before From; Till is when the first of those wakes
	// that were passed over, 0: none was.
	From Key
	URIs []Entry
	Till time.Duration
	Head Head // FirstURI
}

// load asks for something of a queue.
func (s *Scheduler) load(q *queue, what What) Load {
	if q.busy > 0 {
		s.move(q, InProcessLoading)
	} else {
		s.move(q, Loading)
	}
	s.loads++
	q.loads++
	return s.next(q, what)
}

func (s *Scheduler) next(q *queue, what What) Load {
	l := Load{What: what, Queue: q.hash, Ill: q.ill, q: q, load: q.loads}
	switch what {
	case QueueURIs:
		l.From, l.Most = Key{q.fromPrec, q.fromSeq}, s.cfg.ReadAhead
	case FirstURI:
		l.First = q.next[s.free(q)]
	}
	return l
}

// Loaded takes over what was read, and says what else must be read, if more. tell says that those who sleep must
// look again.
func (s *Scheduler) Loaded(l Load, r *Rows, now time.Duration) (next Load, more, tell bool) {
	if l.What == Places {
		s.loads--
		s.placesLoaded(l, r)
		return Load{}, false, true
	}
	q := l.q
	if !s.awaits(l) { // a commit took it elsewhere
		s.loads--
		return Load{}, false, s.nothingUnderWay()
	}
	again := s.takeOver(q, l, r, now)
	what, more := s.lacks(q, l, again, now)
	if more {
		return s.next(q, what), true, false
	}
	s.loads--
	if what != nothingFree {
		s.settle(q, now, true)
	} else {
		s.noneFree(q, now)
	}
	return Load{}, false, s.nothingUnderWay() || q.state != Ready && q.state != InProcessReady
}

// nothingUnderWay reports whether those who sleep may find that the round, or the crawl, is over.
func (s *Scheduler) nothingUnderWay() bool { return s.loads == 0 && len(s.process) == 0 }

// Failed says that something could not be read.
func (s *Scheduler) Failed(l Load, now time.Duration) {
	s.loads--
	switch {
	case l.What == Places:
		s.reading, s.touched = false, nil
	case s.awaits(l):
		s.settle(l.q, now, true)
	}
}

// awaits reports whether a queue is being loaded, by this load.
func (s *Scheduler) awaits(l Load) bool {
	return s.queues[l.Queue] == l.q && loading.has(l.q.state) && l.q.loads == l.load
}

// takeOver notes what was read of a queue, as far as it is current; again: none of it is.
func (s *Scheduler) takeOver(q *queue, l Load, r *Rows, now time.Duration) (again bool) {
	switch l.What {
	case QueueRow:
		if !q.read { // else a commit told it
			s.restore(q, &r.Row, q.place(), now)
		}
	case QueueURIs:
		return !q.setList(r)
	case FirstURI:
		if i := s.free(q); i < len(q.next) && q.next[i].ID == r.Head.ID {
			h := r.Head
			q.head = &h
		}
	}
	return false
}

// nothingFree is what lacks when a queue was read that has no URI to be offered.
const nothingFree What = 255

// lacks says what else must be read of a queue to offer its first URI.
func (s *Scheduler) lacks(q *queue, l Load, again bool, now time.Duration) (what What, more bool) {
	if l.What == FirstURI || !s.mayBeAsked(q, now) {
		return 0, false
	}
	switch {
	case s.free(q) < len(q.next):
		return FirstURI, true
	case l.What == QueueURIs && !again:
		return nothingFree, false
	}
	return QueueURIs, true
}

// mayBeAsked reports whether a queue that is being loaded may be asked when it is.
func (s *Scheduler) mayBeAsked(q *queue, now time.Duration) bool {
	to := s.target(q, now, true)
	return to == Ready || to == InProcessReady
}

// setList takes over the first URIs of a queue, but for what commits took out or put before them since reading
// began; false: it must be read again. When all of it lies behind what was put in, that happens once: were it
// always so, commits faster than the disk would keep the queue from its turn for ever. Then the first is offered
// though a better one came while it was being read.
func (q *queue) setList(r *Rows) bool {
	n := q.since
	q.fromPrec, q.fromSeq = r.From.Prec, r.From.Seq
	q.next, q.head = r.URIs, nil
	if r.Till > 0 && (q.till == 0 || r.Till < q.till) {
		q.till = r.Till
	}
	if n == nil {
		return true
	}
	if n.again {
		q.forgetList()
		q.since = nil
		return false
	}
	for _, k := range n.taken {
		q.remove(k)
	}
	if !n.isPut {
		q.since = nil
		return true
	}
	first := slices.Clone(q.next[:min(len(q.next), 1)])
	q.cut(n.put)
	if len(q.next) > 0 {
		q.since = nil
		return true
	}
	if n.vainly && len(first) > 0 {
		q.next, q.since = first, nil
		return true
	}
	q.since = &since{vainly: true}
	return false
}

// noneFree moves a queue none of whose URIs may be offered now.
func (s *Scheduler) noneFree(q *queue, now time.Duration) {
	switch {
	case q.till > 0:
		q.rest = true
		if rest := q.till - now; q.busy == 0 && rest > s.cfg.LongRest {
			s.leave(q, Leave{Queue: q.hash, Until: s.wall(q.till), Rests: true})
			return
		}
		s.settle(q, now, true)
	case q.busy > 0: // settled when one of them comes back
		s.move(q, InProcess)
	default: // its row says URIs wait, its queue is empty or about to be
		s.move(q, standing(q.place()))
	}
}

// restore gives a queue that came from disk its row, and the rest that is left of what it says.
func (s *Scheduler) restore(q *queue, r *Row, at schema.Place, now time.Duration) {
	snoozed := q.kind == schema.Snoozed
	q.setRow(r, at)
	q.failed = r.Backoff > 0
	wake, until := r.Wake, r.Until
	if snoozed { // it was taken into memory because its time has come
		wake, until = time.Time{}, time.Time{}
	}
	q.wake = s.WakeAt(wake, now)
	s.restUntil(q, until, now)
}
