package frontier

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"slices"
	"time"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// host is a host with URIs waiting, in memory. It is guarded by Frontier.mu.
type host struct {
	hash  uint64
	row   schema.Host   // without a name: not read yet
	place schema.Place  // on disk
	class schema.Class  // who goes first of those that may be asked
	due   bool          // the heap it is in is that of those that may be asked
	wake  time.Duration // on the monotonic clock
	busy  int           // of its URIs are in process
	// gap is when the next may be offered while others are in process, on the monotonic
	// clock.
	gap time.Duration
	// alone is a prerequisite in process: the others need it.
	alone crawl.ID
	// resting says that wake is a rest after a failed attempt, not the delay of
	// politeness.
	resting bool
	heap    int  // index in the heap, -1 when not in it
	off     bool // was put off; the committer has not seen to it yet
	// waits is the address it waits for, asks the one that it asks while it is busy.
	waits, asks *address
	// low is a key that no URI of the queue lies below: what was taken off its head
	// leaves tombstones that need not be walked again. Nil: not known.
	low []byte
	// next are the first URIs of the queue, read together; empty: not known.
	next     []queued
	prepared bool // what offering the first takes was read
	reading  bool // something of it is being read
	vain     bool // what was read last was old by then
	// till is when the first of the URIs may be asked for that were passed over because their
	// origin rests, on the monotonic clock, 0: none was. none says that there is no other.
	till    time.Duration
	none    bool
	version uint64 // counts the commits that changed it
}

// queued is a place in a queue and who stands there.
type queued struct {
	prec uint8
	seq  uint64
	id   crawl.ID
	ill  bool // its origin failed and has not recovered
	once bool // is tried once: its origin was silent
}

func (q queued) key(host uint64) []byte { return schema.QueueKey(host, q.prec, q.seq) }

// changed brings what is known of the queue up to date with a commit: low is the
// least key it put in, gone the key it took out, each nil for none; turned says that an origin of
// it failed or answered.
func (h *host) changed(low, gone []byte, turned bool) {
	h.version++
	h.prepared = false
	if turned {
		h.anew()
		return
	}
	if gone != nil && len(h.next) > 0 {
		i := slices.IndexFunc(h.next, func(q queued) bool { return bytes.Equal(q.key(h.hash), gone) })
		switch {
		case i == 0:
			h.next = h.next[1:]
		case i > 0:
			h.next = slices.Delete(h.next, i, i+1)
		default:
			h.next = nil
		}
	}
	if low == nil {
		return
	}
	h.none = false
	if h.low != nil && bytes.Compare(low, h.low) < 0 {
		h.low, h.next = low, nil
	}
	if n := len(h.next); n > 0 && bytes.Compare(low, h.next[n-1].key(h.hash)) < 0 {
		h.next = nil
	}
}

// at is when the host may be asked, on the monotonic clock.
func (h *host) at() time.Duration {
	at := h.wake
	if h.none {
		at = max(at, h.till)
	}
	if h.busy > 0 {
		at = max(at, h.gap)
	}
	return at
}

// hostHeap orders resting hosts by when they may be asked again.
type hostHeap []*host

func (h hostHeap) Len() int           { return len(h) }
func (h hostHeap) Less(i, j int) bool { return h[i].at() < h[j].at() }
func (h hostHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].heap, h[j].heap = i, j
}

// Push implements [heap.Interface].
func (h *hostHeap) Push(x any) {
	n := x.(*host)
	n.heap = len(*h)
	*h = append(*h, n)
}

// Pop implements [heap.Interface].
func (h *hostHeap) Pop() any {
	old := *h
	n := old[len(old)-1]
	*h, n.heap = old[:len(old)-1], -1
	return n
}

func (h *hostHeap) push(n *host) {
	if n.heap < 0 {
		n.due = false
		heap.Push(h, n)
	}
}

// dueHeap orders hosts that may be asked now by their class, then by who woke first.
type dueHeap struct{ hostHeap }

func (h dueHeap) Less(i, j int) bool {
	a, b := h.hostHeap[i], h.hostHeap[j]
	return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.at(), b.at())) < 0
}

// Next implements the frontier of package chain: it blocks until a host may be
// asked, and offers the head of its queue. Nothing is written: a URI leaves its
// queue when Finished says so, so a crash offers it again.
func (f *Frontier) Next(ctx context.Context) (*crawl.CrawlURI, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		if f.err != nil {
			return nil, f.err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		h, a, wait, err := f.first()
		if err != nil {
			return nil, fmt.Errorf("frontier: read the hosts that wait: %w", err)
		}
		if h != nil || a != nil {
			if u, err := f.take(h, a); u != nil || err != nil {
				return u, err
			}
			continue
		}
		if wait < 0 && f.quiet() && f.nextRound() {
			continue
		}
		if rest := f.untilResume(); rest >= 0 && (wait < 0 || rest < wait) && !f.roundFull() {
			wait = rest
		}
		if wait < 0 && f.quiet() {
			return nil, crawl.ErrDone
		}
		changed := f.wakeup
		_ = f.unlocked(func() error { f.sleep(ctx, changed, wait); return nil })
	}
}

// quiet reports whether nothing is under way that could bring URIs. f.mu is held.
func (f *Frontier) quiet() bool {
	return len(f.process) == 0 && f.reading == 0 && len(f.off) == 0 && f.pending == 0 && f.works == 0 && f.holds == 0
}

// first returns the host, or the address for which hosts wait, that may be asked now,
// or how long until one in memory may; a negative time says that none waits there. f.mu is held.
func (f *Frontier) first() (h *host, a *address, wait time.Duration, err error) {
	if err := f.wake(); err != nil {
		return nil, nil, 0, err
	}
	if f.roundFull() {
		return nil, nil, -1, nil
	}
	for {
		h, a, wait = f.firstInMemory()
		if a != nil || h != nil && !f.betterInLine(h) {
			return h, a, 0, nil
		}
		loaded, err := f.refill()
		if err != nil {
			return nil, nil, 0, err
		}
		if !loaded && h != nil {
			return h, nil, 0, nil
		}
		if !loaded {
			return nil, nil, wait, nil
		}
	}
}

func (f *Frontier) firstInMemory() (h *host, a *address, wait time.Duration) {
	now := f.o.Clock.Mono()
	wait = -1
	if len(f.resting) > 0 {
		if wait = f.resting[0].next - now; wait <= 0 {
			return nil, f.resting[0], 0
		}
	}
	for len(f.ready) > 0 && f.ready[0].at() <= now {
		h := f.ready[0]
		heap.Pop(&f.ready)
		h.due = true
		heap.Push(&f.due, h)
	}
	if len(f.due.hostHeap) > 0 {
		if h := f.due.hostHeap[0]; !f.order.HasRounds() || h.class.Round() <= f.st.Round {
			return h, nil, 0
		}
	}
	if len(f.ready) > 0 {
		if rest := f.ready[0].at() - now; wait < 0 || rest < wait {
			wait = rest
		}
	}
	return nil, nil, wait
}

// take offers the head of a host's queue, or of the first host that waits for an
// address. A host whose address may not be asked yet waits for it. f.mu is held.
func (f *Frontier) take(h *host, a *address) (*crawl.CrawlURI, error) {
	if a != nil {
		h, a.waiting = a.waiting[0], a.waiting[1:]
		if h.waits != a { // is no longer in memory
			f.place(a)
			return nil, nil
		}
		h.waits = nil
	} else if !h.prepared || h.till > 0 && h.till <= f.o.Clock.Mono() {
		if err := f.prepare(h); err != nil {
			return nil, fmt.Errorf("frontier: next: %w", err)
		}
		return nil, nil // its turn may not have come, or may be another's now
	} else if a = h.asks; a != nil {
		f.unready(h)
		switch {
		case len(a.waiting) > 0: // they come first: it goes on when it asks nothing
			return nil, nil
		case a.next > f.o.Clock.Mono():
			h.gap = a.next
			f.ready.push(h)
			return nil, nil
		}
	} else {
		f.unready(h)
		var err error
		if a, err = f.addressOf(h); err != nil {
			return nil, fmt.Errorf("frontier: address of %s: %w", h.row.Name, err)
		}
		if a != nil && (len(a.waiting) > 0 || !f.mayAsk(a)) {
			if len(a.waiting) < f.mostWaiting() {
				f.waitFor(a, h)
			} else {
				f.putOff(a, h)
			}
			return nil, nil
		}
	}
	u, err := f.offer(h)
	if a == nil {
		return u, err
	}
	if u != nil {
		if h.asks == nil {
			h.asks = a
			a.busy++
		}
		a.next = max(a.next, f.o.Clock.Mono()+f.cfg.AddressDelay)
	}
	f.place(a)
	return u, err
}

// sleep waits for a change, the end of ctx, or a while (negative: for ever).
func (f *Frontier) sleep(ctx context.Context, changed <-chan struct{}, wait time.Duration) {
	var over <-chan time.Time
	if wait >= 0 {
		t := f.o.Clock.NewTimer(wait)
		defer t.Stop()
		over = t.C()
	}
	select {
	case <-changed:
	case <-ctx.Done():
	case <-over:
	}
}

// broadcast wakes whoever waits in Next. f.mu is held.
func (f *Frontier) broadcast() {
	close(f.wakeup)
	f.wakeup = make(chan struct{})
}

// offer takes the first URI of a host that is in no heap, of those not in process. f.mu is
// held.
func (f *Frontier) offer(h *host) (*crawl.CrawlURI, error) {
	rec, once, err := f.head(h)
	h.prepared = false
	if err == nil && rec != nil {
		rec.Via, err = f.viaOf(rec)
	}
	if err != nil {
		return nil, fmt.Errorf("frontier: next of %s: %w", h.row.Name, err)
	}
	if rec == nil && h.till > 0 {
		f.rest(h)
		return nil, nil
	}
	if rec == nil && h.busy > 0 {
		return nil, nil // settled when one of them comes back
	}
	if rec == nil { // its row says URIs wait, its queue is empty or about to be
		delete(f.hosts, h.hash)
		f.changes.step(inMemory, f.standsAt(h.hash, h.place))
		return nil, nil
	}
	why, err := f.mayNotAsk(rec)
	if err != nil {
		return nil, fmt.Errorf("frontier: next of %s: %w", h.row.Name, err)
	}
	if why != schema.NotRetired && h.busy > 0 {
		return nil, nil // what is in process may change it
	}
	if why != schema.NotRetired {
		f.sendOff(putOff{host: h, retire: why})
		return nil, nil
	}
	owed, err := f.owed(rec)
	if err != nil {
		return nil, fmt.Errorf("frontier: next of %s: %w", h.row.Name, err)
	}
	if owed > 0 {
		h.wake = f.o.Clock.Mono() + owed
		f.ready.push(h)
		return nil, nil
	}
	h.busy++
	f.process[rec.ID] = h
	if f.cfg.ConnectionsPerHost > 1 {
		if err := f.further(h, rec); err != nil {
			return nil, err
		}
	}
	return rules.OfferOf(rec, rec.Attempts+1 >= f.attempts(rec, once)), nil
}

// attempts is how often a URI is tried; once says that its origin does not answer.
func (f *Frontier) attempts(r *schema.Record, once bool) int {
	switch {
	case crawl.IsDNS(r.Key):
		return f.cfg.DNSRetries
	case once:
		return 1 // the others need not find it out one by one
	case crawl.IsRobots(r.Key):
		return f.cfg.RobotsRetries
	}
	return f.cfg.MaxRetries
}

// read returns a record, an error when there is none.
func (f *Frontier) read(r store.Reader, id crawl.ID) (*schema.Record, error) {
	v, err := get(r, schema.URIKey(id))
	if err != nil {
		return nil, fmt.Errorf("record %v: %w", id, err)
	}
	if v == nil {
		return nil, fmt.Errorf("record %v is missing", id)
	}
	return f.decode(id, v)
}

func (f *Frontier) decode(id crawl.ID, v []byte) (*schema.Record, error) {
	rec, err := schema.DecodeRecord(id, v, f.name)
	if err != nil {
		return nil, fmt.Errorf("record %v: %w", id, err)
	}
	return rec, nil
}

// Hold keeps the crawl from ending while nothing is queued, because more is to
// come (seeds being read). The returned function ends the hold.
func (f *Frontier) Hold() (release func()) {
	f.mu.Lock()
	f.holds++
	f.mu.Unlock()
	return func() {
		f.mu.Lock()
		f.holds--
		f.broadcast()
		f.mu.Unlock()
	}
}

// Stats returns the numbers as of now.
func (f *Frontier) Stats() schema.Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stats()
}

// stats returns the numbers as of now. f.mu is held.
func (f *Frontier) stats() schema.Stats {
	s := f.st.Stats
	s.InProcess = int64(len(f.process))
	s.Queued -= s.InProcess
	return s
}

// QueueStates are how many hosts with URIs waiting are in which state.
type QueueStates struct {
	InProcess int `json:"in_process"` // one of their URIs is in process
	Ready     int `json:"ready"`      // may be asked now
	Waiting   int `json:"waiting"`    // for the delay that politeness asks for, or for their address
	Resting   int `json:"resting"`    // after a failed attempt, or because the server asked for it
	Snoozed   int `json:"snoozed"`    // of those that rest, on disk until their time comes
	Inactive  int `json:"inactive"`   // on disk, behind those in memory
	Retired   int `json:"retired"`    // a budget is spent
	// Next is how long until the first of those that wait or rest may be asked, 0
	// when none does.
	Next time.Duration `json:"next"`
	// Held says that more is to come from outside: seeds are being read.
	Held bool `json:"held"`
	// Round is the round being crawled, from 1; 0 without rounds.
	Round int `json:"round,omitempty"`
}

// Queues counts the hosts by state. It walks the hosts in memory: meant for a view
// that is renewed about once a second.
func (f *Frontier) Queues() QueueStates { return f.Census().Queues }

// queueStates counts the hosts by state. f.mu is held.
func (f *Frontier) queueStates() QueueStates {
	now := f.o.Clock.Mono()
	q := QueueStates{Held: f.holds > 0, Retired: int(f.st.Retired)}
	if f.order.HasRounds() {
		q.Round = int(f.st.Round) + 1
	}
	soon := func(wait time.Duration) {
		if wait > 0 && (q.Next == 0 || wait < q.Next) {
			q.Next = wait
		}
	}
	line, rest := 0, 0
	for _, h := range f.hosts {
		switch h.place.Kind {
		case schema.Snoozed:
			rest++
		case schema.Line:
			line++
		case schema.Retired:
			continue // counted as such, though one of its URIs may be in process
		}
		wait := h.at() - now
		if h.waits != nil {
			wait = h.waits.next - now
		}
		if h.busy == 0 {
			soon(wait)
		}
		switch {
		case h.busy > 0:
			q.InProcess++
		case h.waits != nil || h.off:
			q.Waiting++
		case wait <= 0:
			q.Ready++
		case h.resting, h.none:
			q.Resting++
		default:
			q.Waiting++
		}
	}
	soon(f.untilResume())
	q.Snoozed = int(f.st.Snoozed) - rest
	q.Resting += q.Snoozed
	q.Inactive = int(f.st.InLine) - line
	return q
}
