package frontier

import (
	"time"

	"exclave/frontier/sched"
	"exclave/frontier/schema"
)

// Census holds all counts of one instant. Discovered is the sum of Queued, Parked,
// InProcess, Finished and Dropped. For each state of queues, the queues that began in it plus
// those that moved into it are the queues that are in it plus those that moved out of it.
type Census struct {
	Stats   schema.Stats
	Queues  QueueStates
	Changes QueueChanges
}

// Census returns all counts of this instant.
func (f *Frontier) Census() Census {
	f.mu.Lock()
	defer f.mu.Unlock()
	return Census{f.stats(), f.queueStates(), f.queueChanges()}
}

// QueueChanges counts how often a queue moved into a state or out of it since the frontier was
// opened.
type QueueChanges struct {
	Activated   int64 `json:"activated"`   // moved out of inactive
	Deactivated int64 `json:"deactivated"` // became inactive: beyond the horizon, or at the end of a session
	Snoozed     int64 `json:"snoozed"`     // became snoozed on disk only (evicted)
	Woken       int64 `json:"woken"`       // moved out of that state, as a rule at their wake time
	Retired     int64 `json:"retired"`     // a budget was spent
	Revived     int64 `json:"revived"`     // a budget was raised, or a URI arrived that another budget pays for
	Filled      int64 `json:"filled"`      // got a URI when they were exhausted
	Exhausted   int64 `json:"exhausted"`   // lost their last URI
	// Began counts the queues by state when the frontier was opened; none was resident
	// then.
	Began QueuesBegan `json:"began"`
}

// QueuesBegan is how many queues were in each state when the frontier was opened.
type QueuesBegan struct {
	Inactive int64 `json:"inactive"`
	Snoozed  int64 `json:"snoozed"`
	Retired  int64 `json:"retired"`
}

// queuesOnDisk returns the counts of queues in the state.
func (f *Frontier) queuesOnDisk() QueuesBegan {
	return QueuesBegan{Inactive: int64(f.st.InLine), Snoozed: int64(f.st.Snoozed), Retired: int64(f.st.Retired)}
}

// QueueStates is how many queues with pending URIs are in each state.
type QueueStates struct {
	InProcess int `json:"in_process"` // have a URI in process
	Ready     int `json:"ready"`      // may be dispatched from now
	Waiting   int `json:"waiting"`    // snoozed for the delay, or because their address is at a limit
	Resting   int `json:"resting"`    // snoozed because they back off
	Snoozed   int `json:"snoozed"`    // of those, evicted until their wake time
	Inactive  int `json:"inactive"`   // in the line beyond the horizon, on disk only
	Retired   int `json:"retired"`    // a budget is spent
	// Next is how long it is to the first wake time of a snoozed queue, 0 when none is
	// snoozed.
	Next time.Duration `json:"next"`
	// Held says that the crawl does not end yet, because seeds are being read.
	Held bool `json:"held"`
	// Round is the round being crawled, from 1; 0 without rounds.
	Round int `json:"round,omitempty"`
}

// Queues counts the queues by state.
func (f *Frontier) Queues() QueueStates { return f.Census().Queues }

// queueStates counts the queues by state. f.mu is held.
func (f *Frontier) queueStates() QueueStates {
	next := f.sched.NextWake(f.o.Clock.Mono()) // before the counts: it wakes the queues that are ready now
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

// queueChanges returns how often queues moved. f.mu is held.
func (f *Frontier) queueChanges() QueueChanges {
	c := f.sched.Changes()
	return QueueChanges{Activated: c.Activated, Deactivated: c.Deactivated, Snoozed: c.Snoozed, Woken: c.Woken, Retired: c.Retired,
		Revived: c.Revived, Filled: c.Filled, Exhausted: c.Exhausted, Began: f.began}
}
