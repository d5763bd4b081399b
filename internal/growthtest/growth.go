package growthtest

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"
	"time"
)

const (
	// Step is the factor between two sizes that are compared.
	Step = 8
	// MaxRatio is how many times longer work on one input may take than on as many bytes
	// in Step inputs of a Step'th of the size.
	MaxRatio = 3
	// Floor is the time that work may take whatever its growth.
	Floor = 20 * time.Millisecond

	first  = 4 << 10   // the least size, in bytes
	last   = 256 << 10 // the greatest of a test
	fuzzed = 32 << 10  // the greatest of a fuzz test, which makes many
	again  = 3         // runs of each size before a failure is believed
)

// Linear fails the test when run takes time that grows faster than its input. input
// returns n bytes, or about as many, of the shape that is tried; run must not change
// them, and must not leave work behind for a second run to find done.
func Linear(t testing.TB, input func(n int) []byte, run func([]byte)) {
	t.Helper()
	if err := grows(last, input, run); err != nil {
		t.Error(err)
	}
}

// Repeated is Linear for fuzz tests: the input is head, unit as often as it fits, and
// tail. An empty unit is no input. It tries less than Linear, to leave the fuzzer time.
func Repeated(t testing.TB, head, unit, tail []byte, run func([]byte)) {
	t.Helper()
	if len(unit) == 0 {
		return
	}
	if err := grows(fuzzed, Repeat(head, unit, tail), run); err != nil {
		t.Errorf("head %q, unit %q, tail %q: %v", head, unit, tail, err)
	}
}

// Repeat returns a shape: head, unit at least once and as often as fits, tail.
func Repeat[T string | []byte](head, unit, tail T) func(n int) []byte {
	return func(n int) []byte {
		times := max((n-len(head)-len(tail))/max(len(unit), 1), 1)
		return append(append([]byte(head), bytes.Repeat([]byte(unit), times)...), tail...)
	}
}

// grows compares sizes up to limit, the small ones first: work that is quadratic is
// found before it takes minutes.
func grows(limit int, input func(n int) []byte, run func([]byte)) error {
	for n := first; n*Step <= limit; n *= Step {
		small, large := input(n), input(n*Step)
		if len(small) == 0 || len(large) < Step/2*len(small) {
			return nil // a shape that cannot be made longer
		}
		parts := func(b []byte) {
			for range Step {
				run(b)
			}
		}
		long := measure(large, run, 1)
		if long < Floor {
			continue
		}
		short := measure(small, parts, 1)
		if long <= MaxRatio*short {
			continue
		}
		// Something else may have been going on: the least of several counts.
		short, long = min(short, measure(small, parts, again)), min(long, measure(large, run, again))
		if long >= Floor && long > MaxRatio*short {
			return fmt.Errorf("growthtest: %d times %d bytes take %v, %d bytes %v: %.1f times as long, %d is the most", Step, len(small), short, len(large), long, float64(long)/float64(max(short, 1)), MaxRatio)
		}
	}
	return nil
}

// measure returns the least processor time of several runs.
func measure(in []byte, run func([]byte), runs int) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	least := time.Duration(1<<63 - 1)
	for range runs {
		began := threadTime()
		run(in)
		least = min(least, threadTime()-began)
	}
	return least
}
