package main

import (
	"errors"
	"fmt"
	"os/signal"
	"path/filepath"
	"text/tabwriter"

	"exclave/internal/job/divide"
	"exclave/internal/job/folder"
	"exclave/internal/printable"

	"github.com/spf13/cobra"
)

func newDivide() *cobra.Command {
	var (
		o      divide.Options
		out    string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "divide JOB -o DIR",
		Short: "Divide the archive of a job by profile",
		Long: `divide writes, for each profile of a job that is not running, WARC files with what that profile alone
would have archived: the pages that it accepted, what they embed and link to, as deep as the job went, and the DNS
answers and robots.txt of their hosts. Captures are copied byte for byte into DIR/PROFILE; the job is not
changed. What belongs to several profiles is in each; what belongs to none is in DIR/no.profile.

DIR must not be there. It is made as DIR.tmp and renamed when it is whole, so an unfinished one is never taken for it.

Exit codes: 0 divided; 1 the job has archived nothing, was never begun; 2 DIR is there, the job has no such profile, the
configuration is wrong; 3 a failure of our own; 4 another process works on the job; 130 interrupted. Unless 0, nothing was made.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := loadJob(cmd, args[0])
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), endings()...)
			defer stop()
			jo := jobOptions(cmd.ErrOrStderr())
			o.Software, o.Version = jo.Software, jo.Version
			r, err := divide.Archive(ctx, folder.Of(cfg, jo.Env()), out, o)
			switch {
			case err != nil && ctx.Err() != nil:
				return withCode(exitInterrupt, fmt.Errorf("divide %s: interrupted; nothing was made", args[0]))
			case errors.Is(err, divide.ErrUnusable):
				return withCode(exitUsage, err)
			case errors.Is(err, divide.ErrNothing):
				return withCode(exitNegative, err)
			case err != nil:
				return askError(err)
			case asJSON:
				return printJSON(cmd.OutOrStdout(), r)
			}
			return printDivided(cmd, r, out)
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "new folder of the parts")
	cmd.Flags().StringSliceVar(&o.Profiles, "profile", nil, "make only the parts of these profiles of the job")
	cmd.Flags().BoolVar(&asJSON, "json", false, "counts as one JSON object")
	_ = cmd.MarkFlagRequired("output") // it is there
	return cmd
}

func printDivided(cmd *cobra.Command, r divide.Result, dir string) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PROFILE\tVALID\tURIS\tIN NO OTHER\tCAPTURES\tFILES\tBYTES\tFOLDER")
	for _, p := range r.Parts {
		at := filepath.Join(dir, p.Profile)
		if p.Files == 0 {
			at = "-"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s\n", printable.Text(p.Profile), p.Valid, p.URIs, p.Own, p.Captures, p.Files, printable.Size(p.Bytes), printable.Text(at))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s archived: %d belong to several profiles, %d to none\n", count(int(r.URIs), "URI"), r.Shared, r.None)
	return err
}
