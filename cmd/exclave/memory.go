package main

import (
	"math"
	"os"
	"runtime/debug"

	"exclave/config"
)

// memoryVariable sets the limit of the runtime's memory from outside.
const memoryVariable = "GOMEMLIMIT"

// limitMemory makes the runtime keep to the job's memory_limit, unless the user set a
// limit in the environment. It returns what puts back the limit there was.
func limitMemory(c *config.Config) (restore func()) {
	if os.Getenv(memoryVariable) != "" {
		return func() {}
	}
	limit := c.Crawl.MemoryLimit
	if limit == 0 {
		limit = math.MaxInt64 // none
	}
	before := debug.SetMemoryLimit(limit)
	return func() { debug.SetMemoryLimit(before) }
}

// verifyMemory is what the runtime of a verification keeps to. It goes over it while it collects, the more the
// more workers there are: the rest is left of 300 MB.
const verifyMemory = 192 << 20

// spendMemory lets a verification collect garbage less often, as long as it keeps to verifyMemory, unless the user set
// limits in the environment. It returns what puts back the limits there were.
func spendMemory() (restore func()) {
	if os.Getenv(memoryVariable) != "" || os.Getenv("GOGC") != "" {
		return func() {}
	}
	limit, percent := debug.SetMemoryLimit(verifyMemory), debug.SetGCPercent(200)
	return func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	}
}
