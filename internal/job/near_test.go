package job_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/question"
	"exclave/internal/job/rebuild"
	"exclave/internal/testweb"
)

// nearPage is a page of many words, with something changed.
func nearPage(change func(string) string, links ...string) testweb.Page {
	var b strings.Builder
	for n := range 6 {
		b.WriteString(testweb.NationalPage(n).Body)
	}
	page := testweb.NationalPage(9, links...)
	page.Body = strings.Replace(page.Body, "</body>", "<p>Ze dne 17. listopadu: "+change(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(b.String(), " "))+"</p></body>", 1)
	return page
}

// nearWeb has a page, one with the same text and another markup, two of which little differs, a short one, plain text that nobody
// judges, and pages of their own.
func nearWeb() testweb.Tiny {
	same := func(s string) string { return s }
	return testweb.Tiny{
		"http://a.test/":      testweb.NationalPage(1, "/one", "/two", "/print", "/plain", "http://c.test/"),
		"http://a.test/one":   nearPage(same),
		"http://a.test/two":   nearPage(func(s string) string { return strings.Replace(s, "Stránka 3", "Titulek 33", 1) }),
		"http://a.test/print": nearPage(func(s string) string { return strings.ReplaceAll(s, "Stránka", "<b>Stránka</b>") }),
		"http://a.test/plain": testweb.Text("Jen pár slov."),
		"http://c.test/":      nearPage(func(s string) string { return strings.Replace(s, "Stránka 5", "Titulek 55", 1) }),
	}
}

// linkedUnjudged archives what a valid page links to and judges none of it.
func linkedUnjudged(c *config.Config) { c.Analysis.Depth, c.Crawl.AnalyseLinked = 1, false }

const nearReport = "near-duplicates-report"

// nearCounts are the lines of the report above its tables.
func nearCounts(report string) string {
	head, _, _ := strings.Cut(report, "\n\n")
	return head
}

const nearWanted = `pages with text: 6
pages with less than 50 words: 1
different texts: 5
pages with the same text as an earlier one: 1
pages nearly the same as an earlier one: 2
bits that differ at most: 3
groups of the same text: 1
groups nearly the same: 1`

// Issue 20: near-duplicates are counted and reported: what of the archived pages is the same as an earlier one, or nearly, by host.
func TestNearDuplicates(t *testing.T) {
	j := newJob(t, nearWeb(), linkedUnjudged)
	j.run(job.Options{}, "http://a.test/")
	report := readReport(t, j, nearReport)
	if nearCounts(report) != nearWanted {
		t.Fatal(report)
	}
	for _, want := range []string{"\n[#pages] [#short] [#same] [#near] [host]\n", "\n4 3 http://", "\n2 http://a.test/"} {
		if !strings.Contains(report, want) {
			t.Errorf("no %q in\n%s", want, report)
		}
	}
	if ours := readReport(t, j, "job-report"); !strings.Contains(ours, "\npages with the same text: 1\npages nearly the same: 2\n") {
		t.Error(ours)
	}
	// The archive has what the log has.
	log, err := os.ReadFile(filepath.Join(j.cfg.Dir, folder.LogDir, "crawl.log"))
	must(t, err)
	logged := regexp.MustCompile(`"simhash":"([0-9a-f]{16})"`).FindAllSubmatch(log, -1)
	names, err := filepath.Glob(filepath.Join(j.cfg.Dir, folder.WARCDir, "*.warc.gz"))
	must(t, err)
	var archive bytes.Buffer
	for _, name := range names {
		f, err := os.Open(name)
		must(t, err)
		z, err := gzip.NewReader(f)
		must(t, err)
		_, err = io.Copy(&archive, z)
		must(t, errors.Join(err, f.Close()))
	}
	for _, h := range logged {
		if !bytes.Contains(archive.Bytes(), append([]byte("\r\nsimhash: "), h[1]...)) {
			t.Errorf("no metadata record has the simhash %s", h[1])
		}
	}
	if len(logged) != 5 {
		t.Errorf("%d simhashes in\n%s", len(logged), log)
	}
	// Visited again, pages are counted once.
	j.run(job.Options{Recrawl: true}, "http://a.test/")
	if report := readReport(t, j, nearReport); nearCounts(report) != nearWanted {
		t.Errorf("after a recrawl\n%s", report)
	}
}

// A log that is lost is written again from the archive, with the hashes.
func TestNearDuplicatesRecovered(t *testing.T) {
	j := newJob(t, nearWeb(), linkedUnjudged)
	j.run(job.Options{}, "http://a.test/")
	loseState(t, j.cfg)
	must(t, os.Remove(filepath.Join(j.cfg.Dir, folder.LogDir, "crawl.log")))
	recoverJob(t, j.cfg, rebuild.Options{})
	var b strings.Builder
	must(t, question.Look(t.Context(), folder.Of(j.cfg, folder.Env{}), func(q question.Questions) error { return q.Report(t.Context(), nearReport, &b) }))
	if nearCounts(b.String()) != nearWanted {
		t.Error(b.String())
	}
}

// [dedup] near_distance = 0 computes nothing and counts nothing.
func TestNearDuplicatesOff(t *testing.T) {
	j := newJob(t, nearWeb(), func(c *config.Config) { c.Dedup.NearDistance = 0 })
	j.run(job.Options{}, "http://a.test/")
	if report := readReport(t, j, nearReport); report != "not counted: [dedup] near_distance is 0\n" {
		t.Error(report)
	}
	if log, err := os.ReadFile(filepath.Join(j.cfg.Dir, folder.LogDir, "crawl.log")); err != nil || bytes.Contains(log, []byte("textHash")) {
		t.Errorf("%v\n%s", err, log)
	}
}

// Who asks may stop asking.
func TestNearDuplicatesStopped(t *testing.T) {
	j := newJob(t, nearWeb(), nil)
	j.run(job.Options{}, "http://a.test/")
	log := filepath.Join(j.cfg.Dir, folder.LogDir, "crawl.log")
	line, err := os.ReadFile(log)
	must(t, err)
	must(t, os.WriteFile(log, bytes.Repeat(line, 20_000/bytes.Count(line, []byte("\n"))), 0o600)) // long enough for a look at the context
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := &question.Answers{Folder: folder.Of(j.cfg, folder.Env{})}
	if n, err := a.CountNear(ctx); n != nil || err != nil {
		t.Error(n, err)
	}
	if report := readReport(t, j, nearReport); !strings.HasPrefix(report, "not counted: the crawl was interrupted;") {
		t.Error(report)
	}
}
