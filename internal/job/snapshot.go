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
	Elapsed  time.Duration        `json:"elapsed"` // since the run began, nanoseconds; 0 before
	State    chain.State          `json:"state"`
	Frontier frontier.Stats       `json:"frontier"`
	Queues   frontier.QueueStates `json:"queues"`
	Counts   chain.Counts         `json:"counts"` // of this run
	Workers  []chain.Activity     `json:"workers"`
	Steps    []chain.StepStats    `json:"steps"`
}

// Snapshot returns where the crawl stands. It may be called from any goroutine
// between Open and Close.
func (j *Job) Snapshot() Snapshot {
	now := j.opts.Clock.Now()
	var elapsed time.Duration
	if began := j.began.Load(); began != nil {
		elapsed = now.Sub(*began)
	}
	return Snapshot{Job: j.cfg.Job.Name, Time: now, Elapsed: elapsed, State: j.ctl.State(),
		Frontier: j.frontier.Stats(), Queues: j.frontier.Queues(), Counts: j.ctl.Counts(),
		Workers: j.ctl.Activities(), Steps: j.chains.Stats()}
}

// Pause keeps the crawl from beginning further URIs; those in process are
// finished. Called before Run, the run begins paused; a pause does not outlast the
// run. Pause, Resume and Stop may be called from any goroutine between Open and
// Close, any number of times.
func (j *Job) Pause() { j.ctl.Pause() }

// Resume ends a pause.
func (j *Job) Resume() { j.ctl.Resume() }

// Stop ends the run in order, as the end of Run's context does, and does not wait
// for it. Called before Run, the run ends as soon as it began.
func (j *Job) Stop() { j.stop() }
