package write

import (
	"context"
	"fmt"
	"io"
	"time"

	"exclave/crawl"
	"exclave/internal/conf"
	"exclave/internal/crawllog"
	"exclave/internal/near"
	"exclave/internal/record"
	"exclave/internal/simhash"
	"exclave/internal/urlx"
	"exclave/warc"
)

// Words of DedupConfig.By.
const (
	ByDigest    = "digest"     // the same content, whatever its address
	ByURLDigest = "url-digest" // the same content of the same address
)

// DedupConfig says of which answers only a revisit record is archived: the section dedup of job.toml.
type DedupConfig struct {
	// WithinJob looks for the content among what the job has archived.
	WithinJob bool `toml:"within_job"`
	// By says what is the same: ByDigest or ByURLDigest.
	By string `toml:"by"`
	// MinSize is the length from which on a body, as stored, is looked for, at least 1 byte.
	MinSize int64 `toml:"min_size"`
	// RevisitOnly makes the revisit record all that is written of an archived URI that did not change: no request and metadata record,
	// and no verdict that says what the one before said.
	RevisitOnly bool `toml:"revisit_only"`
	// NearDistance is in how many bits at most the simhashes of pages nearly the same differ, 0 … 7; 0: they are neither computed nor counted.
	NearDistance int `toml:"near_distance"`
	// Index names folders that say what other archives have (package warc/dedup).
	Index []string `toml:"index"`
	// Servers are addresses of servers of an index of captures, which say what other archives have at an address.
	Servers []string `toml:"servers"`
	// ServerTimeout bounds a question to one of them, more than 0.
	ServerTimeout time.Duration `toml:"server_timeout"`
	// ServerConnections is how many questions each is asked at the same time, at least 1.
	ServerConnections int `toml:"server_connections"`
	// ServerLogins names a file with names and passwords for them; "" for none.
	ServerLogins string `toml:"server_logins"`
}

// DefaultDedup finds identical content of a job, wherever it was. What is shorter than MinSize is hardly longer, once
// compressed, than what a revisit record has more than a response.
func DefaultDedup() DedupConfig {
	return DedupConfig{WithinJob: true, By: ByDigest, MinSize: 1024, RevisitOnly: true, NearDistance: 3, ServerTimeout: 2 * time.Second, ServerConnections: 8}
}

// Validate returns every problem of the values.
func (c DedupConfig) Validate() (ps conf.Problems) {
	ps.Check(c.By == ByDigest || c.By == ByURLDigest, "by", `%q: must be "digest" or "url-digest"`, c.By)
	ps.Check(c.MinSize >= 1, "min_size", "%d: must be at least 1 byte", c.MinSize)
	ps.Check(c.ServerTimeout > 0, "server_timeout", "%s: must be more than 0", c.ServerTimeout)
	ps.Check(c.ServerConnections >= 1, "server_connections", "%d: must be at least 1", c.ServerConnections)
	for i, s := range c.Servers {
		if _, err := urlx.ParseService(s); err != nil {
			ps.Add("servers", "number %d %v; server_logins names a file with names and passwords", i+1, err)
		}
	}
	ps.Check(c.NearDistance >= 0 && c.NearDistance <= near.MaxDistance, "near_distance", "%d: must be between 0 and %d bits; 0 counts nothing", c.NearDistance, near.MaxDistance)
	return ps
}

// Wants reports whether a body of size bytes behind a header of head bytes, cut for the given reason, is looked for. What has no
// header, or was cut, is not: nobody can tell that it is the same.
func (c DedupConfig) Wants(head, size int64, truncated string) bool {
	return c.WithinJob && c.fits(head, size, truncated)
}

func (c DedupConfig) fits(head, size int64, truncated string) bool {
	return head > 0 && size >= c.MinSize && truncated == ""
}

// Payload returns what content is known by. digest is that of the entity body ([warc.EntityDigest]). Replay puts the header
// of a revisit record before the stored body of the original, so bodies in chunks and others are told apart.
func (c DedupConfig) Payload(digest, url string, chunked bool) *crawl.Payload {
	name := digest
	if chunked {
		name += " chunked"
	}
	if c.By == ByURLDigest {
		name += " " + url
	}
	return &crawl.Payload{Name: name, URL: url}
}

// Originals finds archived answers by their content. The frontier is one.
type Originals interface {
	// Original returns the answer that has a payload, by its name, nil when there is none. It is durable.
	Original(ctx context.Context, payload string) (*crawl.Original, error)
}

// Earlier finds answers in other archives by their content.
type Earlier interface {
	// Earlier returns an answer that has the content of the one in hand, nil when none is known. It has neither a place nor an ID, and is
	// durable. It returns soon after ctx ends.
	Earlier(ctx context.Context, q Content) *crawl.Original
}

// Content is what is known of an answer for which another with the same content is looked for.
type Content struct {
	URL     string // its address, which is preferred
	OnlyURL bool   // and demanded
	Entity  string // digest of the entity body
	Stored  string // digest of the body as it is stored: the same, but for bodies in chunks
	Chunked bool   // the body is stored in chunks
}

// neverRead reports whether the answer of a URI that is archived is not needed again by the crawl: there is nothing to judge in it, no
// link, and its type is known, whatever leads to it. Of such answers the content may lie in other archives, which a crawl cannot read.
func neverRead(u *crawl.CrawlURI) bool {
	return !u.Judgeable && len(u.Outlinks) == 0 && u.MIME.Open == 0
}

// original sets the payload of the answer that is to be archived, and the earlier answer that has it, if there is one.
func (w *WARC) original(ctx context.Context, g *group) error {
	u := g.u
	at, n := u.Rec.Response()
	head := u.Rec.HeaderLen()
	own, earlier := w.originals != nil && w.dedup.WithinJob, w.earlier != nil && neverRead(u)
	if u.NotModified || !own && !earlier || !w.dedup.fits(head, n-head, string(u.Truncated)) {
		return nil
	}
	raw := make([]byte, head)
	if _, err := io.ReadFull(io.NewSectionReader(at, 0, head), raw); err != nil {
		return fmt.Errorf("read header: %w", err)
	}
	h, digest := record.ParseHead(raw), u.Digest
	if h.Chunked() && !w.entity || digest == "" {
		var err error
		if digest, err = warc.EntityDigest(io.NewSectionReader(at, 0, n)); err != nil {
			return err
		}
	}
	if own {
		var err error
		g.payload = w.dedup.Payload(digest, g.uri, h.Chunked())
		if g.original, err = w.originals.Original(ctx, g.payload.Name); err != nil || g.original != nil {
			return err
		}
	}
	if earlier {
		q := Content{URL: g.uri, OnlyURL: w.dedup.By == ByURLDigest, Entity: digest, Stored: digest, Chunked: h.Chunked()}
		if q.Chunked {
			q.Stored = u.Digest
		}
		g.original = w.earlier.Earlier(ctx, q)
	}
	return nil
}

// unmodified reports whether the answer has the content that is archived of the URI already, of the same kind.
func (g *group) unmodified() bool {
	u, p := g.u, g.u.Prior
	if p == nil || !p.Outcome.Archived {
		return false
	}
	return u.NotModified || g.original != nil && g.original.Digest == p.PayloadDigest && u.Class == p.Outcome.Class
}

// refer makes a record the revisit record of an answer whose payload is in the archive. It keeps the header: that and the payload of
// the original are what is replayed.
func (g *group) refer(r *warc.Record) {
	o, u := g.original, g.u
	at, _ := u.Rec.Response()
	r.Type, r.PayloadDigest, r.Block = warc.TypeRevisit, o.Digest, io.NewSectionReader(at, 0, u.Rec.HeaderLen())
	r.Revisit = &warc.Revisit{Profile: warc.ProfileIdentical, TargetURI: o.URL, Date: o.Date, ID: o.ID}
	u.Digest = o.Digest
	u.Annotate(crawllog.Duplicate)
}

// text sets the hashes of the text of a page, by which those nearly the same are found. One that was not read to its end has none: it
// would differ from visit to visit.
func (c DedupConfig) text(u *crawl.CrawlURI) {
	if d := u.Doc; c.NearDistance > 0 && d != nil && !d.Stopped && near.HasText(d.Kind) {
		u.Simhash, u.TextHash = simhash.Of(d.Text).Strings()
	}
}
