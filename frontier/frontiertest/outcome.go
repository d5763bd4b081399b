package frontiertest

import (
	"slices"
	"strings"
	"time"

	"exclave/crawl"
)

// finish handles a URI that is handed back.
func (m *model) finish(u *crawl.CrawlURI) {
	e := m.uris[u.Key]
	q := m.line(e)
	e.busy = false
	if u.Span != nil {
		m.end = u.Span.End
	}
	switch u.Disposition {
	case crawl.Resign:
	case crawl.Defer:
		m.discover(*u.Prereq)
	case crawl.Retry:
		e.Attempts++
		m.retried++
		switch {
		case strings.HasPrefix(u.Key, "dns:"):
			m.snooze(q, m.r.DNSRetry)
		case u.Status.IsHTTP():
			m.backOffQueue(q, u)
			m.answered(e, false)
		default:
			m.snooze(q, m.delay(u))
			m.backOffOrigin(e, false)
		}
	case crawl.Done:
		m.done(e, q, u)
	}
}

// backOffOrigin makes an origin back off that did not answer.
func (m *model) backOffOrigin(e *entry, gaveUp bool) {
	o := m.origin(e)
	o.until = max(o.until, m.now+m.backOff(o.backoff))
	o.backoff++
	o.gaveUp = o.gaveUp || gaveUp
}

// answered notes that an origin answered.
func (m *model) answered(e *entry, cleared bool) {
	o := m.origin(e)
	o.backoff /= 2
	o.gaveUp = o.gaveUp && !cleared
}

// backOffQueue makes a queue back off after an answer that asks for it.
func (m *model) backOffQueue(q *line, u *crawl.CrawlURI) {
	rest := m.backOff(q.backoff)
	if u.RetryAfter > 0 {
		rest = min(u.RetryAfter, m.r.MaxRetryAfter)
	}
	q.backoff++
	m.snooze(q, max(rest, m.delay(u)))
}

// snooze delays a queue. The delay of another URI that was in process at the same time still
// holds.
func (m *model) snooze(q *line, d time.Duration) {
	if m.r.Connections <= 1 {
		q.wake = 0
	}
	q.wake = max(q.wake, m.now+d)
}

// offered notes that a URI was offered.
func (m *model) offered(e *entry) {
	e.busy, e.alone = true, e.prereq()
	m.line(e).gap = m.now + m.r.MinDelay
}

func (m *model) backOff(failures int) time.Duration {
	return max(min(m.r.RetryDelay<<failures, m.r.MaxRetryDelay), m.r.RetryDelay)
}

func (m *model) delay(u *crawl.CrawlURI) time.Duration {
	d := min(max(time.Duration(m.r.Factor)*u.Took, m.r.MinDelay), m.r.MaxDelay)
	return max(d, min(u.CrawlDelay, m.r.MaxCrawlDelay))
}

func (m *model) done(e *entry, q *line, u *crawl.CrawlURI) {
	http := u.Status.IsHTTP() && !strings.HasPrefix(u.Key, "dns:")
	if u.Mode == crawl.ModeFetch && (http || u.Status >= crawl.StatusTimeout && u.Status <= crawl.StatusConnectFailed) {
		if u.Status == 403 {
			q.refused++
		}
		page := !strings.HasPrefix(u.Key, "robots:")
		if http {
			m.answered(e, page)
		} else {
			m.backOffOrigin(e, page)
		}
		switch {
		case !http:
			m.snooze(q, m.delay(u))
		case u.Status == 429, u.Status == 503, u.Status == 403 && m.r.RefusedBurst > 0 && q.refused >= m.r.RefusedBurst:
			m.backOffQueue(q, u)
		case u.Status == 403:
			m.snooze(q, m.delay(u))
		default:
			m.snooze(q, m.delay(u))
			q.backoff, q.refused = q.backoff/2, 0
		}
	}
	m.close(e, u)
	fresh := u.Span != nil
	switch {
	case e.Outcome.Archived && !fresh && len(u.Links) == 0:
		m.work = append(m.work, func() { m.passClaims(e) })
	default:
		e.links = nil
		for _, l := range u.Links {
			if m.discover(l) != nil {
				e.links = append(e.links, l)
			}
		}
	}
	if e.Outcome.Class == crawl.ClassRedirect {
		for _, l := range u.Links {
			to := m.uris[l.Key]
			if l.Kind != crawl.LinkRedirect || to == nil {
				continue
			}
			to.targeted = true
			if !slices.Contains(to.sources, u.Key) {
				to.sources = append(to.sources, u.Key)
			}
			if to.Outcome.Valid() || to.Outcome.Class == crawl.ClassRedirect && to.Claim.Keep {
				m.join(e, crawl.Claim{Keep: true}, crawl.Ways{})
				break
			}
		}
	}
	if wasValid := u.Prior != nil && u.Prior.Outcome.Valid(); e.targeted && e.Outcome.Valid() && !wasValid {
		m.work = append(m.work, func() { m.keepRedirects(e) })
	}
	if e.State == finished && (e.Claim != u.Claim || e.Ways != u.Ways) {
		m.claimGrew(e, u.Claim, u.Ways)
	}
}

func (m *model) close(e *entry, u *crawl.CrawlURI) {
	e.State, e.force, e.Outcome = finished, false, u.Outcome()
	e.Finishes++
	if u.Mode != crawl.ModeFetch {
		return
	}
	if u.SourceTag != "" {
		m.fromTag[u.SourceTag]++
	}
	if !strings.HasPrefix(u.Key, "dns:") {
		m.documents[u.Host]++
	}
	q := m.line(e)
	q.retired = q.retired || m.spent(u.Host)
}
