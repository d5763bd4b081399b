package main

import (
	"fmt"

	"exclave/config"

	"github.com/spf13/cobra"
)

// notices are what of a job is switched off without being wrong.
func notices(c *config.Config) []string {
	a := c.Analysis.Config
	a.Dir = c.Dir
	var out []string
	for _, n := range a.Notices() {
		out = append(out, n+" (analysis.geoip)")
	}
	return append(append(out, c.Order.Notices()...), c.Limits.Notices()...)
}

func newCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check JOB",
		Short: "Report every problem of a job's configuration",
		Long: `check reads job.toml and the files it names and prints every problem with file,
line, column and what to do. Nothing is fetched and nothing is written.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, problems := config.Load(args[0])
			for _, p := range problems {
				fmt.Fprintln(cmd.OutOrStdout(), p)
			}
			if len(problems) > 0 {
				return withCode(exitUsage, fmt.Errorf("check %s: %s", args[0], count(len(problems), "problem")))
			}
			for _, n := range notices(c) {
				fmt.Fprintln(cmd.OutOrStdout(), "note:", n)
			}
			if c.Metrics.Public() {
				fmt.Fprintf(cmd.OutOrStdout(), "note: other machines can read the metrics at %s (metrics.address)\n", c.Metrics.Address)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: no problems\n", args[0])
			return nil
		},
	}
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
