package frontier

import (
	"fmt"
	"math/bits"
	"net/netip"
	slashpath "path"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/internal/conf"
)

// OrderConfig says which URIs and which queues go first (section [order] of
// job.toml).
type OrderConfig struct {
	// Policies rank the URIs of a queue; the first counts most.
	Policies []PolicyName `toml:"policies"`
	// Queues says which queues go first among those that may be asked.
	Queues QueuePrecedence `toml:"queues"`
	// FasterFirst puts queues of servers that answer faster before others of the same
	// precedence.
	FasterFirst bool `toml:"faster_first"`
	// SessionBalance is how many URIs of a queue are asked for before it goes behind
	// those that wait for their turn, 0 = all; a failure costs ErrorPenalty.
	SessionBalance int `toml:"session_balance"`
	ErrorPenalty   int `toml:"error_penalty"`
	// Topics are the domains that policy topical puts first.
	Topics []string `toml:"topics"`
	// WantedExtensions and WantedTypes are what policy score gives points for; types
	// are patterns of path.Match.
	WantedExtensions []string `toml:"wanted_extensions"`
	WantedTypes      []string `toml:"wanted_types"`
	// FollowUseless: all links of useless pages are followed, and all of pages that lead
	// to nothing new but their like.
	FollowUseless bool `toml:"follow_useless"`
	// UselessPages in a row end a path: links of the last are not followed; nor are those
	// of the last of EmptyPages that led to nothing new but URLs that differ from their own
	// only in numbers. 0 = they are.
	UselessPages int `toml:"useless_pages"`
	EmptyPages   int `toml:"empty_pages"`
	// FollowedHops is within how many link hops of a seed all links are followed
	// nevertheless.
	FollowedHops int `toml:"followed_hops"`
	// Rounds is how many rounds of at most RoundURLs URIs are crawled, at most
	// RoundHostURLs of one queue; 0 = no limit.
	Rounds        int `toml:"rounds"`
	RoundURLs     int `toml:"round_urls"`
	RoundHostURLs int `toml:"round_host_urls"`
}

// PolicyName names a policy.
type PolicyName string

// The policies.
const (
	PolicyKind       PolicyName = "kind"        // seeds, then what archived pages need, then links
	PolicyHops       PolicyName = "hops"        // fewer link hops first
	PolicyDepthFirst PolicyName = "depth-first" // more link hops first
	PolicyScore      PolicyName = "score"       // System 2's score
	PolicyRelevance  PolicyName = "relevance"   // by what is known of the page a URI was found on
	PolicyTopical    PolicyName = "topical"     // chosen domains first
)

// QueuePrecedence says which queues go first.
type QueuePrecedence string

// The queue precedences.
const (
	QueuesFair QueuePrecedence = "fair" // all alike
	QueuesBest QueuePrecedence = "best" // those whose next URI ranks best
)

// DefaultOrderConfig asks within a host for what is most promising first, all hosts alike, and leaves
// paths that lead to nothing.
func DefaultOrderConfig() OrderConfig {
	return OrderConfig{Policies: []PolicyName{PolicyRelevance, PolicyHops}, UselessPages: 4, EmptyPages: 5, FollowedHops: 5, Queues: QueuesFair, SessionBalance: 3000, ErrorPenalty: 100,
		WantedExtensions: []string{"xml", "dtd", "xsl", "xslt", "xsd", "xq", "rdf", "owl", "rng"},
		WantedTypes:      []string{"text/xml", "application/xml", "*/*+xml"}}
}

// Notices returns what a user should know of settings that change nothing.
func (c OrderConfig) Notices() []string {
	if len(c.Topics) > 0 && !slices.Contains(c.Policies, PolicyTopical) {
		return []string{fmt.Sprintf("topics change nothing: policy %q is not among policies (order)", PolicyTopical)}
	}
	return nil
}

// Validate returns every value that cannot be.
func (c OrderConfig) Validate() (ps conf.Problems) {
	ranks := 1
	for i, name := range c.Policies {
		p := c.policy(name)
		if p == nil {
			ps.Add(conf.Element("policies", i), "%q is none; there are %q, %q, %q, %q, %q and %q", name, PolicyKind, PolicyHops, PolicyDepthFirst, PolicyScore, PolicyRelevance, PolicyTopical)
			continue
		}
		if slices.Contains(c.Policies[:i], name) {
			ps.Add(conf.Element("policies", i), "%q stands there twice", name)
		}
		ranks *= p.ranks()
	}
	if ranks > maxRanks {
		ps.Add("policies", "together they have %d ranks, at most %d can be told apart; name fewer", ranks, maxRanks)
	}
	if c.Queues != QueuesFair && c.Queues != QueuesBest {
		ps.Add("queues", "%q is neither %q nor %q", c.Queues, QueuesFair, QueuesBest)
	}
	for _, n := range []struct {
		key string
		val int
	}{{"session_balance", c.SessionBalance}, {"error_penalty", c.ErrorPenalty}, {"rounds", c.Rounds}, {"round_urls", c.RoundURLs}, {"round_host_urls", c.RoundHostURLs},
		{"useless_pages", c.UselessPages}, {"empty_pages", c.EmptyPages}, {"followed_hops", c.FollowedHops}} {
		if n.val < 0 {
			ps.Add(n.key, "%d is negative", n.val)
		}
	}
	ps.Check(c.UselessPages <= schema.MostInARow, "useless_pages", "more than %d in a row are not counted", schema.MostInARow)
	ps.Check(c.EmptyPages <= schema.MostInARow, "empty_pages", "more than %d in a row are not counted", schema.MostInARow)
	if c.Rounds > schema.MaxRounds {
		ps.Add("rounds", "%d; at most %d can be counted", c.Rounds, schema.MaxRounds)
	}
	if c.Rounds > 0 && c.RoundURLs == 0 && c.RoundHostURLs == 0 {
		ps.Add("rounds", "a round has no end without round_urls or round_host_urls")
	}
	if slices.Contains(c.Policies, PolicyTopical) && len(c.Topics) == 0 {
		ps.Add("topics", "policy %q needs at least one domain", PolicyTopical)
	}
	for i, t := range c.WantedTypes {
		if _, err := slashpath.Match(t, ""); err != nil {
			ps.Add(conf.Element("wanted_types", i), "%q: %v", t, err)
		}
	}
	return ps
}

// maxRanks is how many precedences there are between those of prerequisites and of what is shelved.
const maxRanks = 240

// policy is one way to rank URIs: 0 goes first.
type policy interface {
	ranks() int
	rank(*schema.Record) int
}

// order is an OrderConfig at work.
type order struct {
	OrderConfig
	policies []policy
	// follows says that records keep what is known of the page they were found on.
	follows bool
	scores  bool
}

func newOrder(c OrderConfig, l LimitsConfig) *order {
	o := &order{OrderConfig: c, follows: !c.FollowUseless && (c.UselessPages > 0 || l.HostGuesses > 0)}
	for _, name := range c.Policies {
		o.policies = append(o.policies, c.policy(name))
		o.follows = o.follows || name == PolicyRelevance
		o.scores = o.scores || name == PolicyScore
	}
	return o
}

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

// prec is where a URI stands in its queue.
func (o *order) prec(r *schema.Record) uint8 {
	if r.IsPrereq() {
		return schema.PrecPrereq
	}
	n := 0
	for _, p := range o.policies {
		n = n*p.ranks() + p.rank(r)
	}
	return uint8(1 + n)
}

type byKind struct{}

func (byKind) ranks() int { return 3 }

func (byKind) rank(r *schema.Record) int {
	switch {
	case r.Seed:
		return 0
	case r.Claim.Bin:
		return 1 // a page is whole sooner
	}
	return 2
}

// hopRanks is how many numbers of hops are told apart.
const hopRanks = 8

type byHops struct{}

func (byHops) ranks() int                { return hopRanks }
func (byHops) rank(r *schema.Record) int { return min(crawl.LinkHops(r.Hops), hopRanks-1) }

type deepFirst struct{}

func (deepFirst) ranks() int { return hopRanks }
func (deepFirst) rank(r *schema.Record) int {
	return hopRanks - 1 - min(crawl.LinkHops(r.Hops), hopRanks-1)
}

// byScore is System 2's score in halves: a seed +1, a known extension +0.5, found in a
// document of a wanted type +0.5, fetched and not what the extension said -0.5.
type byScore struct{ extensions []string }

func (byScore) ranks() int { return 6 }

func (p byScore) rank(r *schema.Record) int {
	points := 0
	if r.Seed {
		points += 2
	}
	if p.promises(r.URL) {
		points++
	}
	if r.InWanted {
		points++
	}
	if r.Wrong {
		points--
	}
	return 4 - points
}

// promises reports whether the extension of a URL is a wanted one.
func (p byScore) promises(url string) bool {
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	ext := slashpath.Ext(url)
	return ext != "" && slices.Contains(p.extensions, strings.ToLower(ext[1:]))
}

// byRelevance puts links of valid pages first, then what else archived pages need, then
// links of pages nearly valid, of unknown ones, of useless pages, of the second useless in
// a row. Embeds are after links: a valid page leads to more of them, and they lead to no
// further page.
type byRelevance struct{}

func (byRelevance) ranks() int { return 6 }

func (byRelevance) rank(r *schema.Record) int {
	switch n := r.Found.Rank(); {
	case r.Claim.Bin:
		return 1
	case n == 0:
		return 0
	case r.Needed():
		return 1
	default:
		return 1 + n
	}
}

type topical struct{ domains []string }

func (topical) ranks() int { return 2 }

func (p topical) rank(r *schema.Record) int {
	for _, d := range p.domains {
		if rest, ok := strings.CutSuffix(r.Host, d); ok && (rest == "" || rest[len(rest)-1] == '.') {
			return 0
		}
	}
	return 1
}

// origin is what the links of a page get from it.
type origin struct {
	found    schema.Found
	inWanted bool
	empty    uint8 // pages in a row that led to nothing new but their like
}

// origin returns what the links of a page that was just finished get from it.
func (o *order) origin(r *schema.Record, u *crawl.CrawlURI) (w origin) {
	if o.scores && u.Mode == crawl.ModeFetch {
		wanted := slices.ContainsFunc(o.WantedTypes, func(p string) bool {
			ok, _ := slashpath.Match(p, strings.ToLower(u.MIME.Type)) // patterns were checked
			return ok
		})
		w.inWanted = wanted && u.Status/100 == 2
		if u.Status/100 == 2 {
			r.Wrong = !wanted && byScore{o.WantedExtensions}.promises(r.URL)
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

// follow reports whether a link of a page is followed at all.
func (o *order) follow(w origin, page string, c *crawl.Candidate) bool {
	switch {
	case o.FollowUseless, crawl.LinkHops(c.Hops) <= o.FollowedHops:
		return true
	case o.EmptyPages > 0 && int(w.empty) >= o.EmptyPages && c.Kind == crawl.LinkNav && alike(page, c.URL):
		return false
	}
	return o.UselessPages == 0 || w.found.Run() < o.UselessPages || (&schema.Record{Claim: c.Claim}).Needed()
}

// line returns the number by which a host is ordered among those in line.
func (o *order) line(h *schema.Host) uint64 {
	var n uint64
	if o.rounds() {
		n = uint64(h.Round)
		if o.RoundHostURLs > 0 && h.RoundUsed >= uint64(o.RoundHostURLs) {
			n++
		}
	}
	t := schema.Turn{Round: n, Ticket: h.Ticket}
	if o.Queues == QueuesBest {
		t.Precedence = h.Best
	}
	if o.FasterFirst {
		t.Speed = speed(h)
	}
	return t.Number()
}

// stands returns the place of a queue.
func (o *order) stands(h *schema.Host, hash uint64) schema.Place {
	switch {
	case h.Waiting == 0:
		return schema.Place{}
	case h.Retired != schema.NotRetired:
		return schema.Place{Kind: schema.Retired, Host: hash}
	case h.Resting:
		return schema.Place{Kind: schema.Snoozed, At: uint64(max(h.Rests().UnixMilli(), 1)), Host: hash}
	}
	return schema.Place{Kind: schema.Line, At: o.line(h), Host: hash}
}

// key says on what line depends beside the row.
func (o *order) key() []byte {
	full := 0
	if o.rounds() {
		full = o.RoundHostURLs
	}
	return fmt.Appendf(nil, "%s %v %v %d", o.Queues, o.FasterFirst, o.rounds(), full)
}

func (o *order) rounds() bool { return o.RoundURLs > 0 || o.RoundHostURLs > 0 }

// speed is a class of how fast a server answers, 0 … 7; 2 when it is not known.
func speed(h *schema.Host) int {
	if h.Took == 0 {
		return 2
	}
	return min(bits.Len64(h.Took/50), schema.MaxSpeed)
}

// asked counts a request to a host in its session and in the round.
func (t *tx) asked(h *openHost, u *crawl.CrawlURI) {
	took := max(uint64(u.Took.Milliseconds()), 1)
	if h.Took == 0 {
		h.Took = took
	}
	h.Took = (3*h.Took + took) / 4
	t.spend(h, 1)
	o := t.f.order
	if !o.rounds() || u.IsPrereq() {
		return
	}
	if h.Round != t.st.Round {
		h.Round, h.RoundUsed = t.st.Round, 0
	}
	h.RoundUsed++
	t.st.RoundUsed++
}

// spend takes from the balance of a host's session; at its end the host gets in line
// anew.
func (t *tx) spend(h *openHost, n int) {
	balance := t.f.order.SessionBalance
	if balance == 0 {
		return
	}
	if h.Spent += uint64(n); h.Spent >= uint64(balance) {
		h.Spent, h.Ticket = 0, t.f.wall()
	}
}

// roundFull reports whether no further URI is to be asked for in this round. f.mu is
// held.
func (f *Frontier) roundFull() bool {
	n := f.order.RoundURLs
	return n > 0 && f.st.RoundUsed+uint64(len(f.process)) >= uint64(n)
}

// nextRound begins the next round, unless that was the last or there is nothing for it: hosts that
// rest on disk keep others from no round, nor do they need one before they may be asked, unless
// this one is full. f.mu is held, and nothing is being committed.
func (f *Frontier) nextRound() bool {
	left := f.st.InLine
	if f.roundFull() {
		left += f.st.Snoozed
	}
	if !f.order.rounds() || f.order.Rounds > 0 && f.st.Round+1 >= uint64(f.order.Rounds) || f.st.RoundUsed == 0 || left == 0 {
		return false
	}
	f.st.Round, f.st.RoundUsed = f.st.Round+1, 0
	return true
}

// domainOf returns the registered domain of a host: what somebody registered under a
// suffix of the public suffix list. An IP address, or a suffix itself, is its own.
func domainOf(host string) string {
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil || host == "" {
		return host
	}
	d, err := publicsuffix.EffectiveTLDPlusOne(strings.TrimSuffix(host, "."))
	if err != nil {
		return host
	}
	return d
}

// wall is the time by which hosts rest: that of the wall when the state was opened,
// and monotonic from there.
func (f *Frontier) wall() time.Time { return f.openedAt.Add(f.o.Clock.Mono() - f.opened) }
