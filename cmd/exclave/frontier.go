package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"exclave/frontier"
	"exclave/internal/job/question"
	"exclave/internal/live"
	"exclave/internal/printable"

	"github.com/spf13/cobra"
)

func newFrontier() *cobra.Command {
	var top int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "frontier JOB",
		Short: "Show what is pending in a job, and in which queues; list, export, delete it",
		Long: `frontier shows what is pending in a job, running or at rest: totals, the states of the
queues (one a host), and the longest ones. Of a job at rest the states are
those that its next run begins with.

Exit codes: 0 done; 2 the configuration is wrong; 4 a process that cannot be asked works
on the job.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var s question.FrontierSummary
			err := ask(cmd, args[0], func(q question.Questions) (err error) {
				s, err = q.Frontier(cmd.Context(), top)
				return err
			})
			switch {
			case err != nil:
				return err
			case asJSON:
				return printJSON(cmd.OutOrStdout(), s)
			}
			return printFrontier(cmd.OutOrStdout(), &s)
		},
	}
	cmd.Flags().IntVar(&top, "top", 10, "how many of the longest queues")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(newFrontierShow(), newFrontierList(), newFrontierExport(), newFrontierDelete())
	return cmd
}

func printFrontier(out io.Writer, s *question.FrontierSummary) error {
	p := &sheet{out: out}
	n := func(v int64) string { return live.Number(v) }
	st, q := s.Stats, s.Queues
	p.row("discovered", fmt.Sprintf("%s = %s queued + %s in process + %s finished + %s parked + %s dropped",
		n(st.Discovered), n(st.Queued), n(st.InProcess), n(st.Finished), n(st.Parked), n(st.Dropped)))
	p.row("refused", n(st.Refused))
	p.row("queues", fmt.Sprintf("%s = %s in process + %s ready + %s waiting + %s resting + %s inactive + %s retired; %s exhausted",
		n(int64(q.InProcess+q.Ready+q.Waiting+q.Resting+q.Inactive+q.Retired)), n(int64(q.InProcess)),
		n(int64(q.Ready)), n(int64(q.Waiting)), n(int64(q.Resting)), n(int64(q.Inactive)), n(int64(q.Retired)), n(s.Exhausted)))
	if q.Round > 0 {
		p.row("round", n(int64(q.Round)))
	}
	c := s.Changes
	if c != (frontier.QueueChanges{}) { // else no crawl runs
		p.row("at its start", fmt.Sprintf("%s inactive, %s snoozed, %s retired", n(c.Began.Inactive), n(c.Began.Snoozed), n(c.Began.Retired)))
		p.row("this run", fmt.Sprintf("%s activated, %s deactivated, %s snoozed, %s woken, %s retired, %s revived, %s filled, %s exhausted",
			n(c.Activated), n(c.Deactivated), n(c.Snoozed), n(c.Woken), n(c.Retired), n(c.Revived), n(c.Filled), n(c.Exhausted)))
	}
	for i, b := range s.Biggest {
		name := ""
		if i == 0 {
			name = "longest"
		}
		p.row(name, fmt.Sprintf("%s %s", n(int64(b.Waiting)), b.Host))
	}
	return p.err
}

func newFrontierShow() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show JOB HOST",
		Short: "Show everything known of a host: state of its queue, until when, facts",
		Long: `show prints the state of the queue of a host and until when it lasts, how many URIs are in it and
which are the first, its address, robots.txt, failures, and what was visited.

Exit codes: 0 the host is known; 1 it is not; 2 the configuration is wrong; 4 a process
that cannot be asked works on the job.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var q *question.ShownQueue
			err := ask(cmd, args[0], func(about question.Questions) (err error) {
				q, err = about.Queue(cmd.Context(), args[1])
				return err
			})
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), q)
			} else {
				err = printQueue(cmd.OutOrStdout(), q)
			}
			if err == nil && !q.Known {
				return withCode(exitNegative, errSaid)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printQueue(out io.Writer, q *question.ShownQueue) error {
	p := &sheet{out: out}
	p.row("host", q.Host)
	if !q.Known {
		p.row("state", "not known to this job")
		return p.err
	}
	p.row("state", q.State+": "+q.Why)
	if q.Until != nil {
		p.row("until", q.Until.UTC().Format(time.RFC3339))
	}
	p.row("address", q.Address)
	p.row("failures", fmt.Sprintf("%d to back off for, %d answers 403 in a row", q.Failures, q.Refused))
	for _, o := range q.Origins {
		once := ""
		if o.GaveUp {
			once = "; it did not answer: its URLs are tried once"
		}
		p.row("origin", fmt.Sprintf("%s backs off until %s, %s in a row%s", o.Origin, o.Until.UTC().Format(time.RFC3339), count(o.Failures, "failure"), once))
	}
	p.row("visits", fmt.Sprintf("%s, %s; archived %s", live.Number(q.Visits.URIs), printable.Size(q.Visits.Bytes), live.Number(q.Visits.Stored)))
	for scheme, f := range map[string]*question.ShownFacts{"http": q.HTTP, "https": q.HTTPS} {
		if f != nil {
			asks := ""
			if f.CrawlDelay > 0 {
				asks = fmt.Sprintf(", Crawl-delay %v", f.CrawlDelay)
			}
			p.row("robots.txt", fmt.Sprintf("%s: %s, until %s%s", scheme, f.Robots, f.RobotsExpires.UTC().Format(time.RFC3339), asks))
		}
	}
	p.row("known", fmt.Sprintf("%s URIs, %s of them valid pages", live.Number(int64(q.URIs)), live.Number(int64(q.Valid))))
	if q.Took > 0 {
		p.row("answers in", q.Took.String())
	}
	p.row("delay", q.Delay)
	p.row("waiting", live.Number(int64(q.Waiting)))
	for _, url := range q.Next {
		p.row("", url)
	}
	return p.err
}

// filterFlags are the flags that choose URIs.
func filterFlags(cmd *cobra.Command, f *question.Filter) {
	cmd.Flags().StringVar(&f.Host, "host", "", "only those in the queue of this host (of what queue_key makes of it)")
	cmd.Flags().StringVar(&f.SURT, "surt", "", "only those below this SURT prefix, as in scopes: http://(cz,firma, or what begins as firma.cz/folder/")
	cmd.Flags().StringVar(&f.Regex, "regex", "", "only those in whose URL this expression (RE2) fits somewhere")
}

func newFrontierList() *cobra.Command {
	var f question.Filter
	var limit int
	cmd := &cobra.Command{
		Use:   "list JOB",
		Short: "List pending URIs",
		Long: `list prints the pending URLs, one a line: of one host (--host) in the order of its
queue, of all host by host.

Exit codes: 0 done; 2 wrong flags or configuration; 4 a process that cannot be asked
works on the job.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			urls, most := urlsOnly{out: cmd.OutOrStdout(), most: limit}, limit
			if limit > 0 {
				most++ // to know whether there are more
			}
			err := writePending(cmd, args[0], f, most, &urls)
			if err == nil && urls.more {
				fmt.Fprintf(cmd.ErrOrStderr(), "exclave: these are the first %d; --limit 0 lists all\n", limit)
			}
			return err
		},
	}
	filterFlags(cmd, &f)
	cmd.Flags().IntVar(&limit, "limit", 100, "how many at most; 0 = all")
	return cmd
}

func newFrontierExport() *cobra.Command {
	var f question.Filter
	var name string
	cmd := &cobra.Command{
		Use:   "export JOB",
		Short: "Write pending URIs in a form that another job takes as seeds",
		Long: `export writes the pending URIs as lines of JSON in the format of out-of-scope.jsonl
(docs/formats/out-of-scope.md), with host and seed beside: exclave seeds import and
seeds of job.toml read it.

Exit codes: 0 done; 2 wrong flags or configuration; 3 the file cannot be written; 4 a
process that cannot be asked works on the job.`,
		Example: "  exclave frontier export my-job --surt 'http://(com,' --out com.jsonl",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if name == "-" {
				return writePending(cmd, args[0], f, 0, forPrograms(cmd.OutOrStdout()))
			}
			out, err := os.Create(name)
			if err != nil {
				return withCode(exitFailure, fmt.Errorf("frontier export: %w", err))
			}
			return errors.Join(writePending(cmd, args[0], f, 0, out), out.Close())
		},
	}
	filterFlags(cmd, &f)
	cmd.Flags().StringVar(&name, "out", "-", "the file; - is stdout")
	return cmd
}

func writePending(cmd *cobra.Command, dir string, f question.Filter, limit int, w io.Writer) error {
	return ask(cmd, dir, func(q question.Questions) error { return q.WritePending(cmd.Context(), f, limit, w) })
}

func newFrontierDelete() *cobra.Command {
	var f question.Filter
	var dry bool
	cmd := &cobra.Command{
		Use:   "delete JOB",
		Short: "Delete pending URIs from the frontier",
		Long: `delete finishes the pending URIs that the filters choose with status -6000, without a request,
and writes a line of crawl.log for each. A link to one of them found later changes
nothing, unless it asks for more (its page is archived, for one). URIs in process, DNS
and robots.txt are left alone. --dry-run lists what would be
deleted, and what is in process among it, and deletes nothing.

Exit codes: 0 some were, or would be, deleted; 1 none; 2 no filter, wrong flags or configuration; 4
a process that cannot be asked works on the job.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f == (question.Filter{}) {
				return withCode(exitUsage, errors.New("frontier delete: say which: --host, --surt, --regex"))
			}
			var n int
			var err error
			if dry {
				urls := urlsOnly{out: cmd.OutOrStdout()}
				err = writePending(cmd, args[0], f, 0, &urls)
				n = urls.n
			} else if n, err = deleteURIs(cmd, args[0], f); err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %s deleted\n", args[0], live.Number(int64(n)))
			}
			if err != nil {
				return err
			}
			if n == 0 {
				return withCode(exitNegative, errSaid)
			}
			return nil
		},
	}
	filterFlags(cmd, &f)
	cmd.Flags().BoolVar(&dry, "dry-run", false, "list what would be deleted; delete nothing")
	return cmd
}

// deleteURIs asks the running crawl, or opens the job for writing.
func deleteURIs(cmd *cobra.Command, dir string, f question.Filter) (n int, err error) {
	err = alter(cmd, dir, func(c question.Changes) (err error) {
		n, err = c.Delete(cmd.Context(), f)
		return err
	})
	return n, askError(err)
}

// urlsOnly takes lines of JSON and writes their URLs.
type urlsOnly struct {
	out  io.Writer
	most int // 0 = all
	n    int
	more bool // than most came
	rest []byte
}

// Write implements io.Writer.
func (u *urlsOnly) Write(b []byte) (int, error) {
	u.rest = append(u.rest, b...)
	for {
		line, rest, whole := bytes.Cut(u.rest, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		u.rest = rest
		if u.more = u.most > 0 && u.n == u.most; u.more {
			return len(b), nil
		}
		u.n++
		var is struct{ URL string }
		if err := json.Unmarshal(line, &is); err != nil {
			return 0, err
		}
		if _, err := fmt.Fprintln(u.out, printable.Text(is.URL)); err != nil {
			return 0, err
		}
	}
}
