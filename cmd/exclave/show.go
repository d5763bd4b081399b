package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"exclave/internal/job/question"
	"exclave/internal/printable"

	"github.com/spf13/cobra"
)

func newShow() *cobra.Command {
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:   "show JOB URL",
		Short: "Show everything known about a URL",
		Long: `show prints everything a job knows about a URL, running or at rest: its
state, why it is wanted, how its last attempt ended, the verdict and its evidence,
the way from its seed, its WARC records, its links and what became of them, and what
is known of its host. dns:HOST and robots:ORIGIN show the prerequisites. Of a URL
that is not known it tells whether the scope would accept a link to it, and by which
rule.

Exit codes: 0 the URL is known; 1 it is not; 2 it is no URL, or the configuration is
wrong; 4 a process that cannot be asked works on the job.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var s *question.Shown
			err := ask(cmd, args[0], func(q question.Questions) (err error) {
				s, err = q.Show(cmd.Context(), args[1], all)
				return err
			})
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if asJSON {
				err = printJSON(out, s)
			} else {
				err = printShown(out, s)
			}
			if err == nil && !s.Known {
				return withCode(exitNegative, errSaid)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "every link, not only the first 100")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON (docs/howto/show.md)")
	return cmd
}

// printShown prints what is known for a person.
func printShown(out io.Writer, s *question.Shown) error {
	p := &sheet{out: out}
	p.row("URL", s.URL)
	if s.Key != s.URL {
		p.row("key", s.Key)
	}
	if !s.Known {
		p.row("state", "not known to this job")
		if s.Scope != nil {
			p.row("scope", strings.TrimSpace(fmt.Sprintf("of a link to it: %s %s", s.Scope.Decision, s.Scope.Rule)))
		}
	} else {
		printState(p, s)
	}
	printFacts(p, s.Facts)
	for _, n := range s.Notes {
		p.row("note", n)
	}
	if s.Verdicts != nil {
		p.row("verdict", "from "+s.Verdicts.From)
		for _, v := range s.Verdicts.By {
			if err := v.Explain(out); err != nil {
				return err
			}
		}
	}
	if s.Links != nil {
		p.row("links", fmt.Sprint(s.Links.Total))
		for _, l := range s.Links.First {
			archived := ""
			if l.Archived {
				archived = ", archived"
			}
			p.row("", fmt.Sprintf("%s %s (%s%s%s) %s", l.Hop, l.URL, l.State, statusPart(l.Status), archived, l.Context))
		}
		if n := s.Links.Total - len(s.Links.First); n > 0 {
			p.row("", fmt.Sprintf("and %d more (--all)", n))
		}
	}
	return p.err
}

func printState(p *sheet, s *question.Shown) {
	state := s.State
	if s.Seed {
		state += ", a seed"
	}
	p.row("state", state)
	p.row("source tag", s.Source)
	if s.Scope != nil {
		p.row("scope", strings.TrimSpace(s.Scope.Decision+" "+s.Scope.Rule))
	}
	for _, c := range s.Claim {
		p.row("claim", c)
	}
	if s.Status != nil {
		p.row("status", s.Status.Words)
		p.row("type", s.Status.Type)
	}
	if s.Archived {
		p.row("archived", s.Fetched.UTC().Format(time.RFC3339Nano))
		p.row("digest", s.Digest)
	}
	p.row("counts", fmt.Sprintf("finished %d×, judged %d×, %d failed attempts since it was queued, %d redirects to itself",
		s.Finishes, s.Judgings, s.Attempts, s.Redirects))
	if f := s.Failure; f != nil {
		p.row("failed", f.Words+", at "+f.At.UTC().Format(time.RFC3339))
	}
	p.row("found in", s.Context)
	p.row("hops", s.Hops)
	for _, v := range s.Via {
		where := ""
		if v.Context != "" {
			where = " " + v.Context
		}
		p.row("via", fmt.Sprintf("%s %s%s (%s%s)", v.Hop, v.URL, where, v.State, statusPart(v.Status)))
	}
	p.row("via", s.ViaEnd)
	for _, r := range s.Records {
		line := fmt.Sprintf("%s at %d, %d bytes: %s %s", r.File, r.Offset, r.Length, r.Type, r.ID)
		if r.Target != s.URL {
			line += " of " + r.Target
		}
		if r.Refers != "" {
			line += " (as " + r.Refers + ")"
		}
		if r.Current {
			line += " (the present answer)"
		}
		if r.Abandoned != "" {
			line += " (abandoned: " + r.Abandoned + ")"
		}
		p.row("record", line)
	}
}

func printFacts(p *sheet, f *question.ShownFacts) {
	if f == nil {
		return
	}
	p.row("addresses", strings.Join(f.Addresses, " "))
	if f.DNSExpires != nil {
		p.row("DNS", f.DNS+", until "+f.DNSExpires.UTC().Format(time.RFC3339))
	}
	if f.RobotsExpires != nil {
		p.row("robots.txt", f.Robots+", until "+f.RobotsExpires.UTC().Format(time.RFC3339))
	}
}

func statusPart[S fmt.Stringer](status *S) string {
	if status == nil {
		return ""
	}
	return " " + (*status).String()
}

// sheet prints rows of a name and a value and keeps the first error.
type sheet struct {
	out io.Writer
	err error
}

// row prints a row, one line, unless it has no value.
func (s *sheet) row(name, value string) {
	if value == "" || s.err != nil {
		return
	}
	_, s.err = fmt.Fprintf(s.out, "%-11s %s\n", name, strings.TrimSpace(printable.Text(value)))
}

// gap prints an empty line.
func (s *sheet) gap() {
	if s.err == nil {
		_, s.err = fmt.Fprintln(s.out)
	}
}
