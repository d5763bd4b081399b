package heritrixlogs

import (
	"io"
	"strconv"
	"strings"
)

// Frontier is a frontier-summary-report.
type Frontier struct {
	Discovered, Queued, Finished, Succeeded, Failed, Disregarded int64
	Queues, Active, InProcess, Ready, Snoozed, Inactive          int64
	Retired, Exhausted                                           int64
	State                                                        string
	Shown                                                        []Queue // the longest first, then by state
}

// Queue is a paragraph of the frontier-summary-report or a line of the
// frontier-nonempty-report.
type Queue struct {
	Label, Name string // Label: LONGEST, READY, …
	Items       int64
}

const (
	queueLegend = "queue precedence currentSize totalEnqueues sessionBalance lastCost (averageCost) lastDequeueTime wakeTime totalSpend/totalBudget errorCount lastPeekUri lastQueuedUri"
	statsLegend = "totalScheduled fetchSuccesses fetchFailures fetchDisregards fetchResponses robotsDenials successBytes totalBytes fetchNonResponses lastSuccessTime"
)

// FrontierSummary reads a frontier-summary-report.
func FrontierSummary(in io.Reader) (f Frontier, err error) {
	t, err := open(in, "frontier-summary-report")
	if err != nil {
		return f, err
	}
	num := func(before string) int64 { return t.number(t.take(before + `(\d+)\n`)[1]) }
	t.take(`Frontier report - \d{12}\n Job being crawled: .*\n`)
	t.take(`\n -----===== STATS =====-----\n`)
	f.Discovered, f.Queued, f.Finished = num(` Discovered:    `), num(` Queued:        `), num(` Finished:      `)
	f.Succeeded, f.Failed, f.Disregarded = num(`  Successfully: `), num(`  Failed:       `), num(`  Disregarded:  `)
	t.take(`\n -----===== QUEUES =====-----\n`)
	num(` Already included size:     `)
	num(`               pending:     `)
	f.Queues = num(`\n All class queues map size: `)
	f.Active = num(`             Active queues: `)
	f.InProcess, f.Ready = num(`                    In-process: `), num(`                         Ready: `)
	f.Snoozed = num(`                       Snoozed: `)
	inactive := t.take(`           Inactive queues: (\d+) \(((?:p\d+: \d+(?:; )?)*)\)\n`)
	f.Inactive = t.number(inactive[1])
	by := int64(0)
	for part := range strings.SplitSeq(inactive[2], "; ") {
		if _, n, ok := strings.Cut(part, ": "); ok {
			by += t.number(n)
		}
	}
	t.must(by == f.Inactive, "inactive queues by precedence do not add up")
	f.Retired, f.Exhausted = num(`            Retired queues: `), num(`          Exhausted queues: `)
	f.State = t.take(`\n             Last state: (RUN|EMPTY|PAUSE|FINISH)\n`)[1]
	t.take(` -----===== MANAGER THREAD =====-----\n`)
	thread(t)
	longest, _ := strconv.Atoi(t.take(`\n -----===== (\d+) LONGEST QUEUES =====-----\n`)[1])
	f.queues(t, "LONGEST")
	t.must(len(f.Shown) == longest, "%d of %d longest queues", len(f.Shown), longest)
	for _, state := range []string{"IN-PROCESS", "READY", "SNOOZED", "INACTIVE", "RETIRED"} {
		t.take(`\n -----===== ` + state + ` QUEUES =====-----\n`)
		f.queues(t, state)
	}
	t.must(f.Finished == f.Succeeded+f.Failed+f.Disregarded, "finished URIs do not add up")
	t.must(f.Active == f.InProcess+f.Ready+f.Snoozed, "active queues do not add up")
	t.must(f.Queues == f.Active+f.Inactive+f.Retired+f.Exhausted, "queues do not add up")
	return f, t.end()
}

// queues reads the paragraphs of WorkQueue.reportTo under a heading.
func (f *Frontier) queues(t *text, label string) {
	for t.next(label+"#") || t.next(label+"-p") {
		t.take(label + `(?:-p\d+)?#\d+:\n`)
		q := Queue{Label: label, Name: t.take(`Queue (\S+) \(p\d+\)\n`)[1]}
		q.Items = t.number(t.take(`  (\d+) items(?:\n   wakes in: ` + duration + `)?\n`)[1])
		t.take(`    last enqueued: \S+\n      last peeked: \S+\n`)
		t.take(`   total expended: \d+ \(total budget: -?\d+\)\n   active balance: -?\d+\n   last\(avg\) cost: \d+\([\d.]+\)\n`)
		t.take(`   ` + statsLegend + `\n   (?:\d+ ){9}\S+\n`)
		t.take(`   \S+\n   \d+\n\n`)
		f.Shown = append(f.Shown, q)
	}
	if t.next("...and ") {
		t.take(`\.\.\.and \d+ more ` + label + `[-p\d]*\.\n`)
	}
}

// Nonempty reads a frontier-nonempty-report; "frontier empty" is one without queues.
func Nonempty(in io.Reader) (out []Queue, err error) {
	t, err := open(in, "frontier-nonempty-report")
	if err != nil {
		return nil, err
	}
	if t.next("frontier ") {
		t.take(`frontier (?:empty|unstarted)\n`)
		return nil, t.end()
	}
	for _, state := range []string{"IN-PROCESS", "READY", "SNOOZED", "INACTIVE", "RETIRED"} {
		t.take(`\n -----===== ` + state + ` QUEUES =====-----\n`)
		if !t.next("queue ") {
			continue
		}
		t.take(strings.NewReplacer("(", `\(`, ")", `\)`).Replace(queueLegend) + `\n`)
		for t.err == nil && t.rest != "" && !t.next("\n") {
			f := t.take(`(\S+) \d+ (\d+) \d+ -?\d+ \d+\([\d.]+\) (?:-|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (?:-|` + duration + `) \d+/-?\d+ \d+ \S+ \S+\n`)
			out = append(out, Queue{state, f[1], t.number(f[2])})
		}
	}
	return out, t.end()
}
