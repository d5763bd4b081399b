package progress

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exclave/frontier"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// docs/formats/progress-statistics.md: Heritrix's ratio counts the queues that have no
// room in memory too.
func TestCongestion(t *testing.T) {
	for _, c := range []struct {
		q    frontier.QueueStates
		want string
	}{
		{frontier.QueueStates{InProcess: 2, Waiting: 1, Resting: 1, Snoozed: 1, Ready: 4, Inactive: 12, Retired: 9}, "5.00"},
		{frontier.QueueStates{InProcess: 1}, "1.00"},
		{frontier.QueueStates{Ready: 3}, "-"},
	} {
		if got := Congestion(c.q); got != c.want {
			t.Errorf("%+v: %s, want %s", c.q, got, c.want)
		}
	}
}

// A line has the rates since the line before it, by the monotonic clock, and those of all runs; a log that cannot be
// written to is said once and given up.
func TestStatistics(t *testing.T) {
	name := filepath.Join(t.TempDir(), "progress-statistics.log")
	clk := clock.NewFake(time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC))
	var said strings.Builder
	log := slog.New(slog.NewTextHandler(&said, nil))
	s, err := OpenStatistics(fsx.Real(), name, clk, log)
	if err != nil {
		t.Fatal(err)
	}
	s.Add(Sample{At: clk.Now(), Took: 90 * time.Second, Successes: 90, Bytes: 90 << 10})
	clk.Advance(10 * time.Second)
	clk.Jump(-time.Hour) // of the wall clock: no rate depends on it
	s.Add(Sample{At: clk.Now(), Took: 100 * time.Second, Successes: 150, Bytes: 190 << 10, Failures: 7, Busy: 3})
	s.Event("PAUSED", "why")
	s.Close()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 3 || lines[2] != "2026-11-22T23:00:10Z CRAWL PAUSED - why" {
		t.Fatalf("%q", lines)
	}
	if f := strings.Fields(lines[0]); f[4] != "0.00(1.00)" || f[5] != "0(1)" {
		t.Errorf("the first: %q", f)
	}
	if f := strings.Fields(lines[1]); f[3] != "150" || f[4] != "6.00(1.50)" || f[5] != "10(1)" || f[6] != "7" || f[7] != "3" {
		t.Errorf("the second: %q", f)
	}
	if s, err = OpenStatistics(fsx.Real(), name, clk, log); err != nil {
		t.Fatal(err)
	}
	if err := s.out.Close(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		s.Event("ENDED", "why")
	}
	if n := strings.Count(said.String(), "no longer logged"); n != 1 {
		t.Errorf("said %d times:\n%s", n, said.String())
	}
}
