package progress

import (
	"sync"
	"time"

	"exclave/chain"
)

// meterWindow is the time over which a rate is "now".
const meterWindow = 10 * time.Second

// MeterEvery is how often a meter is fed.
const MeterEvery = time.Second

// Rate is how fast a crawl is.
type Rate struct {
	URIs  float64 `json:"uris"`  // answers of web servers per second
	Bytes float64 `json:"bytes"` // received from them per second
}

// Meter keeps the counters of the last seconds. The zero Meter is ready; use it from any goroutine.
type Meter struct {
	mu    sync.Mutex
	marks []meterMark // oldest first
}

type meterMark struct {
	at             time.Duration // monotonic
	fetched, bytes int64
}

// Add notes the counters at an instant, and discards those older than the window.
func (m *Meter) Add(at time.Duration, c chain.Counts) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := 0
	for old+1 < len(m.marks) && m.marks[old+1].at <= at-meterWindow {
		old++
	}
	m.marks = append(m.marks[old:], meterMark{at, c.Fetched, c.Bytes})
}

// Rate returns the rate from the beginning of the window until now.
func (m *Meter) Rate(now time.Duration, c chain.Counts) Rate {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.marks) == 0 {
		return Rate{}
	}
	first := m.marks[0]
	return RateOf(c.Fetched-first.fetched, c.Bytes-first.bytes, now-first.at)
}

// RateOf spreads counts over a time.
func RateOf(uris, bytes int64, over time.Duration) Rate {
	return Rate{URIs: PerSecond(float64(uris), over), Bytes: PerSecond(float64(bytes), over)}
}

// PerSecond spreads a number over a time; it is 0 over none.
func PerSecond(n float64, over time.Duration) float64 {
	if over <= 0 {
		return 0
	}
	return n / over.Seconds()
}
