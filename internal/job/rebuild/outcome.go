package rebuild

import (
	"slices"
	"time"

	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/crawllog"
	"exclave/internal/mime"
)

// outcome sets what a line, and the capture it is about, say of a URI.
func (r *replay) outcome(u *crawl.CrawlURI, e crawllog.Entry, g *group) {
	u.Status, u.Started, u.Took, u.Worker = crawl.Status(e.Status), e.Started, e.Took, e.Worker
	u.Received, u.Digest, u.Annotations = e.Received(), e.Digest, e.Annotations
	u.MIME = typeOf(u, e, g)
	if e.Truncated() || g != nil && g.Truncated {
		u.Truncated = crawl.TruncLength // which of them makes no difference to the state
	}
	if u.Status.IsHTTP() {
		u.HTTPStatus = e.Status
		if crawl.IsFTPDirectory(u.Parsed(), u.Status) {
			u.MIME = mime.Info{}
		}
		u.Class = classOf(u, g)
	}
	u.Judgeable = e.Status >= 200 && e.Status < 300 && !u.IsPrereq() && slices.ContainsFunc(u.MIME.Types(), r.analyzer.Judges)
	if p := u.Prior; p != nil && e.Facts().NotModified {
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
func typeOf(u *crawl.CrawlURI, e crawllog.Entry, g *group) mime.Info {
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
	case i.Type == "text/plain" || i.Type == "application/octet-stream": // whether the bytes decided it is not known
		i.Open = allHints &^ hints
	}
	return i
}

// classOf is the class that the chain gave to an answer. Of a redirect that is not archived it is not
// known whether it said where to.
func classOf(u *crawl.CrawlURI, g *group) crawl.TypeClass {
	redirect := u.HTTPStatus >= 300 && u.HTTPStatus < 400 && u.HTTPStatus != 304
	if g != nil && !g.Response.IsZero() {
		redirect = g.Redirect
	}
	switch {
	case redirect || crawl.IsFTPDirectory(u.Parsed(), u.Status):
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
func (r *replay) prerequisite(u *crawl.CrawlURI) {
	at := u.Started
	if host, ok := crawl.DNSHost(u.Key); ok {
		u.HostFacts = &crawl.HostFacts{Host: host, Status: u.Status, Asked: at, Expires: at}
	}
	if origin, ok := crawl.RobotsOrigin(u.Key); ok {
		u.Origin = &crawl.OriginFacts{Origin: origin, Status: u.Status, Fetched: at, Expires: at}
	}
}

// judged finds the judgement that a line is about; logged says that analysis.jsonl has a line of it.
func (r *replay) judged(u *crawl.CrawlURI, e crawllog.Entry, g *group) (logged bool, err error) {
	said := e.Facts()
	if g != nil && !g.Verdict.IsZero() {
		block, err := r.archive.block(g.Verdict)
		if err != nil {
			return false, err
		}
		if u.Judged, err = r.judgement(block); err != nil {
			r.note("%s: %v", g.URL, err)
		}
	}
	if !said.Analysed && u.Judged == nil {
		return false, nil
	}
	a, logged, err := r.index.line(e.URL)
	if err != nil {
		return false, err
	}
	switch {
	case u.Judged != nil:
	case logged:
		u.Judged = &a.Judged
	case g != nil && !g.Response.IsZero() && g.Metadata.IsZero() && u.Prior != nil: // what was said before was not said again
		u.Judged = &crawl.Judgement{ValidFor: u.Prior.Outcome.ValidFor}
	default:
		r.made.Unread++
		u.Judged = &crawl.Judgement{}
		if said.Valid {
			u.Judged.ValidFor = 1
		}
	}
	return logged, nil
}
