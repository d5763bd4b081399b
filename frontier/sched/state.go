package sched

import (
	"fmt"
	"math/bits"
)

// State is the state of a queue.
type State uint8

// The states of a queue.
const (
	// Evicted: on disk only.

	Exhausted State = iota // no URI is pending
	Inactive               // in line, behind the horizon
	Snoozed                // until its wake time
	Retired                // a budget is spent

	// Resident, with no URI in process.

	Waiting // until its delay is over
	Resting // it backs off, or all its origins do
	Ready   // a URI may be dispatched
	Loading // as Ready, but rows it needs are being read
	Address // as Ready, but its IP address is at a limit, or other queues come first there
	Leaving // until a commit has written that it is snoozed or retired

	// Resident, with a URI in process.

	InProcess        // no other may be dispatched before one is handed back
	InProcessWaiting // another may be dispatched when the delay is over (more than one connection)
	InProcessReady   // another may be dispatched
	InProcessLoading // as InProcessReady, but rows it needs are being read
	InProcessRetired // a budget is spent

	numStates
)

// String names the state.
func (s State) String() string {
	return [...]string{"Exhausted", "Inactive", "Snoozed", "Retired", "Waiting", "Resting", "Ready", "Loading", "Address", "Leaving",
		"InProcess", "InProcessWaiting", "InProcessReady", "InProcessLoading", "InProcessRetired", "?"}[min(s, numStates)]
}

// states is a set of states.
type states uint16

func set(all ...State) (m states) {
	for _, s := range all {
		m |= 1 << s
	}
	return m
}

func (m states) has(s State) bool { return m&(1<<s) != 0 }

const (
	onDisk = states(1<<Exhausted | 1<<Inactive | 1<<Snoozed | 1<<Retired)
	// eligible are the states of a resident queue that may be dispatched, now or at a known time.
	eligible = states(1<<Waiting | 1<<Resting | 1<<Ready)
	// afterOffer are the states a queue can be in right after one of its URIs was offered.
	afterOffer = states(1<<InProcess | 1<<InProcessWaiting | 1<<InProcessReady)
	loading    = states(1<<Loading | 1<<InProcessLoading)
	retired    = states(1<<Retired | 1<<InProcessRetired)
)

// moves returns the states a queue may move to from a state: the table in the comment of
// [Scheduler.move] as data.
func moves(from State) states {
	switch from {
	case Exhausted, Inactive, Snoozed, Retired:
		return onDisk&^set(from) | eligible
	case Waiting:
		return onDisk | set(Resting, Ready)
	case Resting:
		return onDisk | set(Waiting, Ready)
	case Ready:
		return onDisk | afterOffer | set(Waiting, Resting, Loading, Address, Leaving)
	case Loading:
		return onDisk | eligible | set(Leaving)
	case Address:
		return onDisk | afterOffer | set(Waiting, Resting, Loading)
	case Leaving:
		return onDisk | eligible
	case InProcess:
		return onDisk | eligible | set(Leaving, InProcessWaiting, InProcessReady, InProcessRetired)
	case InProcessWaiting:
		return onDisk | eligible | set(Leaving, InProcess, InProcessReady, InProcessRetired)
	case InProcessReady:
		return onDisk | eligible | set(Leaving, InProcess, InProcessWaiting, InProcessLoading, InProcessRetired)
	case InProcessLoading:
		return onDisk | set(Loading, Leaving, InProcess, InProcessWaiting, InProcessReady, InProcessRetired)
	case InProcessRetired:
		return onDisk | eligible | set(InProcess, InProcessWaiting, InProcessReady)
	}
	return 0
}

// Move is a move from one state to another, and how many queues made it.
type Move struct {
	From, To State
	N        int64
}

// String describes the move.
func (m Move) String() string { return fmt.Sprintf("%v → %v (%d)", m.From, m.To, m.N) }

// IllegalMoves returns the moves that were made though the table does not have them.
func (s *Scheduler) IllegalMoves() (bad []Move) {
	for from, row := range s.made {
		for to, n := range row {
			if n > 0 && !moves(State(from)).has(State(to)) {
				bad = append(bad, Move{State(from), State(to), n})
			}
		}
	}
	return bad
}

// Count returns how many queues are in a state: those at the beginning of the run, plus the moves into it,
// minus the moves out of it.
func (s *Scheduler) Count(state State) int64 {
	n := s.initial[state]
	for other := range numStates {
		n += s.made[other][state] - s.made[state][other]
	}
	return n
}

// between counts the moves from one set of states to another.
func (s *Scheduler) between(from, to states) (n int64) {
	for f := from; f != 0; f &= f - 1 {
		for t := to; t != 0; t &= t - 1 {
			n += s.made[bits.TrailingZeros16(uint16(f))][bits.TrailingZeros16(uint16(t))]
		}
	}
	return n
}

// Changes counts how often a queue moved into a group of states, or out of it.
type Changes struct {
	Activated, Deactivated int64 // from inactive, to inactive
	Snoozed, Woken         int64
	Retired, Revived       int64
	Filled, Exhausted      int64
}

// Changes returns how often queues were activated, snoozed, retired, exhausted, and the reverse.
func (s *Scheduler) Changes() Changes {
	const all = states(1<<numStates - 1)
	in := func(group states) int64 { return s.between(all&^group, group) }
	out := func(group states) int64 { return s.between(group, all&^group) }
	return Changes{Activated: out(1 << Inactive), Deactivated: in(1 << Inactive), Snoozed: in(1 << Snoozed), Woken: out(1 << Snoozed),
		Retired: in(retired), Revived: out(retired), Filled: out(1 << Exhausted), Exhausted: in(1 << Exhausted)}
}
