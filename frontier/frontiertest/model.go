package frontiertest

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"exclave/crawl"
)

// States of a URI in the model, as the state writes them. The methods are named as the rules of package rules are, which
// they check.
const (
	parked   = "parked"
	pending  = "waiting"
	finished = "done"
)

// entry is a URI in the model.
type entry struct {
	URI
	c        crawl.Candidate // URL, key, host, source tag
	mode     crawl.Mode
	force    bool
	targeted bool
	links    []crawl.Candidate // of the capture that counts
	sources  []string          // keys of redirects that lead here
	prec     int
	at       int // operation that queued it
	busy     bool
	alone    bool // was offered as a prerequisite of others
}

// line is a queue in the model.
type line struct {
	wake             time.Duration // end of the delay, on the model's clock
	gap              time.Duration // the same while a URI is in process
	backoff, refused int
	retired          bool
}

// origin is an origin in the model.
type origin struct {
	until   time.Duration // end of the delay, on the model's clock
	backoff int
	gaveUp  bool
}

// model is a frontier without queues, disks or concurrency: maps that are searched.
type model struct {
	r         Rules
	now       time.Duration
	op        int
	uris      map[string]*entry
	queues    map[string]*line
	origins   map[string]*origin
	documents map[string]int64 // answers, by host
	fromTag   map[string]int64 // answers, by source tag
	work      []func()
	refused   int64
	retried   int64
	dropped   int64
	end       int64 // of the WARC file
	// loose says that the budget of sources was raised: which URIs were shelved before is not specified, and
	// they stay at the end of their queue.
	loose  bool
	killed time.Duration // when the machine last stopped, on the model's clock; never: long ago
}

func newModel(r Rules) *model {
	return &model{r: r, uris: map[string]*entry{}, queues: map[string]*line{}, origins: map[string]*origin{}, documents: map[string]int64{}, fromTag: map[string]int64{}, killed: -1000 * time.Hour}
}

// clone returns a model that shares nothing with m.
func (m *model) clone() *model {
	c := *m
	c.uris, c.queues = map[string]*entry{}, map[string]*line{}
	for k, e := range m.uris {
		d := *e
		d.links, d.sources = slices.Clone(e.links), slices.Clone(e.sources)
		c.uris[k] = &d
	}
	for k, q := range m.queues {
		d := *q
		c.queues[k] = &d
	}
	c.origins = map[string]*origin{}
	for k, o := range m.origins {
		d := *o
		c.origins[k] = &d
	}
	c.documents, c.fromTag = maps.Clone(m.documents), maps.Clone(m.fromTag)
	return &c
}

// queueOf is the name of the queue of a URI.
func (m *model) queueOf(e *entry) string {
	if !m.r.ByDomain {
		return e.c.Host
	}
	_, domain, _ := strings.Cut(e.c.Host, ".")
	return domain
}

func (m *model) line(e *entry) *line {
	name := m.queueOf(e)
	if m.queues[name] == nil {
		m.queues[name] = &line{}
	}
	return m.queues[name]
}

// origin is that of a URI; those of DNS have one that never fails.
func (m *model) origin(e *entry) *origin {
	name := ""
	if scheme, rest, ok := strings.Cut(e.c.URL, "://"); ok {
		host, _, _ := strings.Cut(rest, "/")
		name = scheme + "://" + host
	}
	if m.origins[name] == nil {
		m.origins[name] = &origin{}
	}
	return m.origins[name]
}

// failing reports whether one URI of an origin at a time may be in process.
func (o *origin) failing() bool { return o.backoff > 0 || o.gaveUp }

func (e *entry) prereq() bool { return e.force && e.Claim.IsZero() }

func needed(c crawl.Claim) bool {
	return c.Bin || c.Keep || c.Link != [crawl.MaxProfiles]int32{}
}

// precedence is that of a URI in its queue.
func (m *model) precedence(e *entry) int {
	hops := min(strings.Count(e.Hops, "L"), 7)
	switch {
	case e.prereq():
		return 0
	case m.r.Rank == RankHops:
		return 1 + hops
	case m.r.Rank == RankDeep:
		return 8 - hops
	case m.r.Rank == RankKind && e.Seed:
		return 1
	case m.r.Rank == RankKind && e.Claim.Bin:
		return 2
	case m.r.Rank == RankKind:
		return 3
	}
	return 1
}

func (m *model) enqueue(e *entry, mode crawl.Mode) {
	e.State, e.mode, e.Attempts, e.at = pending, mode, 0, m.op
	e.prec = m.precedence(e)
	// A queue whose budget was raised is revived.
	if q := m.line(e); q.retired && !m.spent(e.c.Host) {
		q.retired = false
	}
}

func (m *model) spent(host string) bool {
	return m.r.HostDocuments > 0 && m.documents[host] >= m.r.HostDocuments
}

// apply runs an operation; everything that follows from it is done when it returns.
func (m *model) apply(op func()) {
	m.op++
	op()
	for len(m.work) > 0 {
		w := m.work[0]
		m.work = m.work[1:]
		w()
	}
}

// discover makes a candidate known, or joins it to what is known; nil: it was refused.
func (m *model) discover(c crawl.Candidate) *entry {
	e := m.uris[c.Key]
	if e == nil {
		e = &entry{c: c, URI: URI{State: parked, Hops: c.Hops, Seed: c.Seed, Claim: c.Claim, Ways: c.Reached()}, force: c.Force}
		if !m.admit(e) {
			m.refused++
			return nil
		}
		m.uris[c.Key] = e
		if !c.Claim.IsZero() || c.Force {
			m.enqueue(e, crawl.ModeFetch)
		}
		return e
	}
	if e.State != finished && shorter(c.Hops, e.Hops) {
		e.Hops = c.Hops
	}
	e.Seed = e.Seed || c.Seed
	if c.Force && e.State != pending {
		e.force, e.Claim, e.Ways = true, e.Claim.Join(c.Claim), e.Ways.Join(c.Reached())
		m.enqueue(e, crawl.ModeFetch)
		return e
	}
	m.join(e, c.Claim, c.Reached())
	m.promote(e)
	return e
}

func shorter(a, b string) bool {
	return cmp.Or(cmp.Compare(strings.Count(a, "L"), strings.Count(b, "L")), cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) < 0
}

// promote moves a pending URI forward.
func (m *model) promote(e *entry) {
	if e.State == pending && e.prec > 0 {
		e.prec = min(e.prec, m.precedence(e))
	}
}

// join joins claim and ways, and applies what follows.
func (m *model) join(e *entry, c crawl.Claim, w crawl.Ways) {
	old, ways := e.Claim, e.Ways
	e.Claim, e.Ways = old.Join(c), ways.Join(w)
	if e.Claim == old && e.Ways == ways {
		return
	}
	switch {
	case e.State == parked && !e.Claim.IsZero():
		m.enqueue(e, crawl.ModeFetch)
	case e.State == pending:
		m.promote(e)
	case e.State == finished:
		m.claimGrew(e, old, ways)
	}
}

func (m *model) claimGrew(e *entry, old crawl.Claim, ways crawl.Ways) {
	d := &m.r.Depths
	redirect := e.Outcome.Class == crawl.ClassRedirect
	if redirect && e.targeted && e.Claim.Keep && !old.Keep {
		m.work = append(m.work, func() { m.keepRedirects(e) })
	}
	again, by := d.Again(e.Claim, e.Outcome), d.AgainBy(e.Outcome, old, e.Claim, ways, e.Ways)
	switch {
	case again == crawl.AgainFetch || by == crawl.AgainFetch:
		m.enqueue(e, crawl.ModeFetch)
		return
	case again == crawl.AgainJudge || by == crawl.AgainJudge:
		m.enqueue(e, crawl.ModeJudge)
	}
	if redirect || e.Outcome.Archived {
		m.work = append(m.work, func() { m.passClaims(e) })
	}
}

func (m *model) passClaims(e *entry) {
	for _, l := range e.links {
		if child := m.uris[l.Key]; child != nil {
			ways := crawl.Ways{}
			if l.Kind == crawl.LinkRedirect {
				ways = e.Ways.Over(crawl.HopRedirect, true)
			}
			m.join(child, m.r.Depths.Child(e.Claim, e.Outcome, l.Kind), ways)
		}
	}
}

func (m *model) keepRedirects(e *entry) {
	for _, k := range e.sources {
		s := m.uris[k]
		had := s.Claim.Keep
		m.join(s, crawl.Claim{Keep: true}, crawl.Ways{})
		if !had && s.targeted && s.State != finished {
			m.work = append(m.work, func() { m.keepRedirects(s) })
		}
	}
}

// admit decides whether a URI may become known; another may be dropped for it.
func (m *model) admit(e *entry) bool {
	if e.prereq() || e.Seed {
		return true
	}
	var known, valid int64
	var worst *entry
	for _, o := range m.uris {
		if o.c.Host != e.c.Host {
			continue
		}
		known++
		if o.Outcome.Valid() {
			valid++
		}
		if o.State == pending && !o.busy && o.Finishes == 0 && !o.Seed && !o.force && !o.targeted && !needed(o.Claim) && o.at < m.op &&
			(worst == nil || cmp.Or(cmp.Compare(o.prec, worst.prec), cmp.Compare(o.at, worst.at)) > 0) {
			worst = o
		}
	}
	hard := m.r.HostURIsMax > 0 && known >= m.r.HostURIsMax
	soft := m.r.HostURIs > 0 && known >= m.r.HostURIs+m.r.URIsPerValid*valid && !needed(e.Claim)
	switch {
	case !hard && !soft:
		return true
	case worst == nil || worst.prec <= m.precedence(e):
		return false
	}
	delete(m.uris, worst.c.Key)
	m.dropped++
	return true
}

// deletePending finishes pending URIs without a request; it returns how many.
func (m *model) deletePending(keys ...string) (n int) {
	for _, k := range keys {
		e := m.uris[k]
		if e == nil || e.State != pending || e.busy || e.Claim.IsZero() {
			continue
		}
		u := m.offer(e)
		u.Status = crawl.StatusDeletedByUser
		m.close(e, u)
		if e.Outcome.Archived {
			m.work = append(m.work, func() { m.passClaims(e) })
		} else {
			e.links = nil
		}
		n++
	}
	return n
}

// offer is what a ToeThread must get for an entry.
func (m *model) offer(e *entry) *crawl.CrawlURI {
	c := e.c
	c.Hops, c.Ways, c.Seed, c.Force, c.Claim = e.Hops, e.Ways, e.Seed, e.force, e.Claim
	u := &crawl.CrawlURI{Candidate: c, Mode: e.mode, Attempt: e.Attempts + 1}
	most := m.r.MaxRetries
	switch {
	case strings.HasPrefix(c.Key, "dns:"):
		most = m.r.DNSRetries
	case m.origin(e).gaveUp:
		most = 1
	case strings.HasPrefix(c.Key, "robots:"):
		most = m.r.RobotsRetries
	}
	u.LastAttempt = u.Attempt >= most
	if e.Finishes > 0 {
		u.Prior = &crawl.Prior{Outcome: e.Outcome}
	}
	return u
}

// withinBudget reports whether the budget of a URI's source is not spent.
func (m *model) withinBudget(e *entry) bool {
	return e.prereq() || e.c.SourceTag == "" || m.r.SourceDocuments == 0 || m.fromTag[e.c.SourceTag] < m.r.SourceDocuments
}

// heads are the URIs that may go next in a queue: those of the least rank that were
// queued first, in one operation. URIs of sources whose budget is spent do not count, nor those of
// origins that back off; wake is the end of the first such back-off, negative when there is none. A URI of a
// failing origin is dispatched alone.
func (m *model) heads(queue string) (heads []*entry, wake time.Duration) {
	wake = -1
	busy := m.inProcess(queue)
	for _, e := range m.uris {
		if e.State != pending || e.busy || m.queueOf(e) != queue || !m.withinBudget(e) {
			continue
		}
		o := m.origin(e)
		if busy && o.failing() {
			continue
		}
		if o.until > m.now {
			if wake < 0 || o.until < wake {
				wake = o.until
			}
			continue
		}
		if len(heads) > 0 && !m.loose {
			switch cmp.Or(cmp.Compare(e.prec, heads[0].prec), cmp.Compare(e.at, heads[0].at)) {
			case 1:
				continue
			case -1:
				heads = nil
			}
		}
		heads = append(heads, e)
	}
	return heads, wake
}

// precedenceOf is that of a queue: that of its first URI, even if its origin backs off.
func (m *model) precedenceOf(queue string) int {
	best := 1000
	for _, e := range m.uris {
		if e.State == pending && m.queueOf(e) == queue && m.withinBudget(e) {
			best = min(best, e.prec)
		}
	}
	return best
}

// ready are the URIs one of which must be offered now. wake is the first wake time of a
// snoozed queue, negative when none is snoozed.
func (m *model) ready() (now []*entry, wake time.Duration) {
	wake = -1
	ranks := map[*entry]int{}
	for name, q := range m.queues {
		heads, rest := m.heads(name)
		if q.retired || len(heads) == 0 && rest < 0 || m.full(name) {
			continue
		}
		// Requests just before a kill were not noted.
		at := max(q.wake, m.killed+m.r.MaxDelay)
		if m.inProcess(name) {
			at = max(at, q.gap)
		}
		if len(heads) == 0 {
			at = max(at, rest)
		}
		if at > m.now {
			if wake < 0 || at < wake {
				wake = at
			}
			continue
		}
		now = append(now, heads...)
		for _, e := range heads {
			ranks[e] = m.precedenceOf(name)
		}
	}
	if m.r.Best && len(now) > 0 && !m.loose {
		best := ranks[slices.MinFunc(now, func(a, b *entry) int { return cmp.Compare(ranks[a], ranks[b]) })]
		now = slices.DeleteFunc(now, func(e *entry) bool { return ranks[e] != best })
	}
	return now, wake
}

// full reports whether so many URIs of the queue are in process that no other is offered: one, if the queue or the
// origin backs off or failed, or if the others need it.
func (m *model) full(queue string) bool {
	busy := 0
	for _, e := range m.uris {
		if !e.busy || m.queueOf(e) != queue {
			continue
		}
		busy++
		if e.alone {
			return true
		}
	}
	q := m.queues[queue]
	return busy >= max(m.r.Connections, 1) || busy > 0 && q.backoff > 0
}

// inProcess reports whether a URI of the queue is; with "", of any.
func (m *model) inProcess(queue string) bool {
	for _, e := range m.uris {
		if e.busy && (queue == "" || m.queueOf(e) == queue) {
			return true
		}
	}
	return false
}

// snoozed reports whether a queue with pending URIs is snoozed, even if all of them are of sources whose
// budget is spent: that is noticed when it is ready.
func (m *model) snoozed() bool {
	for _, e := range m.uris {
		if q := m.line(e); m.r.SourceDocuments > 0 && e.State == pending && !q.retired && max(q.wake, m.killed+m.r.MaxDelay) > m.now {
			return true
		}
	}
	return false
}

// reopened is what a restart changes: nothing is in process any more.
func (m *model) reopened(r Rules) {
	m.loose = m.loose || r.SourceDocuments > m.r.SourceDocuments
	for _, e := range m.uris {
		e.busy = false
	}
	m.raised(r)
}

// raised is what greater budgets change.
func (m *model) raised(r Rules) {
	m.r = r
	for name, q := range m.queues {
		if q.retired && !m.spent(name) {
			q.retired = false
		}
	}
}

// numbers are the expected counts.
func (m *model) numbers() (n Numbers) {
	n.Dropped, n.Refused, n.Retried = m.dropped, m.refused, m.retried
	n.Discovered = m.dropped + int64(len(m.uris))
	for _, e := range m.uris {
		switch {
		case e.busy:
			n.InProcess++
		case e.State == pending:
			n.Queued++
		case e.State == parked:
			n.Parked++
		default:
			n.Finished++
		}
		if e.Finishes == 0 {
			continue
		}
		for p, is := range map[*int64]bool{&n.Archived: e.Outcome.Archived, &n.Judged: e.Outcome.Judged, &n.Valid: e.Outcome.Valid(),
			&n.Failed: e.Outcome.Status < 0 && e.Outcome.Status != crawl.StatusRobots && e.Outcome.Status != crawl.StatusDeletedByUser} {
			if is {
				*p++
			}
		}
	}
	return n
}
