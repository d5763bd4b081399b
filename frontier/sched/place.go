package sched

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"exclave/frontier/schema"
)

// evictedState is the state of a queue at a place while it is not resident.
func evictedState(p schema.Place) State {
	switch p.Kind {
	case schema.Line:
		return Inactive
	case schema.Snoozed:
		return Snoozed
	case schema.Retired:
		return Retired
	}
	return Exhausted
}

// horizons decide which queues are resident.
type horizons struct {
	line       schema.Place // the last place in line that is resident
	onDisk     bool         // there are inactive queues behind it
	laterRound bool         // those are of a later round, as far as is known
	woken      schema.Place // the last place, by wake time, of a snoozed queue that was loaded
	nextWake   uint64       // wake time of the first evicted snoozed queue, in milliseconds since 1970; 0: none
	// reading says that places are being read; changed are the places that commits gave to queues
	// meanwhile.
	reading bool
	changed map[uint64]schema.Place
	inLine  int64 // queues with a place in line, resident or not
	snoozed int64
}

// resident reports whether a queue at a place belongs in memory.
func (h *horizons) resident(p schema.Place) bool {
	switch p.Kind {
	case schema.Line:
		return !h.onDisk || !h.line.Before(p)
	case schema.Snoozed:
		return !h.woken.Before(p)
	}
	return false
}

// countMove counts a queue that got another place.
func (h *horizons) countMove(queue uint64, from, to schema.Place) {
	add := func(p schema.Place, by int64) {
		switch p.Kind {
		case schema.Line:
			h.inLine += by
		case schema.Snoozed:
			h.snoozed += by
		}
	}
	add(from, -1)
	add(to, 1)
	if h.reading {
		h.changed[queue] = to
	}
}

// noteOnDisk notes the place of a queue that is on disk only.
func (s *Scheduler) noteOnDisk(p schema.Place) {
	switch p.Kind {
	case schema.Snoozed:
		if s.nextWake == 0 || p.At < s.nextWake {
			s.nextWake = p.At
		}
	case schema.Line:
		if s.round.includes(schema.ClassOf(p.At)) {
			s.laterRound = false
		}
	}
}

// untilNextWake is how long until the first evicted snoozed queue wakes, negative when there is none.
func (s *Scheduler) untilNextWake(now time.Duration) time.Duration {
	if s.nextWake == 0 || s.snoozed == 0 { // nextWake may be that of a queue exhausted meanwhile
		return -1
	}
	return max(time.UnixMilli(int64(s.nextWake)).Sub(s.wall(now))-s.clockSetBack, 0)
}

// loadChunk is how many places are loaded together.
const loadChunk = 256

// loadSnoozed asks for the snoozed queues whose wake time has come, when there are any.
func (s *Scheduler) loadSnoozed(now time.Duration) (Load, bool) {
	if s.reading || s.untilNextWake(now) != 0 || len(s.queues) >= 2*s.cfg.InMemory {
		return Load{}, false
	}
	return s.loadPlaces(Load{Kind: Places, After: s.woken, Most: loadChunk, Until: uint64(max(s.wall(now).Add(s.clockSetBack).UnixMilli(), 0)) + 1}), true
}

// loadLine asks for the next queues in line, when there is room.
func (s *Scheduler) loadLine() (Load, bool) {
	room := min(loadChunk, s.cfg.InMemory-len(s.queues))
	if s.reading || !s.moreInLine() || room <= 0 {
		return Load{}, false
	}
	return s.loadPlaces(Load{Kind: Places, After: s.line, Most: room}), true
}

// moreInLine reports whether there are inactive queues of this round, as far as is known.
func (s *Scheduler) moreInLine() bool { return s.onDisk && !s.laterRound }

func (s *Scheduler) loadPlaces(l Load) Load {
	s.loads++
	s.reading, s.changed = true, map[uint64]schema.Place{}
	return l
}

// placesLoaded makes the queues of the places read resident. For those that commits changed meanwhile, the place
// given by the last commit counts.
func (s *Scheduler) placesLoaded(l Load, r *Rows, now time.Duration) {
	touched := s.changed
	s.reading, s.changed = false, nil
	moved := s.line
	if l.After.Kind == schema.Snoozed {
		moved = s.woken
	}
	if moved != l.After {
		return // the horizon was moved back meanwhile
	}
	ps, more, later := r.Places, r.More, false
	if l.After.Kind == schema.Line {
		if i := slices.IndexFunc(ps, func(p schema.Place) bool { return !s.round.includes(schema.ClassOf(p.At)) }); i >= 0 {
			ps, more, later = ps[:i], true, true
		}
	}
	last := l.After
	if n := len(ps); n > 0 {
		last = ps[n-1]
	}
	if l.After.Kind == schema.Snoozed {
		s.woken, s.nextWake = last, r.Next
	} else {
		s.line, s.onDisk, s.laterRound = last, more, later
	}
	for _, p := range ps {
		if _, old := touched[p.Host]; !old {
			s.makeResident(p, now)
		}
	}
	byPlace := func(a, b schema.Place) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.At, b.At), cmp.Compare(a.Host, b.Host))
	}
	for _, p := range slices.SortedFunc(maps.Values(touched), byPlace) {
		if s.resident(p) {
			s.makeResident(p, now)
		} else {
			s.noteOnDisk(p)
		}
	}
}

// makeResident adds a queue to those in memory. Its row is loaded when it comes to be dispatched. One that is there,
// in process or leaving, may go on from there: with several connections it may be dispatched.
func (s *Scheduler) makeResident(p schema.Place, now time.Duration) {
	if q := s.queues[p.Host]; q != nil {
		s.settle(q, now, false)
		return
	}
	q := &queue{hash: p.Host, kind: p.Kind, at: p.At, heap: -1, state: evictedState(p)}
	if p.Kind == schema.Line {
		q.class = schema.ClassOf(p.At)
	}
	s.queues[p.Host] = q
	s.move(q, Ready)
}

// evictHalf evicts half of the queues in line when too many are resident.
func (s *Scheduler) evictHalf() {
	if len(s.queues) <= s.cfg.InMemory {
		return
	}
	var in []*queue
	for _, q := range s.queues {
		if q.kind == schema.Line && q.inProcess == 0 && q.state != Loading && q.state != Leaving {
			in = append(in, q)
		}
	}
	if len(in) < 2 {
		return
	}
	slices.SortFunc(in, func(a, b *queue) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.hash, b.hash)) })
	half := len(in) / 2
	s.line, s.onDisk, s.laterRound = in[half-1].place(), true, false
	for _, q := range in[half:] {
		s.move(q, Inactive)
	}
}

// rounds counts the rounds of a crawl.
type rounds struct {
	most, urls int  // rounds, URIs in one; 0: no limit
	enabled    bool // the crawl has rounds
	now, used  uint64
}

// includes reports whether a queue of a class may be dispatched in this round.
func (r *rounds) includes(c schema.Class) bool { return !r.enabled || c.Round() <= r.now }

// roundFull reports whether this round has all its URIs.
func (s *Scheduler) roundFull() bool {
	return s.round.urls > 0 && s.round.used+uint64(len(s.inProcess)) >= uint64(s.round.urls)
}

// nextRound begins the next round, unless this was the last or no queue is left for it. It does not wait for snoozed
// queues, and does not begin for them alone, unless this round is full.
func (s *Scheduler) nextRound() bool {
	left := s.inLine
	if s.roundFull() {
		left += s.snoozed
	}
	r := &s.round
	if !r.enabled || r.most > 0 && r.now+1 >= uint64(r.most) || r.used == 0 || left == 0 {
		return false
	}
	r.now, r.used = r.now+1, 0
	s.laterRound = false
	return true
}
