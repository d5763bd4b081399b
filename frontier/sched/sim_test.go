package sched

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// sim is a crawl of many queues without a disk: a scheduler, ToeThreads whose fetches take time, and the rows that a
// disk would have. It ends the test when a rule is broken.
type sim struct {
	t       testing.TB
	s       *Scheduler
	cfg     Config
	now     time.Duration
	rnd     *rand.Rand
	queues  []simQueue
	perAddr int // queues with the same address
	addrs   []simAddr
	line    calendar // by tickets, in units of 16 ms
	snoozed calendar // by wake times, in milliseconds
	threads int
	toes    heap[*toe]
	idle    []*toe
	picks   int
	asked   int // queues that were sent a request
}

// simQueue is a queue on the disk of a simulation.
type simQueue struct {
	ticket      uint64        // number of its place in line
	wakes       uint64        // number of its place among those that are snoozed
	wake        time.Duration // not before
	lastRequest time.Duration // end of its last fetch; 0: none
	finished    uint32        // URIs that were finished
	pending     uint32        // URIs that are pending
	requests    uint32
	backoff     uint8
	snoozed     bool
}

type simAddr struct {
	busy   int
	last   time.Duration // start of the last request
	paused time.Duration // until
	began  bool
}

// toe is a ToeThread with a URI.
type toe struct {
	ends  time.Duration
	o     Offer
	index int32
}

// calendar has queues by the numbers of their places, grouped in days of so many numbers. Outdated entries are skipped.
type calendar struct {
	first, day uint64
	days       [][]uint32
}

func (c *calendar) add(at uint64, queue uint32) {
	d := int((at - c.first) / c.day)
	for len(c.days) <= d {
		c.days = append(c.days, nil)
	}
	c.days[d] = append(c.days[d], queue)
}

const mix = 0x9E3779B97F4A7C15 // odd: queues have distinct hashes

var unmix = func() uint64 { // its inverse
	x := uint64(mix)
	for range 6 {
		x *= 2 - mix*x
	}
	return x
}()

func hashOf(queue int) uint64 { return uint64(queue+1) * mix }
func queueOf(hash uint64) int { return int(hash*unmix) - 1 }
func (m *sim) addr(q int) int { return q / m.perAddr }
func ipOf(a int) netip.Addr {
	return netip.AddrFrom4([4]byte{byte(a >> 24), byte(a >> 16), byte(a >> 8), byte(a)})
}
func (q *simQueue) kind() schema.Table {
	switch {
	case q.pending == 0:
		return 0
	case q.snoozed:
		return schema.Snoozed
	}
	return schema.Line
}

func (m *sim) place(i int) schema.Place {
	q := &m.queues[i]
	p := schema.Place{Kind: q.kind(), Host: hashOf(i)}
	switch p.Kind {
	case schema.Line:
		p.At = q.ticket
	case schema.Snoozed:
		p.At = q.wakes
	}
	return p
}

func newSim(t testing.TB, queues, inMemory, threads int) *sim {
	m := &sim{t: t, rnd: rand.New(rand.NewPCG(1, 2)), queues: make([]simQueue, queues), perAddr: 5, threads: threads}
	m.cfg = Config{InMemory: inMemory, Connections: 1, MinDelay: 3 * time.Second, MaxDelay: 30 * time.Second, LongestSnooze: 4 * time.Hour, ResidentSnooze: time.Minute, ReadAhead: 16,
		HostsPerAddress: 2, AddressDelay: 500 * time.Millisecond, PauseAfter: 20, Pause: time.Minute,
		Opened: time.Hour, OpenedAt: time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC)}
	m.now = m.cfg.Opened
	m.s = New(m.cfg)
	m.addrs = make([]simAddr, queues/m.perAddr+1)
	m.toes = heap[*toe]{less: func(a, b *toe) bool { return a.ends < b.ends }, index: func(x *toe) *int32 { return &x.index }}
	start := schema.LinePosition{Ticket: m.cfg.OpenedAt}
	m.line = calendar{first: start.Number(), day: 64}
	m.snoozed = calendar{first: uint64(m.cfg.OpenedAt.UnixMilli()), day: 1000}
	for i := range m.queues {
		q := &m.queues[i]
		q.pending = uint32(1 + m.rnd.IntN(3))
		if i%1000 == 0 {
			q.pending = 500
		}
		// As if they had been discovered one after the other.
		turn := schema.LinePosition{Ticket: m.cfg.OpenedAt.Add(time.Duration(i) * 100 * time.Microsecond)}
		q.ticket = turn.Number()
		m.line.add(q.ticket, uint32(i))
	}
	m.s.Start(Initial{Inactive: int64(queues)})
	for range threads {
		m.idle = append(m.idle, &toe{index: -1})
	}
	return m
}

// read reads what a load asks for.
func (m *sim) read(l *Load, r *Rows) {
	switch l.Kind {
	case Places:
		m.readPlaces(l, r)
	case QueueRow:
		r.Row = m.row(queueOf(l.Queue))
	case QueueURIs:
		q := &m.queues[queueOf(l.Queue)]
		r.From = Key{1, uint64(q.finished) + 1}
		for n := range min(q.pending, uint32(l.Most)) {
			seq := uint64(q.finished + n + 1)
			r.URIs = append(r.URIs, Entry{Prec: 1, Seq: seq, ID: crawl.ID{Host: l.Queue, URI: seq}})
		}
	case FirstURI:
		r.Head = Head{ID: l.First.ID, Addr: ipOf(m.addr(queueOf(l.Queue)))}
	}
}

func (m *sim) readPlaces(l *Load, r *Rows) {
	c := &m.line
	if l.After.Kind == schema.Snoozed {
		c = &m.snoozed
	}
	day := 0
	if l.After.At > c.first {
		day = int((l.After.At - c.first) / c.day)
	}
	for ; day < len(c.days); day++ {
		var ps []schema.Place
		now := c.days[day][:0]
		for _, i := range c.days[day] {
			p := m.place(int(i))
			if p.Kind != l.After.Kind || int((p.At-c.first)/c.day) != day {
				continue // it has another place now
			}
			now = append(now, i)
			if l.After.Before(p) {
				ps = append(ps, p)
			}
		}
		c.days[day] = now
		slices.SortFunc(ps, func(a, b schema.Place) int {
			if a.Before(b) {
				return -1
			}
			return 1
		})
		for i, p := range slices.Compact(ps) {
			if len(r.Places) == l.Most || l.Until > 0 && p.At >= l.Until {
				r.More, r.Next = true, ps[i].At
				return
			}
			r.Places = append(r.Places, p)
		}
	}
}

func (m *sim) row(i int) Row {
	q := &m.queues[i]
	r := Row{Pending: uint64(q.pending), Requests: uint64(q.requests), Backoff: q.backoff}
	if q.wake > 0 {
		r.Wake = m.s.wall(q.wake)
	}
	return r
}

// offered checks an offer against the rules of politeness.
func (m *sim) offered(o Offer) {
	i := queueOf(o.Queue)
	q, a := &m.queues[i], &m.addrs[m.addr(i)]
	switch {
	case q.pending == 0 || o.Seq != uint64(q.finished)+1:
		m.t.Fatalf("%+v is offered, %d are done and %d left", o, q.finished, q.pending)
	case m.now < q.wake:
		m.t.Fatalf("queue %d is dispatched %v before its delay is over", i, q.wake-m.now)
	case a.busy >= m.cfg.HostsPerAddress:
		m.t.Fatalf("%d queues of an address are in process", a.busy+1)
	case a.began && m.now < a.last+m.cfg.AddressDelay:
		m.t.Fatalf("an address is sent a request %v after the last one", m.now-a.last)
	case m.now < a.paused:
		m.t.Fatalf("an address is sent a request %v before its pause is over", a.paused-m.now)
	}
	if q.lastRequest == 0 {
		m.asked++
	}
	a.busy++
	a.last, a.began = m.now, true
	w := m.idle[len(m.idle)-1]
	m.idle = m.idle[:len(m.idle)-1]
	w.o, w.ends = o, m.now+time.Duration(50+m.rnd.IntN(2000))*time.Millisecond
	q.lastRequest = w.ends
	m.toes.push(w)
	m.picks++
}

// finish hands back the URI of a ToeThread, and publishes the commit.
func (m *sim) finish(w *toe) {
	m.toes.remove(w)
	m.idle = append(m.idle, w)
	i := queueOf(w.o.Queue)
	q, ai := &m.queues[i], m.addr(i)
	c := Change{Queue: hashOf(i), Was: m.place(i), Requested: true}
	p := Publication{Returned: []crawl.ID{w.o.ID}}
	m.addrs[ai].busy--
	switch {
	case m.rnd.IntN(20) > 0 || q.pending == 1:
		q.finished, q.pending = q.finished+1, q.pending-1
		q.backoff /= 2
		c.Taken = []Key{w.o.Key()}
		c.Delay = time.Duration(3000+m.rnd.IntN(27000)) * time.Millisecond
		if q.pending == 0 && i%4 == 0 && m.rnd.IntN(2) > 0 { // more are discovered later
			q.pending = 2
			c.NotePut(Key{1, uint64(q.finished) + 1})
			c.Delay = time.Duration(1+m.rnd.IntN(12)) * time.Minute
		}
	default:
		c.Delay, c.Failed = 15*time.Minute<<q.backoff, true
		q.backoff = min(q.backoff+1, 4)
	}
	q.wake = m.now + c.Delay
	q.snoozed = c.Delay > m.cfg.ResidentSnooze
	if q.requests++; int(q.requests) >= m.cfg.PauseAfter {
		q.requests = 0
		p.Paused = []netip.Addr{ipOf(ai)}
		m.addrs[ai].paused = m.now + m.cfg.Pause
	}
	m.moveTo(i, c.Was.Kind)
	c.At, c.Row = m.place(i), m.row(i)
	p.Changes = []Change{c}
	m.s.Apply(&p, m.now)
}

// moveTo puts a queue into the order that its row says.
func (m *sim) moveTo(i int, was schema.Table) {
	q := &m.queues[i]
	switch kind := q.kind(); {
	case kind == schema.Snoozed:
		q.wakes = uint64(m.s.wall(q.wake + time.Millisecond - 1).UnixMilli())
		m.snoozed.add(q.wakes, uint32(i))
	case kind == schema.Line && was != kind:
		m.line.add(q.ticket, uint32(i))
	}
}

// leave snoozes and evicts the queues that are to leave.
func (m *sim) leave(p *Publication) {
	for _, l := range m.s.Leaves(100) {
		p.Leaves++
		i := queueOf(l.Queue)
		q := &m.queues[i]
		c := Change{Queue: hashOf(i), Was: m.place(i), Left: true}
		q.snoozed = q.pending > 0
		q.wake = max(q.wake, l.Until.Sub(m.cfg.OpenedAt)+m.cfg.Opened)
		m.moveTo(i, c.Was.Kind)
		c.At, c.Row = m.place(i), m.row(i)
		p.Changes = append(p.Changes, c)
	}
}

// run crawls until a time, or until nothing is pending.
func (m *sim) run(until time.Duration) {
	for m.now < until {
		for len(m.idle) > 0 {
			d := m.s.Pick(m.now, true)
			if d.Action == Dispatch {
				m.offered(d.Offer)
				continue
			}
			if d.Action == Read {
				l, more := d.Load, true
				for more {
					var r Rows
					m.read(&l, &r)
					l, more, _ = m.s.Loaded(l, &r, m.now)
				}
				continue
			}
			if m.s.Leaving() > 0 {
				p := Publication{}
				m.leave(&p)
				m.s.Apply(&p, m.now)
				continue
			}
			if d.Action == Finish {
				return
			}
			if len(m.toes.items) == 0 || d.Wait >= 0 && m.now+d.Wait < m.toes.top().ends {
				m.now += d.Wait
				continue
			}
			break
		}
		if len(m.toes.items) > 0 {
			w := m.toes.top()
			m.now = max(m.now, w.ends)
			m.finish(w)
		}
	}
}
