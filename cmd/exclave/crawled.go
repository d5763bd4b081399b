package main

import (
	"errors"
	"fmt"
	"io"

	"exclave/chain"
	"exclave/internal/job"
	"exclave/internal/job/seeds"
	"exclave/internal/live"
)

// sayCrawled prints what became of the seeds of a run, and what is left.
func sayCrawled(out io.Writer, r *job.Result) {
	for _, s := range r.Seeds {
		switch {
		case r.Stats.Discovered == 0 && s.Accepted+s.Known+s.Broken+s.Skipped+s.LeftOut() == 0 && len(s.Rejected) == 0 && s.Damage == "":
			fmt.Fprintf(out, "%s has no URL: there is nothing to crawl; add some, one a line, or use exclave seeds import\n", s.File)
		case s.Accepted == 0 && r.Stats.Discovered == 0:
			fmt.Fprintf(out, "seeds %s: nothing to crawl; add URLs to it\n", s)
		case s.Accepted+s.Known == 0:
			fmt.Fprintf(out, "seeds %s: no seed was taken from it\n", s)
		case len(s.Rejected) > 0:
			fmt.Fprintln(out, "seeds", s)
		}
		if left := leftOut(s.State, "seed_traps of [job]"); left != "" {
			fmt.Fprintf(out, "seeds %s: %s\n", s.File, left)
		}
		if s.Broken > 0 {
			fmt.Fprintf(out, "%s: %s broken, the first: %s (reports/seeds.json has more)\n", s.File, count(int(s.Broken), "line"), s.Samples[0])
		}
	}
	left := r.Stats.Queued + r.Stats.InProcess
	if r.Reason != chain.Finished || left == 0 {
		return
	}
	are := "URIs are"
	if left == 1 {
		are = "URI is"
	}
	switch q := r.Queues; {
	case q.Retired == 1:
		fmt.Fprintf(out, "%s %s left in 1 queue whose budget is spent: raise it in [limits], and exclave crawl continues\n", live.Number(left), are)
	case q.Retired > 0:
		fmt.Fprintf(out, "%s %s left in %s queues whose budgets are spent: raise them in [limits], and exclave crawl continues\n",
			live.Number(left), are, live.Number(int64(q.Retired)))
	case q.Round > 0:
		fmt.Fprintf(out, "%s %s left: the last of the rounds of [order] is over; raise rounds, and exclave crawl continues\n", live.Number(left), are)
	}
}

// damagedSeeds says which files of seeds could not be read to their end.
func damagedSeeds(files []seeds.Report) error {
	var errs []error
	for _, s := range files {
		if s.Damage != "" {
			errs = append(errs, fmt.Errorf("%s: %s; what comes before the damage was taken: get the whole file, and import it again", s.File, s.Damage))
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return withCode(exitUsage, errors.Join(errs...))
}
