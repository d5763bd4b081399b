package question

import (
	"context"
	"errors"
	"io"

	"exclave/analyzer"
	"exclave/chain"
	"exclave/chain/decide"
	"exclave/frontier"
	"exclave/internal/job/checkpoint"
	"exclave/internal/job/folder"
	"exclave/internal/job/moved"
	"exclave/internal/job/records"
	"exclave/internal/job/seeds"
	"exclave/internal/job/view"
	"exclave/internal/sheet"
)

// Questions is what can be asked about a job, whether it runs or not: a running crawl answers itself or over its
// control socket, a job at rest by a View. Answers of a running crawl are of the instant at which they are
// given, and hold it up no more than a reader of its state does. All may be called by several goroutines; the end of
// ctx ends them.
type Questions interface {
	// Show tells everything known about a URL; all lifts the limit of 100 links. The error wraps [ErrURL] when it is none.
	Show(ctx context.Context, url string, all bool) (*Shown, error)
	// Why tells why a URL is where it is. The error wraps [ErrURL] when it is none.
	Why(ctx context.Context, url string) (*Why, error)
	// Robots tells what robots.txt decides on URLs; token "" is the job's. The error wraps [ErrURL] when one is none.
	Robots(ctx context.Context, urls []string, token string) (*RobotsAnswer, error)
	// Sheet tells what sheets set for a URL; profiles: as if it were of these. The error wraps [ErrURL] when it is none,
	// [ErrProfile] when the job has no such profile.
	Sheet(ctx context.Context, url string, profiles []string) (SheetAnswer, error)
	// Frontier summarises what is pending, with the n longest queues.
	Frontier(ctx context.Context, n int) (FrontierSummary, error)
	// Queue tells everything known of a host and its queue.
	Queue(ctx context.Context, host string) (*ShownQueue, error)
	// WritePending writes each pending URI that the filter chooses as a line of JSON, up to limit of them (0 = all). The
	// error wraps [ErrFilter] when the filter is none.
	WritePending(ctx context.Context, f Filter, limit int, w io.Writer) error
	// CountRetry tells what [Changes.Retry] would offer again.
	CountRetry(ctx context.Context, r Retry) (Retried, error)
	// Files tells which WARC files and parts of logs the job has, and which are complete.
	Files(ctx context.Context) ([]moved.File, error)
	// Report writes a report. The error wraps [ErrNotRunning] for one on what only a running crawl has.
	Report(ctx context.Context, name string, w io.Writer) error
}

// Changes is what a job can be changed by, whether it runs or not: the running crawl makes them itself or for
// whoever asks at its control socket; a job at rest is opened for them. Each is durable when it returns.
type Changes interface {
	// Delete deletes the pending URIs that the filter chooses from the frontier, and returns how many.
	Delete(ctx context.Context, f Filter) (int, error)
	// Retry offers finished URIs again.
	Retry(ctx context.Context, r Retry) (Retried, error)
	// Checkpoint makes a checkpoint; "" = named by the time. The error wraps [checkpoint.ErrUnusable] when it is about the name.
	Checkpoint(ctx context.Context, name string) (checkpoint.Manifest, error)
	// ImportSeeds reads a log to its end and offers its addresses. An error comes with the report of what was taken before it.
	ImportSeeds(ctx context.Context, in io.Reader, name string, o seeds.ImportOptions) (seeds.Report, error)
}

// Answers answers [Questions] from the open state, the archive and the logs of a job. It is a value put together by
// whoever has them open, and valid as long as they are.
type Answers struct {
	folder.Folder
	State    *frontier.Frontier
	Analyzer *analyzer.Analyzer // its profiles only
	Scope    *decide.Sequence
	Sheets   *sheet.Live
	Records  records.Reader
	Running  *Running // nil of a job at rest
}

var _ Questions = (*Answers)(nil)

// Running is what only a running crawl can tell.
type Running struct {
	Chains     *chain.Chains
	Controller *chain.Controller
	// Note returns the note of the runs as it is now.
	Note func(view.RunNote) view.RunNote
}

// Files tells which WARC files and parts of logs the job has.
func (a *Answers) Files(context.Context) ([]moved.File, error) { return moved.Files(a.State), nil }

// At returns the Answers of a job at rest; v is open with its rules, and stays open while questions are asked.
func At(v *view.View) *Answers {
	return &Answers{Folder: v.Folder, State: v.State, Analyzer: v.Analyzer, Scope: v.Scope, Sheets: v.Sheets, Records: v.Records()}
}

// Look asks questions about a job that is not running. The error wraps [folder.ErrLocked] when another process works on
// the job, [folder.ErrNotBegun] when it has no state.
func Look(ctx context.Context, f folder.Folder, ask func(Questions) error) error {
	v, err := view.Open(ctx, f, view.Options{Rules: true})
	if err != nil {
		return err
	}
	return errors.Join(ask(At(v)), v.Close())
}
