package view

import (
	"context"
	"errors"
	"fmt"
	"time"

	"exclave/chain"
	"exclave/frontier"
	"exclave/internal/job/folder"
)

// LastRun is what the state of a job tells about its runs. The zero LastRun is that
// of a job that was never begun.
type LastRun struct {
	Status string        // a [chain.Reason], "failed: …", or "interrupted" when the run was killed
	Runs   int           // begun so far
	Took   time.Duration // of all of them
	Stats  frontier.Stats
	closed bool // in order: the archive is complete
	// spent: all pending URIs are in retired queues, and no budget was raised.
	spent bool
}

// Over reports whether the job needs no further run: everything was crawled that budgets
// pay for, or a limit of its own ended it, and its archive is complete. A disk that was full is no
// such limit, and seeds that were imported since are work to do.
func (l LastRun) Over() bool {
	switch chain.Reason(l.Status) {
	case chain.Finished:
		return l.closed && (l.Stats.Queued+l.Stats.InProcess == 0 || l.spent)
	case chain.TimeLimit, chain.URLLimit, chain.ByteLimit:
		return l.closed
	}
	return false
}

// ReadLastRun reads how the last run of a job ended. The error wraps [folder.ErrLocked]
// while a process works on it.
func ReadLastRun(ctx context.Context, f folder.Folder) (l LastRun, err error) {
	const why = "last run of"
	v, err := Open(ctx, f, Options{For: why})
	if errors.Is(err, folder.ErrNotBegun) { // unless another process is about to begin it
		v = &View{Folder: f.ReadOnly()}
		return l, errors.Join(v.hold(why), v.Close())
	}
	if err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	return v.LastRun()
}

// LastRun reads how the last run of the job ended.
func (v *View) LastRun() (l LastRun, err error) {
	run, err := v.Note()
	if err != nil {
		return l, err
	}
	same, err := v.State.SameLimits()
	if err != nil {
		return l, err
	}
	c := v.State.Census()
	q := c.Queues
	return LastRun{Status: run.Status, Runs: run.Runs, Took: run.Took, Stats: c.Stats, closed: v.State.Clean(),
		spent: same && q.Retired > 0 && q.Ready+q.Waiting+q.Resting+q.Inactive+q.InProcess == 0}, nil
}

// WhyAtRest describes the state of a job at rest in a sentence.
func (l LastRun) WhyAtRest() string {
	left := l.Stats.Queued + l.Stats.InProcess
	rest := fmt.Sprintf("%d URIs are pending; exclave crawl continues with them", left)
	switch left {
	case 0:
		rest = "nothing is pending"
	case 1:
		rest = "1 URI is pending; exclave crawl continues with it"
	}
	if l.spent {
		rest = fmt.Sprintf("%d URIs are left in queues whose budgets are spent: raise [limits], and exclave crawl continues with them", left)
	}
	switch {
	case l.Runs == 0:
		return "the job was never begun: exclave crawl begins it"
	case l.Over():
		return fmt.Sprintf("the job is over (%s); %s", l.Status, rest)
	case l.Status == Interrupted:
		return "the last run was interrupted (killed, or the machine went down); nothing that was acknowledged is lost; " + rest
	case chain.Reason(l.Status) == chain.Stopped:
		return "the last run was stopped; " + rest
	}
	return fmt.Sprintf("the last run ended: %s; %s", l.Status, rest)
}
