package frontier

import (
	"cmp"
	"encoding/binary"
	"strings"
	"time"

	"exclave/crawl"
	"exclave/internal/mime"
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
	Via       string // URL it was found on; of a page that is known only where said so; of a seed, by another harvest
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
	LinksInMetadata bool // outlinks are to be read from the metadata record
	Targeted        bool // a redirect leads here

	Found    Found // what the best page was that it was found on, where the order asks for it
	InWanted bool  // found in a document of a wanted type
	// Empty is how many pages in a row, on the way here, led to nothing new but their like.
	Empty uint8
	Wrong bool // its extension promised a wanted type, its answer was none
	// Leads: pages were found on it when it was finished, which learn of a nearer way when it is read
	// again. Left: links of it were not followed, or those behind what it embeds may not be.
	Leads, Left bool

	ways  crawl.Ways // how it was reached; zero: as Hops and Context say
	via   crawl.ID   // of the page it was found on, when that is known
	queue string     // name of its queue, where that does not follow from the URI
	prec  uint8      // place in the queue, while Waiting
	seq   uint64
}

// Ways are how the URI was reached, of every page that it was found on.
func (r *Record) Ways() crawl.Ways {
	if r.ways == (crawl.Ways{}) {
		return crawl.WaysOf(r.Hops, r.Context)
	}
	return r.ways
}

// setWays keeps ways, unless hops and context say the same.
func (r *Record) setWays(w crawl.Ways) {
	if r.ways = w; w == crawl.WaysOf(r.Hops, r.Context) {
		r.ways = crawl.Ways{}
	}
}

// names returns the name of a host by its hash.
type names func(hash uint64) (string, error)

// Schemes that are written as a number; 0 stands for a URL that is written whole,
// its host beside it.
var schemes = [...]string{"", "http://", "https://", "ftp://", "dns:"}

// scheme takes the URL apart where its host is the one the id begins with.
func (r *Record) scheme() (number int, rest string) {
	if keyHost(r.Key) != r.Host {
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

func (d *dec) url(r *Record, sameKey bool, host names) {
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
	case r.via == crawl.ID{}:
		e.uv(0)
		e.str(r.Via)
	case r.via.Host == r.ID.Host:
		e.uv(1)
		e.b = binary.BigEndian.AppendUint64(e.b, r.via.URI)
	default:
		e.uv(2)
		e.id(r.via)
	}
}

func (d *dec) page(r *Record) {
	switch d.uv() {
	case 0:
		r.Via = d.str()
	case 1:
		if b := d.take(8); b != nil {
			r.via = crawl.ID{Host: r.ID.Host, URI: binary.BigEndian.Uint64(b)}
		}
	case 2:
		r.via = d.id()
	default:
		d.fail()
	}
}

func (r *Record) encode() []byte {
	e := newEnc()
	e.flags(r.Seed, r.Force, r.Key == r.URL, r.LinksInMetadata, r.Outcome.Judgeable, r.Outcome.Judged, r.Outcome.Archived, r.Finishes > 0, r.Targeted,
		r.InWanted, r.Wrong, r.queue != "", r.Found != 0, r.ways != (crawl.Ways{}), r.Outcome.Embedding, r.Outcome.Open != 0, !r.Last.IsZero(), r.Outcome.Guesses, r.Empty > 0, r.Leads, r.Left)
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
	e.uv(uint64(r.prec))
	e.uv(r.seq)
	if r.queue != "" {
		e.str(r.queue)
	}
	if r.Found != 0 {
		e.uv(uint64(r.Found))
	}
	if r.Empty > 0 {
		e.uv(uint64(r.Empty))
	}
	if r.ways != (crawl.Ways{}) {
		e.ways(r.ways)
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
	return e.b
}

func decodeRecord(id crawl.ID, b []byte, host names) (*Record, error) {
	d := newDec(b)
	r := &Record{ID: id}
	var sameKey, finished, queue, found, ways, open, timed, empty bool
	d.flags(&r.Seed, &r.Force, &sameKey, &r.LinksInMetadata, &r.Outcome.Judgeable, &r.Outcome.Judged, &r.Outcome.Archived, &finished, &r.Targeted,
		&r.InWanted, &r.Wrong, &queue, &found, &ways, &r.Outcome.Embedding, &open, &timed, &r.Outcome.Guesses, &empty, &r.Leads, &r.Left)
	r.State, r.Mode, r.Kind = State(d.uv()), crawl.Mode(d.uv()), crawl.LinkKind(d.uv())
	d.url(r, sameKey, host)
	d.page(r)
	r.Hops, r.Context, r.SourceTag = d.str(), d.str(), d.str()
	r.Claim = d.claim()
	r.Attempts, r.Redirects = int(d.uv()), int(d.uv())
	r.prec, r.seq = uint8(d.uv()), d.uv()
	if queue {
		r.queue = d.str()
	}
	if found {
		r.Found = Found(d.uv())
	}
	if empty {
		r.Empty = uint8(d.uv())
	}
	if ways {
		r.ways = d.ways()
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
			Context: r.Context, Ways: r.Ways(), SourceTag: r.SourceTag, Seed: r.Seed, Force: r.Force, Claim: r.Claim},
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
	Backoff uint8     // failures that made it rest, halved by every answer
	Refused uint8     // answers 403 in a row
	// Requests to it since the last general pause of its address, which was the
	// Pauses-th.
	Requests, Pauses uint64
	Resting          bool       // it waits on disk until Wake or Until
	Retired          Retirement // why none of its URIs is asked for
	Best             uint8      // precedence of the head of its queue, as far as is known
	Ticket           time.Time  // when it got in line
	Spent            uint64     // of the balance of its session
	Round, RoundUsed uint64     // the round it was last asked in, and how often
	Took             uint64     // milliseconds its answers take, smoothed; 0 = not known
	Known, Valid     uint64     // URIs of the host that are known, and those that are valid pages
	Ill              uint64     // origins in it that failed and have not recovered
	Until            time.Time  // all that waits in it rests until then; zero: not known to
	Guessed          uint64     // URIs known that are guesses, see Record.guess

	read []byte // value it was read from
	was  place  // where it stood, if it did
}

// place is where a queue stands: in which order, at which number (of resting ones
// milliseconds since 1970), then its hash. The zero place is that of an empty queue.
type place struct {
	kind     byte
	at, host uint64
}

func (p place) before(o place) bool {
	return cmp.Or(cmp.Compare(p.at, o.at), cmp.Compare(p.host, o.host)) < 0
}

func (p place) key() []byte { return binary.BigEndian.AppendUint64(numberKey(p.kind, p.at), p.host) }

// stands returns the place of a queue.
func (h *hostRow) stands(o *order, hash uint64) place {
	switch {
	case h.Waiting == 0:
		return place{}
	case h.Retired != NotRetired:
		return place{placeRetired, 0, hash}
	case h.Resting:
		return place{placeResting, uint64(max(h.rests().UnixMilli(), 1)), hash}
	}
	return place{placeLine, o.line(h), hash}
}

// hostVersion starts the value of a host; hostVersion3 did in state format 3.
const hostVersion, hostVersion3 = 3, 2

func (h *hostRow) encode() []byte {
	e := newEnc()
	e.b[0] = hostVersion
	e.str(h.Name)
	e.uv(h.Waiting)
	e.time(h.Wake)
	ill := h.Ill > 0 || !h.Until.IsZero()
	e.flags(h.GaveUp, h.Tally != nil, h.Resting, h.Retired != NotRetired, h.RoundUsed > 0, ill, h.Guessed > 0)
	e.uv(uint64(h.Backoff))
	e.uv(uint64(h.Refused))
	e.uv(h.Requests)
	e.uv(h.Pauses)
	e.uv(uint64(h.Best))
	e.time(h.Ticket)
	e.uv(h.Spent)
	e.uv(h.Took)
	e.uv(h.Known)
	e.uv(h.Valid)
	if h.Retired != NotRetired {
		e.uv(uint64(h.Retired))
	}
	if h.RoundUsed > 0 {
		e.uv(h.Round)
		e.uv(h.RoundUsed)
	}
	if ill {
		e.uv(h.Ill)
		e.time(h.Until)
	}
	if h.Guessed > 0 {
		e.uv(h.Guessed)
	}
	if h.Tally != nil {
		e.tally(*h.Tally)
	}
	return e.b
}

// decodeHost reads a row of the present or the last format.
func decodeHost(b []byte) (*hostRow, error) {
	version := byte(hostVersion)
	if len(b) > 0 && b[0] == hostVersion3 {
		version = hostVersion3
	}
	d := newDecOf(b, version)
	h := &hostRow{Name: d.str(), Waiting: d.uv(), Wake: d.time()}
	var visited, retired, round, ill, guessed bool
	d.flags(&h.GaveUp, &visited, &h.Resting, &retired, &round, &ill, &guessed)
	h.Backoff, h.Refused = uint8(d.uv()), uint8(d.uv())
	h.Requests, h.Pauses = d.uv(), d.uv()
	if version > hostVersion3 {
		h.Best, h.Ticket, h.Spent, h.Took = uint8(d.uv()), d.time(), d.uv(), d.uv()
		h.Known, h.Valid = d.uv(), d.uv()
	}
	if retired {
		h.Retired = Retirement(d.uv())
	}
	if round {
		h.Round, h.RoundUsed = d.uv(), d.uv()
	}
	if ill {
		h.Ill, h.Until = d.uv(), d.time()
	}
	if guessed {
		h.Guessed = d.uv()
	}
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
	e.id(c.ID)
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
	c := Capture{Span: crawl.Span{File: file, Start: start, End: int64(d.uv())}, ID: d.id()}
	d.flags(&c.Response)
	c.Abandoned = d.str()
	for range min(d.uv(), uint64(len(d.b))) {
		c.Carried = append(c.Carried, d.str())
	}
	return c, d.end()
}
