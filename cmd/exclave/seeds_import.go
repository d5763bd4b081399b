package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"exclave/config"
	"exclave/internal/control"
	"exclave/internal/job"
	"exclave/internal/job/question"
	"exclave/internal/job/seeds"
	"exclave/internal/live"

	"github.com/spf13/cobra"
)

func newSeedsImport() *cobra.Command {
	var (
		logs   logFlags
		source string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "import JOB FILE…|-",
		Short: "Import the URLs of logs into a job as seeds, running or at rest",
		Long: `import reads each file and queues its URLs in the job in the folder JOB as
seeds: in the crawl when one is running, otherwise in its state, for the next
one. Importing twice does no harm. It prints how many seeds were accepted, known
before, out of scope (and by which rule), how many lines were left out as traps,
by which rules links were refused where the log comes from, and what was broken.

Exit codes: 0 seeds were accepted; 1 none was; 2 the configuration is wrong or a
file cannot be read (of a damaged one, what comes before the damage was taken); 3 a failure of our own; 4 another process works on the job
and takes no seeds.`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			read, err := logs.options("")
			if err != nil {
				return err
			}
			if _, err := loadJob(cmd, args[0]); err != nil {
				return err
			}
			o := seeds.ImportOptions{Source: source, Format: read.Format, Statuses: read.Statuses, Traps: read.Traps}
			// Opened first: a name that is wrong costs no half import.
			var files []io.ReadCloser
			defer func() {
				for _, f := range files {
					err = errors.Join(err, f.Close())
				}
			}()
			for _, name := range args[1:] {
				f, err := openLog(cmd, name)
				if err != nil {
					return withCode(exitUsage, err)
				}
				files = append(files, f)
			}
			accepted := int64(0)
			var reports []seeds.Report
			give := func(c question.Changes) error {
				for len(reports) < len(files) { // a file is read once, whoever takes it
					i := len(reports)
					r, err := c.ImportSeeds(cmd.Context(), files[i], args[1+i], o)
					if errors.Is(err, control.ErrNotRunning) && i == 0 {
						return err // nothing was read of it
					}
					accepted, reports = accepted+r.Accepted, append(reports, r)
					if err == nil || r.Lines > 0 {
						err = errors.Join(err, printImported(cmd.OutOrStdout(), r, asJSON))
					}
					if err != nil {
						return askError(err)
					}
				}
				return nil
			}
			err = either(cmd, args[0], false, func(c *control.Client) error { return give(c) }, func(cfg *config.Config, o job.Options) error {
				return opened(cmd, cfg, o, give)
			})
			if err != nil {
				return jobError(err)
			}
			if err := damagedSeeds(reports); err != nil {
				return err
			}
			if accepted == 0 {
				return withCode(exitNegative, errSaid)
			}
			return nil
		},
	}
	logs.add(cmd)
	cmd.Flags().StringVar(&source, "source", "", "source tag of the seeds, instead of what the log says of each")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a file instead of text (docs/formats/seeds.md)")
	return cmd
}

func printImported(to io.Writer, r seeds.Report, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(forPrograms(to)).Encode(r)
	}
	w := &strings.Builder{}
	fmt.Fprintf(w, "%s: %s, %s: %s lines: %s accepted, %s known", r.File, r.Compression, string(r.Format), live.Number(r.Lines), live.Number(r.Accepted), live.Number(r.Known))
	out := int64(0)
	for _, n := range r.Rejected {
		out += n
	}
	fmt.Fprintf(w, ", %s out of scope, %s no seeds, %s blank, %s broken\n", live.Number(out), live.Number(r.Skipped), live.Number(r.Blank), live.Number(r.Broken))
	for _, rule := range byCount(r.Rejected) {
		fmt.Fprintf(w, "  out of scope by %s: %s%s\n", rule, live.Number(r.Rejected[rule]), ownDomain(r.Rejected[rule], r.OwnDomain[rule]))
	}
	if len(r.Rules) > 0 {
		fmt.Fprintf(w, "  refused there by: %s\n", shared(r.Rules))
	}
	printLeftOut(w, r.State)
	printBroken(w, r.State)
	_, err := io.WriteString(to, w.String())
	return err
}

// ownDomain says how many of n seeds out of scope are in the nation's own domain.
func ownDomain(n, own int64) string {
	switch own {
	case 0:
		return ""
	case n:
		return " (own domain)"
	}
	return " (" + live.Number(own) + " own domain)"
}

// byCount returns the keys, the most frequent first.
func byCount(n map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(n), func(a, b string) int { return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a, b)) })
}
