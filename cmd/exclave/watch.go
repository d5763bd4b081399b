package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"

	"exclave/internal/control"
	"exclave/internal/job"
	"exclave/internal/live"

	"github.com/spf13/cobra"
)

func newWatch() *cobra.Command {
	return &cobra.Command{
		Use:   "watch JOB",
		Short: "Watch a running crawl from another terminal",
		Long: `watch shows the live view of a crawl of the job that runs elsewhere on this
machine: the same figures and workers, redrawn once a second, and keys to pause,
resume and stop (? lists them). q leaves the view; the crawl continues.

Exit codes: 0 left, or the crawl ended; 1 no crawl of the job is running; 2 there is
no terminal to show it on.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withCrawl(args[0], func(c *control.Client) error {
				view, err := live.Open(cmd.ErrOrStderr(), live.Options{Remote: true, Log: live.NewLog(cmd.ErrOrStderr())})
				if err != nil {
					return withCode(exitUsage, fmt.Errorf("%w; exclave report %s prints figures", err, args[0]))
				}
				ctx, stop := signal.NotifyContext(cmd.Context(), endings()...)
				defer stop() // signals leave the view in order
				err = view.Run(ctx, remoteCrawl{c})
				if errors.Is(err, context.Canceled) || errors.Is(err, live.ErrHangUp) {
					return nil
				}
				if errors.Is(err, live.ErrEnded) {
					fmt.Fprintf(cmd.OutOrStdout(), "%s: the crawl has ended\n", args[0])
					return nil
				}
				return err
			})
		},
	}
}

// remoteCrawl is a crawl of another process.
type remoteCrawl struct{ client *control.Client }

// Snapshot implements [live.Crawl].
func (c remoteCrawl) Snapshot(ctx context.Context) (job.Snapshot, error) {
	s, err := c.client.Snapshot(ctx)
	return s, ended(err)
}

// Pause implements [live.Crawl].
func (c remoteCrawl) Pause(ctx context.Context) error {
	_, err := c.client.Pause(ctx)
	return ended(err)
}

// Resume implements [live.Crawl].
func (c remoteCrawl) Resume(ctx context.Context) error {
	_, err := c.client.Resume(ctx)
	return ended(err)
}

// Stop implements [live.Crawl].
func (c remoteCrawl) Stop(ctx context.Context) error {
	_, err := c.client.Stop(ctx)
	return ended(err)
}

// ended is the error for a crawl that does not answer any more, in the view's words.
func ended(err error) error {
	if errors.Is(err, control.ErrNotRunning) {
		return fmt.Errorf("%w: %w", live.ErrEnded, err)
	}
	return err
}
