package progress

import (
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"time"

	"exclave/frontier"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// legend names the columns, which end where Heritrix's do.
const legend = "           timestamp  discovered      queued   downloaded       doc/s(avg)  KB/s(avg)   dl-failures   busy-thread   mem-use-KB  heap-size-KB   congestion   max-depth   avg-depth"

// columns are where the values end.
func columns() []int { return []int{20, 32, 44, 57, 74, 85, 99, 113, 126, 140, 153, 165, 177} }

// Sample has the values of a line of the log.
type Sample struct {
	At        time.Time
	Took      time.Duration // of all runs
	Stats     frontier.Stats
	Successes int64
	Failures  int64
	Bytes     int64 // of successes
	Busy      int   // ToeThreads with a URI
	Queues    frontier.QueueStates
	Depths    frontier.QueueDepths

	heap, memory int64   // bytes
	docs, kibs   float64 // per second since the sample before
}

// line is a line in Heritrix's layout.
func (s Sample) line() string {
	depth := "-"
	if s.Depths.Queues > 0 {
		depth = strconv.FormatInt(s.Depths.Sum/int64(s.Depths.Queues), 10)
	}
	values := []string{
		s.At.UTC().Format(time.RFC3339),
		strconv.FormatInt(s.Stats.Discovered, 10),
		strconv.FormatInt(s.Stats.Queued+s.Stats.InProcess, 10),
		strconv.FormatInt(s.Successes, 10),
		fmt.Sprintf("%.2f(%.2f)", s.docs, PerSecond(float64(s.Successes), s.Took)),
		fmt.Sprintf("%d(%d)", int64(s.kibs), int64(PerSecond(float64(s.Bytes)/1024, s.Took))),
		strconv.FormatInt(s.Failures, 10),
		strconv.Itoa(s.Busy),
		strconv.FormatInt(s.heap/1024, 10),
		strconv.FormatInt(s.memory/1024, 10),
		Congestion(s.Queues),
		strconv.FormatInt(s.Depths.Longest, 10),
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

// Congestion is the number of queues with URIs that are not retired, divided by those of them that cannot be dispatched
// now, because they are in process or snoozed.
// "-" when there is none of these.
func Congestion(q frontier.QueueStates) string {
	used := q.InProcess + q.Waiting + q.Resting
	if used == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(used+q.Ready+q.Inactive)/float64(used))
}

// Statistics writes progress-statistics.log. It is appended to by every run, and
// not committed with the state: it is for people, and no run reads
// it. Use it from one goroutine; Close it.
type Statistics struct {
	out  io.WriteCloser // nil: the log cannot be written to
	clk  clock.Clock
	log  *slog.Logger
	mono time.Duration // of last
	last Sample
	// failed: a line could not be written, and none is tried any more.
	failed bool
}

// OpenStatistics opens the log with that name. After an error, which is about the file, nothing is
// written, and what is returned can be used all the same.
func OpenStatistics(fs fsx.FS, name string, clk clock.Clock, log *slog.Logger) (*Statistics, error) {
	s := &Statistics{clk: clk, log: log}
	out, err := fsx.OpenAppend(fs, name)
	if err == nil {
		s.out = out
	}
	return s, err
}

// Legend writes the names of the columns.
func (s *Statistics) Legend() { s.write(legend) }

// Event writes a line about an event.
func (s *Statistics) Event(what, why string) {
	s.write(fmt.Sprintf("%s CRAWL %s - %s", s.clk.Now().UTC().Format(time.RFC3339), what, why))
}

// Add writes a line of numbers.
func (s *Statistics) Add(now Sample) {
	now.heap, now.memory = heapInUse(), MemoryInUse()
	mono := s.clk.Mono()
	if !s.last.At.IsZero() {
		since := mono - s.mono
		now.docs = PerSecond(float64(now.Successes-s.last.Successes), since)
		now.kibs = PerSecond(float64(now.Bytes-s.last.Bytes)/1024, since)
	}
	s.last, s.mono = now, mono
	s.write(now.line())
}

// Close closes the log.
func (s *Statistics) Close() {
	if s.out == nil {
		return
	}
	if err := s.out.Close(); err != nil {
		s.log.Warn("statistics log not closed", "err", err)
	}
}

func (s *Statistics) write(line string) {
	if s.out == nil || s.failed {
		return
	}
	if _, err := fmt.Fprintln(s.out, line); err != nil {
		s.log.Warn("statistics are no longer logged", "err", err)
		s.failed = true
	}
}
