package clock

import (
	"testing"
	"testing/synctest"
	"time"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestFakeFiresInOrderAtOwnInstant(t *testing.T) {
	// Timers armed out of order must not see a time past their own.
	f := NewFake(start)
	late, early := f.NewTimer(2*time.Second), f.NewTimer(time.Second)
	f.Advance(3 * time.Second)
	if got := <-early.C(); !got.Equal(start.Add(time.Second)) {
		t.Errorf("early fired at %v", got)
	}
	if got := <-late.C(); !got.Equal(start.Add(2 * time.Second)) {
		t.Errorf("late fired at %v", got)
	}
	if f.Mono() != 3*time.Second || !f.Now().Equal(start.Add(3*time.Second)) {
		t.Errorf("after Advance: %v %v", f.Mono(), f.Now())
	}
}

func TestFakeJumpMovesWallOnly(t *testing.T) {
	// Decision 6: a backward jump of the wall never changes what is waited on.
	f := NewFake(start)
	tm := f.NewTimer(time.Second)
	f.Jump(-time.Hour)
	if n, next := f.Armed(); n != 1 || next != time.Second || f.Mono() != 0 {
		t.Fatalf("armed %d in %v, mono %v", n, next, f.Mono())
	}
	f.Jump(3 * time.Hour)
	select {
	case <-tm.C():
		t.Fatal("a jump fired a timer")
	default:
	}
}

func TestTimers(t *testing.T) {
	// Both clocks promise the same of Stop and Reset: no stale value.
	check := func(t *testing.T, c Clock, pass func(time.Duration)) {
		tm := c.NewTimer(time.Second)
		if !tm.Stop() || tm.Stop() {
			t.Error("Stop must report armed once")
		}
		tm.Reset(time.Second)
		pass(time.Second)
		tm.Stop()
		select {
		case <-tm.C():
			t.Error("stale value after Stop")
		default:
		}
		if tm.Reset(0) {
			t.Error("Reset of a stopped timer reported armed")
		}
		<-tm.C()
		before := c.Mono()
		pass(time.Minute)
		if d := c.Mono() - before; d != time.Minute {
			t.Errorf("a minute passed as %v", d)
		}
	}
	t.Run("fake", func(t *testing.T) {
		f := NewFake(start)
		check(t, f, f.Advance)
	})
	t.Run("system", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			check(t, System(), func(d time.Duration) { time.Sleep(d); synctest.Wait() })
		})
	})
}
