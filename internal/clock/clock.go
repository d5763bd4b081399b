package clock

import "time"

// Clock tells the time and makes timers.
type Clock interface {
	// Now returns the wall time. It may be earlier than a value returned before.
	Now() time.Time
	// Mono returns the monotonic time since an arbitrary instant of this
	// process. It never decreases and does not follow jumps of the wall time.
	Mono() time.Duration
	// NewTimer returns a timer that sends once on its channel after d of
	// monotonic time; at once when d <= 0.
	NewTimer(d time.Duration) Timer
}

// Timer is the part of time.Timer that can be made by a fake clock. As with
// time.Timer since Go 1.23, no stale value is received after Stop or Reset.
type Timer interface {
	// C is where the time of firing arrives, once per arming.
	C() <-chan time.Time
	// Stop disarms the timer and reports whether it was armed.
	Stop() bool
	// Reset arms the timer to fire after d and reports whether it was armed.
	Reset(d time.Duration) bool
}

// System returns the clock of the machine.
func System() Clock { return system{start: time.Now()} }

type system struct{ start time.Time }

func (s system) Now() time.Time                 { return time.Now() }
func (s system) Mono() time.Duration            { return time.Since(s.start) }
func (s system) NewTimer(d time.Duration) Timer { return systemTimer{time.NewTimer(d)} }

type systemTimer struct{ t *time.Timer }

func (t systemTimer) C() <-chan time.Time        { return t.t.C }
func (t systemTimer) Stop() bool                 { return t.t.Stop() }
func (t systemTimer) Reset(d time.Duration) bool { return t.t.Reset(d) }
