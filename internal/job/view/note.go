package view

import (
	"encoding/json"
	"fmt"
	"time"

	"exclave/frontier"
	"exclave/internal/near"
)

// RunNote is what the state keeps of the runs of a job, for the crawl-report. It
// is renewed with each line of progress-statistics.log.
type RunNote struct {
	Began  time.Time     `json:"began"`  // of the first run
	Took   time.Duration `json:"took"`   // of all runs, nanoseconds
	Runs   int           `json:"runs"`   // begun so far
	Status string        `json:"status"` // how the last one ended, or running
	// Near is what the near-duplicates-report at the end of the last run counted; nil: none was made.
	Near *near.Counts `json:"near,omitempty"`
}

// RunMark is the name of the note in the state; Running is its status before the end,
// and Interrupted is what that means of a run that is over.
const (
	RunMark     = "run"
	Running     = "running"
	Interrupted = "interrupted"
)

// ReadRunNote reads the note in a state; that of a job that never ran is zero.
func ReadRunNote(f *frontier.Frontier) (n RunNote, err error) {
	text, ok, err := f.Marked(RunMark)
	if err != nil || !ok {
		return n, err
	}
	if err := json.Unmarshal(text, &n); err != nil {
		return n, fmt.Errorf("job: note of the last run: %w", err)
	}
	return n, nil
}

// Note reads what the state keeps of the runs. A run that did not come to its end is [Interrupted]: it was killed, and
// nothing was left to say so.
func (v *View) Note() (RunNote, error) {
	n, err := ReadRunNote(v.State)
	if n.Status == Running {
		n.Status = Interrupted
	}
	return n, err
}
