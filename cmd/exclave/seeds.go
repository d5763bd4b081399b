package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"exclave/internal/live"
	"exclave/internal/seedlog"

	"github.com/spf13/cobra"
)

func newSeeds() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "seeds inspect|import|rank|split",
		Short: "Read logs of other harvests: inspect them, import seeds, rank hosts, split them into jobs",
		Long: `seeds reads what a library has: bare lists, Heritrix 1 LinksScoper.log, Heritrix 3
scope.log and candidateScoper.log, crawl.log (lines with status -5000),
Browsertrix skippedPages.jsonl, Veidemann uri files, CDX and CDXJ, SURT prefixes,
and out-of-scope.jsonl of exclave; plain, gzip or zstd; "-" is standard input.
Format and compression are recognised from the content. Memory does not depend on
size. Broken lines are counted and shown, never fatal. What a log says was refused as
a trap (too many hops, a path that repeats itself, too many segments) is left out and
counted; --traps takes it. Lists are always taken whole.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withCode(exitUsage, fmt.Errorf("%s: inspect, import, rank or split? (--help explains)", cmd.CommandPath()))
		},
	}
	cmd.AddCommand(newSeedsInspect(), newSeedsImport(), newSeedsRank(), newSeedsSplit())
	return cmd
}

// logFlags are how logs are read.
type logFlags struct {
	format   string
	statuses []int
	traps    bool
}

func (l *logFlags) add(cmd *cobra.Command) {
	var names []string
	for _, f := range seedlog.Formats() {
		names = append(names, string(f))
	}
	cmd.Flags().StringVar(&l.format, "format", "auto", "format of the files instead of recognising it: auto, "+strings.Join(names, ", "))
	cmd.Flags().IntSliceVar(&l.statuses, "crawl-status", nil, "statuses of a crawl.log whose lines are seeds (default -5000; with --traps -4000, -4001 and -4002 too)")
	cmd.Flags().BoolVar(&l.traps, "traps", false, "take also what a log says was refused as a trap")
}

func (l *logFlags) options(name string) (seedlog.Options, error) {
	f, err := seedlog.ParseFormat(l.format)
	if err != nil {
		return seedlog.Options{}, withCode(exitUsage, err)
	}
	return seedlog.Options{Format: f, Name: name, Statuses: l.statuses, Traps: l.traps}, nil
}

// openLog opens a file, or standard input for "-".
func openLog(cmd *cobra.Command, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(cmd.InOrStdin()), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if st, err := f.Stat(); err == nil && st.IsDir() {
		return nil, errors.Join(fmt.Errorf("%s is a folder; name the files in it", name), f.Close())
	}
	return f, nil
}

// inspected is what is told of a file, or of all together.
type inspected struct {
	File string `json:"file"` // "total" for all together
	*seedlog.Summary
	refused
	seedlog.Sum
	Seconds float64 `json:"seconds"`
	Rate    float64 `json:"lines_per_second"`
	lines   int64
}

// refused counts lines by the rule that refused them there; of all files together, too.
type refused struct {
	Rules map[string]int64 `json:"rules,omitempty"`
	Traps map[string]int64 `json:"traps,omitempty"`
}

func (r *refused) add(s seedlog.State) {
	for _, m := range []struct {
		to   *map[string]int64
		from map[string]int64
	}{{&r.Rules, s.Rules}, {&r.Traps, s.Traps}} {
		for rule, n := range m.from {
			if *m.to == nil {
				*m.to = map[string]int64{}
			}
			(*m.to)[rule] += n
		}
	}
}

func newSeedsInspect() *cobra.Command {
	var (
		logs   logFlags
		asJSON bool
		top    int
	)
	cmd := &cobra.Command{
		Use:   "inspect FILE…|-",
		Short: "Say what a log holds",
		Long: `inspect reads each file to its end and says what it holds: compression, format
(and how many of the first lines suggested it), lines, URLs, duplicates, hosts,
top-level domains, schemes, and what is broken, with the first ten. With several
files, all of them together too. Up to 4 million different URLs and 1 million
hosts are counted exactly; beyond, numbers are estimates (within 1 %) and marked.

Exit codes: 0 there are URLs; 1 there is none; 2 a file cannot be read, or not to its
end.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var total *seedlog.Tally
			if len(args) > 1 {
				total = seedlog.NewTally()
			}
			all, began := inspected{File: "total"}, time.Now()
			var errs []error
			urls := int64(0)
			for _, name := range args {
				i, err := inspectLog(cmd, name, &logs, total, top)
				if err != nil {
					errs = append(errs, err)
					if i == nil {
						continue
					}
				}
				if i.Damage != "" {
					errs = append(errs, fmt.Errorf("%s: %s", name, i.Damage))
				}
				urls += i.URLs
				all.lines += i.Lines
				all.add(i.State)
				if err := printInspected(cmd.OutOrStdout(), i, asJSON); err != nil {
					return err
				}
			}
			if total != nil {
				all.Sum = total.Sum(top)
				all.took(time.Since(began), all.lines)
				if err := printInspected(cmd.OutOrStdout(), &all, asJSON); err != nil {
					return err
				}
			}
			switch err := errors.Join(errs...); {
			case err != nil:
				return withCode(exitUsage, err)
			case urls == 0:
				return withCode(exitNegative, errSaid)
			}
			return nil
		},
	}
	logs.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a file instead of text")
	cmd.Flags().IntVar(&top, "top", 10, "how many hosts, top-level domains and schemes to list")
	return cmd
}

func (i *inspected) took(d time.Duration, lines int64) {
	i.Seconds = d.Seconds()
	i.lines = lines
	if i.Seconds > 0 {
		i.Rate = float64(lines) / i.Seconds
	}
}

// inspectLog returns nil when the file could not be opened or is no log; with another
// error, what was read before it.
func inspectLog(cmd *cobra.Command, name string, logs *logFlags, total *seedlog.Tally, top int) (*inspected, error) {
	o, err := logs.options(name)
	if err != nil {
		return nil, err
	}
	in, err := openLog(cmd, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	own := seedlog.NewTally()
	tallies := []*seedlog.Tally{own}
	if total != nil {
		tallies = append(tallies, total)
	}
	began := time.Now()
	s, err := seedlog.Inspect(cmd.Context(), in, o, tallies...)
	if err != nil {
		if err = fmt.Errorf("%s: %w", name, err); s.Compression == "" {
			return nil, err // nothing was read
		}
	}
	i := &inspected{File: name, Summary: &s, Sum: own.Sum(top)}
	i.add(s.State)
	i.took(time.Since(began), s.Lines)
	return i, err
}

func printInspected(w io.Writer, i *inspected, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(forPrograms(w)).Encode(i)
	}
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	fmt.Fprintln(&b, i.File)
	if s := i.Summary; s != nil {
		row("compression", "%s, %s bytes", s.Compression, live.Number(s.Bytes))
		sure := fmt.Sprintf("%d of the first %d lines", s.Guess.Matched, s.Guess.Lines)
		switch {
		case s.Format != s.Guess.Format:
			sure = "as told; " + sure + " suggest " + string(s.Guess.Format)
		case s.Guess.SecondMatched > 0:
			sure += fmt.Sprintf("; %s: %d", s.Guess.Second, s.Guess.SecondMatched)
		}
		row("format", "%s: %s (%s)", string(s.Format), s.Format, sure)
		if s.Damage != "" {
			row("damage", "%s; what comes before the damage is counted", s.Damage)
		}
	}
	row("lines", "%s in %.1f s, %s a second", live.Number(i.lines), i.Seconds, live.Number(int64(i.Rate)))
	if s := i.Summary; s != nil {
		row("no seeds", "%s blank, comments and headers; %s accepted or of another status", live.Number(s.Blank), live.Number(s.Skipped))
	}
	if len(i.Rules) > 0 {
		row("refused by", "%s", shared(i.Rules))
	}
	row("URLs", "%s; %s distinct, %s duplicates", live.Number(i.URLs), estimated(i.Distinct), about(i.Duplicates, i.Distinct.Exact))
	row("hosts", "%s", estimated(i.Hosts))
	row("schemes", "%s", shares(i.Schemes))
	row("top domains", "%s", shares(i.TopTLDs))
	row("top hosts", "%s", shares(i.TopHosts))
	printLeftOut(&b, seedlog.State{Traps: i.Traps})
	if s := i.Summary; s != nil {
		printBroken(&b, s.State)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printLeftOut says how many lines were refused as traps, by which rules, and what takes them.
func printLeftOut(w io.Writer, s seedlog.State) {
	if text := leftOut(s, "--traps"); text != "" {
		fmt.Fprintln(w, "  "+text)
	}
}

// leftOut is "" when nothing was left out.
func leftOut(s seedlog.State, takes string) string {
	n := s.LeftOut()
	if n == 0 {
		return ""
	}
	lines := "lines"
	if n == 1 {
		lines = "line"
	}
	return fmt.Sprintf("%s %s left out: refused as traps (%s); %s takes them", live.Number(n), lines, shared(s.Traps), takes)
}

// shared is "TooManyHopsDecideRule 9,000, too-many-hops 3", the most frequent first.
func shared(n map[string]int64) string {
	var out []string
	for _, name := range byCount(n) {
		out = append(out, name+" "+live.Number(n[name]))
	}
	return strings.Join(out, ", ")
}

// printBroken lists what is broken, by cause, and the first lines.
func printBroken(w io.Writer, s seedlog.State) {
	if s.Broken == 0 {
		return
	}
	fmt.Fprintf(w, "  %-12s %s\n", "broken", live.Number(s.Broken))
	for _, cause := range byCount(s.Causes) {
		fmt.Fprintf(w, "    %s  %s\n", live.Number(s.Causes[cause]), cause)
	}
	for _, sample := range s.Samples {
		fmt.Fprintln(w, "    "+sample)
	}
}

func estimated(e seedlog.Estimate) string { return about(e.N, e.Exact) }

func about(n int64, exact bool) string {
	if exact {
		return live.Number(n)
	}
	return "about " + live.Number(n)
}

func shares(t seedlog.Top) string {
	var out []string
	for _, s := range t.Most {
		out = append(out, s.Name+" "+live.Number(s.N))
	}
	if len(out) == 0 {
		return "none"
	}
	text := strings.Join(out, ", ")
	if t.Error > 0 {
		text += fmt.Sprintf(" (each up to %s more)", live.Number(t.Error))
	}
	return text
}
