package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"exclave/analyzer"
	"exclave/chain/fetch"
	"exclave/config"
	"exclave/frontier"
	"exclave/internal/cookies"
	"exclave/internal/job/folder"
	"exclave/internal/job/rules"
	"exclave/internal/job/seeds"
	"exclave/internal/job/view"
	"exclave/warc/store"

	"github.com/spf13/cobra"
)

// notices are what of a job is switched off without being wrong.
func notices(c *config.Config) []string {
	var out []string
	for _, n := range c.Analyzer().Notices() {
		key := "analysis.geoip"
		if n.Missing == analyzer.MissingWhois {
			key = "whois.server"
		}
		out = append(out, fmt.Sprintf("%s (%s)", n, key))
	}
	if !c.HTTP.Cookies {
		const but = "does something only where a sheet keeps cookies, which http.cookies has off"
		if c.HTTP.CookiesFile != "" {
			out = append(out, "http.cookies_file "+but)
		}
		if i := slices.IndexFunc(c.Credentials, func(c fetch.Credential) bool { return c.Login != "" }); i >= 0 {
			out = append(out, fmt.Sprintf("credential[%d].login %s", i, but))
		}
	}
	return slices.Concat(out, c.HTTP.Notices(), c.Order.Notices(), c.Limits.Notices())
}

// checkedLines is how many lines of a file of seeds are looked at: about two seconds.
const checkedLines = 1_000_000

func newCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check JOB",
		Short: "Report every problem of a job's configuration and seeds",
		Long: `check reads job.toml and the files it names, seeds among them (of each the first
million lines), compares them with the state of a job that was begun, and prints every
problem with file, line, column and what to do. Nothing is fetched and nothing is written.

Exit codes: 0 no problems; 2 there are some; 3 the state cannot be read.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, problems := config.Load(args[0])
			if err := forbidden(args[0]); len(problems) > 0 && err != nil {
				return err
			}
			lines := make([]string, 0, len(problems))
			for _, p := range problems {
				lines = append(lines, p.String())
			}
			if len(problems) == 0 {
				var err error
				if lines, err = checkJob(cmd, c); err != nil {
					return err
				}
			}
			for _, l := range lines {
				fmt.Fprintln(cmd.OutOrStdout(), l)
			}
			if len(lines) > 0 {
				return withCode(exitUsage, fmt.Errorf("check %s: %s", args[0], count(len(lines), "problem")))
			}
			for _, n := range append(notices(c), c.Analyzer().LanguageAlone()...) {
				fmt.Fprintln(cmd.OutOrStdout(), "note:", n)
			}
			if c.Store.On() {
				if _, err := store.New(c.Storage(), store.Options{}); err != nil {
					fmt.Fprintln(cmd.OutOrStdout(), "note:", err)
				}
			}
			if c.Metrics.Public() {
				fmt.Fprintf(cmd.OutOrStdout(), "note: other machines can read the metrics at %s (metrics.address)\n", c.Metrics.Address)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: no problems\n", args[0])
			return nil
		},
	}
}

// checkJob returns what of a job is wrong though its configuration is right: seeds, and a
// state that does not go with it. What is only worth knowing it prints.
func checkJob(cmd *cobra.Command, c *config.Config) (problems []string, err error) {
	known := false // a URI, without the seeds
	v, err := view.Open(cmd.Context(), folder.Of(c, jobOptions(cmd.ErrOrStderr()).Env()), view.Options{})
	if err == nil {
		known = v.State.Stats().Discovered > 0
		err = errors.Join(v.State.SameConfig(), v.Close())
	}
	switch {
	case errors.Is(err, folder.ErrNotBegun):
	case errors.Is(err, folder.ErrLocked):
		known = true // as far as anyone can tell
		fmt.Fprintln(cmd.OutOrStdout(), "note: another process works on the job; the configuration was not compared with its state")
	case errors.Is(err, frontier.ErrChanged):
		problems = append(problems, err.Error())
	case err != nil:
		return nil, jobError(err)
	}
	profiles, err := c.Analyzer().Names()
	if err != nil {
		return nil, err
	}
	of := folder.Of(c, jobOptions(cmd.ErrOrStderr()).Env())
	set, found, err := rules.ReadSheets(of, profiles)
	if err != nil {
		problems = append(problems, err.Error())
	}
	if _, others, err := of.SheetFiles(); err == nil { // or it was said
		for _, name := range others {
			fmt.Fprintf(cmd.OutOrStdout(), "note: %s is not read: the names of files of sheets end with .toml\n", c.Path(name))
		}
	}
	for _, p := range rules.SourceAddresses(c, set) { // the crawl may be meant for another machine
		fmt.Fprintf(cmd.OutOrStdout(), "note: %s; a crawl on this machine does not begin\n", p)
	}
	_, bad := c.Accounts()
	given, more := rules.GivenCookies(c)
	if over := cookies.Expired(given, time.Now()); over != "" {
		fmt.Fprintf(cmd.OutOrStdout(), "note: %s: %s\n", c.Path(c.HTTP.CookiesFile), over)
	}
	for _, p := range slices.Concat(found, bad, more) {
		problems = append(problems, p.String())
	}
	seeds, err := seeds.CheckFiles(cmd.Context(), c, checkedLines)
	if err != nil {
		return nil, err
	}
	urls, unread := int64(0), false
	for _, s := range seeds {
		urls, unread = urls+s.URLs, unread || s.More || s.Err != nil || s.State.Damage != ""
		switch {
		case s.Err != nil:
			problems = append(problems, s.Err.Error())
		case s.State.Damage != "":
			problems = append(problems, s.Path+": "+s.State.Damage+"; get the whole file, or only what comes before the damage is crawled")
		}
		if left := leftOut(s.State, "seed_traps of [job]"); left != "" {
			fmt.Fprintf(cmd.OutOrStdout(), "note: %s: %s\n", s.Path, left)
		}
		for _, line := range s.State.Samples {
			fmt.Fprintf(cmd.OutOrStdout(), "note: %s: %s\n", s.Path, line)
		}
		if n := s.State.Broken - int64(len(s.State.Samples)); n > 0 {
			fmt.Fprintf(cmd.OutOrStdout(), "note: %s: %s more\n", s.Path, count(int(n), "broken line"))
		}
	}
	if urls == 0 && !unread && !known {
		problems = append(problems, fmt.Sprintf("%s: no URL: there is nothing to crawl; add some, one a line, or use exclave seeds import", c.Path(strings.Join(c.Job.Seeds, ", "))))
	}
	return problems, nil
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
