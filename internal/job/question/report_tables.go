package question

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"net/url"
	"slices"

	"exclave/crawl"
	"exclave/frontier"
)

func (r *reporter) hosts(w io.Writer) error {
	if _, err := fmt.Fprintln(w, "[#urls] [#bytes] [host] [#robots] [#remaining] [#novel-urls] [#novel-bytes] [#dup-by-hash-urls] [#dup-by-hash-bytes] [#not-modified-urls] [#not-modified-bytes]"); err != nil {
		return err
	}
	urls := func(h frontier.HostRow) int64 { n, _ := h.Tally.Successes(); return n }
	return ranked(r.rows, r.view.EachHost,
		func(a, b frontier.HostRow) int { return byCount(urls(a), urls(b), a.Name, b.Name) },
		func(h frontier.HostRow) error {
			y := h.Tally
			_, bytes := y.Successes()
			_, err := fmt.Fprintln(w, urls(h), bytes, escapedHost(h.Name), y.Robots, h.Waiting, y.Novel, y.NovelBytes,
				y.Dup, y.DupBytes, y.Unmodified, y.UnmodifiedLen, "") // Heritrix has a blank at the end
			return err
		})
}

// escapedHost is the name of a host as Heritrix writes it.
func escapedHost(name string) string {
	if name == frontier.DNSHost {
		return name
	}
	return url.QueryEscape(name)
}

// byFrequency are the keys of a table of tallies, the most frequent first.
func byFrequency[K cmp.Ordered](by map[K]frontier.Tally, count func(frontier.Tally) int64) []K {
	return slices.SortedFunc(maps.Keys(by), func(a, b K) int {
		return cmp.Or(cmp.Compare(count(by[b]), count(by[a])), cmp.Compare(a, b))
	})
}

func visits(y frontier.Tally) int64    { return y.URIs }
func successes(y frontier.Tally) int64 { n, _ := y.Successes(); return n }

func (r *reporter) types(w io.Writer) error {
	fmt.Fprintln(w, "[#urls] [#bytes] [mime-types]") // into a buffer, which keeps its error
	by := r.state.Types()
	for _, t := range byFrequency(by, successes) {
		if n, bytes := by[t].Successes(); n > 0 {
			fmt.Fprintln(w, n, bytes, word(t))
		}
	}
	return nil
}

// truncated lists what exclave retry --truncated would ask for again.
func (r *reporter) truncated(w io.Writer) error {
	fmt.Fprintln(w, "[status] [archived] [url]")
	return r.view.EachURI(func(u *frontier.Record) error {
		if u.State != frontier.Done || u.Claim.IsZero() || !u.Outcome.Truncated {
			return nil
		}
		archived := "-"
		if u.Outcome.Archived {
			archived = "archived"
		}
		_, err := fmt.Fprintln(w, int(u.Outcome.Status), archived, u.URL)
		return err
	})
}

func (r *reporter) statmime(w io.Writer) error {
	fmt.Fprintln(w, "[mime-type] [#urls] [#bytes] [#stored-urls] [#stored-bytes]")
	by := r.state.Types()
	for _, t := range byFrequency(by, visits) {
		y := by[t]
		fmt.Fprintln(w, word(t), y.URIs, y.Bytes, y.Stored, y.StoredBytes)
	}
	return nil
}

func (r *reporter) codes(w io.Writer) error {
	fmt.Fprintln(w, "[#urls] [rescode]")
	by := r.state.Statuses()
	for _, s := range byFrequency(by, successes) {
		if n, _ := by[s].Successes(); n > 0 {
			fmt.Fprintln(w, n, s)
		}
	}
	return nil
}

func (r *reporter) statuses(w io.Writer) error {
	fmt.Fprintln(w, "[status] [#urls] [#bytes]")
	by := r.state.Statuses()
	for _, s := range byFrequency(by, visits) {
		fmt.Fprintln(w, s, by[s].URIs, by[s].Bytes)
	}
	return nil
}

func (r *reporter) sources(w io.Writer) error {
	fmt.Fprintln(w, "[source] [host] [#urls]")
	type row struct {
		host string
		uris int64
	}
	tag, rows := "", []row(nil)
	flush := func() error {
		slices.SortFunc(rows, func(a, b row) int { return byCount(a.uris, b.uris, a.host, b.host) })
		for _, s := range rows {
			if _, err := fmt.Fprintln(w, word(tag), word(s.host), s.uris); err != nil {
				return err
			}
		}
		rows = rows[:0]
		return nil
	}
	err := r.view.EachSource(func(t, host string, uris uint64) error {
		if t != tag {
			if err := flush(); err != nil {
				return err
			}
			tag = t
		}
		rows = append(rows, row{host, int64(uris)})
		if len(rows) == r.rows { // the others of this source follow in an order of their own
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// seed is a row of the seeds-report.
type seed struct {
	status   crawl.Status // of its last visit, 0 = none yet
	url      string
	redirect string
}

// rank orders seeds by code as Heritrix does: those not attempted, failures by
// ascending absolute value, answers, the greatest first.
func (s seed) rank() int64 {
	if s.status <= 0 {
		return -int64(s.status)
	}
	return math.MaxInt32 - int64(s.status)
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
	return ranked(r.rows, each, func(a, b seed) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.url, b.url))
	},
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
