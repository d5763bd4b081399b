package job

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"exclave/crawl"
	"exclave/frontier"
)

func (r *reporter) hosts(w io.Writer) error {
	if _, err := fmt.Fprintln(w, "[#urls] [#bytes] [host] [#robots] [#remaining] [#novel-urls] [#novel-bytes] [#dup-by-hash-urls] [#dup-by-hash-bytes] [#not-modified-urls] [#not-modified-bytes]"); err != nil {
		return err
	}
	return ranked(r.rows, r.view.EachHost,
		func(a, b frontier.HostRow) int { return byCount(a.Tally.URIs, b.Tally.URIs, a.Name, b.Name) },
		func(h frontier.HostRow) error {
			y := h.Tally
			_, err := fmt.Fprintln(w, y.URIs, y.Bytes, word(h.Name), y.Robots, h.Waiting, y.Novel, y.NovelBytes,
				y.Dup, y.DupBytes, y.Unmodified, y.UnmodifiedLen)
			return err
		})
}

// typesByCount are the MIME types, the most frequent first.
func (r *reporter) typesByCount() (names []string, by map[string]frontier.Tally) {
	by = r.state.Types()
	names = slices.SortedFunc(maps.Keys(by), func(a, b string) int { return byCount(by[a].URIs, by[b].URIs, a, b) })
	return names, by
}

func (r *reporter) types(w io.Writer) error {
	fmt.Fprintln(w, "[#urls] [#bytes] [mime-types]") // into a buffer, which keeps its error
	names, by := r.typesByCount()
	for _, t := range names {
		fmt.Fprintln(w, by[t].URIs, by[t].Bytes, word(t))
	}
	return nil
}

func (r *reporter) statmime(w io.Writer) error {
	fmt.Fprintln(w, "[mime-type] [#urls] [#bytes] [#stored-urls] [#stored-bytes]")
	names, by := r.typesByCount()
	for _, t := range names {
		y := by[t]
		fmt.Fprintln(w, word(t), y.URIs, y.Bytes, y.Stored, y.StoredBytes)
	}
	return nil
}

func (r *reporter) statuses(w io.Writer) error {
	fmt.Fprintln(w, "[#urls] [rescode]")
	by := r.state.Statuses()
	for _, s := range slices.SortedFunc(maps.Keys(by), func(a, b crawl.Status) int {
		return cmp.Or(cmp.Compare(by[b].URIs, by[a].URIs), cmp.Compare(a, b))
	}) {
		fmt.Fprintln(w, by[s].URIs, s)
	}
	return nil
}

func (r *reporter) sources(w io.Writer) error {
	fmt.Fprintln(w, "[source] [host] [#urls]")
	return r.view.EachSource(func(tag, host string, uris uint64) error {
		_, err := fmt.Fprintln(w, word(tag), word(host), uris)
		return err
	})
}

// seed is a row of the seeds-report.
type seed struct {
	status   crawl.Status // of its last visit, 0 = none yet
	url      string
	redirect string
}

// seedCount are the seeds that the frontier knows.
type seedCount struct{ crawled, uncrawled int64 }

// add counts a URI that may be a seed.
func (n *seedCount) add(u *frontier.Record) (is bool) {
	switch {
	case !u.Seed:
		return false
	case u.Finishes > 0 && u.Outcome.Status > 0:
		n.crawled++
	default:
		n.uncrawled++
	}
	return true
}

func (r *reporter) countSeeds() (seedCount, error) {
	if r.known == nil {
		var n seedCount
		if err := r.view.EachURI(func(u *frontier.Record) error { n.add(u); return nil }); err != nil {
			return n, err
		}
		r.known = &n
	}
	return *r.known, nil
}

func (r *reporter) seeds(w io.Writer) error {
	fmt.Fprintln(w, "[code] [status] [seed] [redirect]")
	each := func(fn func(seed) error) error {
		var n seedCount
		if err := r.view.EachURI(func(u *frontier.Record) error {
			if !n.add(u) {
				return nil
			}
			s := seed{url: u.URL}
			if u.Finishes > 0 {
				s.status = u.Outcome.Status
			}
			var err error
			if s.redirect, err = r.view.Redirect(u); err != nil {
				return err
			}
			return fn(s)
		}); err != nil {
			return err
		}
		r.known = &n
		return nil
	}
	return ranked(r.rows, each, func(a, b seed) int { return cmp.Or(cmp.Compare(a.status, b.status), cmp.Compare(a.url, b.url)) },
		func(s seed) error {
			what := "NOTCRAWLED"
			if s.status > 0 {
				what = "CRAWLED"
			}
			line := fmt.Sprint(s.status, " ", what, " ", word(s.url))
			if s.redirect != "" {
				line += " " + word(s.redirect)
			}
			_, err := fmt.Fprintln(w, line)
			return err
		})
}

func (r *reporter) processors(w io.Writer) error {
	fmt.Fprintln(w, "[chain] [step] [processor] [#uris] [#skipped] [#errors] [busy-ms]")
	for _, s := range r.job.chains.Stats() {
		fmt.Fprintln(w, s.Chain, word(s.Step), word(s.Kind), s.Runs, s.Skipped, s.Errors, s.Busy.Milliseconds())
	}
	return nil
}

func (r *reporter) threads(w io.Writer) error {
	workers := r.job.ctl.Activities()
	busy := 0
	for _, a := range workers {
		if a.URL != "" {
			busy++
		}
	}
	fmt.Fprintf(w, "job: %s\nToeThreads: %d (%d busy)\n\n[worker] [chain] [step] [since] [ms] [uri]\n", r.name, len(workers), busy)
	for _, a := range workers {
		fmt.Fprintf(w, "#%03d %s %s %s %d %s\n", a.Worker, word(string(a.Chain)), word(a.Step), stamp(a.Since.UnixMilli()),
			max(0, r.now.Sub(a.Since).Milliseconds()), word(a.URL))
	}
	return nil
}

func (r *reporter) frontierSummary(w io.Writer) error {
	var hosts, waiting, resting, gaveUp int64
	var longest frontier.HostRow
	if err := r.view.EachHost(func(h frontier.HostRow) error {
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
	s := r.state.Stats()
	fmt.Fprintf(w, "URIs discovered: %d\nURIs queued: %d\nURIs in process: %d\nURIs parked: %d\nURIs finished: %d\nattempts to be repeated: %d\n\n",
		s.Discovered, s.Queued, s.InProcess, s.Parked, s.Finished, s.Retried)
	fmt.Fprintf(w, "queues: %d\nqueues nonempty: %d\nqueues not to be asked yet: %d\nhosts that did not answer: %d\nlongest queue: %d %s\n",
		hosts, waiting, resting, gaveUp, longest.Waiting, word(longest.Name))
	return nil
}

func (r *reporter) frontierNonempty(w io.Writer) error {
	fmt.Fprintln(w, "[host] [#queued] [not-before] [gave-up] [#urls]")
	each := func(fn func(frontier.HostRow) error) error {
		return r.view.EachHost(func(h frontier.HostRow) error {
			if h.Waiting == 0 {
				return nil
			}
			return fn(h)
		})
	}
	return ranked(r.rows, each,
		func(a, b frontier.HostRow) int { return byCount(int64(a.Waiting), int64(b.Waiting), a.Name, b.Name) },
		func(h frontier.HostRow) error {
			wake := "-"
			if !h.Wake.IsZero() {
				wake = h.Wake.UTC().Format(time.RFC3339)
			}
			_, err := fmt.Fprintln(w, word(h.Name), h.Waiting, wake, h.GaveUp, h.Tally.URIs)
			return err
		})
}
