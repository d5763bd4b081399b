package frontiertest

import (
	"context"
	"math/rand/v2"
	"time"

	"exclave/crawl"
	"exclave/internal/clock"
)

// Rules are what a frontier under test is opened with; what is not named here has no
// limit, or no effect.
type Rules struct {
	Depths crawl.Depths
	// Politeness: Factor × duration of the answer within MinDelay … MaxDelay, or the
	// Crawl-delay within MaxCrawlDelay; after a failure RetryDelay, doubled up to
	// MaxRetryDelay, or Retry-After within MaxRetryAfter.
	Factor                                              int
	MinDelay, MaxDelay, MaxCrawlDelay                   time.Duration
	RetryDelay, MaxRetryDelay, MaxRetryAfter, DNSRetry  time.Duration
	MaxRetries, DNSRetries, RobotsRetries, RefusedBurst int

	Connections   int  // URIs of a queue in process at the same time; 0 means 1
	ByDomain      bool // the hosts of a registered domain share a queue
	HostsInMemory int
	Rank          Rank
	Best          bool // queues whose next URI ranks best go first
	Session       int  // balance of a session, 0 = none

	HostURIs, HostURIsMax, URIsPerValid int64 // caps
	HostDocuments, SourceDocuments      int64 // budgets
}

// Rank is how the URIs of a queue are ordered.
type Rank string

// The ranks that the model knows.
const (
	RankNone Rank = ""
	RankKind Rank = "kind"
	RankHops Rank = "hops"
	RankDeep Rank = "depth-first"
)

// URI is what is compared of a known URI.
type URI struct {
	State    string // "parked", "waiting", in process included, or "done"
	Claim    crawl.Claim
	Hops     string
	Ways     crawl.Ways
	Seed     bool
	Attempts int
	Finishes int
	Outcome  crawl.Outcome
}

// Numbers are the counts of one instant.
type Numbers struct {
	Discovered, Queued, Parked, InProcess, Finished, Dropped int64
	Refused, Retried, Archived, Judged, Valid, Failed        int64
	// Queues is how many queues are in each state, without those that are exhausted. Began
	// is how many were in a state when the frontier was opened, Entered and Left how often
	// one moved into it and out of it; states may be counted in groups.
	Queues               map[string]int64
	Groups               map[string][]string // group → states in it
	Began, Entered, Left map[string]int64    // by group
}

// Subject is a frontier under test.
type Subject interface {
	Frontier
	// Drop finishes those of the keys that are pending with [crawl.StatusDeletedByUser], and
	// returns how many.
	Drop(ctx context.Context, keys ...string) (int, error)
	// RaiseBudget puts a greater budget of hosts in force, in documents, for those that have spent theirs too.
	RaiseBudget(ctx context.Context, documents int64) error
	URIs() (map[string]URI, error)
	Numbers() Numbers
	// Contradictions returns what the frontier's own check finds.
	Contradictions() ([]string, error)
	Close(ctx context.Context) error
}

// Moment is a moment of a commit.
type Moment string

// The moments at which a machine is stopped.
const (
	BeforeCommit Moment = "before the commit" // nothing of it is durable
	AfterCommit  Moment = "after the commit"  // all of it is durable
)

// Store keeps the states of frontiers under test.
type Store interface {
	// Open opens the frontier of the state, or a new one.
	Open(Rules, clock.Clock) (Subject, error)
	// OpenToCrash is Open; the first commit reaches the moment given, and what was
	// durable then, keep percent of the rest beside it, is what is found after Crash.
	OpenToCrash(r Rules, c clock.Clock, m Moment, keep int, rng *rand.Rand) (Subject, error)
	// Crash stops the machine, at the moment armed if one was reached, else now. The
	// subject that was open is closed by the caller afterwards.
	Crash()
}
