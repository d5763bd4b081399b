package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"exclave/chain/fetch"
	"exclave/internal/job/question"
	"exclave/internal/robots"
	"exclave/internal/urlx"

	"github.com/spf13/cobra"
)

func newRobots() *cobra.Command {
	var agent string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "robots JOB|FILE URL…",
		Short: "Say what robots.txt decides on URLs, and by which line",
		Long: `robots says of each URL whether robots.txt allows it, by which line of which group,
which crawl-delay and sitemaps the file names, and when it was read. Of a JOB it is
the robots.txt that the crawl obeys, whether it runs or not; FILE is a robots.txt, -
the standard input, and then URLs may be paths.

Beside it stands what temoto/robotstxt, a library that many crawlers use, makes of the
same file; where it differs, the paragraph of RFC 9309 by which exclave decides.

Exit codes: 0 every URL is allowed; 1 one is forbidden, or its robots.txt is not known;
2 one is no URL, FILE cannot be read, or the configuration is wrong; 4 a process that
cannot be asked works on the job.`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := askRobots(cmd, args[0], args[1:], agent)
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), a)
			} else {
				err = printRobots(cmd.OutOrStdout(), a)
			}
			if err != nil {
				return err
			}
			for _, u := range a.URLs {
				if !u.Known || !u.Allowed && cmp.Or(u.Policy, a.Policy) != robots.Ignore.String() {
					return withCode(exitNegative, errSaid)
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&agent, "agent", "", "product token to look for (default: http.robots_token of the job; for a FILE "+fetch.DefaultConfig().RobotsToken+")")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON (docs/howto/robots.md)")
	return cmd
}

func askRobots(cmd *cobra.Command, from string, urls []string, agent string) (a *question.RobotsAnswer, err error) {
	if info, err := os.Stat(from); from == "-" || err == nil && !info.IsDir() {
		a, err := robotsFile(cmd, from, urls, agent)
		if err != nil {
			return nil, withCode(exitUsage, err)
		}
		return a, nil
	}
	err = ask(cmd, from, func(q question.Questions) (err error) {
		a, err = q.Robots(cmd.Context(), urls, agent)
		return err
	})
	return a, err
}

// robotsFile asks a robots.txt, which is read as far as a crawl would.
func robotsFile(cmd *cobra.Command, name string, urls []string, agent string) (_ *question.RobotsAnswer, err error) {
	in := cmd.InOrStdin()
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		in = f
	}
	body, err := io.ReadAll(io.LimitReader(in, robots.MaxSize+1)) // one more: so that it is known to be too long
	if err != nil {
		return nil, err
	}
	if agent == "" {
		agent = fetch.DefaultConfig().RobotsToken
	}
	a := &question.RobotsAnswer{Token: agent}
	for _, raw := range urls {
		path := raw
		if !strings.HasPrefix(raw, "/") {
			u, err := urlx.Parse(raw)
			if err != nil {
				return nil, fmt.Errorf("robots: %w; write a URL, or a path that begins with /", err)
			}
			path = u.WithoutFragment().PathQuery()
		}
		e := robots.Explain(200, body, agent, path)
		a.URLs = append(a.URLs, question.RobotsURL{URL: urlx.HideUserinfo(raw), Known: true, File: name, Explained: &e})
	}
	return a, nil
}

// printRobots prints an answer for a person.
func printRobots(out io.Writer, a *question.RobotsAnswer) error {
	p := &sheet{out: out}
	for i, u := range a.URLs {
		if i > 0 {
			p.gap()
		}
		printRobotsURL(p, a, u)
	}
	return p.err
}

func printRobotsURL(p *sheet, a *question.RobotsAnswer, u question.RobotsURL) {
	p.row("URL", u.URL)
	p.row("robots.txt", u.File)
	p.row("status", u.Status)
	if u.Read != nil {
		p.row("read", fmt.Sprintf("%s, relied on until %s", u.Read.UTC().Format(time.RFC3339), u.Expires.UTC().Format(time.RFC3339)))
	}
	p.row("text from", u.From)
	if !u.Known {
		p.row("verdict", "not known: the crawl has not read this robots.txt, or its text is no longer available")
		printNotes(p, u.Notes)
		return
	}
	p.row("agent", a.Token)
	p.row("verdict", verdictOf(u.Allowed, cmp.Or(u.Policy, a.Policy)))
	if r := u.Rule; r != nil {
		p.row("by", lineText(r))
	}
	if b := u.Because; b != nil {
		p.row("by", paragraphText(b))
	}
	if u.Agent != nil {
		p.row("group", lineText(u.Agent))
	}
	if u.CrawlDelay != nil {
		p.row("crawl-delay", strings.TrimSuffix(fmt.Sprintf("%v, %s", *u.CrawlDelay, lineText(u.DelayLine)), ", "))
	}
	for _, s := range u.Sitemaps {
		p.row("sitemap", s)
	}
	printLibrary(p, u.Library)
	printNotes(p, u.Notes)
}

func printNotes(p *sheet, notes []string) {
	for _, n := range notes {
		p.row("note", n)
	}
}

func verdictOf(allowed bool, policy string) string {
	switch {
	case allowed:
		return "allowed"
	case policy == robots.Ignore.String():
		return `forbidden, but the job ignores robots.txt (robots.policy = "ignore")`
	case policy == robots.ObeyButEmbeds.String():
		return `forbidden, unless an archived page embeds it (robots.policy = "obey-but-embeds")`
	case policy == robots.MostFavored.String():
		return `forbidden, unless another crawler may (robots.policy = "most-favored")`
	}
	return "forbidden"
}

func lineText(l *robots.Line) string {
	switch {
	case l == nil:
		return ""
	case l.Number == 0:
		return strings.TrimSpace(l.Text)
	}
	return fmt.Sprintf("line %d: %s", l.Number, strings.TrimSpace(l.Text))
}

func paragraphText(p *robots.Paragraph) string {
	return fmt.Sprintf("RFC 9309 %s: %s", p.Number, p.Says)
}

// printLibrary says what temoto/robotstxt says.
func printLibrary(p *sheet, o *robots.Opinion) {
	switch {
	case o == nil:
		return
	case o.Same:
		p.row("robotstxt", "temoto/robotstxt says the same")
		return
	case o.Error != "":
		p.row("robotstxt", "temoto/robotstxt cannot read it: "+o.Error)
	default:
		p.row("robotstxt", "temoto/robotstxt differs: "+verdictOf(o.Allowed, ""))
	}
	if o.Because != nil {
		p.row("", paragraphText(o.Because))
	}
}
