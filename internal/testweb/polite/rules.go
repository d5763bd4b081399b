package polite

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"exclave/internal/testweb"
)

// Rules are what a log is judged by. Those that a crawler is set to have the names they
// have in [frontier] of job.toml; a limit of 0 is none.
type Rules struct {
	DelayFactor                               float64
	MinDelay, MaxDelay, MaxCrawlDelay         time.Duration
	RetryDelay, MaxRetryDelay, MaxRetryAfter  time.Duration
	RefusedBurst, HostsPerAddress, PauseAfter int
	// Connections is how many requests to a host may be under way at a time. With more
	// than one (0 means 1) that is what is held against a host, not its delays: from
	// which answers on the crawler knew to wait, the log does not show.
	Connections         int
	AddressDelay, Pause time.Duration

	// CrawlDelay is what the robots.txt of hosts asks for.
	CrawlDelay map[string]time.Duration
	// Kills are when the crawler was killed, in order.
	Kills []Kill
	// Late is how long an answer may be on its way to the crawler's disk.
	Late time.Duration
	// Jitter is how much earlier than the log says a request may have been sent: the
	// distance of two requests on different connections is known no better.
	Jitter time.Duration
}

// Kill says when a crawler was killed: not before From, and at Until no request of it was
// on its way any more.
type Kill struct{ From, Until time.Time }

// Break is a rule that was broken.
type Break struct {
	Rule string // a name of Rules, or "connections"
	What string
}

// The rules by name.
const (
	Connections = "connections of a host"
	Delay       = "delay of a host"
	Hosts       = "hosts of an address"
	Gap         = "gap of an address"
	Pauses      = "general pause"
)

// Report is what came of a check.
type Report struct {
	Breaks                     []Break
	Requests, Hosts, Addresses int
	Pauses                     int // of addresses
	// Tightest is the gap of a host that was nearest to what was demanded of it.
	Tightest, Demanded time.Duration
	AddressGap         time.Duration // the shortest between two requests to an address
	MostHosts          int           // of an address at a time
	MostConnections    int           // of a host at a time
	MostRequests       int           // to a host between two pauses
	Excused            int           // requests after which a kill made less be demanded
}

func (r *Report) broken(rule, format string, a ...any) {
	r.Breaks = append(r.Breaks, Break{rule, fmt.Sprintf(format, a...)})
}

// Check returns the rules that the requests in the log break.
func (r *Rules) Check(log []testweb.Hit) *Report {
	rep := &Report{Requests: len(log), AddressGap: -1}
	hosts, addrs := map[string][]testweb.Hit{}, map[netip.Addr][]testweb.Hit{}
	for _, h := range log {
		hosts[h.Host] = append(hosts[h.Host], h)
		addrs[h.Addr] = append(addrs[h.Addr], h)
	}
	rep.Hosts, rep.Addresses = len(hosts), len(addrs)
	for _, hits := range hosts {
		byStart(hits)
		r.atOnce(rep, hits)
		if r.Connections <= 1 {
			r.host(rep, hits)
		}
	}
	for addr, hits := range addrs {
		byStart(hits)
		r.hostsAtOnce(rep, addr, hits)
		r.gap(rep, addr, hits)
		r.pauses(rep, addr, hits)
	}
	slices.SortFunc(rep.Breaks, func(a, b Break) int {
		return cmp.Or(strings.Compare(a.Rule, b.Rule), strings.Compare(a.What, b.What))
	})
	return rep
}

func byStart(hits []testweb.Hit) {
	slices.SortStableFunc(hits, func(a, b testweb.Hit) int { return a.Start.Compare(b.Start) })
}

// unsure reports whether the crawler may have been killed before it noted a request of
// a host; next is the one after it, nil for none.
func (r *Rules) unsure(h testweb.Hit, next *testweb.Hit) bool {
	for _, k := range r.Kills {
		if h.Start.After(k.Until) || !h.End.IsZero() && h.End.Before(k.From.Add(-r.Late)) {
			continue
		}
		if r.Connections > 1 || next == nil || next.Start.After(k.Until) {
			return true
		}
	}
	return false
}

// silent reports whether no answer came.
func silent(h testweb.Hit) bool { return h.Status == 0 }

// failed reports whether a host wants to be left alone for a while.
func failed(h testweb.Hit) bool { return silent(h) || h.Status == 429 || h.Status == 503 }

// memory is what a crawler must know of a host to obey.
type memory struct {
	crawlDelay time.Duration
	backoff    int // failures that count, at least
	refused    int // answers 403 in a row, at least
}

// rest returns how long the host must be left in peace after a request, and learns
// from it. Of one that was perhaps not noted nothing is learnt that would ask for more.
func (r *Rules) rest(m *memory, h testweb.Hit, unsure bool) time.Duration {
	base := time.Duration(r.DelayFactor * float64(h.End.Sub(h.Start)))
	base = min(max(base, r.MinDelay), r.MaxDelay)
	if h.Status == 200 && strings.HasSuffix(h.URL, "/robots.txt") && !unsure {
		m.crawlDelay = min(r.CrawlDelay[h.Host], r.MaxCrawlDelay)
	}
	base = max(base, m.crawlDelay)
	burst := h.Status == 403 && r.RefusedBurst > 0 && m.refused+1 >= r.RefusedBurst
	switch {
	case unsure && (failed(h) || h.Status == 403):
		return base
	case failed(h), burst:
		rest := r.RetryDelay
		for range m.backoff {
			rest = min(2*rest, r.MaxRetryDelay)
		}
		m.backoff++
		if burst {
			m.refused++
		}
		if s, err := strconv.Atoi(h.RetryAfter); err == nil {
			rest = min(time.Duration(s)*time.Second, r.MaxRetryAfter)
		}
		return max(base, rest)
	case h.Status == 403:
		m.refused++
	default:
		m.backoff, m.refused = m.backoff/2, 0
	}
	return base
}

// atOnce checks how many requests to a host are under way at the same time.
func (r *Rules) atOnce(rep *Report, hits []testweb.Hit) {
	var active []testweb.Hit
	for _, h := range hits {
		active = slices.DeleteFunc(active, func(o testweb.Hit) bool { return !o.End.IsZero() && !o.End.After(h.Start) })
		active = append(active, h)
		rep.MostConnections = max(rep.MostConnections, len(active))
		if most := max(r.Connections, 1); len(active) > most {
			rep.broken(Connections, "%s is the request number %d under way to its host; %d may be", h.URL, len(active), most)
		}
	}
}

// host checks the delay between requests.
func (r *Rules) host(rep *Report, hits []testweb.Hit) {
	var m memory
	var end, until time.Time
	for i, h := range hits {
		if i > 0 {
			gap, want := h.Start.Sub(end), until.Sub(end)
			switch {
			case gap < 0: // atOnce tells
			case gap < want:
				rep.broken(Delay, "%s is asked for %v after the last answer of its host, which was %d; %v are due", h.URL, gap, hits[i-1].Status, want)
			}
			if rep.Demanded == 0 || gap-want < rep.Tightest-rep.Demanded {
				rep.Tightest, rep.Demanded = gap, want
			}
		}
		if h.End.IsZero() {
			rep.broken(Connections, "%s is being answered still", h.URL)
			continue
		}
		var next *testweb.Hit
		if i+1 < len(hits) {
			next = &hits[i+1]
		}
		unsure := r.unsure(h, next)
		if unsure {
			rep.Excused++
		}
		rest := r.rest(&m, h, unsure)
		if h.End.After(end) {
			end = h.End
		}
		if u := h.End.Add(rest); u.After(until) {
			until = u
		}
	}
}

// hostsAtOnce checks how many hosts of an address are asked at the same time.
func (r *Rules) hostsAtOnce(rep *Report, addr netip.Addr, hits []testweb.Hit) {
	var active []testweb.Hit
	for _, h := range hits {
		active = slices.DeleteFunc(active, func(o testweb.Hit) bool { return !o.End.IsZero() && !o.End.After(h.Start) })
		active = append(active, h)
		names := map[string]bool{}
		for _, o := range active {
			names[o.Host] = true
		}
		rep.MostHosts = max(rep.MostHosts, len(names))
		if r.HostsPerAddress > 0 && len(names) > r.HostsPerAddress {
			rep.broken(Hosts, "%v: %s is the %dth host asked at the same time; %d may be", addr, h.URL, len(names), r.HostsPerAddress)
		}
	}
}

// gap checks the distance between the beginnings of requests to an address: of any two,
// as many gaps as lie between them, but for the jitter.
func (r *Rules) gap(rep *Report, addr netip.Addr, hits []testweb.Hit) {
	latest := 0 // the request before which there was the most time to spare
	for i, h := range hits {
		if i > 0 {
			if gap := h.Start.Sub(hits[i-1].Start); rep.AddressGap < 0 || gap < rep.AddressGap {
				rep.AddressGap = gap
			}
		}
		since, want := h.Start.Sub(hits[latest].Start), time.Duration(i-latest)*r.AddressDelay
		if since < want-r.Jitter {
			rep.broken(Gap, "%v: %s is the %dth request within %v; it may come after %v", addr, h.URL, i-latest+1, since, want)
		}
		if since > want {
			latest = i
		}
	}
}

// pauses checks that an address rests before a host of it is asked more often than it may
// be. A pause is what leaves the address in peace for its length, since the last
// request or since the last answer.
func (r *Rules) pauses(rep *Report, addr netip.Addr, hits []testweb.Hit) {
	if r.PauseAfter == 0 {
		return
	}
	count := map[string]int{}
	var start, end, due time.Time // due: when a pause must have begun
	for _, h := range hits {
		if !start.IsZero() && (h.Start.Sub(end) >= r.Pause || h.Start.Sub(start) >= r.Pause) {
			clear(count)
			due = time.Time{}
			rep.Pauses++
		}
		if count[h.Host]++; count[h.Host] > r.PauseAfter {
			rep.broken(Pauses, "%v: %s is the %dth request to its host since the last pause; %d may be", addr, h.URL, count[h.Host], r.PauseAfter)
		}
		rep.MostRequests = max(rep.MostRequests, count[h.Host])
		if !due.IsZero() && h.Start.After(due) {
			rep.broken(Pauses, "%v: %s is asked for %v after a pause should have begun", addr, h.URL, h.Start.Sub(due))
		}
		if count[h.Host] == r.PauseAfter && due.IsZero() {
			due = h.End.Add(r.Late)
		}
		start = h.Start
		if h.End.After(end) {
			end = h.End
		}
	}
}

// Repeat is a URL that was asked for again.
type Repeat struct {
	URL   string
	Cause string // "kill", "failure", "redirect", "claim"; "" when the log shows none
	Kill  int    // for "kill", its number, from 1
	// When the first of the two was answered and the second began.
	Answered, Again time.Time
}

// Repeats returns every request for a URL that had been asked for before. Causes that count: the
// host had failed to answer; the crawler was killed before it could note the answer; it
// was a redirect, whose target came to be archived (a redirect is archived with its
// target, and only then is that known); it was an error, which a page that is archived later
// links to, so that the error is wanted as well: once.
func (r *Rules) Repeats(log []testweb.Hit) []Repeat {
	hits := slices.Clone(log)
	byStart(hits)
	next := map[string]*testweb.Hit{} // the request of the host after the present one
	unsure := make([]bool, len(hits))
	for i := len(hits) - 1; i >= 0; i-- {
		unsure[i] = r.unsure(hits[i], next[hits[i].Host])
		next[hits[i].Host] = &hits[i]
	}
	var out []Repeat
	last, claimed := map[string]int{}, map[string]bool{}
	for i, h := range hits {
		was, ok := last[h.URL]
		last[h.URL] = i
		if !ok {
			continue
		}
		b := hits[was]
		rep := Repeat{URL: h.URL, Answered: b.End, Again: h.Start}
		switch {
		case failed(b):
			rep.Cause = "failure"
		case unsure[was]:
			rep.Cause = "kill"
			rep.Kill = 1 + slices.IndexFunc(r.Kills, func(k Kill) bool { return !k.Until.Before(b.Start) })
		case b.Status >= 300 && b.Status < 400:
			rep.Cause = "redirect"
		case b.Status >= 400 && !claimed[h.URL]:
			rep.Cause, claimed[h.URL] = "claim", true
		}
		out = append(out, rep)
	}
	return out
}
