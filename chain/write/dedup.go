package write

import (
	"context"
	"fmt"
	"io"

	"exclave/crawl"
	"exclave/internal/conf"
	"exclave/internal/crawllog"
	"exclave/internal/record"
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
	// Index names folders that say what other archives have (package warc/dedup).
	Index []string `toml:"index"`
}

// DefaultDedup finds identical content of a job, wherever it was. What is shorter than MinSize is hardly longer, once
// compressed, than what a revisit record has more than a response.
func DefaultDedup() DedupConfig {
	return DedupConfig{WithinJob: true, By: ByDigest, MinSize: 1024, RevisitOnly: true}
}

// Validate returns every problem of the values.
func (c DedupConfig) Validate() (ps conf.Problems) {
	ps.Check(c.By == ByDigest || c.By == ByURLDigest, "by", `%q: must be "digest" or "url-digest"`, c.By)
	ps.Check(c.MinSize >= 1, "min_size", "%d: must be at least 1 byte", c.MinSize)
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
	// Earlier returns the answer that has some content: its entity digest is given, whether it is stored in chunks, and the address of
	// the answer in hand, which is preferred, or with only demanded. nil: there is none. The original has neither a place nor an ID.
	Earlier(digest string, chunked bool, url string, only bool) *crawl.Original
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
	if h.Chunked() || digest == "" {
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
		g.original = w.earlier.Earlier(digest, h.Chunked(), g.uri, w.dedup.By == ByURLDigest)
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
