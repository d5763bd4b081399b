package live

import (
	"fmt"
	"slices"
	"strings"

	"exclave/chain"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/job"
	"exclave/internal/printable"
)

// style is how a row looks.
type style int

const (
	plain style = iota
	bold
	reversed // in the terminal's colours, exchanged
)

// row is a line of the screen: harmless text that fits it.
type row struct {
	text  string
	style style
}

// model is everything a frame shows.
type model struct {
	snap    job.Snapshot
	known   bool   // snap is one
	trouble string // why there is no newer snapshot
	remote  bool   // the crawl is another process
	kill    bool   // there is a key to end the process
	asking  key    // waits to be pressed again, to stop; 0 = none does
	help    bool
	scroll  int // the first worker shown
	log     []string
	logged  int // lines in all
	shown   int // rows of the table in the last frame
}

// rows lays a frame out; there are exactly height rows.
func (m *model) rows(width, height int) []row {
	out := []row{{cell(m.title(), width), reversed}}
	add := func(st style, s string) { out = append(out, row{cut(s, width), st}) }
	numbers := m.numbers(width)
	short := len(numbers) > max(5, height/2)
	if short {
		numbers = m.few()
	}
	for _, line := range numbers {
		add(plain, line)
	}
	if why := m.why(); why != "" || !short {
		add(bold, why)
	}
	var pane []row
	if len(m.log) > 0 && height >= 16 {
		pane = append(pane, row{cut(fmt.Sprintf("log: %s, printed when the view ends", counted(m.logged, "line")), width), bold})
		for _, line := range m.log[max(0, len(m.log)-height/6):] {
			pane = append(pane, row{cut(line, width), plain})
		}
	}
	room := height - len(out) - len(pane) - 1
	if m.help {
		for _, line := range m.helpText() {
			add(plain, line)
		}
	} else if m.known && room > 0 {
		out = append(out, m.table(width, room)...)
	}
	out = out[:min(len(out), max(1, height-1-len(pane)))]
	for len(out) < height-1-len(pane) {
		out = append(out, row{})
	}
	out = append(append(out, pane...), row{cell(m.keys(), width), reversed})
	return out[:max(0, min(height, len(out)))]
}

func (m *model) title() string {
	s := " exclave"
	if m.remote {
		s += " watch"
	}
	if m.known {
		s += "  " + m.snap.Job + "  " + string(m.snap.State) + "  " + hours(m.snap.Elapsed)
	}
	return s
}

// why is the line on what keeps the crawl from being faster.
func (m *model) why() string {
	if m.trouble != "" {
		return "the crawl does not answer: " + m.trouble
	}
	if !m.known {
		return ""
	}
	return idle(&m.snap)
}

// numbers are the rows of figures.
func (m *model) numbers(width int) []string {
	if !m.known {
		return []string{"", "waiting for the first numbers"}
	}
	s := &m.snap
	f, q := s.Frontier, s.Queues
	disk := "disk free not known"
	if s.FreeDisk >= 0 {
		disk = "disk free " + printable.Size(s.FreeDisk)
	}
	var lines []string
	add := func(label string, fields ...string) { lines = append(lines, flow(label, fields, width)...) }
	add("rate", "now "+rateOf(s.Now), "average "+rateOf(s.Average))
	add("URIs", n("discovered", f.Discovered), n("queued", f.Queued), n("in process", f.InProcess), n("parked", f.Parked))
	add("finished", Number(f.Finished), n("archived", f.Archived), n("failed", f.Failed), n("disregarded", f.Disregarded))
	add("pages", n("judged", f.Judged), valid(f), "received "+printable.Size(s.Counts.Bytes))
	add("hosts", n("ready", int64(q.Ready)), n("waiting", int64(q.Waiting)), n("resting", int64(q.Resting)), n("in process", int64(q.InProcess)), n("inactive", int64(q.Inactive)))
	add("errors", failures(s.Counts.Errors)...)
	workers := fmt.Sprintf("workers %d of %d busy", len(working(s)), len(s.Workers))
	if k := s.Counts.Committing; k > 0 {
		workers += ", " + n("committing", int64(k))
	}
	add("machine", disk, "memory "+printable.Size(s.Memory), workers)
	return lines
}

// few are the rows of figures for a screen that has no room for all.
func (m *model) few() []string {
	s := &m.snap
	f, q := s.Frontier, s.Queues
	var errs int64
	for _, n := range s.Counts.Errors {
		errs += n
	}
	const gap = "  "
	return []string{
		"now " + rateOf(s.Now),
		n("queued", f.Queued) + gap + n("in process", f.InProcess),
		n("archived", f.Archived) + gap + valid(f),
		n("hosts ready", int64(q.Ready)) + gap + n("waiting", int64(q.Waiting)) + gap + n("resting", int64(q.Resting)),
		n("errors", errs) + gap + "received " + printable.Size(s.Counts.Bytes),
	}
}

// n is a figure with its name.
func n(label string, v int64) string { return label + " " + Number(v) }

// valid is the number and share of what was judged.
func valid(f frontier.Stats) string {
	if f.Judged == 0 {
		return n("valid", f.Valid)
	}
	return fmt.Sprintf("%s (%.1f %%)", n("valid", f.Valid), 100*float64(f.Valid)/float64(f.Judged))
}

// failures are the classes of errors that there were.
func failures(counts map[string]int64) []string {
	var out []string
	for _, class := range crawl.ErrorClasses() {
		if counts[class] > 0 {
			out = append(out, class+" "+Number(counts[class]))
		}
	}
	if out == nil {
		return []string{"none"}
	}
	return out
}

// flow sets fields beside each other behind a label, on as many lines as it takes.
func flow(label string, fields []string, width int) []string {
	const indent, gap = 10, "   "
	line := cell(label, indent)
	var lines []string
	for i, f := range fields {
		switch {
		case i == 0:
		case widthOf(line)+len(gap)+widthOf(f) > width:
			lines = append(lines, line)
			line = strings.Repeat(" ", indent)
		default:
			line += gap
		}
		line += f
	}
	return append(lines, line)
}

// table lists the workers: those at work, longest at their step first, then those
// that wait for a URI.
func (m *model) table(width, height int) []row {
	workers := working(&m.snap)
	for _, a := range m.snap.Workers {
		if a.URL == "" {
			workers = append(workers, a)
		}
	}
	m.shown = height - 1
	m.scroll = max(0, min(m.scroll, len(workers)-m.shown))
	last := min(len(workers), m.scroll+m.shown)

	host, step := min(30, max(10, width*28/100)), min(24, max(10, width*3/10))
	head := fmt.Sprintf("%6s %8s  %s %s", "worker", "since", cell("host", host), cell("processor", step))
	path := width - widthOf(head) - 1
	if path >= 15 {
		head += " path"
	}
	if len(workers) > m.shown {
		head = strings.TrimRight(head, " ")
		place := fmt.Sprintf(" %d-%d/%d", m.scroll+1, last, len(workers))
		head = cell(head, max(0, width-len(place))) + place
	}
	out := []row{{cut(head, width), bold}}
	for _, a := range workers[m.scroll:last] {
		where, what := a.Host, a.Step
		if !strings.HasPrefix(what, string(a.Chain)+"/") {
			what = string(a.Chain) + "/" + what
		}
		if a.URL == "" {
			where, what = "-", "waits for a URI"
		}
		line := fmt.Sprintf("%6d %8s  %s %s", a.Worker, short(m.snap.Time.Sub(a.Since)), cell(where, host), cell(what, step))
		if path >= 15 {
			line += " " + cut(pathOf(a), path)
		}
		out = append(out, row{cut(strings.TrimRight(line, " "), width), plain})
	}
	return out
}

// pathOf is what the host does not say of a URL.
func pathOf(a chain.Activity) string {
	_, rest, ok := strings.Cut(a.URL, "://"+a.Host)
	if !ok {
		return a.URL
	}
	return rest
}

// keys is the last row.
func (m *model) keys() string {
	again := "q"
	if m.remote {
		again = "S"
	}
	switch m.asking {
	case 0:
	case 'Q':
		return " stop at once? press Q again; any other key: no"
	default:
		return " stop the crawl in order? press " + again + " again; any other key: no"
	}
	var keys []string
	switch m.snap.State {
	case chain.Paused:
		keys = append(keys, "r resume")
	case chain.Running:
		keys = append(keys, "p pause")
	}
	if m.remote {
		keys = append(keys, "q leave", "S stop the crawl")
	} else {
		keys = append(keys, "q stop")
	}
	keys = append(keys, "? help", "j/k scroll")
	if m.kill {
		keys = append(keys, "Q stop at once")
	}
	return " " + strings.Join(keys, "   ")
}

func (m *model) helpText() []string {
	lines := []string{"",
		"p              pause: URIs in process are finished, none is begun",
		"r              resume",
	}
	if m.remote {
		lines = append(lines,
			"q, Ctrl-C      leave the view; the crawl continues",
			"S S            stop the crawl in order; exclave crawl continues it later")
	} else {
		lines = append(lines,
			"q q            stop in order (also s s, Ctrl-C); exclave crawl continues later",
			"Q Q            stop at once (also Ctrl-C twice); nothing acknowledged is lost")
	}
	lines = append(lines,
		"j k, arrows    scroll the workers; page up, page down, home, end",
		"Ctrl-L         redraw the screen",
		"Ctrl-Z         suspend this program",
		"",
		"Rates: answers of web servers, now = over the last 10 s. Errors and bytes",
		"received: of this run. URIs and pages: of the job. Any key leaves this help.")
	return slices.Clip(lines)
}
