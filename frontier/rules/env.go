package rules

import (
	"context"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// Rows reads rows as the last commit left them. A value that is nil says that there is no such row.
type Rows interface {
	// URI, Host and Domain return the values of rows that are read often. They are not changed.
	URI(id crawl.ID) ([]byte, error)
	Host(hash uint64) ([]byte, error)
	Domain(name string) ([]byte, error)
	// Name returns the name of a host that has a row.
	Name(hash uint64) (string, error)
	// Row returns the value of any other row. It is the caller's until the next call of any method.
	Row(key []byte) ([]byte, error)
	// Scan calls fn for the rows with a prefix, from a key on, in the order of keys, until it returns an error.
	// Key and value are fn's during the call.
	Scan(from, prefix []byte, fn func(key, value []byte) error) error
	// Backwards calls fn for the rows with a prefix, the last one first, until it returns false or an error. Key
	// and value are fn's during the call.
	Backwards(prefix []byte, fn func(key, value []byte) (more bool, err error)) error
}

// Writer receives the changes to rows. It keeps keys and values: the caller must not use them afterwards.
type Writer interface {
	Set(key, value []byte)
	Delete(key []byte)
}

// Facts reads what is known of hosts and origins.
type Facts interface {
	Host(ctx context.Context, host string) (crawl.HostFacts, error)
	Origin(ctx context.Context, origin string) (crawl.OriginFacts, error)
}

// Queues are the resident queues.
type Queues interface {
	// Reserve keeps a pending URI from being offered until the commit is published; false: it is in process.
	Reserve(id crawl.ID) bool
	// First returns the key of the first URI of a queue that is not taken; nil when it is not known.
	First(queue uint64, taken func(key []byte) bool) []byte
}

// Env is what the rules work with: the configuration, and who answers their questions. One commit at a time may use it.
type Env struct {
	Config  Config
	Limits  LimitsConfig
	Order   *Order
	Depths  crawl.Depths
	Salt    schema.Salt
	Facts   Facts
	Queues  Queues
	Links   LinkReader
	Tallies *Tallies // as the last commit left them
	Backlog *Backlog // work items of earlier commits
	// Now is the time of the clock. Wall is the time that wake times are in: that of the clock when the crawl was
	// opened, and monotonic from there.
	Now, Wall func() time.Time
	// SnoozeLeft is how much is left of a snooze or a back-off that ends at until; 0: it is over.
	SnoozeLeft func(until time.Time) time.Duration
	// DomainOf returns the registered domain of a host, as DomainOf does.
	DomainOf func(host string) string
	// HostLimits are the limits of a host, which a sheet may change.
	HostLimits func(host string) LimitsConfig
	// Pack compresses a deferred record.
	Pack func(raw []byte) []byte
}
