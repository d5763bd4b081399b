package fsx

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
)

// FailPoints ends the process at the n-th hit of a named place, so that a test
// can kill the real program between two steps of a protocol. A nil *FailPoints
// does nothing. It is safe for concurrent use.
type FailPoints struct {
	mu   sync.Mutex
	left map[string]int
	act  func(point string)
}

// ParseFailPoints reads "point=n" pairs separated by commas, for example
// "warc.write.mid=3": SIGKILL at the third hit. It returns nil for "".
func ParseFailPoints(spec string) (*FailPoints, error) { return NewFailPoints(spec, kill) }

// NewFailPoints is ParseFailPoints with another act than killing the process;
// act is called on the goroutine that made the n-th hit, once per point.
func NewFailPoints(spec string, act func(point string)) (*FailPoints, error) {
	if spec == "" {
		return nil, nil
	}
	f := &FailPoints{left: make(map[string]int), act: act}
	for pair := range strings.SplitSeq(spec, ",") {
		point, count, _ := strings.Cut(pair, "=")
		n, err := strconv.Atoi(count)
		if err != nil || n < 1 || point == "" {
			return nil, fmt.Errorf("fsx: fail points %q: %q is not point=number with a number from 1", spec, pair)
		}
		f.left[point] = n
	}
	return f, nil
}

// Hit counts a hit of the point and does not return when it was the fatal one.
func (f *FailPoints) Hit(point string) {
	if f == nil {
		return
	}
	f.mu.Lock()
	f.left[point]--
	now := f.left[point] == 0
	f.mu.Unlock()
	if now {
		f.act(point)
	}
}

// kill is SIGKILL and not os.Exit: deferred calls, finalizers and signal
// handlers must not run.
func kill(string) {
	if p, err := os.FindProcess(os.Getpid()); err == nil && p.Kill() == nil {
		select {}
	}
	os.Exit(137)
}
