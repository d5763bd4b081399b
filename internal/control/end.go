package control

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"exclave/internal/job/folder"
)

// AwaitEnd returns when the process that crawls has closed the job: its archive is
// complete and another process may open it. The error is ctx's when that ends
// first.
func (c *Client) AwaitEnd(ctx context.Context) error {
	f, err := os.Open(filepath.Join(c.dir, folder.StateDir, folder.LockFile))
	if err != nil {
		return fmt.Errorf("control: %w", err)
	}
	defer f.Close()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		// Asked for, not taken: a crawl that begins now must not find it taken.
		lock := syscall.Flock_t{Type: syscall.F_WRLCK}
		if err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock); err != nil {
			return fmt.Errorf("control: who holds %s: %w", f.Name(), err)
		}
		if lock.Type == syscall.F_UNLCK {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("control: %s has not ended: %w", c.dir, ctx.Err())
		case <-again.C:
		}
	}
}
