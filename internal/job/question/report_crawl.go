package question

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"exclave/frontier"
	"exclave/internal/job/progress"
	"exclave/internal/printable"
)

func (r *reporter) crawl(w io.Writer) error {
	seeds, hosts := [2]string{"-", "-"}, "-" // when the state cannot be read any more
	if r.view != nil {
		s, err := r.countSeeds()
		if err != nil {
			return err
		}
		n, err := r.hostsVisited()
		if err != nil {
			return err
		}
		seeds, hosts = [2]string{fmt.Sprint(s.crawled), fmt.Sprint(s.uncrawled)}, fmt.Sprint(n)
	}
	y, end := r.state.Total(), EndsOf(r.state)
	_, total := y.Successes()
	line := func(name string, value any) { fmt.Fprintf(w, "%s: %v\n", name, value) }
	bytes := func(name string, n int64, tail string) { line(name, fmt.Sprintf("%d (%s)%s", n, displayed(n), tail)) }
	line("crawl name", r.name)
	line("crawl status", crawlStatus(r.run.Status))
	line("duration", conventional(r.run.Took))
	fmt.Fprintln(w)
	line("seeds crawled", seeds[0])
	line("seeds uncrawled", seeds[1])
	fmt.Fprintln(w)
	line("hosts visited", hosts)
	fmt.Fprintln(w)
	line("URIs processed", end.Successes+end.Failures+end.Disregards)
	line("URI successes", end.Successes)
	line("URI failures", end.Failures)
	line("URI disregards", end.Disregards)
	fmt.Fprintln(w)
	line("novel URIs", y.Novel)
	if y.Dup > 0 {
		line("duplicate-by-hash URIs", y.Dup)
	}
	if y.Unmodified > 0 {
		line("not-modified URIs", y.Unmodified)
	}
	fmt.Fprintln(w)
	bytes("total crawled bytes", total, " ") // the blanks are Heritrix's
	bytes("novel crawled bytes", y.NovelBytes, "")
	if y.Dup > 0 {
		bytes("duplicate-by-hash crawled bytes", y.DupBytes, " ")
	}
	if y.Unmodified > 0 {
		bytes("not-modified crawled bytes", y.UnmodifiedLen, " ")
	}
	fmt.Fprintln(w)
	line("URIs/sec", fmt.Sprintf("%.2f", progress.PerSecond(float64(end.Successes), r.run.Took)))
	line("KB/sec", int64(progress.PerSecond(float64(total)/1024, r.run.Took)))
	return nil
}

// jobTotals is what Heritrix has no names for.
func (r *reporter) jobTotals(w io.Writer) error {
	y, s := r.state.Total(), r.state.Stats()
	line := func(name string, value any) { fmt.Fprintf(w, "%s: %v\n", name, value) }
	bytes := func(name string, n int64) { line(name, fmt.Sprintf("%d (%s)", n, printable.Size(n))) }
	line("job", r.name)
	line("status", cmp.Or(r.run.Status, "-"))
	line("runs", r.run.Runs)
	line("duration", r.run.Took.Round(time.Millisecond))
	fmt.Fprintln(w)
	line("URIs discovered", s.Discovered)
	line("URIs queued", s.Queued)
	line("URIs in process", s.InProcess)
	line("URIs parked", s.Parked)
	line("URIs finished", s.Finished)
	line("URIs dropped", s.Dropped)
	line("links refused", s.Refused)
	line("attempts to be repeated", s.Retried)
	fmt.Fprintln(w)
	line("pages judged", s.Judged)
	line("pages valid", s.Valid)
	line("URIs archived", s.Archived)
	bytes("archived bytes", y.StoredBytes)
	bytes("received bytes", y.Bytes)
	if n := r.run.Near; n != nil && n.Same+n.Near > 0 {
		line("pages with the same text", n.Same)
		line("pages nearly the same", n.Near)
	}
	if r.view == nil {
		return nil
	}
	if err := r.queueTotals(line); err != nil {
		return err
	}
	if whole, err := r.state.Counted(); err != nil || whole {
		return err
	}
	line("note", "an older program began this crawl; the statistics hold what came after it")
	return nil
}

// Ends are visits by how they ended.
type Ends struct{ Successes, Failures, Disregards int64 }

// EndsOf counts the visits of a state by how they ended.
func EndsOf(f *frontier.Frontier) (e Ends) {
	for s, y := range f.Statuses() {
		switch {
		case s > 0:
			e.Successes += y.URIs
		case frontier.Disregarded(s):
			e.Disregards += y.URIs
		default:
			e.Failures += y.URIs
		}
	}
	return e
}

// hostsVisited counts the hosts of which a URI is done, reached or not.
func (r *reporter) hostsVisited() (n int64, err error) {
	err = r.view.EachHost(func(h frontier.HostRow) error {
		if h.Tally.URIs > 0 && h.Name != frontier.DNSHost {
			n++
		}
		return nil
	})
	return n, err
}
