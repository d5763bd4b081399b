package verify

import (
	"context"
	"errors"
	"sync"
)

// task is what a worker does, and the result.
type task[T, R any] struct {
	in   T
	out  R
	err  error
	done chan struct{}
}

// inOrder lets so many workers do what produce emits, and takes the results in the order in which it was
// emitted. Little more than two tasks for each worker are held at a time. The first error of anybody,
// or the end of ctx, ends it; nobody works any more when it returns. take runs in the calling goroutine,
// produce in one of its own.
func inOrder[T, R any](ctx context.Context, workers int, produce func(emit func(T) error) error, worker func() func(context.Context, T) (R, error), take func(R) error) error {
	ctx, cancel := context.WithCancel(ctx)
	todo := make(chan *task[T, R])
	ordered := make(chan *task[T, R], 2*workers)
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			var work func(context.Context, T) (R, error)
			for t := range todo {
				if work == nil {
					work = worker()
				}
				t.out, t.err = work(ctx, t.in)
				close(t.done)
			}
		})
	}
	var produced error
	running.Go(func() {
		defer close(ordered)
		defer close(todo)
		produced = produce(func(in T) error {
			t := &task[T, R]{in: in, done: make(chan struct{})}
			for _, to := range []chan *task[T, R]{ordered, todo} {
				select {
				case to <- t:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return nil
		})
	})
	var failed error
	for t := range ordered {
		if failed == nil {
			select {
			case <-t.done:
				if failed = t.err; failed == nil {
					failed = take(t.out)
				}
			case <-ctx.Done():
				failed = ctx.Err()
			}
		}
		if failed != nil {
			cancel()
		}
	}
	running.Wait()
	cancel()
	if failed != nil && (produced == nil || errors.Is(produced, context.Canceled)) {
		return failed
	}
	return errors.Join(failed, produced)
}
