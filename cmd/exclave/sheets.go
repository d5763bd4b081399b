package main

import (
	"fmt"
	"strings"

	"exclave/config"
	"exclave/internal/control"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/question"

	"github.com/spf13/cobra"
)

func newSheet() *cobra.Command {
	var asJSON bool
	var profiles []string
	cmd := &cobra.Command{
		Use:   "sheet JOB URL…",
		Short: "Say which settings of sheets apply to URLs, and why",
		Long: `sheet prints each setting that the job's sheets (JOB/sheets/*.toml) lay on a URL, with the sheet, its file
and the SURT prefix or the profile by which it applies. Of a running crawl these are the sheets in force; of a job at
rest, begun or not, those in its folder. When a sheet is for profiles, each URL is looked up in the state of the job: by
which profiles it was found so far. --profile asks as if it had been found by this one.

Exit codes: 0 a sheet applies to every URL; 1 none applies to one; 2 one is no URL, the job has no such profile, or the
configuration or a sheet is wrong; 3 the state cannot be read; 4 another process works on the job.`,
		Example: "  exclave sheet my-job https://www.example.com/",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var all []question.SheetAnswer
			for _, raw := range args[1:] {
				a, err := askSheet(cmd, args[0], raw, profiles)
				if err != nil {
					return askError(err)
				}
				all = append(all, a)
			}
			return printSheets(cmd, all, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringSliceVar(&profiles, "profile", nil, "ask as if the URLs had been found by this profile of the job; may be repeated")
	return cmd
}

func askSheet(cmd *cobra.Command, dir, raw string, profiles []string) (a question.SheetAnswer, err error) {
	err = either(cmd, dir, true, func(c *control.Client) (err error) {
		a, err = c.Sheet(cmd.Context(), raw, profiles)
		return err
	}, func(cfg *config.Config, o job.Options) (err error) {
		a, err = question.SheetOf(cmd.Context(), folder.Of(cfg, o.Env()), raw, profiles)
		return err
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
		switch {
		case len(a.Profiles) > 0:
			p.row("profiles", strings.Join(a.Profiles, ", "))
		case a.ByProfile > 0:
			p.row("profiles", "none: no page that one found valid led to it, so far")
		}
		if len(a.Applied) == 0 {
			p.row("sheets", fmt.Sprintf("none of %d applies", a.Sheets))
		}
		for _, s := range a.Applied {
			why := s.Prefix
			if s.Profile != "" {
				why = "profile " + s.Profile
			}
			p.row(s.Key, fmt.Sprintf("%s, by sheet %s (%s) for %s", s.Value, s.Sheet, s.File, why))
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
fetched from now on, what is queued included, and for the links found. Hosts whose budget is raised go on. When one is
wrong, the error says where, and the sheets before stay in force.

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
