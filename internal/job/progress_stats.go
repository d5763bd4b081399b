package job

import (
	"context"
	"fmt"
	"io"
	"runtime/metrics"
	"strconv"
	"time"

	"exclave/chain"
	"exclave/frontier"
	"exclave/internal/fsx"
)

// ProgressLog is the name of the log of statistics within LogDir.
const ProgressLog = "progress-statistics.log"

// legend names the columns, which end where Heritrix's do.
const legend = "           timestamp  discovered      queued   downloaded       doc/s(avg)  KB/s(avg)   dl-failures   busy-thread   mem-use-KB  heap-size-KB   congestion   max-depth   avg-depth"

// columns are where the values end.
func columns() []int { return []int{20, 32, 44, 57, 74, 85, 99, 113, 126, 140, 153, 165, 177} }

// sample is what a line tells.
type sample struct {
	at         time.Time
	took       time.Duration // of all runs
	stats      frontier.Stats
	ends       ends
	bytes      int64 // of successes
	busy       int
	heap, mem  int64 // bytes
	queues     frontier.QueueStates
	depths     frontier.QueueDepths
	docs, kibs float64 // per second since the sample before
}

// line is a line in Heritrix's layout.
func (s sample) line() string {
	depth := "-"
	if s.depths.Queues > 0 {
		depth = strconv.FormatInt(s.depths.Sum/int64(s.depths.Queues), 10)
	}
	values := []string{
		s.at.UTC().Format(time.RFC3339),
		strconv.FormatInt(s.stats.Discovered, 10),
		strconv.FormatInt(s.stats.Queued+s.stats.InProcess, 10),
		strconv.FormatInt(s.ends.successes, 10),
		fmt.Sprintf("%.2f(%.2f)", s.docs, perSecond(float64(s.ends.successes), s.took)),
		fmt.Sprintf("%d(%d)", int64(s.kibs), int64(perSecond(float64(s.bytes)/1024, s.took))),
		strconv.FormatInt(s.ends.failures, 10),
		strconv.Itoa(s.busy),
		strconv.FormatInt(s.heap/1024, 10),
		strconv.FormatInt(s.mem/1024, 10),
		congestion(s.queues),
		strconv.FormatInt(s.depths.Longest, 10),
		depth,
	}
	var b []byte
	for i, v := range values {
		if i > 0 {
			b = append(b, ' ') // also when a value is wider than its column
		}
		b = fmt.Appendf(b, "%*s", columns()[i]-len(b), v)
	}
	return string(b)
}

// congestion is by how much more the queues with URIs could keep busy: all but retired
// ones, divided by those that cannot be asked more, because they are in process or wait.
// "-" when there is none of these.
func congestion(q frontier.QueueStates) string {
	used := q.InProcess + q.Waiting + q.Resting
	if used == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(used+q.Ready+q.Inactive)/float64(used))
}

// statistics writes progress-statistics.log. It is appended to by every run, and
// not committed with the state: what it says is history, and nobody resumes from
// it.
type statistics struct {
	job  *Job
	out  io.Writer // nil: the log could not be opened
	run  runNote
	mono time.Duration // of last
	last sample
}

// watch writes until ctx ends; stop is the end of the run's own context, which an
// order to stop ends first.
func (j *Job) watchStatistics(ctx context.Context, stop <-chan struct{}, run runNote) {
	s := statistics{job: j, run: run}
	log, err := fsx.OpenAppend(j.opts.FS, j.path(LogDir, ProgressLog))
	if err != nil {
		j.opts.Log.Warn("no statistics are logged", "err", err)
	} else {
		s.out = log
		defer func() {
			if err := log.Close(); err != nil {
				j.opts.Log.Warn("statistics log not closed", "err", err)
			}
		}()
	}
	s.write(legend)
	s.event("STARTED", fmt.Sprintf("run %d", run.Runs))
	s.sample()
	state := chain.State("")
	t := j.opts.Clock.NewTimer(j.cfg.Crawl.StatisticsInterval)
	defer t.Stop()
	for {
		changed := j.ctl.Changed()
		if now := j.ctl.State(); now != state && ctx.Err() == nil {
			s.changed(state, now)
			state = now
		}
		select {
		case <-ctx.Done():
			s.sample()
			return
		case <-changed:
		case <-stop:
			stop = nil // once
		case e := <-j.events:
			s.event(e.what, e.why)
		case <-t.C():
			s.sample()
			s.note(ctx)
			t.Reset(j.cfg.Crawl.StatisticsInterval)
		}
	}
}

// event is something to tell beside the numbers.
type event struct{ what, why string }

// changed writes a change of the run's state.
func (s *statistics) changed(from, to chain.State) {
	switch {
	case to == chain.Paused:
		s.event("PAUSED", "URIs in process are finished")
	case to == chain.Stopping:
		s.event("ENDING", "no further URI is begun")
	case from == chain.Paused:
		s.event("RESUMED", "the pause is over")
	default:
		s.event("RUNNING", fmt.Sprintf("%d ToeThreads", s.job.cfg.Crawl.ToeThreads))
	}
}

func (s *statistics) event(what, why string) {
	s.write(fmt.Sprintf("%s CRAWL %s - %s", s.job.opts.Clock.Now().UTC().Format(time.RFC3339), what, why))
}

func (s *statistics) write(line string) {
	if s.out == nil {
		return
	}
	if _, err := fmt.Fprintln(s.out, line); err != nil {
		s.job.opts.Log.Warn("statistics are no longer logged", "err", err)
		s.out = nil
	}
}

// note keeps the duration in the state, for a run that is killed.
func (s *statistics) note(ctx context.Context) {
	n := s.run
	n.Took = s.last.took
	if err := s.job.note(ctx, n); err != nil && ctx.Err() == nil {
		s.job.opts.Log.Warn("duration of the run not kept", "err", err)
	}
}

// sample writes a line of numbers.
func (s *statistics) sample() {
	j := s.job
	now := sample{at: j.opts.Clock.Now(), stats: j.frontier.Stats(), ends: endsOf(j.frontier),
		busy: j.ctl.Counts().Busy, mem: memoryInUse(), heap: heapInUse(), queues: j.frontier.Queues(), depths: j.frontier.Depths()}
	_, now.bytes = j.frontier.Total().Successes()
	if began := j.began.Load(); began != nil {
		now.took = j.tookBefore + now.at.Sub(*began)
	}
	mono := j.opts.Clock.Mono()
	if !s.last.at.IsZero() {
		since := mono - s.mono
		now.docs = perSecond(float64(now.ends.successes-s.last.ends.successes), since)
		now.kibs = perSecond(float64(now.bytes-s.last.bytes)/1024, since)
	}
	s.last, s.mono = now, mono
	s.write(now.line())
}

// logEnd writes how a run ended, when everything else is over.
func (j *Job) logEnd(status string) {
	log, err := fsx.OpenAppend(j.opts.FS, j.path(LogDir, ProgressLog))
	if err != nil {
		return // said when the run began
	}
	s := statistics{job: j, out: log}
	s.event("ENDED", status)
	if err := log.Close(); err != nil {
		j.opts.Log.Warn("statistics log not closed", "err", err)
	}
}

// heapInUse is what live and not yet collected objects take, in bytes.
func heapInUse() int64 {
	m := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(m)
	return int64(m[0].Value.Uint64())
}
