package clock

import (
	"slices"
	"sync"
	"time"
)

// Fake is a clock that moves only when it is told to. Make it with NewFake.
type Fake struct {
	mu     sync.Mutex
	wall   time.Time
	mono   time.Duration
	timers []*fakeTimer // armed ones
}

// NewFake returns a clock standing at wall, Mono zero.
func NewFake(wall time.Time) *Fake { return &Fake{wall: wall.Round(0)} }

var _ Clock = (*Fake)(nil)

// Now returns the wall time, without a monotonic reading.
func (f *Fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.wall
}

// Mono returns the sum of what the clock was advanced by.
func (f *Fake) Mono() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mono
}

// Advance moves wall and monotonic time forward by d (not negative) and fires
// the timers that become due, earliest first, each seeing its own instant.
func (f *Fake) Advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	end := f.mono + d
	for {
		var next *fakeTimer
		for _, t := range f.timers {
			if t.due <= end && (next == nil || t.due < next.due) {
				next = t
			}
		}
		if next == nil {
			break
		}
		f.wall = f.wall.Add(next.due - f.mono)
		f.mono = next.due
		f.fire(next)
	}
	f.wall = f.wall.Add(end - f.mono)
	f.mono = end
}

// Jump moves only the wall time, by d of either sign, as an administrator or
// NTP does. No timer fires.
func (f *Fake) Jump(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wall = f.wall.Add(d)
}

// Armed returns how many timers wait, and in how long the first fires (zero
// when none waits). A test advances by it instead of guessing.
func (f *Fake) Armed() (n int, next time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, t := range f.timers {
		if left := t.due - f.mono; i == 0 || left < next {
			next = left
		}
	}
	return len(f.timers), next
}

// NewTimer implements Clock.
func (f *Fake) NewTimer(d time.Duration) Timer {
	t := &fakeTimer{f: f, c: make(chan time.Time, 1)}
	t.Reset(d)
	return t
}

func (f *Fake) fire(t *fakeTimer) {
	f.disarm(t)
	t.c <- f.wall
}

func (f *Fake) disarm(t *fakeTimer) bool {
	i := slices.Index(f.timers, t)
	if i < 0 {
		return false
	}
	f.timers = slices.Delete(f.timers, i, i+1)
	return true
}

type fakeTimer struct {
	f   *Fake
	c   chan time.Time
	due time.Duration
}

func (t *fakeTimer) C() <-chan time.Time { return t.c }

func (t *fakeTimer) Stop() bool {
	t.f.mu.Lock()
	defer t.f.mu.Unlock()
	return t.clear()
}

func (t *fakeTimer) Reset(d time.Duration) bool {
	t.f.mu.Lock()
	defer t.f.mu.Unlock()
	was := t.clear()
	t.due = t.f.mono + max(d, 0)
	t.f.timers = append(t.f.timers, t)
	if d <= 0 {
		t.f.fire(t)
	}
	return was
}

// clear disarms the timer and takes back a value nobody has received.
func (t *fakeTimer) clear() bool {
	was := t.f.disarm(t)
	select {
	case <-t.c:
	default:
	}
	return was
}
