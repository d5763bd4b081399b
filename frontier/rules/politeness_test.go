package rules

import (
	"testing"
	"time"

	"exclave/crawl"
)

func TestSlowServersRestLonger(t *testing.T) {
	// With max_delay alone a server that sends a byte a second would hold a ToeThread
	// nearly half of the time.
	c := DefaultConfig()
	for _, tt := range []struct {
		took time.Duration
		cut  crawl.Truncation
		want time.Duration
	}{
		{25 * time.Second, "", 30 * time.Second},
		{25 * time.Second, crawl.TruncLength, 30 * time.Second},
		{25 * time.Second, crawl.TruncTime, 125 * time.Second},
		{20 * time.Minute, crawl.TruncTime, 15 * time.Minute},
		{time.Millisecond, crawl.TruncTime, 3 * time.Second},
	} {
		if got := c.delay(&crawl.CrawlURI{Took: tt.took, Truncated: tt.cut}); got != tt.want {
			t.Errorf("%v, cut by %q: %v, want %v", tt.took, tt.cut, got, tt.want)
		}
	}
}
