package rebuild

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"exclave/chain/post"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/crawllog"
	"exclave/internal/job/lines"
	"exclave/internal/mime"
	"exclave/internal/urlx"
	"exclave/warc"
)

// unlogged replays a capture that no line of crawl.log is about: of a run that was killed, or of a log that
// is lost. The line is written.
func (r *replay) unlogged(g *group) error {
	c, ok := g.candidate(r.Config.URL.Rules)
	if !ok { // damaged in a way that no checksum of the block shows
		g.Why, c = cmp.Or(g.Why, "its address is none"), crawl.Candidate{URL: g.URL, Key: g.URL}
	}
	known, err := r.builder.Lookup(c.Key)
	if err != nil {
		return err
	}
	judge := g.Response.IsZero()
	whole, err := r.index.original(g)
	if err != nil {
		return err
	}
	why := g.Why
	switch {
	case why != "":
	case !whole:
		why = "the record that it refers to is not in the archive"
	case judge && (known == nil || known.RecordID != g.Of):
		why = "a verdict on an answer that is not in the archive"
	case !judge && known != nil && known.Outcome.Archived && r.logs.scans[crawl.LogCrawl].lines > 0:
		why = "archived elsewhere; no line of crawl.log acknowledges this"
	}
	if why != "" {
		r.made.Abandoned++
		r.note("%s at %d: capture of %s: %s", r.archive.files[g.File].Name, g.Start, g.URL, why)
		c.Claim.Analyse = ok && known == nil && !c.IsPrereq()
		return r.builder.Abandoned(c, g.capture(why))
	}
	return r.write(c, g, judge)
}

// write replays a capture and writes its line of crawl.log.
func (r *replay) write(c crawl.Candidate, g *group, judge bool) error {
	m, d := crawl.ModeFetch, metadata{}
	if judge {
		m = crawl.ModeJudge
	} else {
		var err error
		if d, err = r.described(g, c.Key); err != nil {
			return err
		}
	}
	c.Via, c.Hops, c.SourceTag, c.Seed = d.via, d.hops, d.tag, d.seed && !judge
	e := crawllog.Entry{Via: d.via, Hops: d.hops}
	if d.seed {
		e.Via = ""
	}
	if err := r.claim(&c, e); err != nil {
		return err
	}
	u, err := r.builder.Offer(c, m, time.UnixMilli(g.Date))
	if err != nil {
		return err
	}
	u.SourceTag, u.Simhash, u.TextHash = d.tag, d.simhash, d.text
	name := ""
	if !judge {
		u.Status, u.MIME, u.Digest, u.Response = crawl.Status(g.Status), g.MIME, g.Digest, g.Response
		u.Started, u.Took, u.Rec = time.UnixMilli(g.Date), d.took, sized{n: g.Size, header: g.Header}
		name = r.archive.files[g.File].Name
		switch {
		case g.Original != nil:
			u.Annotate(crawllog.Duplicate)
		case g.Type == warc.TypeRevisit && u.Prior != nil:
			u.Status = 304
			u.Annotate(crawllog.NotModified)
		}
	}
	if !g.Verdict.IsZero() {
		block, err := r.archive.block(g.Verdict)
		if err != nil {
			return err
		}
		if j, err := r.judgement(block); err == nil {
			u.Annotate(crawllog.Verdict(j.Best()))
		}
	}
	e, err = r.writeLine(u, name)
	u.Rec, u.Annotations, u.Response = nil, nil, crawl.Ref{}
	if err != nil {
		return err
	}
	return r.finish(u, e, g, d, m)
}

// unarchived replays a line of analysis.jsonl that no line of crawl.log is about, and that the archive
// knows nothing of. The line of crawl.log is written.
func (r *replay) unarchived(a analysed) error {
	to, err := urlx.Parse(a.URL)
	if err != nil {
		r.note("%s: %s: %v", crawl.LogAnalysis.Name(), a.URL, err)
		return nil
	}
	c := crawl.Candidate{URL: a.URL, Key: r.Config.URL.Key(to), Host: to.Hostname(), Via: a.Via, SourceTag: a.Source, Kind: crawl.LinkNav,
		Seed: a.Seed || a.Via == "", Claim: crawl.Claim{Analyse: true}}
	m := crawl.ModeFetch
	known, err := r.builder.Lookup(c.Key)
	if err != nil {
		return err
	}
	via, err := r.via(a.Via)
	if err != nil {
		return err
	}
	switch {
	case known != nil:
		if c.Hops = known.Hops; known.Outcome.Archived {
			m = crawl.ModeJudge
		}
	case c.Seed:
	case via != nil:
		c.Hops = via.Hops + "L"
	default:
		c.Hops = "L"
	}
	at, err := time.Parse(time.RFC3339, a.Time)
	if err != nil {
		at = r.logs.began
	}
	u, err := r.builder.Offer(c, m, at)
	if err != nil {
		return err
	}
	u.Status, u.MIME, u.Digest, u.SourceTag = crawl.Status(a.Status), mime.Info{Type: a.MIME}, a.Digest, a.Source
	u.Annotate(crawllog.Verdict(a.Judged.Best()))
	e, err := r.writeLine(u, "")
	if err != nil {
		return err
	}
	r.outcome(u, e, nil)
	u.Judged = &a.Judged
	return r.builder.Finished(u, frontier.Logged{Tally: lines.Visit(e), Judged: true})
}

// writeLine writes the line of crawl.log of a URI to those that are missing, and returns it.
func (r *replay) writeLine(u *crawl.CrawlURI, file string) (crawllog.Entry, error) {
	u.Annotate("recovered")
	line := post.CrawlLogLine(u, file, r.Clock.Now())
	r.made.Written++
	e, err := crawllog.Parse(string(line))
	if err == nil {
		_, err = r.missing.Write(line)
	}
	if err != nil {
		return e, fmt.Errorf("job: recover: %w", err)
	}
	return e, nil
}

// sized is a recording of which only the lengths of the answer are known and needed.
type sized struct {
	crawl.Recording
	n, header int64
}

// HeaderLen implements [crawl.Recording].
func (s sized) HeaderLen() int64 { return s.header }

// Response implements [crawl.Recording].
func (s sized) Response() (io.ReaderAt, int64) { return nil, s.n }
