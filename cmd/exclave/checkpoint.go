package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"text/tabwriter"
	"time"

	"exclave/internal/job/checkpoint"
	"exclave/internal/job/folder"
	"exclave/internal/job/question"
	"exclave/internal/printable"

	"github.com/spf13/cobra"
)

func newCheckpoint() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "checkpoint JOB",
		Short: "Make a consistent copy of a job, running or at rest",
		Long: `checkpoint makes a consistent copy of a job in JOB/checkpoints: state, archive, logs,
configuration and seeds as they are at one instant. The crawl continues meanwhile. Files
are linked, not copied, so that it takes seconds whatever the size of the archive. Its
name is the time (UTC) unless --name gives one.

exclave checkpoint restore makes jobs from it, any number of them. [checkpoint] in
job.toml says how many are kept, and how often the crawl makes one by itself.

Exit codes: 0 it was made; 2 the name or the configuration is wrong; 3 a failure of our
own; 4 another process works on the job and makes none.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := makeCheckpoint(cmd, args[0], name)
			if err != nil {
				return checkpointError(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s in %s; commits were held for %s\n", c, c.Took.Round(time.Millisecond), c.Held.Round(time.Millisecond))
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "name", "", `its name: letters, digits, ".", "_" and "-"; it is never deleted by retention`)
	cmd.AddCommand(newCheckpointList(), newCheckpointRestore())
	return cmd
}

// makeCheckpoint asks the crawl of the job for a checkpoint or, when none runs, opens the
// job for it.
func makeCheckpoint(cmd *cobra.Command, dir, name string) (made checkpoint.Manifest, err error) {
	err = alter(cmd, dir, func(c question.Changes) (err error) {
		made, err = c.Checkpoint(cmd.Context(), name)
		return err
	})
	return made, err
}

func newCheckpointList() *cobra.Command {
	return &cobra.Command{
		Use:   "list JOB",
		Short: "List the checkpoints of a job, oldest first",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := checkpoint.List(args[0], jobOptions(cmd.ErrOrStderr()).Env())
			if err != nil {
				return jobError(err)
			}
			if len(all) == 0 {
				return withCode(exitNegative, fmt.Errorf("%s: there are no checkpoints", args[0]))
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "TIME (UTC)\tFINISHED\tQUEUED\tARCHIVED\tBYTES\tCHECKPOINT")
			for _, c := range all {
				fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s\t%s\n", c.Time.Format(time.DateTime), c.Stats.Finished, c.Stats.Queued+c.Stats.InProcess,
					c.Stats.Archived, printable.Size(c.Bytes()), filepath.Join(args[0], folder.CheckpointDir, c.Name))
			}
			return w.Flush()
		},
	}
}

func newCheckpointRestore() *cobra.Command {
	return &cobra.Command{
		Use:   "restore CHECKPOINT NEWJOB",
		Short: "Make a job from a checkpoint",
		Long: `restore makes a job in the new folder NEWJOB from the checkpoint in the folder
CHECKPOINT (exclave checkpoint list JOB names them). exclave crawl NEWJOB continues from
there; its job.toml may be edited before. Any number of jobs can be made from one
checkpoint, and none of them changes it, nor the job it was taken of: complete WARC
files and tables are linked, everything else is copied.

Exit codes: 0 made; 2 CHECKPOINT is none or is damaged, or NEWJOB is there already;
3 a failure of our own. Unless 0, nothing was made.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := checkpoint.Restore(cmd.Context(), args[0], args[1], jobOptions(cmd.ErrOrStderr()).Env())
			if err != nil {
				return checkpointError(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: as %s was at %s: %d URIs finished, %d queued; %s, of which %s are linked; the name in its job.toml is still %s; continue with: exclave crawl %s\n",
				args[1], r.Job, r.Time.Format(time.DateTime+"Z"), r.Stats.Finished, r.Stats.Queued+r.Stats.InProcess, printable.Size(r.Bytes), printable.Size(r.Linked), r.Job, args[1])
			return nil
		},
	}
}

// checkpointError tells a wrong request from a failure.
func checkpointError(err error) error {
	if errors.Is(err, checkpoint.ErrUnusable) || errors.Is(err, folder.ErrNotBegun) {
		return withCode(exitUsage, err)
	}
	return askError(err)
}
