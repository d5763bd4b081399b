package frontier

import "exclave/frontier/schema"

// Census is everything that is counted, of one instant. Discovered is the sum of
// Queued, Parked, InProcess, Finished and Dropped; of each standing of queues,
// those that began in it and those that came into it since are those that left it and
// those that stand in it.
type Census struct {
	Stats   schema.Stats
	Queues  QueueStates
	Changes QueueChanges
}

// Census counts. It walks the hosts in memory: meant for a view that is renewed about
// once a second.
func (f *Frontier) Census() Census {
	f.mu.Lock()
	defer f.mu.Unlock()
	return Census{f.stats(), f.queueStates(), f.changes}
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

// standing is where a queue stands, as far as changes are counted.
type standing uint8

const (
	nowhere  standing = iota // exhausted
	inMemory                 // in process, ready, waiting, or resting for a short time
	inLine                   // inactive
	asleep                   // snoozed
	retired
)

// standsAt returns where a queue with the place stands. f.mu is held.
func (f *Frontier) standsAt(hash uint64, p schema.Place) standing {
	if s := standsOnDisk(p); s != inLine && s != asleep || f.hosts[hash] == nil {
		return s
	}
	return inMemory
}

// standsOnDisk returns where a queue with the place stands when it is not in memory.
func standsOnDisk(p schema.Place) standing {
	switch p.Kind {
	case schema.Line:
		return inLine
	case schema.Snoozed:
		return asleep
	case schema.Retired:
		return retired
	}
	return nowhere
}

// step counts a queue that goes from one standing to another.
func (c *QueueChanges) step(from, to standing) {
	if from == to {
		return
	}
	switch from {
	case nowhere:
		c.Filled++
	case inLine:
		c.Activated++
	case asleep:
		c.Woken++
	case retired:
		c.Revived++
	}
	switch to {
	case nowhere:
		c.Exhausted++
	case inLine:
		c.Deactivated++
	case asleep:
		c.Snoozed++
	case retired:
		c.Retired++
	}
}
