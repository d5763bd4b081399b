package job

import (
	"context"
	"fmt"
	"time"

	"exclave/chain"
	"exclave/internal/job/checkpoint"
	"exclave/internal/job/folder"
	"exclave/internal/job/progress"
	"exclave/internal/job/question"
)

// event is a line of the log of statistics that has no numbers.
type event struct{ what, why string }

// tell sends an event to the log of statistics. It is lost when the log is far behind or not open.
func (j *Job) tell(what, why string) {
	select {
	case j.events <- event{what, why}:
	default:
	}
}

// checkpointed tells of a checkpoint.
func (j *Job) checkpointed(c checkpoint.Manifest) {
	j.tell("CHECKPOINTED", fmt.Sprintf("%s in %v, commits held for %v", c.Name, c.Took.Round(time.Millisecond), c.Held.Round(time.Millisecond)))
}

// logStatistics writes progress-statistics.log until ctx ends; stop is the end of the run's own context, which an
// order to stop ends first.
func (r *run) logStatistics(ctx context.Context, stop <-chan struct{}) {
	s, err := progress.OpenStatistics(r.opts.FS, r.path(folder.LogDir, folder.ProgressLog), r.opts.Clock, r.opts.Log)
	if err != nil {
		r.opts.Log.Warn("no statistics are logged", "err", err)
	}
	defer s.Close()
	s.Legend()
	s.Event("STARTED", fmt.Sprintf("run %d", r.note.Runs))
	s.Add(r.sample())
	state := chain.State("")
	t := r.opts.Clock.NewTimer(r.cfg.Crawl.StatisticsInterval)
	defer t.Stop()
	for {
		changed := r.ctl.Changed()
		if now := r.ctl.State(); now != state && ctx.Err() == nil {
			s.Event(r.stateEvent(state, now))
			state = now
		}
		select {
		case <-ctx.Done():
			s.Add(r.sample())
			return
		case <-changed:
		case <-stop:
			stop = nil // once
		case e := <-r.events:
			s.Event(e.what, e.why)
		case <-t.C():
			now := r.sample()
			s.Add(now)
			n := r.note
			n.Took = now.Took
			if err := r.keep(ctx, n); err != nil && ctx.Err() == nil { // for a run that is killed
				r.opts.Log.Warn("duration of the run not kept", "err", err)
			}
			t.Reset(r.cfg.Crawl.StatisticsInterval)
		}
	}
}

// stateEvent tells of a change of the run's state.
func (r *run) stateEvent(from, to chain.State) (what, why string) {
	switch {
	case to == chain.Paused:
		return "PAUSED", "URIs in process are finished"
	case to == chain.Stopping:
		return "ENDING", "no further URI is begun"
	case from == chain.Paused:
		return "RESUMED", "the pause is over"
	}
	return "RUNNING", fmt.Sprintf("%d ToeThreads", r.cfg.Crawl.ToeThreads)
}

// sample has the values of the next line of the log.
func (r *run) sample() progress.Sample {
	end := question.EndsOf(r.frontier)
	s := progress.Sample{At: r.opts.Clock.Now(), Stats: r.frontier.Stats(), Successes: end.Successes, Failures: end.Failures,
		Busy: r.ctl.Counts().Busy, Queues: r.frontier.Queues(), Depths: r.frontier.Depths()}
	_, s.Bytes = r.frontier.Total().Successes()
	s.Took, _ = r.runTime.all(s.At)
	return s
}

// logEnd writes how a run ended, when everything else is over.
func (r *run) logEnd(status string) {
	s, err := progress.OpenStatistics(r.opts.FS, r.path(folder.LogDir, folder.ProgressLog), r.opts.Clock, r.opts.Log)
	if err != nil {
		return // reported when the run began
	}
	s.Event("ENDED", status)
	s.Close()
}

// measure feeds the meter until ctx ends.
func (r *run) measure(ctx context.Context) {
	t := r.opts.Clock.NewTimer(progress.MeterEvery)
	defer t.Stop()
	for {
		r.meter.Add(r.opts.Clock.Mono(), r.ctl.Counts())
		select {
		case <-ctx.Done():
			return
		case <-t.C():
			t.Reset(progress.MeterEvery)
		}
	}
}
