package main

import (
	"fmt"
	"time"

	"exclave/internal/job/question"
	"exclave/internal/live"

	"github.com/spf13/cobra"
)

func newRetry() *cobra.Command {
	var r question.Retry
	var status, since string
	cmd := &cobra.Command{
		Use:   "retry JOB",
		Short: "Queue again what failed",
		Long: `retry puts finished URLs back into the queues: those that failed (a negative status
that is not an exclusion), those of the statuses given, or those whose answer was cut
(--truncated). Their attempts are counted from zero; the back-off
of their hosts ends, and failed answers of name servers and robots.txt that they depend on
are deleted; politeness holds. It works on a running crawl and on a job at rest, which
exclave crawl then continues. It prints how many there were of each status. DNS and robots.txt
themselves are fetched again when a URL needs them.

Exit codes: 0 some were, or would be, queued again; 1 none, or the job was never begun; 2 wrong flags or
configuration; 3 the state is unreadable; 4 a process that cannot be asked works on the job.`,
		Example: `  exclave retry my-job --dry-run
  exclave retry my-job --status=-4..-2,503 --since 24h
  exclave retry my-job --host www.example.com
  exclave retry my-job --truncated`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if r.Statuses, err = question.ParseStatuses(status); err != nil {
				return withCode(exitUsage, err)
			}
			if r.Since, err = timeOf("since", since, time.Now()); err != nil {
				return withCode(exitUsage, fmt.Errorf("retry: %w", err))
			}
			return sayRetried(cmd, args[0], r)
		},
	}
	filterFlags(cmd, &r.Filter)
	cmd.Flags().Lookup("host").Usage = "only those of this host"
	cmd.Flags().StringVar(&status, "status", "", "only those of these statuses, such as --status=-2,503,-4..-3; default: all that failed")
	cmd.Flags().BoolVar(&r.Truncated, "truncated", false, "those whose answer was cut: too long, too slow or broken off (report truncated)")
	cmd.Flags().StringVar(&since, "since", "", "only those finished since: 36h, 2026-11-20, 2026-11-20T08:00:00Z")
	cmd.Flags().BoolVar(&r.Dry, "dry-run", false, "show what would be queued again; change nothing")
	return cmd
}

func newRecrawl() *cobra.Command {
	r := question.Retry{Archived: true}
	var status, before, verdict string
	cmd := &cobra.Command{
		Use:   "recrawl JOB",
		Short: "Queue again what is archived, to see what changed",
		Long: `recrawl puts archived URLs back into the queues: all of them, or those that the flags choose. exclave crawl then
asks for them with the validators of their captures (If-None-Match, If-Modified-Since): an answer 304 becomes a revisit record,
another one is archived and judged like any page. It works on a running crawl and on a job at rest. An interrupted
recrawl is gone on with by the same command with --before and the time when it began: what is queued
is not queued twice, and what was finished since is left alone. It prints how many there were of each status.

exclave crawl --recrawl does the same for all of them and the seeds, and crawls.

Exit codes: 0 some were, or would be, queued; 1 none, or the job was never begun; 2 wrong flags or
configuration; 3 the state is unreadable; 4 a process that cannot be asked works on the job.`,
		Example: `  exclave recrawl my-job --dry-run
  exclave recrawl my-job --before 720h --verdict valid
  exclave recrawl my-job --host www.example.com --status 200`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if r.Statuses, err = question.ParseStatuses(status); err != nil {
				return withCode(exitUsage, err)
			}
			if r.Verdict, err = question.ParseVerdict(verdict); err != nil {
				return withCode(exitUsage, err)
			}
			if r.Before, err = timeOf("before", before, time.Now()); err != nil {
				return withCode(exitUsage, fmt.Errorf("recrawl: %w", err))
			}
			return sayRetried(cmd, args[0], r)
		},
	}
	filterFlags(cmd, &r.Filter)
	cmd.Flags().Lookup("host").Usage = "only those of this host"
	cmd.Flags().StringVar(&status, "status", "", "only those of these statuses, such as 200,300..399")
	cmd.Flags().StringVar(&before, "before", "", "only those last finished before: 720h (ago), 2026-11-20, 2026-11-20T08:00:00Z")
	cmd.Flags().StringVar(&verdict, "verdict", "", "only valid, invalid (judged, and archived for a valid page's sake) or unjudged ones")
	cmd.Flags().BoolVar(&r.Dry, "dry-run", false, "show what would be queued; change nothing")
	return cmd
}

// sayRetried prints how many URIs were queued again, or would be, by status.
func sayRetried(cmd *cobra.Command, dir string, r question.Retry) error {
	out, err := retry(cmd, dir, r)
	if err != nil {
		return err
	}
	p := &sheet{out: cmd.OutOrStdout()}
	for _, s := range out.ByStatus {
		p.row(live.Number(s.URIs), s.Words)
	}
	what := "queued again"
	if r.Dry {
		what = "would be queued again"
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %s %s\n", dir, live.Number(out.URIs), what)
	if out.Untimed > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "exclave: when %s finished is not known (by an exclave before state format 5); without --since they are queued again, too\n",
			wasWere(out.Untimed))
	}
	if out.URIs == 0 {
		return withCode(exitNegative, errSaid)
	}
	return p.err
}

func wasWere(n int64) string {
	if n == 1 {
		return "1 URL was"
	}
	return live.Number(n) + " URLs were"
}

// timeOf reads the time of a flag, or how long ago it was; "" is the zero time.
func timeOf(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("--%s %q is no time: write 36h, 2026-11-20 or 2026-11-20T08:00:00Z (UTC)", flag, text)
}

// retry counts, or has the job changed.
func retry(cmd *cobra.Command, dir string, r question.Retry) (out question.Retried, err error) {
	if r.Dry {
		err = ask(cmd, dir, func(q question.Questions) (err error) {
			out, err = q.CountRetry(cmd.Context(), r)
			return err
		})
		return out, err
	}
	err = alter(cmd, dir, func(c question.Changes) (err error) {
		out, err = c.Retry(cmd.Context(), r)
		return err
	})
	return out, askError(err)
}
