package main

import (
	"fmt"

	"exclave/config"
	"exclave/internal/control"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/question"

	"github.com/spf13/cobra"
)

func newSheet() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sheet JOB URL…",
		Short: "Say which settings of sheets apply to URLs, and why",
		Long: `sheet prints each setting that the job's sheets (JOB/sheets/*.toml) lay on a URL, with the sheet, its file
and the SURT prefix by which it applies. Of a running crawl these are the sheets in force; of a job at rest, begun or
not, those in its folder.

Exit codes: 0 a sheet applies to every URL; 1 none applies to one; 2 one is no URL, or the configuration or a sheet is
wrong.`,
		Example: "  exclave sheet my-job https://www.example.com/",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var all []question.SheetAnswer
			for _, raw := range args[1:] {
				a, err := askSheet(cmd, args[0], raw)
				if err != nil {
					return askError(err)
				}
				all = append(all, a)
			}
			return printSheets(cmd, all, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func askSheet(cmd *cobra.Command, dir, raw string) (a question.SheetAnswer, err error) {
	err = either(cmd, dir, true, func(c *control.Client) (err error) {
		a, err = c.Sheet(cmd.Context(), raw)
		return err
	}, func(cfg *config.Config, o job.Options) (err error) {
		if a, err = question.SheetOf(folder.Of(cfg, o.Env()), raw); err != nil {
			return withCode(exitUsage, err)
		}
		return nil
	})
	return a, err
}

func printSheets(cmd *cobra.Command, all []question.SheetAnswer, asJSON bool) error {
	var without error
	for _, a := range all {
		if len(a.Applied) == 0 {
			without = withCode(exitNegative, errSaid)
		}
	}
	if asJSON {
		if err := printJSON(cmd.OutOrStdout(), all); err != nil {
			return err
		}
		return without
	}
	p := &sheet{out: cmd.OutOrStdout()}
	for i, a := range all {
		if i > 0 {
			p.row("", "")
		}
		p.row("url", a.URL)
		if len(a.Applied) == 0 {
			p.row("sheets", fmt.Sprintf("none of %d applies", a.Sheets))
		}
		for _, s := range a.Applied {
			p.row(s.Key, fmt.Sprintf("%s, by sheet %s (%s) for %s", s.Value, s.Sheet, s.File, s.Prefix))
		}
	}
	if p.err != nil {
		return p.err
	}
	return without
}

func newReload() *cobra.Command {
	return &cobra.Command{
		Use:   "reload JOB",
		Short: "Have a running crawl read its sheets anew",
		Long: `reload has the running crawl of a job read JOB/sheets/*.toml anew and put them in force as a whole: for all that is
fetched from now on, what is queued included, and for the links found. When one is wrong, the error says where, and
the sheets before stay in force.

Exit codes: 0 done; 1 no crawl of the job is running: it reads them when it starts; 2 a sheet is wrong.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withCrawl(args[0], func(c *control.Client) error {
				r, err := c.Reload(cmd.Context())
				if err != nil {
					return askError(err)
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: sheets in force: %d\n", args[0], r.Sheets)
				return err
			})
		},
	}
}
