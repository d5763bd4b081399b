package main

import (
	"strings"
	"testing"

	"exclave/chain"
	"exclave/frontier"
	"exclave/internal/job"
	"exclave/internal/job/seeds"
)

// What a run leaves is told with what to do about it: "nothing to crawl" was said with 372
// URIs queued.
func TestSayCrawled(t *testing.T) {
	left := func(queued int64, reason chain.Reason, q frontier.QueueStates) *job.Result {
		return &job.Result{Reason: reason, Queues: q, Stats: frontier.Stats{Discovered: queued + 1, Queued: queued},
			Seeds: []seeds.Report{{File: "seeds.txt"}}}
	}
	none := left(0, chain.Finished, frontier.QueueStates{})
	none.Stats.Discovered = 0
	none.Seeds[0].Rejected = map[string]int64{"own-domain": 2}
	empty := left(0, chain.Finished, frontier.QueueStates{})
	empty.Stats.Discovered = 0
	traps := left(0, chain.Finished, frontier.QueueStates{})
	traps.Seeds[0].Traps = map[string]int64{"TooManyHopsDecideRule": 1200, "too-many-hops": 3}
	for _, c := range []struct {
		why  string
		run  *job.Result
		says string
	}{
		{"there are no seeds", empty, "seeds.txt has no URL: there is nothing to crawl; add some, "},
		{"no seed may be crawled", none, "nothing to crawl; add URLs to it"},
		{"a run that was stopped is not over: its last line says what is queued", left(372, chain.Stopped, frontier.QueueStates{Ready: 1}), ""},
		{"budgets keep the rest", left(372, chain.Finished, frontier.QueueStates{Retired: 3}), "372 URIs are left in 3 queues whose budgets are spent"},
		{"one budget keeps one URI", left(1, chain.Finished, frontier.QueueStates{Retired: 1}), "1 URI is left in 1 queue whose budget is spent"},
		{"a log had traps", traps, "seeds seeds.txt: 1,203 lines left out: refused as traps (TooManyHopsDecideRule 1,200, too-many-hops 3); seed_traps of [job] takes them\n"},
		{"the rounds are over", left(372, chain.Finished, frontier.QueueStates{Ready: 1, Round: 2}), "372 URIs are left: the last of the rounds"},
	} {
		var out strings.Builder
		sayCrawled(&out, c.run)
		lines := strings.SplitAfterN(out.String(), "\n", 2)
		if c.run != none && c.run != empty && (!strings.Contains(lines[0], "no seed was taken") || strings.Contains(out.String(), "nothing to crawl")) {
			t.Errorf("%s: of seeds it says %q", c.why, lines[0])
		}
		if !strings.Contains(out.String(), c.says) || c.says == "" && lines[1] != "" {
			t.Errorf("%s: says %q, want %q", c.why, out.String(), c.says)
		}
	}
}
