package live

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"exclave/chain"
	"exclave/internal/job"
	"exclave/internal/printable"
)

// Why says in a sentence what keeps a running crawl from being faster, and the facts
// behind it.
func Why(s *job.Snapshot) (sentence string, facts []string) {
	sentence = idle(s)
	if sentence == "" {
		sentence = bottleneck(s)
	}
	q := s.Queues
	if q.Round > 0 {
		facts = append(facts, fmt.Sprintf("round: %d", q.Round))
	}
	facts = append(facts,
		"rate: now "+rateOf(s.Now)+", average "+rateOf(s.Average),
		fmt.Sprintf("hosts: %s in process, %s ready, %s waiting for politeness, %s resting after failures%s, %s inactive (on disk), %s retired (a budget is spent)",
			Number(int64(q.InProcess)), Number(int64(q.Ready)), Number(int64(q.Waiting)), Number(int64(q.Resting)), orHours(s), Number(int64(q.Inactive)), Number(int64(q.Retired))),
		fmt.Sprintf("URIs: %s discovered = %s queued + %s in process + %s finished + %s parked + %s dropped",
			Number(s.Frontier.Discovered), Number(s.Frontier.Queued), Number(s.Frontier.InProcess), Number(s.Frontier.Finished), Number(s.Frontier.Parked), Number(s.Frontier.Dropped)))
	busy := working(s)
	facts = append(facts, fmt.Sprintf("workers: %d of %d busy%s", len(busy), len(s.Workers), steps(busy)))
	if n := s.Counts.Committing; n > 0 {
		facts = append(facts, fmt.Sprintf("commits: the outcomes of %s wait for the disk; they and their hosts are in process until then", counted(n, "URI")))
	}
	if len(busy) > 0 {
		facts = append(facts, fmt.Sprintf("longest at one step: %s for %s, %s", busy[0].Step, short(s.Time.Sub(busy[0].Since)), busy[0].URL))
	}
	for _, class := range slices.SortedFunc(maps.Keys(s.Counts.Errors), func(a, b string) int { return int(s.Counts.Errors[b] - s.Counts.Errors[a]) }) {
		if n := s.Counts.Errors[class]; n > 0 {
			facts = append(facts, fmt.Sprintf("errors: %s %s", Number(n), class))
		}
	}
	if s.FreeDisk >= 0 {
		facts = append(facts, "disk: "+printable.Size(s.FreeDisk)+" free")
	}
	return sentence, facts
}

// orHours is what hosts rest for, too.
func orHours(s *job.Snapshot) string {
	if len(s.Closed) == 0 {
		return ""
	}
	return " or outside the hours of sheets"
}

// bottleneck says what a crawl at work is held up by.
func bottleneck(s *job.Snapshot) string {
	busy, q := working(s), s.Queues
	top, n := busiest(busy)
	switch {
	case top == chain.StepCommits && 2*n > len(busy), q.Ready == 0 && s.Counts.Committing > len(busy)+q.Waiting:
		return fmt.Sprintf("commits are: %s %s fetched, and their outcomes wait to be committed",
			counted(s.Counts.Committing, "URI"), isAre(s.Counts.Committing))
	case len(busy) == 0 && q.Ready > 0:
		return fmt.Sprintf("%s ready and all workers free: it is about to begin", counted(q.Ready, "host"))
	case top == "fetch/dns" && 2*n > len(busy):
		text := fmt.Sprintf("name servers are: %d of %d busy workers wait for them", n, len(busy))
		if e := s.Counts.Errors["dns"]; e > 0 {
			text += fmt.Sprintf(", %s answers failed; is DNS down?", Number(e))
		}
		return text
	case len(busy) < len(s.Workers) && q.Ready == 0 && q.Retired > q.Waiting+q.Inactive+q.Resting:
		return fmt.Sprintf("budgets are: %s %s retired until [limits] allows more; of the others none may be asked before its delay is over (%s)",
			counted(q.Retired, "host"), isAre(q.Retired), waitingHosts(s))
	case len(busy) < len(s.Workers) && q.Ready == 0:
		return fmt.Sprintf("politeness is: no host may be asked before its delay is over (%s), so %d of %d workers have nothing to do",
			waitingHosts(s), len(s.Workers)-len(busy), len(s.Workers))
	case strings.HasPrefix(top, string(chain.Fetch)+"/") && 2*n > len(busy):
		text := fmt.Sprintf("the servers are: %d of %d workers wait for their answers", n, len(s.Workers))
		if q.Ready > 0 && len(busy) == len(s.Workers) {
			text += fmt.Sprintf("; %s ready, so more toe_threads would help", counted(q.Ready, "host"))
		}
		return text
	case 2*n > len(busy):
		return fmt.Sprintf("this machine is: %d of %d busy workers are in %s", n, len(busy), top)
	}
	return fmt.Sprintf("no single bottleneck: %d of %d workers are busy%s", len(busy), len(s.Workers), steps(busy))
}

func waitingHosts(s *job.Snapshot) string {
	q := s.Queues
	text := counted(q.Waiting+q.Inactive, "host") + " " + plural(q.Waiting+q.Inactive, "waits", "wait")
	if q.Resting > 0 {
		text += fmt.Sprintf(", %d %s", q.Resting, plural(q.Resting, "rests", "rest"))
	}
	if q.Next > 0 {
		text += ", next in " + soon(q.Next)
	}
	return text
}

// busiest returns the step at which most workers are, and how many.
func busiest(busy []chain.Activity) (step string, n int) {
	for name, k := range atSteps(busy) {
		if k > n || k == n && name < step {
			step, n = name, k
		}
	}
	return step, n
}

func atSteps(busy []chain.Activity) map[string]int {
	at := map[string]int{}
	for _, a := range busy {
		at[a.Step]++
	}
	return at
}

// steps lists the steps at which workers are, the busiest first.
func steps(busy []chain.Activity) string {
	at := atSteps(busy)
	var parts []string
	for _, name := range slices.SortedFunc(maps.Keys(at), func(a, b string) int {
		if d := at[b] - at[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	}) {
		parts = append(parts, fmt.Sprintf("%d in %s", at[name], name))
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}
