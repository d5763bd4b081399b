package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"exclave/internal/control"

	"github.com/spf13/cobra"
)

func newPause() *cobra.Command {
	return newSteer("pause", "Pause a running crawl: no further request is begun", `pause keeps a running crawl of the job from beginning further requests; URIs in
process are finished. It lasts until exclave resume, or until the crawl ends: when
it is started again it is not paused.

Exit codes: 0 done; 1 no crawl of the job is running.`, (*control.Client).Pause)
}

func newResume() *cobra.Command {
	return newSteer("resume", "Resume a paused crawl", `resume ends a pause that exclave pause began. It does nothing to a crawl that is not paused.

Exit codes: 0 done; 1 no crawl of the job is running.`, (*control.Client).Resume)
}

func newSteer(name, short, long string, order func(*control.Client, context.Context) (control.Steered, error)) *cobra.Command {
	return &cobra.Command{
		Use: name + " JOB", Short: short, Long: long, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withCrawl(args[0], func(c *control.Client) error {
				s, err := order(c, cmd.Context())
				if err == nil {
					fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", args[0], s.State)
				}
				return err
			})
		},
	}
}

func newStop() *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "stop JOB",
		Short: "End a running crawl in order",
		Long: `stop ends a running crawl of the job as the first Ctrl-C does: URIs in process get
the grace period of job.toml, the archive is completed, and exclave crawl can continue
later. It waits until the job is free for other verbs.

Exit codes: 0 the crawl has ended; 1 no crawl of the job is running; 3 it has not
ended within --timeout (it will: the order was given).`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withCrawl(args[0], func(c *control.Client) error {
				if _, err := c.Stop(cmd.Context()); err != nil {
					return err
				}
				if timeout == 0 {
					fmt.Fprintf(cmd.OutOrStdout(), "%s: stopping\n", args[0])
					return nil
				}
				ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
				defer cancel()
				if err := c.AwaitEnd(ctx); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s: stopped\n", args[0])
				return nil
			})
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", time.Minute, "how long to wait for the end; 0 = not at all")
	return cmd
}

// withCrawl calls fn with the running crawl of a job; that there is none is a
// "no", not a failure.
func withCrawl(dir string, fn func(*control.Client) error) error {
	c, err := control.Dial(dir)
	if err == nil {
		err = errors.Join(fn(c), c.Close())
	}
	if errors.Is(err, control.ErrNotRunning) {
		return withCode(exitNegative, err)
	}
	return err
}
