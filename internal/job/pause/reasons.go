package pause

import (
	"sync"
	"time"
)

// checkEvery is how often reasons are checked.
const checkEvery = 5 * time.Second

// Reasons are why a crawl is paused. It runs while there is none. Use it from any goroutine; make it with [New].
type Reasons struct {
	pause func(bool)

	mu   sync.Mutex
	user bool
	full bool // less is free than min_free_disk
	// unanswered is since when no name server answers; zero: some does.
	unanswered time.Time
}

// New returns reasons, of which none holds. pause pauses the crawl, or lets it go on; it is called, one call at a time,
// whenever a reason begins or ends, even when another reason holds.
func New(pause func(bool)) *Reasons { return &Reasons{pause: pause} }

// set changes what holds and pauses the crawl, or lets it go on.
func (r *Reasons) set(change func(*Reasons)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(r)
	r.pause(r.user || r.full || !r.unanswered.IsZero())
}

// SetUser says whether a person wants the crawl paused.
func (r *Reasons) SetUser(want bool) { r.set(func(r *Reasons) { r.user = want }) }

// setFull says whether the disk is nearly full.
func (r *Reasons) setFull(full bool) { r.set(func(r *Reasons) { r.full = full }) }

// setUnanswered says since when no name server answers, and reports whether that is new; the zero time says that one
// answers.
func (r *Reasons) setUnanswered(since time.Time) (changed bool) {
	r.set(func(r *Reasons) {
		if changed = since.IsZero() != r.unanswered.IsZero(); changed {
			r.unanswered = since
		}
	})
	return changed
}

// DiskFull reports whether the crawl is paused for want of room.
func (r *Reasons) DiskFull() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.full
}

// UnansweredSince is since when the crawl is paused because no name server answers; zero: it is not.
func (r *Reasons) UnansweredSince() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.unanswered
}
