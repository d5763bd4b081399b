package sched

import (
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// disk is a model of what the frontier keeps of queues for the scheduler. A commit can be read before it is
// published.
type disk struct {
	t         testing.TB
	rnd       *rand.Rand
	s         *Scheduler
	cfg       Config
	now       time.Duration
	rows      map[uint64]*diskRow
	seq       uint64
	inProcess []Offer
	pending   *Publication // a commit that is written and not published
	loads     []heldLoad
	queues    int
	waits     time.Duration     // Wait of the last Decision
	done      map[crawl.ID]bool // taken out of their queues for good
}

// diskRow is a queue on disk.
type diskRow struct {
	hash          uint64
	place         schema.Place // as the last commit left it
	published     schema.Place // as the last publication left it
	row           Row
	publishedWake time.Duration // published wake time
	snoozed       bool
	retire        schema.Retirement
	spent         bool  // the budget of its URIs' source is spent, which is noticed when one is offered
	ticket        int64 // in milliseconds
	prec          uint8
	uris          []Entry
	origins       [2]time.Duration // until when they back off, by the last bit of the URI
	until         time.Duration
	wake          time.Duration
	addr          byte
}

// heldLoad is something being read.
type heldLoad struct {
	l    Load
	rows *Rows // nil: not read yet
}

func newDisk(t testing.TB, seed uint64, change func(*Config)) *disk {
	d := &disk{t: t, rnd: rand.New(rand.NewPCG(seed, 7)), rows: map[uint64]*diskRow{}, done: map[crawl.ID]bool{}}
	d.cfg = Config{InMemory: 8, Connections: 1, MinDelay: 3 * time.Second, MaxDelay: 30 * time.Second, LongestSnooze: time.Hour, ResidentSnooze: time.Minute, ReadAhead: 16, Pause: time.Minute,
		Opened: time.Second, OpenedAt: time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC)}
	d.now, d.queues = d.cfg.Opened, []int{2, 4, 16, 40}[d.rnd.IntN(4)]
	if change != nil {
		change(&d.cfg)
	}
	d.s = New(d.cfg)
	return d
}

func (d *disk) chance(n int) bool { return d.rnd.IntN(n) == 0 }

func (d *disk) queue(hash uint64) *diskRow {
	r := d.rows[hash]
	if r == nil {
		r = &diskRow{hash: hash, addr: byte(hash % 3), place: schema.Place{Host: hash}, published: schema.Place{Host: hash}}
		d.rows[hash] = r
	}
	return r
}

// placeOf is the present place of a queue.
func (d *disk) placeOf(r *diskRow) schema.Place {
	switch {
	case len(r.uris) == 0:
		return schema.Place{Host: r.hash}
	case r.retire != 0:
		return schema.Place{Kind: schema.Retired, Host: r.hash}
	case r.snoozed:
		return schema.Place{Kind: schema.Snoozed, At: uint64(max(d.s.wall(max(r.wake, r.until)).UnixMilli(), 1)), Host: r.hash}
	}
	turn := schema.LinePosition{Round: r.row.Class.Round(), Precedence: r.prec, Ticket: time.UnixMilli(r.ticket)}
	return schema.Place{Kind: schema.Line, At: turn.Number(), Host: r.hash}
}

// changed brings the row of a queue up to date, and returns what a commit publishes of it.
func (d *disk) changed(r *diskRow, c Change) Change {
	r.row.Pending = uint64(len(r.uris))
	r.row.Wake, r.row.Until = time.Time{}, time.Time{}
	if r.wake > 0 {
		r.row.Wake = d.s.wall(r.wake)
	}
	if r.until > d.now {
		r.row.Until = d.s.wall(r.until)
	}
	r.row.Failing = r.origins[0] > d.now || r.origins[1] > d.now
	c.Queue, c.Was, c.At, c.Row = r.hash, r.place, d.placeOf(r), r.row
	r.place = c.At
	return c
}

// read reads what a load asks for, as the disk is now.
func (d *disk) read(l Load) *Rows {
	r := &Rows{}
	switch l.Kind {
	case Places:
		var all []schema.Place
		for _, q := range d.rows {
			if q.place.Kind == l.After.Kind && l.After.Before(q.place) {
				all = append(all, q.place)
			}
		}
		slices.SortFunc(all, func(a, b schema.Place) int {
			if a.Before(b) {
				return -1
			}
			return 1
		})
		n := 0
		for n < len(all) && n < l.Most && (l.Until == 0 || all[n].At < l.Until) {
			n++
		}
		r.Places = all[:n]
		if r.More = n < len(all); r.More {
			r.Next = all[n].At
		}
	case QueueRow:
		r.Row = d.rows[l.Queue].row
	case QueueURIs:
		q := d.rows[l.Queue]
		r.From = l.From
		for _, e := range q.uris {
			if e.Key().Before(l.From) {
				continue
			}
			if till := q.origins[e.ID.URI&1]; l.Failing && till > d.now {
				if r.SkippedUntil == 0 || till < r.SkippedUntil {
					r.SkippedUntil = till
				}
				if len(r.URIs) == 0 {
					r.From = e.Key().After()
				}
				continue
			}
			if len(r.URIs) == 0 {
				r.From = e.Key()
			}
			if r.URIs = append(r.URIs, e); len(r.URIs) == l.Most {
				break
			}
		}
	case FirstURI:
		q := d.rows[l.Queue]
		r.Head = Head{ID: l.First.ID, Prereq: l.First.Prec == 0}
		if d.cfg.HostsPerAddress > 0 || d.cfg.AddressDelay > 0 {
			r.Head.Addr = addrOf(q.addr)
		}
		if q.spent {
			r.Head.Retire = 1
		}
	}
	return r
}

// row of the queue of a URI in process.
func (d *disk) entry(o Offer) (*diskRow, int) {
	q := d.rows[o.Queue]
	return q, slices.IndexFunc(q.uris, func(e Entry) bool { return e.ID == o.ID })
}

func addrOf(n byte) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, n}) }

// step picks once and does what is decided; it reports whether there was anything to do.
func (d *disk) step(quiet bool) bool {
	p := d.s.Pick(d.now, quiet && d.pending == nil)
	d.waits = p.Wait
	switch p.Action {
	case Dispatch:
		d.offered(p.Offer)
	case Read:
		h := heldLoad{l: p.Load}
		if d.chance(2) {
			h.rows = d.read(h.l)
		}
		d.loads = append(d.loads, h)
		if d.chance(2) {
			d.load(len(d.loads) - 1)
		}
	case Finish:
		return false
	case Sleep:
		return false
	}
	return true
}

// load hands in something that was read.
func (d *disk) load(i int) {
	h := d.loads[i]
	d.loads = slices.Delete(d.loads, i, i+1)
	if d.chance(20) {
		d.s.Failed(h.l, d.now)
		return
	}
	if h.rows == nil {
		h.rows = d.read(h.l)
	}
	if next, more, _ := d.s.Loaded(h.l, h.rows, d.now); more {
		d.loads = append(d.loads, heldLoad{l: next})
		if d.chance(2) {
			d.loads[len(d.loads)-1].rows = d.read(next)
		}
	}
}

// offered checks an offer against the rules.
func (d *disk) offered(o Offer) {
	d.t.Helper()
	q, i := d.entry(o)
	busy, onAddr := 0, map[uint64]bool{}
	for _, l := range d.inProcess {
		if l.ID == o.ID {
			d.t.Fatalf("%v is offered twice", o)
		}
		if l.Queue == o.Queue {
			busy++
		} else if d.rows[l.Queue].addr == q.addr {
			onAddr[l.Queue] = true
		}
	}
	switch {
	case d.done[o.ID] || i < 0:
		d.t.Fatalf("%v is offered, but is not pending", o)
	case busy >= d.cfg.Connections:
		d.t.Fatalf("%d URIs of a queue in process", busy+1)
	case q.published.Kind == schema.Retired && d.pending == nil:
		d.t.Fatalf("%v of a retired queue is offered", o)
	case d.now < q.publishedWake:
		d.t.Fatalf("%v is offered %v before the delay of its queue is over", o, q.publishedWake-d.now)
	case d.cfg.HostsPerAddress > 0 && busy == 0 && len(onAddr) >= d.cfg.HostsPerAddress:
		d.t.Fatalf("%d queues of an address are in process", len(onAddr)+1)
	}
	d.inProcess = append(d.inProcess, o)
}

// withdraw undoes the offer just made.
func (d *disk) withdraw() {
	i := len(d.inProcess) - 1
	if i < 0 {
		return
	}
	o := d.inProcess[i]
	if d.pending != nil && slices.Contains(d.pending.Returned, o.ID) {
		return
	}
	d.inProcess = d.inProcess[:i]
	if q := d.rows[o.Queue]; d.chance(2) {
		q.spent = true
		d.s.Withdraw(o, schema.DomainBudget, d.now)
	} else {
		d.s.Withdraw(o, schema.NotRetired, d.now)
	}
}

// commit changes some queues at random; publish publishes it.
func (d *disk) commit(ending bool) {
	if d.pending != nil {
		return
	}
	now, used := d.s.Round()
	p := &Publication{Round: now, RoundUsed: used}
	touched := map[uint64]*Change{}
	change := func(q *diskRow) *Change {
		if touched[q.hash] == nil {
			touched[q.hash] = &Change{}
		}
		return touched[q.hash]
	}
	put := func(q *diskRow, e Entry) {
		i, _ := slices.BinarySearchFunc(q.uris, e.Key(), func(e Entry, k Key) int {
			if e.Key().Before(k) {
				return -1
			}
			return 1
		})
		if len(q.uris) == 0 {
			q.ticket = d.now.Milliseconds()
		}
		q.uris = slices.Insert(q.uris, i, e)
		change(q).NotePut(e.Key())
	}
	take := func(q *diskRow, i int) {
		c := change(q)
		c.Taken = append(c.Taken, q.uris[i].Key())
		q.uris = slices.Delete(q.uris, i, i+1)
	}
	rest := func(q *diskRow, rest time.Duration, failed bool) {
		c := change(q)
		q.wake = max(q.wake, d.now+rest)
		q.snoozed = q.wake-d.now > d.cfg.ResidentSnooze
		c.Requested, c.Delay, c.Failed = true, q.wake-d.now, failed
	}
	rank := func(q *diskRow) {
		q.prec = uint8(d.rnd.IntN(3))
		turn := schema.LinePosition{Precedence: q.prec}
		if d.cfg.HasRounds {
			turn.Round = now + uint64(d.rnd.IntN(2))
		}
		q.row.Class = schema.ClassOf(turn.Number())
	}
	finish := func(o Offer) {
		p.Returned = append(p.Returned, o.ID)
		p.RoundUsed++
		q, i := d.entry(o)
		if q.retire != 0 && d.chance(2) {
			q.retire = schema.NotRetired
		} else if d.chance(20) {
			q.retire = schema.HostBudget
		}
		q.until = 0
		rank(q)
		if i >= 0 && (ending || !d.chance(3)) {
			d.done[o.ID] = true
			take(q, i)
			rest(q, time.Duration(d.rnd.IntN(10))*time.Second, false)
			q.row.Backoff /= 2
		} else if q.row.Backoff++; d.chance(2) { // failed
			q.origins[o.ID.URI&1] = d.now + time.Duration(1+d.rnd.IntN(100))*time.Second
			change(q).Origins = true
			rest(q, 3*time.Second, false)
			if len(q.uris) > 0 && d.chance(2) {
				q.until = min(q.origins[0], q.origins[1])
				if q.until <= d.now {
					q.until = 0
				}
				q.snoozed = max(q.wake, q.until)-d.now > d.cfg.ResidentSnooze
			}
		} else {
			rest(q, time.Duration(1+d.rnd.IntN(100))*time.Second, true)
		}
	}
	if len(d.inProcess) > 0 && d.chance(8) { // a queue is exhausted
		q := d.rows[d.inProcess[0].Queue]
		for i := len(q.uris) - 1; i >= 0; i-- {
			if id := q.uris[i].ID; d.s.Reserve(id) {
				p.Freed = append(p.Freed, id)
				d.done[id] = true
				take(q, i)
			}
		}
		for i := len(d.inProcess) - 1; i >= 0; i-- {
			if d.inProcess[i].Queue == q.hash {
				finish(d.inProcess[i])
				d.inProcess = slices.Delete(d.inProcess, i, i+1)
			}
		}
	}
	for range d.rnd.IntN(3) {
		if len(d.inProcess) > 0 && (ending || d.chance(2)) {
			i := d.rnd.IntN(len(d.inProcess))
			finish(d.inProcess[i])
			d.inProcess = slices.Delete(d.inProcess, i, i+1)
		}
	}
	for range d.rnd.IntN(4) {
		if ending {
			break
		}
		q := d.queue(uint64(1 + d.rnd.IntN(d.queues)))
		if len(d.inProcess) > 0 && d.chance(3) {
			q = d.rows[d.inProcess[d.rnd.IntN(len(d.inProcess))].Queue]
		}
		rank(q)
		change(q)
		switch d.rnd.IntN(12) {
		case 0, 1, 2, 3, 4, 5:
			d.seq++
			put(q, Entry{Seq: d.seq, ID: crawl.ID{Host: q.hash, URI: d.seq}, Prec: byte(d.rnd.IntN(3)), Failing: d.chance(8)})
			if q.until > 0 { // of an origin that does not back off
				q.until = 0
				q.snoozed = q.wake-d.now > d.cfg.ResidentSnooze
			}
		case 6:
			if len(q.uris) > 0 {
				i := d.rnd.IntN(len(q.uris))
				if id := q.uris[i].ID; d.s.Reserve(id) {
					p.Freed = append(p.Freed, id)
					d.done[id] = true
					take(q, i)
				}
			}
		case 7:
			if len(q.uris) > 1 { // one gets another place
				i := d.rnd.IntN(len(q.uris))
				e := q.uris[i]
				take(q, i)
				e.Prec = byte(d.rnd.IntN(3))
				put(q, e)
			}
		case 8:
			if len(d.inProcess) > 0 {
				q = d.rows[d.inProcess[0].Queue]
				change(q)
			}
			q.retire = schema.HostBudget - q.retire
		case 9:
			if ls := d.s.Leaves(1); len(ls) > 0 {
				q = d.rows[ls[0].Queue]
			}
			change(q).Recovered = true
			q.wake, q.until, q.snoozed, q.row.Backoff = min(q.wake, d.now+10*time.Second), 0, false, 0
		case 10: // a late answer to another URI
			if ls := d.s.Leaves(1); len(ls) > 0 {
				q = d.rows[ls[0].Queue]
			}
			rest(q, time.Duration(d.rnd.IntN(100))*time.Second, d.chance(2))
		case 11:
			q.spent = !q.spent
		}
	}
	for _, l := range d.s.Leaves(5) {
		p.Leaves++
		q := d.rows[l.Queue]
		c := change(q)
		c.Left = true
		switch {
		case l.Retire != 0:
			q.retire, q.spent = schema.HostBudget, false
		case l.BacksOff:
			if l.Current && !c.isPut && !c.Origins {
				q.until = l.Until.Sub(d.cfg.OpenedAt) + d.cfg.Opened
				q.snoozed = max(q.wake, q.until)-d.now > d.cfg.ResidentSnooze
			}
		case c.Recovered, c.Requested:
		default:
			q.snoozed = true
			q.wake = max(q.wake, l.Until.Sub(d.cfg.OpenedAt)+d.cfg.Opened)
		}
	}
	for _, hash := range slices.Sorted(maps.Keys(touched)) {
		p.Changes = append(p.Changes, d.changed(d.rows[hash], *touched[hash]))
	}
	if d.chance(10) {
		p.Paused = append(p.Paused, addrOf(byte(d.rnd.IntN(3))))
	}
	d.pending = p
}

func (d *disk) publish() {
	if d.pending == nil {
		return
	}
	p := d.pending
	d.pending = nil
	d.s.Apply(p, d.now)
	for _, c := range p.Changes {
		q := d.rows[c.Queue]
		q.published = c.At
		q.publishedWake = 0
		if w := c.Row.Wake; !w.IsZero() {
			q.publishedWake = w.Sub(d.cfg.OpenedAt) + d.cfg.Opened
		}
	}
}

// check compares what the scheduler counts and has in memory with what is on disk.
func (d *disk) check() {
	d.t.Helper()
	for _, m := range d.s.IllegalMoves() {
		d.t.Fatalf("a move that the table does not have: %v", m)
	}
	var stand [numStates]int64
	filled := int64(0)
	for _, q := range d.rows {
		if q.published.Kind != 0 {
			filled++
		}
		l, in := d.s.QueueInfo(q.published, d.now)
		if in {
			stand[l.State]++
			if onDisk.has(l.State) {
				d.t.Fatalf("queue %d is in memory, and %v", q.hash, l.State)
			}
		} else if s := evictedState(q.published); s != Exhausted {
			stand[s]++
		}
		if d.pending == nil && len(d.loads) == 0 {
			if l.Place != q.published && in {
				d.t.Fatalf("queue %d has the place %+v in memory, %+v on disk", q.hash, l.Place, q.published)
			}
			if l.Resident && !in || evictedState(q.published) != Exhausted && evictedState(q.published) != Retired && !in && !l.WillBeLoaded {
				d.t.Fatalf("queue %d at %+v is in memory: %v; resident %v, will be loaded %v", q.hash, q.published, in, l.Resident, l.WillBeLoaded)
			}
		}
	}
	for _, s := range States()[1:] {
		if d.pending != nil { // a queue may have been loaded from the place the commit gave it
			break
		}
		if n := d.s.Count(s); n != stand[s] {
			d.t.Fatalf("%d queues are %v, but the scheduler counts %d", stand[s], s, n)
		}
	}
	if c := d.s.Changes(); d.pending == nil && c.Filled-c.Exhausted != filled {
		d.t.Fatalf("%d queues have URIs, but the scheduler counts %+v", filled, c)
	}
}
