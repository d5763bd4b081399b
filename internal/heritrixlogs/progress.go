package heritrixlogs

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Progress is a line of progress-statistics.log.
type Progress struct {
	Time                             time.Time
	Discovered, Queued, Downloaded   int64
	Docs, DocsAverage                float64 // per second
	KB, KBAverage                    int64
	Failures, Busy, MemoryKB, HeapKB int64
	Congestion                       string // Java prints what it likes of 0 ÷ 0
	MaxDepth                         int64
	AverageDepth                     string
	Event                            string // of a line about a change: the words after CRAWL; nothing else is set then
}

// progressLegend is StatisticsTracker.progressStatisticsLegend.
const progressLegend = "           timestamp  discovered      queued   downloaded       doc/s(avg)  KB/s(avg)   dl-failures   busy-thread   mem-use-KB  heap-size-KB   congestion   max-depth   avg-depth"

// progressColumns are where CrawlStatSnapshot.getProgressStatisticsLine ends its values.
func progressColumns() []int { return []int{20, 32, 44, 57, 74, 85, 99, 113, 126, 140, 153, 165, 177} }

var (
	progressEvent = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) CRAWL ([A-Z ]+) - .*$`)
	pair          = regexp.MustCompile(`^(-?[\d.]+)\((-?[\d.]+)\)$`)
)

// ProgressStatistics reads a progress-statistics.log, which may have a legend for every
// run.
func ProgressStatistics(in io.Reader) (out []Progress, err error) {
	err = eachLine(in, func(n int, line string) error {
		c := checker{}
		if line == progressLegend {
			return nil
		}
		if n == 1 {
			return fmt.Errorf("the legend is %q", line)
		}
		if f := progressEvent.FindStringSubmatch(line); f != nil {
			out = append(out, Progress{Time: c.time("2006-01-02T15:04:05Z", f[1]), Event: f[2]})
			return c.err
		}
		f := strings.Fields(line)
		ends := progressColumns()
		if len(f) != len(ends) {
			return fmt.Errorf("line %d has %d values: %q", n, len(f), line)
		}
		at := 0
		for i, v := range f {
			at += strings.Index(line[at:], v) + len(v)
			c.must(at >= ends[i], "value %q ends in column %d, not %d", v, at, ends[i])
		}
		rate := func(s string) (string, string) {
			p := pair.FindStringSubmatch(s)
			if p == nil {
				c.must(false, "rate %q", s)
				return "0", "0"
			}
			return p[1], p[2]
		}
		docs, docsAverage := rate(f[4])
		kb, kbAverage := rate(f[5])
		out = append(out, Progress{Time: c.time("2006-01-02T15:04:05Z", f[0]), Discovered: c.number(f[1]), Queued: c.number(f[2]), Downloaded: c.number(f[3]),
			Docs: c.decimal(docs), DocsAverage: c.decimal(docsAverage), KB: c.number(kb), KBAverage: c.number(kbAverage),
			Failures: c.number(f[6]), Busy: c.number(f[7]), MemoryKB: c.number(f[8]), HeapKB: c.number(f[9]), Congestion: f[10], MaxDepth: c.number(f[11]), AverageDepth: f[12]})
		if _, err := strconv.ParseFloat(f[10], 64); err != nil {
			c.must(f[10] == "-", "congestion %q", f[10])
		}
		if c.err != nil {
			return fmt.Errorf("line %d: %w: %q", n, c.err, line)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("progress-statistics.log: %w", err)
	}
	return out, nil
}
