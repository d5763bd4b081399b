package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"exclave/config"
	"exclave/crawl"
	"exclave/internal/crawllog"
	"exclave/internal/fsx"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/verify"
	"exclave/internal/logparts"
	"exclave/internal/testweb/benchweb"
	"exclave/warc"
)

// recrawlOptions are the flags of exclave bench recrawl.
type recrawlOptions struct {
	benchOptions
	most float64 // share of the first harvest's bytes that the second may store
}

// recrawlReport is the JSON of exclave bench recrawl. Keys are stable.
type recrawlReport struct {
	Params     benchweb.Params `json:"params"` // of the changed web; Validators is in each of Webs
	ToeThreads int             `json:"toe_threads"`
	Webs       []recrawled     `json:"webs"`
}

// recrawled is what two harvests of a web stored: one as it was, one of the changed web.
type recrawled struct {
	Validators benchweb.Validators `json:"validators"`
	First      recrawlRun          `json:"first"`
	Second     recrawlRun          `json:"second"`
	Ratio      float64             `json:"ratio"`      // of what the second stored to what the first did
	Asked      int                 `json:"asked_once"` // archived resources that the second harvest asked for exactly once,
	Archived   int                 `json:"archived"`   // of these
	Wrong      int                 `json:"wrong"`      // archived resources whose payload digest is not that of the changed web
	Wrongs     []string            `json:"wrong_urls,omitempty"`
	Defects    int                 `json:"verify_defects"`
}

// recrawlRun is one of the two.
type recrawlRun struct {
	WARCBytes   int64   `json:"warc_bytes"` // that it added
	WallSeconds float64 `json:"wall_seconds"`
	Requests    int64   `json:"requests"`
	Responses   int     `json:"responses"`    // archived as records of type response, by crawl.log
	NotModified int     `json:"not_modified"` // as revisit records of a 304
	Duplicates  int     `json:"duplicates"`   // as revisit records of an identical payload
}

func newBenchRecrawl() *cobra.Command {
	o := recrawlOptions{benchOptions: benchOptions{web: benchweb.DefaultParams()}}
	o.web.Resources, o.web.Changed = 8000, 0.2
	cmd := &cobra.Command{
		Use:   "recrawl",
		Short: "Measure what a second harvest of a changed web stores",
		Long: `recrawl harvests the synthetic web, lets a share of its resources change (--changed), harvests it again with "exclave crawl --recrawl",
and verifies the job: once with servers that send validators and answer 304, and once with servers that send none. --validators takes one
of them. It reports what each harvest stored. docs/howto/bench.md explains the figures.

Exit codes: 0 the second harvest stored no more than --most of what the first did, and everything archived was asked for once and is archived as
it is now; 1 not; 2 wrong flags; 3 a failure.`,
		Example: "  exclave bench recrawl --resources 8000 --changed 0.2 --json recrawl.json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.fewHosts(cmd)
			habits := []benchweb.Validators{benchweb.ETags, benchweb.NoValidators}
			if cmd.Flags().Changed("validators") {
				habits = []benchweb.Validators{o.web.Validators}
			}
			err := o.web.Validate().Err("benchweb")
			if err == nil && o.web.Traps {
				err = errors.New("bench recrawl: --traps is for bench --default-job: what is stored of traps depends on when a crawl leaves them")
			}
			if err != nil {
				return withCode(exitUsage, err)
			}
			return inNewFolder(&o.dir, func() error { return o.run(cmd, habits) })
		},
	}
	o.webFlags(cmd)
	f := cmd.Flags()
	f.IntVar(&o.toeThreads, "toe-threads", 50, "URLs processed at the same time, 1 … 10,000")
	f.Float64Var(&o.most, "most", 0.25, "share of the first harvest's bytes that the second may store, 0 … 1")
	f.StringVar(&o.json, "json", "", "write the figures to this file as JSON; - is stdout, instead of the table")
	f.StringVar(&o.dir, "dir", "", "keep the jobs in this new folder, each in one named after --validators (default: a temporary one, removed)")
	return cmd
}

func (o *recrawlOptions) run(cmd *cobra.Command, habits []benchweb.Validators) error {
	report := &recrawlReport{Params: o.web, ToeThreads: o.toeThreads}
	top := o.dir
	bad := false
	for _, habit := range habits {
		o.web.Validators, o.dir = habit, filepath.Join(top, string(habit))
		w := recrawled{Validators: habit}
		if err := o.twice(cmd, &w); err != nil {
			return withCode(exitFailure, fmt.Errorf("bench recrawl: %s: %w", habit, err))
		}
		bad = bad || w.Ratio > o.most || w.Wrong > 0 || w.Defects > 0 || w.Asked < w.Archived
		report.Webs = append(report.Webs, w)
	}
	if err := o.write(cmd, report); err != nil {
		return err
	}
	if bad {
		return withCode(exitNegative, errors.New("bench recrawl: the second harvest stored more than it may, or not what it should"))
	}
	return nil
}

// twice harvests a web, and again when it changed.
func (o *recrawlOptions) twice(cmd *cobra.Command, to *recrawled) error {
	changed := o.web
	o.web.Changed = 0
	defer func() { o.web = changed }()
	if _, _, err := o.harvest(cmd, &to.First); err != nil {
		return err
	}
	o.web = changed
	cfg, counts, err := o.harvest(cmd, &to.Second, "--recrawl")
	if err != nil {
		return err
	}
	a, b := &to.First, &to.Second
	b.WARCBytes -= a.WARCBytes
	b.Responses, b.NotModified, b.Duplicates = b.Responses-a.Responses, b.NotModified-a.NotModified, b.Duplicates-a.Duplicates
	to.Ratio = float64(b.WARCBytes) / float64(a.WARCBytes)
	fmt.Fprintln(cmd.ErrOrStderr(), "bench: verifying, comparing with the truth")
	defects, err := verify.All(cmd.Context(), folder.Of(cfg, jobOptions(io.Discard).Env()))
	if err != nil {
		return err
	}
	for _, d := range defects {
		fmt.Fprintln(cmd.ErrOrStderr(), d)
	}
	to.Defects = len(defects)
	return to.judge(cmd.Context(), cfg, o.web, counts)
}

// harvest serves the web and crawls it; what it finds in the job is all that both harvests made.
func (o *recrawlOptions) harvest(cmd *cobra.Command, r *recrawlRun, flags ...string) (cfg *config.Config, counts []byte, err error) {
	dir := benchFile(o.benchOptions, "job")
	if err := os.MkdirAll(dir, fsx.FolderMode); err != nil {
		return nil, nil, err
	}
	w, err := startWeb(cmd, o.benchOptions, benchFile(o.benchOptions, "counts"))
	if err != nil {
		return nil, nil, err
	}
	err = writeBenchJob(dir, o.benchOptions, w)
	if err == nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "bench: %d resources on %d hosts, validators: %s, %g changed, crawling\n", o.web.Resources, o.web.Hosts, o.web.Validators, o.web.Changed)
		c, e := child(cmd, append([]string{"crawl", "--quiet", dir}, flags...)...)
		if err = e; err == nil {
			_, wall, e := timed(c)
			r.WallSeconds, err = wall.Seconds(), e
		}
	}
	served, counts, e := w.end()
	if err := errors.Join(err, e); err != nil {
		return nil, nil, err
	}
	r.Requests = served.Requests
	if cfg, err = loadJob(cmd, dir); err != nil {
		return nil, nil, err
	}
	return cfg, counts, r.look(dir)
}

// look counts what is stored in a job.
func (r *recrawlRun) look(dir string) (err error) {
	if err := filepath.WalkDir(filepath.Join(dir, folder.WARCDir), func(name string, e fs.DirEntry, err error) error {
		if err != nil || !isWARCName(name) {
			return err
		}
		info, err := e.Info()
		if err == nil {
			r.WARCBytes += info.Size()
		}
		return err
	}); err != nil {
		return err
	}
	in, err := logparts.Open(fsx.Real(), filepath.Join(dir, folder.LogDir), crawl.LogCrawl.Name())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	lines, err := crawllog.NewReader(in)
	if err != nil {
		return err
	}
	for {
		e, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch f := e.Facts(); {
		case e.WARCFilename == "":
		case f.NotModified:
			r.NotModified++
		case f.Duplicate:
			r.Duplicates++
		default:
			r.Responses++
		}
	}
}

// judge compares the state after the second harvest with the changed web, and what was asked of it.
func (w *recrawled) judge(ctx context.Context, cfg *config.Config, p benchweb.Params, counts []byte) error {
	web, err := benchweb.New(p)
	if err != nil {
		return err
	}
	payloads, err := job.Payloads(ctx, cfg)
	if err != nil {
		return err
	}
	for id, asked := range counts {
		t := web.Resource(id)
		got := payloads[t.URL]
		if got == "" {
			continue
		}
		w.Archived++
		if asked == 1 {
			w.Asked++
		}
		if sum := web.Payload(id); got != warc.Label(sum[:]) {
			w.Wrong++
			if len(w.Wrongs) < maxShown {
				w.Wrongs = append(w.Wrongs, t.URL)
			}
		}
	}
	return nil
}

func (r *recrawlReport) print(out io.Writer) {
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	for _, w := range r.Webs {
		row := func(name, format string, args ...any) { fmt.Fprintf(t, name+"\t"+format+"\n", args...) }
		row("validators", "%s", w.Validators)
		for _, h := range []struct {
			name string
			recrawlRun
		}{{"first", w.First}, {"second", w.Second}} {
			row(h.name+" harvest", "%d requests, %.1f MB stored, %.1f s", h.Requests, float64(h.WARCBytes)/1e6, h.WallSeconds)
			row(h.name+" harvest, archived", "%d whole, %d not modified, %d the same content", h.Responses, h.NotModified, h.Duplicates)
		}
		row("second ÷ first", "%.1f %% of the bytes", 100*w.Ratio)
		row("asked for again, once", "%d of %d", w.Asked, w.Archived)
		row("wrong, defects", "%d, %d", w.Wrong, w.Defects)
	}
	_ = t.Flush() // the writer below reports
	for _, w := range r.Webs {
		for _, u := range w.Wrongs {
			fmt.Fprintf(out, "wrong: %s: %s\n", w.Validators, u)
		}
	}
}
