package job_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/question"
	"exclave/internal/testweb"
)

func readReport(t *testing.T, j *testJob, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(j.cfg.Dir, folder.ReportDir, name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// docs/formats/reports.md: the reports at the end say what the server saw, are the
// same when asked for later, and count on in the next run.
func TestReports(t *testing.T) {
	j := newJob(t, smallWeb(), nil)
	h := j.run(job.Options{}, "http://a.test/", "http://c.test/", "http://a.test/missing2")
	hits := map[string]int{} // by host
	for _, hit := range j.web.Log() {
		host, _, _ := strings.Cut(strings.TrimPrefix(hit.URL, "http://"), "/")
		hits[host]++
	}
	hosts := readReport(t, j, "hosts-report")
	for host, n := range hits {
		if !strings.Contains(hosts, fmt.Sprintf("\n%d ", n)) || !strings.Contains(hosts, " "+host+" ") {
			t.Errorf("the server saw %d requests for %s; hosts-report\n%s", n, host, hosts)
		}
	}
	if !strings.HasPrefix(hosts, "[#urls] [#bytes] [host] [#robots] [#remaining] [#novel-urls] ") || !strings.Contains(hosts, "\n2 ") {
		t.Error(hosts)
	}
	crawl := readReport(t, j, "crawl-report")
	for _, want := range []string{"crawl name: test\ncrawl status: Finished\n", "\nseeds crawled: 3\nseeds uncrawled: 0\n",
		"\nhosts visited: 2\n", fmt.Sprintf("\nURIs processed: %d\n", len(j.web.Log())+2), // and two DNS answers
		"\nURI failures: 0\n"} {
		if !strings.Contains(crawl, want) {
			t.Errorf("no %q in crawl-report\n%s", want, crawl)
		}
	}
	ours := readReport(t, j, "job-report")
	for _, want := range []string{"job: test\nstatus: finished\nruns: 1\n", "\nURIs queued: 0\n", fmt.Sprintf("\nURIs archived: %d\n", h.result.Stats.Archived), "\nqueues: 2\n"} {
		if !strings.Contains(ours, want) {
			t.Errorf("no %q in job-report\n%s", want, ours)
		}
	}
	if seeds := readReport(t, j, "seeds-report"); !strings.Contains(seeds, "\n404 CRAWLED http://a.test/missing2\n") {
		t.Error(seeds)
	}
	var names, live []string
	for _, name := range question.ReportNames() {
		if question.LiveReport(name) {
			if text := readReport(t, j, name); strings.Count(text, "\n") < 5 && text != "no ToeThreads\n" {
				t.Errorf("%s: %s", name, text)
			}
			live = append(live, name)
		} else {
			names = append(names, name)
		}
	}
	err := question.Look(t.Context(), folder.Of(j.cfg, folder.Env{}), func(q question.Questions) error {
		for _, name := range live {
			if err := q.Report(t.Context(), name, io.Discard); !errors.Is(err, question.ErrNotRunning) {
				t.Errorf("at rest %s: %v", name, err)
			}
		}
		for _, name := range names {
			var b strings.Builder
			if err := q.Report(t.Context(), name, &b); err != nil {
				return err
			}
			if was := readReport(t, j, name); b.String() != was && !strings.HasPrefix(name, "frontier") { // whose rests go by
				t.Errorf("%s at the end\n%safterwards\n%s", name, was, b.String())
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(j.cfg.Dir, folder.LogDir, folder.ProgressLog))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"  discovered  ", " CRAWL STARTED - run 1\n", " CRAWL RUNNING - 4 ToeThreads\n", " CRAWL ENDED - finished\n"} {
		if !strings.Contains(string(log), want) {
			t.Errorf("no %q in\n%s", want, log)
		}
	}
	j.run(job.Options{Recrawl: true}, "http://a.test/again")
	if ours := readReport(t, j, "job-report"); !strings.Contains(ours, "\nruns: 2\n") {
		t.Error(ours)
	}
}

// A report of a running crawl needs one.
func TestReportOfARestingJob(t *testing.T) {
	j := newJob(t, testweb.Tiny{"http://a.test/": testweb.NationalPage(1)}, nil)
	j.run(job.Options{}, "http://a.test/")
	err := question.Look(t.Context(), folder.Of(j.cfg, folder.Env{}), func(q question.Questions) error {
		return q.Report(t.Context(), "threads-report", io.Discard)
	})
	if !errors.Is(err, question.ErrNotRunning) || !strings.Contains(err.Error(), "not running") {
		t.Error(err)
	}
}
