package job

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"exclave/chain"
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
			Size(free), j.dir, Size(least))
	}
	return nil
}

// free returns the bytes free on the job's disk; ok is false where nobody knows.
func (j *Job) free() (n int64, ok bool) {
	u, err := j.opts.FS.GetDiskUsage(j.dir)
	return int64(u.AvailBytes), err == nil
}

// watchRoom stops the crawl in order when a limit of storage is reached.
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
		free, ok := j.free()
		if limit := j.cfg.Crawl.MaxStorage; limit > 0 && stored >= limit {
			j.opts.Log.Warn("max_storage is reached", "stored", Size(stored))
			j.ctl.Stop(chain.DiskLimit)
		}
		if least := j.cfg.Crawl.MinFreeDisk; ok && least > 0 && free < least {
			j.opts.Log.Warn("less is free than min_free_disk", "free", Size(free))
			j.ctl.Stop(chain.DiskLimit)
		}
		t.Reset(checkEvery)
	}
}
