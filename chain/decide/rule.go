package decide

import (
	"exclave/crawl"
	"exclave/internal/traps"
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
	Cand *crawl.Candidate // the URI as it is, or a link with Hops, Ways, Claim … as it would enter with
	Page *crawl.Candidate // where a link was found; nil when nothing but Cand.Via is known of it

	maxHops *int // what a sheet says instead of the rule
}

// via returns where the URI was found, nil when that is not known.
func (s *Subject) via() *urlx.URL {
	if s.Page != nil {
		return s.Page.Parsed()
	}
	u, _ := urlx.Parse(s.Cand.Via) // nil with an error
	return u
}

// Ruling is what a list of rules says of a URI. The zero Ruling is silence.
type Ruling struct {
	Decision Decision
	// Rule is the name of the rule that decided, "" when all were silent: "hosts#2" is the second rule
	// of that name, "traps:calendar" one of traps that found a calendar.
	Rule string
	Trap traps.Pattern // what a rule of traps found, else ""
}

// Rule decides about a URI, or is silent.
type Rule interface {
	Decide(s *Subject) Decision
}
