package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"exclave/analyzer"
	"exclave/internal/evaluation"
	"exclave/internal/labels"

	"github.com/spf13/cobra"
)

// labelled are the flags of verbs that read labelled pages.
type labelled struct {
	nation   string
	split    string
	database string
}

func (l *labelled) flags(cmd *cobra.Command, split string) {
	cmd.Flags().StringVar(&l.nation, "nation", "", "what the profile's nation is called in labels; without it the name of the profile")
	cmd.Flags().StringVar(&l.split, "split", split, "pages to read: \"train\", \"test\" or \"all\"; pages without a split are in both")
	cmd.Flags().StringVar(&l.database, "geoip", "", "MaxMind DB file of countries, for searchers of kind geoip")
}

// open opens the profiles; the Analyzer is to be closed.
func (l *labelled) open(cmd *cobra.Command, names []string) (labels.Options, error) {
	if l.split != labels.SplitTrain && l.split != labels.SplitTest && l.split != "all" {
		return labels.Options{}, withCode(exitUsage, fmt.Errorf("--split %q: \"train\", \"test\" or \"all\"", l.split))
	}
	c := analyzer.DefaultConfig()
	c.Profiles, c.GeoIP = names, l.database
	a, err := analyzer.Open(cmd.Context(), c)
	if err != nil {
		return labels.Options{}, withCode(exitUsage, err)
	}
	noteOff(cmd, c)
	o := labels.Options{Analyzer: a, Profiles: a.Profiles(), Split: l.split}
	if o.Split == "all" {
		o.Split = ""
	}
	return o, nil
}

// nationOf is what a profile's nation is called in labels.
func (l *labelled) nationOf(p analyzer.Profile) string {
	if l.nation != "" {
		return l.nation
	}
	return p.Name
}

// said tells what was left out.
func (l *labelled) said(cmd *cobra.Command, left labels.Left) {
	if left.Missing > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "exclave: note: %s left out: neither a document nor a verdict that was logged; name WARC files that have them\n", count(left.Missing, "page"))
	}
}

func newEval() *cobra.Command {
	var (
		l        labelled
		profiles []string
		worst    int
		asJSON   bool
	)
	cmd := &cobra.Command{
		Use:   "eval LABELLED…",
		Short: "Measure how well a profile recognises labelled pages",
		Long: `eval judges labelled pages (docs/formats/labelled.md) and prints precision, recall and F1 of
all and by length, language and kind, which nations' pages are valid, the curve of precision
and recall, what each searcher says alone, and the worst errors with their verdicts. Beside
files of labels (.jsonl, .jsonl.gz) WARC files may be named, which have the documents of
pages that were labelled by URL only.

Exit codes: 0 measured; 2 no page could be judged, or an input or a profile is wrong.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			o, err := l.open(cmd, profiles)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, o.Analyzer.Close()) }()
			var builders []*evaluation.Builder
			for i, p := range o.Profiles {
				builders = append(builders, evaluation.NewBuilder(p, l.nationOf(p), i, worst))
			}
			left, err := labels.Judge(cmd.Context(), args, o, func(s labels.Sample) error {
				for _, b := range builders {
					b.Add(s)
				}
				return nil
			})
			if err != nil {
				return withCode(exitUsage, err)
			}
			l.said(cmd, left)
			for i, b := range builders {
				r := b.Report()
				if r.All.Pages() == 0 {
					return withCode(exitUsage, fmt.Errorf("eval: no page says whether it is of the nation %q (%s without that label, %d of another split, %d without a document); --nation names another",
						r.Nation, count(r.Unlabelled, "page"), left.Split, left.Missing))
				}
				if err := printReport(cmd.OutOrStdout(), r, i > 0, asJSON); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringSliceVar(&profiles, "profile", []string{"cz"}, "profile to measure: built-in name or file; may be repeated")
	l.flags(cmd, "all")
	cmd.Flags().IntVar(&worst, "worst", 5, "how many errors of each sort are explained")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a profile instead of text")
	return cmd
}

func printReport(w io.Writer, r evaluation.Report, further, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(forPrograms(w)).Encode(r)
	}
	if further {
		fmt.Fprintln(w)
	}
	return r.Write(w)
}
