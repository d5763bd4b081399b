package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/verify"
	"exclave/internal/printable"
	"exclave/warc/dedup"
	"exclave/warc/store"

	"github.com/spf13/cobra"
)

func newVerify() *cobra.Command {
	var o verify.Options
	var quiet bool
	var keys store.Config
	cmd := &cobra.Command{
		Use:   "verify JOB",
		Short: "Prove that state, archive and logs of a job agree",
		Long: `verify reads everything a job has made, and changes nothing: every WARC record is
whole and belongs to a capture that was acknowledged, every archived URI has its
record, the DNS answers and robots.txt that pages need stand before them, and the
logs hold exactly what was acknowledged. Each defect is printed with its place when it is found.
Of revisit records whose content is in another archive it demands that an index folder or a CDX server in [dedup] has that answer. When a server does not answer,
what is not proven is counted, with exit code 1; --offline asks no server, and counts what is taken on trust.
Let a job that was killed continue first (exclave crawl).

A WARC file that exclave store put elsewhere, and that is not here, is taken on trust when the register, SHA256SUMS and the
state say the same of it; how many were is said at the end. --remote reads them from where they are, as if they were here.

It works on all processors, at the speed of unpacking and hashing, in at most 300 MB of memory. What
does not fit is sorted in a temporary folder, which is removed: about 200 bytes for each URI
known (--temp says where, else TMPDIR does).

--fast takes a small part of the time: the state is compared with itself, every capture
and every archived URI has a record where the state says, with the header it should have, and
the logs have the length and the checksum that were acknowledged. It does not unpack bodies.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			cfg, err := loadJob(cmd, args[0])
			if err != nil {
				return err
			}
			if st, err := os.Stat(o.Temp); o.Temp != "" && (err != nil || !st.IsDir()) {
				return withCode(exitUsage, fmt.Errorf("verify %s: --temp %s is no folder", args[0], o.Temp))
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), endings()...)
			defer stop()
			defer spendMemory()()
			defects, trusted := 0, ""
			o.Defect = func(d verify.Defect) {
				defects++
				fmt.Fprintln(cmd.OutOrStdout(), d)
			}
			if !quiet {
				o.Progress = cmd.ErrOrStderr()
			}
			var closeAll func() error
			storeConfig(cmd.Flags(), cfg, keys)
			o.Trusted = func(files int, bytes int64) {
				trusted = fmt.Sprintf("%s (%s) elsewhere taken on trust, by the registered SHA-256; --remote reads them", count(files, "WARC file"), printable.Size(bytes))
			}
			if o.Earlier, closeAll, err = earlierArchives(cfg); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, closeAll()) }()
			servers, err := job.DedupServers(cfg)
			if err != nil {
				return withCode(exitUsage, err)
			}
			p := newProver(servers, cfg.Dedup.ServerConnections)
			defer p.close()
			if o.Offline = o.Offline && len(servers) > 0; len(servers) > 0 {
				o.Ask = p.has
			}
			var unproven int64
			var unasked error
			o.Unproven = func(records int64, why error) { unproven, unasked = records, why }
			err = verify.Run(ctx, folder.Of(cfg, jobOptions(cmd.ErrOrStderr()).Env()), o)
			switch {
			case err != nil && ctx.Err() != nil:
				return withCode(exitInterrupt, fmt.Errorf("verify %s: interrupted; %s so far; nothing was changed", args[0], count(defects, "defect")))
			case err != nil:
				return verifyError(err)
			}
			if o.Fast {
				fmt.Fprintln(cmd.OutOrStdout(), args[0]+": "+verify.FastLeavesOut)
			}
			switch {
			case unproven > 0 && o.Offline:
				fmt.Fprintf(cmd.OutOrStdout(), "%s: taken on trust, for no server was asked: %s of what other archives have\n", args[0], count(int(unproven), "revisit record"))
			case unproven > 0:
				fmt.Fprintf(cmd.OutOrStdout(), "%s: not proven: %s of what other archives have: %s\n", args[0], count(int(unproven), "revisit record"), printable.Text(unasked.Error()))
			}
			if trusted != "" {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", args[0], trusted)
			}
			if defects > 0 {
				return withCode(exitNegative, errors.New("verify "+args[0]+": "+count(defects, "defect")))
			}
			if unproven > 0 && !o.Offline {
				return withCode(exitNegative, fmt.Errorf("verify %s: %s not proven; the other checks found no defect; --offline takes them on trust", args[0], count(int(unproven), "revisit record")))
			}
			what := "state, archive and logs agree"
			if o.Fast || unproven > 0 {
				what += ", as far as was checked"
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", args[0], what)
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Fast, "fast", false, "structure and places only: no bodies, no digests")
	f.BoolVar(&o.Remote, "remote", false, "read WARC files that are elsewhere from where they are")
	keyFlags(f, &keys)
	f.BoolVar(&quiet, "quiet", false, "no progress on stderr")
	f.BoolVar(&o.Offline, "offline", false, "do not ask CDX servers: take on trust what they should have")
	f.StringVar(&o.Temp, "temp", "", "folder of temporary files (default: the system's)")
	f.IntVar(&o.Workers, "workers", 0, "how many read at the same time (default: as many as there are processors)")
	return profiled(cmd)
}

// earlierArchives returns what the index folders of a job hold, and what closes them.
func earlierArchives(cfg *config.Config) (_ func(func(url string, date time.Time, digest string) error) error, closeAll func() error, err error) {
	var open []*dedup.Index
	closeAll = func() error {
		var errs []error
		for _, x := range open {
			errs = append(errs, x.Close())
		}
		return errors.Join(errs...)
	}
	for _, name := range cfg.Dedup.Index {
		x, err := dedup.Open(cfg.Path(name))
		if err != nil {
			return nil, nil, dedupError(errors.Join(err, closeAll()))
		}
		open = append(open, x)
	}
	return func(each func(string, time.Time, string) error) error {
		for _, x := range open {
			if err := x.Each(func(o dedup.Original) error { return each(o.URL, o.Date, o.Digest) }); err != nil {
				return err
			}
		}
		return nil
	}, closeAll, nil
}

// verifyError is jobError of a check that could not be made. Nothing is written but what is sorted.
func verifyError(err error) error {
	if errors.Is(err, store.ErrDenied) || errors.Is(err, store.ErrSettings) {
		return storeError(err)
	}
	if errors.Is(err, syscall.ENOSPC) {
		err = fmt.Errorf("%w; what is compared is sorted in a temporary folder, about 200 bytes for each URI known: --temp names one with more room", err)
	}
	return jobError(err)
}
