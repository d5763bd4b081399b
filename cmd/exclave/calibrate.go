package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"text/tabwriter"

	"exclave/analyzer"
	"exclave/internal/calibration"
	"exclave/internal/evaluation"
	"exclave/internal/fsx"
	"exclave/internal/labels"
	"exclave/internal/printable"

	"github.com/spf13/cobra"
)

// calibrated is what calibrate prints.
type calibrated struct {
	Profile   string               `json:"profile"`
	Nation    string               `json:"nation"`
	Pages     int                  `json:"pages"`
	Belonging int                  `json:"belonging"` // pages of the nation
	Origins   int                  `json:"origins"`
	Folds     int                  `json:"folds"`
	Precision float64              `json:"precision"` // that was wanted
	Reached   bool                 `json:"reached"`   // on held-out pages
	Fresh     bool                 `json:"fresh"`     // the weights before had no say
	L2        float64              `json:"l2"`
	Bias      float64              `json:"bias"`
	BiasThen  float64              `json:"bias_before"`
	Min       float64              `json:"min"`
	Kept      bool                 `json:"min_kept"` // too few pages to choose another
	Terms     []fitted             `json:"terms"`
	HeldOut   evaluation.Counts    `json:"held_out"`
	ByLength  []calibration.Length `json:"by_length"` // mean, least and most of the folds; the threshold of each is chosen from the others
}

// fitted is a term with its weight, and the mean of its scaled value.
type fitted struct {
	Name       string  `json:"name"`
	Weight     float64 `json:"weight"`
	Before     float64 `json:"before"`
	Nation     float64 `json:"mean_nation"`
	Others     float64 `json:"mean_others"`
	Everywhere bool    `json:"constant,omitempty"` // the same on every page: nothing could be fitted
}

func newCalibrate() *cobra.Command {
	var (
		l         labelled
		profile   string
		class     string
		out       string
		o         calibration.Options
		folds     int
		precision float64
		fresh     bool
		asJSON    bool
	)
	cmd := &cobra.Command{
		Use:   "calibrate LABELLED…",
		Short: "Fit the weights of a profile's probability to labelled pages",
		Long: `calibrate fits bias and weights of the terms in a profile's [probability] to labelled pages
(docs/formats/labelled.md) by logistic regression with an L2 penalty on how far they are from
those that the profile has: few pages change little, many have their way. min is chosen so
that pages held out have the precision of --precision, once there are pages of the nation
enough to tell; before that it stays. With --fresh the numbers of the profile have no say. With
-o it writes the profile with the new numbers; everything else in it stays as it is. It fits
the terms that the profile has and chooses none.

Exit codes: 0 fitted; 1 fitted, but pages held out do not reach the precision; 2 the profile has no
[probability], the pages are too few or all alike, an input is wrong; 3 the profile cannot be written.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if precision == 0 {
				return withCode(exitUsage, errors.New("--precision 0: every page would be valid; a share like 0.995 is wanted"))
			}
			if fresh && !cmd.Flags().Changed("l2") {
				o.L2 = 1
			}
			source, err := analyzer.ReadProfile(profile)
			if err != nil {
				return withCode(exitUsage, err)
			}
			if o.Positive, err = classWeight(class); err != nil {
				return withCode(exitUsage, err)
			}
			opened, err := l.open(cmd, []string{profile})
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, opened.Analyzer.Close()) }()
			p := opened.Profiles[0]
			if p.Probability == nil {
				return withCode(exitUsage, fmt.Errorf("calibrate: profile %s has no [probability]: add one with its terms (docs/howto/recognition.md)", p.Name))
			}
			c := calibrated{Profile: p.Name, Nation: l.nationOf(p), Folds: folds, Precision: precision, Fresh: fresh, L2: o.L2, BiasThen: p.Probability.Bias}
			rows, left, err := rowsOf(cmd, args, opened, p, c.Nation)
			if err != nil {
				return withCode(exitUsage, err)
			}
			l.said(cmd, left)
			if len(rows) == 0 {
				return withCode(exitUsage, fmt.Errorf("calibrate: no page with a document or a logged verdict says whether it is of the nation %q; --nation names another, --split all reads all", c.Nation))
			}
			for _, t := range p.Probability.Terms {
				o.Signs = append(o.Signs, t.Sign.Of())
			}
			if !fresh {
				o.Around = around(p.Probability)
			}
			r, err := calibration.Fit(rows, o, folds, precision)
			if err != nil {
				return withCode(exitUsage, fmt.Errorf("calibrate: %w", err))
			}
			c.take(r, p.Probability, rows)
			if err := c.print(cmd.OutOrStdout(), asJSON); err != nil {
				return err
			}
			if err := c.allowed(); err != nil {
				return withCode(exitUsage, err)
			}
			if out != "" {
				if err := writeWeights(out, source, r); err != nil {
					return withCode(exitFailure, err)
				}
				if p.Decide != analyzer.DecideProbability {
					fmt.Fprintf(cmd.ErrOrStderr(), "exclave: note: %s does not decide by its probability; decide = \"probability\" in [profile] makes it count\n", out)
				}
			}
			if !r.Reached && r.Kept {
				if r.HeldOut.TruePositive+r.HeldOut.FalsePositive == 0 {
					return withCode(exitNegative, fmt.Errorf("calibrate: none of the pages held out is valid with min = %v; label more of the nation, or lower min", r.Min))
				}
				return withCode(exitNegative, fmt.Errorf("calibrate: pages held out have a precision of %v, %v is wanted; label more, also such that are wrongly valid, or raise min", r.HeldOut.Precision(), precision))
			}
			if !r.Reached {
				return withCode(exitNegative, fmt.Errorf("calibrate: no threshold has a precision of %v on pages held out; min = %v lets hardly any page be valid", precision, r.Min))
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&profile, "profile", "cz", "profile with a [probability]: built-in name or file")
	l.flags(cmd, labels.SplitTrain)
	cmd.Flags().StringVarP(&out, "out", "o", "", "write the profile with the new weights to this file; may be the one that was read. Without it they are only printed")
	cmd.Flags().BoolVar(&fresh, "fresh", false, "fit to the pages alone: the penalty is on the weights themselves, and min is chosen anew. For new terms, or many pages")
	cmd.Flags().Float64Var(&o.L2, "l2", 5, "penalty on how far weights are from the profile's, or with --fresh from 0, where it is 1 unless it is given: more keeps them nearer")
	cmd.Flags().StringVar(&class, "class-weight", "1", "how many times a page of the nation counts; \"balanced\": so that these and the others count the same")
	cmd.Flags().IntVar(&folds, "folds", 5, "parts of the pages, by source; each is held out once")
	cmd.Flags().Float64Var(&precision, "precision", 0.995, "share of the nation's among valid pages that min is chosen for")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object instead of text")
	return cmd
}

// around are the numbers that a profile has.
func around(p *analyzer.Probability) *calibration.Around {
	a := calibration.Around{Model: calibration.Model{Bias: p.Bias}, Min: p.Min}
	for _, t := range p.Terms {
		a.Weights = append(a.Weights, t.Weight)
	}
	return &a
}

// classWeight reads --class-weight.
func classWeight(s string) (float64, error) {
	if s == "balanced" {
		return 0, nil
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x > 0 && x <= 1e6) {
		return 0, fmt.Errorf("--class-weight %q: a number above 0, or \"balanced\"", s)
	}
	return x, nil
}

// rowsOf judges the pages and keeps what weights are fitted to.
func rowsOf(cmd *cobra.Command, args []string, o labels.Options, p analyzer.Profile, nation string) (rows []calibration.Row, left labels.Left, err error) {
	left, err = labels.Judge(cmd.Context(), args, o, func(s labels.Sample) error {
		belongs, known := s.Belongs(nation)
		if v := s.Verdicts[0]; known && v.Judged {
			rows = append(rows, calibration.Row{X: p.Probability.Inputs(v), Belongs: belongs, Origin: s.Origin(), Words: s.Words})
		}
		return nil
	})
	return rows, left, err
}

// writeWeights writes the profile, once it is known to be one.
func writeWeights(file string, source []byte, r calibration.Result) error {
	text, err := analyzer.WithWeights(source, r.Bias, r.Min, r.Weights)
	if err != nil {
		return err
	}
	if _, problems := analyzer.ParseProfile(text, file); len(problems) > 0 {
		return problems.Err("calibrate")
	}
	return fsx.WriteSharedAtomic(fsx.Real(), file, text)
}

func (c *calibrated) take(r calibration.Result, p *analyzer.Probability, rows []calibration.Row) {
	c.Pages, c.Belonging, c.Origins, c.Reached = len(rows), r.Belonging, r.Origins, r.Reached
	c.Bias, c.Min, c.Kept, c.HeldOut, c.ByLength = r.Bias, r.Min, r.Kept, r.HeldOut, r.ByLength
	for i, name := range p.TermNames() {
		f := fitted{Name: name, Weight: r.Weights[i], Before: p.Terms[i].Weight, Everywhere: true}
		for _, row := range rows {
			f.Everywhere = f.Everywhere && row.X[i] == rows[0].X[i]
			if row.Belongs {
				f.Nation += row.X[i] / float64(r.Belonging)
			} else {
				f.Others += row.X[i] / float64(len(rows)-r.Belonging)
			}
		}
		c.Terms = append(c.Terms, f)
	}
}

// allowed refuses numbers that no profile may have.
func (c *calibrated) allowed() error {
	const what = "calibrate: %s of %g is more than a profile may have (%d): its values are nearly the same on all pages; use a greater --l2, or leave the term out"
	if math.Abs(c.Bias) > analyzer.MaxWeight {
		return fmt.Errorf(what, "a bias", c.Bias, analyzer.MaxWeight)
	}
	for _, f := range c.Terms {
		if math.Abs(f.Weight) > analyzer.MaxWeight {
			return fmt.Errorf(what, "a weight of "+strconv.Quote(f.Name), f.Weight, analyzer.MaxWeight)
		}
	}
	return nil
}

func (c *calibrated) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(forPrograms(w)).Encode(c)
	}
	fmt.Fprintf(w, "profile %s, nation %s: %s of %d origins, %d the nation's; %d folds\n%s\n\n", printable.Text(c.Profile), printable.Text(c.Nation), count(c.Pages, "page"), c.Origins, c.Belonging, c.Folds, c.from())
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "term\tweight\tbefore\tmean, nation's\tmean, others'\n")
	fmt.Fprintf(t, "bias\t%+.3f\t%+.3f\n", c.Bias, c.BiasThen)
	for _, f := range c.Terms {
		note := ""
		if f.Everywhere {
			note = "\tthe same on every page"
		}
		fmt.Fprintf(t, "%s\t%+.3f\t%+.3f\t%.3f\t%.3f%s\n", printable.Text(f.Name), f.Weight, f.Before, f.Nation, f.Others, note)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(t, "\nheld out\tpages\tprecision\trecall\tF1\n")
	for _, l := range c.ByLength {
		fmt.Fprintf(t, "%s\t%d\t%v\t%v\t%v\n", l.Name, l.Pages, l.Precision, l.Recall, l.F1)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	kept := ""
	if c.Kept {
		kept = fmt.Sprintf(", as it was (to choose one for a precision of %v, %d different pages of the nation are wanted)", c.Precision, calibration.Enough(c.Precision))
	}
	_, err := fmt.Fprintf(w, "\nmin = %v%s: of all pages held out precision %v, recall %v\n", c.Min, kept, c.HeldOut.Precision(), c.HeldOut.Recall())
	return err
}

// from says what the fit began with.
func (c *calibrated) from() string {
	if c.Fresh {
		return fmt.Sprintf("fitted to the pages alone (--fresh, --l2 %v)", c.L2)
	}
	return fmt.Sprintf("drawn to the weights before (--l2 %v; --fresh fits without them)", c.L2)
}
