package growthtest

import (
	"bytes"
	"testing"
)

// Work of less than a tick of the kernel takes time: the least of several measurements is never nothing.
func TestThreadTime(t *testing.T) {
	in := bytes.Repeat([]byte("ab"), 32<<10)
	for range 50 {
		if measure(in, func(b []byte) { bytes.Count(b, []byte("ba")) }, 1) <= 0 {
			t.Fatal("64 KiB were searched in no time")
		}
	}
}
