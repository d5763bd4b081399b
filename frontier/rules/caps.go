package rules

import (
	"bytes"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// admit decides whether a URI may become known; fresh says that its host is new. It reads the counts of host and domain.
// When it returns true there is room, if need be because the worst pending URI of the host was dropped.
func (t *Tx) admit(r *schema.Record, h *Queue, fresh bool) (ok bool, err error) {
	l := &t.env.Limits
	if r.IsPrereq() || r.Seed || !l.caps() {
		return true, nil
	}
	d, err := t.Domain(r.Host)
	if err != nil {
		return false, err
	}
	if fresh && d != nil && l.hostsFull(&d.Domain, r.Found) && !(r.Needed() && r.Kind != crawl.LinkNav) {
		return false, nil
	}
	if l.HostGuesses > 0 && !t.env.Order.FollowUseless && isGuess(r) && h.Guessed >= uint64(l.HostGuesses)+h.Valid/validPerGuess {
		return t.makeRoom(r, isGuess)
	}
	full := func(known, valid uint64, soft, hard int64) bool {
		return hard > 0 && known >= uint64(hard) ||
			soft > 0 && known >= uint64(soft)+uint64(l.URIsPerValid)*valid && !r.Needed()
	}
	if !full(h.Known, h.Valid, l.HostURIs, l.HostURIsMax) && (d == nil || !full(d.Known, d.Valid, l.DomainURIs, l.DomainURIsMax)) {
		return true, nil
	}
	return t.makeRoom(r, anyURI)
}

// hostsFull reports whether a registered domain has as many hosts as links of such pages may make known.
func (c *LimitsConfig) hostsFull(d *schema.Domain, by schema.Found) bool {
	soft := uint64(c.HostsPerDomain)
	if by == schema.FoundValid && c.HostsPerValid > 0 {
		soft *= validHostFactor
	}
	return c.HostsPerDomainMax > 0 && d.Hosts >= uint64(c.HostsPerDomainMax) ||
		c.HostsPerDomain > 0 && d.Hosts >= soft+uint64(c.HostsPerValid)*d.Valid
}

// mostDropTries is how many URIs at the end of a queue are considered for dropping.
const mostDropTries = 32

// validPerGuess is how many valid pages of a host allow one more guess.
const validPerGuess = 4

// validHostFactor is how many times more hosts of a domain links of valid pages may make known, where the cap
// rises: the nation's blogs on a hosting service are found after many foreign ones.
const validHostFactor = 10

// anyURI chooses every URI.
func anyURI(*schema.Record) bool { return true }

// makeRoom drops the worst pending URI of the host that is of a kind, if r is better, and reports whether it did. It
// considers the last mostDropTries URIs of the queue as it was before this commit.
func (t *Tx) makeRoom(r *schema.Record, is func(*schema.Record) bool) (gave bool, err error) {
	hash, mine := t.env.Salt.Hash(t.env.QueueName(r)), t.env.Order.Precedence(r)
	if worst, looked := t.worst[hash]; looked && worst <= mine {
		return false, nil
	}
	t.worst[hash] = 0
	looked := 0
	err = t.state.Backwards(schema.QueuePrefix(hash), func(key, v []byte) (more bool, err error) {
		if looked == 0 {
			t.worst[hash] = key[9]
		}
		if looked++; looked > mostDropTries || key[9] <= mine {
			return false, nil
		}
		id, err := schema.QueuedID(hash, v)
		if err != nil {
			return false, err
		}
		worst, err := t.Record(id)
		if err != nil {
			return false, err
		}
		if worst != nil && worst.Host == r.Host && is(worst) && droppable(worst, hash, key) && t.env.Queues.Reserve(id) {
			gave = true
			return false, t.dropAtCap(worst)
		}
		return true, nil
	})
	return gave, err
}

// droppable reports whether the URI pending at the key may be dropped: nothing that lasts refers to it.
func droppable(r *schema.Record, queue uint64, key []byte) bool {
	return r.State == schema.Pending && r.Finishes == 0 && !r.Seed && !r.Force && !r.RedirectTarget && !r.Needed() &&
		bytes.Equal(schema.QueueKey(queue, r.Precedence, r.Seq), key)
}

// dropAtCap removes a pending URI from the state: its queue row, its record, and the counts of its host and domain.
func (t *Tx) dropAtCap(r *schema.Record) error {
	if err := t.Dequeue(r); err != nil {
		return err
	}
	t.Counters.Dropped++
	if _, _, err := t.uncountKnown(r); err != nil {
		return err
	}
	t.recs[r.ID] = nil
	t.Freed = append(t.Freed, r.ID)
	t.w.Delete(schema.URIKey(r.ID))
	return nil
}
