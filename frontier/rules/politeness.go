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
	"exclave/internal/urlx"
)

// rest makes the queue of a URI rest from now on: for as long as its last request asks for, or another that is in process.
func (t *Tx) rest(r *schema.Record, rest time.Duration) error {
	h, _, err := t.QueueOf(r)
	if err != nil {
		return err
	}
	if t.env.Config.ConnectionsPerHost > 1 { // what another URI asks for holds as well
		rest = max(rest, min(h.Wake.Sub(t.env.Wall()), t.env.Config.LongestRest()))
	}
	h.Wake = schema.CeilMillis(t.env.Wall().Add(rest))
	h.Resting = rest > LongRest
	h.Asked, h.Rest = true, rest
	return nil
}

// delay is the politeness after a request to a server (System 5, rule a).
func (c *Config) delay(u *crawl.CrawlURI) time.Duration {
	d, most := time.Duration(c.DelayFactor*float64(u.Took)), c.MaxDelay
	if u.Truncated == crawl.TruncTime { // a server that slow is not to hold a ToeThread most of the time
		most = max(most, c.RetryDelay)
	}
	d = min(max(d, c.MinDelay), most)
	return max(d, min(u.CrawlDelay, c.MaxCrawlDelay))
}

// visited lets the queue rest that was asked for a URI that is done. It reads the facts that politeness depends on; it changes queue,
// origin and address. Afterwards the queue rests as long as the answer asks for: its delay, or like after a failure.
func (t *Tx) visited(r *schema.Record, u *crawl.CrawlURI) error {
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
	case u.Status == 429, u.Status == 503, u.Status == 403 && refused(&h.Host, cfg.RefusedBurst):
		rest = cfg.failure(&h.Host, u) // that it was the last attempt is no comfort to the server
		h.Failed = true
	case u.Status.IsHTTP() && u.Status != 403:
		answered(&h.Host)
	}
	page := !crawl.IsRobots(r.Key)
	if page && (silent || u.Status.IsHTTP()) {
		h.GaveUp = silent
	}
	t.countInSession(h, u)
	err = errors.Join(t.countRequest(h, u), t.rest(r, rest))
	switch {
	case silent:
		err = errors.Join(err, t.originFailed(r, page))
	case u.Status.IsHTTP():
		err = errors.Join(err, t.originAnswered(r, page))
	}
	return err
}

// requested reports whether a server was asked for the URI, whatever came of it.
func requested(u *crawl.CrawlURI) bool {
	if u.Mode != crawl.ModeFetch || crawl.IsDNS(u.Key) {
		return false
	}
	return u.Status.IsHTTP() || !u.Started.IsZero()
}

// resigned leaves the host in peace when it was asked for a URI that was cut short.
func (t *Tx) resigned(r *schema.Record, u *crawl.CrawlURI) error {
	if !requested(u) {
		return nil
	}
	h, _, err := t.QueueOf(r)
	if err != nil {
		return err
	}
	rest := max(t.env.Config.delay(u), min(u.RetryAfter, t.env.Config.MaxRetryAfter))
	return errors.Join(t.countRequest(h, u), t.rest(r, rest))
}

// countRequest counts a request to a host; the last before a general pause begins it. It reads and changes the row of the address and the
// queue. What was under way at the address then puts its end off: the pause lasts from the last answer.
func (t *Tx) countRequest(h *Queue, u *crawl.CrawlURI) error {
	cfg := &t.env.Config
	if cfg.PauseAfter == 0 {
		return nil
	}
	ip := u.Addr
	if !ip.IsValid() { // no answer came
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
	if h.Pauses != a.Pauses { // the address paused since: counted anew
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

// failure is how long a host rests after a failed attempt, which it counts.
func (c *Config) failure(h *schema.Host, u *crawl.CrawlURI) time.Duration {
	rest := c.backoff(h.Backoff)
	failed(h)
	if u.RetryAfter > 0 {
		rest = min(u.RetryAfter, c.MaxRetryAfter)
	}
	// A server that asks for less than politeness does not get less.
	return max(rest, c.delay(u))
}

// backoff is how long a host, or an origin, rests after another failure in a row.
func (c *Config) backoff(failures uint8) time.Duration {
	rest := c.RetryDelay
	for range failures {
		if rest *= 2; rest >= c.MaxRetryDelay {
			return max(c.MaxRetryDelay, c.RetryDelay)
		}
	}
	return rest
}

// failed notes a failure of a host, answered one that it answers again: the next
// rests double, and shrink by half with each answer.
func failed(h *schema.Host) { h.Backoff = min(h.Backoff+1, maxBackoff) }

// answered notes that a host answers again: the next rests shrink by half.
func answered(h *schema.Host) { h.Backoff, h.Refused = h.Backoff/2, 0 }

// refused notes an answer 403 and reports whether there were so many in a row that
// the host wants to be left alone.
func refused(h *schema.Host, burst int) bool {
	h.Refused = cmp.Or(min(h.Refused+1, 255), 255)
	return burst > 0 && int(h.Refused) >= burst
}

// restUntil lets a queue rest all of whose URIs rest, the zero time: no longer.
func (t *Tx) restUntil(q *Queue, until time.Time) {
	q.Until = until
	q.Resting = q.Rests().Sub(t.env.Wall()) > LongRest
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
			return 0, nil // nobody can ask for it
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

// IPOf returns the address that requests to a host go to, the zero Addr while it is not
// known.
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
