package rules

import (
	"errors"
	"fmt"
	"math"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// Finish applies what a ToeThread handed back. It reads and changes the record and the queue of the URI, the counts of
// host, domain and source, facts, the records of its links, and the committed lengths of WARC files and logs. Afterwards
// the URI is not in process: it is pending again (retry, defer, resign) or finished.
func (t *Tx) Finish(u *crawl.CrawlURI) error {
	r, err := t.Record(u.ID)
	if err != nil {
		return err
	}
	if r != nil && r.State == schema.Done && r.Outcome.Status == crawl.StatusDeletedByUser {
		return t.deletedMeanwhile(r, u)
	}
	if r == nil || r.State != schema.Pending {
		return fmt.Errorf("%s was handed back, but is not in process", u.URL)
	}
	t.Returned = append(t.Returned, u.ID)
	if u.Disposition == crawl.Done {
		t.vias[r.URL] = r.ID
	}
	q, _, err := t.QueueOf(r)
	if err != nil {
		return err
	}
	q.Until = time.Time{}
	q.Snoozed = t.env.Config.ConnectionsPerHost > 1 && q.Wake.Sub(t.env.Wall()) > ResidentSnooze // another URI failed
	if err := t.learnFacts(u); err != nil {
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

// deletedMeanwhile handles a URI that an operator deleted just when it was offered: its capture is abandoned, and the
// queue is snoozed as after any request.
func (t *Tx) deletedMeanwhile(r *schema.Record, u *crawl.CrawlURI) error {
	t.Returned = append(t.Returned, u.ID)
	u.Disposition = crawl.Resign
	return errors.Join(t.learnFacts(u), t.capture(u), t.resigned(r, u))
}

// capture stores the span of the capture that was written. When the URI is not finished, the capture stays in the
// archive as abandoned.
func (t *Tx) capture(u *crawl.CrawlURI) error {
	if u.Span == nil {
		return nil
	}
	c := schema.Capture{Span: *u.Span, ID: u.ID, Response: !u.Response.IsZero(), Carried: u.Carried}
	if u.Original != nil {
		c.Original = u.Original.Ref
	}
	if u.Disposition != crawl.Done {
		c.Abandoned = "the URI was not finished"
		if u.Err != nil {
			c.Abandoned = u.Err.Error()
		}
	}
	t.Lengths[u.Span.File] = u.Span.End
	t.w.Set(schema.CaptureKey(u.Span.File, u.Span.Start), c.Encode())
	return nil
}

// maxDeferred is the longest that a queue rests without a request: whoever takes the reason away without saying so, as a
// restart with other sheets does, waits no longer.
const maxDeferred = 10 * time.Minute

// deferred puts the prerequisite ahead of the URI, which keeps its place.
func (t *Tx) deferred(r *schema.Record, u *crawl.CrawlURI) error {
	p := u.Prereq
	if p == nil && u.Wait > 0 {
		return t.snoozeOffHours(r, u.Wait)
	}
	if p == nil {
		return fmt.Errorf("%s waits for a prerequisite that is not named", u.URL)
	}
	if p.Host != u.Host {
		return fmt.Errorf("%s waits for a prerequisite of another host, %s", u.URL, p.Host)
	}
	w, err := t.Discover(p, t.env.Salt.ID(p.Key), LinkOrigin{})
	if err != nil || w.State != schema.Pending {
		return err
	}
	// The prerequisite precedes the URI. When another queue has it already, this one tries again a little later.
	name := t.env.QueueName(r)
	if t.env.QueueName(w) == name {
		return nil
	}
	if w.Seq == t.Counters.Seq { // it was queued just now
		if err := t.Dequeue(w); err != nil {
			return err
		}
		w.QueueName, w.State = name, schema.Parked
		t.Counters.Parked++
		return t.Enqueue(w, w.Mode)
	}
	return t.snooze(r, prereqRetryDelay)
}

// snoozeOffHours snoozes the queue of a URI that was due outside the hours of a sheet. While the delay of another URI still
// holds (more than one connection), it is not marked: [Tx.WakeOffHours] would end the delay, too.
func (t *Tx) snoozeOffHours(r *schema.Record, wait time.Duration) error {
	h, _, err := t.QueueOf(r)
	if err != nil {
		return err
	}
	delayed := h.Wake.After(t.env.Wall())
	if err := t.snooze(r, min(wait, maxDeferred, t.env.Config.LongestSnooze())); err != nil {
		return err
	}
	h.OffHours = !delayed
	return nil
}

// prereqRetryDelay is how long a queue is snoozed whose URI needs a prerequisite that is in another queue.
const prereqRetryDelay = time.Second

// retry counts a failed attempt: the URI stays in its queue, which backs off, or its origin does. It changes the record,
// the queue and the origin.
func (t *Tx) retry(r *schema.Record, u *crawl.CrawlURI) error {
	r.Attempts++
	r.Failure, r.FailedAt = u.Status, schema.Millis(t.env.Now())
	t.Counters.Retried++
	cfg := &t.env.Config
	h, _, err := t.QueueOf(r)
	if err != nil {
		return err
	}
	t.spend(h, t.env.Order.ErrorPenalty)
	switch {
	case crawl.IsDNS(r.Key):
		h.Failed = true
		return t.snooze(r, cfg.DNSRetryDelay)
	case u.Status.IsHTTP():
		h.Failed = true
		return errors.Join(t.countRequest(h, u), t.snooze(r, cfg.backOffAfter(&h.Host, u)), t.originAnswered(r, false))
	}
	return errors.Join(t.countRequest(h, u), t.snooze(r, cfg.delay(u)), t.originFailed(r, false))
}

// hasNewBody reports whether the URI was archived with its body. After a revisit record without one, the earlier
// capture is still the one to judge and to refer to.
func hasNewBody(u *crawl.CrawlURI) bool {
	return u.Span != nil && !u.Response.IsZero() && !u.NotModified
}

// done finishes a URI: it leaves its queue and is counted, its outcome is stored, its links become known, and claims of
// redirects to it are passed on. Afterwards it is finished, or pending again because its claim grew meanwhile.
func (t *Tx) done(r *schema.Record, u *crawl.CrawlURI) error {
	if err := errors.Join(t.countVisit(u), t.retireWhenSpent(r)); err != nil {
		return err
	}
	if err := t.snoozeAfterVisit(r, u); err != nil {
		return err
	}
	if err := t.Dequeue(r); err != nil {
		return err
	}
	was, had := r.Outcome, r.Finishes > 0
	r.State = schema.Done
	t.Counters.Finished++
	r.Finishes++
	r.Last = schema.Millis(t.env.Now())
	r.Force = false
	r.Outcome = u.Outcome()
	if !had {
		was = crawl.Outcome{}
	}
	if err := t.countOutcome(r, was, had); err != nil {
		return err
	}
	if hasNewBody(u) {
		r.Response, r.RecordID = u.Response, u.RecordID
		if !u.Metadata.IsZero() { // else the one before holds still: the content did not change
			r.Metadata = u.Metadata
		}
		r.Date, r.Digest = schema.Millis(u.Started), u.Digest
		r.ETag, r.LastModified = u.Header("ETag"), u.Header("Last-Modified")
		t.payload(r, u)
	}
	if u.Judged != nil {
		r.Judgings++
	}
	for _, l := range u.Lines {
		t.Lines[l.Log] = append(t.Lines[l.Log], l.Text...)
		t.LineCounts[l.Log]++
	}
	if err := t.links(r, u); err != nil {
		return err
	}
	if r.Outcome.Class == crawl.ClassRedirect {
		if err := t.noteRedirects(r, u); err != nil {
			return err
		}
	}
	if r.RedirectTarget && r.Outcome.Valid() && !was.Valid() {
		if err := t.addWork(schema.WorkKeep, r.ID); err != nil {
			return err
		}
	}
	if ways := u.Reached(); r.State == schema.Done && (r.Claim != u.Claim || r.Ways() != ways) { // they grew while the URI was in process
		if err := t.claimGrew(r, u.Claim, ways); err != nil {
			return err
		}
	}
	if r.State == schema.Done && t.env.Order.nearerMatters(r, u.Hops, r.Hops) { // it was found over fewer hops meanwhile
		return t.followLinksAgain(r)
	}
	return nil
}

// payload notes whose payload the URI's new record has: its own, which later ones may refer to, or an earlier one's.
// A revisit record has no validators: an answer 304 would refer to it, and replay follows one such step only.
func (t *Tx) payload(r *schema.Record, u *crawl.CrawlURI) {
	r.Original = crawl.Ref{}
	switch {
	case u.Original != nil:
		r.Original, r.ETag, r.LastModified = u.Original.Ref, "", ""
	case u.Payload != nil:
		t.w.Set(schema.PayloadKey(u.Payload.Name), schema.EncodePayload(&crawl.Original{Ref: u.Response, ID: u.RecordID, URL: u.Payload.URL, Date: r.Date, Digest: u.Digest}))
	}
}

// countOutcome counts a URI once, however often it finishes.
func (t *Tx) countOutcome(r *schema.Record, was crawl.Outcome, had bool) error {
	add := func(n *int64, before, now bool) {
		switch {
		case now && !before:
			*n++
		case before && !now:
			*n--
		}
	}
	add(&t.Counters.Archived, was.Archived, r.Outcome.Archived)
	add(&t.Counters.Judged, was.Judged, r.Outcome.Judged)
	add(&t.Counters.Valid, was.Valid(), r.Outcome.Valid())
	add(&t.Counters.Failed, had && Failed(was.Status), Failed(r.Outcome.Status))
	add(&t.Counters.Disregarded, had && Excluded(was.Status), Excluded(r.Outcome.Status))
	return t.countVerdict(r.Host, was, r.Outcome)
}

// Failed reports whether a status counts as a failure: no server answered, or the crawler failed. A URI that was left
// out on purpose (robots.txt, scope, a quota, an operator) did not fail.
func Failed(s crawl.Status) bool { return s < 0 && !Excluded(s) }

// Excluded reports whether a status means that the URI was left out on purpose.
func Excluded(s crawl.Status) bool {
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
func (t *Tx) links(r *schema.Record, u *crawl.CrawlURI) error {
	if r.Outcome.Archived && !hasNewBody(u) && len(u.Links) == 0 {
		// The links of the earlier capture stay; the claims may have grown since.
		return t.addWork(schema.WorkLinks, r.ID)
	}
	kept := schema.NoLinks()
	// The metadata record does not have the links of a type that was not known when it was written.
	most := keptLinks
	if u.Mode == crawl.ModeJudge && !r.LinksInMetadata {
		most = math.MaxInt
	}
	from := t.env.Order.LinkOrigin(r, u)
	r.LeadsToPages, r.SkippedLinks = false, r.SkippedLinks && t.Request.Ahead > 0
	empty, err := t.emptyRun(r, u)
	if err != nil {
		return err
	}
	for i := range u.Links {
		c := &u.Links[i]
		if c.Key != r.Key {
			r.LeadsToPages = r.LeadsToPages || isPageLink(c)
			r.SkippedLinks = r.SkippedLinks || t.env.Order.mayHideLinks(c)
		}
		if i < t.Request.Ahead && c.Key != r.Key { // it was discovered before
			if len(kept) > most {
				continue
			}
			child, _, err := t.Lookup(c.Key)
			if err != nil {
				return err
			}
			if child != nil {
				kept = schema.AppendLink(kept, r.ID.Host, schema.Link{ID: child.ID, Kind: c.Kind})
			}
			continue
		}
		if c.Key == r.Key {
			if err := t.selfRedirect(r, c, u.NewCookies); err != nil {
				return err
			}
			continue
		}
		if from.empty = empty; empty > 0 && !alike(r.URL, c.URL) {
			from.empty = 0
		}
		if !t.env.Order.follow(from, r.URL, c) {
			t.Counters.Refused++
			r.SkippedLinks = true
			continue
		}
		child, err := t.Discover(c, t.Request.IDs[i], from)
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
	grows := t.env.Depths.Flags(r.Claim, r.Outcome).Max() < 0
	for _, d := range t.env.Depths.D {
		grows = grows || d > 0
	}
	r.LinksInMetadata = len(kept) > most && r.Outcome.Archived
	if len(kept) == schema.NoLinksLen || r.LinksInMetadata || !redirect && !(grows && r.Outcome.Archived) {
		if r.Finishes == 1 {
			return nil
		}
		t.set[string(schema.LinksKey(r.ID))] = nil // those of an earlier capture
		t.w.Delete(schema.LinksKey(r.ID))
		return nil
	}
	t.setRow(schema.LinksKey(r.ID), kept)
	return nil
}
