package rebuild

import (
	"context"
	"errors"
	"fmt"

	"exclave/chain"
	"exclave/chain/post"
	"exclave/chain/standard"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/crawllog"
	"exclave/internal/fsx"
	"exclave/internal/job/lines"
	"exclave/internal/job/rules"
	"exclave/internal/markup"
	"exclave/internal/mime"
	"exclave/internal/robots"
	"exclave/internal/sheet"
	"exclave/internal/urlx"
)

// replay hands the builder of a state what archive and logs hold, in the order in which the crawl committed it.
type replay struct {
	*rebuilding
	scoper  chain.Processor
	joiner  chain.Processor
	builder *frontier.Builder
	index   *index
	missing *fsx.Append // lines of crawl.log that were missing
}

// openScoper builds the processors that turn links into candidates, as the job's chains have them.
func (r *replay) openScoper() error {
	if n := len(r.profiles); n > crawl.MaxProfiles {
		return refused("%d profiles; a crawl has at most %d", n, crawl.MaxProfiles)
	}
	sheets, err := rules.Sheets(r.Folder, r.profiles)
	if err != nil {
		return refused("%v", err)
	}
	scope, err := rules.Scope(r.Folder, sheet.NewLive(sheets))
	if err != nil {
		return refused("%v", err)
	}
	steps, bad := standard.Build(&standard.Env{Dir: r.Dir(), Clock: r.Clock, Depths: r.depths, Keys: r.Config.URL.Rules, Scope: scope,
		Robots: r.Config.Robots.Policy, RobotsToken: r.Config.HTTP.RobotsToken, Analyzer: r.analyzer}, r.Config.Chain)
	if len(bad) > 0 {
		return refused("chain%s: %s", bad[0].Key, bad[0].Msg)
	}
	for _, s := range steps[chain.Post] {
		switch s.Proc.(type) {
		case *post.LinksScoper:
			r.scoper = s.Proc
		case *post.FrontierScheduler:
			r.joiner = s.Proc
		}
	}
	return nil
}

// run indexes archive and analysis.jsonl, then replays every URI.
func (r *replay) run(ctx context.Context, b *frontier.Builder, missing *fsx.Append) error {
	r.builder, r.index, r.missing = b, &index{b: b}, missing
	if err := r.archive.scan(ctx, r.index.addGroup); err != nil {
		return err
	}
	if err := errors.Join(r.indexLines(ctx), r.indexLinks(ctx)); err != nil {
		return err
	}
	return r.visits(ctx)
}

// visits replays every URI that was finished: those of crawl.log in its order, then those
// that only the archive or analysis.jsonl knows.
func (r *replay) visits(ctx context.Context) error {
	if err := r.logs.each(ctx, crawl.LogCrawl, func(line []byte, good bool) error {
		if !good {
			return nil
		}
		e, err := crawllog.Parse(string(line))
		if err != nil {
			return err
		}
		r.made.Lines++
		return r.logged(e)
	}); err != nil {
		return err
	}
	if err := r.index.left(r.unlogged); err != nil {
		return err
	}
	if err := r.index.lines(r.unarchived); err != nil {
		return err
	}
	if r.missing.Size() > 0 {
		if err := r.missing.Sync(); err != nil {
			return fmt.Errorf("job: recover: %w", err)
		}
	}
	r.made.Over = r.logs.scans[crawl.LogCrawl].whole && r.made.Written == 0 && r.made.Lost == 0 && r.logs.over()
	var err error
	r.made.Settled, err = r.builder.Settle(func(u *frontier.Record) bool { return !r.made.Over && r.mayLink(u) })
	return err
}

// mayLink reports whether a URI that is not archived may have links that lead on: those that it embeds
// do only where embeds of such pages are fetched.
func (r *replay) mayLink(u *frontier.Record) bool {
	switch {
	case u.Claim.IsZero(), u.Outcome.Status < 200 || u.Outcome.Status >= 400: // a prerequisite; no answer with links
		return false
	case u.Outcome.Class == crawl.ClassRedirect, u.Outcome.Class == crawl.ClassHTML, crawl.IsSitemap(u.Hops, u.Context):
		return true
	}
	return u.Outcome.Class == crawl.ClassContainer && r.depths.UnclaimedEmbeds
}

// logged replays a line of crawl.log.
func (r *replay) logged(e crawllog.Entry) error {
	m := crawl.ModeFetch
	if e.Facts().Judged {
		m = crawl.ModeJudge
	}
	c, err := r.candidate(e)
	if err != nil {
		r.note("%s: %s: %v", crawl.LogCrawl.Name(), e.URL, err)
		c = crawl.Candidate{URL: e.URL, Key: e.URL, Claim: crawl.Claim{Analyse: true}}
	}
	g, err := r.groupOf(e, m)
	if err != nil {
		return err
	}
	var d metadata
	if g != nil && !g.Response.IsZero() {
		if d, err = r.described(g, c.Key); err != nil {
			return err
		}
		c.Hops = d.hops // of any length
	}
	open := mime.Hints(0) // what could have made it another type
	if g != nil && g.MIME.Type != e.MIME {
		open = g.MIME.Open
	}
	if m == crawl.ModeJudge {
		known, err := r.builder.Lookup(c.Key)
		if err != nil {
			return err
		}
		if known != nil {
			open |= known.Outcome.Open
		}
		if known != nil && !known.Metadata.IsZero() {
			if d, err = r.archive.describe(known.Metadata); err != nil {
				return err
			}
		}
	}
	if h := hintOf(e.MIME) & open; h != 0 {
		c.Ways = crawl.WaysOf(c.Hops, "")
		c.Ways.Hints |= h
	}
	if c.Seed { // crawl.log does not say
		if c.Via = d.via; c.Via == "" {
			if c.Via, err = r.index.seedVia(c.URL); err != nil {
				return err
			}
		}
	}
	u, err := r.builder.Offer(c, m, e.Time)
	if err != nil {
		return err
	}
	return r.finish(u, e, g, d, m)
}

// described reads the metadata record of a page. Where none was written, because nothing changed, the one before holds, but for how long the
// answer took; of a 304 no link was read.
func (r *replay) described(g *group, key string) (d metadata, err error) {
	if !g.Metadata.IsZero() {
		return r.archive.describe(g.Metadata)
	}
	known, err := r.builder.Lookup(key)
	if err != nil || known == nil || known.Metadata.IsZero() {
		return d, err
	}
	if d, err = r.archive.describe(known.Metadata); err != nil {
		return d, err
	}
	d.took = 0
	if g.Original == nil {
		d.links = nil
	}
	return d, nil
}

const allHints = mime.HintCSS | mime.HintScript | mime.HintManifest | mime.HintPlaylist

// hintOf returns the hint that lets a type be expected, 0 when there is none.
func hintOf(typ string) mime.Hints {
	for h := mime.Hints(1); h&allHints != 0; h <<= 1 {
		if (mime.Info{Open: allHints}).With(h).Type == typ {
			return h
		}
	}
	return 0
}

// groupOf returns the capture group that a line is about, nil without one.
func (r *replay) groupOf(e crawllog.Entry, m crawl.Mode) (g *group, err error) {
	switch {
	case m == crawl.ModeJudge:
		g, err = r.index.verdict(e.URL)
	case e.WARCFilename != "":
		n, ok := r.archive.numbers[e.WARCFilename]
		if ok {
			g, err = r.index.page(n, e.WARCFileOffset)
		}
		if g != nil && r.keyOf(g.URL) != r.keyOf(e.URL) {
			r.note("%s at %d: crawl.log has %s there, the archive %s", e.WARCFilename, e.WARCFileOffset, e.URL, g.URL)
			g = nil
		}
		if g != nil && err == nil {
			whole := false
			if whole, err = r.index.original(g); !whole && err == nil {
				r.note("%s at %d: the record that the revisit record of %s refers to is not in the archive", e.WARCFilename, e.WARCFileOffset, e.URL)
				g = nil
			}
		}
		if g == nil && err == nil {
			r.made.Lost++
			if ok {
				r.note("%s: %s at %d is not in the archive: fetched again", e.WARCFilename, e.URL, e.WARCFileOffset)
			}
		}
	}
	return g, err
}

// keyOf is what decides sameness of an address.
func (r *replay) keyOf(url string) string {
	if u, err := urlx.Parse(url); err == nil {
		return r.Config.URL.Key(u)
	}
	return url
}

// finish replays an outcome.
func (r *replay) finish(u *crawl.CrawlURI, e crawllog.Entry, g *group, d metadata, m crawl.Mode) error {
	r.outcome(u, e, g)
	judged, err := r.judged(u, e, g)
	if err != nil {
		return err
	}
	if g != nil {
		r.made.Captures++
		s := g.span()
		u.Span, u.Response, u.Metadata, u.RecordID = &s, g.Response, g.Metadata, g.ID
		u.Payload, u.Original = g.Payload, g.Original
		g.facts(u, r.Config.HTTP.RobotsTTL)
		if err := r.index.used(g); err != nil {
			return err
		}
		if g.NoFollow {
			if err := r.builder.Put([]byte("n"+u.Key), []byte{1}); err != nil {
				return err
			}
		}
	}
	nofollow, err := r.builder.Get([]byte("n" + u.Key))
	if err != nil {
		return err
	}
	u.Doc = &markup.Doc{Robots: robots.Directives{NoFollow: nofollow != nil}}
	u.Outlinks = d.links
	if err := r.links(u); err != nil {
		return err
	}
	if err := r.builder.Finished(u, frontier.Logged{Tally: lines.Visit(e), Judged: judged}); err != nil {
		return err
	}
	if m == crawl.ModeJudge && u.Prior != nil && u.Class != u.Prior.Outcome.Class {
		// It was read as another type than when it was fetched; its record does not have those links.
		_, err = r.builder.Offer(u.Candidate, m, e.Time)
	}
	return err
}

// links makes candidates of the outlinks, as the chain does. Its lines are in the log already.
func (r *replay) links(u *crawl.CrawlURI) error {
	if r.scoper == nil || r.joiner == nil {
		return nil
	}
	ctx := context.Background()
	if _, err := r.scoper.Process(ctx, u); err != nil {
		return err
	}
	_, err := r.joiner.Process(ctx, u)
	u.Lines = nil
	return err
}
