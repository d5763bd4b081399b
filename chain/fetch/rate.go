package fetch

import (
	"sync"
	"time"
)

// bucket bounds a rate: what comes faster than it empties waits. The zero rate is any.
type bucket struct {
	rate int64 // bytes a second

	mu   sync.Mutex
	full time.Time // when what was let in has gone out
}

// burst is how far a bucket may be filled at once.
const burst = 200 * time.Millisecond

// take lets n bytes in and returns how long to wait before the next ones are asked for.
func (b *bucket) take(n int, now time.Time) time.Duration {
	if b == nil || b.rate <= 0 {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.full.Before(now) {
		b.full = now
	}
	b.full = b.full.Add(time.Duration(float64(n) / float64(b.rate) * float64(time.Second)))
	return max(b.full.Sub(now)-burst, 0)
}

// buckets are those of servers, forgotten when they have been empty for long.
type buckets struct {
	mu sync.Mutex
	of map[string]*bucket
}

// mostBuckets is how many servers are told apart; they are forgotten together.
const mostBuckets = 10_000

// get returns the bucket of a server; nil when it may be as fast as it likes.
func (b *buckets) get(server string, rate int64) *bucket {
	if rate <= 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	at, ok := b.of[server]
	if !ok || at.rate != rate {
		if b.of == nil || len(b.of) >= mostBuckets {
			b.of = map[string]*bucket{}
		}
		at = &bucket{rate: rate}
		b.of[server] = at
	}
	return at
}
