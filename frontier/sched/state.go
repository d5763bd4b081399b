package sched

import (
	"fmt"
	"math/bits"
)

// State is where a queue stands.
type State uint8

// The states of a queue.
const (
	// Those on disk, of which nothing is in memory.

	Exhausted State = iota // no URI waits in it
	Inactive               // in line, behind the horizon
	Snoozed                // until a time
	Retired                // a budget is spent

	// Those in memory, none of whose URIs is in process.

	Waiting // until the delay of politeness is over
	Resting // after a failure, because the server asked for it, or because all its origins rest
	Ready   // a URI may be offered
	Loading // as Ready; what that takes is being read
	Address // as Ready; but its IP address may not be asked yet, or others come first there
	Leaving // until a commit has snoozed or retired it

	// Those with a URI in process.

	InProcess        // no other may be offered before one comes back
	InProcessWaiting // another may be, when its delay is over (more than one connection)
	InProcessReady   // another may be
	InProcessLoading // as InProcessReady; what that takes is being read
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
	// settled are those in which a queue is put that may be asked, now or later.
	settled = states(1<<Waiting | 1<<Resting | 1<<Ready)
	// offered are those in which a queue can be when one of its URIs has just been offered.
	offered = states(1<<InProcess | 1<<InProcessWaiting | 1<<InProcessReady)
	loading = states(1<<Loading | 1<<InProcessLoading)
	retired = states(1<<Retired | 1<<InProcessRetired)
)

// moves are the states to which a queue may go from another: the table in the comment of
// [Scheduler.move] as data.
func moves(from State) states {
	switch from {
	case Exhausted, Inactive, Snoozed, Retired:
		return onDisk&^set(from) | settled
	case Waiting:
		return onDisk | set(Resting, Ready)
	case Resting:
		return onDisk | set(Waiting, Ready)
	case Ready:
		return onDisk | offered | set(Waiting, Resting, Loading, Address, Leaving)
	case Loading:
		return onDisk | settled | set(Leaving)
	case Address:
		return onDisk | offered | set(Waiting, Resting, Loading)
	case Leaving:
		return onDisk | settled
	case InProcess:
		return onDisk | settled | set(Leaving, InProcessWaiting, InProcessReady, InProcessRetired)
	case InProcessWaiting:
		return onDisk | settled | set(Leaving, InProcess, InProcessReady, InProcessRetired)
	case InProcessReady:
		return onDisk | settled | set(Leaving, InProcess, InProcessWaiting, InProcessLoading, InProcessRetired)
	case InProcessLoading:
		return onDisk | set(Loading, Leaving, InProcess, InProcessWaiting, InProcessReady, InProcessRetired)
	case InProcessRetired:
		return onDisk | settled | set(InProcess, InProcessWaiting, InProcessReady)
	}
	return 0
}

// Move is a queue that went from one state to another, and how many did.
type Move struct {
	From, To State
	N        int64
}

// String tells the move.
func (m Move) String() string { return fmt.Sprintf("%v → %v (%d)", m.From, m.To, m.N) }

// Faults are the moves that were made though the table does not have them.
func (s *Scheduler) Faults() (bad []Move) {
	for from, row := range s.made {
		for to, n := range row {
			if n > 0 && !moves(State(from)).has(State(to)) {
				bad = append(bad, Move{State(from), State(to), n})
			}
		}
	}
	return bad
}

// Count returns how many queues are in a state. What left is taken from what was there and
// what came.
func (s *Scheduler) Count(state State) int64 {
	n := s.began[state]
	for other := range numStates {
		n += s.made[other][state] - s.made[state][other]
	}
	return n
}

// between is how many moves led from one set of states to another.
func (s *Scheduler) between(from, to states) (n int64) {
	for f := from; f != 0; f &= f - 1 {
		for t := to; t != 0; t &= t - 1 {
			n += s.made[bits.TrailingZeros16(uint16(f))][bits.TrailingZeros16(uint16(t))]
		}
	}
	return n
}

// Changes is how often a queue came into a group of states, or left it.
type Changes struct {
	Activated, Deactivated int64 // taken out of the line on disk, put into it
	Snoozed, Woken         int64
	Retired, Revived       int64
	Filled, Exhausted      int64
}

// Changes counts what became of queues.
func (s *Scheduler) Changes() Changes {
	const all = states(1<<numStates - 1)
	in := func(group states) int64 { return s.between(all&^group, group) }
	out := func(group states) int64 { return s.between(group, all&^group) }
	return Changes{Activated: out(1 << Inactive), Deactivated: in(1 << Inactive), Snoozed: in(1 << Snoozed), Woken: out(1 << Snoozed),
		Retired: in(retired), Revived: out(retired), Filled: out(1 << Exhausted), Exhausted: in(1 << Exhausted)}
}
