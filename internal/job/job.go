package job

import (
	"context"
	"errors"
	"io"
	"log/slog"

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
	"exclave/internal/job/seeds"
	"exclave/internal/resolve"
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
	Recrawl  bool            // offer finished seeds again, conditionally

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
	// Set by Open.
	cfg         *config.Config
	opts        Options
	dir         string
	folder      folder.Folder
	analyzer    *analyzer.Analyzer
	frontier    *frontier.Frontier
	pool        *warc.Pool
	scope       *decide.Sequence
	seeder      *seeds.Seeder
	names       *resolve.Watch
	chains      *chain.Chains
	ctl         *chain.Controller
	checkpoints *checkpoint.Maker
	closers     []func(context.Context) error // run in reverse

	// What goes on: each guards itself.
	pauses     *pause.Reasons
	unanswered *pause.Names
	meter      progress.Meter
	runTime    runTime
	events     chan event         // for the log of statistics
	halt       context.Context    // ends with Stop
	stop       context.CancelFunc // ends it
}

func (j *Job) path(parts ...string) string { return j.folder.Path(parts...) }

// ImportSeeds streams a log into the frontier, as [seeds.Seeder.Import] does. It may be called from
// any goroutine as long as the job is open, also while it runs; the crawl does not
// end before the import does.
func (j *Job) ImportSeeds(ctx context.Context, in io.Reader, name string, o seeds.ImportOptions) (seeds.Report, error) {
	defer j.frontier.Hold()()
	return j.seeder.Import(ctx, in, name, o)
}

// SameConfig refuses, with [frontier.ErrChanged], a configuration that the state of a begun job does
// not go with.
func (j *Job) SameConfig() error { return j.frontier.SameConfig() }

// Checkpoint makes a checkpoint, as [checkpoint.Maker.Make] does, while the job is open; a crawl goes on meanwhile.
// It may be called from any goroutine.
func (j *Job) Checkpoint(ctx context.Context, name string) (checkpoint.Manifest, error) {
	return j.checkpoints.Make(ctx, name)
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
