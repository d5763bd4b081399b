package rules

import (
	"cmp"
	"errors"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// candidates makes the candidates of a request known.
func (t *Tx) candidates(r *Request) error {
	var from LinkOrigin
	var page *schema.Record
	if r.Page != nil {
		var err error
		page, err = t.Record(r.Page.ID)
		if err != nil {
			return err
		}
		if page != nil {
			from = t.env.Order.LinkOrigin(page, r.Page)
		}
	}
	for i := range r.Candidates {
		c := &r.Candidates[i]
		if r.Page != nil && !t.env.Order.follow(from, r.Page.URL, c) {
			t.Counters.Refused++
			if page != nil {
				page.SkippedLinks = true
			}
			continue
		}
		if _, err := t.Discover(c, r.IDs[i], from); err != nil {
			return err
		}
	}
	return nil
}

// Discover makes a candidate known, or joins its claim and ways to what is known of it. It reads and
// changes its record and the counts of its host and domain. Afterwards the record has the fewest hops that it was found
// over. It returns nil for a candidate that a cap refuses. id is where the lookup of the key begins.
func (t *Tx) Discover(c *crawl.Candidate, id crawl.ID, from LinkOrigin) (*schema.Record, error) {
	r, id, err := t.lookupAt(id, c.Key)
	if err != nil {
		return nil, err
	}
	if r == nil {
		r = &schema.Record{ID: id, URL: c.URL, Key: c.Key, Host: c.Host, Hops: c.Hops, Kind: c.Kind,
			Context: c.Context, SourceTag: c.SourceTag, Seed: c.Seed, Claim: c.Claim, Force: c.Force, State: schema.Parked,
			Found: from.found, InWanted: from.inWanted, Empty: from.empty}
		r.SetWays(c.Reached())
		h, fresh, err := t.hostOf(c.Host) // read before admit can drop its only URI
		if err != nil {
			return nil, err
		}
		ok, err := t.admit(r, h, fresh)
		if err != nil {
			return nil, err
		}
		if !ok {
			t.Counters.Refused++
			return nil, nil
		}
		if err := t.FoundOn(r, c); err != nil {
			return nil, err
		}
		if err := t.countKnown(r, fresh); err != nil { // a URI without its host could not be read
			return nil, err
		}
		t.recs[id] = r
		t.Counters.Discovered++
		t.Counters.Parked++
		if c.Claim.IsZero() && !c.Force {
			return r, nil
		}
		return r, t.Enqueue(r, crawl.ModeFetch)
	}
	was, again := isGuess(r), r.State == schema.Done && t.env.Order.nearerMatters(r, r.Hops, c.Hops)
	if (again || r.State != schema.Done) && fewerHops(c.Hops, r.Hops) {
		r.OwnWays, r.Hops = r.Ways(), c.Hops
		if err := t.FoundOn(r, c); err != nil {
			return nil, err
		}
	}
	if c.Seed && r.Hops == "" && r.Via == "" {
		r.Via = c.Via // of several logs the first one counts
	}
	r.Seed = r.Seed || c.Seed
	r.InWanted = r.InWanted || from.inWanted
	if t.env.Order.follows && from.found.Better(r.Found) {
		r.Found = from.found
	}
	r.Empty = min(r.Empty, from.empty)
	if c.Force && r.State != schema.Pending {
		r.Force = true
		r.Claim, r.OwnWays = r.Claim.Join(c.Claim), r.Ways().Join(c.Reached())
		return r, errors.Join(t.Enqueue(r, crawl.ModeFetch), t.guessChanged(r, was))
	}
	if err := errors.Join(t.Join(r, c.Claim, c.Reached()), t.guessChanged(r, was)); err != nil {
		return nil, err
	}
	if again && r.State == schema.Done {
		return r, t.followLinksAgain(r)
	}
	return r, t.promote(r)
}

// pageID returns the ID of a page that was finished, the zero ID for another.
func (t *Tx) pageID(url string) (crawl.ID, error) {
	if url == "" {
		return crawl.ID{}, nil
	}
	if id, ok := t.vias[url]; ok {
		return id, nil
	}
	r, id, err := t.Lookup(url)
	if err != nil {
		return crawl.ID{}, err
	}
	if r == nil || r.URL != url || r.Finishes == 0 { // a pending one may be dropped
		id = crawl.ID{}
	}
	t.vias[url] = id
	return id, nil
}

// FoundOn stores the page that a URI was found on. That of a seed was read by another harvest, and is kept as a URL.
func (t *Tx) FoundOn(r *schema.Record, c *crawl.Candidate) (err error) {
	if c.Seed {
		r.ViaID, r.Via = crawl.ID{}, c.Via
		return nil
	}
	if r.ViaID, err = t.pageID(c.Via); err != nil {
		return err
	}
	if r.Via = ""; r.ViaID == (crawl.ID{}) {
		r.Via = c.Via
	}
	return nil
}

// fewerHops orders paths by their link hops, then by length, then by their
// letters, so that the order of discovery cannot matter.
func fewerHops(a, b string) bool {
	return cmp.Or(cmp.Compare(crawl.LinkHops(a), crawl.LinkHops(b)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) < 0
}

// viaText returns the URL a URI was found on, within a commit.
func (t *Tx) viaText(r *schema.Record) (string, error) {
	if r.ViaID == (crawl.ID{}) {
		return r.Via, nil
	}
	page, err := t.Record(r.ViaID)
	if err != nil || page == nil {
		return "", err
	}
	return page.URL, nil
}
