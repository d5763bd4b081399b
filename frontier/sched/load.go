package sched

import (
	"slices"
	"time"

	"exclave/frontier/schema"
)

// LoadKind is what is to be read.
type LoadKind uint8

// What a Load reads.
const (
	Places    LoadKind = iota // places of queues
	QueueRow                  // of a queue
	QueueURIs                 // the first URIs of a queue
	FirstURI                  // what must be known of a URI to offer it
)

// Load is something to read before anything can be offered. Commits go on while it is read: the scheduler notes
// what they change and decides in [Scheduler.Loaded] which of the rows are current.
type Load struct {
	Kind LoadKind
	// Places: at most Most, behind After, with numbers below Until (0: any).
	After schema.Place
	Until uint64
	Most  int
	// QueueRow, QueueURIs, FirstURI: of this queue.
	Queue uint64
	// QueueURIs: at most Most, from From on. Failing: some of its origins may back off; their URIs are skipped.
	From    Key
	Failing bool
	First   Entry // FirstURI

	q    *queue
	load uint16
}

// Rows are what was read.
type Rows struct {
	// Places in order. More: there are others behind them, the first of them with the number Next.
	Places []schema.Place
	More   bool
	Next   uint64
	Row    Row // QueueRow
	// QueueURIs: no URI before From may be offered; SkippedUntil is when the first of those skipped may be
	// offered, 0: none was skipped.
	From         Key
	URIs         []Entry
	SkippedUntil time.Duration
	Head         Head // FirstURI
}

// load asks to read something of a queue.
func (s *Scheduler) load(q *queue, what LoadKind) Load {
	if q.inProcess > 0 {
		s.move(q, InProcessLoading)
	} else {
		s.move(q, Loading)
	}
	s.loads++
	q.loads++
	return s.next(q, what)
}

func (s *Scheduler) next(q *queue, what LoadKind) Load {
	l := Load{Kind: what, Queue: q.hash, Failing: q.failing, q: q, load: q.loads}
	switch what {
	case QueueURIs:
		l.From, l.Most = Key{q.fromPrec, q.fromSeq}, s.cfg.ReadAhead
	case FirstURI:
		l.First = q.next[s.firstAvailable(q)]
	}
	return l
}

// Loaded accepts what was read. more says that next must be read too; tell, that all sleepers must call Pick
// again.
func (s *Scheduler) Loaded(l Load, r *Rows, now time.Duration) (next Load, more, tell bool) {
	if l.Kind == Places {
		s.loads--
		s.placesLoaded(l, r, now)
		return Load{}, false, true
	}
	q := l.q
	if !s.isCurrent(l) { // a commit moved the queue meanwhile
		s.loads--
		return Load{}, false, s.nothingInFlight()
	}
	again := s.acceptRows(q, l, r, now)
	what, more := s.missing(q, l, again, now)
	if more {
		return s.next(q, what), true, false
	}
	s.loads--
	if what != noneAvailable {
		s.settle(q, now, true)
	} else {
		s.settleUnavailable(q, now)
	}
	return Load{}, false, s.nothingInFlight() || q.state != Ready && q.state != InProcessReady
}

// nothingInFlight reports whether nothing is in process or being read, so that the round or the crawl may be over.
func (s *Scheduler) nothingInFlight() bool { return s.loads == 0 && len(s.inProcess) == 0 }

// Failed ends a load that could not be read.
func (s *Scheduler) Failed(l Load, now time.Duration) {
	s.loads--
	switch {
	case l.Kind == Places:
		s.reading, s.changed = false, nil
	case s.isCurrent(l):
		s.settle(l.q, now, true)
	}
}

// isCurrent reports whether a queue is still being loaded, by this load.
func (s *Scheduler) isCurrent(l Load) bool {
	return s.queues[l.Queue] == l.q && loading.has(l.q.state) && l.q.loads == l.load
}

// acceptRows keeps what was read of a queue, as far as it is current; again: it must be read once more.
func (s *Scheduler) acceptRows(q *queue, l Load, r *Rows, now time.Duration) (again bool) {
	switch l.Kind {
	case QueueRow:
		if !q.rowLoaded { // else a commit has published it
			s.restore(q, &r.Row, q.place(), now)
		}
	case QueueURIs:
		return !q.acceptURIs(r)
	case FirstURI:
		if i := s.firstAvailable(q); i < len(q.next) && q.next[i].ID == r.Head.ID {
			h := r.Head
			q.head = &h
		}
	}
	return false
}

// noneAvailable says that a queue was read and has no URI to offer.
const noneAvailable LoadKind = 255

// missing says what else must be read of a queue to offer its first URI.
func (s *Scheduler) missing(q *queue, l Load, again bool, now time.Duration) (what LoadKind, more bool) {
	if l.Kind == FirstURI || !s.willBeReady(q, now) {
		return 0, false
	}
	switch {
	case s.firstAvailable(q) < len(q.next):
		return FirstURI, true
	case l.Kind == QueueURIs && !again:
		return noneAvailable, false
	}
	return QueueURIs, true
}

// willBeReady reports whether a queue that is being loaded is ready afterwards.
func (s *Scheduler) willBeReady(q *queue, now time.Duration) bool {
	to := s.target(q, now, true)
	return to == Ready || to == InProcessReady
}

// acceptURIs keeps the first URIs of a queue, without those that commits removed, or put others before, since
// reading began; false: it must be read again. When every one of them lies behind a URI that was added, the queue
// is read again once only: commits faster than the disk would keep it from being dispatched for ever. The second
// time the first URI read is offered, although a better one was added meanwhile.
func (q *queue) acceptURIs(r *Rows) bool {
	n := q.changes
	q.fromPrec, q.fromSeq = r.From.Prec, r.From.Seq
	q.next, q.head = r.URIs, nil
	if r.SkippedUntil > 0 && (q.skippedUntil == 0 || r.SkippedUntil < q.skippedUntil) {
		q.skippedUntil = r.SkippedUntil
	}
	if n == nil {
		return true
	}
	if n.reread {
		q.clearURIs()
		q.changes = nil
		return false
	}
	for _, k := range n.taken {
		q.remove(k)
	}
	if !n.isPut {
		q.changes = nil
		return true
	}
	first := slices.Clone(q.next[:min(len(q.next), 1)])
	q.truncateAt(n.put)
	if len(q.next) > 0 {
		q.changes = nil
		return true
	}
	if n.retried && len(first) > 0 {
		q.next, q.changes = first, nil
		return true
	}
	q.changes = &changesSince{retried: true}
	return false
}

// settleUnavailable moves a queue that has no URI to offer now.
func (s *Scheduler) settleUnavailable(q *queue, now time.Duration) {
	switch {
	case q.skippedUntil > 0:
		q.backsOff = true
		if left := q.skippedUntil - now; q.inProcess == 0 && left > s.cfg.ResidentSnooze {
			s.leave(q, Leave{Queue: q.hash, Until: s.wall(q.skippedUntil), BacksOff: true})
			return
		}
		s.settle(q, now, true)
	case q.inProcess > 0: // settled when one of them is handed back
		s.move(q, InProcess)
	default: // its row counts pending URIs, but none is left, or a commit is removing them
		s.move(q, evictedState(q.place()))
	}
}

// restore gives a queue read from disk its row, and snoozes it for what is left of its wake time.
func (s *Scheduler) restore(q *queue, r *Row, at schema.Place, now time.Duration) {
	snoozed := q.kind == schema.Snoozed
	q.setRow(r, at)
	q.failed = r.Backoff > 0
	wake, until := r.Wake, r.Until
	if snoozed { // it was loaded because its wake time has come
		wake, until = time.Time{}, time.Time{}
	}
	q.wake = s.WakeAt(wake, now)
	s.backOffUntil(q, until, now)
}
