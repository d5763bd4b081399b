package job

import (
	"time"

	"exclave/chain"
	"exclave/frontier"
	"exclave/internal/job/pause"
	"exclave/internal/job/progress"
	"exclave/internal/sheet"
)

// Snapshot is a running crawl at one moment, as the live view, the metrics and the reports
// show it. The counts of the frontier are of one instant; the other parts are read one after
// the other, each consistent in itself.
type Snapshot struct {
	Job      string        `json:"job"`
	Time     time.Time     `json:"time"`
	Elapsed  time.Duration `json:"elapsed"` // since the run began, nanoseconds; 0 before
	State    chain.State   `json:"state"`
	DiskFull bool          `json:"disk_full"` // paused until more than min_free_disk is free
	// Unanswered is since when the crawl is paused because no name server answers; zero: it is not.
	Unanswered time.Time             `json:"unanswered,omitzero"`
	Frontier   frontier.Stats        `json:"frontier"`
	Queues     frontier.QueueStates  `json:"queues"`
	Changes    frontier.QueueChanges `json:"queue_changes"`    // of this run
	Counts     chain.Counts          `json:"counts"`           // of this run
	Now        progress.Rate         `json:"now"`              // of the last 10 s
	Average    progress.Rate         `json:"average"`          // of this run
	Closed     []sheet.Closing       `json:"closed,omitempty"` // sheets outside whose hours it is
	FreeDisk   int64                 `json:"free_disk"`        // bytes free where the job lies, -1 = not known
	Memory     int64                 `json:"memory"`           // bytes this process has from the system
	Workers    []chain.Activity      `json:"workers"`
	Steps      []chain.StepStats     `json:"steps"`
	Servers    ServerNumbers         `json:"servers"` // CDX servers of [dedup], together
}

// Snapshot returns the present snapshot of the crawl. It may be called from any goroutine
// between Open and Close.
func (j *Job) Snapshot() Snapshot {
	now := j.opts.Clock.Now()
	elapsed := j.runTime.elapsed(now)
	counts := j.ctl.Counts()
	state := j.ctl.State()
	if j.halt.Err() != nil {
		state = chain.Stopping // the controller follows a moment later
	}
	free, ok := pause.Disk{Folder: j.folder}.Free()
	if !ok {
		free = -1
	}
	census := j.frontier.Census()
	return Snapshot{Job: j.cfg.Job.Name, Time: now, Elapsed: elapsed, State: state, DiskFull: j.pauses.DiskFull(),
		Unanswered: j.pauses.UnansweredSince(),
		Frontier:   census.Stats, Queues: census.Queues, Changes: census.Changes, Counts: counts,
		Now: j.meter.Rate(j.opts.Clock.Mono(), counts), Average: progress.RateOf(counts.Fetched, counts.Bytes, elapsed),
		Closed:   j.sheets.Now().Closed(now.Local()),
		FreeDisk: free, Memory: progress.MemoryInUse(),
		Workers: j.ctl.Activities(), Steps: j.chains.Stats(), Servers: j.earlier.numbers()}
}

// Pause keeps the crawl from beginning further URIs; those in process are
// finished. Called before Run, the run begins paused; a pause does not outlast the
// run. Pause, Resume and Stop may be called from any goroutine between Open and
// Close, any number of times.
func (j *Job) Pause() { j.pauses.SetUser(true) }

// Resume ends what Pause began. A crawl that waits for room on its disk, or for a name server, goes on
// waiting.
func (j *Job) Resume() { j.pauses.SetUser(false) }

// Stop ends the run in order, as the end of Run's context does, and does not wait
// for it. Called before Run, the run ends as soon as it began.
func (j *Job) Stop() { j.stop() }
