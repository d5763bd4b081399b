package sheet

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"exclave/internal/conf"
	"exclave/internal/urlx"
)

// Delays returns what of the delays would not hold in a job: what is longer than its longest wait, and a max_delay below the
// min_delay in force beside it, which is that of the sheets or, where none has one, least. (A min_delay above a max_delay is
// meant: it holds.)
func (s *Set) Delays(least, longest time.Duration) (ps conf.Problems) {
	for _, of := range s.all() {
		for key, d := range of.Frontier.delays() {
			if d != nil && *d > longest {
				ps = append(ps, of.problem(key, "%v is longer than the longest wait of [frontier], %v, which would hold in its place; raise max_retry_delay there", *d, longest))
			}
		}
	}
	said := map[*Sheet]bool{}
	for p := range s.prefixes() {
		for _, of := range p.own {
			low, most := least, of.Frontier.MaxDelay
			if d := p.settings.Frontier.MinDelay; d != nil {
				low = *d
			}
			if most != nil && *most < low && !said[of] {
				said[of] = true
				ps = append(ps, of.problem("frontier.max_delay", "%v is less than the min_delay in force below %s, %v, which holds; give the sheet a min_delay, too", *most, p.surt, low))
			}
		}
	}
	return ps
}

// delays are the waits that the table has, by their keys.
func (f *Frontier) delays() map[string]*time.Duration {
	return map[string]*time.Duration{"frontier.min_delay": f.MinDelay, "frontier.max_delay": f.MaxDelay, "frontier.max_crawl_delay": f.MaxCrawlDelay}
}

// Budgets returns the budgets of hosts, which a job counts whose queues are hosts: of another one they are refused.
func (s *Set) Budgets() (ps conf.Problems) {
	for _, of := range s.all() {
		for key, n := range of.Limits.budgets() {
			if *n != nil && **n > 0 {
				ps = append(ps, of.problem(key, `budgets of hosts need frontier.queue_key = "host"`))
			}
		}
	}
	return ps
}

// BudgetsOf returns the budgets of a host, a name or an address. It has one queue for all schemes, so the sheets count that
// apply to it by any of them; key by key the one with the longest prefix wins.
func (s *Set) BudgetsOf(host string) (l Limits) {
	own := l.budgets()
	for _, b := range s.budgetsOf(host, "http") {
		*own[b.key] = b.n
	}
	return l
}

// budget is one of a host, and the sheet and prefix that it is from.
type budget struct {
	key    string
	n      *int64
	of     *Sheet
	scheme string // of the prefix
	prefix *prefix
}

// budgetsOf returns the budgets of a host, a prefix that is of every scheme named by the one given.
func (s *Set) budgetsOf(host, scheme string) (out []budget) {
	if s.Len() == 0 {
		return nil
	}
	root, err := urlx.Parse("http://" + net.JoinHostPort(host, "80") + "/") // a host may be an IPv6 address
	if err != nil {
		return nil
	}
	_, surt, _ := strings.Cut(urlx.SURT(root), "://")
	count := func(scheme string, x *index) {
		for i := x.find(surt); i >= 0; i = x.prefixes[i].outer {
			p := &x.prefixes[i]
			for _, of := range slices.Backward(p.own) {
				for key, n := range of.Limits.budgets() {
					if *n != nil {
						out = longer(out, budget{key, *n, of, scheme, p})
					}
				}
			}
		}
	}
	count(scheme, s.indexOf(scheme)) // first: of two as long it stays
	for other, x := range s.indices() {
		count(other, x)
	}
	return out
}

// longer adds a budget to those of other keys, or puts it in the place of one whose prefix is shorter.
func longer(all []budget, b budget) []budget {
	i := slices.IndexFunc(all, func(of budget) bool { return of.key == b.key })
	switch {
	case i < 0:
		return append(all, b)
	case len(b.prefix.surt) > len(all[i].prefix.surt):
		all[i] = b
	}
	return all
}

// HasBudgets reports whether a sheet sets a budget, be it that there is none.
func (s *Set) HasBudgets() bool {
	return slices.ContainsFunc(s.all(), func(of *Sheet) bool { return of.Limits != Limits{} })
}

// budgets are where the table has its own, by their keys; nil = none.
func (l *Limits) budgets() map[string]**int64 {
	return map[string]**int64{"limits.host_documents": &l.HostDocuments, "limits.host_bytes": &l.HostBytes}
}

// locate notes where keys stand that can be wrong for a reason beyond the files: at is the sheet's path in doc.
func (s *Sheet) locate(doc *conf.Doc, at string) {
	note := func(key string) {
		if s.places == nil {
			s.places = map[string]conf.Problem{}
		}
		s.places[key] = doc.Locate(conf.Problems{{Key: at + "." + key}})[0]
	}
	if s.HTTP.SourceAddress != nil {
		note("http.source_address")
	}
	for key, d := range s.Frontier.delays() {
		if d != nil {
			note(key)
		}
	}
	for key, n := range s.Limits.budgets() {
		if *n != nil {
			note(key)
		}
	}
}

// problem returns what is wrong with a key that locate has noted.
func (s *Sheet) problem(key, format string, args ...any) conf.Problem {
	p := s.places[key]
	p.Msg = fmt.Sprintf(format, args...)
	return p
}
