package rules

import (
	"slices"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// Join joins a claim and ways to those of a record, and applies what follows. Afterwards a claimed URI is not parked, a
// pending one has the right precedence, and a finished one is queued again when its outcome does not cover the claim.
// Claims only grow, so that the order of calls does not matter.
func (t *Tx) Join(r *schema.Record, c crawl.Claim, w crawl.Ways) error {
	claim, ways := r.Claim, r.Ways()
	r.Claim = claim.Join(c)
	joined := ways.Join(w)
	if r.Claim == claim && joined == ways {
		return nil
	}
	r.SetWays(joined)
	switch r.State {
	case schema.Parked:
		if !r.Claim.IsZero() {
			return t.Enqueue(r, crawl.ModeFetch)
		}
	case schema.Pending:
		return t.promote(r)
	case schema.Done:
		return t.claimGrew(r, claim, ways)
	}
	return nil
}

// claimGrew handles a finished URI whose claim or ways grew beyond what it was processed with: it is queued again, or a
// work item passes the claim on to its links.
func (t *Tx) claimGrew(r *schema.Record, old crawl.Claim, ways crawl.Ways) error {
	d := &t.env.Depths
	redirect := r.Outcome.Class == crawl.ClassRedirect
	if redirect && r.RedirectTarget && r.Claim.Keep && !old.Keep {
		if err := t.addWork(schema.WorkKeep, r.ID); err != nil {
			return err
		}
	}
	switch max(d.Again(r.Claim, r.Outcome), d.AgainBy(r.Outcome, old, r.Claim, ways, r.Ways())) {
	case crawl.AgainFetch:
		return t.Enqueue(r, crawl.ModeFetch)
	case crawl.AgainJudge:
		if err := t.Enqueue(r, crawl.ModeJudge); err != nil {
			return err
		}
	}
	old.Keep = r.Claim.Keep
	if redirect && (r.Claim != old || r.Ways() != ways) || r.Outcome.Archived && d.Flags(r.Claim, r.Outcome) != d.Flags(old, r.Outcome) {
		return t.addWork(schema.WorkLinks, r.ID)
	}
	return nil
}

// noteRedirects stores the targets of a redirect: a redirect to a valid page is archived too.
func (t *Tx) noteRedirects(r *schema.Record, u *crawl.CrawlURI) error {
	for i := range u.Links {
		if u.Links[i].Kind != crawl.LinkRedirect || u.Links[i].Key == r.Key {
			continue
		}
		target, _, err := t.Lookup(u.Links[i].Key)
		if err != nil {
			return err
		}
		if target == nil {
			continue
		}
		t.w.Set(schema.RedirectKey(target.ID, r.ID), schema.Present())
		target.RedirectTarget = true
		t.edges[target.ID] = append(t.edges[target.ID], r.ID)
		if u.CookiesOn {
			if err := t.goBack(target, r); err != nil {
				return err
			}
		}
		if keepsRedirects(target) {
			return t.Join(r, crawl.Claim{Keep: true}, crawl.Ways{})
		}
	}
	return nil
}

// keepsRedirects reports whether redirects to the URI are archived.
func keepsRedirects(r *schema.Record) bool {
	return r.Outcome.Valid() || r.Outcome.Class == crawl.ClassRedirect && r.Claim.Keep
}

// selfRedirect follows a redirect whose target has its source's key in the form
// found, or itself when cookies say that the answer will be another one, a bounded number of times.
func (t *Tx) selfRedirect(r *schema.Record, c *crawl.Candidate, cookies bool) error {
	if c.Kind != crawl.LinkRedirect || c.URL == r.URL && !cookies || r.Redirects >= t.env.Config.SelfRedirects || r.State != schema.Done {
		return nil
	}
	r.URL = c.URL
	return t.askAgain(r, c.Host)
}

// askAgain queues a redirect whose answer will be another one, of a host. What is archived so far is the redirect; the page is yet to come.
func (t *Tx) askAgain(r *schema.Record, host string) error {
	r.Redirects++
	was := r.Outcome
	r.Outcome = crawl.Outcome{}
	if err := t.countOutcome(r, was, true); err != nil {
		return err
	}
	if err := t.Rehost(r, host); err != nil {
		return err
	}
	return t.Enqueue(r, crawl.ModeFetch)
}

// maxRound is how many redirects a way back to where it began has, at most.
const maxRound = 5

// goBack asks again for a redirect to which the last of those goes back that it began: a page that leads over another one, which asks
// for consent, to itself. One that was asked for again itself sends nobody back.
func (t *Tx) goBack(target, last *schema.Record) error {
	if last.Redirects > 0 || target.State != schema.Done || target.Outcome.Class != crawl.ClassRedirect || target.Redirects >= t.env.Config.SelfRedirects {
		return nil
	}
	for r, hop := target, 0; r != nil && !r.LinksInMetadata && hop < maxRound; hop++ {
		links, err := t.linksOf(r)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(links, func(l schema.Link) bool { return l.Kind == crawl.LinkRedirect })
		switch {
		case i < 0:
			return nil
		case links[i].ID == last.ID:
			return t.askAgain(target, target.Host)
		}
		if r, err = t.Record(links[i].ID); err != nil {
			return err
		}
	}
	return nil
}
