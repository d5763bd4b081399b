package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"exclave/chain"
	"exclave/config"
	"exclave/internal/job/checkpoint"
	"exclave/internal/job/folder"
	"exclave/internal/job/view"
	"exclave/internal/live"

	"github.com/spf13/cobra"
)

// jobsIn returns the names of the jobs in a folder that is no job itself, in order.
func jobsIn(dir string) []string {
	if _, err := os.Stat(filepath.Join(dir, config.FileName)); err == nil || checkpoint.Is(dir) {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // loading it as a job says what is wrong
	}
	var names []string
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(dir, e.Name(), config.FileName)); err == nil {
			names = append(names, e.Name())
		}
	}
	return names
}

// collected is a job among others.
type collected struct {
	name   string
	cfg    *config.Config // nil: it is wrong
	last   view.LastRun
	begun  bool // by this process
	before bool // it was finished before this run
	err    error
}

// status is what the table says of it.
func (c *collected) status() string {
	switch {
	case c.err != nil:
		return "failed"
	case c.before:
		return c.last.Status + " before"
	case c.last.Runs == 0:
		return "not begun"
	}
	return c.last.Status
}

// crawlAll runs jobs one after another. Whether one is over is read from its state
// (ADR 24): nothing else says so.
func crawlAll(cmd *cobra.Command, dir string, names []string, o crawlOptions) error {
	jobs := make([]*collected, len(names))
	wrong := 0
	for i, name := range names {
		c := &collected{name: name}
		if c.cfg, c.err = loadJob(cmd, filepath.Join(dir, name)); c.err != nil {
			wrong++
		}
		jobs[i] = c
	}
	if wrong > 0 && o.failFast {
		return withCode(exitUsage, fmt.Errorf("%s: the configuration of %s is wrong; nothing was begun (--fail-fast)", dir, count(wrong, "job")))
	}
	failed := 0
	for i, c := range jobs {
		stopped := c.crawl(cmd, fmt.Sprintf("%d of %d", i+1, len(jobs)), o)
		if c.err != nil {
			failed++
			fmt.Fprintf(cmd.ErrOrStderr(), "exclave: %s: %v\n", c.name, c.err)
		}
		if stopped || c.err != nil && o.failFast {
			break
		}
	}
	for _, c := range jobs { // those whose turn did not come
		if c.err == nil && !c.begun && !c.before {
			c.last, c.err = view.ReadLastRun(cmd.Context(), folder.Of(c.cfg, jobOptions(io.Discard).Env()))
		}
	}
	printJobs(cmd.OutOrStdout(), jobs)
	if failed > 0 {
		return withCode(exitFailure, fmt.Errorf("%s: %s of %d failed; crawl it again once the cause is gone: what is finished is not repeated", dir, count(failed, "job"), len(jobs)))
	}
	return nil
}

// crawl runs the job unless it is over. stopped: the user stopped it.
func (c *collected) crawl(cmd *cobra.Command, which string, o crawlOptions) (stopped bool) {
	if c.err != nil {
		return false
	}
	if c.last, c.err = view.ReadLastRun(cmd.Context(), folder.Of(c.cfg, jobOptions(io.Discard).Env())); c.err != nil {
		return false
	}
	say := func(what string) {
		fmt.Fprintf(cmd.ErrOrStderr(), "exclave: job %s, %s: %s\n", which, c.name, what)
	}
	if c.before = c.last.Over(); c.before {
		text := c.last.Status + " before"
		if n := c.last.Stats.Queued + c.last.Stats.InProcess; n > 0 {
			text += fmt.Sprintf("; %s left, exclave crawl %s continues with them", count(int(n), "URI"), c.cfg.Dir)
		}
		say(text)
		return false
	}
	if c.begun = true; c.last.Runs > 0 {
		say("continues")
	} else {
		say("begins")
	}
	r, interrupted, err := crawlOne(cmd, c.cfg, o)
	c.last.Status, c.last.Runs, c.last.Stats = string(r.Reason), c.last.Runs+1, r.Stats
	c.last.Took += r.Took
	if c.err = err; err == nil && r.Reason == chain.DiskLimit {
		c.err = errors.New("stopped by a limit of the disk; make room")
	}
	return interrupted || r.Reason == chain.Stopped
}

func printJobs(w io.Writer, jobs []*collected) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(cells ...string) { fmt.Fprintln(table, strings.Join(cells, "\t")+"\t") }
	row("job", "status", "took", "finished", "judged", "valid", "archived", "failed", "queued")
	for _, c := range jobs {
		cells := []string{c.name, c.status(), c.last.Took.Round(1e8).String()}
		s := c.last.Stats
		for _, n := range []int64{s.Finished, s.Judged, s.Valid, s.Archived, s.Failed, s.Queued + s.InProcess} {
			cells = append(cells, live.Number(n))
		}
		row(cells...)
	}
	_ = table.Flush() // as every other print for a person
}
