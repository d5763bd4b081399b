package main

import (
	"fmt"
	"io"

	"exclave/config"
	"exclave/internal/control"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/question"
	"exclave/internal/job/view"
	"exclave/internal/live"
	"exclave/internal/printable"

	"github.com/spf13/cobra"
)

func newWhy() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "why JOB [URL]",
		Short: "Say why a crawl is as fast as it is, or why a URL is where it is",
		Long: `why JOB says in a sentence what limits the speed of a running crawl (politeness, servers, name
servers, this machine, a pause, a full disk), and the facts behind it; of a job at
rest, how its last run ended and what is left.

why JOB URL says when and where the URL was seen, which rule of the scope lets it in or
out, what it waits for, how its last attempt ended, how it was judged, and where it is
archived. It reads a log from its beginning: about a second for a million lines.

Exit codes: 0 said; 1 the URL is not known, or the job was never begun; 2 it is no URL,
or the configuration is wrong; 4 a process that cannot be asked works on the job.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return whyCrawl(cmd, args[0], asJSON)
			}
			var w *question.Why
			err := ask(cmd, args[0], func(q question.Questions) (err error) {
				w, err = q.Why(cmd.Context(), args[1])
				return err
			})
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), w)
			} else {
				err = printWhy(cmd.OutOrStdout(), w.URL, w.Sentences)
			}
			if err == nil && !w.Known {
				return withCode(exitNegative, errSaid)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// whyCrawl answers why a crawl is as fast as it is.
func whyCrawl(cmd *cobra.Command, dir string, asJSON bool) error {
	said := struct {
		Running  bool     `json:"running"`
		Sentence string   `json:"sentence"`
		Facts    []string `json:"facts,omitempty"`
	}{}
	never := false
	err := either(cmd, dir, true, func(c *control.Client) error {
		s, err := c.Snapshot(cmd.Context())
		if err != nil {
			return err
		}
		said.Running = true
		said.Sentence, said.Facts = live.Why(&s)
		return nil
	}, func(cfg *config.Config, o job.Options) error {
		last, err := view.ReadLastRun(cmd.Context(), folder.Of(cfg, o.Env()))
		if err != nil {
			return jobError(err)
		}
		said.Sentence, never = last.WhyAtRest(), last.Runs == 0
		return nil
	})
	if err != nil {
		return err
	}
	if asJSON {
		err = printJSON(cmd.OutOrStdout(), said)
	} else {
		err = printWhy(cmd.OutOrStdout(), said.Sentence, said.Facts)
	}
	if err == nil && never {
		return withCode(exitNegative, errSaid)
	}
	return err
}

func printWhy(out io.Writer, head string, lines []string) error {
	p := &sheet{out: out}
	if _, err := fmt.Fprintln(out, printable.Text(head)); err != nil {
		return err
	}
	for _, l := range lines {
		p.row("", l)
	}
	return p.err
}
