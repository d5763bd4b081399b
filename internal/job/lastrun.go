package job

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"exclave/chain"
	"exclave/config"
	"exclave/frontier"
)

// LastRun is what the state of a job tells about its runs. The zero LastRun is that
// of a job that was never begun.
type LastRun struct {
	Status string        // a [chain.Reason], "failed: …", or "interrupted" when the run was killed
	Runs   int           // begun so far
	Took   time.Duration // of all of them
	Stats  frontier.Stats
	closed bool // in order: the archive is complete
	// spent: what waits stands in retired queues only, whose budgets are what they were.
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

// ReadLastRun reads how the last run of a job ended. The error wraps [ErrLocked]
// while a process works on it.
func ReadLastRun(ctx context.Context, cfg *config.Config, o Options) (l LastRun, err error) {
	o = o.toLook()
	j := Job{cfg: cfg, opts: o, dir: cfg.Dir}
	if _, err = o.FS.Stat(j.path(StateDir)); !errors.Is(err, fs.ErrNotExist) {
		lock, lockErr := j.lock("last run of")
		if lockErr != nil {
			return l, lockErr
		}
		defer func() { err = errors.Join(err, lock.Close()) }()
	}
	if err := Begun(cfg, o); errors.Is(err, ErrNotBegun) {
		return l, nil
	} else if err != nil {
		return l, err
	}
	f, err := openState(ctx, cfg, o)
	if err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, f.Close(ctx)) }()
	run, err := readRunNote(f)
	if err != nil {
		return l, err
	}
	if run.Status == running {
		run.Status = interrupted
	}
	same, err := f.SameLimits()
	if err != nil {
		return l, err
	}
	c := f.Census()
	q := c.Queues
	return LastRun{Status: run.Status, Runs: run.Runs, Took: run.Took, Stats: c.Stats, closed: f.Clean(),
		spent: same && q.Retired > 0 && q.Ready+q.Waiting+q.Resting+q.Inactive+q.InProcess == 0}, nil
}
