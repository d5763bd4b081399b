package frontier

import (
	"errors"
	"fmt"
	"math"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// finish applies what a ToeThread handed back.
func (t *tx) finish(u *crawl.CrawlURI) error {
	r, err := t.record(u.ID)
	if err != nil {
		return err
	}
	if r != nil && r.State == schema.Done && r.Outcome.Status == crawl.StatusDeletedByUser {
		return t.tooLate(r, u)
	}
	if r == nil || r.State != schema.Waiting {
		return fmt.Errorf("%s was handed back, but is not in process", u.URL)
	}
	t.back = append(t.back, u.ID)
	if u.Disposition == crawl.Done {
		t.vias[r.URL] = r.ID
	}
	q, _, err := t.queue(r)
	if err != nil {
		return err
	}
	q.Until = time.Time{}
	q.Resting = t.f.cfg.ConnectionsPerHost > 1 && q.Wake.Sub(t.f.wall()) > longRest // another URI failed
	if err := t.facts(u); err != nil {
		return err
	}
	if err := t.capture(u); err != nil {
		return err
	}
	switch u.Disposition {
	case crawl.Resign:
		return t.resigned(r, u)
	case crawl.Defer:
		return t.deferred(r, u)
	case crawl.Retry:
		return t.retry(r, u)
	}
	return t.done(r, u)
}

// tooLate takes back a URI that was dropped just when it was offered: what was fetched
// is abandoned, the host is left in peace all the same.
func (t *tx) tooLate(r *schema.Record, u *crawl.CrawlURI) error {
	t.back = append(t.back, u.ID)
	u.Disposition = crawl.Resign
	return errors.Join(t.facts(u), t.capture(u), t.resigned(r, u))
}

// requested reports whether a server was asked for the URI, whatever came of it.
func requested(u *crawl.CrawlURI) bool {
	if u.Mode != crawl.ModeFetch || crawl.IsDNS(u.Key) {
		return false
	}
	return u.Status.IsHTTP() || !u.Started.IsZero()
}

// resigned leaves the host in peace when it was asked for a URI that was cut short.
func (t *tx) resigned(r *schema.Record, u *crawl.CrawlURI) error {
	if !requested(u) {
		return nil
	}
	h, _, err := t.queue(r)
	if err != nil {
		return err
	}
	rest := max(t.f.cfg.delay(u), min(u.RetryAfter, t.f.cfg.MaxRetryAfter))
	return errors.Join(t.request(h, u), t.wait(r, rest))
}

// capture notes the span of the group that was written. When the URI is not
// done, the group stays in the archive as abandoned.
func (t *tx) capture(u *crawl.CrawlURI) error {
	if u.Span == nil {
		return nil
	}
	c := schema.Capture{Span: *u.Span, ID: u.ID, Response: !u.Response.IsZero(), Carried: u.Carried}
	if u.Disposition != crawl.Done {
		c.Abandoned = "the URI was not finished"
		if u.Err != nil {
			c.Abandoned = u.Err.Error()
		}
	}
	t.lens[u.Span.File] = u.Span.End
	return t.b.Set(schema.CaptureKey(u.Span.File, u.Span.Start), c.Encode(), nil)
}

// deferred puts the prerequisite ahead of the URI, which keeps its place.
func (t *tx) deferred(r *schema.Record, u *crawl.CrawlURI) error {
	p := u.Prereq
	if p == nil {
		return fmt.Errorf("%s waits for a prerequisite that is not named", u.URL)
	}
	if p.Host != u.Host {
		return fmt.Errorf("%s waits for a prerequisite of another host, %s", u.URL, p.Host)
	}
	w, err := t.upsert(p, t.f.id(p.Key), origin{})
	if err != nil || w.State != schema.Waiting {
		return err
	}
	// It stands before the URI that waits for it. When another queue has it already,
	// this one looks again a little later.
	name := t.f.queueName(r)
	if t.f.queueName(w) == name {
		return nil
	}
	if w.Seq == t.st.Seq { // it was queued just now
		if err := t.dequeue(w); err != nil {
			return err
		}
		w.QueueName, w.State = name, schema.Parked
		t.st.Parked++
		return t.enqueue(w, w.Mode)
	}
	return t.wait(r, lookAgain)
}

// lookAgain is how long a queue rests whose URI waits for a prerequisite in another.
const lookAgain = time.Second

func (t *tx) retry(r *schema.Record, u *crawl.CrawlURI) error {
	r.Attempts++
	t.st.Retried++
	cfg := &t.f.cfg
	h, hash, err := t.queue(r)
	if err != nil {
		return err
	}
	t.spend(h, t.f.order.ErrorPenalty)
	switch {
	case crawl.IsDNS(r.Key):
		t.failed[hash] = true
		return t.wait(r, cfg.DNSRetryDelay)
	case u.Status.IsHTTP():
		t.failed[hash] = true
		return errors.Join(t.request(h, u), t.wait(r, cfg.failure(&h.Host, u)), t.originAnswered(r, false))
	}
	return errors.Join(t.request(h, u), t.wait(r, cfg.delay(u)), t.originFailed(r, false))
}

// wait makes the queue of a URI rest.
func (t *tx) wait(r *schema.Record, rest time.Duration) error {
	h, hash, err := t.queue(r)
	if err != nil {
		return err
	}
	if t.f.cfg.ConnectionsPerHost > 1 { // what another URI asks for holds as well
		rest = max(rest, min(h.Wake.Sub(t.f.wall()), t.f.longest))
	}
	h.Wake = ceilMillis(t.f.wall().Add(rest))
	h.Resting = rest > longRest
	t.rest[hash] = rest
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

// fresh reports whether the URI was archived with its body: of a revisit without
// one, the earlier capture is still the one to judge and to refer to.
func fresh(u *crawl.CrawlURI) bool {
	return u.Span != nil && !u.Response.IsZero() && !u.NotModified
}

// visited lets the host rest that was asked for a URI that is done.
func (t *tx) visited(r *schema.Record, u *crawl.CrawlURI) error {
	silent := u.Mode == crawl.ModeFetch &&
		(u.Status == crawl.StatusConnectFailed || u.Status == crawl.StatusConnectionLost || u.Status == crawl.StatusTimeout)
	if !silent && !requested(u) {
		return nil
	}
	h, hash, err := t.queue(r)
	if err != nil {
		return err
	}
	cfg := &t.f.cfg
	rest := cfg.delay(u)
	switch {
	case u.Status == 429, u.Status == 503, u.Status == 403 && refused(&h.Host, cfg.RefusedBurst):
		rest = cfg.failure(&h.Host, u) // that it was the last attempt is no comfort to the server
		t.failed[hash] = true
	case u.Status.IsHTTP() && u.Status != 403:
		answered(&h.Host)
	}
	page := !crawl.IsRobots(r.Key)
	if page && (silent || u.Status.IsHTTP()) {
		h.GaveUp = silent
	}
	t.asked(h, u)
	err = errors.Join(t.request(h, u), t.wait(r, rest))
	switch {
	case silent:
		err = errors.Join(err, t.originFailed(r, page))
	case u.Status.IsHTTP():
		err = errors.Join(err, t.originAnswered(r, page))
	}
	return err
}

func (t *tx) done(r *schema.Record, u *crawl.CrawlURI) error {
	if err := errors.Join(t.tally(u), t.quota(r)); err != nil {
		return err
	}
	if err := t.visited(r, u); err != nil {
		return err
	}
	if err := t.dequeue(r); err != nil {
		return err
	}
	was, had := r.Outcome, r.Finishes > 0
	r.State = schema.Done
	t.st.Finished++
	r.Finishes++
	r.Last = millis(t.f.o.Clock.Now())
	r.Force = false
	r.Outcome = u.Outcome()
	if !had {
		was = crawl.Outcome{}
	}
	if err := t.account(r, was, had); err != nil {
		return err
	}
	if fresh(u) {
		r.Response, r.Metadata, r.RecordID = u.Response, u.Metadata, u.RecordID
		r.Date, r.Digest = millis(u.Started), u.Digest
		r.ETag, r.LastModified = u.Header("ETag"), u.Header("Last-Modified")
	}
	if u.Judged != nil {
		r.Judgings++
	}
	for _, l := range u.Lines {
		t.lines[l.Log] = append(t.lines[l.Log], l.Text...)
		t.count[l.Log]++
	}
	if err := t.links(r, u); err != nil {
		return err
	}
	if r.Outcome.Class == crawl.ClassRedirect {
		if err := t.edge(r, u); err != nil {
			return err
		}
	}
	if r.Targeted && r.Outcome.Valid() && !was.Valid() {
		if err := t.addWork(schema.WorkKeep, r.ID); err != nil {
			return err
		}
	}
	if ways := u.Reached(); r.State == schema.Done && (r.Claim != u.Claim || r.Ways() != ways) { // they grew while the URI was in process
		if err := t.grown(r, u.Claim, ways); err != nil {
			return err
		}
	}
	if r.State == schema.Done && t.f.order.nearer(r, u.Hops, r.Hops) { // so did what leads to it
		return t.leadAgain(r)
	}
	return nil
}

// account keeps the statistics: a URI counts once, however often it finishes.
func (t *tx) account(r *schema.Record, was crawl.Outcome, had bool) error {
	add := func(n *int64, before, now bool) {
		switch {
		case now && !before:
			*n++
		case before && !now:
			*n--
		}
	}
	add(&t.st.Archived, was.Archived, r.Outcome.Archived)
	add(&t.st.Judged, was.Judged, r.Outcome.Judged)
	add(&t.st.Valid, was.Valid(), r.Outcome.Valid())
	add(&t.st.Failed, had && Failed(was.Status), Failed(r.Outcome.Status))
	add(&t.st.Disregarded, had && excluded(was.Status), excluded(r.Outcome.Status))
	return t.countValid(r.Host, was.Valid(), r.Outcome.Valid())
}

func excluded(s crawl.Status) bool {
	switch s {
	case crawl.StatusRobots, crawl.StatusOutOfScope, crawl.StatusBlockedByUser, crawl.StatusBlockedByProcessor,
		crawl.StatusTooManyLinkHops, crawl.StatusTooManyEmbedHops, crawl.StatusQuota, crawl.StatusDeletedByUser:
		return true
	}
	return false
}

// keptLinks is how many bytes of outlinks of a page are kept in the state; of a page
// with more they are read back from its metadata record.
const keptLinks = 1024

// mostKept is how many links that can be: a link of the same host takes 9 bytes.
const mostKept = keptLinks/schema.OwnLinkLen + 1

// links makes the URI's outlinks known, and keeps them where a claim that grows
// later must reach them without a second request.
func (t *tx) links(r *schema.Record, u *crawl.CrawlURI) error {
	if r.Outcome.Archived && !fresh(u) && len(u.Links) == 0 {
		// Those of the capture that counts stay; the claims may be greater than when
		// they were found.
		return t.addWork(schema.WorkLinks, r.ID)
	}
	kept := schema.NoLinks()
	// The metadata record does not have the links of a type that was not known when it was written.
	most := keptLinks
	if u.Mode == crawl.ModeJudge && !r.LinksInMetadata {
		most = math.MaxInt
	}
	from := t.f.order.origin(r, u)
	r.Leads, r.Left = false, r.Left && t.req.ahead > 0
	empty, err := t.empty(r, u)
	if err != nil {
		return err
	}
	for i := range u.Links {
		c := &u.Links[i]
		if c.Key != r.Key {
			r.Leads = r.Leads || leads(c)
			r.Left = r.Left || t.f.order.beside(c)
		}
		if i < t.req.ahead && c.Key != r.Key { // it was seen to
			if len(kept) > most {
				continue
			}
			child, _, err := t.lookup(c.Key)
			if err != nil {
				return err
			}
			if child != nil {
				kept = schema.AppendLink(kept, r.ID.Host, schema.Link{ID: child.ID, Kind: c.Kind})
			}
			continue
		}
		if c.Key == r.Key {
			if err := t.selfRedirect(r, c); err != nil {
				return err
			}
			continue
		}
		if from.empty = empty; empty > 0 && !alike(r.URL, c.URL) {
			from.empty = 0
		}
		if !t.f.order.follow(from, r.URL, c) {
			t.st.Refused++
			r.Left = true
			continue
		}
		child, err := t.upsert(c, t.req.ids[i], from)
		if err != nil {
			return err
		}
		if child == nil {
			continue
		}
		if len(kept) <= most {
			kept = schema.AppendLink(kept, r.ID.Host, schema.Link{ID: child.ID, Kind: c.Kind})
		}
	}
	redirect := r.Outcome.Class == crawl.ClassRedirect
	// Where no profile has a depth, only a file that is archived without being
	// flagged (a PDF under B) can come to pass more on.
	grows := t.f.o.Depths.Flags(r.Claim, r.Outcome).Max() < 0
	for _, d := range t.f.o.Depths.D {
		grows = grows || d > 0
	}
	r.LinksInMetadata = len(kept) > most && r.Outcome.Archived
	if len(kept) == schema.NoLinksLen || r.LinksInMetadata || !redirect && !(grows && r.Outcome.Archived) {
		if r.Finishes == 1 {
			return nil
		}
		t.set[string(schema.LinksKey(r.ID))] = nil // those of an earlier capture
		return t.b.Delete(schema.LinksKey(r.ID), nil)
	}
	return t.setRow(schema.LinksKey(r.ID), kept)
}

// selfRedirect follows a redirect whose target has its source's key in the form
// found, a bounded number of times.
func (t *tx) selfRedirect(r *schema.Record, c *crawl.Candidate) error {
	if c.Kind != crawl.LinkRedirect || c.URL == r.URL || r.Redirects >= t.f.cfg.SelfRedirects || r.State != schema.Done {
		return nil
	}
	r.Redirects++
	// What is archived so far is the redirect; the page is yet to come.
	was := r.Outcome
	r.URL, r.Outcome = c.URL, crawl.Outcome{}
	if err := errors.Join(t.account(r, was, true), t.rehost(r, c.Host)); err != nil {
		return err
	}
	return t.enqueue(r, crawl.ModeFetch)
}

// edge remembers who redirects to whom: a redirect to a valid page is archived
// with it.
func (t *tx) edge(r *schema.Record, u *crawl.CrawlURI) error {
	for i := range u.Links {
		if u.Links[i].Kind != crawl.LinkRedirect || u.Links[i].Key == r.Key {
			continue
		}
		target, _, err := t.lookup(u.Links[i].Key)
		if err != nil {
			return err
		}
		if target == nil {
			continue
		}
		if err := t.b.Set(schema.RedirectKey(target.ID, r.ID), schema.Present(), nil); err != nil {
			return err
		}
		target.Targeted = true
		t.edges[target.ID] = append(t.edges[target.ID], r.ID)
		if keeps(target) {
			return t.join(r, crawl.Claim{Keep: true}, crawl.Ways{})
		}
	}
	return nil
}

// keeps reports whether redirects to the URI are archived.
func keeps(r *schema.Record) bool {
	return r.Outcome.Valid() || r.Outcome.Class == crawl.ClassRedirect && r.Claim.Keep
}
