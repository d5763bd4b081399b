package frontier

import (
	"time"

	"exclave/crawl"
)

// State is where a URI stands.
type State uint8

// The states of a URI. Values are stored; never renumber.
const (
	Parked  State = iota + 1 // known, nobody wants it yet
	Waiting                  // in its host's queue, or in process
	Done                     // finished
)

// String names the state.
func (s State) String() string {
	return [...]string{"unknown", "parked", "waiting", "done"}[min(s, 3)]
}

// Record is everything kept of a URI.
type Record struct {
	ID        crawl.ID
	URL       string // what is requested
	Key       string // what decides sameness
	Host      string
	Via       string
	Hops      string
	Kind      crawl.LinkKind
	Context   string
	SourceTag string
	Seed      bool

	State     State
	Mode      crawl.Mode // of the next offer
	Force     bool       // the next offer is a forced one
	Claim     crawl.Claim
	Attempts  int // failed ones since it was queued
	Redirects int // to itself in another form
	Finishes  int // lines in crawl.log
	Judgings  int // lines in analysis.jsonl

	Outcome         crawl.Outcome
	Response        crawl.Ref
	Metadata        crawl.Ref
	RecordID        string
	Date            time.Time // of the archived answer
	Digest          string
	ETag            string
	LastModified    string
	LinksInMetadata bool // outlinks are to be read from the metadata record
	Targeted        bool // a redirect leads here

	prec uint8 // place in the queue, while Waiting
	seq  uint64
}

func (r *Record) encode() []byte {
	e := newEnc()
	e.flags(r.Seed, r.Force, r.Key == r.URL, r.LinksInMetadata, r.Outcome.Judgeable, r.Outcome.Judged, r.Outcome.Archived, r.Finishes > 0, r.Targeted)
	e.uv(uint64(r.State))
	e.uv(uint64(r.Mode))
	e.uv(uint64(r.Kind))
	e.str(r.URL)
	if r.Key != r.URL {
		e.str(r.Key)
	}
	e.str(r.Host)
	e.str(r.Via)
	e.str(r.Hops)
	e.str(r.Context)
	e.str(r.SourceTag)
	e.claim(r.Claim)
	e.uv(uint64(r.Attempts))
	e.uv(uint64(r.Redirects))
	e.uv(uint64(r.prec))
	e.uv(r.seq)
	if r.Finishes == 0 {
		return e.b
	}
	e.uv(uint64(r.Finishes))
	e.uv(uint64(r.Judgings))
	e.iv(int64(r.Outcome.Status))
	e.uv(uint64(r.Outcome.Class))
	e.uv(uint64(r.Outcome.ValidFor))
	if r.Outcome.Archived {
		e.ref(r.Response)
		e.ref(r.Metadata)
		e.str(r.RecordID)
		e.time(r.Date)
		e.str(r.Digest)
		e.str(r.ETag)
		e.str(r.LastModified)
	}
	return e.b
}

func decodeRecord(id crawl.ID, b []byte) (*Record, error) {
	d := newDec(b)
	r := &Record{ID: id}
	var sameKey, finished bool
	d.flags(&r.Seed, &r.Force, &sameKey, &r.LinksInMetadata, &r.Outcome.Judgeable, &r.Outcome.Judged, &r.Outcome.Archived, &finished, &r.Targeted)
	r.State, r.Mode, r.Kind = State(d.uv()), crawl.Mode(d.uv()), crawl.LinkKind(d.uv())
	r.URL = d.str()
	r.Key = r.URL
	if !sameKey {
		r.Key = d.str()
	}
	r.Host, r.Via, r.Hops, r.Context, r.SourceTag = d.str(), d.str(), d.str(), d.str(), d.str()
	r.Claim = d.claim()
	r.Attempts, r.Redirects = int(d.uv()), int(d.uv())
	r.prec, r.seq = uint8(d.uv()), d.uv()
	if finished {
		r.Finishes, r.Judgings = int(d.uv()), int(d.uv())
		r.Outcome.Status = crawl.Status(d.iv())
		r.Outcome.Class = crawl.TypeClass(d.uv())
		r.Outcome.ValidFor = uint8(d.uv())
		if r.Outcome.Archived {
			r.Response, r.Metadata = d.ref(), d.ref()
			r.RecordID, r.Date, r.Digest = d.str(), d.time(), d.str()
			r.ETag, r.LastModified = d.str(), d.str()
		}
	}
	if r.State < Parked || r.State > Done || finished != (r.Finishes > 0) {
		d.fail()
	}
	return r, d.end()
}

// offer makes the CrawlURI that a ToeThread works on.
func (r *Record) offer(last bool) *crawl.CrawlURI {
	u := &crawl.CrawlURI{
		Candidate: crawl.Candidate{URL: r.URL, Key: r.Key, Host: r.Host, Via: r.Via, Hops: r.Hops, Kind: r.Kind,
			Context: r.Context, SourceTag: r.SourceTag, Seed: r.Seed, Force: r.Force, Claim: r.Claim},
		ID: r.ID, Mode: r.Mode, Attempt: r.Attempts + 1, LastAttempt: last,
	}
	if r.Finishes > 0 {
		u.Prior = &crawl.Prior{Outcome: r.Outcome, Response: r.Response, RecordID: r.RecordID, Date: r.Date,
			PayloadDigest: r.Digest, ETag: r.ETag, LastModified: r.LastModified}
	}
	return u
}

// hostRow is what the queue of a host needs beside its URIs.
type hostRow struct {
	Name    string
	Waiting uint64    // URIs in its queue
	Wake    time.Time // not before; wall time
	GaveUp  bool      // a URI was given up because the host did not answer
	Tally   *Tally    // of its visits; nil = none, and in the rows that Next sees
}

func (h *hostRow) encode() []byte {
	e := newEnc()
	e.str(h.Name)
	e.uv(h.Waiting)
	e.time(h.Wake)
	e.flags(h.GaveUp, h.Tally != nil)
	if h.Tally != nil {
		e.tally(*h.Tally)
	}
	return e.b
}

func decodeHost(b []byte) (*hostRow, error) {
	d := newDec(b)
	h := &hostRow{Name: d.str(), Waiting: d.uv(), Wake: d.time()}
	var visited bool
	d.flags(&h.GaveUp, &visited)
	if visited {
		y := d.tally()
		h.Tally = &y
	}
	return h, d.end()
}

// Capture is a capture group in a WARC file.
type Capture struct {
	Span      crawl.Span
	ID        crawl.ID
	Response  bool   // it holds a response or revisit; else only a verdict
	Abandoned string // why it was not acknowledged, "" when it was
	Carried   []string
}

func (c *Capture) encode() []byte {
	e := newEnc()
	e.uv(uint64(c.Span.End))
	e.uv(uint64(c.ID))
	e.flags(c.Response)
	e.str(c.Abandoned)
	e.uv(uint64(len(c.Carried)))
	for _, k := range c.Carried {
		e.str(k)
	}
	return e.b
}

func decodeCapture(file uint32, start int64, b []byte) (Capture, error) {
	d := newDec(b)
	c := Capture{Span: crawl.Span{File: file, Start: start, End: int64(d.uv())}, ID: crawl.ID(d.uv())}
	d.flags(&c.Response)
	c.Abandoned = d.str()
	for range min(d.uv(), uint64(len(d.b))) {
		c.Carried = append(c.Carried, d.str())
	}
	return c, d.end()
}
