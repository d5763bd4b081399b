package rules

import (
	"fmt"
	slashpath "path"
	"slices"

	"exclave/frontier/schema"
	"exclave/internal/conf"
)

// OrderConfig says which URIs and which queues go first (section [order] of
// job.toml).
type OrderConfig struct {
	// Policies rank the URIs of a queue; the first counts most.
	Policies []PolicyName `toml:"policies"`
	// Queues says which queues go first among those that are ready.
	Queues QueuePrecedence `toml:"queues"`
	// FasterFirst puts queues of servers that answer faster before others of the same
	// precedence.
	FasterFirst bool `toml:"faster_first"`
	// SessionBalance is how many URIs of a queue are dispatched before it goes to the end of the line, 0 = all; a
	// failure costs ErrorPenalty.
	SessionBalance int `toml:"session_balance"`
	ErrorPenalty   int `toml:"error_penalty"`
	// Topics are the domains that policy topical puts first.
	Topics []string `toml:"topics"`
	// WantedExtensions and WantedTypes are what policy score gives points for; types
	// are patterns of path.Match.
	WantedExtensions []string `toml:"wanted_extensions"`
	WantedTypes      []string `toml:"wanted_types"`
	// FollowUseless: all links of useless and of empty pages are followed.
	FollowUseless bool `toml:"follow_useless"`
	// UselessPages is how many useless pages in a row end a path: links of the last are not followed. EmptyPages is
	// the same of empty pages. 0 = they are followed.
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

// DefaultOrderConfig takes the most promising URIs of a host first, treats all hosts alike, and leaves paths that lead
// to nothing.
func DefaultOrderConfig() OrderConfig {
	return OrderConfig{Policies: []PolicyName{PolicyRelevance, PolicyHops}, UselessPages: 4, EmptyPages: 5, FollowedHops: 5, Queues: QueuesFair, SessionBalance: 3000, ErrorPenalty: 100,
		WantedExtensions: []string{"xml", "dtd", "xsl", "xslt", "xsd", "xq", "rdf", "owl", "rng"},
		WantedTypes:      []string{"text/xml", "application/xml", "*/*+xml"}}
}

// Notices returns a warning for each setting that has no effect.
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
