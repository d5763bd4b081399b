package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"exclave/analyzer"
	"exclave/internal/judge"
	"exclave/internal/printable"

	"github.com/spf13/cobra"
)

func newAnalyze() *cobra.Command {
	var (
		profiles []string
		asJSON   bool
		contact  string
		database string
		owners   string
	)
	cmd := &cobra.Command{
		Use:   "analyze FILE|URL|WARC…",
		Short: "Judge documents without a crawl and explain the verdict",
		Long: `analyze judges each file, each page behind an http(s) URL, and each answer with
status 200 in a WARC file, and explains what it found. As with grep, the exit
code is 0 when something was valid, 1 when nothing was, 2 when there was an error.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			c := analyzer.DefaultConfig()
			c.Profiles, c.GeoIP, c.GeoIPASN = profiles, database, owners
			a, err := analyzer.Open(cmd.Context(), c)
			if err != nil {
				return withCode(exitUsage, err)
			}
			defer func() { err = errors.Join(err, a.Close()) }()
			noteOff(cmd, c)
			var errs []error
			valid := false
			each := func(j judge.Result) error {
				valid = valid || j.Valid()
				return printJudged(cmd.OutOrStdout(), j, asJSON)
			}
			doubts := &doubts{to: cmd.ErrOrStderr()}
			defer doubts.end()
			for _, arg := range args {
				if strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://") {
					errs = append(errs, judge.URL(cmd.Context(), a, arg, contact, programVersion, each))
				} else {
					errs = append(errs, judge.File(cmd.Context(), a, arg, each, doubts.note))
				}
			}
			switch err := errors.Join(errs...); {
			case err != nil:
				return withCode(exitUsage, err)
			case !valid:
				return withCode(exitNegative, errSaid)
			}
			return nil
		},
	}
	cmd.Flags().StringSliceVar(&profiles, "profile", []string{"cz"}, "profile to judge by: built-in name or file; may be repeated")
	cmd.Flags().StringVar(&database, "geoip", "", "MaxMind DB file of countries, for searchers of kind geoip")
	cmd.Flags().StringVar(&owners, "geoip-asn", "", "MaxMind DB file of autonomous systems, whose names are added to the evidence of those searchers")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a document instead of text")
	cmd.Flags().StringVar(&contact, "contact", "https://example.org/", "contact URL sent when a URL is fetched")
	return cmd
}

func printJudged(w io.Writer, j judge.Result, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(forPrograms(w)).Encode(j)
	}
	fmt.Fprintf(w, "%s  [%s]", printable.Text(j.URL), printable.Text(j.MIME))
	if j.Title != "" {
		fmt.Fprintf(w, "  %s", printable.Text(j.Title))
	}
	fmt.Fprintln(w)
	if j.Skipped != "" {
		fmt.Fprintln(w, "  not judged:", printable.Text(j.Skipped))
	}
	for _, v := range j.Verdicts {
		if err := v.Explain(w); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

// noteOff tells which searchers are off where nothing is crawled.
func noteOff(cmd *cobra.Command, c analyzer.Config) {
	for _, n := range c.Notices() {
		how := "--geoip"
		if n.Missing == analyzer.MissingWhois {
			how = "only crawls ask"
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "exclave: note: %s (%s)\n", n, how)
	}
}
