package rules

import (
	"exclave/crawl"
	"exclave/frontier/schema"
)

// leads reports whether a page is behind a link, that has links of its own.
func leads(c *crawl.Candidate) bool {
	return c.Kind != crawl.LinkEmbed && !c.Claim.IsZero()
}

// beside reports whether a link that is no click leads so far that links behind it may be left out:
// to a frame, to what a script has the address of.
func (o *Order) beside(c *crawl.Candidate) bool {
	hop := c.Hops[max(len(c.Hops)-1, 0):]
	return hop != string(rune(crawl.HopLink)) && hop != string(rune(crawl.HopRedirect)) && !c.Claim.IsZero() && crawl.LinkHops(c.Hops) >= o.FollowedHops
}

// leaves reports whether there are pages whose links are not followed.
func (o *Order) leaves() bool { return !o.FollowUseless && (o.UselessPages > 0 || o.EmptyPages > 0) }

// nearer reports whether a URI that was finished over hops must hand on that it is found over fewer
// now: its links that were left out are near, or those of the second page behind it may be. Each time
// the hops are fewer, so that it is followed_hops times at most.
func (o *Order) nearer(r *schema.Record, was, now string) bool {
	n, p := crawl.LinkHops(now), crawl.LinkHops(was)
	if n >= p || !o.leaves() || !r.Leads {
		return false
	}
	switch {
	case r.Outcome.Class == crawl.ClassRedirect:
		return n <= o.FollowedHops
	case r.Left:
		return n < o.FollowedHops
	}
	return n <= o.FollowedHops-3
}

// leadAgain asks for the links of a finished URI anew: a redirect's is kept, an archived page is read
// again, any other is requested.
func (t *Tx) leadAgain(r *schema.Record) error {
	switch {
	case r.Outcome.Class == crawl.ClassRedirect && !r.Left:
		return t.addWork(schema.WorkLinks, r.ID)
	case r.Outcome.Archived:
		return t.Enqueue(r, crawl.ModeJudge)
	}
	return t.Enqueue(r, crawl.ModeFetch)
}

// redirectNearer lets the target of a redirect be found on the redirect's way.
func (t *Tx) redirectNearer(r, target *schema.Record) error {
	if !t.env.Order.leaves() {
		return nil
	}
	hops := r.Hops + string(rune(crawl.HopRedirect))
	was, again := isGuess(target), target.State == schema.Done && t.env.Order.nearer(target, target.Hops, hops)
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
		return t.leadAgain(target)
	}
	return t.promote(target)
}
