package chain

import (
	"context"
	"io"

	"exclave/crawl"
)

// Name is the name of one of the five chains.
type Name string

// The chains, in the order in which a URI passes them.
const (
	PreFetch Name = "pre-fetch"
	Fetch    Name = "fetch"
	Extract  Name = "extract"
	Write    Name = "write"
	Post     Name = "post"
)

// Names returns the chains in order.
func Names() []Name { return []Name{PreFetch, Fetch, Extract, Write, Post} }

// Result says where a URI goes after a processor. The zero Result is the next
// processor.
type Result struct {
	// Jump, when not empty, names the later chain with which the URI goes on; the
	// rest of this chain is skipped.
	Jump Name
	// Idle says that the processor has nothing to do with such a URI: it is not
	// counted as handled. Nothing else follows from it.
	Idle bool
}

// Idle returns the result of a processor that has nothing to do with a URI.
func Idle() Result { return Result{Idle: true} }

// Jump returns the result that sends a URI on to the named chain.
func Jump(n Name) Result { return Result{Jump: n} }

// Processor does one step of the work on a URI.
type Processor interface {
	// Process handles one URI. It is called concurrently for different URIs.
	// Whatever a server sent ends as a status and annotations on u; a returned
	// error is our own failure: it is recorded, and the URI goes on with the post
	// chain to be tried again. Process returns soon after ctx ends.
	Process(ctx context.Context, u *crawl.CrawlURI) (Result, error)
}

// Starter is a Processor with initial tasks, run once before the first URI. Start returns soon
// after ctx ends, which is a stop: not an error.
type Starter interface{ Start(context.Context) error }

// Stopper is a Processor with final tasks, run once after the last URI, also
// when a Start failed.
type Stopper interface{ Stop(context.Context) error }

// Reporter is a Processor that can describe its state for a person: in lines, which the
// processors-report has. It is called while URIs are processed.
type Reporter interface{ Report(io.Writer) error }

// Frontier hands out URIs and takes back outcomes. All methods may be called
// concurrently.
type Frontier interface {
	// Next blocks until a URI may be fetched, ctx ends (its error is returned) or
	// the crawl is over (crawl.ErrDone). The caller owns the URI until Finished.
	Next(ctx context.Context) (*crawl.CrawlURI, error)
	// Schedule makes candidates known and joins their claims. It returns when
	// they are durable; offering the same candidate twice changes nothing.
	Schedule(ctx context.Context, cs ...crawl.Candidate) error
	// Finished takes back a URI with its outcome and links and returns when they
	// are durable. After an error nothing more is accepted. It must not be
	// abandoned half-way, so ctx ends it only before it is queued.
	Finished(ctx context.Context, u *crawl.CrawlURI) error
}

// HostVerdicts is what Hosts can do beside, when they count verdicts.
type HostVerdicts interface {
	// HostVerdicts returns how the pages of a host have been judged; the zero value when
	// none has. It is called once a page, when somebody wants it.
	HostVerdicts(ctx context.Context, host string) (crawl.HostVerdicts, error)
}

// Hosts gives facts about hosts and origins, committed with Finished.
type Hosts interface {
	// Host returns the facts about a host name; the zero value when unknown.
	Host(ctx context.Context, host string) (crawl.HostFacts, error)
	// Origin returns the facts about an origin; the zero value when unknown.
	Origin(ctx context.Context, origin string) (crawl.OriginFacts, error)
	// Deferred returns the answer kept under the key; ok is false when there is
	// none. Written answers come without Raw.
	Deferred(ctx context.Context, key string) (d crawl.Deferred, ok bool, err error)
}
