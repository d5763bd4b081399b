package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"exclave/crawl"
	"exclave/internal/record"
	"exclave/internal/resolve"
	"exclave/internal/robots"
	"exclave/internal/urlx"
)

const (
	// maxRedirects is how many redirects of robots.txt are followed (RFC 9309
	// §2.3.1.2).
	maxRedirects = 5
	// maxRobotsURL bounds the URLs that robots.txt is redirected to: they and the
	// requests for them are kept with the answer.
	maxRobotsURL = 2 << 10
	// maxRobotsHeader is how much of a header there may be beside what is obeyed.
	maxRobotsHeader = 256 << 10
	// keptRedirect is how much is kept of an answer that redirects.
	keptRedirect = 32 << 10
)

// visit is one hop on the way to robots.txt.
type visit struct {
	target *urlx.URL
	asked  time.Time
	answer *answer
}

// robots fetches robots.txt as a prerequisite, with its redirects, and turns the
// final answer into facts about the origin. A redirect to where nothing can be
// is itself the final answer.
func (h *HTTP) robots(ctx context.Context, u *crawl.CrawlURI, target *urlx.URL) error {
	var before []record.Exchange
	var last visit
	lookup := h.facts
	for hop := 0; ; hop++ {
		v := visit{target: target, asked: h.clk.Now()}
		settings, err := h.sheetFor(u, target)
		if err != nil { // where a redirect leads to
			return h.robotsAnswer(ctx, u, last, before)
		}
		q, jar := h.asked(settings), h.jarFor(settings)
		q.lookup, q.jar = lookup, jar
		// As much is archived as is obeyed, and no more is received; max_size is of pages.
		q.bounds = bounds{header: min(h.cfg.MaxHeader, maxRobotsHeader), body: func(*record.Head) int64 { return robots.MaxSize }}
		if v.answer, err = h.identified(ctx, u, target, q); err != nil {
			var f *failure
			if last.answer != nil && errors.As(err, &f) && f.status.Class() == crawl.ClassPermanent {
				return h.robotsAnswer(ctx, u, last, before)
			}
			if last.answer != nil {
				err = errors.Join(err, last.answer.rec.Close())
			}
			return h.robotsFailed(ctx, u, err)
		}
		if last.answer != nil {
			e, err := last.exchange(keptRedirect)
			if err := errors.Join(err, last.answer.rec.Close()); err != nil {
				return errors.Join(err, v.answer.rec.Close())
			}
			before = append(before, e)
		}
		last = v
		if _, err := jar.Set(target, values(v.answer, "Set-Cookie")); err != nil {
			return errors.Join(fmt.Errorf("fetch: %s: %w", u.URL, err), v.answer.rec.Close())
		}
		next := redirect(target, v.answer)
		if next == nil || hop == maxRedirects {
			return h.robotsAnswer(ctx, u, last, before)
		}
		target, lookup = next, h.lookup
	}
}

// robotsFailed takes the failure to get any answer, which is final when it will
// not pass or there have been enough attempts.
func (h *HTTP) robotsFailed(ctx context.Context, u *crawl.CrawlURI, err error) error {
	if errors.Is(err, resolve.ErrSilent) {
		u.Disposition = crawl.Resign // it says nothing of the host that it redirects to
		return nil
	}
	if err := failed(u, err); err != nil {
		return err
	}
	if u.Status.Class() == crawl.ClassRetry && !u.LastAttempt {
		return nil
	}
	return h.originFacts(ctx, u, int(u.Status), nil)
}

// redirect returns where an answer sends us, nil when it does not.
func redirect(from *urlx.URL, a *answer) *urlx.URL {
	switch a.status {
	case 301, 302, 303, 307, 308:
	default:
		return nil
	}
	to, err := from.Resolve(urlx.OfBytes(a.rec.Head().Get("Location")))
	if err != nil || !to.IsWeb() || a.rec.Head().Get("Location") == "" {
		return nil
	}
	if to = to.WithoutUserinfo().WithoutFragment(); len(to.String()) > maxRobotsURL {
		return nil
	}
	return to
}

// lookup asks for hosts that nobody has asked for yet.
func (h *HTTP) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	addrs, err := h.facts(ctx, host)
	if err != nil || len(addrs) > 0 || h.deps.Resolver == nil {
		return addrs, err
	}
	a, err := h.deps.Resolver.Lookup(ctx, host)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var e *resolve.Error
	switch {
	case err == nil:
		return a.Addrs, nil
	case errors.As(err, &e) && e.Class.Permanent():
		return nil, &failure{crawl.StatusDNSPrereqFailed, nil, err}
	}
	return nil, &failure{crawl.StatusDNSFailed, nil, err}
}

// robotsAnswer takes the final answer.
func (h *HTTP) robotsAnswer(ctx context.Context, u *crawl.CrawlURI, v visit, before []record.Exchange) error {
	if err := h.accept(u, v.answer); err != nil {
		return err
	}
	if u.Status.Class() == crawl.ClassRetry && !u.LastAttempt {
		return nil
	}
	e, err := v.exchange(record.MaxExchange)
	if err != nil {
		return err
	}
	e.Before = before
	raw, err := e.MarshalBinary()
	if err != nil {
		return fmt.Errorf("fetch: keep robots.txt of %s: %w", u.URL, err)
	}
	u.Deferred = &crawl.Deferred{Key: u.Key, Time: v.asked, Raw: raw}
	body, _ := v.answer.rec.Body(robots.MaxSize) // a broken coding leaves the rules before it
	return h.originFacts(ctx, u, v.answer.status, body)
}

// exchange returns what is kept for the archive, of the answer at most limit bytes.
func (v visit) exchange(limit int) (record.Exchange, error) {
	e, err := record.NewExchange(v.target.String(), v.answer.rec, limit)
	if err != nil {
		return e, fmt.Errorf("fetch: keep robots.txt of %s: %w", v.target, err)
	}
	e.Date, e.IP = v.asked, v.answer.addr
	if e.Truncated == "" {
		e.Truncated = string(v.answer.truncated)
	}
	return e, nil
}

// originFacts sets what the answer, or its absence, means.
func (h *HTTP) originFacts(ctx context.Context, u *crawl.CrawlURI, status int, body []byte) error {
	origin, _ := crawl.RobotsOrigin(u.Key)
	now := h.clk.Now()
	rules := robots.FromStatus(status, body, h.cfg.RobotsToken)
	if rules.Unreachable() {
		since, err := h.unreachableSince(ctx, origin, now)
		if err != nil {
			return err
		}
		if h.deps.UnreachableFor > 0 && now.Sub(since) >= h.deps.UnreachableFor {
			rules = robots.AllowAll()
			u.Annotate("robots:given-up")
		}
		rules.UnreachableSince(since)
	}
	h.sitemaps(u, rules)
	if h.policy(u) == robots.MostFavored && status >= 200 && status < 300 {
		rules.FavorMost(body)
	}
	u.CrawlDelay, _ = rules.CrawlDelay() // the request for it is the first that it counts for
	raw, err := rules.MarshalBinary()
	if err != nil {
		return fmt.Errorf("fetch: rules of %s: %w", u.URL, err)
	}
	u.Origin = &crawl.OriginFacts{Origin: origin, Status: crawl.Status(status),
		Robots: raw, Fetched: now, Expires: now.Add(h.cfg.RobotsTTL)}
	return nil
}

// policy is what is done about robots.txt for a URI.
func (h *HTTP) policy(u *crawl.CrawlURI) robots.Policy {
	if u.Sheet != nil && u.Sheet.Robots.Policy != nil {
		return *u.Sheet.Robots.Policy
	}
	return h.deps.Robots
}

// unreachableSince is from when on the robots.txt of an origin could not be had: now, unless it is known that it could not before.
func (h *HTTP) unreachableSince(ctx context.Context, origin string, now time.Time) (time.Time, error) {
	f, err := h.deps.Hosts.Origin(ctx, origin)
	if err != nil || len(f.Robots) == 0 {
		return now, err
	}
	var before robots.Rules
	if err := before.UnmarshalBinary(f.Robots); err != nil {
		return now, fmt.Errorf("fetch: rules of %s: %w", origin, err)
	}
	if since := before.Since(); !since.IsZero() {
		return since, nil
	}
	return now, nil
}
