package main

import (
	"errors"
	"fmt"
	"os"

	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/internal/job/rebuild"

	"github.com/spf13/cobra"
)

func newRecover() *cobra.Command {
	var o rebuild.Options
	cmd := &cobra.Command{
		Use:   "recover JOB",
		Short: "Rebuild the state of a job from its archive and its logs",
		Long: `recover is for a job whose state is lost or damaged, when there is no checkpoint to go back to. It
reads every WARC file and every log of the job and makes a state of what they tell: what was archived and
judged, what is known of hosts, and links of archived pages that were not fetched yet. Seeds are read again by
the next crawl. Pages that were fetched but not archived are fetched again: their links are in no log.

Nothing is deleted. The state that was there, ends of files that hold no whole capture, and lines without
an end are kept in the folder recovered, with a register of them (recovered/register.jsonl). When it is
interrupted it can be run again. docs/howto/recover.md has more.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := loadJob(cmd, args[0])
			if err != nil {
				return err
			}
			ctx, stop := untilInterrupted(cmd.Context(), cmd.ErrOrStderr())
			defer stop()
			if o.Fail, err = fsx.ParseFailPoints(os.Getenv(failPointVariable)); err != nil {
				return withCode(exitUsage, fmt.Errorf("%s: %w", failPointVariable, err))
			}
			made, err := rebuild.State(ctx, folder.Of(cfg, jobOptions(cmd.ErrOrStderr()).Env()), o)
			if errors.Is(err, rebuild.ErrRefused) {
				return withCode(exitUsage, err)
			}
			for _, n := range made.Notes {
				fmt.Fprintln(cmd.ErrOrStderr(), n)
			}
			if made.More > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "and %d more like these\n", made.More)
			}
			if err != nil {
				return jobError(err)
			}
			out := cmd.OutOrStdout()
			for _, a := range made.Aside {
				fmt.Fprintf(out, "%s: %s; kept as %s\n", a.File, a.Why, a.Kept)
			}
			fmt.Fprintf(out, "%s: state rebuilt %scontinue with: exclave crawl %s\n", args[0], made, args[0])
			return nil
		},
	}
	cmd.Flags().BoolVar(&o.FetchMissing, "fetch-missing", false, "fetch again what lies in WARC files that are missing")
	return cmd
}
