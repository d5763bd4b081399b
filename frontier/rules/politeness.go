package rules

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/internal/robots"
	"exclave/internal/sheet"
	"exclave/internal/urlx"
)

// snooze snoozes the queue of a URI from now on: for the delay of its last request, or of another URI if that is longer.
func (t *Tx) snooze(r *schema.Record, rest time.Duration) error {
	h, _, err := t.QueueOf(r)
	if err != nil {
		return err
	}
	if t.env.Config.ConnectionsPerHost > 1 { // the delay of another URI still holds
		rest = max(rest, min(h.Wake.Sub(t.env.Wall()), t.env.Config.LongestSnooze()))
	}
	h.Wake = schema.CeilMillis(t.env.Wall().Add(rest))
	h.Snoozed = rest > ResidentSnooze
	h.Requested, h.Delay, h.OffHours = true, rest, false
	return nil
}

// delay is the delay after a request to a server (System 5, rule a).
func (c *Config) delay(u *crawl.CrawlURI) time.Duration {
	if u.Sheet != nil {
		c = c.under(&u.Sheet.Frontier)
	}
	d, most := time.Duration(c.DelayFactor*float64(u.Took)), c.MaxDelay
	if u.Truncated == crawl.TruncTime { // so slow a server must not occupy a ToeThread most of the time
		most = max(most, c.RetryDelay)
	}
	d = min(max(d, c.MinDelay), most)
	return max(d, min(u.CrawlDelay, c.MaxCrawlDelay))
}

// under returns the configuration with the delays of a sheet, none of which is longer than the longest wait.
func (c *Config) under(s *sheet.Frontier) *Config {
	if *s == (sheet.Frontier{}) {
		return c
	}
	out, longest := *c, c.LongestSnooze()
	if s.DelayFactor != nil {
		out.DelayFactor = *s.DelayFactor
	}
	for _, d := range []struct{ to, from *time.Duration }{{&out.MinDelay, s.MinDelay}, {&out.MaxDelay, s.MaxDelay}, {&out.MaxCrawlDelay, s.MaxCrawlDelay}} {
		if d.from != nil {
			*d.to = min(*d.from, longest)
		}
	}
	out.MaxDelay = max(out.MaxDelay, out.MinDelay)
	return &out
}

// snoozeAfterVisit snoozes the queue of a finished URI for its delay, or makes it back off if the answer asks for that.
// It reads the facts that politeness depends on, and changes queue, origin and address.
func (t *Tx) snoozeAfterVisit(r *schema.Record, u *crawl.CrawlURI) error {
	silent := u.Mode == crawl.ModeFetch &&
		(u.Status == crawl.StatusConnectFailed || u.Status == crawl.StatusConnectionLost || u.Status == crawl.StatusTimeout)
	if !silent && !requested(u) {
		return nil
	}
	h, _, err := t.QueueOf(r)
	if err != nil {
		return err
	}
	cfg := &t.env.Config
	rest := cfg.delay(u)
	switch {
	case u.Status == 429, u.Status == 503, u.Status == 403 && countRefusal(&h.Host, cfg.RefusedBurst):
		rest = cfg.backOffAfter(&h.Host, u) // also after the last attempt
		h.Failed = true
	case u.Status.IsHTTP() && u.Status != 403:
		countAnswer(&h.Host)
	}
	page := !crawl.IsRobots(r.Key)
	if page && (silent || u.Status.IsHTTP()) {
		h.GaveUp = silent
	}
	t.countInSession(h, u)
	err = errors.Join(t.countRequest(h, u), t.snooze(r, rest))
	switch {
	case silent:
		err = errors.Join(err, t.originFailed(r, page))
	case u.Status.IsHTTP():
		err = errors.Join(err, t.originAnswered(r, page))
	}
	return err
}

// requested reports whether a server was sent a request for the URI, answered or not.
func requested(u *crawl.CrawlURI) bool {
	if u.Mode != crawl.ModeFetch || crawl.IsDNS(u.Key) {
		return false
	}
	return u.Status.IsHTTP() || !u.Started.IsZero()
}

// resigned snoozes the queue when a request was sent before the URI was resigned.
func (t *Tx) resigned(r *schema.Record, u *crawl.CrawlURI) error {
	if !requested(u) {
		return nil
	}
	h, _, err := t.QueueOf(r)
	if err != nil {
		return err
	}
	rest := max(t.env.Config.delay(u), min(u.RetryAfter, t.env.Config.MaxRetryAfter))
	return errors.Join(t.countRequest(h, u), t.snooze(r, rest))
}

// countRequest counts a request to a host; the last one before a pause begins the pause. It reads and changes the row of
// the address and the queue. A request that was in process when the pause began extends it: it lasts from the last answer.
func (t *Tx) countRequest(h *Queue, u *crawl.CrawlURI) error {
	cfg := &t.env.Config
	if cfg.PauseAfter == 0 {
		return nil
	}
	ip := u.Addr
	if !ip.IsValid() { // there was no answer
		var err error
		if ip, err = t.env.IPOf(u.Host); err != nil || !ip.IsValid() {
			return err
		}
	}
	a, ok := t.Paused[ip]
	if !ok {
		v, err := t.state.Row(schema.AddressKey(ip))
		if v != nil && err == nil {
			a, err = schema.DecodeAddress(v)
		}
		if err != nil {
			return err
		}
	}
	if h.Pauses != a.Pauses { // its address has paused since: the count begins anew
		h.Pauses, h.Requests = a.Pauses, 0
	}
	now := t.env.Now()
	switch h.Requests++; {
	case h.Requests >= uint64(cfg.PauseAfter):
		a.Pauses++
	case !a.Until.After(now):
		return nil
	}
	a.Until = schema.CeilMillis(now.Add(cfg.Pause))
	t.Paused[ip] = a
	t.w.Set(schema.AddressKey(ip), a.Encode())
	return nil
}

// maxBackoff is how many failures in a row are counted.
const maxBackoff = 32

// backOffAfter counts a failed attempt, and is how long the queue backs off after it.
func (c *Config) backOffAfter(h *schema.Host, u *crawl.CrawlURI) time.Duration {
	rest := c.backOff(h.Backoff)
	countFailure(h)
	if u.RetryAfter > 0 {
		rest = min(u.RetryAfter, c.MaxRetryAfter)
	}
	// A server cannot ask for less than the delay.
	return max(rest, c.delay(u))
}

// backOff is how long a queue, or an origin, backs off after so many failures and one more.
func (c *Config) backOff(failures uint8) time.Duration {
	rest := c.RetryDelay
	for range failures {
		if rest *= 2; rest >= c.MaxRetryDelay {
			return max(c.MaxRetryDelay, c.RetryDelay)
		}
	}
	return rest
}

// countFailure notes a failure of a queue: its next back-off doubles.
func countFailure(h *schema.Host) { h.Backoff = min(h.Backoff+1, maxBackoff) }

// countAnswer notes an answer: the next back-off is halved.
func countAnswer(h *schema.Host) { h.Backoff, h.Refused = h.Backoff/2, 0 }

// countRefusal notes an answer 403 and reports whether there were so many in a row that the queue must back off.
func countRefusal(h *schema.Host, burst int) bool {
	h.Refused = cmp.Or(min(h.Refused+1, 255), 255)
	return burst > 0 && int(h.Refused) >= burst
}

// backOffUntil makes a queue back off, all of whose origins do; the zero time ends that.
func (t *Tx) backOffUntil(q *Queue, until time.Time) {
	q.Until = until
	q.Snoozed = q.WakeTime().Sub(t.env.Wall()) > ResidentSnooze
}

// CrawlDelay is the Crawl-delay that the robots.txt of a URI's origin is known to ask for, as
// far as it is obeyed.
func (e *Env) CrawlDelay(r *schema.Record) (time.Duration, error) {
	if crawl.IsDNS(r.Key) {
		return 0, nil
	}
	origin, ok := crawl.RobotsOrigin(r.Key)
	if !ok {
		u, err := urlx.Parse(r.URL)
		if err != nil {
			return 0, nil // it cannot be requested
		}
		origin = u.Origin()
	}
	facts, err := e.Facts.Origin(context.Background(), origin)
	if err != nil || len(facts.Robots) == 0 {
		return 0, err
	}
	var rules robots.Rules
	if err := rules.UnmarshalBinary(facts.Robots); err != nil {
		return 0, fmt.Errorf("robots.txt of %s: %w", origin, err)
	}
	delay, _ := rules.CrawlDelay()
	return min(delay, e.Config.MaxCrawlDelay), nil
}

// IPOf returns the address that requests to a host go to, the zero Addr when it is not known.
func (e *Env) IPOf(host string) (netip.Addr, error) {
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ip.Unmap(), nil
	}
	facts, err := e.Facts.Host(context.Background(), host)
	if err != nil || len(facts.Addrs) == 0 {
		return netip.Addr{}, err
	}
	return facts.Addrs[0], nil
}
