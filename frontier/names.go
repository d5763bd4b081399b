package frontier

import (
	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
)

// Types of package schema that callers of a frontier use.
type (
	// Record is the row of a URI.
	Record = schema.Record
	// State is the state of a URI.
	State = schema.State
	// Found describes the best page on which a URI was found.
	Found = schema.Found
	// Retirement is why a queue is retired.
	Retirement = schema.Retirement
	// Capture is a capture group in a WARC file.
	Capture = schema.Capture
	// FileRow is what the state keeps of a WARC file.
	FileRow = schema.FileRow
	// LogRow is what the state keeps of a log.
	LogRow = schema.LogRow
	// LogPart is what the state keeps of a part of a log (ADR 39), compressed or not.
	LogPart = schema.LogPart
	// Tally counts visits.
	Tally = schema.Tally
	// Stats are the counts of the crawl since it began.
	Stats = schema.Stats
	// Part is a setting that verdicts depend on. It must not change during a job.
	Part = schema.Part
)

// Types of package rules: configuration, and what requests contain.
type (
	// Config is the politeness and patience of the crawl (section [frontier] of job.toml).
	Config = rules.Config
	// OrderConfig says which URIs and which queues go first (section [order] of job.toml).
	OrderConfig = rules.OrderConfig
	// LimitsConfig bounds what grows (section [limits] of job.toml).
	LimitsConfig = rules.LimitsConfig
	// QueueKey says which URIs share a queue.
	QueueKey = rules.QueueKey
	// PolicyName names a policy, a rule that makes the precedence of URIs.
	PolicyName = rules.PolicyName
	// Again is a finished URI to be retried, and the status it was finished with.
	Again = rules.RetryURI
	// KnownLink is a link of an archived page: its key and kind.
	KnownLink = rules.KnownLink
	// LinkReader reads the outlinks of an archived page from its metadata record.
	LinkReader = rules.LinkReader
)

// DefaultConfig returns a politeness like that of Heritrix, see [rules.DefaultConfig].
func DefaultConfig() Config { return rules.DefaultConfig() }

// DefaultOrderConfig puts the most promising URIs of a queue first, see [rules.DefaultOrderConfig].
func DefaultOrderConfig() OrderConfig { return rules.DefaultOrderConfig() }

// DefaultLimitsConfig lets hosts and domains that have valid pages grow, see [rules.DefaultLimitsConfig].
func DefaultLimitsConfig() LimitsConfig { return rules.DefaultLimitsConfig() }

// Failed reports whether a URI that was finished with a status counts as failed, see [rules.Failed].
func Failed(s crawl.Status) bool { return rules.Failed(s) }

// Constants of packages schema and rules that callers of a frontier use.
const (
	FormatVersion    = schema.FormatVersion
	Parked           = schema.Parked
	Waiting          = schema.Pending
	Done             = schema.Done
	OtherTypes       = schema.OtherTypes
	UnknownType      = schema.UnknownType
	DNSHost          = schema.DNSHost
	HostBudget       = schema.HostBudget
	QueueByHost      = rules.QueueByHost
	QueueByDomain    = rules.QueueByDomain
	QueuesBest       = rules.QueuesBest
	PolicyRelevance  = rules.PolicyRelevance
	PolicyKind       = rules.PolicyKind
	PolicyHops       = rules.PolicyHops
	PolicyDepthFirst = rules.PolicyDepthFirst
)
