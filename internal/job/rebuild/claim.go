package rebuild

import (
	"slices"
	"strings"

	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/crawllog"
	"exclave/internal/urlx"
)

// candidate is the URI of a line, with the claim that it must have had.
func (r *replay) candidate(e crawllog.Entry) (c crawl.Candidate, err error) {
	hops := strings.Repeat("L", e.EarlierHops) + e.Hops
	c = crawl.Candidate{URL: e.URL, Via: e.Via, Hops: hops, SourceTag: e.Source, Kind: crawl.LinkNav, Context: e.Facts().Found}
	if host, ok := crawl.DNSHost(e.URL); ok {
		c.Key, c.Host, c.Force = e.URL, host, true
		return c, nil
	}
	u, err := urlx.Parse(e.URL)
	if err != nil {
		return c, err
	}
	c.Key, c.Host = r.Config.URL.Key(u), u.Hostname()
	if crawl.PrereqHops(hops) {
		c.Key, c.Force = crawl.RobotsKey(u.Origin()), true
		return c, nil
	}
	c.Seed = hops == ""
	if c.Context == "" && hops != "" && hops[len(hops)-1] == crawl.HopSpeculative {
		if c.Context, err = r.index.neededAs(c.Key, e.Via); err != nil {
			return c, err
		}
	}
	return c, r.claim(&c, e)
}

// claim sets the claim that follows from a line, beyond what is known from the pages that link to the URI.
func (r *replay) claim(c *crawl.Candidate, e crawllog.Entry) error {
	known, err := r.builder.Lookup(c.Key)
	if err != nil {
		return err
	}
	var have crawl.Claim
	if known != nil {
		have = known.Claim
	}
	c.Claim.Analyse = c.Seed
	if via, err := r.via(e.Via); err != nil {
		return err
	} else if via != nil && !via.Outcome.Archived {
		c.Kind = kindOfHop(c.Hops, c.Context, via.Outcome.Class)
		c.Claim = c.Claim.Join(r.depths.Child(via.Claim, via.Outcome, c.Kind))
	}
	said := e.Facts()
	c.Claim.Analyse = c.Claim.Analyse || said.Analysed
	c.Claim.Bin = c.Claim.Bin || said.BinLink
	if said.Linked {
		r.link(&c.Claim, have, said.Depth)
	}
	if c.Claim.Join(have).IsZero() { // it was fetched, so something claimed it
		c.Claim.Analyse = true
	}
	return nil
}

// link adds a depth to a claim when nothing that is known has as much. Of which profile it is a line does
// not say: the one that goes no further than it must.
func (r *replay) link(c *crawl.Claim, have crawl.Claim, depth int32) {
	if slices.Max(have.Link[:]) > depth || slices.Max(c.Link[:]) > depth {
		return
	}
	best := -1
	for i, d := range r.depths.D {
		if d >= depth && (best < 0 || d < r.depths.D[best]) {
			best = i
		}
	}
	if best >= 0 {
		c.Link[best] = depth + 1
	}
}

// via returns the page that a URI was found on, nil when it is not known.
func (r *replay) via(url string) (*frontier.Record, error) {
	u, err := urlx.Parse(url)
	if url == "" || err != nil {
		return nil, nil
	}
	via, err := r.builder.Lookup(r.Config.URL.Key(u))
	if via == nil || err != nil || via.Finishes == 0 {
		return nil, err
	}
	return via, nil
}

// kindOfHop is how a page refers to a URI, by the last letter of the hop path, and where it is.
func kindOfHop(hops, context string, via crawl.TypeClass) crawl.LinkKind {
	switch {
	case hops == "":
	case hops[len(hops)-1] == crawl.HopEmbed, hops[len(hops)-1] == crawl.HopInferred:
		return crawl.LinkEmbed
	case hops[len(hops)-1] == crawl.HopSpeculative && context == "js/fetch":
		return crawl.LinkEmbed
	case hops[len(hops)-1] == crawl.HopSpeculative:
		return crawl.LinkSpeculative
	case hops[len(hops)-1] == crawl.HopRedirect && via == crawl.ClassRedirect:
		return crawl.LinkRedirect
	}
	return crawl.LinkNav
}
