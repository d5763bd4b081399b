package sched

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"exclave/frontier/schema"
)

// standing is the state of a queue at a place that is not in memory.
func standing(p schema.Place) State {
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

// horizons say which queues are in memory.
type horizons struct {
	line   schema.Place // the last one in line that is in memory
	behind bool         // there are queues behind it, on disk
	later  bool         // those are of a later round, as far as is known
	awake  schema.Place // the last snoozed one, in the order of waking, that was taken into memory
	resume uint64       // when the next one may be asked, in milliseconds since 1970; 0: none is snoozed
	// reading says that places are being read; touched are the queues that commits changed
	// meanwhile.
	reading bool
	touched map[uint64]schema.Place
	inLine  int64 // queues with a place in line, in memory or not
	snoozed int64
}

// near reports whether a queue at a place belongs in memory.
func (h *horizons) near(p schema.Place) bool {
	switch p.Kind {
	case schema.Line:
		return !h.behind || !h.line.Before(p)
	case schema.Snoozed:
		return !h.awake.Before(p)
	}
	return false
}

// step counts a queue that got another place.
func (h *horizons) step(queue uint64, from, to schema.Place) {
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
		h.touched[queue] = to
	}
}

// putBehind notes a queue that stands at a place on disk now.
func (s *Scheduler) putBehind(p schema.Place) {
	switch p.Kind {
	case schema.Snoozed:
		if s.resume == 0 || p.At < s.resume {
			s.resume = p.At
		}
	case schema.Line:
		if s.round.of(schema.ClassOf(p.At)) {
			s.later = false
		}
	}
}

// untilResume is how long until the first snoozed queue may be asked, negative when none is
// snoozed.
func (s *Scheduler) untilResume(now time.Duration) time.Duration {
	if s.resume == 0 || s.snoozed == 0 { // the last may have been exhausted
		return -1
	}
	return max(time.UnixMilli(int64(s.resume)).Sub(s.wall(now))-s.ahead, 0)
}

// loadChunk is how many places are read together.
const loadChunk = 256

// loadSnoozed asks for snoozed queues that may be asked now, when there are any.
func (s *Scheduler) loadSnoozed(now time.Duration) (Load, bool) {
	if s.reading || s.untilResume(now) != 0 || len(s.queues) >= 2*s.cfg.InMemory {
		return Load{}, false
	}
	return s.loadPlaces(Load{What: Places, After: s.awake, Most: loadChunk, Until: uint64(max(s.wall(now).Add(s.ahead).UnixMilli(), 0)) + 1}), true
}

// loadLine asks for the next queues in line, when there is room.
func (s *Scheduler) loadLine() (Load, bool) {
	room := min(loadChunk, s.cfg.InMemory-len(s.queues))
	if s.reading || !s.lineGoesOn() || room <= 0 {
		return Load{}, false
	}
	return s.loadPlaces(Load{What: Places, After: s.line, Most: room}), true
}

// lineGoesOn reports whether queues of this round are in line on disk, as far as is known.
func (s *Scheduler) lineGoesOn() bool { return s.behind && !s.later }

func (s *Scheduler) loadPlaces(l Load) Load {
	s.loads++
	s.reading, s.touched = true, map[uint64]schema.Place{}
	return l
}

// placesLoaded takes queues into memory. Those that commits changed meanwhile are where the last of these
// put them.
func (s *Scheduler) placesLoaded(l Load, r *Rows) {
	touched := s.touched
	s.reading, s.touched = false, nil
	moved := s.line
	if l.After.Kind == schema.Snoozed {
		moved = s.awake
	}
	if moved != l.After {
		return // the horizon was drawn back meanwhile
	}
	ps, more, later := r.Places, r.More, false
	if l.After.Kind == schema.Line {
		if i := slices.IndexFunc(ps, func(p schema.Place) bool { return !s.round.of(schema.ClassOf(p.At)) }); i >= 0 {
			ps, more, later = ps[:i], true, true
		}
	}
	last := l.After
	if n := len(ps); n > 0 {
		last = ps[n-1]
	}
	if l.After.Kind == schema.Snoozed {
		s.awake, s.resume = last, r.Next
	} else {
		s.line, s.behind, s.later = last, more, later
	}
	for _, p := range ps {
		if _, old := touched[p.Host]; !old {
			s.enter(p)
		}
	}
	byPlace := func(a, b schema.Place) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.At, b.At), cmp.Compare(a.Host, b.Host))
	}
	for _, p := range slices.SortedFunc(maps.Values(touched), byPlace) {
		if s.near(p) {
			s.enter(p)
		} else {
			s.putBehind(p)
		}
	}
}

// enter takes a queue into memory, unless it is there: in process, or about to be snoozed. Its row is
// loaded when it is its turn.
func (s *Scheduler) enter(p schema.Place) {
	if s.queues[p.Host] != nil {
		return
	}
	q := &queue{hash: p.Host, kind: p.Kind, at: p.At, heap: -1, state: standing(p)}
	if p.Kind == schema.Line {
		q.class = schema.ClassOf(p.At)
	}
	s.queues[p.Host] = q
	s.move(q, Ready)
}

// shrink evicts half of the queues in line from memory when there are too many.
func (s *Scheduler) shrink() {
	if len(s.queues) <= s.cfg.InMemory {
		return
	}
	var in []*queue
	for _, q := range s.queues {
		if q.kind == schema.Line && q.busy == 0 && q.state != Loading && q.state != Leaving {
			in = append(in, q)
		}
	}
	if len(in) < 2 {
		return
	}
	slices.SortFunc(in, func(a, b *queue) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.hash, b.hash)) })
	half := len(in) / 2
	s.line, s.behind, s.later = in[half-1].place(), true, false
	for _, q := range in[half:] {
		s.move(q, Inactive)
	}
}

// rounds of a crawl.
type rounds struct {
	most, urls int  // rounds, URIs in one; 0: no limit
	are        bool // the crawl has rounds
	now, used  uint64
}

// of reports whether a queue at a place in line has its turn in this round.
func (r *rounds) of(c schema.Class) bool { return !r.are || c.Round() <= r.now }

// roundFull reports whether no further URI is to be asked for in this round.
func (s *Scheduler) roundFull() bool {
	return s.round.urls > 0 && s.round.used+uint64(len(s.process)) >= uint64(s.round.urls)
}

// nextRound begins the next round, unless that was the last or there is nothing for it: snoozed queues
// keep others from no round, nor do they need one before they may be asked, unless this one is full.
func (s *Scheduler) nextRound() bool {
	left := s.inLine
	if s.roundFull() {
		left += s.snoozed
	}
	r := &s.round
	if !r.are || r.most > 0 && r.now+1 >= uint64(r.most) || r.used == 0 || left == 0 {
		return false
	}
	r.now, r.used = r.now+1, 0
	s.later = false
	return true
}
