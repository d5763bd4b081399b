package question

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"exclave/chain"
	"exclave/frontier"
	"exclave/internal/job/view"
)

// Heritrix's limits of what a summary shows.
const (
	shownLongest = 20
	shownQueues  = 2000 // of each state
)

// queueLabels are Heritrix's names of the states of queues with URIs, in its order.
func queueLabels() []string { return []string{"IN-PROCESS", "READY", "SNOOZED", "INACTIVE", "RETIRED"} }

// labelOf is Heritrix's name of the state of a queue. A queue that waits for any reason is
// snoozed.
func labelOf(s frontier.QueueState) string {
	switch s {
	case frontier.QueueInProcess:
		return "IN-PROCESS"
	case frontier.QueueReady:
		return "READY"
	case frontier.QueueInactive:
		return "INACTIVE"
	case frontier.QueueRetired:
		return "RETIRED"
	}
	return "SNOOZED"
}

// longer orders queues: the longest first.
func longer(a, b frontier.QueueRow) int {
	return byCount(int64(a.Waiting), int64(b.Waiting), a.Name, b.Name)
}

func (r *reporter) eachQueue(fn func(frontier.QueueRow) error) error {
	return r.state.EachQueue(r.view, fn)
}

// summed are the queues of an instant, as the summary shows them.
type summed struct {
	all      int // hosts known
	nonempty int
	longest  firstRows[frontier.QueueRow]
	states   map[string]*firstRows[frontier.QueueRow]
	inactive map[uint8]int // by precedence
}

func (r *reporter) sumQueues() (s summed, err error) {
	s = summed{longest: firstRows[frontier.QueueRow]{rows: shownLongest, compare: longer}, states: map[string]*firstRows[frontier.QueueRow]{}, inactive: map[uint8]int{}}
	for _, label := range queueLabels() {
		s.states[label] = &firstRows[frontier.QueueRow]{rows: shownQueues, compare: func(a, b frontier.QueueRow) int {
			return cmp.Or(cmp.Compare(a.Precedence, b.Precedence), a.Until.Compare(b.Until), longer(a, b))
		}}
	}
	err = r.view.EachHost(func(h frontier.HostRow) error {
		if h.Name != frontier.DNSHost {
			s.all++
		}
		return nil
	})
	if err != nil {
		return s, err
	}
	return s, r.eachQueue(func(q frontier.QueueRow) error {
		label := labelOf(q.State)
		s.nonempty++
		s.longest.add(q)
		s.states[label].add(q)
		if label == "INACTIVE" {
			s.inactive[q.Precedence]++
		}
		return nil
	})
}

func (r *reporter) frontierSummary(w io.Writer) error {
	q, err := r.sumQueues()
	if err != nil {
		return err
	}
	stats, end := r.state.Stats(), EndsOf(r.state)
	count := func(label string) int { return q.states[label].total }
	head := func(title string) { fmt.Fprintf(w, "\n -----===== %s =====-----\n", title) }
	fmt.Fprintf(w, "Frontier report - %s\n Job being crawled: %s\n", stamp12(r.now), r.name)
	head("STATS")
	fmt.Fprintf(w, " Discovered:    %d\n Queued:        %d\n Finished:      %d\n  Successfully: %d\n  Failed:       %d\n  Disregarded:  %d\n",
		stats.Discovered, stats.Queued+stats.InProcess, end.Successes+end.Failures+end.Disregards, end.Successes, end.Failures, end.Disregards)
	head("QUEUES")
	fmt.Fprintf(w, " Already included size:     %d\n               pending:     0\n\n", stats.Discovered)
	fmt.Fprintf(w, " All class queues map size: %d\n             Active queues: %d\n", q.all, count("IN-PROCESS")+count("READY")+count("SNOOZED"))
	fmt.Fprintf(w, "                    In-process: %d\n                         Ready: %d\n                       Snoozed: %d\n",
		count("IN-PROCESS"), count("READY"), count("SNOOZED"))
	var by []string
	for _, p := range slices.Sorted(maps.Keys(q.inactive)) {
		by = append(by, fmt.Sprintf("p%d: %d", p, q.inactive[p]))
	}
	fmt.Fprintf(w, "           Inactive queues: %d (%s)\n            Retired queues: %d\n          Exhausted queues: %d\n",
		count("INACTIVE"), strings.Join(by, "; "), count("RETIRED"), q.all-q.nonempty)
	fmt.Fprintf(w, "\n             Last state: %s\n -----===== MANAGER THREAD =====-----\n%s", r.lastState(stats), noThread)
	longest := q.longest.sort()
	head(fmt.Sprintf("%d LONGEST QUEUES", len(longest)))
	for i, row := range longest {
		fmt.Fprintf(w, "LONGEST#%d:\n", i)
		r.queue(w, row)
	}
	for _, label := range queueLabels() {
		head(label + " QUEUES")
		rows := q.states[label].sort()
		for i, row := range rows {
			fmt.Fprintf(w, "%s#%d:\n", r.precededBy(label, row), i)
			r.queue(w, row)
		}
		if more := q.states[label].total - len(rows); more > 0 {
			fmt.Fprintf(w, "...and %d more %s.\n", more, label)
		}
	}
	return nil
}

// precededBy is the label of a queue: of those that are inactive with the precedence.
func (*reporter) precededBy(label string, q frontier.QueueRow) string {
	if label == "INACTIVE" {
		return fmt.Sprintf("%s-p%d", label, q.Precedence)
	}
	return label
}

// lastState is Heritrix's name of what the frontier is about.
func (r *reporter) lastState(s frontier.Stats) string {
	switch {
	case r.run.Status == view.Running && s.Queued+s.InProcess > 0:
		return "RUN"
	case strings.HasPrefix(r.run.Status, string(chain.Paused)):
		return "PAUSE"
	case s.Queued+s.InProcess == 0:
		return "EMPTY"
	}
	return "FINISH"
}

// wakes is how long until a queue wakes, "" when it is ready.
func (r *reporter) wakes(q frontier.QueueRow) string {
	if d := q.Until.Sub(r.now); !q.Until.IsZero() && d > 0 {
		return conventional(max(d, time.Millisecond))
	}
	return ""
}

// expended is what a queue has cost, at one per URI, and how many of its visits failed.
func expended(q frontier.QueueRow) (spent, failures int64) {
	n, _ := q.Tally.Successes()
	return q.Tally.URIs, q.Tally.URIs - n - q.Tally.Robots
}

// queue writes the paragraph of a queue.
func (r *reporter) queue(w io.Writer, q frontier.QueueRow) {
	spent, failures := expended(q)
	urls, bytes := q.Tally.Successes()
	fmt.Fprintf(w, "Queue %s (p%d)\n  %d items", word(q.Name), q.Precedence, q.Waiting)
	if d := r.wakes(q); d != "" {
		fmt.Fprintf(w, "\n   wakes in: %s", d)
	}
	fmt.Fprintf(w, "\n    last enqueued: -\n      last peeked: -\n   total expended: %d (total budget: -1)\n", spent)
	fmt.Fprintf(w, "   active balance: %d\n   last(avg) cost: 1(1)\n", r.balance-int64(q.Spent))
	fmt.Fprintln(w, "   totalScheduled fetchSuccesses fetchFailures fetchDisregards fetchResponses robotsDenials successBytes totalBytes fetchNonResponses lastSuccessTime")
	fmt.Fprintf(w, "   %d %d %d %d %d %d %d %d %d -\n", spent+int64(q.Waiting), urls, failures, q.Tally.Robots, urls, q.Tally.Robots, bytes, q.Tally.Bytes, failures)
	fmt.Fprintf(w, "   SimplePrecedenceProvider\n   %d\n\n", q.Precedence)
}

func (r *reporter) frontierNonempty(w io.Writer) error {
	if s := r.state.Stats(); s.Queued+s.InProcess == 0 {
		fmt.Fprintln(w, "frontier empty")
		return nil
	}
	for _, label := range queueLabels() {
		fmt.Fprintf(w, "\n -----===== %s QUEUES =====-----\n", label)
		legend := "queue precedence currentSize totalEnqueues sessionBalance lastCost (averageCost) lastDequeueTime wakeTime totalSpend/totalBudget errorCount lastPeekUri lastQueuedUri\n"
		each := func(fn func(frontier.QueueRow) error) error {
			return r.eachQueue(func(q frontier.QueueRow) error {
				if labelOf(q.State) != label {
					return nil
				}
				return fn(q)
			})
		}
		if err := ranked(r.rows, each, longer, func(q frontier.QueueRow) error {
			spent, failures := expended(q)
			_, err := fmt.Fprintf(w, "%s%s %d %d %d %d 1(1) - %s %d/-1 %d - -\n", legend, word(q.Name), q.Precedence, q.Waiting, spent+int64(q.Waiting),
				r.balance-int64(q.Spent), cmp.Or(r.wakes(q), "-"), spent, failures)
			legend = ""
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

func (r *reporter) queues(w io.Writer) error {
	fmt.Fprintln(w, "[host] [#queued] [not-before] [gave-up] [#urls] [state]")
	return ranked(r.rows, r.eachQueue, longer, func(q frontier.QueueRow) error {
		wake := "-"
		if !q.Wake.IsZero() {
			wake = q.Wake.UTC().Format(time.RFC3339)
		}
		_, err := fmt.Fprintln(w, word(q.Name), q.Waiting, wake, q.GaveUp, q.Tally.URIs, word(string(q.State)))
		return err
	})
}

// queueTotals are the lines of the job-report on queues.
func (r *reporter) queueTotals(line func(name string, value any)) error {
	var hosts, waiting, resting, gaveUp int64
	var longest frontier.HostRow
	if err := r.view.EachHost(func(h frontier.HostRow) error {
		if h.Name == frontier.DNSHost {
			return nil
		}
		hosts++
		if h.GaveUp {
			gaveUp++
		}
		if h.Waiting == 0 {
			return nil
		}
		waiting++
		if h.Wake.After(r.now) {
			resting++
		}
		if byCount(int64(h.Waiting), int64(longest.Waiting), h.Name, longest.Name) < 0 {
			longest = h
		}
		return nil
	}); err != nil {
		return err
	}
	line("\nqueues", hosts)
	line("queues nonempty", waiting)
	line("queues not to be asked yet", resting)
	line("hosts that did not answer", gaveUp)
	line("longest queue", fmt.Sprintf("%d %s", longest.Waiting, word(longest.Name)))
	return nil
}
