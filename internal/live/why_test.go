package live

import (
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/chain"
	"exclave/frontier"
	"exclave/internal/job"
	"exclave/internal/job/progress"
)

// at makes n workers at a step.
func at(step string, n int) []chain.Activity {
	return slices.Repeat([]chain.Activity{{URL: "http://a.test/", Host: "a.test", Step: step, Since: noon.Add(-time.Second)}}, n)
}

// The sentence names what the crawl waits for (docs/howto/frontier.md).
func TestWhy(t *testing.T) {
	free := make([]chain.Activity, 6)
	for _, c := range []struct {
		want string
		set  func(s *job.Snapshot)
	}{
		{"politeness is: no host may be asked before its delay is over (1,412 hosts wait, 1 rests, next in 2 s), so 6 of 8 workers have nothing to do", func(s *job.Snapshot) {
			s.Workers = append(at("fetch/http", 2), free...)
			s.Queues = frontier.QueueStates{InProcess: 2, Waiting: 412, Inactive: 1000, Resting: 1, Next: 1500 * time.Millisecond}
		}},
		{"the servers are: 7 of 8 workers wait for their answers; 3 hosts ready, so more toe_threads would help", func(s *job.Snapshot) {
			s.Workers = append(at("fetch/http", 7), at("extract/html", 1)...)
		}},
		{"name servers are: 8 of 8 busy workers wait for them, 12 answers failed; is DNS down?", func(s *job.Snapshot) { s.Workers = at("fetch/dns", 8) }},
		{"this machine is: 6 of 8 busy workers are in extract/analyzer", func(s *job.Snapshot) {
			s.Workers = append(at("extract/analyzer", 6), at("fetch/http", 2)...)
		}},
		{"no single bottleneck: 2 of 8 workers are busy: 1 in extract/html, 1 in fetch/http", func(s *job.Snapshot) {
			s.Workers = slices.Concat(at("extract/html", 1), at("fetch/http", 1), free)
		}},
		{"3 hosts ready and all workers free: it is about to begin", func(s *job.Snapshot) { s.Workers = free }},
		{"commits are: 500 URIs are fetched, and their outcomes wait to be committed", func(s *job.Snapshot) {
			s.Workers, s.Counts.Committing = append(at(chain.StepCommits, 6), at("fetch/http", 2)...), 500
		}},
		{"commits are: 9 URIs are fetched, and their outcomes wait to be committed", func(s *job.Snapshot) {
			s.Workers, s.Counts.Committing = append(at("fetch/http", 2), free...), 9
			s.Queues = frontier.QueueStates{InProcess: 11, Waiting: 6}
		}},
		{"budgets are: 3,000 hosts are retired until [limits] allows more; of the others none may be asked before its delay is over (3 hosts wait, next in 2 s)", func(s *job.Snapshot) {
			s.Workers = append(at("fetch/http", 1), free...)
			s.Queues = frontier.QueueStates{InProcess: 1, Waiting: 3, Retired: 3000, Next: 1500 * time.Millisecond}
		}},
		{"commits are: 500 URIs are fetched, and their outcomes wait to be committed", func(s *job.Snapshot) {
			s.Workers, s.Counts.Committing, s.Now = at(chain.StepCommits, 8), 500, progress.Rate{}
		}},
		{"politeness is: no host may be asked before its delay is over (9 hosts wait, next in 2 s), so 6 of 6 workers have nothing to do", func(s *job.Snapshot) {
			s.Workers, s.Counts.Committing = free, 2
			s.Queues = frontier.QueueStates{InProcess: 2, Waiting: 9, Next: 1500 * time.Millisecond}
		}},
		{"paused until there is room: 5.0 TiB are free, less than min_free_disk", func(s *job.Snapshot) {
			s.State, s.DiskFull, s.Workers = chain.Paused, true, free
		}},
	} {
		s := crawling()
		c.set(&s)
		got, facts := Why(&s)
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		for _, fact := range []string{"rate: ", "hosts: ", "URIs: ", "workers: ", "errors: 3,456 4xx", "disk: "} {
			if !slices.ContainsFunc(facts, func(f string) bool { return strings.HasPrefix(f, fact) }) {
				t.Errorf("no fact %q in %q", fact, facts)
			}
		}
	}
}
