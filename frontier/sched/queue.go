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

// Before reports whether k is nearer to the head than o.
func (k Key) Before(o Key) bool {
	return cmp.Or(cmp.Compare(k.Prec, o.Prec), cmp.Compare(k.Seq, o.Seq)) < 0
}

// After is the next place.
func (k Key) After() Key { return Key{k.Prec, k.Seq + 1} }

// Entry is a URI in a queue.
type Entry struct {
	Seq     uint64
	ID      crawl.ID
	Prec    uint8
	Failing bool // its origin failed and has not recovered: one URI at a time
	Once    bool // it is tried once: its origin was given up
}

// Key is its place.
func (e Entry) Key() Key { return Key{e.Prec, e.Seq} }

// Head is what must be known of a URI to offer it.
type Head struct {
	ID     crawl.ID
	Prereq bool // others in the queue need it: nothing else is offered meanwhile
	// Retire is why its queue must be retired instead; 0: it need not.
	Retire schema.Retirement
	// CrawlDelay is that of robots.txt of its origin, as far as it is obeyed.
	CrawlDelay time.Duration
	// Addr is its IP address, the zero Addr when that is not known or has no limits.
	Addr netip.Addr
	// AddrPausedUntil is until when that address is paused.
	AddrPausedUntil time.Duration
}

// Row is what the scheduler needs of the row of a queue.
type Row struct {
	Class    schema.Class // its class in line, also while it is not in line
	Pending  uint64       // URIs, those in process included
	Requests uint64       // since the last general pause of its address
	Backoff  uint8        // failures that its back-off is for
	Failing  bool         // an origin of it failed and has not recovered
	Wake     time.Time    // its wake time, by its delay
	Until    time.Time    // all its origins back off until then; zero: not known
}

// queue is a resident queue.
type queue struct {
	hash uint64
	at   uint64 // number of its place
	// wake is the end of its delay; nextOffer the end of the delay after an offer, while a URI is in
	// process; skippedUntil is when the first of the URIs may be offered that were skipped because their
	// origin backs off, 0: none was.
	wake, nextOffer, skippedUntil time.Duration
	// next are its first URIs, loaded together; empty: not known. No URI is before fromPrec, fromSeq: reading
	// starts there, so as not to pass again the tombstones that removed URIs left at the head.
	next    []Entry
	fromSeq uint64
	head    *Head         // of the first of next that may be offered; nil: not loaded
	changes *changesSince // what commits changed while it is being loaded; nil: nothing
	address *address      // that it waits for (state Address), or where a URI of it is in process

	readySeq    uint32       // orders queues of a class by when they became ready
	heap        int32        // index in its heap, -1 when it is in none
	class       schema.Class // orders queues that are ready
	requests    uint32
	version     uint16       // counts the commits that changed it
	loads       uint16       // counts the loads begun
	kind        schema.Table // of its place
	state       State
	inProcess   uint8 // URIs in process
	pending     uint8 // URIs, counted up to 255
	backoff     uint8
	fromPrec    uint8
	rowLoaded   bool // its row is loaded
	failed      bool // wake is the end of a back-off, not of a delay
	backsOff    bool // all its origins back off until skippedUntil
	failing     bool
	hasPrereq   bool // a prerequisite is in process that the others need
	addressTurn bool // it was the first that waited for its address, and is offered there when it is loaded
}

// readyAt is when the queue is ready: its wake time.
func (q *queue) readyAt() time.Duration {
	at := q.wake
	if q.backsOff {
		at = max(at, q.skippedUntil)
	}
	if q.inProcess > 0 {
		at = max(at, q.nextOffer)
	}
	return at
}

func (q *queue) place() schema.Place { return schema.Place{Kind: q.kind, At: q.at, Host: q.hash} }

// setRow copies a row, but for its times, which the caller sets.
func (q *queue) setRow(r *Row, at schema.Place) {
	q.kind, q.at = at.Kind, at.At
	q.pending, q.backoff, q.failing = uint8(min(r.Pending, 255)), r.Backoff, r.Failing
	q.requests = uint32(min(r.Requests, 1<<31))
	if at.Kind != 0 {
		q.class = r.Class
	}
	q.rowLoaded = true
}

// clearURIs discards the loaded URIs.
func (q *queue) clearURIs() {
	q.next, q.head, q.fromPrec, q.fromSeq, q.skippedUntil, q.backsOff = nil, nil, 0, 0, 0, false
}

// changesSince is what commits changed in a queue while it is being loaded.
type changesSince struct {
	put     Key
	isPut   bool
	taken   []Key
	reread  bool // origins changed: what was read is outdated
	retried bool // it was read twice because of URIs that commits added
}

func (n *changesSince) note(c *Change) {
	if c.isPut && (!n.isPut || c.put.Before(n.put)) {
		n.put, n.isPut = c.put, true
	}
	n.taken = append(n.taken, c.Taken...)
	n.reread = n.reread || c.Origins
}

// update applies a commit to the loaded URIs.
func (q *queue) update(c *Change) {
	q.version++
	if loading.has(q.state) {
		if q.changes == nil {
			q.changes = &changesSince{}
		}
		q.changes.note(c)
	}
	if c.Origins {
		q.clearURIs()
		return
	}
	for _, k := range c.Taken {
		q.remove(k)
	}
	if c.isPut {
		q.backsOff = false
		q.truncateAt(c.put)
	}
}

// truncateAt discards the loaded URIs from k on, where a URI was queued that is not loaded.
func (q *queue) truncateAt(k Key) {
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

// firstAvailable returns the index in next of the first URI that may be offered: neither in process nor reserved,
// and not of a failing origin while another URI is in process.
func (s *Scheduler) firstAvailable(q *queue) int {
	for i, e := range q.next {
		if _, busy := s.inProcess[e.ID]; busy || s.reserved[e.ID] || e.Failing && q.inProcess > 0 {
			continue
		}
		return i
	}
	return len(q.next)
}

// mayOfferAnother reports whether a queue with URIs in process may be dispatched: it has another URI, does not back
// off, and no prerequisite of the others is in process. URIs in process count as requests of the next pause.
func (s *Scheduler) mayOfferAnother(q *queue) bool {
	return int(q.inProcess) < s.cfg.Connections && q.inProcess < q.pending && !q.hasPrereq && q.backoff == 0 &&
		(s.cfg.PauseAfter == 0 || int(q.requests)+int(q.inProcess) < s.cfg.PauseAfter)
}
