package schema

import (
	"encoding/binary"
	"strings"
	"time"

	"exclave/crawl"
	"exclave/internal/mime"
)

// Precedences of URIs: lower goes first. Between these two are the ranks.
const (
	PrecPrereq  = 0
	PrecShelved = 255 // its source's budget is spent
)

// State is the state of a URI.
type State uint8

// The states of a URI. Values are stored; never renumber.
const (
	Parked  State = iota + 1 // known, without a claim
	Pending                  // in a queue, in process or not
	Done                     // finished
)

// String names the state.
func (s State) String() string {
	return [...]string{"unknown", "parked", "waiting", "done"}[min(s, 3)]
}

// Record is the row of a URI.
type Record struct {
	ID        crawl.ID
	URL       string // what is requested
	Key       string // what decides sameness
	Host      string
	Via       string // URL it was found on, unless ViaID says it; of a seed, as a log says
	Hops      string
	Kind      crawl.LinkKind
	Context   string
	SourceTag string
	Seed      bool

	State    State
	Mode     crawl.Mode // of the next dispatch
	Force    bool       // it is requested although it was finished
	Claim    crawl.Claim
	Attempts int // failed ones since it was queued
	// Failure is how the last of these ended, and FailedAt when, while it is pending; 0: by a program of format 6.
	Failure   crawl.Status
	FailedAt  time.Time
	Redirects int // to itself in another form
	Finishes  int // lines in crawl.log
	Judgings  int // lines in analysis.jsonl
	// Last is when it was last finished; zero: by a program of format 4, or never.
	Last time.Time

	Outcome         crawl.Outcome
	Response        crawl.Ref
	Metadata        crawl.Ref
	RecordID        string
	Date            time.Time // of the archived answer
	Digest          string
	ETag            string
	LastModified    string
	Original        crawl.Ref // of which Response is a revisit record with an identical payload; zero: it is none
	LinksInMetadata bool      // outlinks are to be read from the metadata record
	RedirectTarget  bool      // a redirect leads here

	Found    Found // what the best page was that it was found on, where the order needs it
	InWanted bool  // found in a document of a wanted type
	// Empty is how many empty pages in a row led to it.
	Empty     uint8
	WrongType bool // its extension promised a wanted type, its answer had another
	// LeadsToPages: it has links to pages, which get fewer hops when it is followed again over fewer. SkippedLinks: links
	// of it were not followed, or links of frames and the like in it may not have been.
	LeadsToPages, SkippedLinks bool

	OwnWays    crawl.Ways // how it was reached; zero: as Hops and Context say
	ViaID      crawl.ID   // the page it was found on, when that is known
	QueueName  string     // where it does not follow from the URI
	Precedence uint8      // place in the queue, while Waiting
	Seq        uint64
}

// Ways are the ways from every page that it was found on.
func (r *Record) Ways() crawl.Ways {
	if r.OwnWays == (crawl.Ways{}) {
		return crawl.WaysOf(r.Hops, r.Context)
	}
	return r.OwnWays
}

// SetWays stores ways, unless they follow from hops and context.
func (r *Record) SetWays(w crawl.Ways) {
	if r.OwnWays = w; w == crawl.WaysOf(r.Hops, r.Context) {
		r.OwnWays = crawl.Ways{}
	}
}

// IsPrereq reports whether the URI is a prerequisite, requested for others only.
func (r *Record) IsPrereq() bool { return crawl.IsPrereq(r.Key) }

// isRevisit reports whether the row has an original.
func (r *Record) isRevisit() bool {
	return r.Finishes > 0 && r.Outcome.Archived && !r.Original.IsZero()
}

// hasFailure reports whether the row has how an attempt failed.
func (r *Record) hasFailure() bool {
	return r.State == Pending && r.Attempts > 0 && r.Failure != 0
}

// Needed reports whether an archived page needs the URI.
func (r *Record) Needed() bool {
	return r.Claim.Needed()
}

// URIKey returns the key of the record of a URI.
func URIKey(id crawl.ID) []byte { return idKey(URIs, id) }

// Names returns the name of a host by its hash.
type Names func(hash uint64) (string, error)

// Schemes that are written as a number; 0 means that the URL is written whole,
// followed by its host.
var schemes = [...]string{"", "http://", "https://", "ftp://", "dns:", "whois://"}

// scheme splits a URL whose host is that of the ID into scheme and rest.
func (r *Record) scheme() (number int, rest string) {
	if KeyHost(r.Key) != r.Host {
		return 0, ""
	}
	for i, s := range schemes[1:] {
		if rest, ok := strings.CutPrefix(r.URL, s); ok {
			if rest, ok = strings.CutPrefix(rest, r.Host); ok {
				return i + 1, rest
			}
		}
	}
	return 0, ""
}

// url writes URL, host and key.
func (e *enc) url(r *Record) {
	n, rest := r.scheme()
	e.uv(uint64(n))
	if n > 0 {
		e.str(rest)
	} else {
		e.str(r.URL)
		e.str(r.Host)
	}
	if r.Key != r.URL {
		e.str(r.Key)
	}
}

func (d *dec) url(r *Record, sameKey bool, host Names) {
	n := d.uv()
	switch {
	case n >= uint64(len(schemes)):
		d.fail()
	case n > 0:
		rest := d.str()
		if d.err != nil {
			return
		}
		r.Host, d.err = host(r.ID.Host)
		r.URL = schemes[n] + r.Host + rest
	default:
		r.URL, r.Host = d.str(), d.str()
	}
	if r.Key = r.URL; !sameKey {
		r.Key = d.str()
	}
}

// page writes the page a URI was found on: its URL, or its id without the host
// that both have.
func (e *enc) page(r *Record) {
	switch {
	case r.ViaID == crawl.ID{}:
		e.uv(0)
		e.str(r.Via)
	case r.ViaID.Host == r.ID.Host:
		e.uv(1)
		e.b = binary.BigEndian.AppendUint64(e.b, r.ViaID.URI)
	default:
		e.uv(2)
		e.id(r.ViaID)
	}
}

func (d *dec) page(r *Record) {
	switch d.uv() {
	case 0:
		r.Via = d.str()
	case 1:
		if b := d.take(8); b != nil {
			r.ViaID = crawl.ID{Host: r.ID.Host, URI: binary.BigEndian.Uint64(b)}
		}
	case 2:
		r.ViaID = d.id()
	default:
		d.fail()
	}
}

// Encode writes the row.
func (r *Record) Encode() []byte {
	e := newEnc()
	e.flags(r.Seed, r.Force, r.Key == r.URL, r.LinksInMetadata, r.Outcome.Judgeable, r.Outcome.Judged, r.Outcome.Archived, r.Finishes > 0, r.RedirectTarget,
		r.InWanted, r.WrongType, r.QueueName != "", r.Found != 0, r.OwnWays != (crawl.Ways{}), r.Outcome.Embedding, r.Outcome.Open != 0, !r.Last.IsZero(), r.Outcome.Guesses, r.Empty > 0, r.LeadsToPages, r.SkippedLinks, r.isRevisit(), r.Outcome.Truncated, r.hasFailure())
	e.uv(uint64(r.State))
	e.uv(uint64(r.Mode))
	e.uv(uint64(r.Kind))
	e.url(r)
	e.page(r)
	e.str(r.Hops)
	e.str(r.Context)
	e.str(r.SourceTag)
	e.claim(r.Claim)
	e.uv(uint64(r.Attempts))
	e.uv(uint64(r.Redirects))
	e.uv(uint64(r.Precedence))
	e.uv(r.Seq)
	if r.QueueName != "" {
		e.str(r.QueueName)
	}
	if r.Found != 0 {
		e.uv(uint64(r.Found))
	}
	if r.Empty > 0 {
		e.uv(uint64(r.Empty))
	}
	if r.OwnWays != (crawl.Ways{}) {
		e.ways(r.OwnWays)
	}
	if r.hasFailure() {
		e.iv(int64(r.Failure))
		e.time(r.FailedAt)
	}
	if r.Finishes == 0 {
		return e.b
	}
	e.uv(uint64(r.Finishes))
	e.uv(uint64(r.Judgings))
	e.iv(int64(r.Outcome.Status))
	e.uv(uint64(r.Outcome.Class))
	e.uv(uint64(r.Outcome.ValidFor))
	if r.Outcome.Open != 0 {
		e.uv(uint64(r.Outcome.Open))
	}
	if !r.Last.IsZero() {
		e.time(r.Last)
	}
	if r.Outcome.Archived {
		e.ref(r.Response)
		e.ref(r.Metadata)
		e.str(r.RecordID)
		e.time(r.Date)
		e.str(r.Digest)
		e.str(r.ETag)
		e.str(r.LastModified)
	}
	if r.isRevisit() {
		e.ref(r.Original)
	}
	return e.b
}

// DecodeRecord reads the record of an ID; host returns the name of its host where the record leaves it out.
func DecodeRecord(id crawl.ID, b []byte, host Names) (*Record, error) {
	d := newDec(b)
	r := &Record{ID: id}
	var sameKey, finished, queue, found, ways, open, timed, empty, revisit, failed bool
	d.flags(&r.Seed, &r.Force, &sameKey, &r.LinksInMetadata, &r.Outcome.Judgeable, &r.Outcome.Judged, &r.Outcome.Archived, &finished, &r.RedirectTarget,
		&r.InWanted, &r.WrongType, &queue, &found, &ways, &r.Outcome.Embedding, &open, &timed, &r.Outcome.Guesses, &empty, &r.LeadsToPages, &r.SkippedLinks, &revisit, &r.Outcome.Truncated, &failed)
	r.State, r.Mode, r.Kind = State(d.uv()), crawl.Mode(d.uv()), crawl.LinkKind(d.uv())
	d.url(r, sameKey, host)
	d.page(r)
	r.Hops, r.Context, r.SourceTag = d.str(), d.str(), d.str()
	r.Claim = d.claim()
	r.Attempts, r.Redirects = int(d.uv()), int(d.uv())
	r.Precedence, r.Seq = uint8(d.uv()), d.uv()
	if queue {
		r.QueueName = d.str()
	}
	if found {
		r.Found = Found(d.uv())
	}
	if empty {
		r.Empty = uint8(d.uv())
	}
	if ways {
		r.OwnWays = d.ways()
	}
	if failed {
		r.Failure, r.FailedAt = crawl.Status(d.iv()), d.time()
	}
	if finished {
		r.Finishes, r.Judgings = int(d.uv()), int(d.uv())
		r.Outcome.Status = crawl.Status(d.iv())
		r.Outcome.Class = crawl.TypeClass(d.uv())
		r.Outcome.ValidFor = uint8(d.uv())
		if open {
			r.Outcome.Open = mime.Hints(d.uv())
		}
		if timed {
			r.Last = d.time()
		}
		if r.Outcome.Archived {
			r.Response, r.Metadata = d.ref(), d.ref()
			r.RecordID, r.Date, r.Digest = d.str(), d.time(), d.str()
			r.ETag, r.LastModified = d.str(), d.str()
		}
		if revisit {
			r.Original = d.ref()
		}
	}
	if r.State < Parked || r.State > Done || finished != (r.Finishes > 0) || failed != r.hasFailure() {
		d.fail()
	}
	return r, d.end()
}

func checkURI(k, v []byte) error {
	if err := keyLen(k, 1+IDLen); err != nil {
		return err
	}
	_, err := DecodeRecord(ReadID(k[1:]), v, func(uint64) (string, error) { return "", nil })
	return err
}
