package main

import (
	"fmt"

	"exclave/internal/urlx"

	"github.com/spf13/cobra"
)

func newURL() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "url URL...",
		Short: "Show the normal form of URLs, and which are the same",
		Long: `url shows how a job sees each URL: what is requested, the key that decides
sameness, the SURT form that prefixes of scopes are compared with, the key in an
index of pywb, and the host whose queue it is in. Without --job no rule of [url]
is on. Nothing is fetched.

Exit codes: 0 done; 2 one is no URL that is crawled, or the configuration is wrong.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var rules urlx.Rules
			if dir != "" {
				cfg, err := loadJob(cmd, dir)
				if err != nil {
					return err
				}
				rules = cfg.URL.Rules
			}
			var bad error
			p := &sheet{out: cmd.OutOrStdout()}
			first := map[string]string{}
			for i, arg := range args {
				if i > 0 {
					p.gap()
				}
				u, err := urlx.Parse(arg)
				arg = urlx.HideUserinfo(arg)
				p.row("found", arg)
				if err != nil {
					p.row("error", err.Error())
					bad = withCode(exitUsage, errSaid)
					continue
				}
				u = u.WithoutUserinfo().WithoutFragment()
				key := rules.Key(u)
				p.row("requested", u.String())
				p.row("key", key)
				p.row("SURT", urlx.SURT(u))
				p.row("CDX key", urlx.CDXKey(u))
				p.row("host", u.Hostname())
				if same, ok := first[key]; ok {
					p.row("same as", same)
				} else {
					first[key] = arg
				}
			}
			if p.err != nil {
				return fmt.Errorf("url: %w", p.err)
			}
			return bad
		},
	}
	cmd.Flags().StringVar(&dir, "job", "", "a job's folder, whose rules of [url] count")
	return cmd
}
