package main

import (
	"fmt"
	"strings"

	"exclave/internal/testweb/benchlog"

	"github.com/spf13/cobra"
)

func newBenchSeedsLog() *cobra.Command {
	p := benchlog.DefaultParams()
	cmd := &cobra.Command{
		Use:   "seeds-log",
		Short: "Print the out-of-scope log of a harvest that never was, of any length",
		Long: `seeds-log prints a log of links that the harvest of a nation's top-level domain would
have left out: hosts by a power law, links of a page behind each other, addresses named
before, traps of the nation's own domain, broken lines. Nothing is held in memory; the same flags print the same bytes.
Hosts and domains grow with the number of lines when they are not given.`,
		Example: "  exclave bench seeds-log --lines 100000000 | gzip > scope.log.gz",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("hosts") {
				p.Hosts = int(max(p.Lines/20, 1))
			}
			if !cmd.Flags().Changed("domains") {
				p.Domains = int(max(p.Lines/200, 1))
			}
			if err := p.Validate().Err("benchlog"); err != nil {
				return withCode(exitUsage, err)
			}
			if err := p.Write(cmd.OutOrStdout()); err != nil {
				return withCode(exitFailure, fmt.Errorf("bench seeds-log: %w", err))
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.Int64Var(&p.Lines, "lines", p.Lines, "lines of the log")
	f.Uint64Var(&p.Seed, "seed", p.Seed, "the log follows from this number and the other flags")
	f.IntVar(&p.Hosts, "hosts", p.Hosts, "hosts linked to")
	f.IntVar(&p.Domains, "domains", p.Domains, "domains that link")
	f.StringVar(&p.TLD, "tld", p.TLD, "top-level domain of nine in ten of them")
	f.StringVar(&p.Format, "format", p.Format, "format: "+strings.Join(benchlog.Formats(), ", "))
	f.Float64Var(&p.Duplicates, "duplicates", p.Duplicates, "share of lines that name an address again")
	f.Float64Var(&p.Broken, "broken", p.Broken, "share of lines that are broken")
	f.Float64Var(&p.Traps, "traps", p.Traps, "share of lines refused as traps: too many hops, a path that repeats itself, too many segments")
	f.BoolVar(&p.Sources, "sources", p.Sources, "with source tags")
	return cmd
}
