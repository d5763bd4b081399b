package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"exclave/config"
	"exclave/frontier"
	"exclave/internal/conf"
	"exclave/internal/fsx"
	"exclave/internal/job"
	"exclave/internal/job/checkpoint"
	"exclave/internal/job/folder"
	"exclave/internal/job/seeds"
	"exclave/internal/seedlog"

	"github.com/spf13/cobra"
)

// failPointVariable names the environment variable that kills the process at a
// named point; it serves the kill tests.
const failPointVariable = "EXCLAVE_FAILPOINT"

// crawlOptions are the flags of exclave crawl.
type crawlOptions struct{ recrawl, quiet, plain, failFast bool }

func newCrawl() *cobra.Command {
	var o crawlOptions
	cmd := &cobra.Command{
		Use:   "crawl JOB|FOLDER",
		Short: "Run a job, or all jobs of a folder; continue where it stopped",
		Long: `crawl runs the job in the folder JOB. If it was stopped or killed before, it
continues from what was acknowledged; nothing acknowledged is lost or fetched again.

Of a FOLDER that holds jobs it runs one after another, in the order of their names,
and prints a table of all at the end. Run again after a stop or a crash it continues
with the job it was at; one that is finished, or was ended by a limit of its own, is
not repeated. When one fails the next is run all the same, unless --fail-fast
is given.

The first Ctrl-C (or SIGTERM, or SIGHUP: the terminal was closed) stops in order within
seconds, a second Ctrl-C or SIGTERM at once; either way the job can be continued later. On a terminal it shows a live view, with keys to
pause and stop (? lists them); elsewhere, and with --plain, a line of progress goes
to stderr.

Exit codes: 0 finished, or stopped in order by a limit or a signal; 2 the
configuration is wrong; 3 the crawl failed, or one of several did; 4 another process
works on the job; 130 interrupted twice.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if names := jobsIn(args[0]); len(names) > 0 {
				if o.recrawl {
					return withCode(exitUsage, fmt.Errorf("crawl %s: --recrawl is for one job; name it", args[0]))
				}
				return crawlAll(cmd, args[0], names, o)
			}
			cfg, err := loadJob(cmd, args[0])
			if err != nil {
				return err
			}
			_, _, err = crawlOne(cmd, cfg, o)
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.recrawl, "recrawl", false, "ask again for the seeds and everything archived, conditionally: only what changed is sent")
	f.BoolVar(&o.quiet, "quiet", false, "no progress on stderr")
	f.BoolVar(&o.plain, "plain", false, "a line of progress instead of the live view")
	f.BoolVar(&o.failFast, "fail-fast", false, "of a folder: end with the first job that fails")
	return profiled(cmd)
}

// crawlOne runs a job and prints how it ended. interrupted: a signal ended it.
func crawlOne(cmd *cobra.Command, cfg *config.Config, flags crawlOptions) (_ job.Result, interrupted bool, err error) {
	points, err := fsx.ParseFailPoints(os.Getenv(failPointVariable))
	if err != nil {
		return job.Result{}, false, withCode(exitUsage, fmt.Errorf("%s: %w", failPointVariable, err))
	}
	if !flags.quiet {
		for _, n := range notices(cfg) {
			fmt.Fprintln(cmd.ErrOrStderr(), "exclave: note:", n)
		}
	}
	view := openLiveView(cmd.ErrOrStderr(), !flags.quiet && !flags.plain)
	o := jobOptions(view.log)
	o.Fail, o.Recrawl, o.Progress = points, flags.recrawl, nil
	if !flags.quiet && view.view == nil {
		o.Progress = cmd.ErrOrStderr()
	}
	ctx, stop := untilInterrupted(cmd.Context(), view.log, view.restore)
	defer stop()
	defer limitMemory(cfg)()
	r, err := runJob(ctx, cfg, o, view.show)
	if err != nil {
		return r, ctx.Err() != nil, err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %s after %s: %d URIs finished, %d pages judged, %d valid, %d URIs archived, %d failed, %d queued\n",
		cfg.Job.Name, r.Reason, r.Took.Round(1e6), r.Stats.Finished, r.Stats.Judged, r.Stats.Valid, r.Stats.Archived, r.Stats.Failed, r.Stats.Queued)
	sayCrawled(cmd.ErrOrStderr(), &r)
	return r, ctx.Err() != nil, damagedSeeds(r.Seeds)
}

// loadJob reads a job's configuration and prints what is wrong with it.
func loadJob(cmd *cobra.Command, dir string) (*config.Config, error) {
	cfg, problems := config.Load(dir)
	if err := forbidden(dir); len(problems) > 0 && err != nil {
		return nil, err
	}
	for _, p := range problems {
		fmt.Fprintln(cmd.ErrOrStderr(), p)
	}
	if len(problems) > 0 && checkpoint.Is(dir) {
		return nil, withCode(exitUsage, fmt.Errorf("%s is a checkpoint and no job; exclave checkpoint restore %s NEWJOB makes one", dir, dir))
	}
	if len(problems) > 0 {
		return nil, withCode(exitUsage, fmt.Errorf("%s: %s in the configuration", dir, count(len(problems), "problem")))
	}
	return cfg, nil
}

// forbidden says that this user may not read a job's configuration, and what to do.
func forbidden(dir string) error {
	f, err := os.Open(dir)
	if err == nil {
		_ = f.Close()
		f, err = os.Open(filepath.Join(dir, config.FileName))
	}
	if err == nil {
		return f.Close()
	}
	if errors.Is(err, fs.ErrPermission) {
		return withCode(exitFailure, fmt.Errorf("%w; %s", err, folder.Forbidden))
	}
	return nil
}

func jobOptions(progress io.Writer) job.Options {
	return job.Options{Progress: progress, Version: programVersion, Software: "exclave/" + programVersion,
		Log: slog.New(slog.NewTextHandler(progress, &slog.HandlerOptions{Level: slog.LevelWarn}))}
}

// runJob opens, runs and closes a job; while it runs, other verbs can ask it, and
// show looks at it. What show returns ends it, and may be called twice.
func runJob(ctx context.Context, cfg *config.Config, o job.Options, show func(*job.Job) (end func())) (r job.Result, err error) {
	j, err := job.Open(ctx, cfg, o)
	if err != nil {
		return r, jobError(err)
	}
	closeServers, err := serveJob(j, cfg, o.Log)
	if err != nil {
		return r, jobError(errors.Join(err, j.Close()))
	}
	end := show(j)
	defer end() // also when Run panics
	r, err = j.Run(ctx)
	end()
	closeServers()
	return r, jobError(errors.Join(err, j.Close()))
}

func jobError(err error) error {
	var done coded
	var wrong conf.Problem
	switch {
	case err == nil || errors.As(err, &done):
		return err
	case errors.Is(err, folder.ErrLocked), errors.Is(err, folder.ErrStoring):
		return withCode(exitLocked, err)
	case errors.Is(err, frontier.ErrChanged), errors.Is(err, seedlog.ErrNoLog), errors.Is(err, seeds.ErrCredentials), errors.As(err, &wrong):
		return withCode(exitUsage, err)
	}
	return withCode(exitFailure, err)
}

// endings are the signals that end the program in order. One that is ignored stays so, as under nohup.
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// untilInterrupted returns a context that the first SIGINT, SIGTERM or SIGHUP ends; the
// second calls last, in their order, and ends the process. SIGHUP is no second one: a
// terminal that is closed sends several.
func untilInterrupted(parent context.Context, stderr io.Writer, last ...func()) (context.Context, func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, endings()...)
	done := make(chan struct{})
	go func() {
		select {
		case <-signals:
		case <-done:
			return
		}
		fmt.Fprintln(stderr, "\nstopping in order; press again to stop at once (the job can be continued either way)")
		cancel()
		for {
			select {
			case s := <-signals:
				if s == syscall.SIGHUP {
					continue
				}
				for _, fn := range last {
					fn()
				}
				os.Exit(int(exitInterrupt))
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}
