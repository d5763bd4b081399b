package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"exclave/internal/testweb/hostileweb"

	"github.com/spf13/cobra"
)

// hostileOptions are the flags of exclave bench hostile.
type hostileOptions struct {
	web         hostileweb.Params
	exclave     string // the binary that crawls and verifies; "" is this one
	toeThreads  int
	minDelay    time.Duration
	retryDelay  time.Duration
	grace       time.Duration
	limit       time.Duration // of one case
	duration    time.Duration // of the soak; 0: the cases one by one
	baseline    time.Duration // of the healthy hosts alone, before a soak
	maxMemory   int64
	abortMemory int64
	json, dir   string
	list        bool
}

// enoughHealthy is the share of healthy pages that must be found whatever is beside them.
const enoughHealthy = 0.95

func newBenchHostile() *cobra.Command {
	o := hostileOptions{web: hostileweb.Params{Healthy: 50, Pages: 6, Hosts: 50, Items: 1}}
	cmd := &cobra.Command{
		Use:   "hostile",
		Short: "Measure the crawler on a web half of which means harm",
		Long: `hostile crawls healthy hosts beside hostile ones: documents that are slow to read or
unpack to a thousand times their size, answers that break HTTP, servers that never end,
robots.txt without an end, names and TLS that fail, traps (--list names them). Each
case is crawled by itself, after the healthy hosts alone. With --duration all of them
are mixed until that time, then the crawl is stopped. The server, the crawl and verify
run in processes of their own; memory and time of the crawl are what the kernel counted.

Exit codes: 0 all is well; 1 memory above --max-memory, a stop beyond the grace, defects,
a crawl that failed, or too few healthy pages; 2 wrong flags; 3 a failure.`,
		Example: "  exclave bench hostile --case js-at,gzip-ff --json after.json\n" +
			"  exclave bench hostile --exclave ./exclave-old --json before.json\n  exclave bench hostile --duration 30m",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if o.list {
				return listHostile(cmd.OutOrStdout())
			}
			if o.duration > 0 {
				o.mix(cmd)
			}
			if err := o.validate(); err != nil {
				return withCode(exitUsage, err)
			}
			if o.exclave != "" {
				if o.exclave, err = exec.LookPath(o.exclave); err != nil {
					return withCode(exitUsage, fmt.Errorf("bench hostile: --exclave: %w", err))
				}
			}
			ctx, stop := untilInterrupted(cmd.Context(), cmd.ErrOrStderr())
			defer stop()
			cmd.SetContext(ctx) // its end kills what was started
			return inNewFolder(&o.dir, func() error { return benchHostile(cmd, o) })
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.web.Cases, "case", nil, "only these cases, separated by commas")
	f.BoolVar(&o.list, "list", false, "print the cases and end")
	f.StringVar(&o.exclave, "exclave", "", "crawl and verify with this binary (default: this one)")
	f.DurationVar(&o.duration, "duration", 0, "mix all cases, crawl for so long, then stop (30m)")
	f.DurationVar(&o.baseline, "baseline", 0, "with --duration: how long the healthy hosts are crawled alone before (default: a tenth of it, at most 2m)")
	f.DurationVar(&o.limit, "limit", time.Minute, "stop the crawl of one case after this")
	f.DurationVar(&o.grace, "grace", 5*time.Second, "of the job: how long a stop waits for the URLs in process")
	f.DurationVar(&o.minDelay, "min-delay", 500*time.Millisecond, "of the job, between two requests to a host; with --duration 2s")
	f.DurationVar(&o.retryDelay, "retry-delay", 3*time.Second, "of the job: how long a host backs off after a failure; there is one retry")
	f.IntVar(&o.toeThreads, "toe-threads", 50, "URLs processed at the same time, 1 … 10,000")
	f.IntVar(&o.web.Healthy, "healthy-hosts", o.web.Healthy, "with --duration 100")
	f.IntVar(&o.web.Pages, "healthy-pages", o.web.Pages, "of a host, an image with each; with --duration without an end")
	f.IntVar(&o.web.Hosts, "hosts", o.web.Hosts, "hostile hosts of a case; with --duration 3")
	f.IntVar(&o.web.Items, "items", o.web.Items, "hostile items of a host; with --duration without an end")
	f.Int64Var(&o.maxMemory, "max-memory", 1_000_000_000, "bytes of memory that the crawl may take")
	f.Int64Var(&o.abortMemory, "abort-memory", 6_000_000_000, "bytes at which it is killed, to save the machine")
	f.StringVar(&o.json, "json", "", "write the figures to this file as JSON, after each case; - is stdout at the end, instead of the table")
	f.StringVar(&o.dir, "dir", "", "keep the jobs in this new folder (default: a temporary one, removed)")
	cmd.AddCommand(newBenchHostileServe())
	return cmd
}

// mix sets what a soak has other defaults of.
func (o *hostileOptions) mix(cmd *cobra.Command) {
	endless := 100_000_000
	set := func(flag string, f func()) {
		if !cmd.Flags().Changed(flag) {
			f()
		}
	}
	set("healthy-hosts", func() { o.web.Healthy = 100 })
	set("healthy-pages", func() { o.web.Pages = endless })
	set("hosts", func() { o.web.Hosts = 3 })
	set("items", func() { o.web.Items = endless })
	set("min-delay", func() { o.minDelay = 2 * time.Second })
	set("baseline", func() { o.baseline = min(o.duration/10, 2*time.Minute) })
	o.web.CrawlDelay = 30
}

func (o *hostileOptions) validate() error {
	errs := []error{o.web.Validate().Err("hostileweb")}
	for _, d := range []struct {
		flag string
		d    time.Duration
	}{{"duration", o.duration}, {"baseline", o.baseline}, {"limit", o.limit}, {"grace", o.grace}, {"min-delay", o.minDelay}, {"retry-delay", o.retryDelay}} {
		if d.d < 0 {
			errs = append(errs, fmt.Errorf("bench hostile: --%s: %s is less than nothing", d.flag, d.d))
		}
	}
	if o.maxMemory <= 0 || o.abortMemory < o.maxMemory {
		errs = append(errs, fmt.Errorf("bench hostile: --abort-memory %d is less than --max-memory %d, or that is not positive", o.abortMemory, o.maxMemory))
	}
	return errors.Join(errs...)
}

// cases are the names of those asked for.
func (o *hostileOptions) cases() []string {
	if len(o.web.Cases) > 0 {
		return o.web.Cases
	}
	var all []string
	for _, c := range hostileweb.Cases() {
		all = append(all, c.Name)
	}
	return all
}

func listHostile(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	for _, c := range hostileweb.Cases() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", c.Name, c.Group, c.About)
	}
	return w.Flush()
}

// hostileAddresses is the first line that bench hostile serve prints; its Stats are the last.
type hostileAddresses struct {
	DNS       string            `json:"dns"`
	ConnectTo map[string]string `json:"connect_to"`
	Seeds     []string          `json:"seeds"`
}

func newBenchHostileServe() *cobra.Command {
	return &cobra.Command{
		Use:    "serve PARAMS",
		Short:  "Serve the hostile web of PARAMS, in JSON, until stdin ends, or Ctrl-C",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var p hostileweb.Params
			if err := json.Unmarshal([]byte(args[0]), &p); err != nil {
				return withCode(exitUsage, fmt.Errorf("bench hostile serve: %w", err))
			}
			s, err := hostileweb.Start(p)
			if err != nil {
				return withCode(exitFailure, err)
			}
			return serveUntilEnd(cmd, hostileAddresses{s.DNS(), s.ConnectTo(), s.Seeds()}, func() (any, error) {
				return s.Stats(), s.Close()
			})
		},
	}
}

// benchHostile is the whole measurement.
func benchHostile(cmd *cobra.Command, o hostileOptions) error {
	r := newHostileReport(o)
	var err error
	if o.duration > 0 {
		err = r.soak(cmd, o)
	} else {
		err = r.cases(cmd, o)
	}
	if err == nil && o.json == "-" {
		err = r.save(cmd.OutOrStdout())
	} else if err == nil {
		r.print(cmd.OutOrStdout())
	}
	if err != nil {
		return withCode(exitFailure, err)
	}
	if bad := r.failed(); len(bad) > 0 {
		return withCode(exitNegative, fmt.Errorf("bench hostile: not well: %s", strings.Join(bad, "; ")))
	}
	return nil
}

// cases crawls the healthy hosts alone, then each case beside them.
func (r *hostileReport) cases(cmd *cobra.Command, o hostileOptions) error {
	names := o.cases()
	for i, name := range slices.Insert(slices.Clone(names), 0, "") {
		o := o
		o.web.Cases = nil
		if name != "" {
			o.web.Cases = []string{name}
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "bench: %d of %d: %s\n", i, len(names), orHealthy(name))
		run, err := crawlHostile(cmd, o, filepath.Join(o.dir, fmt.Sprintf("%02d-%s", i, orHealthy(name))), o.limit)
		if err != nil {
			return fmt.Errorf("bench hostile: %s: %w", orHealthy(name), err)
		}
		run.Case = name
		run.want(o.web.HealthyURLs())
		r.Runs = append(r.Runs, run)
		if err := r.saveTo(o.json); err != nil {
			return err
		}
	}
	return nil
}

func orHealthy(name string) string {
	if name == "" {
		return "healthy"
	}
	return name
}

// soak crawls the healthy hosts for a while, then all together.
func (r *hostileReport) soak(cmd *cobra.Command, o hostileOptions) error {
	mixed := o.cases()
	alone := o
	alone.web.Cases = nil
	fmt.Fprintf(cmd.ErrOrStderr(), "bench: %s of healthy hosts alone\n", o.baseline)
	first, err := crawlHostile(cmd, alone, filepath.Join(o.dir, "healthy"), o.baseline)
	if err != nil {
		return fmt.Errorf("bench hostile: healthy hosts alone: %w", err)
	}
	o.web.Cases = mixed
	fmt.Fprintf(cmd.ErrOrStderr(), "bench: %s of %s\n", o.duration, count(len(mixed), "case"))
	all, err := crawlHostile(cmd, o, filepath.Join(o.dir, "soak"), o.duration)
	if err != nil {
		return fmt.Errorf("bench hostile: soak: %w", err)
	}
	all.Case = "soak"
	// As many as the healthy hosts alone would have had in the time.
	all.want(int(float64(first.Web.Found) / first.WallSeconds * all.WallSeconds))
	first.want(first.Web.Found)
	r.Runs = append(r.Runs, first, all)
	return r.saveTo(o.json)
}
