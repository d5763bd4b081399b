package rules

import (
	"exclave/crawl"
	"exclave/frontier/schema"
)

// isPageLink reports whether a link leads to a page, which has links of its own.
func isPageLink(c *crawl.Candidate) bool {
	return c.Kind != crawl.LinkEmbed && !c.Claim.IsZero()
}

// mayHideLinks reports whether the target of a link that is no navigation (a frame, an address in a script) is so many
// hops away that its links may not be followed.
func (o *Order) mayHideLinks(c *crawl.Candidate) bool {
	hop := c.Hops[max(len(c.Hops)-1, 0):]
	return (hop == "" || !crawl.IsNavigation(hop[0])) && hop != string(rune(crawl.HopRedirect)) && !c.Claim.IsZero() && crawl.LinkHops(c.Hops) >= o.FollowedHops
}

// skipsLinks reports whether there are pages whose links are not followed.
func (o *Order) skipsLinks() bool {
	return !o.FollowUseless && (o.UselessPages > 0 || o.EmptyPages > 0)
}

// nearerMatters reports whether the links of a finished URI must be followed again because it is found over fewer hops
// now: links that were skipped are within followed_hops now, or those of the second page behind it may be. That happens
// at most followed_hops times, because the hops are fewer each time.
func (o *Order) nearerMatters(r *schema.Record, was, now string) bool {
	n, p := crawl.LinkHops(now), crawl.LinkHops(was)
	if n >= p || !o.skipsLinks() || !r.LeadsToPages {
		return false
	}
	switch {
	case r.Outcome.Class == crawl.ClassRedirect:
		return n <= o.FollowedHops
	case r.SkippedLinks:
		return n < o.FollowedHops
	}
	return n <= o.FollowedHops-3
}

// followLinksAgain follows the links of a finished URI again: that of a redirect is stored, an archived page is judged
// again, any other URI is requested again.
func (t *Tx) followLinksAgain(r *schema.Record) error {
	switch {
	case r.Outcome.Class == crawl.ClassRedirect && !r.SkippedLinks:
		return t.addWork(schema.WorkLinks, r.ID)
	case r.Outcome.Archived:
		return t.Enqueue(r, crawl.ModeJudge)
	}
	return t.Enqueue(r, crawl.ModeFetch)
}

// redirectNearer gives the target of a redirect the redirect's hops if these are fewer.
func (t *Tx) redirectNearer(r, target *schema.Record) error {
	if !t.env.Order.skipsLinks() {
		return nil
	}
	hops := r.Hops + string(rune(crawl.HopRedirect))
	was, again := isGuess(target), target.State == schema.Done && t.env.Order.nearerMatters(target, target.Hops, hops)
	if (again || target.State != schema.Done) && fewerHops(hops, target.Hops) {
		target.OwnWays, target.Hops = target.Ways(), hops
		target.ViaID, target.Via = r.ID, ""
	}
	if t.env.Order.follows && r.Found.Better(target.Found) {
		target.Found = r.Found
	}
	if err := t.guessChanged(target, was); err != nil {
		return err
	}
	if again {
		return t.followLinksAgain(target)
	}
	return t.promote(target)
}
