package progress

import (
	"testing"
	"time"

	"exclave/chain"
)

// "Now" is the last ten seconds: a crawl that stands still says so soon after.
func TestMeter(t *testing.T) {
	var m Meter
	if got := m.Rate(time.Hour, chain.Counts{Fetched: 5}); got != (Rate{}) {
		t.Errorf("a meter that was never fed says %v", got)
	}
	at, c := 5*time.Second, chain.Counts{Fetched: 100, Bytes: 1000} // of an earlier time: no spike
	m.Add(at, c)
	if got := m.Rate(at, c); got != (Rate{}) {
		t.Errorf("at the first mark: %v", got)
	}
	for range 60 {
		at, c.Fetched, c.Bytes = at+time.Second, c.Fetched+3, c.Bytes+300
		m.Add(at, c)
	}
	if got, want := m.Rate(at, c), (Rate{URIs: 3, Bytes: 300}); got != want {
		t.Errorf("steady: %v, want %v", got, want)
	}
	if n := len(m.marks); n > 12 {
		t.Errorf("the meter keeps %d marks", n)
	}
	for range 5 {
		at += time.Second
		m.Add(at, c)
	}
	if got, want := m.Rate(at, c), (Rate{URIs: 1.5, Bytes: 150}); got != want {
		t.Errorf("five seconds after the end: %v, want %v", got, want)
	}
	for range 6 {
		at += time.Second
		m.Add(at, c)
	}
	if got := m.Rate(at, c); got != (Rate{}) {
		t.Errorf("eleven seconds after the end: %v", got)
	}
}
