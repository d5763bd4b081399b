package job_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"exclave/chain"
	"exclave/chain/standard"
	"exclave/config"
	"exclave/crawl"
	"exclave/internal/heritrixlogs"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/question"
	"exclave/internal/testweb"
)

// heritrix reads the logs and reports of a job by Heritrix's documentation. The size of
// an answer is that of the thirteenth field, which every answer has.
func heritrix(t *testing.T, cfg *config.Config) *heritrixlogs.Job {
	t.Helper()
	j, err := heritrixlogs.Read(filepath.Join(cfg.Dir, folder.LogDir), filepath.Join(cfg.Dir, folder.ReportDir))
	if err != nil {
		t.Fatal(err)
	}
	judged := func(l heritrixlogs.Line) bool { return l.Annotated("judged") } // ours: nothing was fetched
	for _, d := range j.Disagreements(func(l heritrixlogs.Line) int64 { return max(l.ContentSize, 0) }, judged) {
		t.Error(d)
	}
	for _, l := range j.Log {
		if (l.ContentSize > 0) != (l.Size >= 0) {
			t.Errorf("size %d, content size %d of %s", l.Size, l.ContentSize, l.URI)
		}
	}
	statistics(t, cfg, j)
	return j
}

// statistics reads progress-statistics.log, whose last line agrees with the crawl-report.
func statistics(t *testing.T, cfg *config.Config, j *heritrixlogs.Job) {
	t.Helper()
	log, err := os.Open(filepath.Join(cfg.Dir, folder.LogDir, folder.ProgressLog))
	must(t, err)
	lines, err := heritrixlogs.ProgressStatistics(log)
	must(t, errors.Join(err, log.Close()))
	var last heritrixlogs.Progress
	for _, l := range lines {
		if l.Event == "" {
			last = l
		}
	}
	if last.Downloaded != j.Crawl.Successes || last.Failures != j.Crawl.Failures || last.Queued != j.Frontier.Queued || lines[len(lines)-1].Event != "ENDED" {
		t.Errorf("%+v\n%+v", lines, j.Crawl)
	}
}

// Issue 17: what says that it is Heritrix's is, column by column: read by a reader that
// was written from Heritrix's documentation and reads what Heritrix wrote.
func TestReportsAreHeritrixs(t *testing.T) {
	web := smallWeb()
	web["http://a.test/robots.txt"] = testweb.Text("User-agent: *\nDisallow: /private\n")
	web["http://c.test/d"] = testweb.NationalPage(5, "http://a.test/", "http://a.test/private/x", "http://gone.test/", "http://c.test/old")
	web["http://c.test/old"] = testweb.NationalPage(6)
	web["http://a.test/"] = web["http://a.test/"].With("ETag", `"1"`)
	j := newJob(t, conditional{web}, nil)
	j.run(job.Options{}, "http://a.test/", "http://c.test/", "http://nowhere.test/", "http://a.test/r")
	read := heritrix(t, j.cfg)
	if s := read.Crawl; s.Status != "Finished" || s.SeedsCrawled != 3 || s.SeedsUncrawled != 1 || s.Failures == 0 || s.Disregards != 1 {
		t.Errorf("%+v", s)
	}
	if f := read.Frontier; f.State != "EMPTY" || f.Queued != 0 || f.Exhausted != f.Queues || f.Queues < 3 {
		t.Errorf("%+v", f)
	}
	if len(read.Threads) != 0 || len(read.Nonempty) != 0 {
		t.Errorf("after the end: %+v %+v", read.Threads, read.Nonempty)
	}
	handled, tells := map[string]int64{}, map[string]string{}
	for _, c := range read.Chains {
		for _, p := range c.Processors {
			handled[p.Name], tells[p.Name] = p.Handled, strings.Join(p.Lines, "\n")
			if p.Name == "extract/html" && p.Links == 0 {
				t.Error("no links of HTML")
			}
		}
	}
	// Every built-in processor has its paragraph, with what it tells of itself.
	for _, k := range standard.Kinds() {
		if _, ok := tells[string(k.Chain)+"/"+k.Kind]; !ok {
			t.Errorf("%s/%s has no paragraph", k.Chain, k.Kind)
		}
	}
	for step, line := range map[string]string{"pre-fetch/preconditions": "  robots.txt in memory:  2 of ", "fetch/http": "  Slow exchanges:    0",
		"post/links-scoper": "  Links accepted:  "} {
		if !strings.Contains(tells[step], line) {
			t.Errorf("%s tells %q, not %q", step, tells[step], line)
		}
	}
	types := map[string]int64{}
	for _, c := range read.MIMETypes {
		types[c.Name] = c.URLs
	}
	if handled["extract/css"] != types["text/css"] || handled["fetch/dns"] == 0 || handled["write/warc"] == 0 {
		t.Errorf("handled %v; types %v", handled, types)
	}
	if i := slices.IndexFunc(read.Hosts, func(h heritrixlogs.Host) bool { return h.Name == "a.test" }); i < 0 || read.Hosts[i].Robots != 1 {
		t.Errorf("%+v", read.Hosts)
	}
	if s := read.Seeds; s[0].Crawled || s[len(s)-1].Code != 200 || !slices.ContainsFunc(s, func(s heritrixlogs.Seed) bool { return s.Redirects == "http://a.test/b2" }) {
		t.Errorf("%+v", s)
	}

	// What is asked again: duplicates and answers 304 have columns of their own.
	j.run(job.Options{Recrawl: true}, "http://a.test/again")
	if s := heritrix(t, j.cfg).Crawl; s.DupURIs+s.UnmodifiedURIs == 0 || s.DupBytes+s.SameSize == 0 {
		t.Errorf("%+v", s)
	}
}

// Of a crawl that goes on, of one that rests, and of one with queues that wait, the
// reports are Heritrix's too.
func TestReportsOfWaitingQueues(t *testing.T) {
	j := newJob(t, smallWeb(), func(c *config.Config) { c.Crawl.MaxURLs = 3 })
	j.run(job.Options{}, "http://a.test/", "http://c.test/")
	read := heritrix(t, j.cfg)
	if f := read.Frontier; read.Crawl.Status != "Finished - Maximum number of documents limit hit" || f.State != "FINISH" || f.Queued == 0 || len(f.Shown) == 0 {
		t.Errorf("%+v", read)
	}
	waiting := int64(0)
	for _, q := range read.Nonempty {
		waiting += q.Items
	}
	if waiting != read.Frontier.Queued {
		t.Errorf("%d URIs in %+v, %d queued", waiting, read.Nonempty, read.Frontier.Queued)
	}
	j.with(job.Options{}, func(open *job.Job) {
		for name, read := range map[string]func(string) error{
			"threads-report": func(s string) error {
				_, _, err := heritrixlogs.Threads(strings.NewReader(s))
				return err
			},
			"frontier-summary-report": func(s string) error {
				_, err := heritrixlogs.FrontierSummary(strings.NewReader(s))
				return err
			},
			"frontier-nonempty-report": func(s string) error {
				_, err := heritrixlogs.Nonempty(strings.NewReader(s))
				return err
			},
			"processors-report": func(s string) error {
				_, err := heritrixlogs.Processors(strings.NewReader(s))
				return err
			},
		} {
			var b strings.Builder
			if err := open.Report(t.Context(), name, &b); err != nil {
				t.Error(err)
			}
			if err := read(b.String()); err != nil {
				t.Errorf("%v\n%s", err, b.String())
			}
		}
	})
}

// While a crawl runs: a ToeThread at work, its queue in process.
func TestReportsOfARunningCrawl(t *testing.T) {
	web := newHeldWeb(halfWeb())
	j := newJob(t, web, func(c *config.Config) { c.Crawl.ToeThreads = 2 })
	s := j.start(job.Options{}, site+"/v")
	<-web.asked
	report := func(name string) string {
		var b strings.Builder
		must(t, s.Report(t.Context(), name, &b))
		return b.String()
	}
	text := report("threads-report")
	threads, active, err := heritrixlogs.Threads(strings.NewReader(text))
	for err == nil && (active > 1 || len(threads) < 2) { // the ToeThread before it still hands in its URI, or the other one has not begun: that ends by itself
		runtime.Gosched()
		text = report("threads-report")
		threads, active, err = heritrixlogs.Threads(strings.NewReader(text))
	}
	must(t, err)
	i := slices.IndexFunc(threads, func(th heritrixlogs.Thread) bool { return th.URI == site+"/held" })
	if len(threads) != 2 || active != 1 || i < 0 || threads[i].Processor != "fetch/http" || threads[i].Step != "ABOUT_TO_BEGIN_PROCESSOR" ||
		!strings.Contains(text, " CrawlURI "+site+"/held L "+site+"/v    0 attempts\n") {
		t.Errorf("%+v, %d active\n%s", threads, active, text)
	}
	f, err := heritrixlogs.FrontierSummary(strings.NewReader(report("frontier-summary-report")))
	must(t, err)
	if f.State != "RUN" || f.InProcess != 1 || f.Queued == 0 || !slices.ContainsFunc(f.Shown, func(q heritrixlogs.Queue) bool { return q.Label == "IN-PROCESS" }) {
		t.Errorf("%+v", f)
	}
	queues, err := heritrixlogs.Nonempty(strings.NewReader(report("frontier-nonempty-report")))
	must(t, err)
	waiting := int64(0)
	for _, q := range queues {
		waiting += q.Items
	}
	if waiting != f.Queued {
		t.Errorf("%+v, %d queued", queues, f.Queued)
	}
	c, err := heritrixlogs.Crawl(strings.NewReader(report("crawl-report")))
	must(t, err)
	if c.Status != "Running" {
		t.Errorf("%+v", c)
	}
	if workers := report("workers-report"); !strings.Contains(workers, " fetch fetch/http ") {
		t.Error(workers)
	}
	close(web.open)
	s.end()
	heritrix(t, j.cfg)
}

// Queues whose budgets are spent are retired, in both reports on the frontier.
func TestReportsOfRetiredQueues(t *testing.T) {
	j := newJob(t, smallWeb(), func(c *config.Config) { c.Limits.HostDocuments = 3 })
	j.run(job.Options{}, "http://a.test/")
	read := heritrix(t, j.cfg)
	if f := read.Frontier; f.Retired != 2 || f.Queued == 0 || f.State != "FINISH" || f.Shown[len(f.Shown)-1].Label != "RETIRED" {
		t.Errorf("%+v", f)
	}
	if q := read.Nonempty; len(q) != 2 || q[0].Label != "RETIRED" || q[0].Items+q[1].Items != read.Frontier.Queued {
		t.Errorf("%+v", q)
	}
}

// telling is a processor that tells of itself, with a line too many.
type telling struct{ seen atomic.Int64 }

func (p *telling) Process(context.Context, *crawl.CrawlURI) (chain.Result, error) {
	p.seen.Add(1)
	return chain.Idle(), nil
}

func (p *telling) Report(w io.Writer) error {
	_, err := fmt.Fprintf(w, "Seen:  %d\n\nProcessor: another\n", p.seen.Load())
	return err
}

// A processor's own report is in its paragraph, as in Heritrix, and cannot leave it.
func TestReportOfAProcessor(t *testing.T) {
	j := newJob(t, testweb.Tiny{"http://a.test/": testweb.NationalPage(1)}, nil)
	var o job.Options
	o.ChangeSteps(func(steps map[chain.Name][]chain.Step) {
		steps[chain.Post] = append(steps[chain.Post], chain.Step{Name: "post/telling", Kind: "telling", Proc: &telling{}})
	})
	j.run(o, "http://a.test/")
	for _, p := range heritrix(t, j.cfg).Chains[2].Processors {
		if p.Name == "post/telling" {
			if want := []string{"  Function:          -", "  CrawlURIs handled: 0", "  Seen:  5", "  Processor: another"}; !slices.Equal(p.Lines, want) {
				t.Errorf("%q, want %q", p.Lines, want)
			}
			return
		}
	}
	t.Error("no paragraph")
}

// What is not Heritrix's has no name of Heritrix's.
func TestReportNames(t *testing.T) {
	theirs := []string{"crawl-report", "seeds-report", "hosts-report", "source-report", "mimetype-report", "responsecode-report",
		"processors-report", "frontier-summary-report", "frontier-nonempty-report", "threads-report"}
	ours := []string{"job-report", "status-report", "statmime-report", "steps-report", "queues-report", "truncated-report", "workers-report", "near-duplicates-report"}
	if got, want := slices.Sorted(slices.Values(question.ReportNames())), slices.Sorted(slices.Values(append(theirs, ours...))); !slices.Equal(got, want) {
		t.Errorf("%v\nwant\n%v", got, want)
	}
}
