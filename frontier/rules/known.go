package rules

import (
	"exclave/crawl"
	"exclave/frontier/schema"
)

// countKnown counts a URI that becomes known; fresh says that its host is new.
func (t *Tx) countKnown(r *schema.Record, fresh bool) error {
	h, err := t.Host(r.Host)
	if err != nil {
		return err
	}
	h.Known++
	countGuess(&h.Host, false, isGuess(r))
	d, err := t.Domain(r.Host)
	if d == nil || err != nil {
		return err
	}
	d.Known++
	if fresh {
		d.Hosts++
	}
	return nil
}

// uncountKnown removes a URI from the counts of its host. The caller handles a host that has none left.
func (t *Tx) uncountKnown(r *schema.Record) (h *Queue, d *Domain, err error) {
	if h, err = t.Host(r.Host); err != nil {
		return nil, nil, err
	}
	h.Known--
	countGuess(&h.Host, isGuess(r), false)
	if d, err = t.Domain(r.Host); d != nil {
		d.Known--
	}
	return h, d, err
}

// isGuess reports whether a URI is known only because useless pages lead to it. Embeds are no guesses, nor are links of
// seeds or links within a depth. That its file would be archived makes no difference.
func isGuess(r *schema.Record) bool {
	if r.Found < schema.FoundUseless || r.Seed || r.Claim.IsZero() || r.IsPrereq() || crawl.LinkHops(r.Hops) <= 1 {
		return false
	}
	return !r.Needed() || r.Kind == crawl.LinkNav && !r.Claim.Keep && r.Claim.Link == [crawl.MaxProfiles]int32{}
}

// countGuess updates the number of guesses of a host for a URI that was a guess or not, and is one now or not.
func countGuess(h *schema.Host, was, is bool) {
	switch {
	case is && !was:
		h.Guessed++
	case was && !is && h.Guessed > 0:
		h.Guessed--
	}
}

// guessChanged updates the number of guesses of its host after a change of a known URI.
func (t *Tx) guessChanged(r *schema.Record, was bool) error {
	if isGuess(r) == was {
		return nil
	}
	h, err := t.Host(r.Host)
	if err != nil {
		return err
	}
	countGuess(&h.Host, was, !was)
	return nil
}

// Rehost moves a URI to the counts of another host.
func (t *Tx) Rehost(r *schema.Record, host string) error {
	if host == r.Host {
		return nil
	}
	h, d, err := t.uncountKnown(r)
	if err != nil {
		return err
	}
	if d != nil && h.Known == 0 {
		d.Hosts--
	}
	_, fresh, err := t.hostOf(host)
	if err != nil {
		return err
	}
	r.Host = host
	return t.countKnown(r, fresh)
}

// countVerdict updates the judged and the valid pages of host and domain.
func (t *Tx) countVerdict(host string, was, is crawl.Outcome) error {
	if was.Judged == is.Judged && was.ValidFor == is.ValidFor {
		return nil
	}
	h, err := t.Host(host)
	if err != nil {
		return err
	}
	count := func(n *uint64, before, now bool) {
		switch {
		case now && !before:
			*n++
		case before && !now && *n > 0: // 0: it was judged before this program counted
			*n--
		}
	}
	count(&h.Judged, was.Judged, is.Judged)
	for i := range h.ValidFor {
		bit := uint8(1) << i
		count(&h.ValidFor[i], was.ValidFor&bit != 0, is.ValidFor&bit != 0)
	}
	before, now := was.Valid(), is.Valid()
	if before == now {
		return nil
	}
	d, err := t.Domain(host)
	if err != nil {
		return err
	}
	by := uint64(1)
	if before {
		by = ^by + 1
	}
	h.Valid += by
	if d != nil {
		d.Valid += by
	}
	return nil
}

// hostOf returns the row of a host without creating it; fresh says that the host is not known.
func (t *Tx) hostOf(name string) (h *Queue, fresh bool, err error) {
	hash := t.env.Salt.Hash(name)
	if h := t.Queues[hash]; h != nil {
		return h, h.Known == 0, nil
	}
	v, err := t.hostValue(hash)
	if err != nil {
		return nil, false, err
	}
	if v == nil {
		return &Queue{Host: schema.Host{Name: name}}, true, nil
	}
	if h, err = t.Host(name); err != nil {
		return nil, false, err
	}
	return h, h.Known == 0, nil
}
