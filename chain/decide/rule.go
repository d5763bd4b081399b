package decide

import (
	"exclave/crawl"
	"exclave/internal/urlx"
)

// Decision is what a rule says of a URI.
type Decision uint8

// The decisions. None is silence.
const (
	None Decision = iota
	Accept
	Reject
)

// String returns the word Heritrix logs.
func (d Decision) String() string { return [...]string{"NONE", "ACCEPT", "REJECT"}[d] }

// Subject is what a rule may look at.
type Subject struct {
	URL   *urlx.URL
	Cand  *crawl.Candidate // Hops, Ways, Via, Kind, Context, Seed, Claim as the URI would enter with
	Found *crawl.CrawlURI  // the URI being processed, for per-processor rules; nil for a link
}

// Rule decides about a URI, or is silent.
type Rule interface {
	Decide(s *Subject) Decision
}
