package sched

import (
	"cmp"
	"net/netip"
	"slices"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// Key is a place in a queue: the precedence of a URI and when it was queued.
type Key struct {
	Prec uint8 // lower goes first
	Seq  uint64
}

// Before reports whether the place is nearer to the head than another.
func (k Key) Before(o Key) bool {
	return cmp.Or(cmp.Compare(k.Prec, o.Prec), cmp.Compare(k.Seq, o.Seq)) < 0
}

// After is the next place.
func (k Key) After() Key { return Key{k.Prec, k.Seq + 1} }

// Entry is a URI in a queue.
type Entry struct {
	Seq  uint64
	ID   crawl.ID
	Prec uint8
	Ill  bool // its origin failed and has not recovered: it goes alone
	Once bool // is tried once: its origin was silent
}

// Key is where it stands.
func (e Entry) Key() Key { return Key{e.Prec, e.Seq} }

// Head is what must be known of a URI to offer it.
type Head struct {
	ID     crawl.ID
	Prereq bool // others of the queue need it: it goes alone
	// Retire is why its queue must be retired instead, as rows have it; 0: it need not.
	Retire schema.Retirement
	// CrawlDelay is what robots.txt of its origin asks for, as far as it is obeyed.
	CrawlDelay time.Duration
	// Addr is the IP address that it asks, the zero Addr when that is not known or has no limits.
	Addr netip.Addr
	// AddrRests is until when that address is not asked, as rows have it.
	AddrRests time.Duration
}

// Row is what the scheduler keeps of the row of a queue.
type Row struct {
	Class    schema.Class // of its place in line, whatever its kind of place
	Waiting  uint64       // URIs in it, those in process included
	Requests uint64       // since the last general pause of its address
	Backoff  uint8        // failures that it backs off for
	Ill      bool         // some of its origins failed and have not recovered
	Wake     time.Time    // it is not asked before
	Until    time.Time    // all that waits in it rests until then; zero: not known to
}

// queue is a queue in memory.
type queue struct {
	hash uint64
	at   uint64 // number of its place
	// wake is the end of its delay; gap that of the delay after an offer, while a URI is in
	// process; till is when the first of the URIs may be offered that were passed over because their
	// origin rests, 0: none was.
	wake, gap, till time.Duration
	// next are the first URIs of it, read together; empty: not known. No URI stands before from: what was
	// taken off its head leaves tombstones that need not be walked again.
	next    []Entry
	fromSeq uint64
	head    *Head    // of the first of next that may be offered; nil: not loaded
	since   *since   // what commits changed while it is being loaded; nil: nothing
	address *address // that it waits for (state Address), or asks (while a URI is in process)

	turnedUp uint32       // when it came to those that are ready
	heap     int32        // index in its heap, -1 when it is in none
	class    schema.Class // who goes first of those that are ready
	requests uint32
	version  uint16       // counts the commits that changed it
	loads    uint16       // counts what was asked to be loaded of it
	kind     schema.Table // of its place
	state    State
	busy     uint8 // URIs in process
	waiting  uint8 // URIs in it, as far as that matters
	backoff  uint8
	fromPrec uint8
	read     bool // its row was
	failed   bool // wake is the end of a rest after a failure, not of a delay
	rest     bool // all that waits in it rests until till
	ill      bool
	alone    bool // a prerequisite is in process: the others need it
	turn     bool // it is its turn at its address, once it is loaded
}

// dueAt is when the queue may be asked.
func (q *queue) dueAt() time.Duration {
	at := q.wake
	if q.rest {
		at = max(at, q.till)
	}
	if q.busy > 0 {
		at = max(at, q.gap)
	}
	return at
}

func (q *queue) place() schema.Place { return schema.Place{Kind: q.kind, At: q.at, Host: q.hash} }

// setRow takes over a row; its times are the caller's matter.
func (q *queue) setRow(r *Row, at schema.Place) {
	q.kind, q.at = at.Kind, at.At
	q.waiting, q.backoff, q.ill = uint8(min(r.Waiting, 255)), r.Backoff, r.Ill
	q.requests = uint32(min(r.Requests, 1<<31))
	if at.Kind != 0 {
		q.class = r.Class
	}
	q.read = true
}

// forgetList forgets what was read of the URIs.
func (q *queue) forgetList() {
	q.next, q.head, q.fromPrec, q.fromSeq, q.till, q.rest = nil, nil, 0, 0, 0, false
}

// since is what commits changed in a queue while it is being loaded.
type since struct {
	put    Key
	isPut  bool
	taken  []Key
	again  bool // origins changed: nothing that was read counts
	vainly bool // what was read before was all behind put
}

func (n *since) note(c *Change) {
	if c.IsPut && (!n.isPut || c.Put.Before(n.put)) {
		n.put, n.isPut = c.Put, true
	}
	n.taken = append(n.taken, c.Taken...)
	n.again = n.again || c.Origins
}

// update brings the list of the first URIs up to date with a commit.
func (q *queue) update(c *Change) {
	q.version++
	if loading.has(q.state) {
		if q.since == nil {
			q.since = &since{}
		}
		q.since.note(c)
	}
	if c.Origins {
		q.forgetList()
		return
	}
	for _, k := range c.Taken {
		q.remove(k)
	}
	if c.IsPut {
		q.rest = false
		q.cut(c.Put)
	}
}

// cut makes room in the list for a URI that stands at k now, whatever its id.
func (q *queue) cut(k Key) {
	if k.Before(Key{q.fromPrec, q.fromSeq}) {
		q.fromPrec, q.fromSeq = k.Prec, k.Seq
	}
	if n := len(q.next); n > 0 && k.Before(q.next[n-1].Key()) {
		i, _ := slices.BinarySearchFunc(q.next, k, func(e Entry, k Key) int {
			if e.Key().Before(k) {
				return -1
			}
			return 1
		})
		q.next = q.next[:i]
	}
}

func (q *queue) remove(k Key) {
	if i := slices.IndexFunc(q.next, func(e Entry) bool { return e.Key() == k }); i == 0 {
		q.next = q.next[1:]
	} else if i > 0 {
		q.next = slices.Delete(q.next, i, i+1)
	}
}

// free returns the index in next of the first URI that may be offered: neither in process nor being
// evicted, and not of an origin that is ill while another URI is in process.
func (s *Scheduler) free(q *queue) int {
	for i, e := range q.next {
		if _, busy := s.process[e.ID]; busy || s.reserved[e.ID] || e.Ill && q.busy > 0 {
			continue
		}
		return i
	}
	return len(q.next)
}

// maySpare reports whether a queue with URIs in process may be asked for another: it has one, its
// server answers well, and none of those in process is what the others wait for. What is in process counts
// as asked for when the next general pause is due.
func (s *Scheduler) maySpare(q *queue) bool {
	return int(q.busy) < s.cfg.Connections && q.busy < q.waiting && !q.alone && q.backoff == 0 &&
		(s.cfg.PauseAfter == 0 || int(q.requests)+int(q.busy) < s.cfg.PauseAfter)
}
