package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"exclave/chain"
	"exclave/frontier"
	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/internal/job/pause"
	"exclave/internal/job/progress"
	"exclave/internal/job/question"
	"exclave/internal/job/seeds"
	"exclave/internal/job/view"
	"exclave/internal/printable"
)

// Result is how a run ended.
type Result struct {
	Reason chain.Reason
	Stats  frontier.Stats
	Counts chain.Counts
	Took   time.Duration
	Seeds  []seeds.Report
	Queues frontier.QueueStates // at its end
}

// Run offers the seeds, crawls, and writes the reports. ctx ends it in order:
// what was acknowledged stays, the rest is offered again by the next run. Use it
// once.
func (j *Job) Run(ctx context.Context) (Result, error) {
	r := &run{Job: j, began: j.opts.Clock.Now()}
	if err := r.begin(ctx); err != nil {
		return Result{Reason: chain.Failed}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(j.halt, cancel)()
	stopWatching := r.watch(ctx)
	reason, err := r.crawl(ctx)
	if reason == chain.Finished {
		j.frontier.Packed(ctx) // nobody may open the job again
	}
	stopWatching()
	res := Result{Reason: reason, Stats: j.frontier.Stats(), Queues: j.frontier.Queues(), Counts: j.ctl.Counts(),
		Took: j.opts.Clock.Now().Sub(r.began), Seeds: r.offered}
	return res, errors.Join(err, r.end(ctx, res, err))
}

// run is the one run of an open job. It belongs to the goroutine of [Job.Run].
type run struct {
	*Job
	began   time.Time
	note    view.RunNote   // as the state had it when the run began
	offered []seeds.Report // what became of the files of seeds
}

// begin notes that a run begins.
func (r *run) begin(ctx context.Context) (err error) {
	if r.note, err = view.ReadRunNote(r.frontier); err != nil {
		return err
	}
	if r.note.Runs == 0 {
		r.note.Began = r.began
	}
	r.note.Runs++
	r.note.Status, r.note.Near = view.Running, nil
	if err := r.keep(ctx, r.note); err != nil {
		return err
	}
	r.runTime.begin(r.began, r.note.Took)
	return nil
}

// keep stores the note of the run in the state.
func (r *run) keep(ctx context.Context, n view.RunNote) error {
	text, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("job: note of the run: %w", err)
	}
	_, err = r.frontier.ScheduleMark(ctx, view.RunMark, text)
	return err
}

// watch starts the goroutines beside the crawl. They end when the returned function is called, not with ctx, which ends
// when the run is told to stop.
func (r *run) watch(ctx context.Context) (stop func()) {
	beside, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var all sync.WaitGroup
	if r.opts.Progress != nil {
		all.Go(func() { progress.NewLine(r.opts.Progress, r.opts.Clock, r.began, r.line).Run(beside) })
	}
	all.Go(func() { r.measure(beside) })
	all.Go(func() { r.manifest.watch(beside) })
	all.Go(func() { r.uploads.watch(beside) })
	all.Go(func() { r.logStatistics(beside, ctx.Done()) })
	all.Go(func() { r.checkpoints.Watch(beside, r.frontier.Stats) })
	all.Go(func() { r.unanswered.Watch(beside, r.names.Answers) })
	all.Go(func() {
		pause.Disk{Folder: r.folder}.Watch(beside, r.pauses, r.stored, func() { r.ctl.Stop(chain.DiskLimit) })
	})
	return func() {
		cancel()
		all.Wait()
	}
}

// stored is the length of the archive in bytes.
func (r *run) stored() (n int64) {
	for _, f := range r.frontier.Files() {
		n += f.Committed
	}
	return n
}

// crawl streams the seeds while the ToeThreads already work on them.
func (r *run) crawl(ctx context.Context) (chain.Reason, error) {
	release := r.frontier.Hold() // seeds are still coming: an empty frontier is not the end
	seeded := make(chan error, 1)
	sctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer release()
		var err error
		select {
		case <-r.ctl.Begun(): // a processor that cannot start leaves the state as it is
			if r.offered, err = r.seeder.Files(sctx, r.opts.Recrawl); err == nil && r.opts.Recrawl {
				_, err = r.answers.Retry(sctx, question.Retry{Archived: true, Before: r.began})
			}
		case <-sctx.Done():
		}
		seeded <- err
	}()
	reason, err := r.ctl.Run(ctx)
	cancel()
	return reason, errors.Join(err, <-seeded)
}

// end notes how the run ended, and writes the reports and reports/seeds.json. When ctx has ended, what takes long is left out.
func (r *run) end(ctx context.Context, res Result, crawlErr error) error {
	n := r.note
	n.Status, n.Took = string(res.Reason), n.Took+res.Took
	var errs []error
	if crawlErr != nil {
		n.Status = "failed: " + crawlErr.Error()
	}
	if r.frontier.Err() == nil {
		near, err := r.answers.CountNear(ctx)
		n.Near = near
		errs = append(errs, err, r.keep(context.Background(), n))
	}
	errs = append(errs, r.answers.WriteReports(n))
	r.logEnd(n.Status)
	data, err := json.MarshalIndent(res.Seeds, "", "  ")
	if err != nil {
		return fmt.Errorf("job: seeds report: %w", err)
	}
	return errors.Join(append(errs, fsx.WriteSharedAtomic(r.opts.FS, r.path(folder.ReportDir, "seeds.json"), append(data, '\n')))...)
}

// line is the progress of the crawl, in one line.
func (r *run) line(elapsed time.Duration) string {
	s, c := r.frontier.Stats(), r.ctl.Counts()
	rate := 0.0
	if sec := elapsed.Seconds(); sec > 0 {
		rate = float64(c.Fetched) / sec
	}
	return fmt.Sprintf("%s queued %d busy %d done %d kept %d valid %d failed %d  %.1f/s %s",
		elapsed.Round(time.Second), s.Queued, s.InProcess, s.Finished, s.Archived, s.Valid, s.Failed, rate, printable.Size(c.Bytes))
}

// runTime is how long a job has been crawled. Use it from any goroutine.
type runTime struct {
	before time.Duration             // of the runs before this one; set before began
	began  atomic.Pointer[time.Time] // of this run, nil before
}

// begin notes that a run begins, after others that took so long.
func (t *runTime) begin(at time.Time, before time.Duration) {
	t.before = before
	t.began.Store(&at)
}

// elapsed is the duration of this run, 0 before it began.
func (t *runTime) elapsed(now time.Time) time.Duration {
	if began := t.began.Load(); began != nil {
		return now.Sub(*began)
	}
	return 0
}

// all is the duration of all runs; ok is false before this one began.
func (t *runTime) all(now time.Time) (took time.Duration, ok bool) {
	if t.began.Load() == nil {
		return 0, false
	}
	return t.before + t.elapsed(now), true
}
