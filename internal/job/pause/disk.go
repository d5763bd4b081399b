package pause

import (
	"context"
	"fmt"

	"exclave/internal/job/folder"
	"exclave/internal/printable"
)

// Disk watches the disk of a job's folder.
type Disk struct{ folder.Folder }

// Free returns the bytes free on it; ok is false where nobody knows.
func (d Disk) Free() (n int64, ok bool) {
	u, err := d.FS.GetDiskUsage(d.Dir())
	return int64(u.AvailBytes), err == nil
}

// Check refuses to begin where less is free than min_free_disk.
func (d Disk) Check() error {
	free, ok := d.Free()
	if least := d.Config.Crawl.MinFreeDisk; ok && least > 0 && free < least {
		return fmt.Errorf("job: %s are free where %s lies, min_free_disk asks for %s: make room, or lower it in [crawl]",
			printable.Size(free), d.Dir(), printable.Size(least))
	}
	return nil
}

// Watch pauses the crawl while the disk is nearly full, before anything
// fails, and calls stop when the archive, which has stored bytes, has the size that it may have. It ends with ctx.
func (d Disk) Watch(ctx context.Context, r *Reasons, stored func() int64, stop func()) {
	t := d.Clock.NewTimer(checkEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C():
		}
		if n, limit := stored(), d.Config.Crawl.MaxStorage; limit > 0 && n >= limit {
			d.Log.Warn("max_storage is reached", "stored", printable.Size(n))
			stop()
		}
		d.look(r)
		t.Reset(checkEvery)
	}
}

// look pauses the crawl when less than min_free_disk is free, and resumes it when a little more is free, so that it
// does not pause and resume all the time.
func (d Disk) look(r *Reasons) {
	least := d.Config.Crawl.MinFreeDisk
	if least <= 0 {
		return
	}
	free, ok := d.Free()
	switch full := r.DiskFull(); {
	case !ok:
	case !full && free < least:
		d.Log.Warn("paused: less is free than min_free_disk; the crawl resumes when there is room", "free", printable.Size(free),
			"min_free_disk", printable.Size(least), "folder", d.Dir())
		r.setFull(true)
	case full && free >= least+least/16:
		d.Log.Info("there is room again: the crawl resumes", "free", printable.Size(free))
		r.setFull(false)
	}
}
