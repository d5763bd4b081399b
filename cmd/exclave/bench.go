package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"exclave/internal/testweb/benchweb"

	"github.com/spf13/cobra"
)

// benchOptions are the flags of exclave bench.
type benchOptions struct {
	web        benchweb.Params
	toeThreads int
	national   bool
	wget       bool
	json, dir  string
	cpu, mem   string
	defaultJob bool   // that of exclave init, on a deep web
	maxURLs    int64  // where a crawl with the default job is stopped; 0 = not
	order      string // section [order] of the job; "" is the default, and everything is fetched
}

func newBench() *cobra.Command {
	o := benchOptions{web: benchweb.DefaultParams()}
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the crawler on a synthetic web",
		Long: `bench serves a synthetic web from a process of its own, crawls it with a real job in
another (delays off; analysis, WARC files and every fsync on), verifies the job and
compares it with what is known of the web: was everything found that can be reached,
each exactly once, and nothing that does not exist? It reports the crawler's processor
time and memory as the kernel counted them. docs/howto/bench.md explains the figures.

--default-job crawls a web of another shape, in which pages lie far from each other, with
the job that exclave init --profile cz writes. Changed are only http.contact, connect_to,
allow, dns.servers, crawl.min_free_disk and max_urls (--max-urls), and, of [frontier],
min_delay, max_delay, address_delay, retry_delay, max_retry_delay and dns_retry_delay.
It tells how many national pages were found, by their distance from a seed, and what
share of the requests went into traps (--traps).

Exit codes: 0 the crawl found exactly what it should, or with --default-job all national
pages within four clicks of a seed, 98 % of all, with 5 % of its requests in traps at most;
1 it did not, or verify found defects; 2 wrong flags; 3 a failure.`,
		Example: "  exclave bench --resources 20000 --json before.json\n  exclave bench --wget\n  exclave bench --default-job --traps",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.fewHosts(cmd)
			if o.defaultJob {
				o.deep(cmd)
			}
			err := o.web.Validate().Err("benchweb")
			switch {
			case err != nil:
			case o.web.Traps && !o.defaultJob:
				err = errors.New("bench: --traps is for --default-job: the job that measures the engine follows every link")
			case o.defaultJob && (o.national || o.wget):
				err = errors.New("bench: --default-job goes without --national and --wget")
			}
			if err != nil {
				return withCode(exitUsage, err)
			}
			return inNewFolder(&o.dir, func() error { return bench(cmd, o) })
		},
	}
	o.webFlags(cmd)
	f := cmd.Flags()
	f.IntVar(&o.toeThreads, "toe-threads", 50, "URLs processed at the same time, 1 … 10,000")
	f.BoolVar(&o.national, "national", false, "archive only national pages, as profile cz says, instead of everything")
	f.BoolVar(&o.defaultJob, "default-job", false, "crawl a deep web with the job that exclave init writes, and count national pages and traps")
	f.Int64Var(&o.maxURLs, "max-urls", 0, "with --default-job: stop after so many answers (default: 2 for each resource)")
	f.BoolVar(&o.wget, "wget", false, "crawl the same web with wget --warc-file too, and compare")
	f.StringVar(&o.json, "json", "", "write the figures to this file as JSON; - is stdout, instead of the table")
	f.StringVar(&o.dir, "dir", "", "keep the job in this new folder (default: a temporary one, removed)")
	f.StringVar(&o.cpu, "cpuprofile", "", "write a profile of the crawler's processor time to this file")
	f.StringVar(&o.mem, "memprofile", "", "write a profile of the crawler's allocations to this file")
	cmd.AddCommand(newBenchServe(), newBenchTruth(), newBenchSeedsLog(), newBenchFrontier(), newBenchOrder(), newBenchRecrawl(), newBenchHostile())
	return cmd
}

// inNewFolder runs f with dir, which must not hold anything, or with a temporary folder
// when there is none.
func inNewFolder(dir *string, f func() error) (err error) {
	if *dir == "" {
		if *dir, err = os.MkdirTemp("", "exclave-bench-"); err != nil {
			return withCode(exitFailure, err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(*dir)) }()
	}
	if old, err := os.ReadDir(*dir); err == nil && len(old) > 0 {
		return withCode(exitUsage, fmt.Errorf("bench: %s is not empty; name a new folder with --dir", *dir))
	}
	return f()
}

// webFlags adds the flags that say what the web is like.
func (o *benchOptions) webFlags(cmd *cobra.Command) {
	f, p := cmd.Flags(), &o.web
	f.Uint64Var(&p.Seed, "seed", p.Seed, "the web follows from this number and the other parameters")
	f.IntVar(&p.Hosts, "hosts", p.Hosts, "hosts; fewer by default when there are fewer than 50 resources for each")
	f.IntVar(&p.Resources, "resources", p.Resources, "resources of all hosts together")
	f.IntVar(&p.MeanSize, "mean-size", p.MeanSize, "bytes of a body on average, about")
	f.Float64Var(&p.National, "national-share", p.National, "share of pages in Czech")
	f.Float64Var(&p.Locality, "locality", p.Locality, "share of pages in the language of their host, and of links to other hosts that lead to the same language")
	f.Float64Var(&p.Redirects, "redirects", p.Redirects, "share of resources that redirect, 0 … 0.0625")
	f.Float64Var(&p.Errors, "errors", p.Errors, "share of resources that answer 4xx or 500, 0 … 0.0625")
	f.Float64Var(&p.TLS, "tls", p.TLS, "share of hosts that are https")
	f.Float64Var(&p.Gzip, "gzip", p.Gzip, "share of text sent compressed")
	f.BoolVar(&p.Traps, "traps", p.Traps, "pages without end on some hosts, of 18 kinds in turn")
	f.Float64Var(&p.TrapShare, "trap-share", p.TrapShare, "share of hosts with a trap")
	f.BoolVar(&p.Deep, "deep", p.Deep, "pages far from each other, an IP address for each host")
	f.Float64Var(&p.SeedShare, "seed-share", p.SeedShare, "share of pages that are seeds, of a deep web; three times as many of the national ones")
	f.Float64Var(&p.SharedAddress, "shared-address", p.SharedAddress, "share of hosts that have their IP address in common with others, of a deep web")
	f.Float64Var(&p.Changed, "changed", p.Changed, "share of resources whose content is not what it is with 0: the same web, later")
	f.StringVar((*string)(&p.Validators), "validators", string(p.Validators), "what servers say by which one can ask whether a resource changed: date (never compared), etag, none")
	f.IntVar(&p.SlowHosts, "slow-hosts", p.SlowHosts, "hosts that answer late")
	f.DurationVar(&p.SlowBy, "slow-by", p.SlowBy, "how late")
}

// fewHosts lowers the default number of hosts for a small web.
func (o *benchOptions) fewHosts(cmd *cobra.Command) {
	if !cmd.Flags().Changed("hosts") {
		o.web.Hosts = min(o.web.Hosts, max(o.web.Resources/50, 1))
	}
}

// deep makes the web what a default job is measured on.
func (o *benchOptions) deep(cmd *cobra.Command) {
	o.web.Deep = true
	if !cmd.Flags().Changed("locality") {
		o.web.Locality = 0.8
	}
	if !cmd.Flags().Changed("max-urls") {
		o.maxURLs = 2 * int64(o.web.Resources)
	}
}

// benchAddresses is the first line that bench serve prints, benchServed the last.
type benchAddresses struct {
	HTTP  string   `json:"http"`
	HTTPS string   `json:"https"`
	DNS   string   `json:"dns"`
	Seeds []string `json:"seeds"`
}

type benchServed struct {
	benchweb.Stats
	User   float64 `json:"user_seconds"`
	System float64 `json:"system_seconds"`
}

func newBenchServe() *cobra.Command {
	o := benchOptions{web: benchweb.DefaultParams()}
	var counts string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the synthetic web until stdin ends, or Ctrl-C",
		Long: `serve prints one line of JSON with its addresses and seeds, then serves the web until
stdin ends or a signal comes, and prints a line with what it was asked for and the
processor time that it took. Requests in absolute form are answered too, so that it
can be another crawler's HTTP proxy.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.fewHosts(cmd)
			if err := o.web.Validate().Err("benchweb"); err != nil {
				return withCode(exitUsage, err)
			}
			return benchServe(cmd, o, counts)
		},
	}
	o.webFlags(cmd)
	cmd.Flags().StringVar(&counts, "counts", "", "write at the end how often each resource was requested: a byte each, by number")
	return profiled(cmd)
}

func benchServe(cmd *cobra.Command, o benchOptions, counts string) error {
	web, err := benchweb.New(o.web)
	if err != nil {
		return withCode(exitFailure, err)
	}
	s, err := benchweb.Start(web)
	if err != nil {
		return withCode(exitFailure, err)
	}
	before := ownUsage()
	return serveUntilEnd(cmd, benchAddresses{s.HTTPAddr(), s.HTTPSAddr(), s.DNS(), web.Seeds()}, func() (any, error) {
		took := ownUsage().minus(before)
		served := benchServed{s.Stats(), took.User, took.System}
		err := s.Close()
		if counts != "" {
			err = errors.Join(err, os.WriteFile(counts, s.Counts(), 0o644))
		}
		return served, err
	})
}

// serveUntilEnd prints first, waits until stdin ends or a signal comes, and prints what
// end returns. It always calls end.
func serveUntilEnd(cmd *cobra.Command, first any, end func() (any, error)) error {
	ctx, stop := untilInterrupted(cmd.Context(), io.Discard)
	defer stop()
	out := json.NewEncoder(forPrograms(cmd.OutOrStdout()))
	if err := out.Encode(first); err != nil {
		_, e := end()
		return withCode(exitFailure, errors.Join(err, e))
	}
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, cmd.InOrStdin()) // an error is an end, too
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	last, err := end()
	if err = errors.Join(err, out.Encode(last)); err != nil {
		return withCode(exitFailure, err)
	}
	return nil
}

func newBenchTruth() *cobra.Command {
	o := benchOptions{web: benchweb.DefaultParams()}
	var sha1 bool
	cmd := &cobra.Command{
		Use:   "truth",
		Short: "Print what is known of the synthetic web, as JSON Lines",
		Long: `truth prints a line of JSON for each resource of the web: its address, kind and
status, whether it is national, whether robots.txt lets it be reached, the document and
construct that make it known, and everything that it refers to.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.fewHosts(cmd)
			if err := o.web.Validate().Err("benchweb"); err != nil {
				return withCode(exitUsage, err)
			}
			web, err := benchweb.New(o.web)
			if err == nil {
				err = web.WriteTruth(cmd.OutOrStdout(), sha1)
			}
			if err != nil {
				return withCode(exitFailure, err)
			}
			return nil
		},
	}
	o.webFlags(cmd)
	cmd.Flags().BoolVar(&sha1, "sha1", false, "add the SHA-1 of each body as sent to a client that does not accept gzip")
	return cmd
}

// bench is the whole measurement.
func bench(cmd *cobra.Command, o benchOptions) error {
	web, err := benchweb.New(o.web)
	if err != nil {
		return withCode(exitFailure, err)
	}
	if o.defaultJob {
		return benchDefault(cmd, o, web)
	}
	r := newBenchReport(o)
	if err := benchCrawl(cmd, o, web, r); err != nil {
		return err
	}
	if o.wget {
		if r.Wget, err = benchWget(cmd, o); err != nil {
			return err
		}
	}
	if err := o.write(cmd, r); err != nil {
		return err
	}
	if !r.right() {
		return withCode(exitNegative, errors.New("bench: the crawl did not find exactly what it should"))
	}
	return nil
}

// write prints a report, as --json says.
func (o *benchOptions) write(cmd *cobra.Command, r interface{ print(io.Writer) }) error {
	if o.json != "" {
		text, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return withCode(exitFailure, err)
		}
		if o.json == "-" {
			_, err = cmd.OutOrStdout().Write(append(text, '\n'))
		} else {
			err = os.WriteFile(o.json, append(text, '\n'), 0o644)
		}
		if err != nil {
			return withCode(exitFailure, fmt.Errorf("bench: %w", err))
		}
	}
	if o.json != "-" {
		r.print(cmd.OutOrStdout())
	}
	return nil
}

func benchFile(o benchOptions, name string) string { return filepath.Join(o.dir, name) }
