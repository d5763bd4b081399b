package frontiertest

import (
	"fmt"
	"strings"
	"time"

	"exclave/crawl"
	"exclave/internal/mime"
)

// answer makes u what the chains would hand in for an answer.
func (c *conformance) answer(u *crawl.CrawlURI, status crawl.Status, class crawl.TypeClass, valid uint8) {
	u.Status, u.Class, u.Disposition = status, class, crawl.Done
	u.Judgeable = status == 200 && class == crawl.ClassHTML
	if u.Judgeable && u.Claim.Analyse {
		u.Judged = &crawl.Judgement{ValidFor: valid}
	}
	if class == crawl.ClassText {
		open(u)
	}
	d := c.model.r.Depths
	if u.Mode == crawl.ModeFetch && d.Archived(u.Claim, u.Outcome()) {
		u.Span = &crawl.Span{File: 1, Start: c.model.end, End: c.model.end + 10}
		u.Response = crawl.Ref{File: 1, Offset: c.model.end, Length: 10}
		u.RecordID = fmt.Sprint("urn:", c.model.end)
	}
	u.Lines = []crawl.LogLine{{Log: crawl.LogCrawl, Text: []byte(u.Key + "\n")}}
}

// sheet is the context of a link to a style sheet.
const sheet = "link/@href[rel=stylesheet]"

// open makes a URI a text that is a style sheet where a link says so.
func open(u *crawl.CrawlURI) {
	u.Class, u.MIME.Open = crawl.ClassText, mime.HintCSS
	if u.Ways.Hints&mime.HintCSS != 0 {
		u.Class, u.MIME.Open = crawl.ClassContainer, 0
	}
}

// link adds a link of a page that was answered.
func (c *conformance) link(u *crawl.CrawlURI, to crawl.Candidate, kind crawl.LinkKind, hop string) {
	if to.Key == u.Key {
		return
	}
	to.Kind, to.Hops, to.SourceTag, to.Via = kind, u.Hops+hop, u.SourceTag, u.URL
	if to.Context = ""; kind == crawl.LinkEmbed && c.chance("sheet", 3) {
		to.Context = sheet
	}
	to.Ways = c.model.r.Depths.Reach(u.Ways, u.Claim, u.Outcome(), hop[0], kind, mime.HintsOf(to.Context))
	u.Embedding, u.Guesses = u.Embedding || hop != "L", u.Guesses || kind == crawl.LinkSpeculative
	to.Claim = c.model.r.Depths.Child(u.Claim, u.Outcome(), kind)
	u.Links = append(u.Links, to)
}

// process does what the chains may do with a URI.
func (c *conformance) process(u *crawl.CrawlURI) {
	switch {
	case u.Mode == crawl.ModeJudge:
		c.judge(u)
		return
	case c.chance("resign", 8):
		c.say("resign %s", u.Key)
		u.Disposition = crawl.Resign
		return
	case strings.HasPrefix(u.Key, "dns:"), strings.HasPrefix(u.Key, "robots:"):
		c.prerequisite(u)
		return
	}
	u.Took = time.Duration(c.int("took", 2)) * time.Second
	if c.chance("crawl-delay", 4) {
		u.CrawlDelay = 100 * time.Second
	}
	// With caps a page has one link: the order in which several become known is not specified.
	links := 3
	if c.model.r.HostURIs+c.model.r.HostURIsMax > 0 {
		links = 1
	}
	what := c.int("answer", 9)
	switch what {
	case 0, 1, 2: // a page, valid or not
		c.answer(u, 200, crawl.ClassHTML, uint8(c.int("valid for", 3)))
		kinds := []crawl.LinkKind{crawl.LinkNav, crawl.LinkEmbed, crawl.LinkFrame, crawl.LinkSpeculative}
		for range c.int("links", links) {
			k := c.int("kind", 3)
			c.link(u, c.page(), kinds[k], string("LEEX"[k]))
		}
	case 3:
		c.answer(u, 200, []crawl.TypeClass{crawl.ClassOther, crawl.ClassText}[c.int("text", 1)], 0)
	case 4:
		c.answer(u, 200, crawl.ClassContainer, 0)
		for range c.int("links", links) {
			c.link(u, c.page(), crawl.LinkEmbed, "E")
		}
	case 5:
		c.answer(u, 301, crawl.ClassRedirect, 0)
		c.link(u, c.page(), crawl.LinkRedirect, "R")
	case 6:
		c.answer(u, []crawl.Status{404, 403}[c.int("refused", 1)], crawl.ClassHTML, 0)
	case 7:
		c.answer(u, crawl.StatusRobots, crawl.ClassUnknown, 0)
	case 8:
		c.fail(u)
	case 9:
		key, url := "dns:"+u.Host, "dns:"+u.Host
		if c.int("which", 1) == 1 {
			scheme, _, _ := strings.Cut(u.URL, ":")
			url = scheme + "://" + u.Host + "/robots.txt"
			key = strings.TrimSuffix("robots:"+url, "/robots.txt")
		}
		u.Status, u.Disposition = crawl.StatusDeferred, crawl.Defer
		u.Prereq = &crawl.Candidate{URL: url, Key: key, Host: u.Host, Hops: u.Hops + "P", Via: u.URL, Force: true}
	}
	c.say("%s is answered %d, class %v, %+v, disposition %v; %d links: %s", u.Key, u.Status, u.Class, u.Judged, u.Disposition, len(u.Links), targets(u))
}

func targets(u *crawl.CrawlURI) string {
	var out []string
	for _, l := range u.Links {
		out = append(out, describe(l))
	}
	return strings.Join(out, "; ")
}

// judge judges the archived bytes: class and links stay the same.
func (c *conformance) judge(u *crawl.CrawlURI) {
	u.Status, u.Class, u.Judgeable, u.Disposition = u.Prior.Outcome.Status, u.Prior.Outcome.Class, u.Prior.Outcome.Judgeable, crawl.Done
	if u.Prior.Outcome.Open != 0 {
		open(u)
	}
	u.Embedding, u.Guesses = u.Prior.Outcome.Embedding, u.Prior.Outcome.Guesses
	if u.Judgeable && u.Claim.Analyse && !u.Prior.Outcome.Judged {
		u.Judged = &crawl.Judgement{ValidFor: uint8(c.int("valid for", 3))}
	}
	o := u.Outcome()
	for _, l := range c.model.uris[u.Key].links {
		l.Ways = c.model.r.Depths.Reach(u.Ways, u.Claim, o, l.Hops[len(l.Hops)-1], l.Kind, mime.HintsOf(l.Context))
		l.Claim = c.model.r.Depths.Child(u.Claim, o, l.Kind)
		u.Links = append(u.Links, l)
	}
	c.say("%s is judged %+v", u.Key, u.Judged)
}

// fail is an attempt that failed.
func (c *conformance) fail(u *crawl.CrawlURI) {
	u.Status = []crawl.Status{crawl.StatusTimeout, crawl.StatusConnectFailed, 503}[c.int("failure", 2)]
	if u.Status == 503 && c.chance("retry-after", 2) {
		u.RetryAfter = 77 * time.Second
	}
	switch {
	case !u.LastAttempt:
		u.Disposition = crawl.Retry
	case u.Status == 503: // is the answer then
		c.answer(u, 503, crawl.ClassHTML, 0)
	default:
		u.Disposition = crawl.Done
	}
}

// prerequisite is the answer of a name server, or robots.txt.
func (c *conformance) prerequisite(u *crawl.CrawlURI) {
	dns := strings.HasPrefix(u.Key, "dns:")
	switch {
	case c.chance("fails", 4):
		u.Status, u.Disposition = crawl.StatusTimeout, crawl.Retry
		if dns {
			u.Status = crawl.StatusDNSFailed
		}
		if u.LastAttempt {
			u.Disposition = crawl.Done
		}
	case dns:
		u.Status, u.Disposition = crawl.StatusDNS, crawl.Done
	default:
		u.Status, u.Disposition = 404, crawl.Done
	}
	c.say("%s is answered %d, disposition %v", u.Key, u.Status, u.Disposition)
}
