package frontier

import (
	"time"

	"exclave/frontier/sched"
	"exclave/frontier/schema"
)

// Census is everything that is counted, of one instant. Discovered is the sum of
// Queued, Parked, InProcess, Finished and Dropped; of each standing of queues,
// those that began in it and those that came into it since are those that left it and
// those that stand in it.
type Census struct {
	Stats   schema.Stats
	Queues  QueueStates
	Changes QueueChanges
}

// Census counts.
func (f *Frontier) Census() Census {
	f.mu.Lock()
	defer f.mu.Unlock()
	return Census{f.stats(), f.queueStates(), f.queueChanges()}
}

// QueueChanges counts what became of queues since the frontier was opened: how often
// one came into a standing or left it.
type QueueChanges struct {
	Activated   int64 `json:"activated"`   // taken out of the line on disk (inactive)
	Deactivated int64 `json:"deactivated"` // put into it, for want of room, at the end of a session, or at once
	Snoozed     int64 `json:"snoozed"`     // began to rest on disk
	Woken       int64 `json:"woken"`       // came back from there
	Retired     int64 `json:"retired"`     // a budget was spent
	Revived     int64 `json:"revived"`     // a budget was raised, or a URI came that another budget pays for
	Filled      int64 `json:"filled"`      // got a URI when they had none
	Exhausted   int64 `json:"exhausted"`   // lost their last URI
	// Began are the queues that stood on disk when the frontier was opened; none was in
	// memory.
	Began QueuesBegan `json:"began"`
}

// QueuesBegan is how many queues stood where when the frontier was opened.
type QueuesBegan struct {
	Inactive int64 `json:"inactive"`
	Snoozed  int64 `json:"snoozed"`
	Retired  int64 `json:"retired"`
}

// queuesOnDisk are the queues as the counters of the state have them.
func (f *Frontier) queuesOnDisk() QueuesBegan {
	return QueuesBegan{Inactive: int64(f.st.InLine), Snoozed: int64(f.st.Snoozed), Retired: int64(f.st.Retired)}
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

// Queues counts the queues by state.
func (f *Frontier) Queues() QueueStates { return f.Census().Queues }

// queueStates counts the queues by state. f.mu is held.
func (f *Frontier) queueStates() QueueStates {
	next := f.sched.NextWake(f.o.Clock.Mono()) // and those that are ready now are counted as such
	count := func(states ...sched.State) (n int) {
		for _, s := range states {
			n += int(f.sched.Count(s))
		}
		return n
	}
	q := QueueStates{Held: f.holds > 0, Next: next,
		InProcess: count(sched.InProcess, sched.InProcessWaiting, sched.InProcessReady, sched.InProcessLoading),
		Ready:     count(sched.Ready, sched.Loading),
		Waiting:   count(sched.Waiting, sched.Address, sched.Leaving),
		Resting:   count(sched.Resting, sched.Snoozed),
		Snoozed:   count(sched.Snoozed),
		Inactive:  count(sched.Inactive),
		Retired:   count(sched.Retired, sched.InProcessRetired)}
	if f.order.HasRounds() {
		q.Round = int(f.st.Round) + 1
	}
	return q
}

// queueChanges counts what became of queues. f.mu is held.
func (f *Frontier) queueChanges() QueueChanges {
	c := f.sched.Changes()
	return QueueChanges{Activated: c.Activated, Deactivated: c.Deactivated, Snoozed: c.Snoozed, Woken: c.Woken, Retired: c.Retired,
		Revived: c.Revived, Filled: c.Filled, Exhausted: c.Exhausted, Began: f.began}
}
