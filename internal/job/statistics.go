package job

import (
	"context"
	"fmt"

	"exclave/chain"
	"exclave/internal/job/folder"
	"exclave/internal/job/progress"
	"exclave/internal/job/view"
)

// event is something to tell in the log of statistics beside the numbers.
type event struct{ what, why string }

// tell hands an event to the log of statistics, unless that is far behind or nobody logs.
func (j *Job) tell(e event) {
	select {
	case j.events <- e:
	default:
	}
}

// watchStatistics writes progress-statistics.log until ctx ends; stop is the end of the run's own context, which an
// order to stop ends first.
func (j *Job) watchStatistics(ctx context.Context, stop <-chan struct{}, run view.RunNote) {
	s, err := progress.OpenStatistics(j.opts.FS, j.path(folder.LogDir, folder.ProgressLog), j.opts.Clock, j.opts.Log)
	if err != nil {
		j.opts.Log.Warn("no statistics are logged", "err", err)
	}
	defer s.Close()
	s.Legend()
	s.Event("STARTED", fmt.Sprintf("run %d", run.Runs))
	s.Add(j.sample())
	state := chain.State("")
	t := j.opts.Clock.NewTimer(j.cfg.Crawl.StatisticsInterval)
	defer t.Stop()
	for {
		changed := j.ctl.Changed()
		if now := j.ctl.State(); now != state && ctx.Err() == nil {
			s.Event(j.stateEvent(state, now))
			state = now
		}
		select {
		case <-ctx.Done():
			s.Add(j.sample())
			return
		case <-changed:
		case <-stop:
			stop = nil // once
		case e := <-j.events:
			s.Event(e.what, e.why)
		case <-t.C():
			now := j.sample()
			s.Add(now)
			run.Took = now.Took
			if err := j.note(ctx, run); err != nil && ctx.Err() == nil { // for a run that is killed
				j.opts.Log.Warn("duration of the run not kept", "err", err)
			}
			t.Reset(j.cfg.Crawl.StatisticsInterval)
		}
	}
}

// stateEvent tells of a change of the run's state.
func (j *Job) stateEvent(from, to chain.State) (what, why string) {
	switch {
	case to == chain.Paused:
		return "PAUSED", "URIs in process are finished"
	case to == chain.Stopping:
		return "ENDING", "no further URI is begun"
	case from == chain.Paused:
		return "RESUMED", "the pause is over"
	}
	return "RUNNING", fmt.Sprintf("%d ToeThreads", j.cfg.Crawl.ToeThreads)
}

// sample is what the next line of the log tells.
func (j *Job) sample() progress.Sample {
	end := endsOf(j.frontier)
	s := progress.Sample{At: j.opts.Clock.Now(), Stats: j.frontier.Stats(), Successes: end.successes, Failures: end.failures,
		Busy: j.ctl.Counts().Busy, Queues: j.frontier.Queues(), Depths: j.frontier.Depths()}
	_, s.Bytes = j.frontier.Total().Successes()
	if began := j.began.Load(); began != nil {
		s.Took = j.tookBefore + s.At.Sub(*began)
	}
	return s
}

// logEnd writes how a run ended, when everything else is over.
func (j *Job) logEnd(status string) {
	s, err := progress.OpenStatistics(j.opts.FS, j.path(folder.LogDir, folder.ProgressLog), j.opts.Clock, j.opts.Log)
	if err != nil {
		return // said when the run began
	}
	s.Event("ENDED", status)
	s.Close()
}

// measure feeds the meter until ctx ends.
func (j *Job) measure(ctx context.Context) {
	t := j.opts.Clock.NewTimer(progress.MeterEvery)
	defer t.Stop()
	for {
		j.meter.Add(j.opts.Clock.Mono(), j.ctl.Counts())
		select {
		case <-ctx.Done():
			return
		case <-t.C():
			t.Reset(progress.MeterEvery)
		}
	}
}
