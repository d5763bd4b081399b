package job

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"exclave/chain/post"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/crawllog"
	"exclave/internal/markup"
	"exclave/internal/mime"
	"exclave/internal/urlx"
)

// replay tells the builder of every URI that was finished: those of crawl.log in its order, then those
// that only the archive or analysis.jsonl knows.
func (r *recoverer) replay(ctx context.Context) error {
	if err := r.eachLogLine(ctx, crawl.LogCrawl, func(line []byte, good bool) error {
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
	if err := r.x.left(r.unlogged); err != nil {
		return err
	}
	if err := r.x.lines(r.unarchived); err != nil {
		return err
	}
	if r.missing.Size() > 0 {
		if err := r.missing.Sync(); err != nil {
			return fmt.Errorf("job: recover: %w", err)
		}
	}
	r.made.Over = r.logs[crawl.LogCrawl].whole && r.made.Written == 0 && r.made.Lost == 0 && r.over()
	var err error
	r.made.Settled, err = r.b.Settle(func(u *frontier.Record) bool { return !r.made.Over && r.mayLink(u) })
	return err
}

// mayLink reports whether a URI that is not archived may have links that lead on: those that it embeds
// do only where embeds of such pages are fetched.
func (r *recoverer) mayLink(u *frontier.Record) bool {
	switch {
	case u.Claim.IsZero(), u.Outcome.Status < 200 || u.Outcome.Status >= 400: // a prerequisite; no answer with links
		return false
	case u.Outcome.Class == crawl.ClassRedirect, u.Outcome.Class == crawl.ClassHTML:
		return true
	}
	return u.Outcome.Class == crawl.ClassContainer && r.rules.UnclaimedEmbeds
}

// logged tells of a line of crawl.log.
func (r *recoverer) logged(e crawllog.Entry) error {
	m := crawl.ModeFetch
	if e.Annotated("judged") {
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
	var d described
	if g != nil && !g.Metadata.IsZero() {
		if d, err = r.describe(g.Metadata); err != nil {
			return err
		}
		c.Hops = d.hops // of any length
	}
	open := mime.Hints(0) // what could have made it another type
	if g != nil && g.MIME.Type != e.MIME {
		open = g.MIME.Open
	}
	if m == crawl.ModeJudge {
		known, err := r.b.Lookup(c.Key)
		if err != nil {
			return err
		}
		if known != nil {
			open |= known.Outcome.Open
		}
		if known != nil && !known.Metadata.IsZero() {
			if d, err = r.describe(known.Metadata); err != nil {
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
			if c.Via, err = r.x.seedVia(c.URL); err != nil {
				return err
			}
		}
	}
	u, err := r.b.Offer(c, m, e.Time)
	if err != nil {
		return err
	}
	return r.finish(u, e, g, d, m)
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
func (r *recoverer) groupOf(e crawllog.Entry, m crawl.Mode) (g *found, err error) {
	switch {
	case m == crawl.ModeJudge:
		g, err = r.x.verdict(e.URL)
	case e.WARCFilename != "":
		n, ok := r.numbers[e.WARCFilename]
		if ok {
			g, err = r.x.page(n, e.WARCFileOffset)
		}
		if g != nil && r.keyOf(g.URL) != r.keyOf(e.URL) {
			r.note("%s at %d: crawl.log has %s there, the archive %s", e.WARCFilename, e.WARCFileOffset, e.URL, g.URL)
			g = nil
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
func (r *recoverer) keyOf(url string) string {
	if u, err := urlx.Parse(url); err == nil {
		return r.cfg.URL.Key(u)
	}
	return url
}

// finish tells of an outcome.
func (r *recoverer) finish(u *crawl.CrawlURI, e crawllog.Entry, g *found, d described, m crawl.Mode) error {
	r.outcome(u, e, g)
	judged, err := r.judged(u, e, g)
	if err != nil {
		return err
	}
	if g != nil {
		r.made.Captures++
		s := g.span()
		u.Span, u.Response, u.Metadata, u.RecordID = &s, g.Response, g.Metadata, g.ID
		g.facts(u, r.cfg.HTTP.RobotsTTL)
		if err := r.x.used(g); err != nil {
			return err
		}
		if g.NoFollow {
			if err := r.b.Put([]byte("n"+u.Key), []byte{1}); err != nil {
				return err
			}
		}
	}
	nofollow, err := r.b.Get([]byte("n" + u.Key))
	if err != nil {
		return err
	}
	u.Doc = &markup.Doc{NoFollow: nofollow != nil}
	u.Outlinks = d.links
	if err := r.links(u); err != nil {
		return err
	}
	if err := r.b.Finished(u, frontier.Logged{Tally: visitOf(e), Judged: judged}); err != nil {
		return err
	}
	if m == crawl.ModeJudge && u.Prior != nil && u.Class != u.Prior.Outcome.Class {
		// It was read as another type than when it was fetched; its record does not have those links.
		_, err = r.b.Offer(u.Candidate, m, e.Time)
	}
	return err
}

// links makes candidates of the outlinks, as the chain does. Its lines are in the log already.
func (r *recoverer) links(u *crawl.CrawlURI) error {
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

// outcome sets what a line, and the capture it is about, say of a URI.
func (r *recoverer) outcome(u *crawl.CrawlURI, e crawllog.Entry, g *found) {
	u.Status, u.Started, u.Took, u.Worker = crawl.Status(e.Status), e.Started, e.Took, e.Worker
	u.Received, u.Digest, u.Annotations = e.Received(), e.Digest, e.Annotations
	u.MIME = typeOf(u, e, g)
	if u.Status.IsHTTP() {
		u.HTTPStatus = e.Status
		u.Class = classOf(u, g)
	}
	u.Judgeable = e.Status >= 200 && e.Status < 300 && !u.IsPrereq() && slices.ContainsFunc(u.MIME.Types(), r.analyzer.Judges)
	if p := u.Prior; p != nil && e.Annotated("duplicate:server-not-modified") {
		u.NotModified, u.Class = true, p.Outcome.Class
	}
	if g != nil && !g.Response.IsZero() {
		u.Started, u.Digest, u.Addr = time.UnixMilli(g.Date).UTC(), g.Digest, g.Addr
		for name, value := range map[string]string{"ETag": g.ETag, "Last-Modified": g.LastModified} {
			if value != "" {
				u.Headers = append(u.Headers, crawl.Header{Name: name, Value: value})
			}
		}
	}
	r.prerequisite(u)
}

// typeOf is the type that the chain found: crawl.log has it, but not what further links would let expect.
func typeOf(u *crawl.CrawlURI, e crawllog.Entry, g *found) mime.Info {
	hints := u.Reached().Hints
	i := mime.Info{Type: e.MIME, Class: mime.ClassOf(e.MIME)}
	if e.MIME == frontier.UnknownType {
		i.Type = ""
	}
	switch {
	case g != nil && !g.Response.IsZero():
		if with := g.MIME.With(hints); with.Type == i.Type {
			return with
		}
		i.Open = g.MIME.Open &^ hints
	case u.Mode == crawl.ModeJudge && u.Prior != nil:
		i.Open = u.Prior.Outcome.Open &^ hints
	case i.Type == "text/plain" || i.Type == "application/octet-stream": // nobody knows whether the bytes told
		i.Open = allHints &^ hints
	}
	return i
}

// classOf is the class that the chain gave to an answer. Of a redirect that is not archived nobody knows
// whether it said where to.
func classOf(u *crawl.CrawlURI, g *found) crawl.TypeClass {
	redirect := u.HTTPStatus >= 300 && u.HTTPStatus < 400 && u.HTTPStatus != 304
	if g != nil && !g.Response.IsZero() {
		redirect = g.Redirect
	}
	switch {
	case redirect:
		return crawl.ClassRedirect
	case u.MIME.Class == mime.HTML:
		return crawl.ClassHTML
	case u.MIME.Class == mime.Text:
		return crawl.ClassText
	case u.MIME.Class == mime.Container:
		return crawl.ClassContainer
	}
	return crawl.ClassOther
}

// prerequisite gives facts that count no more to the lines of name servers and robots.txt: the answers
// themselves are known from the archive only, what is not is asked for again.
func (r *recoverer) prerequisite(u *crawl.CrawlURI) {
	at := u.Started
	if host, ok := crawl.DNSHost(u.Key); ok {
		u.HostFacts = &crawl.HostFacts{Host: host, Status: u.Status, Asked: at, Expires: at}
	}
	if origin, ok := crawl.RobotsOrigin(u.Key); ok {
		u.Origin = &crawl.OriginFacts{Origin: origin, Status: u.Status, Fetched: at, Expires: at}
	}
}

// judged finds the judgement that a line tells of; logged says that analysis.jsonl has a line of it.
func (r *recoverer) judged(u *crawl.CrawlURI, e crawllog.Entry, g *found) (logged bool, err error) {
	word := ""
	for _, n := range e.Annotations {
		if w, _, ok := strings.Cut(n, ":"); ok && (w == "valid" || w == "invalid") {
			word = w
		}
	}
	if g != nil && !g.Verdict.IsZero() {
		block, err := r.block(g.Verdict)
		if err != nil {
			return false, err
		}
		if u.Judged, err = r.judgement(block); err != nil {
			r.note("%s: %v", g.URL, err)
		}
	}
	if word == "" && u.Judged == nil {
		return false, nil
	}
	a, logged, err := r.x.line(e.URL)
	if err != nil {
		return false, err
	}
	switch {
	case u.Judged != nil:
	case logged:
		u.Judged = &a.Judged
	default:
		r.made.Unread++
		u.Judged = &crawl.Judgement{}
		if word == "valid" {
			u.Judged.ValidFor = 1
		}
	}
	return logged, nil
}

// candidate is the URI of a line, with the claim that it must have had.
func (r *recoverer) candidate(e crawllog.Entry) (c crawl.Candidate, err error) {
	hops := strings.Repeat("L", e.EarlierHops) + e.Hops
	c = crawl.Candidate{URL: e.URL, Via: e.Via, Hops: hops, SourceTag: e.Source, Kind: crawl.LinkNav}
	if host, ok := crawl.DNSHost(e.URL); ok {
		c.Key, c.Host, c.Force = e.URL, host, true
		return c, nil
	}
	u, err := urlx.Parse(e.URL)
	if err != nil {
		return c, err
	}
	c.Key, c.Host = r.cfg.URL.Key(u), u.Hostname()
	if crawl.PrereqHops(hops) {
		c.Key, c.Force = crawl.RobotsKey(u.Origin()), true
		return c, nil
	}
	c.Seed = hops == ""
	return c, r.claim(&c, e)
}

// claim sets the claim that a line tells of, beyond what is known from the pages that link to the URI.
func (r *recoverer) claim(c *crawl.Candidate, e crawllog.Entry) error {
	known, err := r.b.Lookup(c.Key)
	if err != nil {
		return err
	}
	var have crawl.Claim
	if known != nil {
		have = known.Claim
	}
	c.Claim.Analyse = c.Seed
	if via, err := r.via(e.Via); err != nil {
		return err
	} else if via != nil && !via.Outcome.Archived {
		c.Kind = kindOfHop(c.Hops, via.Outcome.Class)
		c.Claim = c.Claim.Join(r.rules.Child(via.Claim, via.Outcome, c.Kind))
	}
	for _, a := range e.Annotations {
		word, value, _ := strings.Cut(a, ":")
		switch word {
		case "valid", "invalid":
			c.Claim.Analyse = true
		case "binLink":
			c.Claim.Bin = true
		case "validLink":
			if depth, err := strconv.ParseInt(value, 10, 32); err == nil && depth >= 0 {
				r.link(&c.Claim, have, int32(depth))
			}
		}
	}
	if c.Claim.Join(have).IsZero() { // it was fetched: somebody wanted it
		c.Claim.Analyse = true
	}
	return nil
}

// link adds a depth to a claim when nothing that is known has as much. Of which profile it is a line does
// not say: the one that goes no further than it must.
func (r *recoverer) link(c *crawl.Claim, have crawl.Claim, depth int32) {
	if slices.Max(have.Link[:]) > depth || slices.Max(c.Link[:]) > depth {
		return
	}
	best := -1
	for i, d := range r.rules.D {
		if d >= depth && (best < 0 || d < r.rules.D[best]) {
			best = i
		}
	}
	if best >= 0 {
		c.Link[best] = depth + 1
	}
}

// via returns the page that a URI was found on, nil when it is not known.
func (r *recoverer) via(url string) (*frontier.Record, error) {
	u, err := urlx.Parse(url)
	if url == "" || err != nil {
		return nil, nil
	}
	via, err := r.b.Lookup(r.cfg.URL.Key(u))
	if via == nil || err != nil || via.Finishes == 0 {
		return nil, err
	}
	return via, nil
}

// kindOfHop is how a page refers to a URI, by the last letter of the hop path.
func kindOfHop(hops string, via crawl.TypeClass) crawl.LinkKind {
	switch {
	case hops == "":
	case hops[len(hops)-1] == crawl.HopEmbed:
		return crawl.LinkEmbed
	case hops[len(hops)-1] == crawl.HopSpeculative:
		return crawl.LinkSpeculative
	case hops[len(hops)-1] == crawl.HopRedirect && via == crawl.ClassRedirect:
		return crawl.LinkRedirect
	}
	return crawl.LinkNav
}

// unlogged tells of a capture that no line of crawl.log is about: of a run that was killed, or of a log that
// is lost. The line is written.
func (r *recoverer) unlogged(g *found) error {
	c, ok := g.candidate(r.cfg.URL.Rules)
	if !ok { // damaged in a way that no checksum of the block tells
		g.Why, c = cmp.Or(g.Why, "its address is none"), crawl.Candidate{URL: g.URL, Key: g.URL}
	}
	known, err := r.b.Lookup(c.Key)
	if err != nil {
		return err
	}
	judge := g.Response.IsZero()
	why := g.Why
	switch {
	case why != "":
	case judge && (known == nil || known.RecordID != g.Of):
		why = "a verdict on an answer that is not in the archive"
	case !judge && known != nil && known.Outcome.Archived && r.logs[crawl.LogCrawl].lines > 0:
		why = "archived elsewhere; no line of crawl.log acknowledges this"
	}
	if why != "" {
		r.made.Abandoned++
		r.note("%s at %d: capture of %s: %s", r.files[g.File].Name, g.Start, g.URL, why)
		c.Claim.Analyse = ok && known == nil && !c.IsPrereq()
		return r.b.Abandoned(c, g.capture(why))
	}
	return r.write(c, g, judge)
}

// write tells of a capture and writes its line of crawl.log.
func (r *recoverer) write(c crawl.Candidate, g *found, judge bool) error {
	m, d := crawl.ModeFetch, described{}
	if judge {
		m = crawl.ModeJudge
	} else {
		var err error
		if d, err = r.describe(g.Metadata); err != nil {
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
	u, err := r.b.Offer(c, m, time.UnixMilli(g.Date))
	if err != nil {
		return err
	}
	u.SourceTag = d.tag
	name := ""
	if !judge {
		u.Status, u.MIME, u.Digest, u.Response = crawl.Status(g.Status), g.MIME, g.Digest, g.Response
		u.Started, u.Took, u.Rec = time.UnixMilli(g.Date), d.took, sized{n: g.Size, header: g.Header}
		name = r.files[g.File].Name
		if g.Type == "revisit" && u.Prior != nil {
			u.Status = 304
			u.Annotate("duplicate:server-not-modified")
		}
	}
	if !g.Verdict.IsZero() {
		block, err := r.block(g.Verdict)
		if err != nil {
			return err
		}
		if j, err := r.judgement(block); err == nil {
			u.Annotate(verdictWord(j))
		}
	}
	e, err = r.writeLine(u, name)
	u.Rec, u.Annotations, u.Response = nil, nil, crawl.Ref{}
	if err != nil {
		return err
	}
	return r.finish(u, e, g, d, m)
}

// unarchived tells of a line of analysis.jsonl that no line of crawl.log is about, and that the archive
// knows nothing of. The line of crawl.log is written.
func (r *recoverer) unarchived(a analysed) error {
	to, err := urlx.Parse(a.URL)
	if err != nil {
		r.note("%s: %s: %v", crawl.LogAnalysis.Name(), a.URL, err)
		return nil
	}
	c := crawl.Candidate{URL: a.URL, Key: r.cfg.URL.Key(to), Host: to.Hostname(), Via: a.Via, SourceTag: a.Source, Kind: crawl.LinkNav,
		Seed: a.Seed || a.Via == "", Claim: crawl.Claim{Analyse: true}}
	m := crawl.ModeFetch
	known, err := r.b.Lookup(c.Key)
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
		at = r.began
	}
	u, err := r.b.Offer(c, m, at)
	if err != nil {
		return err
	}
	u.Status, u.MIME, u.Digest, u.SourceTag = crawl.Status(a.Status), mime.Info{Type: a.MIME}, a.Digest, a.Source
	u.Annotate(verdictWord(&a.Judged))
	e, err := r.writeLine(u, "")
	if err != nil {
		return err
	}
	r.outcome(u, e, nil)
	u.Judged = &a.Judged
	return r.b.Finished(u, frontier.Logged{Tally: visitOf(e), Judged: true})
}

// verdictWord is the annotation of a verdict.
func verdictWord(j *crawl.Judgement) string {
	word := "invalid:"
	if j.ValidFor != 0 {
		word = "valid:"
	}
	return word + strconv.FormatInt(slices.Max(j.Points[:]), 10)
}

// writeLine writes the line of crawl.log of a URI to those that are missing, and returns it.
func (r *recoverer) writeLine(u *crawl.CrawlURI, file string) (crawllog.Entry, error) {
	u.Annotate("recovered")
	line := post.CrawlLogLine(u, file, r.opts.Clock.Now())
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

// sized is a recording of which nothing is known, and asked for, but the lengths of its answer.
type sized struct {
	crawl.Recording
	n, header int64
}

// HeaderLen implements [crawl.Recording].
func (s sized) HeaderLen() int64 { return s.header }

// Response implements [crawl.Recording].
func (s sized) Response() (io.ReaderAt, int64) { return nil, s.n }
