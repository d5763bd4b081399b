package write

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/crawllog"
	"exclave/internal/mime"
	"exclave/internal/record"
	"exclave/internal/urlx"
	"exclave/warc"
)

// Pool hands out WARC files. [*warc.Pool] is one.
type Pool interface {
	// Acquire blocks until a file is free; the caller owns it until Release.
	Acquire(ctx context.Context) (*warc.File, error)
	Release(f *warc.File)
}

// WARC is the processor "warc".
type WARC struct {
	pool   Pool
	depths crawl.Depths
	hosts  chain.Hosts
	clk    clock.Clock

	dedup     DedupConfig
	originals Originals
	earlier   Earlier
	entity    bool
}

// NewWARC returns the processor that archives into the files of pool. For what is in the archive already, as c says and
// originals finds, it writes revisit records; so for what is in other archives, as earlier finds. nil finds nothing. With entity the payload digest of
// answers in chunks is that of the entity, as the fetcher has set it on URIs.
func NewWARC(pool Pool, d crawl.Depths, hosts chain.Hosts, clk clock.Clock, c DedupConfig, originals Originals, earlier Earlier, entity bool) *WARC {
	return &WARC{pool: pool, depths: d, hosts: hosts, clk: clk, dedup: c, originals: originals, earlier: earlier, entity: entity}
}

// Process implements [chain.Processor]. An error means that nothing was written.
func (w *WARC) Process(ctx context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	g := w.plan(u)
	if g == nil {
		return chain.Idle(), nil
	}
	if err := w.write(ctx, g); err != nil {
		return chain.Result{}, fmt.Errorf("write: archive %s: %w", u.URL, err)
	}
	return chain.Result{}, nil
}

// Report implements [chain.Reporter]: what was asked about other archives.
func (w *WARC) Report(to io.Writer) error {
	if r, ok := w.earlier.(chain.Reporter); ok {
		return r.Report(to)
	}
	return nil
}

// plan decides whether and what to archive; nil is nothing.
func (w *WARC) plan(u *crawl.CrawlURI) *group {
	before := u.Prior != nil && u.Prior.Outcome.Archived
	g := &group{u: u, uri: targetURI(u.URL, u.Parsed()), date: u.Started}
	if g.date.IsZero() {
		g.date = w.clk.Now()
	}
	if u.Mode == crawl.ModeJudge {
		if !before || u.Judged == nil || u.Prior.RecordID == "" {
			return nil
		}
		g.date, g.id, g.judgeOnly = w.clk.Now(), u.Prior.RecordID, true
		return g
	}
	if u.Rec == nil || !u.Status.IsHTTP() || u.IsPrereq() || before && !u.Force {
		return nil
	}
	if !w.depths.Archived(u.Claim, u.Outcome()) {
		return nil
	}
	return g
}

// group is a capture group being written.
type group struct {
	u         *crawl.CrawlURI
	f         *warc.File
	uri       string // WARC-Target-URI
	date      time.Time
	id        string // of the response or revisit record
	judgeOnly bool
	payload   *crawl.Payload  // nil: not looked for
	original  *crawl.Original // nil: there is none
	alone     bool            // the revisit record is all that is written

	response, metadata warc.Ref
	carried            []string
}

// write writes the group and notes on the URI where it is.
func (w *WARC) write(ctx context.Context, g *group) error {
	var deferred []crawl.Deferred
	if !g.judgeOnly {
		var err error
		if deferred, err = w.deferred(ctx, g.u); err != nil {
			return err
		}
		if err := w.original(ctx, g); err != nil {
			return err
		}
		g.alone = w.dedup.RevisitOnly && g.unmodified()
		w.dedup.text(g.u)
	}
	f, err := w.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer w.pool.Release(f) // rolls back what was not ended
	g.f = f
	if err := f.Begin(); err != nil {
		return err
	}
	for _, d := range deferred {
		if err := g.deferred(d, w.entity); err != nil {
			return err
		}
	}
	if !g.judgeOnly {
		if err := g.exchange(); err != nil {
			return err
		}
		if err := g.fields(); err != nil {
			return err
		}
	}
	if err := g.verdict(); err != nil {
		return err
	}
	span, err := f.End()
	if err != nil {
		return err
	}
	g.done(span)
	return nil
}

func (g *group) done(s warc.Span) {
	u := g.u
	u.Span = &crawl.Span{File: s.File, Start: s.Start, End: s.End}
	if g.judgeOnly {
		return
	}
	u.Response, u.Metadata = crawl.Ref(g.response), crawl.Ref(g.metadata)
	u.RecordID, u.Carried, u.Payload, u.Original = g.id, g.carried, g.payload, g.original
}

// exchange writes request and response, or revisit.
func (g *group) exchange() error {
	u := g.u
	g.id = warc.NewID()
	var concurrent []string
	if !g.alone && u.Record == (crawl.RecordForm{}) {
		concurrent = []string{warc.NewID()}
		if err := g.request(concurrent[0]); err != nil {
			return err
		}
	}
	at, n := u.Rec.Response()
	r := &warc.Record{
		Extra: append(protocols(u), identified(u.MIME)...),
		Type:  warc.TypeResponse, TargetURI: g.uri, Date: g.date, ID: g.id,
		ContentType: warc.ContentHTTPResponse, ConcurrentTo: concurrent,
		IP: u.Addr, Truncated: string(u.Truncated), PayloadDigest: u.Digest,
		Block: io.NewSectionReader(at, 0, n),
	}
	if f := u.Record; f != (crawl.RecordForm{}) {
		r.Type, r.ContentType = f.Type, f.ContentType
	} else if u.Rec.HeaderLen() == 0 && n > 0 {
		headless(r, u.MIME.Type)
		r.Extra = protocols(u)
	} else if p := u.Prior; u.NotModified && p != nil && p.Outcome.Archived {
		// Without a block, and so with the header of the answer it refers to: pywb
		// since 2.7 replays the header of the revisit record, which is 304, and a
		// browser shows nothing. Ours is in the metadata record.
		r.Type, r.PayloadDigest = warc.TypeRevisit, p.PayloadDigest
		r.Block, r.ContentType, r.Extra = nil, "", protocols(u)
		r.Revisit = &warc.Revisit{Profile: warc.ProfileNotModified, TargetURI: g.uri, Date: p.Date, ID: p.RecordID}
		u.Annotate(crawllog.NotModified)
	} else if g.original != nil {
		g.refer(r)
	} else if r.PayloadDigest == "" {
		var err error
		if r.PayloadDigest, err = warc.PayloadDigest(r.Block); err != nil {
			return err
		}
	}
	var err error
	if g.response, err = g.f.Write(r); err != nil {
		return err
	}
	return g.further()
}

// headless gives the record of an HTTP answer without status line and header (HTTP/0.9) the form of a resource. In a response record
// other readers take its first lines, up to an empty one, for the header: what they replay is broken, and the digest is not that
// of what they call the payload.
func headless(r *warc.Record, mimeType string) {
	r.Type, r.ContentType = warc.TypeResource, cmp.Or(mimeType, "application/octet-stream")
}

// FurtherURI is what stands before the address in the target URI of what else was recorded of it, for the same reason as [VerdictURI]: of two
// records of an address pywb replays the one whose line in the index comes first.
const FurtherURI = "urn:exclave:further:"

// further writes what was recorded beside the answer.
func (g *group) further() error {
	for _, f := range g.u.Further {
		at, n := f.Rec.Response()
		if _, err := g.f.Write(&warc.Record{Type: f.Type, TargetURI: FurtherURI + g.uri, Date: g.date, ContentType: f.ContentType,
			ConcurrentTo: []string{g.id}, IP: g.u.Addr, Block: io.NewSectionReader(at, 0, n)}); err != nil {
			return err
		}
	}
	return nil
}

// protocols says what an answer came over, as Browsertrix does (iipc/warc-specifications #42).
func protocols(u *crawl.CrawlURI) (fields []warc.Field) {
	for _, p := range u.Protocols {
		fields = append(fields, warc.Field{Name: "WARC-Protocol", Value: p})
	}
	if u.CipherSuite != "" {
		fields = append(fields, warc.Field{Name: "WARC-Cipher-Suite", Value: u.CipherSuite})
	}
	return fields
}

// identified says of what type a body is where that is not what the header declares.
func identified(i mime.Info) []warc.Field {
	if i.Type == "" || i.Type == i.Declared {
		return nil
	}
	return []warc.Field{{Name: "WARC-Identified-Payload-Type", Value: i.Type}}
}

// maxRequest bounds the request that is kept; ours are some hundred bytes.
const maxRequest = 1 << 20

func (g *group) request(id string) error {
	at, n := g.u.Rec.Request()
	b := make([]byte, min(n, maxRequest))
	if m, err := at.ReadAt(b, 0); m < len(b) {
		return fmt.Errorf("read request: %w", err)
	}
	if record.Redact(b) {
		g.u.Annotate("redacted")
	}
	_, err := g.f.Write(&warc.Record{
		Type: warc.TypeRequest, TargetURI: g.uri, Date: g.date, ID: id,
		ContentType: warc.ContentHTTPRequest, ConcurrentTo: []string{g.id}, IP: g.u.Addr,
		Block: bytes.NewReader(b),
	})
	return err
}

// fields writes the metadata record: how the page was found, and its links.
func (g *group) fields() error {
	u := g.u
	if g.alone {
		return nil
	}
	fs := make([]warc.Field, 0, 9+len(u.Outlinks))
	if u.Via == "" || u.Seed && u.Hops == "" {
		fs = append(fs, warc.Field{Name: "seed"})
	}
	add := func(name, value string) {
		if value != "" {
			fs = append(fs, warc.Field{Name: name, Value: value})
		}
	}
	add("via", u.Via) // of a seed as the log says in which it was found
	add("hopsFromSeed", u.Hops)
	add("sourceTag", u.SourceTag)
	add("fetchTimeMs", fmt.Sprint(u.Took.Milliseconds()))
	if u.NotModified {
		for _, h := range u.Headers {
			add("notModifiedHeader", h.Name+": "+h.Value)
		}
	}
	if u.Doc != nil {
		add("charsetForLinkExtraction", u.Doc.Charset)
	}
	add("simhash", u.Simhash)
	add("textHash", u.TextHash)
	for _, o := range u.Outlinks {
		add("outlink", o.URL.String()+" "+string(rune(o.Hop))+" "+o.Context)
	}
	var err error
	g.metadata, err = g.f.Write(&warc.Record{
		Type: warc.TypeMetadata, TargetURI: g.uri, Date: g.date,
		ContentType: warc.ContentFields, ConcurrentTo: []string{g.id},
		Block: bytes.NewReader(warc.Fields(fs)),
	})
	return err
}

// VerdictURI is what stands before a page's address in the target URI of its
// verdict. Under the address itself pywb would index the record as a capture and
// replay it in place of the page (docs/formats/warc.md).
const VerdictURI = "urn:exclave:verdict:"

// verdict writes what the analyzer said of the page, if it was asked.
func (g *group) verdict() error {
	if g.u.Judged == nil || g.alone && g.u.Prior.Outcome.Judged && g.u.Prior.Outcome.ValidFor == g.u.Judged.ValidFor {
		return nil
	}
	_, err := g.f.Write(&warc.Record{
		Type: warc.TypeMetadata, TargetURI: VerdictURI + g.uri, Date: g.date,
		ContentType: warc.ContentJSON, ConcurrentTo: []string{g.id},
		Block: bytes.NewReader(g.u.Judged.JSON),
	})
	return err
}

// targetURI returns an address, which is u unless that is nil, without fragment. What the standard forbids in
// WARC-Target-URI is percent-encoded: a page must not be able to stop the writer.
func targetURI(raw string, u *urlx.URL) string {
	if u != nil {
		raw = u.WithoutFragment().String()
	}
	forbidden := func(c rune) bool { return c <= ' ' || c >= 0x7f || c == '<' || c == '>' }
	if strings.IndexFunc(raw, forbidden) < 0 {
		return raw
	}
	var b strings.Builder
	for i := range len(raw) {
		if c := raw[i]; forbidden(rune(c)) {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
