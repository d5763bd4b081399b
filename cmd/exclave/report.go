package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"exclave/internal/control"
	"exclave/internal/fsx"
	"exclave/internal/job"
	"exclave/internal/job/folder"

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

  ` + strings.Join(job.ReportNames(), "\n  ") + `

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
		return job.ReportNames(), nil
	}
	if len(args) == 0 {
		return job.DefaultReports(), nil
	}
	names := make([]string, 0, len(args))
	for _, a := range args {
		name, ok := job.ReportName(a)
		if !ok {
			return nil, fmt.Errorf("report: there is no report %q; there are %s", a, strings.Join(job.ReportNames(), ", "))
		}
		names = append(names, name)
	}
	return names, nil
}

// printReports asks the running crawl, or reads the state of a job at rest.
func printReports(cmd *cobra.Command, dir string, names []string, out string, all bool) error {
	if out != "" {
		if err := os.MkdirAll(out, fsx.FolderMode); err != nil {
			return withCode(exitFailure, fmt.Errorf("report: %w", err))
		}
	}
	c, err := control.Dial(dir)
	switch {
	case atRest(err):
		return restingReports(cmd, dir, names, out, all)
	case err != nil:
		return withCode(exitFailure, err)
	}
	defer func() { _ = c.Close() }() // idle connections
	for i, name := range names {
		if err := writeReport(cmd, out, name, i > 0, func(w io.Writer) error { return c.Report(cmd.Context(), name, w) }); err != nil {
			return withCode(exitFailure, err)
		}
	}
	return nil
}

func restingReports(cmd *cobra.Command, dir string, names []string, out string, all bool) error {
	cfg, err := loadJob(cmd, dir)
	if err != nil {
		return err
	}
	var possible []string
	for _, name := range names {
		if !job.LiveReport(name) {
			possible = append(possible, name)
			continue
		}
		say := fmt.Errorf("report: %s: %w; the last run left its own in %s", name, job.ErrNotRunning, filepath.Join(dir, folder.ReportDir))
		if !all {
			return withCode(exitNegative, say)
		}
		fmt.Fprintln(cmd.ErrOrStderr(), say)
	}
	parted := false
	return jobError(job.WriteReports(cmd.Context(), cfg, jobOptions(cmd.ErrOrStderr()), possible, func(name string, write func(io.Writer) error) error {
		err := writeReport(cmd, out, name, parted, write)
		parted = true
		return err
	}))
}

// writeReport prints a report, parted from one before it, or writes its file whole.
func writeReport(cmd *cobra.Command, out, name string, parted bool, write func(io.Writer) error) error {
	if out == "" {
		if parted {
			fmt.Fprintln(cmd.OutOrStdout())
		}
		return write(cmd.OutOrStdout())
	}
	return job.WriteReportFile(filepath.Join(out, name+".txt"), write)
}
