package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"exclave/analyzer"
	"exclave/config"
	"exclave/internal/collection"
	"exclave/internal/conf"
	"exclave/internal/job/seeds"
	"exclave/internal/live"
	"exclave/internal/seedlog"

	"github.com/spf13/cobra"
)

func newSeedsSplit() *cobra.Command {
	var (
		logs                             logsRead
		into, by, file, profile, contact string
		plan                             collection.Plan
	)
	cmd := &cobra.Command{
		Use:   "split --into DIR FILE…|-",
		Short: "Divide logs into collections, each a job ready to run",
		Long: `split reads logs in any format and makes the folder DIR with a job for each
collection: 0001, 0002 … Each has its own job.toml and seeds; no address is in two of
them. DIR/hosts.tsv ranks all hosts by how many registered domains and pages of the
nation's own top-level domain link to them, where the logs have the linking page; the seeds keep that page (via).
Seeds of better ranked hosts come first. exclave crawl DIR runs the jobs one after
another.

--by says what stays together: a host, a registered domain (domain), a top-level
domain (tld); they are divided by their hash so that collections have about as many
URLs. --by size cuts the ranking into pieces of one size: the best hosts are in the
first collection, and a host at a cut is in both.

Memory does not depend on size; the disk of DIR needs room for about twice the
addresses. Whatever happens, DIR is there only when everything in it is complete.

Exit codes: 0 done; 1 the logs name no address; 2 wrong flags, DIR is there already,
the configuration is wrong, a file cannot be read; 3 a failure of our own; 130
interrupted, nothing was made.`,
		Example: `  exclave seeds split --into harvest --by domain --parts 8 --profile cz --contact https://library.example/crawler scope.log.gz
  exclave seeds split --into harvest --by size --max-urls 1000000 --config my-job/job.toml --tld cz *.log.zst
  exclave crawl harvest`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if into == "" {
				return withCode(exitUsage, errors.New("seeds split: --into DIR is missing"))
			}
			plan.By = collection.By(by)
			if err := plan.Validate().Err("collection"); err != nil {
				return withCode(exitUsage, fmt.Errorf("seeds split: %w (--parts N or --max-urls N; --by %s)", err, waysText()))
			}
			base, err := splitConfig(cmd, file, profile, contact, &logs)
			if err != nil {
				return err
			}
			job := func(name, seeds string) []byte {
				c := *base
				c.Job.Name, c.Job.Seeds = jobName(filepath.Base(into))+"-"+name, []string{seeds}
				return config.Template(&c)
			}
			if abs, err := filepath.Abs(into); err == nil {
				into = abs // "." and ".." have no name
			}
			var made []collection.Collection
			var t collection.Totals
			err = logs.each(cmd, args, base, func(ctx context.Context, o collection.Options, read func(*collection.Gatherer) error) error {
				made, t, err = collection.Make(ctx, into, o, plan, read, job)
				return err
			})
			if err != nil && made == nil {
				return err
			}
			printCollections(cmd.OutOrStdout(), made, t)
			for _, c := range made {
				if plan.MaxURLs > 0 && c.URLs > plan.MaxURLs {
					fmt.Fprintf(cmd.ErrOrStderr(), "exclave: note: collection %s has more than %s URLs: what stays together cannot be divided (--by size can)\n", c.Name, live.Number(plan.MaxURLs))
				}
			}
			if base.HTTP.Contact == "" {
				fmt.Fprintf(cmd.ErrOrStderr(), "exclave: note: write your contact URL into each job.toml, or use --contact\n")
			}
			return err // of a file that is damaged
		},
	}
	logs.add(cmd)
	f := cmd.Flags()
	f.StringVar(&into, "into", "", "the new folder")
	f.StringVar(&by, "by", string(collection.ByHost), "what stays together: "+waysText())
	f.IntVar(&plan.Parts, "parts", 0, "how many collections, 1 … 10,000")
	f.Int64Var(&plan.MaxURLs, "max-urls", 0, "URLs of a collection at most, instead of --parts")
	f.StringVar(&file, "config", "", "job.toml whose settings all jobs get, but for name and seeds")
	f.StringVar(&profile, "profile", "", "without --config, as for exclave init (default: the one of --tld)")
	f.StringVar(&contact, "contact", "", "without --config, as for exclave init")
	return profiled(cmd)
}

func waysText() string {
	var names []string
	for _, w := range collection.Ways() {
		names = append(names, string(w))
	}
	return strings.Join(names, ", ")
}

func newSeedsRank() *cobra.Command {
	var (
		logs      logsRead
		out, temp string
	)
	cmd := &cobra.Command{
		Use:   "rank --tld TLD FILE…|-",
		Short: "Rank the hosts of logs by who links to them",
		Long: `rank reads logs in any format and lists their hosts, tab-separated, the best first:
those that most registered domains, then most pages, of the nation's own top-level
domain link to. Different pages and domains are counted, exactly; each needs the
linking page in the log. Memory does not depend on size; temporary files are as large
as the addresses.

Exit codes: 0 done; 1 the logs name no address; 2 wrong flags, a file cannot be read;
3 a failure of our own; 130 interrupted.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if len(logs.tlds) == 0 {
				return withCode(exitUsage, errors.New("seeds rank: --tld is missing: which top-level domain is the nation's own?"))
			}
			w := cmd.OutOrStdout()
			if out != "" {
				f, bad := os.OpenFile(out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
				if bad != nil {
					return withCode(exitUsage, bad)
				}
				defer func() { err = errors.Join(err, f.Close()) }()
				w = f
			}
			return logs.each(cmd, args, config.Default(""), func(ctx context.Context, o collection.Options, read func(*collection.Gatherer) error) (err error) {
				if o.Dir, err = os.MkdirTemp(temp, "exclave-rank-"); err != nil {
					return err
				}
				defer func() { err = errors.Join(err, os.RemoveAll(o.Dir)) }()
				g := collection.New(o)
				defer g.Close()
				if err := read(g); err != nil {
					return err
				}
				t, err := g.Rank(ctx, w)
				if err == nil && t.Hosts == 0 {
					err = collection.ErrNoSeeds
				}
				return err
			})
		},
	}
	logs.add(cmd)
	cmd.Flags().StringVar(&out, "out", "", "write to this new file instead of stdout")
	cmd.Flags().StringVar(&temp, "temp", "", "folder of temporary files (default: the system's)")
	return profiled(cmd)
}

// logsRead are the flags and the way of split and rank.
type logsRead struct {
	logFlags
	tlds  []string
	quiet bool
}

func (l *logsRead) add(cmd *cobra.Command) {
	l.logFlags.add(cmd)
	cmd.Flags().StringSliceVar(&l.tlds, "tld", nil, "the nation's own top-level domains (default: that of the profile)")
	cmd.Flags().BoolVar(&l.quiet, "quiet", false, "no progress on stderr")
}

// each opens the logs, all of them before anything is done, and calls fn with what
// reads them.
func (l *logsRead) each(cmd *cobra.Command, names []string, c *config.Config, fn func(context.Context, collection.Options, func(*collection.Gatherer) error) error) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), endings()...)
	defer stop()
	o, err := l.options("")
	if err != nil {
		return err
	}
	files := make([]io.ReadCloser, len(names))
	for i, name := range names {
		if files[i], err = openLog(cmd, name); err != nil {
			return withCode(exitUsage, err)
		}
		defer files[i].Close()
	}
	gather := collection.Options{Rules: c.URL.Rules, TLDs: l.tlds}
	if !l.quiet {
		gather.Progress = func(pass string, n int64) { fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", pass, live.Number(n)) }
	}
	var damaged []seeds.Report
	err = fn(ctx, gather, func(g *collection.Gatherer) error {
		for i, name := range names {
			o.Name = name
			s, err := g.Read(ctx, files[i], o)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			found := s.Lines - s.Blank - s.Skipped - s.Broken - s.LeftOut()
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s: %s lines: %s addresses, %s no seeds, %s blank, %s broken\n", name, string(s.Format),
				live.Number(s.Lines), live.Number(found), live.Number(s.Skipped), live.Number(s.Blank), live.Number(s.Broken))
			damaged = append(damaged, seeds.Report{File: name, State: s})
			printLeftOut(cmd.ErrOrStderr(), s)
			printBroken(cmd.ErrOrStderr(), s)
		}
		return nil
	})
	switch {
	case err == nil:
		return damagedSeeds(damaged)
	case ctx.Err() != nil:
		return withCode(exitInterrupt, errors.New(cmd.CommandPath()+": interrupted; nothing was made"))
	case errors.Is(err, collection.ErrNoSeeds):
		return withCode(exitNegative, err)
	case errors.Is(err, collection.ErrExists), errors.Is(err, seedlog.ErrNoLog):
		return withCode(exitUsage, err)
	}
	return withCode(exitFailure, err)
}

// splitConfig is the configuration that all jobs share. The nation's top-level
// domain is that of its profile, unless it is given.
func splitConfig(cmd *cobra.Command, file, profile, contact string, logs *logsRead) (*config.Config, error) {
	if file == "" {
		if profile == "" && len(logs.tlds) == 1 && slices.Contains(analyzer.Builtins(), logs.tlds[0]) {
			profile = logs.tlds[0]
		}
		name, err := profileName(profile)
		if err != nil {
			return nil, withCode(exitUsage, fmt.Errorf("seeds split: %w; or give the settings with --config", err))
		}
		c := config.Default(name)
		c.HTTP.Contact = contact
		logs.nation(cmd, c)
		return c, nil
	}
	if profile != "" || contact != "" {
		return nil, withCode(exitUsage, errors.New("seeds split: --profile and --contact go without --config, which has them"))
	}
	c, problems := config.Load(file)
	problems = slices.DeleteFunc(problems, func(p conf.Problem) bool { return strings.HasPrefix(p.Key, "job.seeds") }) // they are not used
	for _, p := range problems {
		fmt.Fprintln(cmd.ErrOrStderr(), p)
	}
	if len(problems) > 0 {
		return nil, withCode(exitUsage, fmt.Errorf("%s: %s in the configuration", file, count(len(problems), "problem")))
	}
	if err := c.Absolute(); err != nil {
		return nil, withCode(exitFailure, err)
	}
	logs.nation(cmd, c)
	return c, nil
}

// nation takes the nation's top-level domains from the profiles.
func (l *logsRead) nation(cmd *cobra.Command, c *config.Config) {
	if len(l.tlds) > 0 {
		return
	}
	for _, p := range c.Analysis.Profiles {
		for _, d := range config.NationalDomains(p) {
			if !strings.Contains(d, ".") {
				l.tlds = append(l.tlds, d)
			}
		}
	}
	if len(l.tlds) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "exclave: note: no links are counted: the profile's own_domains name no top-level domain (--tld names the nation's)")
	}
}

func printCollections(w io.Writer, made []collection.Collection, t collection.Totals) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name, hosts, urls, bytes string) {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t\n", name, hosts, urls, bytes)
	}
	row("collection", "hosts", "URLs", "bytes")
	var bytes int64
	for _, c := range made {
		row(c.Name, live.Number(c.Hosts), live.Number(c.URLs), live.Number(c.Bytes))
		bytes += c.Bytes
	}
	row("all", live.Number(t.Hosts), live.Number(t.URLs), live.Number(bytes))
	_ = table.Flush() // as every other print for a person
}
