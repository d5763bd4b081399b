package job

import (
	"time"

	"exclave/chain"
	"exclave/frontier"
)

// Snapshot is where a running crawl stands: what the live view, the metrics and
// the reports show. The parts are read one after the other, each consistent in
// itself.
type Snapshot struct {
	Job      string               `json:"job"`
	Time     time.Time            `json:"time"`
	Elapsed  time.Duration        `json:"elapsed"` // since the run began, nanoseconds
	State    chain.State          `json:"state"`
	Frontier frontier.Stats       `json:"frontier"`
	Queues   frontier.QueueStates `json:"queues"`
	Counts   chain.Counts         `json:"counts"` // of this run
	Workers  []chain.Activity     `json:"workers"`
	Steps    []chain.StepStats    `json:"steps"`
}

// Snapshot returns where the crawl stands. It may be called from any goroutine
// from the start of Run on.
func (j *Job) Snapshot() Snapshot {
	now := j.opts.Clock.Now()
	return Snapshot{Job: j.cfg.Job.Name, Time: now, Elapsed: now.Sub(j.began), State: j.ctl.State(),
		Frontier: j.frontier.Stats(), Queues: j.frontier.Queues(), Counts: j.ctl.Counts(),
		Workers: j.ctl.Activities(), Steps: j.chains.Stats()}
}
