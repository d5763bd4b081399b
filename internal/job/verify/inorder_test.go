package verify

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

// Results come in the order of the tasks, all of them, and few are held at a time whatever there is to do.
func TestInOrder(t *testing.T) {
	const tasks, workers = 2000, 3
	var held, most atomic.Int64
	next := 0
	err := inOrder(t.Context(), workers, func(emit func(int) error) error {
		for i := range tasks {
			if n := held.Add(1); n > most.Load() {
				most.Store(n)
			}
			if err := emit(i); err != nil {
				return err
			}
		}
		return nil
	}, func() func(context.Context, int) (int, error) {
		return func(_ context.Context, i int) (int, error) { return i, nil }
	}, func(i int) error {
		held.Add(-1)
		if i != next {
			t.Fatalf("%d comes instead of %d", i, next)
		}
		next++
		return nil
	})
	if err != nil || next != tasks {
		t.Errorf("%d results: %v", next, err)
	}
	// In the channel, with the workers, being emitted, being taken.
	if n := most.Load(); n > 2*workers+workers+2 {
		t.Errorf("%d tasks were held at a time", n)
	}
}

// The first error of anybody ends it, and is what is returned.
func TestInOrderFails(t *testing.T) {
	broken := errors.New("broken")
	for name, where := range map[string][3]int{"producer": {7, -1, -1}, "worker": {-1, 7, -1}, "taker": {-1, -1, 7}} {
		fail := func(i, at int) error {
			if i == at {
				return broken
			}
			return nil
		}
		if err := inOrder(t.Context(), 2, func(emit func(int) error) error {
			for i := range 100 {
				if err := errors.Join(fail(i, where[0])); err != nil {
					return err
				}
				if err := emit(i); err != nil {
					return err
				}
			}
			return nil
		}, func() func(context.Context, int) (int, error) {
			return func(_ context.Context, i int) (int, error) { return i, fail(i, where[1]) }
		}, func(i int) error { return fail(i, where[2]) }); !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := inOrder(ctx, 2, func(emit func(int) error) error { return emit(1) },
		func() func(context.Context, int) (int, error) {
			return func(ctx context.Context, i int) (int, error) { return i, ctx.Err() }
		}, func(int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("ended before it began: %v", err)
	}
}
