package main

import (
	"math"
	"os"
	"runtime/debug"

	"exclave/config"
)

// memoryVariable sets the limit of the runtime's memory from outside.
const memoryVariable = "GOMEMLIMIT"

// limitMemory makes the runtime keep to the job's memory_limit, unless somebody set a
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
