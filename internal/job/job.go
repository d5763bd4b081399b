package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"exclave/analyzer"
	"exclave/chain"
	"exclave/chain/decide"
	"exclave/config"
	"exclave/frontier"
	"exclave/internal/clock"
	"exclave/internal/fsx"
	"exclave/internal/job/checkpoint"
	"exclave/internal/job/folder"
	"exclave/internal/job/pause"
	"exclave/internal/job/progress"
	"exclave/internal/job/question"
	"exclave/internal/job/rules"
	"exclave/internal/job/seeds"
	"exclave/internal/job/view"
	"exclave/internal/resolve"
	"exclave/internal/sheet"
	"exclave/internal/urlx"
	"exclave/warc"
)

// Options are what a job needs from its surroundings.
type Options struct {
	FS       fsx.FS          // default: the real file system
	Clock    clock.Clock     // default: the system's
	Log      *slog.Logger    // default: discards
	Progress io.Writer       // where progress goes; nil = nowhere
	Fail     *fsx.FailPoints // for kill tests; nil = none
	Software string          // name/version for warcinfo and user agent
	Version  string          // for the user agent
	AtRest   bool            // nothing will be fetched: passwords and addresses to connect from need not be there
	Recrawl  bool            // ask again for the seeds and for everything archived, conditionally

	steps func(map[chain.Name][]chain.Step) // changes those of the chains; for tests
}

func (o Options) withDefaults() Options {
	e := o.Env().WithDefaults()
	o.FS, o.Clock, o.Log = e.FS, e.Clock, e.Log
	return o
}

// Env is the part of them that every work on a job needs.
func (o Options) Env() folder.Env { return folder.Env{FS: o.FS, Clock: o.Clock, Log: o.Log} }

// Job is an open job: what [Open] composed, to be run once. [Job.Run] is for one goroutine, everything else for any,
// between Open and [Job.Close].
type Job struct {
	question.Questions // answered of the job as it is now; a crawl goes on meanwhile

	// Set by Open.
	cfg         *config.Config
	opts        Options
	folder      folder.Folder
	analyzer    *analyzer.Analyzer
	frontier    *frontier.Frontier
	pool        *warc.Pool
	manifest    *manifest
	uploads     *uploads
	scope       *decide.Sequence
	sheets      *sheet.Live
	seeder      *seeds.Seeder
	names       *resolve.Watch
	earlier     *earlier // nil: no other archives are looked into
	chains      *chain.Chains
	ctl         *chain.Controller
	checkpoints *checkpoint.Maker
	answers     *question.Answers
	closers     []func(context.Context) error // run in reverse

	// Safe for concurrent use.
	pauses     *pause.Reasons
	unanswered *pause.Names
	meter      progress.Meter
	runTime    runTime
	events     chan event         // for the log of statistics
	halt       context.Context    // ends with Stop
	stop       context.CancelFunc // ends it
}

var _ question.Changes = (*Job)(nil)

func (j *Job) path(parts ...string) string { return j.folder.Path(parts...) }

// ImportSeeds streams a log into the frontier, as [seeds.Seeder.Import] does. It may be called from
// any goroutine as long as the job is open, also while it runs; the crawl does not
// end before the import does.
func (j *Job) ImportSeeds(ctx context.Context, in io.Reader, name string, o seeds.ImportOptions) (seeds.Report, error) {
	defer j.frontier.Hold()()
	return j.seeder.Import(ctx, in, name, o)
}

// Delete deletes pending URIs from the frontier, as [question.Answers.Delete] does.
func (j *Job) Delete(ctx context.Context, f question.Filter) (deleted int, err error) {
	return j.answers.Delete(ctx, f)
}

// Retry offers finished URIs again, as [question.Answers.Retry] does.
func (j *Job) Retry(ctx context.Context, r question.Retry) (question.Retried, error) {
	return j.answers.Retry(ctx, r)
}

// Checkpoint makes a checkpoint, as [checkpoint.Maker.Make] does, while the job is open; a crawl goes on meanwhile.
// It may be called from any goroutine.
func (j *Job) Checkpoint(ctx context.Context, name string) (checkpoint.Manifest, error) {
	return j.checkpoints.Make(ctx, name)
}

// Reload reads the sheets anew and puts them in force: for what is fetched from now on, and for links found. Hosts go on
// whose budget they raise, and those wake that waited for hours which are others now. After an error those in force before still are, unless it says that it was the frontier's. It
// returns how many there are.
func (j *Job) Reload(ctx context.Context) (sheets int, err error) {
	before := j.sheets.Now()
	set, err := rules.Sheets(j.folder, j.analyzer.Names())
	if err == nil {
		err = rules.MoreSourceAddresses(j.cfg, before, set).Err("job")
	}
	if err != nil {
		return 0, err
	}
	j.sheets.Replace(set)
	if before.HasBudgets() || set.HasBudgets() {
		if err := j.frontier.ReviveRaised(context.WithoutCancel(ctx)); err != nil { // whoever asked may have left
			return 0, fmt.Errorf("job: the sheets are in force, but hosts whose budgets they raise wait for the next start: %w", err)
		}
	}
	if before.HasHours() || set.HasHours() {
		if err := j.frontier.WakeOffHours(context.WithoutCancel(ctx), j.opensNow(set)); err != nil {
			return 0, fmt.Errorf("job: the sheets are in force, but hosts that wait for their hours do so for up to ten minutes more: %w", err)
		}
	}
	j.tell("sheets", fmt.Sprintf("%d were read anew", set.Len()))
	return set.Len(), nil
}

// opensNow tells of URLs whether the hours of sheets let them be asked for now.
func (j *Job) opensNow(set *sheet.Set) func(url string) bool {
	now := j.opts.Clock.Now().Local()
	return func(url string) bool {
		u, err := urlx.Parse(url)
		if err != nil { // a state made by hand: the preselector ends it
			return true
		}
		_, closed := set.ClosedFor(u, now)
		return !closed
	}
}

// note is the note of the runs as it is now.
func (j *Job) note(n view.RunNote) view.RunNote {
	if took, ok := j.runTime.all(j.opts.Clock.Now()); ok {
		n.Took = took
	}
	n.Status = string(j.ctl.State())
	if since := j.pauses.UnansweredSince(); !since.IsZero() {
		n.Status += ": no name server answers since " + since.UTC().Format(time.RFC3339)
	}
	return n
}

// Close gives back everything in reverse order of opening.
func (j *Job) Close() error {
	var errs []error
	for i := len(j.closers) - 1; i >= 0; i-- {
		errs = append(errs, j.closers[i](context.Background()))
	}
	j.closers = nil
	return errors.Join(errs...)
}
