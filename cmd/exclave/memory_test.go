package main

import (
	"math"
	"runtime/debug"
	"testing"

	"exclave/config"
)

// TestMemoryLimit: the runtime keeps to what the configuration says while the job
// runs; the environment counts more.
func TestMemoryLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	for _, c := range []struct {
		why         string
		environment string
		limit, want int64
	}{
		{"the configuration", "", 512 << 20, 512 << 20},
		{"no limit", "", 0, math.MaxInt64},
		{"the environment counts more", "1GiB", 512 << 20, before},
	} {
		t.Setenv(memoryVariable, c.environment)
		cfg := config.Default("")
		cfg.Crawl.MemoryLimit = c.limit
		restore := limitMemory(cfg)
		if got := debug.SetMemoryLimit(-1); got != c.want {
			t.Errorf("%s: the limit is %d, not %d", c.why, got, c.want)
		}
		restore()
		if got := debug.SetMemoryLimit(-1); got != before {
			t.Errorf("%s: afterwards the limit is %d, not %d", c.why, got, before)
		}
	}
	if n := config.Default("").Crawl.MemoryLimit; n != 768<<20 {
		t.Errorf("the default is %d", n)
	}
}
