package progress

import (
	"exclave/frontier"
	"testing"
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
