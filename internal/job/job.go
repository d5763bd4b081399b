package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"exclave/analyzer"
	"exclave/chain"
	"exclave/chain/decide"
	"exclave/chain/extract"
	"exclave/chain/fetch"
	"exclave/chain/standard"
	"exclave/config"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/clock"
	"exclave/internal/fsx"
	"exclave/internal/job/checkpoint"
	"exclave/internal/job/evidence"
	"exclave/internal/job/folder"
	"exclave/internal/job/progress"
	"exclave/internal/job/records"
	"exclave/internal/job/rules"
	"exclave/internal/job/seeds"
	"exclave/internal/job/view"
	"exclave/internal/printable"
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

// Job is an open job. Use it from one goroutine; Close it.
type Job struct {
	cfg      *config.Config
	opts     Options
	dir      string
	folder   folder.Folder
	closers  []func(context.Context) error // run in reverse
	frontier *frontier.Frontier
	pool     *warc.Pool
	analyzer *analyzer.Analyzer
	key      evidence.Key // that evidence is hashed under
	newKey   bool         // it is not written yet
	// credentials are filled before the first request is made.
	credentials fetch.Credentials
	chains      *chain.Chains
	ctl         *chain.Controller
	notes       []warc.Note
	scope       *decide.Sequence
	seeder      *seeds.Seeder
	offered     []seeds.Report            // what became of the files of seeds
	began       atomic.Pointer[time.Time] // of Run, nil before
	// tookBefore is the duration of the runs before this one; set before began.
	tookBefore  time.Duration
	halt        context.Context // ends with Stop
	stop        context.CancelFunc
	meter       progress.Meter
	paused      pauses
	checkpoints *checkpoint.Maker
	events      chan event // for the log of statistics
	names       *resolve.Watch
	unanswered  chan struct{} // filled when no name server answers
}

// Result is how a run ended.
type Result struct {
	Reason chain.Reason
	Stats  frontier.Stats
	Counts chain.Counts
	Took   time.Duration
	Seeds  []seeds.Report
	Queues frontier.QueueStates // at its end
}

// Open opens a job in order: lock, state, archive (recovered to what the state
// acknowledges), analyzer, chains. Whatever way the last run ended, the job goes
// on from what was acknowledged.
func Open(ctx context.Context, cfg *config.Config, o Options) (_ *Job, err error) {
	j := &Job{cfg: cfg, opts: o.withDefaults(), dir: cfg.Dir, folder: folder.Of(cfg, o.Env()), credentials: fetch.Credentials{}, events: make(chan event, 16), unanswered: make(chan struct{}, 1)}
	j.halt, j.stop = context.WithCancel(context.WithoutCancel(ctx))
	j.onClose(func(context.Context) error { j.stop(); return nil })
	defer func() {
		if err != nil {
			err = errors.Join(err, j.Close())
		}
	}()
	steps := []func(context.Context) error{j.openFolders, j.checkRoom, j.openKey, j.openAnalyzer, j.openState, j.keepKey, j.openArchive, j.openChains}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return j, nil
}

func (j *Job) path(parts ...string) string { return j.folder.Path(parts...) }

func (j *Job) onClose(fn func(context.Context) error) { j.closers = append(j.closers, fn) }

func (j *Job) openFolders(context.Context) error {
	fs := j.opts.FS
	for _, d := range []string{folder.WARCDir, folder.LogDir, folder.ReportDir, folder.StateDir} {
		if err := fsx.MkdirAll(fs, j.path(d)); err != nil {
			return fmt.Errorf("job: make folder %s: %w", j.path(d), err)
		}
	}
	lock, err := j.folder.Lock("lock")
	if err != nil {
		return err
	}
	j.onClose(func(context.Context) error { return lock.Close() })
	// Recordings of a run that was killed; scratch files are never durable.
	if err := os.RemoveAll(j.path(folder.StateDir, "scratch")); err != nil {
		return fmt.Errorf("job: clear scratch files: %w", err)
	}
	if err := os.MkdirAll(j.path(folder.StateDir, "scratch"), fsx.FolderMode); err != nil {
		return fmt.Errorf("job: make scratch folder: %w", err)
	}
	return nil
}

func (j *Job) openAnalyzer(ctx context.Context) (err error) {
	if j.analyzer, err = rules.OpenAnalyzer(ctx, j.folder, j.key); err == nil {
		j.onClose(func(context.Context) error { return j.analyzer.Close() })
	}
	return err
}

func (j *Job) openState(ctx context.Context) error {
	if n := len(j.analyzer.Profiles()); n > crawl.MaxProfiles {
		return fmt.Errorf("job: %d profiles; a crawl has at most %d", n, crawl.MaxProfiles)
	}
	moved, err := j.folder.Moved()
	if err != nil {
		return err
	}
	o := rules.Frontier(j.folder, j.analyzer)
	o.MovedLog, o.Links = moved.Has, records.Links{Reader: j.records(), Rules: j.cfg.URL.Rules}
	o.Fail, o.Aside, o.Check = j.opts.Fail, j.folder.Aside(), j.checkArchive
	f, err := frontier.Open(ctx, o)
	if err != nil {
		return fmt.Errorf("job: %w", err)
	}
	j.frontier = f
	j.checkpoints = checkpoint.NewMaker(j.folder, f, checkpoint.Options{Key: j.key, Software: j.opts.Software, Fail: j.opts.Fail,
		Made: func(c checkpoint.Manifest) {
			j.tell(event{"CHECKPOINTED", fmt.Sprintf("%s in %v, commits held for %v", c.Name, c.Took.Round(time.Millisecond), c.Held.Round(time.Millisecond))})
		}})
	j.onClose(f.Close)
	return nil
}

// records reads single records of the archive, also of files that are being written.
func (j *Job) records() records.Reader {
	return records.Of(j.folder, func(n uint32) (warc.FileState, bool) {
		if j.pool != nil {
			if s, ok := j.pool.File(n); ok {
				return s, true
			}
		}
		return records.FileOf(j.frontier, n)
	})
}

func (j *Job) openArchive(ctx context.Context) error {
	var rows []warc.FileState
	next := uint32(1)
	for _, r := range j.frontier.Files() {
		rows = append(rows, warc.FileState(r))
		next = max(next, r.Number+1)
	}
	rows, notes, err := warc.Recover(j.opts.FS, j.path(folder.WARCDir), rows, j.folder.Aside(), j.opts.Fail)
	if err != nil {
		return fmt.Errorf("job: %w", err)
	}
	j.notes = notes
	for _, n := range notes {
		j.opts.Log.Warn("recovered", "file", n.File, "what", n.What)
	}
	c := j.cfg.WARC
	c.Dir = j.path(folder.WARCDir)
	pool, err := warc.OpenPool(j.opts.FS, c, j.info(), j.opts.Clock, next, rows, j.opts.Fail)
	if err != nil {
		return fmt.Errorf("job: %w", err)
	}
	j.pool = pool
	// Closed before the frontier: completed files are stored by it.
	j.onClose(func(ctx context.Context) error {
		done, err := pool.Close()
		if j.frontier.Err() != nil {
			return err // the state takes nothing any more; the next start sees the names
		}
		return errors.Join(err, j.frontier.SetFiles(ctx, finalRows(done)))
	})
	fr := make([]frontier.FileRow, 0, len(rows))
	for _, r := range rows {
		fr = append(fr, frontier.FileRow(r))
	}
	return j.frontier.Start(archive{pool}, fr)
}

// checkArchive compares the WARC files with what the state acknowledges of them.
func (j *Job) checkArchive(_ context.Context, k *frontier.Known, strict bool) error {
	moved, err := j.folder.Moved()
	if err != nil {
		return err
	}
	var rows []warc.FileState
	for _, r := range k.Files {
		rows = append(rows, warc.FileState(r))
	}
	last := func(file uint32) (warc.Span, bool, error) {
		s, ok, err := k.Last(file)
		return warc.Span(s), ok, err
	}
	return warc.Check(j.opts.FS, j.path(folder.WARCDir), rows, last, moved.Has, strict)
}

func (j *Job) info() warc.Info {
	host, _ := os.Hostname()
	return warc.Info{Software: j.opts.Software, Hostname: host, IP: ownAddress(), Operator: j.cfg.Job.Operator,
		IsPartOf: j.cfg.Job.Name, Description: j.cfg.Job.Description, Robots: j.cfg.Robots.Policy.String(),
		UserAgent: j.cfg.HTTP.Agent(j.opts.Version), From: j.cfg.HTTP.From}
}

// ownAddress is the machine's first address that others can see, "" without one.
func ownAddress() string {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return ""
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			return n.IP.String()
		}
	}
	return ""
}

func (j *Job) openChains(context.Context) error {
	scope, err := rules.Scope(j.folder)
	if err != nil {
		return err
	}
	j.scope, j.seeder = scope, seeds.New(j.cfg, scope, j.frontier)
	dns, err := resolve.New(j.cfg.DNS)
	if err != nil {
		return fmt.Errorf("job: %w", err)
	}
	j.names = resolve.NewWatch(dns, j.nobodyAnswers)
	http, err := fetch.NewHTTP(j.httpConfig(), fetch.Deps{Hosts: j.frontier, Resolver: j.names, Scratch: j.path(folder.StateDir, "scratch"),
		Clock: j.opts.Clock, ToeThreads: j.cfg.Crawl.ToeThreads, Log: j.opts.Log, Version: j.opts.Version, Credentials: j.credentials})
	if err != nil {
		return fmt.Errorf("job: %w", err)
	}
	steps, bad := standard.Build(&standard.Env{
		Dir: j.dir, Clock: j.opts.Clock, Depths: rules.Depths(j.cfg, j.analyzer), Keys: j.cfg.URL.Rules, Scope: scope, Hosts: j.frontier,
		Robots: j.cfg.Robots.Policy, Resolver: j.names, HTTP: http, Analyzer: j.analyzer, Room: extract.NewRoom(j.cfg.Documents), Archive: j.pool,
		Reader: j.records(), FileName: archive{j.pool}.FileName,
	}, j.cfg.Chain)
	if len(bad) > 0 {
		return fmt.Errorf("job: chain%s: %s", bad[0].Key, bad[0].Msg)
	}
	if j.opts.steps != nil {
		j.opts.steps(steps)
	}
	if j.chains, err = chain.NewChains(steps); err != nil {
		return err
	}
	// Made here, not in Run: a job can be paused and looked at as soon as it is open.
	j.ctl = chain.NewController(j.cfg.Crawl.Config, j.frontier, j.chains, j.opts.Clock, j.opts.Log)
	return nil
}

// httpConfig returns the client's configuration with files found from the job's
// folder.
func (j *Job) httpConfig() fetch.Config {
	c := j.cfg.HTTP
	c.RootFiles = slices.Clone(c.RootFiles)
	for i, name := range c.RootFiles {
		c.RootFiles[i] = j.cfg.Path(name)
	}
	return c
}

// Run offers the seeds, crawls, and writes the reports. ctx ends it in order:
// what was acknowledged stays, the rest is offered again by the next run. Use it
// once.
func (j *Job) Run(ctx context.Context) (Result, error) {
	began := j.opts.Clock.Now()
	run, err := j.beginRun(ctx, began)
	if err != nil {
		return Result{Reason: chain.Failed}, err
	}
	j.began.Store(&began)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(j.halt, cancel)()
	watch, stopWatch := context.WithCancel(context.WithoutCancel(ctx))
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if j.opts.Progress != nil {
			progress.NewLine(j.opts.Progress, j.opts.Clock, began, j.Line).Run(watch)
		}
	}()
	var measured sync.WaitGroup
	measured.Go(func() { j.measure(watch) })
	measured.Go(func() { j.watchStatistics(watch, ctx.Done(), run) })
	measured.Go(func() { j.checkpoints.Watch(watch, j.frontier.Stats) })
	measured.Go(func() { j.watchNames(watch) })
	limited := make(chan struct{})
	go func() {
		defer close(limited)
		j.watchRoom(watch)
	}()
	reason, err := chain.Failed, seeds.ReadCredentials(ctx, j.cfg, j.credentials)
	if err == nil {
		reason, err = j.crawl(ctx)
	}
	if reason == chain.Finished {
		j.frontier.Packed(ctx) // nobody may open the job again
	}
	stopWatch()
	<-watched
	<-limited
	measured.Wait()
	r := Result{Reason: reason, Stats: j.frontier.Stats(), Queues: j.frontier.Queues(), Counts: j.ctl.Counts(),
		Took: j.opts.Clock.Now().Sub(began), Seeds: j.offered}
	return r, errors.Join(err, j.report(r, run, err))
}

// crawl streams the seeds while the ToeThreads already work on them.
func (j *Job) crawl(ctx context.Context) (chain.Reason, error) {
	release := j.frontier.Hold() // seeds are still coming: an empty frontier is not the end
	seeded := make(chan error, 1)
	sctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer release()
		var err error
		j.offered, err = j.seeder.Files(sctx, j.opts.Recrawl)
		seeded <- err
	}()
	reason, err := j.ctl.Run(ctx)
	cancel()
	return reason, errors.Join(err, <-seeded)
}

// Line is where the crawl stands, in one line.
func (j *Job) Line(elapsed time.Duration) string {
	s, c := j.frontier.Stats(), j.ctl.Counts()
	rate := 0.0
	if sec := elapsed.Seconds(); sec > 0 {
		rate = float64(c.Fetched) / sec
	}
	return fmt.Sprintf("%s queued %d busy %d done %d kept %d valid %d failed %d  %.1f/s %s",
		elapsed.Round(time.Second), s.Queued, s.InProcess, s.Finished, s.Archived, s.Valid, s.Failed, rate, printable.Size(c.Bytes))
}

// report notes how the run ended, and writes the reports and reports/seeds.json.
func (j *Job) report(r Result, run view.RunNote, crawlErr error) error {
	run.Status, run.Took = string(r.Reason), run.Took+r.Took
	var errs []error
	if crawlErr != nil {
		run.Status = "failed: " + crawlErr.Error()
	}
	if j.frontier.Err() == nil {
		errs = append(errs, j.note(context.Background(), run))
	}
	errs = append(errs, j.writeReports(run))
	j.logEnd(run.Status)
	data, err := json.MarshalIndent(r.Seeds, "", "  ")
	if err != nil {
		return fmt.Errorf("job: seeds report: %w", err)
	}
	return errors.Join(append(errs, fsx.WriteSharedAtomic(j.opts.FS, j.path(folder.ReportDir, "seeds.json"), append(data, '\n')))...)
}

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

// Notes are what recovery changed when the job was opened.
func (j *Job) Notes() []warc.Note { return slices.Clone(j.notes) }

// Close gives back everything in reverse order of opening.
func (j *Job) Close() error {
	var errs []error
	for i := len(j.closers) - 1; i >= 0; i-- {
		errs = append(errs, j.closers[i](context.Background()))
	}
	j.closers = nil
	return errors.Join(errs...)
}
