package question

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"exclave/chain"
	"exclave/chain/standard"
)

// heritrixChains are the chains of Heritrix with those of ours that do their work.
func heritrixChains(steps []chain.StepStats) []struct {
	name  string
	steps []chain.StepStats
} {
	out := []struct {
		name  string
		steps []chain.StepStats
	}{{name: "CandidateChain"}, {name: "FetchChain"}, {name: "DispositionChain"}}
	for _, s := range steps {
		i := 1
		switch {
		case s.Chain == chain.Post && (s.Kind == standard.KindLinksScoper || s.Kind == standard.KindFrontierScheduler):
			i = 0 // the chain of outlinks
		case s.Chain == chain.Write, s.Chain == chain.Post:
			i = 2
		}
		out[i].steps = append(out[i].steps, s)
	}
	return out
}

func (r *reporter) processors(w io.Writer) error {
	for _, c := range heritrixChains(r.running.Chains.Stats()) {
		fmt.Fprintf(w, "%s - Processors report - %s\n  Number of Processors: %d\n\n", c.name, stamp12(r.now), len(c.steps))
		for _, s := range c.steps {
			fmt.Fprintf(w, "Processor: %s\n  Function:          %s\n  CrawlURIs handled: %d\n", word(s.Step), functionOf(s), s.Handled)
			switch {
			case s.Chain == chain.Extract && s.Kind != standard.KindWebAnalyzer:
				fmt.Fprintf(w, "  %d links from %d CrawlURIs\n", s.Links, s.Handled)
			case s.Chain == chain.Write && s.Kind == standard.KindWARC:
				r.written(w)
			}
			if err := r.own(w, s.Step); err != nil {
				return err
			}
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w)
	}
	return nil
}

// own writes what a processor tells of itself, within its paragraph.
func (r *reporter) own(w io.Writer, step string) error {
	var b strings.Builder
	if err := r.running.Chains.Report(step, &b); err != nil {
		return fmt.Errorf("%s: %w", step, err)
	}
	for line := range strings.Lines(b.String()) {
		if line = strings.TrimSpace(line); line != "" {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	return nil
}

// functionOf says what a processor does.
func functionOf(s chain.StepStats) string {
	kinds := standard.Kinds()
	i := slices.IndexFunc(kinds, func(k standard.Kind) bool { return k.Chain == s.Chain && k.Kind == s.Kind })
	if i < 0 {
		return "-"
	}
	return kinds[i].Doc
}

// written is what Heritrix's writer tells of the archive, of all runs.
func (r *reporter) written(w io.Writer) {
	y := r.state.Total()
	var size int64
	for _, f := range r.state.Files() {
		size += f.Committed
	}
	fmt.Fprintf(w, "  Total CrawlURIs:   %d\n  Revisit records:   %d\n", y.Stored, y.Dup+y.Unmodified)
	fmt.Fprintf(w, "  Crawled content bytes (including http headers): %d (%s)\n", y.StoredBytes, displayed(y.StoredBytes))
	fmt.Fprintf(w, "  Total size on disk (compressed): %d (%s)\n", size, displayed(size))
}

func (r *reporter) steps(w io.Writer) error {
	fmt.Fprintln(w, "[chain] [step] [processor] [#uris] [#skipped] [#errors] [busy-ms] [#handled] [#links]")
	for _, s := range r.running.Chains.Stats() {
		fmt.Fprintln(w, s.Chain, word(s.Step), word(s.Kind), s.Runs, s.Skipped, s.Errors, s.Busy.Milliseconds(), s.Handled, s.Links)
	}
	return nil
}

// activities are what the ToeThreads do, and how many have a URI.
func (r *reporter) activities() (all []chain.Activity, busy int) {
	all = r.running.Controller.Activities()
	for _, a := range all {
		if a.URL != "" {
			busy++
		}
	}
	return all, busy
}

func (r *reporter) threads(w io.Writer) error {
	all, busy := r.activities()
	if r.over && busy == 0 || len(all) == 0 {
		fmt.Fprintln(w, "no ToeThreads")
		return nil
	}
	since := func(t time.Time) string { return conventional(max(0, r.now.Sub(t))) }
	fmt.Fprintf(w, "Toe threads report - %s\n Job being crawled: %s\n Number of toe threads in pool: %d (%d active)\n\n", stamp12(r.now), r.name, len(all), busy)
	for _, a := range all {
		step := "ABOUT_TO_BEGIN_PROCESSOR"
		switch {
		case a.URL == "":
			fmt.Fprintf(w, "[ToeThread #%d: \n -no CrawlURI- \n    WAITING for %s\n", a.Worker, since(a.Since))
			step = "ABOUT_TO_GET_URI"
		default:
			if a.Step == chain.StepHandIn || a.Step == chain.StepCommits {
				step = "ABOUT_TO_RETURN_URI"
			}
			url, via := word(a.URL), ""
			if a.Via != "" {
				via = word(a.Via)
			}
			fmt.Fprintf(w, "[ToeThread #%d: %s\n CrawlURI %s %s %s    %d attempts\n    in processor: %s\n    ACTIVE for %s\n",
				a.Worker, url, url, a.Hops, via, max(0, a.Attempt-1), word(a.Step), since(a.Taken))
		}
		fmt.Fprintf(w, "    step: %s for %s\n%s]\n", step, since(a.Since), noThread)
	}
	return nil
}

// noThread is printed where Heritrix shows a Java thread.
const noThread = "Java Thread State: -\nBlocked/Waiting On: NONE\n"

func (r *reporter) workers(w io.Writer) error {
	all, busy := r.activities()
	fmt.Fprintf(w, "job: %s\nToeThreads: %d (%d busy)\n\n[worker] [chain] [step] [since] [ms] [uri]\n", r.name, len(all), busy)
	for _, a := range all {
		fmt.Fprintf(w, "#%03d %s %s %s %d %s\n", a.Worker, word(string(a.Chain)), word(a.Step), a.Since.UTC().Format("2006-01-02T15:04:05.000Z"),
			max(0, r.now.Sub(a.Since).Milliseconds()), word(a.URL))
	}
	return nil
}
