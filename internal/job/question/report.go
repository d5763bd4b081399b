package question

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"exclave/chain/post"
	"exclave/frontier"
	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/internal/job/view"
	"exclave/internal/near"
)

// ErrNotRunning is wrapped by the error of a report on what only a running crawl
// has.
var ErrNotRunning = errors.New("the crawl is not running")

// topRows is how many rows of a report are put in order; those of lower rank
// follow as the state has them, so that memory does not depend on their number.
const topRows = 50_000

// ReportNames returns the names of the reports, in the order in which they are
// written. The file in reports/ has ".txt" after the name.
func ReportNames() []string {
	names := make([]string, 0, len(reports()))
	for _, r := range reports() {
		names = append(names, r.name)
	}
	return names
}

// ReportName returns the name of a report as a person may give it: "hosts",
// "hosts-report" and "hosts-report.txt" are the same.
func ReportName(s string) (name string, ok bool) {
	name = strings.TrimSuffix(strings.TrimSuffix(s, ".txt"), "-report") + "-report"
	return name, slices.Contains(ReportNames(), name)
}

type report struct {
	name  string
	live  bool // it is about what a running crawl has
	write func(*reporter, io.Writer) error
}

// crawlReport and jobReport are the reports that are printed when none is named; they
// can be written after a failure of the state too.
const (
	crawlReport = "crawl-report"
	jobReport   = "job-report"
)

// reports is the table of reports: Heritrix's, which are as Heritrix writes them, then
// ours, none of which has a name of Heritrix's (ADR 41).
func reports() []report {
	return []report{
		{crawlReport, false, (*reporter).crawl},
		{"seeds-report", false, (*reporter).seeds},
		{"hosts-report", false, (*reporter).hosts},
		{"source-report", false, (*reporter).sources},
		{"mimetype-report", false, (*reporter).types},
		{"responsecode-report", false, (*reporter).codes},
		{"processors-report", true, (*reporter).processors},
		{"frontier-summary-report", false, (*reporter).frontierSummary},
		{"frontier-nonempty-report", false, (*reporter).frontierNonempty},
		{"threads-report", true, (*reporter).threads},

		{jobReport, false, (*reporter).jobTotals},
		{"status-report", false, (*reporter).statuses},
		{"statmime-report", false, (*reporter).statmime},
		{"queues-report", false, (*reporter).queues},
		{"truncated-report", false, (*reporter).truncated},
		{nearReport, false, (*reporter).near},
		{"steps-report", true, (*reporter).steps},
		{"workers-report", true, (*reporter).workers},
	}
}

// DefaultReports are those that are printed when none is named.
func DefaultReports() []string { return []string{crawlReport, jobReport} }

// reporter writes reports of one instant.
type reporter struct {
	name    string // of the job
	now     time.Time
	run     view.RunNote
	state   *frontier.Frontier
	view    *frontier.View // nil after a failure of the state: only the default reports are written
	running *Running       // nil when the crawl is not running
	over    bool           // the run has ended; its reports are written
	// balance of a session of a queue, [order] session_balance.
	balance int64
	rows    int        // of a report that are put in order
	known   *seedCount // nil until the seeds were counted
	// distance is [dedup] near_distance, find counts pages nearly the same.
	distance int
	find     func() (near.Result, error)
}

func (r *reporter) write(name string, w io.Writer) error {
	for _, rep := range reports() {
		if rep.name != name {
			continue
		}
		if rep.live && r.running == nil {
			return fmt.Errorf("job: %s: %w; the last run left its own in %s/", name, ErrNotRunning, folder.ReportDir)
		}
		b := bufio.NewWriter(w)
		if err := errors.Join(rep.write(r, b), b.Flush()); err != nil {
			return fmt.Errorf("job: %s: %w", name, err)
		}
		return nil
	}
	return fmt.Errorf("job: there is no report %q; there are %s", name, strings.Join(ReportNames(), ", "))
}

// Report writes a report on the job: of one instant, and of a crawl that goes on meanwhile if one runs. The error
// wraps [ErrNotRunning] when the report is about what only a running crawl has.
func (a *Answers) Report(ctx context.Context, name string, w io.Writer) (err error) {
	if a.Running == nil && LiveReport(name) {
		return (&reporter{}).write(name, w) // which says why
	}
	if err := a.State.Err(); err != nil {
		return fmt.Errorf("job: %s: %w", name, err)
	}
	v, err := a.State.View()
	if err != nil {
		return fmt.Errorf("job: %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	run, err := view.ReadRunNote(a.State)
	if err != nil {
		return err
	}
	switch {
	case a.Running != nil:
		run = a.Running.Note(run)
	case run.Status == view.Running:
		run.Status = view.Interrupted // killed: nothing was left to say so
	}
	r := a.reporter(run)
	r.view = v
	r.find = func() (near.Result, error) { return a.nearDuplicates(ctx) }
	return r.write(name, w)
}

func (a *Answers) reporter(run view.RunNote) *reporter {
	return &reporter{name: a.Config.Job.Name, now: a.Clock.Now(), run: run, state: a.State, running: a.Running,
		balance: int64(a.Config.Order.SessionBalance), rows: topRows, distance: a.Config.Dedup.NearDistance}
}

// LiveReport reports whether a report is about what only a running crawl has.
func LiveReport(name string) bool {
	return slices.ContainsFunc(reports(), func(r report) bool { return r.name == name && r.live })
}

// WriteReports writes all reports into reports/ at the end of a run, but for that of [Answers.CountNear]. Of a crawl
// whose state failed only what is in memory can be told.
func (a *Answers) WriteReports(run view.RunNote) (err error) {
	r := a.reporter(run)
	r.over = true
	if a.State.Err() == nil {
		if r.view, err = a.State.View(); err != nil {
			return fmt.Errorf("job: reports: %w", err)
		}
		defer func() { err = errors.Join(err, r.view.Close()) }()
	}
	for _, rep := range reports() {
		if rep.name == nearReport || r.view == nil && !slices.Contains(DefaultReports(), rep.name) {
			continue
		}
		err := writeAtomic(a.FS, a.Path(folder.ReportDir, rep.name+".txt"), func(w io.Writer) error { return r.write(rep.name, w) })
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteReportFile writes a report to a file: whole, or not at all.
func WriteReportFile(name string, write func(io.Writer) error) error {
	return writeAtomic(fsx.Real(), name, write)
}

// writeAtomic writes a file of any length: whole, or not at all.
func writeAtomic(fs fsx.FS, name string, write func(io.Writer) error) (err error) {
	tmp := name + ".tmp"
	f, err := fs.Create(tmp, fsx.Shared)
	if err != nil {
		return fmt.Errorf("job: write %s: %w", name, err)
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = fs.Rename(tmp, name)
	}
	if err != nil {
		_ = fs.Remove(tmp) // what failed before matters
		return fmt.Errorf("job: write %s: %w", name, err)
	}
	return fsx.SyncDir(fs, fs.PathDir(name))
}

// firstRows holds the first rows of many in order, so that memory does not depend on
// their number.
type firstRows[T any] struct {
	rows    int // that are kept
	compare func(a, b T) int
	top     []T
	total   int // of those that were offered
}

func (k *firstRows[T]) add(row T) {
	k.total++
	if k.top = append(k.top, row); len(k.top) == 2*k.rows {
		k.sort()
	}
}

// sort leaves the rows that are kept, in order.
func (k *firstRows[T]) sort() []T {
	slices.SortFunc(k.top, k.compare)
	clear(k.top[min(k.rows, len(k.top)):])
	k.top = k.top[:min(k.rows, len(k.top))]
	return k.top
}

// ranked prints the first rows of all in order, then the others as each finds
// them. compare is a total order; each is called twice.
func ranked[T any](rows int, each func(func(T) error) error, compare func(a, b T) int, show func(T) error) error {
	k := firstRows[T]{rows: rows, compare: compare}
	if err := each(func(row T) error { k.add(row); return nil }); err != nil {
		return err
	}
	top := k.sort()
	for _, row := range top {
		if err := show(row); err != nil {
			return err
		}
	}
	if k.total == len(top) {
		return nil
	}
	last := top[len(top)-1]
	return each(func(row T) error {
		if compare(row, last) <= 0 {
			return nil
		}
		return show(row)
	})
}

// word makes a value one word of a line, as in crawl.log.
func word(s string) string { return post.Field(s) }

// byCount orders rows of a table: the most first, then by name.
func byCount(a, b int64, x, y string) int { return cmp.Or(cmp.Compare(b, a), cmp.Compare(x, y)) }
