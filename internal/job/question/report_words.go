package question

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"exclave/chain"
	"exclave/internal/job/view"
)

// Formats of Heritrix's reports.

// stamp12 is a time to the minute.
func stamp12(t time.Time) string { return t.UTC().Format("200601021504") }

// conventional is a duration in units of days to milliseconds, those of 0 left out.
func conventional(d time.Duration) string {
	ms := d.Milliseconds()
	if ms == 0 {
		return "0ms"
	}
	var b strings.Builder
	if ms < 0 {
		b.WriteByte('-')
		ms = -ms
	}
	for _, u := range []struct {
		ms   int64
		name string
	}{{86_400_000, "d"}, {3_600_000, "h"}, {60_000, "m"}, {1000, "s"}, {1, "ms"}} {
		if n := ms / u.ms; n > 0 {
			b.WriteString(strconv.FormatInt(n, 10) + u.name)
		}
		ms %= u.ms
	}
	return b.String()
}

// displayed is a number of bytes with two significant digits at least.
func displayed(n int64) string {
	if n <= 0 {
		return "0 B"
	}
	f, unit := float64(n), 0
	for f >= 1024 && unit < 4 {
		f, unit = f/1024, unit+1
	}
	digits := 0
	if f < 10 {
		digits = 1
	}
	return fmt.Sprintf("%.*f %s", digits, f, [...]string{"B", "KiB", "MiB", "GiB", "TiB"}[unit])
}

// crawlStatus is Heritrix's description of how a run stands, or ended. What Heritrix has
// no words for (a full disk, a kill) is an abnormal exit; job-report says which.
func crawlStatus(status string) string {
	switch status {
	case "":
		return "Created"
	case view.Running, string(chain.Stopping):
		return "Running"
	case string(chain.Finished):
		return "Finished"
	case string(chain.Stopped):
		return "Finished - Ended by operator"
	case string(chain.TimeLimit):
		return "Finished - Timelimit hit"
	case string(chain.URLLimit):
		return "Finished - Maximum number of documents limit hit"
	case string(chain.ByteLimit):
		return "Finished - Maximum amount of data limit hit"
	}
	if strings.HasPrefix(status, string(chain.Paused)) { // why may follow
		return "Paused"
	}
	return "Finished - Abnormal exit from crawling"
}
