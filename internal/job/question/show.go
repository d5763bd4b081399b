package question

import (
	"context"
	"errors"
	"fmt"
	"time"

	"exclave/analyzer"
	"exclave/chain/decide"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/robots"
	"exclave/internal/urlx"
)

// ErrURL is wrapped by the error of Show when what was asked for is no URL.
var ErrURL = errors.New("not a URL that a crawl can know")

// Shown is everything known about a URL. Fields without a value are left out of
// its JSON, which is stable; fields may be added (docs/howto/show.md).
type Shown struct {
	URL   string      `json:"url"` // as it is requested, or as asked for
	Key   string      `json:"key"` // what it was looked up under
	Known bool        `json:"known"`
	Scope *ShownScope `json:"scope,omitempty"` // what the rules say of it now

	State     string         `json:"state,omitempty"` // parked, waiting, in process, done
	Seed      bool           `json:"seed,omitempty"`
	Source    string         `json:"source,omitempty"` // source tag of its seed
	Host      string         `json:"host,omitempty"`
	Queue     string         `json:"queue,omitempty"` // it is pending in, or would be
	Hops      string         `json:"hops,omitempty"`
	Context   string         `json:"context,omitempty"` // of its link in the page
	Claim     []string       `json:"claim,omitempty"`   // why it is wanted, in words
	Attempts  int            `json:"attempts,omitempty"`
	Failure   *ShownFailure  `json:"failure,omitempty"`   // of the last of them, while it is tried again
	Finishes  int            `json:"finishes,omitempty"`  // lines in crawl.log
	Judgings  int            `json:"judgings,omitempty"`  // lines in analysis.jsonl
	Redirects int            `json:"redirects,omitempty"` // to itself in another form
	Status    *ShownStatus   `json:"status,omitempty"`
	Archived  bool           `json:"archived,omitempty"`
	Fetched   *time.Time     `json:"fetched,omitempty"` // the archived answer
	Digest    string         `json:"digest,omitempty"`
	Via       []ShownVia     `json:"via,omitempty"`     // from the page it was found on to the seed
	ViaEnd    string         `json:"via_end,omitempty"` // why the chain ends elsewhere than at a seed
	Verdicts  *ShownVerdicts `json:"verdicts,omitempty"`
	Records   []ShownRecord  `json:"records,omitempty"`
	Links     *ShownLinks    `json:"links,omitempty"` // of an archived page
	Facts     *ShownFacts    `json:"facts,omitempty"`
	Notes     []string       `json:"notes,omitempty"` // what could not be looked at, and objections of the second opinion (gowarc) to records
}

// ShownScope is what the scope says of a URL as it was found; of one that is not known,
// what it would say of a link to it on a seed page.
type ShownScope struct {
	Decision string `json:"decision"` // ACCEPT, REJECT, NONE
	Rule     string `json:"rule,omitempty"`
}

// ShownStatus is how the last attempt ended.
type ShownStatus struct {
	Code  crawl.Status `json:"code"`
	Words string       `json:"words"`
	Type  string       `json:"type"` // html, text, container, other, redirect, unknown
}

// ShownFailure is how an attempt failed that is followed by another.
type ShownFailure struct {
	Code  crawl.Status `json:"code"`
	Words string       `json:"words"`
	At    time.Time    `json:"at"`
}

// ShownVia is a page on the way to the seed.
type ShownVia struct {
	URL     string        `json:"url"`
	Hop     string        `json:"hop"`               // the letter that led from it
	Context string        `json:"context,omitempty"` // where the link stood: a/@href, sitemap:loc[lastmod=2026-11-01]
	State   string        `json:"state"`
	Status  *crawl.Status `json:"status,omitempty"`
}

// ShownVerdicts are the verdicts of the last judgement.
type ShownVerdicts struct {
	From string             `json:"from"` // file, and place in it, they were read from
	By   []analyzer.Verdict `json:"by"`
}

// ShownRecord is a WARC record of the URL, or one written with it.
type ShownRecord struct {
	File      string `json:"file"` // as it is on disk; ends in .open while written to
	Offset    int64  `json:"offset"`
	Length    int64  `json:"length"` // compressed
	Type      string `json:"type"`
	ID        string `json:"id"`
	Target    string `json:"target"`
	Date      string `json:"date"`
	Refers    string `json:"refers,omitempty"`    // of a revisit: target URI and date of the record it stands for
	Current   bool   `json:"current,omitempty"`   // the answer the state refers to
	Abandoned string `json:"abandoned,omitempty"` // why its capture was not acknowledged
}

// ShownLinks are the links of an archived page.
type ShownLinks struct {
	Total int         `json:"total"`
	First []ShownLink `json:"first"` // all of them when asked for
}

// ShownLink is a link and what became of it.
type ShownLink struct {
	URL      string        `json:"url"`
	Hop      string        `json:"hop"`
	Context  string        `json:"context,omitempty"`
	State    string        `json:"state"` // unknown, parked, waiting, in process, done
	Status   *crawl.Status `json:"status,omitempty"`
	Archived bool          `json:"archived,omitempty"`
}

// ShownFacts are what is known of the URL's host and origin.
type ShownFacts struct {
	Addresses     []string   `json:"addresses,omitempty"`
	DNS           string     `json:"dns,omitempty"` // status of the last look-up, in words
	DNSExpires    *time.Time `json:"dns_expires,omitempty"`
	Robots        string     `json:"robots,omitempty"` // status of robots.txt, in words
	RobotsExpires *time.Time `json:"robots_expires,omitempty"`
	// CrawlDelay is what robots.txt asks for, nanoseconds; obeyed up to max_crawl_delay.
	CrawlDelay time.Duration `json:"crawl_delay,omitempty"`
}

// Bounds of what Show gathers unless all is asked for.
const (
	shownLinks = 100
	viaBound   = 1000 // pages on the way to the seed
)

// Show tells everything known about a URL; all lifts the limit of 100 links. It
// may be called from any goroutine between Open and Close. It reads every capture
// row of the state (about a second for a million) and, when a verdict stands in no
// record, analysis.jsonl.
func (a *Answers) Show(ctx context.Context, url string, all bool) (*Shown, error) {
	s := lookup{Answers: a, ctx: ctx, all: all}
	return s.show(url)
}

// lookup gathers what is known about one URL.
type lookup struct {
	*Answers
	ctx context.Context
	all bool
}

func (s *lookup) show(raw string) (*Shown, error) {
	key, u, err := s.key(raw)
	if err != nil {
		return nil, err
	}
	r, err := s.State.Lookup(key)
	if err != nil {
		return nil, fmt.Errorf("job: show: %w", err)
	}
	if prereq, is := crawl.PrereqKey(raw); r == nil && is { // no page that was read links to the robots.txt of the crawler itself
		if r, err = s.State.Lookup(prereq); err != nil {
			return nil, fmt.Errorf("job: show: %w", err)
		}
		if r != nil {
			key = prereq
		}
	}
	out := &Shown{URL: raw, Key: key}
	if r == nil {
		if u != nil {
			link := crawl.Candidate{Hops: string(rune(crawl.HopLink)), Kind: crawl.LinkNav, Claim: crawl.Claim{Analyse: true}}
			link.SetURL(u, key)
			out.Scope = s.scopeOf(&link)
		}
	} else {
		s.record(out, r)
		if u != nil && !crawl.IsPrereq(key) { // which the scope is not asked about
			out.Scope = s.scopeOf(&crawl.Candidate{URL: r.URL, Key: r.Key, Host: r.Host, Via: r.Via, Hops: r.Hops, Kind: r.Kind, Ways: r.Ways(),
				Context: r.Context, SourceTag: r.SourceTag, Seed: r.Seed, Claim: r.Claim})
		}
		if err := errors.Join(s.via(out, r), s.archived(out, r), s.links(out, r)); err != nil {
			return nil, fmt.Errorf("job: show: %w", err)
		}
	}
	if u != nil {
		err = s.facts(out, u)
	}
	return out, err
}

// key returns what a URL is kept under. The prerequisites dns:HOST and
// robots:ORIGIN are kept under these names and have no URL.
func (s *lookup) key(raw string) (string, *urlx.URL, error) {
	if crawl.IsPrereq(raw) {
		return raw, nil, nil
	}
	u, err := urlx.Parse(raw)
	if err != nil {
		return "", nil, fmt.Errorf("job: show: %w: %w", ErrURL, err)
	}
	u = u.WithoutUserinfo().WithoutFragment() // as it is kept
	return s.Config.URL.Key(u), u, nil
}

func (s *lookup) scopeOf(c *crawl.Candidate) *ShownScope {
	r := s.Scope.Decide(&decide.Subject{Cand: c})
	return &ShownScope{Decision: r.Decision.String(), Rule: r.Rule}
}

// state is the state of a URI, in a word.
func (s *lookup) state(r *frontier.Record) string {
	if r.State == frontier.Waiting && s.State.InProcess(r.ID) {
		return "in process"
	}
	return r.State.String()
}

func (s *lookup) record(out *Shown, r *frontier.Record) {
	out.URL, out.Known, out.State = r.URL, true, s.state(r)
	out.Seed, out.Source, out.Host, out.Hops, out.Context = r.Seed, r.SourceTag, r.Host, r.Hops, r.Context
	out.Queue = s.State.QueueOf(r)
	if out.Claim = s.claim(r.Claim); crawl.IsPrereq(r.Key) {
		out.Claim = []string{"none: it is asked for since others need it (a prerequisite)"}
	}
	out.Attempts, out.Finishes, out.Judgings, out.Redirects = r.Attempts, r.Finishes, r.Judgings, r.Redirects
	if r.State == frontier.Waiting && r.Attempts > 0 && r.Failure != 0 {
		out.Failure = &ShownFailure{r.Failure, statusWords(r.Failure), r.FailedAt}
	}
	if r.Finishes > 0 {
		out.Status = &ShownStatus{r.Outcome.Status, statusWords(r.Outcome.Status), r.Outcome.Class.String()}
	}
	if r.Outcome.Archived {
		out.Archived, out.Fetched, out.Digest = true, &r.Date, r.Digest
	}
}

// claim says in words why a URI is wanted.
func (s *lookup) claim(c crawl.Claim) []string {
	var words []string
	for what, is := range map[string]bool{
		"analyse: judge it when it is text":        c.Analyse,
		"bin: archive it unless it is HTML":        c.Bin,
		"keep: archive it, it led to a valid page": c.Keep,
		"none: known, but not wanted (parked)":     c.IsZero(),
	} {
		if is {
			words = append(words, what)
		}
	}
	for i, p := range s.Analyzer.Profiles() {
		if i < len(c.Link) && c.Link[i] > 0 {
			words = append(words, fmt.Sprintf("valid_link for %s: archive it and what it links to, depth %d", p.Name, c.Link[i]-1))
		}
	}
	return sorted(words)
}

// via follows the pages from which the URI was found up to its seed.
func (s *lookup) via(out *Shown, r *frontier.Record) error {
	seen := map[crawl.ID]bool{r.ID: true}
	for at := r; at.Via != ""; {
		hop := ""
		if n := len(at.Hops); n > 0 {
			hop = at.Hops[n-1:]
		}
		v := ShownVia{URL: at.Via, Hop: hop, Context: at.Context, State: "unknown"}
		key, _, err := s.key(at.Via)
		if err != nil {
			out.Via, out.ViaEnd = append(out.Via, v), "this is no URL that could be looked up"
			return nil
		}
		next, err := s.State.Lookup(key)
		if err != nil {
			return err
		}
		if next != nil {
			v.State, v.Status = s.state(next), statusOf(next)
		}
		out.Via = append(out.Via, v)
		switch {
		case at.Hops == "":
			out.ViaEnd = "as the log says in which the seed was found: another harvest read that page"
			return nil
		case next == nil:
			out.ViaEnd = "the crawl does not know this page"
			return nil
		case seen[next.ID]:
			out.ViaEnd = "a circle: the seed was offered again by a page below it"
			return nil
		case len(out.Via) == viaBound:
			out.ViaEnd = fmt.Sprintf("cut after %d pages", viaBound)
			return nil
		}
		seen[next.ID], at = true, next
	}
	return nil
}

func statusOf(r *frontier.Record) *crawl.Status {
	if r.Finishes == 0 {
		return nil
	}
	return &r.Outcome.Status
}

// facts adds what is known of host and origin.
func (s *lookup) facts(out *Shown, u *urlx.URL) error {
	h, err := s.State.Host(s.ctx, u.Hostname())
	if err != nil {
		return fmt.Errorf("job: show: %w", err)
	}
	o, err := s.State.Origin(s.ctx, u.Origin())
	if err != nil {
		return fmt.Errorf("job: show: %w", err)
	}
	var f ShownFacts
	if !h.Expires.IsZero() {
		f.DNS, f.DNSExpires = statusWords(h.Status), &h.Expires
		for _, a := range h.Addrs {
			f.Addresses = append(f.Addresses, a.String())
		}
	}
	if !o.Expires.IsZero() {
		f.Robots, f.RobotsExpires = statusWords(o.Status), &o.Expires
		if len(o.Robots) > 0 {
			var rules robots.Rules
			if err := rules.UnmarshalBinary(o.Robots); err != nil {
				return fmt.Errorf("job: show: robots.txt of %s: %w", u.Origin(), err)
			}
			f.CrawlDelay, _ = rules.CrawlDelay()
		}
	}
	if f.DNSExpires != nil || f.RobotsExpires != nil {
		out.Facts = &f
	}
	return nil
}
