package crawl

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"time"

	"exclave/internal/markup"
	"exclave/internal/mime"
	"exclave/internal/robots"
	"exclave/internal/sheet"
	"exclave/internal/urlx"
)

// ErrDone is returned by a frontier's Next when nothing is queued, in process
// or still to be propagated: the crawl is over.
var ErrDone = errors.New("crawl: nothing left to do")

// ID names a URI within one job: hashes of the host in its key and of the key
// itself, keyed per job. Ids sort by host.
type ID struct{ Host, URI uint64 }

// String returns both hashes in hexadecimal.
func (id ID) String() string { return fmt.Sprintf("%016x.%016x", id.Host, id.URI) }

// Compare orders IDs as the state does: by host, then by URI.
func (id ID) Compare(o ID) int {
	return cmp.Or(cmp.Compare(id.Host, o.Host), cmp.Compare(id.URI, o.URI))
}

// Hop letters of a hop path (design: formats, crawl.log).
const (
	HopLink        = 'L'
	HopEmbed       = 'E'
	HopRedirect    = 'R'
	HopPrereq      = 'P'
	HopSpeculative = 'X'
	HopInferred    = 'I'
	HopManifest    = 'M'
	HopSynthesized = 'S'
)

// Contexts of links to sitemaps: on robots.txt, and as an index of sitemaps names them, behind which may stand what it says of them.
// Those of entries of sitemaps begin like that of an index.
const (
	ContextRobots    = "robots.txt/sitemap"
	ContextWellKnown = "well-known/sitemap"
	ContextIndex     = contextEntry + "index/loc"
	contextEntry     = "sitemap:"
)

// IsSitemap reports whether what was found so was reached as a sitemap; a redirect leaves it one.
func IsSitemap(hops, context string) bool {
	before := strings.TrimRight(hops, string(rune(HopRedirect)))
	return strings.HasSuffix(before, string(rune(HopManifest))) &&
		(context == ContextRobots || context == ContextWellKnown || strings.HasPrefix(context, ContextIndex) || before != hops)
}

// OfSitemap reports whether a context is that of a link to a sitemap, or of an entry of one.
func OfSitemap(context string) bool {
	return context == ContextRobots || context == ContextWellKnown || strings.HasPrefix(context, contextEntry)
}

// IsNavigation reports whether a reader gets from page to page over a hop, so that what follows is another page.
func IsNavigation(hop byte) bool { return hop == HopLink || hop == HopManifest }

// Candidate is a discovered URI on its way to the frontier. It is serialisable:
// batches of candidates may travel between machines.
type Candidate struct {
	URL       string // as found; what is requested
	Key       string // normal form; what decides sameness
	Host      string // ACE host name, lower case; the queue it belongs to
	Via       string // URL it was found on; of a seed, by another harvest, whose log says so
	Hops      string // hop path from the seed, "" for a seed
	Kind      LinkKind
	Context   string // where it stood, e.g. img/@srcset
	Ways      Ways   // how it was reached; zero: as Hops and Context say
	SourceTag string
	Seed      bool
	Force     bool // offered again although known (prerequisites, recrawl)
	Claim     Claim

	parsed *urlx.URL // of URL; nil until it is set or asked for
}

// SetURL sets what the candidate's address decides: URL, key and host. u travels with it:
// whoever asks for [Candidate.Parsed] gets it.
func (c *Candidate) SetURL(u *urlx.URL, key string) {
	c.URL, c.Key, c.Host, c.parsed = u.String(), key, u.Hostname(), u
}

// Parsed returns the URL taken apart, nil when it is none of http, https, ftp and whois (dns:). It is
// parsed at most once, when it is asked for first, so URL must not be changed afterwards, and
// the caller must own the candidate.
func (c *Candidate) Parsed() *urlx.URL {
	if c.parsed == nil && !IsDNS(c.URL) {
		c.parsed, _ = urlx.Parse(c.URL) // nil with an error
	}
	return c.parsed
}

// LinkHops counts the L in a hop path.
func LinkHops(hops string) int { return strings.Count(hops, string(rune(HopLink))) }

// Outlink is a link as extraction found it: absolute, not yet judged by scope.
type Outlink struct {
	URL     *urlx.URL // without credentials and fragment; never nil
	Hop     byte
	Kind    LinkKind
	Context string
	Rel     string // as its element or Link field says, bounded
	Text    string // anchor text, alt or title, bounded
	// NoFollow says that its rel is "nofollow".
	NoFollow bool
	// PageNoFollow says that it stands in another page, whose directives are that its links are not to be followed.
	PageNoFollow bool
}

// Mode says what a ToeThread does with a URI.
type Mode uint8

// The modes in which the frontier offers a URI.
const (
	ModeFetch Mode = iota // fetch it
	ModeJudge             // take links from, and judge, the archived bytes at Prior.Response; no request
)

// Ref is the place of one WARC record: file number, byte offset and compressed
// length.
type Ref struct {
	File           uint32
	Offset, Length int64
}

// IsZero reports whether there is no such record.
func (r Ref) IsZero() bool { return r.Length == 0 }

// Span is the place of a capture group: the bytes [Start, End) of one WARC file.
type Span struct {
	File       uint32
	Start, End int64
}

// Prior is what the state knows of an earlier capture of the same URI.
type Prior struct {
	Outcome       Outcome
	Response      Ref // the response record, zero when not archived
	RecordID      string
	Date          time.Time
	PayloadDigest string
	ETag          string
	LastModified  string
	Original      Ref // of which Response is a revisit record with an identical payload; zero: it is none
}

// Judgement is the analyzer's result as the chains carry it.
type Judgement struct {
	ValidFor uint8              // bit i: valid for profile i
	Points   [MaxProfiles]int64 // per profile
	Profiles int                // how many profiles judged
	Near     bool               // not valid for a profile, with at least half of its points
	JSON     []byte             // all verdicts with evidence, one JSON array
}

// Best returns the points of the best profile that accepts the page, or else of the best that
// does not.
func (j *Judgement) Best() (valid bool, points int64) {
	valid, first := j.ValidFor != 0, true
	for i, n := range j.Points[:min(j.Profiles, MaxProfiles)] {
		if valid && j.ValidFor&(1<<i) == 0 {
			continue
		}
		if first || n > points {
			points, first = n, false
		}
	}
	return valid, points
}

// Disposition is what the frontier is to do with a URI handed back.
type Disposition uint8

// What Finished may be asked for.
const (
	Done   Disposition = iota // processed; the outcome is final
	Retry                     // failed in a way that may pass
	Defer                     // its Prereq goes first
	Resign                    // not processed (the crawl is stopping); offered again
)

// LogID names a log whose length is committed with the state.
type LogID uint8

// The committed logs.
const (
	LogCrawl    LogID = iota // logs/crawl.log
	LogScope                 // logs/out-of-scope.jsonl
	LogAnalysis              // logs/analysis.jsonl
	NumLogs
)

// Name returns the log's file name.
func (l LogID) Name() string {
	return [...]string{"crawl.log", "out-of-scope.jsonl", "analysis.jsonl"}[l]
}

// LogLine is a line to be committed with an outcome; Text ends in a newline.
type LogLine struct {
	Log  LogID
	Text []byte
}

// Header is one header field of an HTTP answer, as received.
type Header struct{ Name, Value string }

// Truncation is the reason a recording was cut, in WARC-Truncated's words.
type Truncation string

// The reasons for a cut.
const (
	NotTruncated    Truncation = ""
	TruncLength     Truncation = "length"
	TruncTime       Truncation = "time"
	TruncDisconnect Truncation = "disconnect"
)

// Recording holds the exact bytes of one exchange with a server. It may have
// spilled to disk. It belongs to the CrawlURI's ToeThread.
type Recording interface {
	// Request returns the request as sent, and its length.
	Request() (io.ReaderAt, int64)
	// Response returns the final answer as received (status line, header, body
	// with its transfer and content codings; no 1xx answers), and its length.
	Response() (io.ReaderAt, int64)
	// HeaderLen is the length of the response up to and including the blank line.
	HeaderLen() int64
	// Body returns up to limit bytes of the body with transfer and content
	// codings removed. A broken coding ends it early; what could be decoded is
	// returned with the error.
	Body(limit int64) ([]byte, error)
	// Forget gives up the memory of what Body returned, which is not to be looked at
	// any more. Body may be called again.
	Forget()
	// Close releases memory and scratch files.
	Close() error
}

// RecordForm is the form in which the archive has a recording: the type of the WARC record and that of its block. The zero form
// is that of HTTP, request and response.
type RecordForm struct{ Type, ContentType string }

// Types of WARC records, as a RecordForm has them (ISO 28500 §6).
const (
	RecordResponse = "response"
	RecordResource = "resource"
	RecordMetadata = "metadata"
)

// Further is a recording of a URI beside the one of its answer: what went over another connection. It is closed with it.
type Further struct {
	RecordForm // not zero
	Rec        Recording
}

// CrawlURI is a URI being processed. It belongs to exactly one ToeThread
// between Next and Finished.
type CrawlURI struct {
	Candidate   // Claim is the joined claim at the time of Next
	ID          ID
	Mode        Mode
	Attempt     int    // 1 for the first
	LastAttempt bool   // a failure now is final
	Prior       *Prior // nil when never captured
	Worker      int    // number of the ToeThread, from 1
	// Sheet is what sheets set for the URI; nil: nothing. It is not to be changed.
	Sheet *sheet.Settings

	// Fetch.
	Status      Status
	Addr        netip.Addr
	Started     time.Time     // of the fetch
	Took        time.Duration // of the fetch
	Rec         Recording     // exact bytes; nil when nothing was fetched; closed by the ToeThread before Finished
	Record      RecordForm    // how the archive has Rec
	Further     []Further     // what else was recorded, to be archived beside Rec
	Received    int64         // bytes of the answer, header and body; set when the chains are done
	HTTPStatus  int
	Headers     []Header
	Truncated   Truncation
	Protocols   []string // what the answer came over: "http/1.1", "tls/1.3"
	CipherSuite string   // of TLS, as IANA names it; "" without
	MIME        mime.Info
	Digest      string        // payload digest, sha1:BASE32
	NotModified bool          // 304 to a conditional request
	RetryAfter  time.Duration // asked for by the server; 0 = not
	NewCookies  bool          // the answer changed which cookies go with a request for the URL
	CookiesOn   bool          // cookies go with a request for what the answer redirects to
	CrawlDelay  time.Duration // asked for by robots.txt; 0 = not

	// Extract.
	Class     TypeClass
	Doc       *markup.Doc // what extraction saw, made once; given up before Finished
	Outlinks  []Outlink
	Dropped   int  // outlinks beyond the limit
	Embedding bool // see [Outcome]
	Guesses   bool // see [Outcome]
	Judgeable bool
	Judged    *Judgement // nil when the analyzer did not run

	// Write.
	Span     *Span    // the capture group, nil when nothing was written
	Response Ref      // response or revisit record within it
	Metadata Ref      // metadata record with the outlinks
	RecordID string   // of the response or revisit record
	Carried  []string // keys of the deferred answers written in this group
	// Payload is what the answer is found by when later ones have the same content; nil: it is not to be found.
	Payload *Payload
	// Original is the earlier answer with the same content that a revisit record was written for; nil: the
	// response was archived whole, or is one to a conditional request.
	Original *Original
	// Simhash and TextHash are the hashes of the page's text (package simhash) as the archive has them; "" without.
	Simhash, TextHash string

	// Post.
	Disposition Disposition
	Prereq      *Candidate    // set with Defer, unless Wait is
	Wait        time.Duration // with Defer: the queue rests for so long, without a request
	Links       []Candidate   // accepted by scope, claims set
	// CalendarLinks are links to other lists of a calendar that the scope left out as traps.
	CalendarLinks int
	HostFacts     *HostFacts // new facts, nil = unchanged
	Origin        *OriginFacts
	Deferred      *Deferred // answer to keep until the host is archived
	Annotations   []string
	Lines         []LogLine
	Err           error // our own failure, if any

	attributes []attribute // see [CrawlURI.Attribute]
}

// Payload is the content of an archived answer.
type Payload struct {
	Name string // what it is known by: the same for the same content (package chain/write)
	URL  string // WARC-Target-URI of the answer
}

// Original is an archived answer that revisit records of other answers with the same content refer to.
type Original struct {
	Ref    Ref       // zero: it is in another archive
	ID     string    // of its record; "" in another archive
	URL    string    // WARC-Target-URI
	Date   time.Time // WARC-Date
	Digest string    // WARC-Payload-Digest
}

// Annotate adds a word to the annotations of crawl.log. They are for people, and for what
// reads the log: nothing is decided on them.
func (u *CrawlURI) Annotate(word string) { u.Annotations = append(u.Annotations, word) }

// Outcome returns what is stored of the URI in its present state.
func (u *CrawlURI) Outcome() Outcome {
	o := Outcome{Status: u.Status, Class: u.Class, Judgeable: u.Judgeable, Open: u.MIME.Open, Embedding: u.Embedding, Guesses: u.Guesses, Truncated: u.Truncated != "",
		Archived: u.Span != nil && !u.Response.IsZero()}
	if p := u.Prior; p != nil {
		// What was archived or judged before stays so.
		o.Archived = o.Archived || p.Outcome.Archived
		if u.Judged == nil && p.Outcome.Judged {
			o.Judged, o.ValidFor = true, p.Outcome.ValidFor
		}
		switch unread := u.Class == ClassUnknown; {
		case u.NotModified, u.Mode == ModeJudge && unread, u.Status < 100 && p.Outcome.Archived:
			o.Status, o.Class, o.Judgeable = p.Outcome.Status, p.Outcome.Class, p.Outcome.Judgeable
			o.Open, o.Embedding, o.Guesses, o.Truncated = p.Outcome.Open, p.Outcome.Embedding, p.Outcome.Guesses, p.Outcome.Truncated
		case u.Mode == ModeJudge:
			o.Status, o.Judgeable, o.Truncated = p.Outcome.Status, o.Judgeable || p.Outcome.Judgeable, p.Outcome.Truncated
			o.Embedding, o.Guesses = o.Embedding || p.Outcome.Embedding, o.Guesses || p.Outcome.Guesses
		}
	}
	if u.Judged != nil {
		o.Judged, o.ValidFor = true, u.Judged.ValidFor
	}
	return o
}

// Directives returns what the page, and the server for it, say to crawlers, those that are for the product token included.
func (u *CrawlURI) Directives(token string) (d robots.Directives) {
	for _, h := range u.Headers {
		if strings.EqualFold(h.Name, "X-Robots-Tag") {
			d.ReadTag(h.Value, token)
		}
	}
	if u.Doc != nil {
		d = d.Join(u.Doc.Robots)
	}
	return d
}

// CloseRecordings gives up what was recorded.
func (u *CrawlURI) CloseRecordings() error {
	var err error
	if u.Rec != nil {
		err = u.Rec.Close()
	}
	for _, f := range u.Further {
		err = errors.Join(err, f.Rec.Close())
	}
	u.Rec, u.Further = nil, nil
	return err
}

// Header returns the first value of a header field, compared without case.
func (u *CrawlURI) Header(name string) string {
	for _, h := range u.Headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}
