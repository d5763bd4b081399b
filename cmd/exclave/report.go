package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"exclave/config"
	"exclave/internal/control"
	"exclave/internal/fsx"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/question"

	"github.com/spf13/cobra"
)

func newReport() *cobra.Command {
	var all bool
	var out string
	cmd := &cobra.Command{
		Use:   "report JOB [NAME…]",
		Short: "Print reports on a job, running or at rest",
		Long: `report prints the named reports of a job, crawl-report and job-report without a name. The
crawl may be running: it answers, and continues meanwhile. Names may be shortened: hosts
is hosts-report. Those down to threads-report are Heritrix's, line by line; the others
are ours (docs/formats/reports.md):

  ` + strings.Join(question.ReportNames(), "\n  ") + `

The reports on processors, threads, steps and workers exist only while a crawl runs;
those of the end of the last run are, with all others, in the folder reports/ of the job.

Exit codes: 0 done; 1 a report needs a running crawl, and there is none; 2 there is
no such report; 3 the job cannot be read.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := reportNames(args[1:], all)
			if err != nil {
				return withCode(exitUsage, err)
			}
			return printReports(cmd, args[0], names, out, all)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "all reports; those that need a running crawl are left out when there is none")
	cmd.Flags().StringVar(&out, "out", "", "write each report to a file of its name in this folder instead of printing it")
	return cmd
}

func reportNames(args []string, all bool) ([]string, error) {
	if all {
		if len(args) > 0 {
			return nil, errors.New("report: --all and names exclude each other")
		}
		return question.ReportNames(), nil
	}
	if len(args) == 0 {
		return question.DefaultReports(), nil
	}
	names := make([]string, 0, len(args))
	for _, a := range args {
		name, ok := question.ReportName(a)
		if !ok {
			return nil, fmt.Errorf("report: there is no report %q; there are %s", a, strings.Join(question.ReportNames(), ", "))
		}
		names = append(names, name)
	}
	return names, nil
}

// printReports asks for reports, one after the other.
func printReports(cmd *cobra.Command, dir string, names []string, out string, all bool) error {
	if out != "" {
		if err := os.MkdirAll(out, fsx.FolderMode); err != nil {
			return withCode(exitFailure, fmt.Errorf("report: %w", err))
		}
	}
	parted := false
	write := func(q question.Questions) error {
		for ; len(names) > 0; names, parted = names[1:], true {
			if err := writeReport(cmd, out, names[0], parted, func(w io.Writer) error { return q.Report(cmd.Context(), names[0], w) }); err != nil {
				return err
			}
		}
		return nil
	}
	return jobError(either(cmd, dir, true, func(c *control.Client) error { return write(c) }, func(cfg *config.Config, o job.Options) error {
		// That no crawl is running is known, whatever becomes of the state.
		var possible []string
		for _, name := range names {
			switch {
			case !question.LiveReport(name):
				possible = append(possible, name)
			case !all:
				return withCode(exitNegative, liveOnly(dir, name))
			default:
				fmt.Fprintln(cmd.ErrOrStderr(), liveOnly(dir, name))
			}
		}
		names = possible
		return question.Look(cmd.Context(), folder.Of(cfg, o.Env()), write)
	}))
}

// liveOnly says that a report is about what only a running crawl has.
func liveOnly(dir, name string) error {
	return fmt.Errorf("report: %s: %w; the last run left its own in %s", name, question.ErrNotRunning, filepath.Join(dir, folder.ReportDir))
}

// writeReport prints a report, parted from one before it, or writes its file whole.
func writeReport(cmd *cobra.Command, out, name string, parted bool, write func(io.Writer) error) error {
	if out == "" {
		if parted {
			fmt.Fprintln(cmd.OutOrStdout())
		}
		return write(cmd.OutOrStdout())
	}
	return question.WriteReportFile(filepath.Join(out, name+".txt"), write)
}
