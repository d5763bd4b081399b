package rules

import (
	"fmt"
	"math/bits"
	slashpath "path"
	"slices"
	"strings"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// maxRanks is how many precedences lie between those of prerequisites and of shelved URIs.
const maxRanks = 240

// Order applies an OrderConfig.
type Order struct {
	OrderConfig
	policies []policy
	// follows says that records keep what the page was that they were found on.
	follows bool
	scores  bool
}

// NewOrder returns the order of a valid configuration. What records keep depends on the limits, too.
func NewOrder(c OrderConfig, l LimitsConfig) *Order {
	o := &Order{OrderConfig: c, follows: !c.FollowUseless && (c.UselessPages > 0 || l.HostGuesses > 0)}
	for _, name := range c.Policies {
		o.policies = append(o.policies, c.policy(name))
		o.follows = o.follows || name == PolicyRelevance
		o.scores = o.scores || name == PolicyScore
	}
	return o
}

// policy returns the policy of a name, nil for none.
func (c OrderConfig) policy(name PolicyName) policy {
	switch name {
	case PolicyKind:
		return byKind{}
	case PolicyHops:
		return byHops{}
	case PolicyDepthFirst:
		return deepFirst{}
	case PolicyScore:
		return byScore{c.WantedExtensions}
	case PolicyRelevance:
		return byRelevance{}
	case PolicyTopical:
		return topical{c.Topics}
	}
	return nil
}

// Precedence is the precedence of a URI in its queue.
func (o *Order) Precedence(r *schema.Record) uint8 {
	if r.IsPrereq() {
		return schema.PrecPrereq
	}
	n := 0
	for _, p := range o.policies {
		n = n*p.ranks() + p.rank(r)
	}
	return uint8(1 + n)
}

// LinkOrigin returns what the links of a page that was just finished get from it.
func (o *Order) LinkOrigin(r *schema.Record, u *crawl.CrawlURI) (w LinkOrigin) {
	if o.scores && u.Mode == crawl.ModeFetch {
		wanted := slices.ContainsFunc(o.WantedTypes, func(p string) bool {
			ok, _ := slashpath.Match(p, strings.ToLower(u.MIME.Type)) // patterns were checked
			return ok
		})
		w.inWanted = wanted && u.Status/100 == 2
		if u.Status/100 == 2 {
			r.WrongType = !wanted && byScore{o.WantedExtensions}.promises(r.URL)
		}
	}
	if !o.follows {
		return w
	}
	switch out := u.Outcome(); {
	case out.Class == crawl.ClassRedirect:
		w.found = r.Found
	case !out.Judged: // an error page of a useless site does not make it useful
		w.found = max(r.Found, schema.FoundUseless-1)
		if w.found < schema.FoundUseless {
			w.found = schema.FoundUnknown
		}
	case out.Valid():
		w.found = schema.FoundValid
	case u.Judged != nil && u.Judged.Near:
		w.found = schema.FoundNear
	case r.Found >= schema.FoundUseless:
		w.found = min(r.Found+1, schema.FoundUseless+schema.MostInARow)
	default:
		w.found = schema.FoundUseless
	}
	return w
}

// LinkOrigin is what the links of a page get from it.
type LinkOrigin struct {
	found    schema.Found
	inWanted bool
	empty    uint8 // empty pages in a row
}

// follow reports whether a link of a page is followed.
func (o *Order) follow(w LinkOrigin, page string, c *crawl.Candidate) bool {
	switch {
	case o.FollowUseless, crawl.LinkHops(c.Hops) <= o.FollowedHops:
		return true
	case o.EmptyPages > 0 && int(w.empty) >= o.EmptyPages && c.Kind == crawl.LinkNav && alike(page, c.URL):
		return false
	}
	return o.UselessPages == 0 || w.found.Run() < o.UselessPages || (&schema.Record{Claim: c.Claim}).Needed()
}

// Line returns the number that orders a queue in line.
func (o *Order) Line(h *schema.Host) uint64 {
	var n uint64
	if o.HasRounds() {
		n = uint64(h.Round)
		if o.RoundHostURLs > 0 && h.RoundUsed >= uint64(o.RoundHostURLs) {
			n++
		}
	}
	t := schema.LinePosition{Round: n, Ticket: h.Ticket}
	if o.Queues == QueuesBest {
		t.Precedence = h.Best
	}
	if o.FasterFirst {
		t.Speed = speed(h)
	}
	return t.Number()
}

// Place returns the place of a queue: in line, snoozed, retired, or none when it is exhausted.
func (o *Order) Place(h *schema.Host, hash uint64) schema.Place {
	switch {
	case h.Pending == 0:
		return schema.Place{}
	case h.Retired != schema.NotRetired:
		return schema.Place{Kind: schema.Retired, Host: hash}
	case h.Snoozed:
		return schema.Place{Kind: schema.Snoozed, At: uint64(max(h.WakeTime().UnixMilli(), 1)), Host: hash}
	}
	return schema.Place{Kind: schema.Line, At: o.Line(h), Host: hash}
}

// Key encodes what Line depends on beside the row.
func (o *Order) Key() []byte {
	full := 0
	if o.HasRounds() {
		full = o.RoundHostURLs
	}
	return fmt.Appendf(nil, "%s %v %v %d", o.Queues, o.FasterFirst, o.HasRounds(), full)
}

// HasRounds reports whether the crawl is made in rounds.
func (o *Order) HasRounds() bool { return o.RoundURLs > 0 || o.RoundHostURLs > 0 }

// speed is a class of how fast a server answers, 0 … 7; 2 when it is not known.
func speed(h *schema.Host) int {
	if h.Took == 0 {
		return 2
	}
	return min(bits.Len64(h.Took/50), schema.MaxSpeed)
}

// countInSession counts a request to a queue in its session and its round, and the duration of the answer.
func (t *Tx) countInSession(h *Queue, u *crawl.CrawlURI) {
	took := max(uint64(u.Took.Milliseconds()), 1)
	if h.Took == 0 {
		h.Took = took
	}
	h.Took = (3*h.Took + took) / 4
	t.spend(h, 1)
	o := t.env.Order
	if !o.HasRounds() || u.IsPrereq() {
		return
	}
	if h.Round != t.Counters.Round {
		h.Round, h.RoundUsed = t.Counters.Round, 0
	}
	h.RoundUsed++
	t.Counters.RoundUsed++
}

// spend reduces the balance of a queue's session; when it is spent, the queue gets a new ticket.
func (t *Tx) spend(h *Queue, n int) {
	balance := t.env.Order.SessionBalance
	if balance == 0 {
		return
	}
	if h.Spent += uint64(n); h.Spent >= uint64(balance) {
		h.Spent, h.Ticket = 0, t.env.Wall()
	}
}
