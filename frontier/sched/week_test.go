package sched

import (
	"os"
	"runtime"
	"testing"
	"time"
)

// A week of a crawl of many queues, a few of them resident: no queue is dispatched before its delay is over, no
// address has too many queues in process, requests too close together or in its pause, and every queue is dispatched.
func TestAWeekOfPoliteness(t *testing.T) {
	queues := 300_000
	switch {
	case os.Getenv("EXCLAVE_LONG") != "":
		queues = 10_000_000
	case testing.Short():
		queues = 50_000
	}
	week(t, queues)
}

// week simulates a week, with so many ToeThreads that it takes about that long to ask all queues.
func week(t testing.TB, queues int) *sim {
	m := newSim(t, queues, max(queues/200, 1000), max(queues/100_000, 2))
	m.run(m.cfg.Opened + 7*24*time.Hour)
	if bad := m.s.IllegalMoves(); len(bad) > 0 {
		t.Errorf("moves that the table does not have: %v", bad)
	}
	if m.asked < queues {
		t.Errorf("%d of %d queues were sent a request in a week", m.asked, queues)
	}
	t.Logf("%d picks; %d of %d queues were sent a request; %d in memory; moves: %+v", m.picks, m.asked, queues, len(m.s.queues), m.s.Changes())
	return m
}

// BenchmarkWeek simulates a week of ten million queues, 50,000 of them in memory.
func BenchmarkWeek(b *testing.B) {
	for b.Loop() {
		began := time.Now()
		m := week(b, 10_000_000)
		b.ReportMetric(float64(m.picks)/time.Since(began).Seconds(), "picks/s")
	}
}

// BenchmarkMemory measures the memory of a queue: without its row, and with its first URIs loaded.
func BenchmarkMemory(b *testing.B) {
	const queues = 1_000_000
	for b.Loop() {
		m := newSim(b, queues, queues, 1)
		before := inUse()
		for m.picks < queues/2 {
			m.run(m.now + time.Hour)
		}
		b.ReportMetric(float64(inUse()-before)/float64(len(m.s.queues)), "B/queue")
		runtime.KeepAlive(m)
	}
}

func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
