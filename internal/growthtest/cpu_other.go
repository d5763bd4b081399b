//go:build !linux

package growthtest

import "time"

// threadTime returns nothing where the time of one thread is not told: there no work
// is found to grow.
func threadTime() time.Duration { return 0 }
