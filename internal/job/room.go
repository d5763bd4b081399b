package job

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"time"

	"exclave/chain"
	"exclave/internal/printable"
)

// checkEvery is how often the limits of storage are looked at.
const checkEvery = 5 * time.Second

// filesBeside is how many files are open beside those of ToeThreads and kept
// connections: Pebble's tables, WARC files, logs.
const filesBeside = 600

// checkRoom refuses to start where the crawl would soon fail.
func (j *Job) checkRoom(context.Context) error {
	need := uint64(2*j.cfg.Crawl.ToeThreads + j.cfg.HTTP.MaxIdle + filesBeside)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil && limit.Cur < need {
		return fmt.Errorf("job: %d files may be open, %d are needed for %d ToeThreads: raise the limit (ulimit -n %d) or lower toe_threads",
			limit.Cur, need, j.cfg.Crawl.ToeThreads, need)
	}
	free, ok := j.free()
	if least := j.cfg.Crawl.MinFreeDisk; ok && least > 0 && free < least {
		return fmt.Errorf("job: %s are free where %s lies, min_free_disk asks for %s: make room, or lower it in [crawl]",
			printable.Size(free), j.dir, printable.Size(least))
	}
	return nil
}

// free returns the bytes free on the job's disk; ok is false where nobody knows.
func (j *Job) free() (n int64, ok bool) {
	u, err := j.opts.FS.GetDiskUsage(j.dir)
	return int64(u.AvailBytes), err == nil
}

// pauses are who wants the crawl to stand still.
type pauses struct {
	mu   sync.Mutex
	user bool
	full bool // less is free than min_free_disk
	// unanswered is since when no name server answers; zero: some does.
	unanswered time.Time
}

// set changes who wants it and tells the controller.
func (p *pauses) set(ctl *chain.Controller, change func(*pauses)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
	if p.user || p.full || !p.unanswered.IsZero() {
		ctl.Pause()
	} else {
		ctl.Resume()
	}
}

// diskFull reports whether the crawl stands still for want of room.
func (p *pauses) diskFull() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.full
}

// unansweredSince is since when the crawl stands still because no name server answers.
func (p *pauses) unansweredSince() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.unanswered
}

// watchRoom lets the crawl stand still while the disk is nearly full, before anything
// fails, and ends it in order when its archive has the size that it may have.
func (j *Job) watchRoom(ctx context.Context) {
	t := j.opts.Clock.NewTimer(checkEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C():
		}
		var stored int64
		for _, f := range j.frontier.Files() {
			stored += f.Committed
		}
		if limit := j.cfg.Crawl.MaxStorage; limit > 0 && stored >= limit {
			j.opts.Log.Warn("max_storage is reached", "stored", printable.Size(stored))
			j.ctl.Stop(chain.DiskLimit)
		}
		if least := j.cfg.Crawl.MinFreeDisk; least > 0 {
			j.lookAtDisk(least)
		}
		t.Reset(checkEvery)
	}
}

// lookAtDisk pauses the crawl when less is free than it asks for, and lets it go on
// when there is a little more, lest it pause and go on all the time.
func (j *Job) lookAtDisk(least int64) {
	free, ok := j.free()
	switch full := j.paused.diskFull(); {
	case !ok:
	case !full && free < least:
		j.opts.Log.Warn("paused: less is free than min_free_disk; the crawl goes on when there is room", "free", printable.Size(free),
			"min_free_disk", printable.Size(least), "folder", j.dir)
		j.paused.set(j.ctl, func(p *pauses) { p.full = true })
	case full && free >= least+least/16:
		j.opts.Log.Info("there is room again: the crawl goes on", "free", printable.Size(free))
		j.paused.set(j.ctl, func(p *pauses) { p.full = false })
	}
}
