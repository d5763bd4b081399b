package verify

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"exclave/internal/job/progress"

	"exclave/internal/printable"
)

// effort is how much there is to do, and how much of it is done. Its parts are weighed by what
// they cost, about, so that the time that is left can be estimated from the beginning.
type effort struct {
	mu    sync.Mutex
	parts []*part
	now   *part
}

type part struct {
	name  string
	bytes bool  // counts are bytes
	total int64 // 0: not known
	cost  float64
	done  atomic.Int64
}

// Costs in nanoseconds: they need only be right in proportion.
const (
	costLogByte, costLogByteFast         = 12, 1
	costURI                              = 4000
	costArchiveByte, costArchiveByteFast = 4, 0.3
)

// plan says what there is to do.
func (e *effort) plan(v *verifier) {
	logs, archive := part{name: "logs", bytes: true, cost: costLogByte}, part{name: "archive", bytes: true, cost: costArchiveByte}
	if v.with.Fast {
		logs.cost, archive.cost = costLogByteFast, costArchiveByteFast
	}
	for _, row := range v.State.Logs() {
		length, _ := row.Total()
		logs.total += length
	}
	for _, f := range v.files {
		archive.total += f.row.Committed
	}
	e.parts = []*part{&logs, {name: "state", total: v.State.Stats().Discovered, cost: costURI}, &archive}
	e.now = e.parts[0]
}

// begin begins a part of the work.
func (e *effort) begin(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.parts {
		if p.name == name {
			e.now = p
		}
	}
}

// add counts what was done of the present part.
func (e *effort) add(n int64) {
	e.mu.Lock()
	p := e.now
	e.mu.Unlock()
	p.done.Add(n)
}

// line is the progress of the work, for a person.
func (e *effort) line(elapsed time.Duration, defects int64) string {
	e.mu.Lock()
	now := e.now
	e.mu.Unlock()
	var done, left float64
	for _, p := range e.parts {
		d := min(p.done.Load(), p.total)
		done += p.cost * float64(d)
		left += p.cost * float64(p.total-d)
	}
	of := fmt.Sprintf("%d of %d URIs", now.done.Load(), now.total)
	if now.bytes {
		of = fmt.Sprintf("%s of %s", printable.Size(now.done.Load()), printable.Size(now.total))
	}
	s := fmt.Sprintf("verify: %s %s, ", now.name, of)
	if done > 0 {
		s += about(time.Duration(float64(elapsed)*left/done)) + " left; "
	}
	if defects == 1 {
		return s + "1 defect so far"
	}
	return s + fmt.Sprintf("%d defects so far", defects)
}

// about rounds a time as a person would.
func about(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()+0.5))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// showProgress shows it until the returned function is called.
func (v *verifier) showProgress(ctx context.Context) (end func()) {
	p := progress.NewLine(v.with.Progress, v.Clock, v.Clock.Now(),
		func(elapsed time.Duration) string { return v.effort.line(elapsed, v.found.Load()) })
	tell := v.with.Defect
	v.with.Defect = func(d Defect) { p.Aside(func() { tell(d) }) }
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { p.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}
