package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"exclave/frontier/frontierbench"
)

func newBenchFrontier() *cobra.Command {
	p := frontierbench.Params{Seed: 1, URIs: 1000000, Loaders: 50, Workers: 200, Drain: 10 * time.Second}
	var out, cpu string
	var part bool
	cmd := &cobra.Command{
		Use:   "frontier",
		Short: "Measure the frontier without a network",
		Long: `frontier loads a new frontier with candidates like those of a national crawl (hosts by
a power law, addresses of 80 bytes, two in five known already) and drains it with
simulated fetches, everything durable: rates, memory, bytes on disk, and how long it
takes to open again after a kill. docs/howto/bench.md explains the figures.`,
		Example: "  exclave bench frontier --uris 20000000 --json -",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if p.URIs < 1000 || p.Loaders < 1 || p.Workers < 1 {
				return withCode(exitUsage, errors.New("bench frontier: at least 1,000 URIs, a loader and a worker are needed"))
			}
			if part {
				return benchFrontierPart(cmd, p, cpu)
			}
			if p.Dir, err = os.MkdirTemp("", "exclave-frontier-"); err != nil {
				return withCode(exitFailure, err)
			}
			defer func() { err = errors.Join(err, os.RemoveAll(p.Dir)) }()
			fig, err := benchFrontier(cmd, p, cpu)
			if err != nil {
				return withCode(exitFailure, err)
			}
			return writeFrontierFigures(cmd.OutOrStdout(), out, fig)
		},
	}
	f := cmd.Flags()
	f.IntVar(&p.URIs, "uris", p.URIs, "URIs known at the end of loading")
	f.IntVar(&p.Hosts, "hosts", 0, "hosts (default: one for 50 URIs)")
	f.BoolVar(&p.Flat, "flat", false, "hosts are equally likely, not by a power law")
	f.IntVar(&p.Loaders, "loaders", p.Loaders, "goroutines that schedule batches of 100")
	f.IntVar(&p.Workers, "workers", p.Workers, "ToeThreads")
	f.DurationVar(&p.Drain, "drain", p.Drain, "how long URIs are finished, and again at half the rate")
	f.DurationVar(&p.SyncDelay, "sync-delay", 0, "time added to every fsync")
	f.BoolVar(&p.NoLimits, "no-limits", false, "leave out the limits that a job has by default")
	f.Uint64Var(&p.Seed, "seed", p.Seed, "the candidates follow from this number")
	f.StringVar(&out, "json", "", "write the figures to this file as JSON; - is stdout, instead of the table")
	f.StringVar(&cpu, "cpuprofile", "", "write a profile of the processor time to this file")
	f.BoolVar(&part, "part", false, "be the process that is measured")
	f.StringVar(&p.Dir, "dir", "", "its folder")
	_ = f.MarkHidden("part") // never fails: the flags exist
	_ = f.MarkHidden("dir")
	return cmd
}

// benchFrontierPart loads and drains, prints its figures, and lives on until it is
// killed.
func benchFrontierPart(cmd *cobra.Command, p frontierbench.Params, cpu string) (err error) {
	stop, err := profiling(cpu)
	if err != nil {
		return err
	}
	in := bufio.NewReader(cmd.InOrStdin())
	p.Slice = func(candidates int64) error { // it is the other process's turn
		fmt.Fprintln(cmd.OutOrStdout(), candidates)
		_, err := in.ReadString('\n')
		return err
	}
	p.Peak = func() int64 { return ownUsage().PeakRSS }
	p.CPU = func() float64 { u := ownUsage(); return u.User + u.System }
	f, fig, err := frontierbench.Run(cmd.Context(), p)
	if err := errors.Join(err, stop()); err != nil {
		return withCode(exitFailure, err)
	}
	if err := json.NewEncoder(forPrograms(cmd.OutOrStdout())).Encode(fig); err != nil {
		return withCode(exitFailure, err)
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt)
	<-ended
	return f.Close(cmd.Context())
}

func benchFrontier(cmd *cobra.Command, p frontierbench.Params, cpu string) (fig frontierbench.Figures, err error) {
	args := []string{"bench", "frontier", "--part", "--dir", p.Dir, "--uris", fmt.Sprint(p.URIs), "--hosts", fmt.Sprint(p.Hosts),
		fmt.Sprintf("--flat=%v", p.Flat), fmt.Sprintf("--no-limits=%v", p.NoLimits), "--loaders", fmt.Sprint(p.Loaders), "--workers", fmt.Sprint(p.Workers), "--drain", p.Drain.String(),
		"--sync-delay", p.SyncDelay.String(), "--seed", fmt.Sprint(p.Seed), "--cpuprofile", cpu}
	c, err := child(cmd, args...)
	if err != nil {
		return fig, err
	}
	pipe, err := c.StdoutPipe()
	if err != nil {
		return fig, err
	}
	in, err := c.StdinPipe()
	if err != nil {
		return fig, err
	}
	if err := c.Start(); err != nil {
		return fig, fmt.Errorf("bench frontier: %w", err)
	}
	bare, line, err := inTurns(p, in, pipe)
	killed := c.Process.Signal(syscall.SIGKILL)
	ended := c.Wait() // says that it was killed
	if err != nil {
		return fig, fmt.Errorf("bench frontier: the process that was measured gave no figures: %w", errors.Join(err, killed, ended))
	}
	if err := json.Unmarshal(line, &fig); err != nil {
		return fig, fmt.Errorf("bench frontier: %w", err)
	}
	fig.Bare, fig.Ratio = bare, fig.Schedule/bare
	if fig.ReopenKilled, err = frontierbench.Reopen(cmd.Context(), p); err != nil {
		return fig, fmt.Errorf("bench frontier: after the kill: %w", err)
	}
	fig.ReopenStopped, err = frontierbench.Reopen(cmd.Context(), p)
	return fig, err
}

// inTurns writes to a bare store whenever the process that is measured has loaded a slice,
// so that both meet the same machine; it returns the rate of the bare store and the figures.
func inTurns(p frontierbench.Params, to io.Writer, from io.Reader) (rate float64, line []byte, err error) {
	bare, err := frontierbench.OpenBare(p)
	if err != nil {
		return 0, nil, err
	}
	defer func() { err = errors.Join(err, bare.Close()) }()
	in := bufio.NewReader(from)
	for {
		if line, err = in.ReadBytes('\n'); err != nil {
			return 0, nil, err
		}
		n, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64)
		if err != nil { // the figures
			return bare.Rate(), line, nil
		}
		if err := bare.Write(n); err != nil {
			return 0, nil, err
		}
		if _, err := fmt.Fprintln(to); err != nil {
			return 0, nil, err
		}
	}
}

func writeFrontierFigures(stdout io.Writer, file string, fig frontierbench.Figures) error {
	if file != "" {
		text, err := json.MarshalIndent(fig, "", "  ")
		if err != nil {
			return withCode(exitFailure, err)
		}
		if text = append(text, '\n'); file == "-" {
			_, err = stdout.Write(text)
		} else {
			err = os.WriteFile(filepath.Clean(file), text, 0o600)
		}
		if err != nil {
			return withCode(exitFailure, err)
		}
		if file == "-" {
			return nil
		}
	}
	row := func(name, format string, a ...any) {
		fmt.Fprintf(stdout, "%-30s "+format+"\n", append([]any{name}, a...)...)
	}
	row("known, hosts with URIs", "%d, %d", fig.URIs, fig.Hosts)
	row("Schedule", "%.0f candidates/s (a bare store %.0f: ratio %.2f; the generator %.0f)", fig.Schedule, fig.Bare, fig.Ratio, fig.Generator)
	row("Next + Finished, 20 links", "%.0f URIs/s", fig.Finished)
	row("processor time", "%.1f µs a candidate, %.0f µs a URI that is finished", fig.ScheduleCPU, fig.FinishedCPU)
	row("Next at half the rate", "99 %% in %.2f ms, all in %.1f ms", fig.NextP99, fig.NextMax)
	row("Finished at half the rate", "99.9 %% in %.1f ms, all in %.1f ms", fig.FinishedP999, fig.FinishedMax)
	row("beside pages of 100,000 links", "%d of them, each %.1f s: Next in %.1f ms at most, Finished 99.9 %% in %.1f ms, all in %.1f ms", fig.HugePages, fig.HugePage, fig.HugeNextMax, fig.HugeFinishedP999, fig.HugeFinishedMax)
	row("a checkpoint", "%.2f s, commits wait for %.2f s of it, Finished takes %.1f ms at most", fig.Checkpoint, fig.CheckpointHeld, fig.CheckpointFinishedMax)
	row("on disk", "%.0f bytes for a URI that waits, %.0f for a host", fig.PerURI, fig.PerHost)
	row("peak memory", "%d MB, with such pages %d MB", fig.RSS/1e6, fig.RSSInAll/1e6)
	row("opened again", "after a kill in %.2f s, after a stop in %.2f s", fig.ReopenKilled, fig.ReopenStopped)
	var laps []string
	for name, s := range fig.Seconds {
		laps = append(laps, fmt.Sprintf("%s %.1f s", name, s))
	}
	slices.Sort(laps)
	row("took", "%v", laps)
	return nil
}
