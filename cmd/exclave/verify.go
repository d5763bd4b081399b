package main

import (
	"errors"
	"fmt"

	"exclave/internal/job"

	"github.com/spf13/cobra"
)

func newVerify() *cobra.Command {
	return &cobra.Command{
		Use:   "verify JOB",
		Short: "Prove that state, archive and logs of a job agree",
		Long: `verify reads everything a job has made, and changes nothing: every WARC record is
whole and belongs to a capture that was acknowledged, every archived URI has its
record, the DNS answers and robots.txt that pages need stand before them, and the
logs hold exactly what was acknowledged. Each defect is printed with its place.
A job that was killed should be gone on with (exclave crawl) before.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := loadJob(cmd, args[0])
			if err != nil {
				return err
			}
			defects, err := job.Verify(cmd.Context(), cfg, jobOptions(cmd.ErrOrStderr()))
			for _, d := range defects {
				fmt.Fprintln(cmd.OutOrStdout(), d)
			}
			if err != nil {
				return jobError(err)
			}
			if len(defects) > 0 {
				return withCode(exitNegative, errors.New("verify "+args[0]+": "+count(len(defects), "defect")))
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: state, archive and logs agree\n", args[0])
			return nil
		},
	}
}
