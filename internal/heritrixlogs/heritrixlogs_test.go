package heritrixlogs_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"exclave/internal/heritrixlogs"
)

const sample = "testdata/heritrix-3.3.0"

// contentSize is what NetarchiveSuite has Heritrix annotate: bytes received, header and body.
func contentSize(l heritrixlogs.Line) int64 {
	for a := range strings.SplitSeq(l.Annots, ",") {
		if n, ok := strings.CutPrefix(a, "content-size:"); ok {
			size, _ := strconv.ParseInt(n, 10, 64)
			return size
		}
	}
	return -1
}

// The reader reads what Heritrix wrote, and its sums hold there: what it demands is not
// more than Heritrix does.
func TestReadsHeritrix(t *testing.T) {
	j, err := heritrixlogs.Read(sample, sample)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range j.Disagreements(contentSize, nil) {
		t.Error(d)
	}
	if len(j.Log) != 16 || len(j.Hosts) != 5 || len(j.Chains) != 3 || len(j.Chains[1].Processors) != 11 || len(j.Frontier.Shown) != 2 {
		t.Errorf("%+v", j)
	}
	for _, l := range j.Log {
		if size := contentSize(l); size >= 0 && l.Size >= size && l.Status != 1 {
			t.Errorf("field 3 of %s counts the header: %d of %d", l.URI, l.Size, size)
		}
	}
	if p := j.Chains[1].Processors[6]; p.Links != 2 || p.Handled != 12 {
		t.Errorf("%+v", p)
	}
}

// What a strict reader is for: each of these would slip through one that splits at blanks.
func TestRefusesWhatIsNotHeritrixs(t *testing.T) {
	for _, c := range []struct{ why, file, old, with string }{
		{"a size that is not right-aligned", "crawl.log", "        52 ", "52 "},
		{"a field too few", "crawl.log", " content-size:52\n", "\n"},
		{"a MIME type with parameters", "crawl.log", " text/css ", " text/css;x "},
		{"another header", "hosts-report.txt", "[#remaining]", "[#queued]"},
		{"columns that do not add up", "hosts-report.txt", "5 133352", "6 133352"},
		{"no blank at the end", "hosts-report.txt", " 0 0 \n", " 0 0\n"},
		{"a failure among response codes", "responsecode-report.txt", "2 404", "2 -404"},
		{"rows out of order", "mimetype-report.txt", "2 4239 image/gif\n", ""},
		{"an unknown status of a seed", "seeds-report.txt", "CRAWLED", "DONE"},
		{"a line of somebody else's in the crawl-report", "crawl-report.txt", "KB/sec: 3\n", "KB/sec: 3\nruns: 1\n"},
		{"a status that Heritrix does not have", "crawl-report.txt", "Finished", "finished"},
		{"a duration in another form", "crawl-report.txt", "41s968ms", "41.968s"},
		{"queues that do not add up", "frontier-summary-report.txt", "Exhausted queues: 2", "Exhausted queues: 3"},
		{"a processor too few", "processors-report.txt", "Number of Processors: 11", "Number of Processors: 12"},
		{"sources out of order", "source-report.txt", "www.kaarefc.dk dns: 3\n", "www.kaarefc.dk dns: 9\n"},
	} {
		t.Run(c.why, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(sample)); err != nil {
				t.Fatal(err)
			}
			name := filepath.Join(dir, c.file)
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(string(text), c.old, c.with, 1)
			if c.with == "" { // to the top, where it does not belong
				changed = strings.Replace(changed, "[mime-types]\n", "[mime-types]\n"+c.old, 1)
			}
			if changed == string(text) {
				t.Fatalf("nothing changed in %s", c.file)
			}
			if err := os.WriteFile(name, []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := heritrixlogs.Read(dir, dir); err == nil {
				t.Error("it was read")
			} else {
				t.Log(err)
			}
		})
	}
}

// threads-report and frontier-nonempty-report of a running crawl, as ToePool, ToeThread
// and WorkQueueFrontier print them.
func TestReadsRunning(t *testing.T) {
	threads := `Toe threads report - 202611231015
 Job being crawled: x
 Number of toe threads in pool: 2 (1 active)

[ToeThread #1: http://a.test/
 CrawlURI http://a.test/ LLE http://a.test/x    2 attempts
    in processor: fetchHttp
    ACTIVE for 1s20ms
    step: ABOUT_TO_BEGIN_PROCESSOR for 1s19ms
Java Thread State: RUNNABLE
Blocked/Waiting On: NONE
    java.lang.Object.wait(Native Method)
]
[ToeThread #2: 
 -no CrawlURI- 
    WAITING for 5s
    step: ABOUT_TO_GET_URI for 5s
Java Thread State: WAITING
Blocked/Waiting On: NONE
]
`
	got, active, err := heritrixlogs.Threads(strings.NewReader(threads))
	if err != nil || active != 1 || len(got) != 2 || got[0].Attempts != 2 || got[0].Processor != "fetchHttp" || got[1].URI != "" {
		t.Errorf("%+v %v", got, err)
	}
	queues := "\n -----===== IN-PROCESS QUEUES =====-----\n\n -----===== READY QUEUES =====-----\n" +
		"queue precedence currentSize totalEnqueues sessionBalance lastCost (averageCost) lastDequeueTime wakeTime totalSpend/totalBudget errorCount lastPeekUri lastQueuedUri\n" +
		"a.test 3 2 2 2999 1(1) - - 1/-1 0 dns:a.test dns:a.test\n" +
		"\n -----===== SNOOZED QUEUES =====-----\n\n -----===== INACTIVE QUEUES =====-----\n\n -----===== RETIRED QUEUES =====-----\n"
	rows, err := heritrixlogs.Nonempty(strings.NewReader(queues))
	if err != nil || len(rows) != 1 || rows[0].Items != 2 || rows[0].Label != "READY" {
		t.Errorf("%+v %v", rows, err)
	}
}
