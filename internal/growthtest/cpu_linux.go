package growthtest

import (
	"syscall"
	"time"
)

// threadTime returns the processor time of this thread.
func threadTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &u); err != nil {
		return 0 // the time of a thread that cannot be told never grows
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
