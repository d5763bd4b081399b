package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/internal/job/verify"
	"exclave/internal/testweb"
	"exclave/internal/testweb/demoweb"

	"github.com/spf13/cobra"
)

func newDemo() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Harvest a small web on this machine and show what came of it",
		Long: `demo starts a small web on the loopback address, writes the log of discarded links
that the harvest of a national domain would have left, harvests the pages with a
real job, verifies the result and shows it. Nothing outside this machine is
contacted.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if dir == "" {
				if dir, err = os.MkdirTemp("", "exclave-demo-"); err != nil {
					return withCode(exitFailure, err)
				}
			}
			return demo(cmd, dir)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "where the job is kept (default: a new temporary folder)")
	return cmd
}

// demoSettings are what the demonstration changes of the defaults of a job.
const demoSettings = `# The job of "exclave demo": every setting that is not here has its default
# (exclave init shows them all).
[job]
name = "demo"
description = "Harvest of the demonstration web on loopback"
operator = "exclave demo"
seeds = ["out-of-scope.jsonl"]

[http]
contact = "http://127.0.0.1/exclave-demo"
# The web of the demonstration is on loopback, under its own names.
allow = ["127.0.0.0/8"]
root_certificates = ["ca.pem"]

[http.connect_to]
%s
[dns]
servers = [%q]

[crawl]
min_free_disk = 0

[analysis]
profiles = ["cz"]

[frontier]
# Politeness and patience are for servers of other people.
min_delay = "0s"
max_delay = "0s"
retry_delay = "200ms"
max_retries = 2
dns_retry_delay = "200ms"
# All hosts are on this machine.
hosts_per_address = 0
address_delay = "0s"

[warc]
prefix = "DEMO"

[[scope]]
rule = "accept"
[[scope]]
rule = "too-many-hops"
max = 8
[[scope]]
rule = "too-many-path-segments"
[[scope]]
rule = "pathological-path"
[[scope]]
rule = "hosts"
decision = "reject"
list = ["cz"]
[[scope]]
rule = "transclusion"
[[scope]]
rule = "prerequisite"
`

func demo(cmd *cobra.Command, dir string) (err error) {
	out := cmd.OutOrStdout()
	web, err := testweb.Start(demoweb.Web(), testweb.Options{})
	if err != nil {
		return withCode(exitFailure, err)
	}
	defer func() { err = errors.Join(err, web.Close()) }()
	if err := writeDemoJob(dir, web); err != nil {
		return err
	}
	fmt.Fprintf(out, "A small web on this machine: HTTP on %s, HTTPS on %s, DNS on %s.\n", web.HTTPAddr(), web.HTTPSAddr(), web.DNS())
	fmt.Fprintf(out, "The job: %s. Settings changed in its job.toml: no politeness delays, 2 attempts\n200 ms apart, 8 hops, loopback allowed, names and connections led to that web.\n\n", dir)
	cfg, err := loadJob(cmd, dir)
	if err != nil {
		return err
	}
	ctx, stop := untilInterrupted(cmd.Context(), cmd.ErrOrStderr())
	defer stop()
	r, err := runJob(ctx, cfg, jobOptions(cmd.ErrOrStderr()), unseen)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return withCode(exitFailure, errors.New("demo: stopped before its end"))
	}
	fmt.Fprintf(out, "\nHarvested in %s: %d URIs finished, %d pages judged, %d valid, %d URIs archived.\n",
		r.Took.Round(1e6), r.Stats.Finished, r.Stats.Judged, r.Stats.Valid, r.Stats.Archived)
	defects, err := verify.All(cmd.Context(), folder.Of(cfg, jobOptions(io.Discard).Env()))
	if err != nil {
		return withCode(exitFailure, err)
	}
	for _, d := range defects {
		fmt.Fprintln(out, d)
	}
	if len(defects) > 0 {
		return withCode(exitNegative, fmt.Errorf("demo: %s", count(len(defects), "defect")))
	}
	fmt.Fprint(out, "Verified: state, archive and logs agree.\n\n")
	if err := printHosts(cmd.Context(), out, cfg); err != nil {
		return withCode(exitFailure, err)
	}
	if err := checkDemo(cmd.Context(), out, cfg); err != nil {
		return err
	}
	warcs, err := filepath.Glob(filepath.Join(dir, folder.WARCDir, "*.warc.*"))
	if err != nil {
		return withCode(exitFailure, err)
	}
	fmt.Fprintf(out, "\nWARC files:\n  %s\nEvery verdict explained:\n  exclave analyze --profile cz '%s'\n",
		strings.Join(warcs, "\n  "), strings.Join(warcs, "' '"))
	return nil
}

// writeDemoJob writes job.toml, the certificate authority and the log of
// discarded links.
func writeDemoJob(dir string, web *testweb.Server) error {
	if old, err := os.ReadDir(dir); err == nil && len(old) > 0 {
		return withCode(exitUsage, fmt.Errorf("demo: %s is not empty; name a new folder with --dir", dir))
	}
	if err := os.MkdirAll(dir, fsx.FolderMode); err != nil {
		return withCode(exitFailure, err)
	}
	var connect strings.Builder
	for from, to := range web.ConnectTo() {
		fmt.Fprintf(&connect, "%q = %q\n", from, to)
	}
	var seeds strings.Builder
	if err := demoweb.OutOfScopeLog(&seeds); err != nil {
		return withCode(exitFailure, err)
	}
	for name, text := range map[string]string{
		"job.toml":           fmt.Sprintf(demoSettings, connect.String(), web.DNS()),
		"ca.pem":             string(web.CACert()),
		"out-of-scope.jsonl": seeds.String(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), fsx.FileMode); err != nil {
			return withCode(exitFailure, err)
		}
	}
	return nil
}
