package main

import (
	"errors"
	"fmt"

	"exclave/internal/job/folder"
	"exclave/internal/job/moved"
	"exclave/internal/job/question"

	"github.com/spf13/cobra"
)

func newMoved() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "moved JOB [FILE…]",
		Short: "Register WARC files and parts of logs that were moved away on purpose",
		Long: `moved notes that complete WARC files of a job are no longer in its folder warcs, or parts
of its logs (crawl.log.20261123101946.gz) no longer in its folder logs, or soon will not
be: exclave crawl, which refuses a job whose files are missing, continues without them, and
exclave verify does not check them. Without FILE it registers every one that is missing.
A file that is put back is used and checked again. The crawl may be running. exclave store moves
and compares files itself.

The register is moved.jsonl in the job's folder; to undo an entry delete its line.

Exit codes: 0 some were registered; 1 none was, they are all there or registered; 2 the
job has no such complete file, nothing was registered; 3 the state is unreadable; 4
a process that cannot be asked works on the job.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := loadJob(cmd, args[0])
			if err != nil {
				return err
			}
			all, err := filesOf(cmd, args[0])
			if err != nil {
				return jobError(err)
			}
			made, err := moved.Register(folder.Of(cfg, jobOptions(cmd.ErrOrStderr()).Env()), all, to, args[1:])
			if errors.Is(err, moved.ErrRefused) {
				return withCode(exitUsage, err)
			}
			if err != nil {
				return jobError(err)
			}
			for _, m := range made {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %d bytes, registered as moved\n", m.File, m.Size)
			}
			if len(made) == 0 {
				fmt.Fprintln(cmd.OutOrStdout(), "nothing to register")
				return withCode(exitNegative, errSaid)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "where they are, for people: a path, a bucket, a tape")
	return cmd
}

// filesOf asks a job, running or at rest, which WARC files and parts of logs it has.
func filesOf(cmd *cobra.Command, dir string) (all []moved.File, err error) {
	err = inquire(cmd, dir, func(q question.Questions) (err error) {
		all, err = q.Files(cmd.Context())
		return err
	})
	return all, err
}
