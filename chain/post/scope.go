package post

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"exclave/chain"
	"exclave/chain/decide"
	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/conf"
	"exclave/internal/mime"
	"exclave/internal/robots"
	"exclave/internal/traps"
	"exclave/internal/urlx"
)

// ScopeConfig says how links become candidates.
type ScopeConfig struct {
	// ObeyNofollow leaves out links a reader would follow from pages whose robots
	// meta element, or X-Robots-Tag, says nofollow; what the page embeds is kept. Where
	// robots.txt is ignored, so are they, unless the option is set.
	ObeyNofollow bool `toml:"obey_nofollow"`
	// ObeyRelNofollow leaves out those whose rel says so.
	ObeyRelNofollow bool `toml:"obey_rel_nofollow"`
	// MaxFrameHops is how many embed hops a frame may be away from the page that
	// was navigated to and still count as part of it; beyond, it is a link.
	MaxFrameHops int `toml:"max_frame_hops"`
	// OtherHostsOnly leaves out links a reader would follow to the page's own host.
	OtherHostsOnly bool `toml:"other_hosts_only"`
	// ShapeLimit is after how many pages in a row that yield nothing new links to addresses of their
	// shape are left out; 0 = never.
	ShapeLimit int `toml:"shape_limit"`

	Token string `toml:"-"` // the product token that directives may be for
	// Robots is the policy where no sheet has another; NofollowIsSet that ObeyNofollow holds whatever it is.
	Robots        robots.Policy `toml:"-"`
	NofollowIsSet bool          `toml:"-"`
}

// DefaultScopeConfig obeys nofollow and follows frames two deep, as Heritrix.
func DefaultScopeConfig() ScopeConfig {
	return ScopeConfig{ObeyNofollow: true, MaxFrameHops: decide.DefaultMaxTransclusion}
}

// Validate returns every value that cannot be.
func (c ScopeConfig) Validate() (ps conf.Problems) {
	if c.MaxFrameHops < 0 || c.MaxFrameHops >= decide.MaxHopPath {
		ps.Add("max_frame_hops", "%d is not between 0 and %d", c.MaxFrameHops, decide.MaxHopPath-1)
	}
	ps.Check(c.ShapeLimit >= 0, "shape_limit", "%d is negative; 0 means that no shape is put off", c.ShapeLimit)
	return ps
}

// LinksScoper turns outlinks into candidates: processor "links-scoper".
type LinksScoper struct {
	cfg    ScopeConfig
	scope  *decide.Sequence
	depths crawl.Depths
	rules  urlx.Rules
	clk    clock.Clock
	shapes shapes

	accepted, rejected atomic.Int64 // links
}

var _ chain.Reporter = (*LinksScoper)(nil)

// Report implements [chain.Reporter].
func (l *LinksScoper) Report(w io.Writer) error {
	_, err := fmt.Fprintf(w, "Links accepted:  %d\nLinks rejected:  %d\n", l.accepted.Load(), l.rejected.Load())
	return err
}

// NewLinksScoper returns the processor. A link enters when the scope accepts it.
func NewLinksScoper(cfg ScopeConfig, scope *decide.Sequence, d crawl.Depths, r urlx.Rules, clk clock.Clock) *LinksScoper {
	return &LinksScoper{cfg: cfg, scope: scope, depths: d, rules: r, clk: clk, shapes: shapes{limit: cfg.ShapeLimit}}
}

// obeysNofollow reports whether a page's nofollow is obeyed: as in Heritrix, not where robots.txt is ignored.
func (l *LinksScoper) obeysNofollow(u *crawl.CrawlURI) bool {
	policy := l.cfg.Robots
	if u.Sheet != nil && u.Sheet.Robots.Policy != nil {
		policy = *u.Sheet.Robots.Policy
	}
	return l.cfg.ObeyNofollow && (l.cfg.NofollowIsSet || policy != robots.Ignore)
}

// Process implements [chain.Processor].
func (l *LinksScoper) Process(_ context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	if u.Disposition != crawl.Done || !u.Status.IsHTTP() {
		return chain.Idle(), nil
	}
	l.shapes.observe(u)
	obeys := l.obeysNofollow(u)
	nofollow := obeys && u.Directives(l.cfg.Token).NoFollow
	refused := map[string]bool{}
	outcome := u.Outcome()
	now := l.clk.Now()
	for _, o := range u.Outlinks {
		u.Embedding = u.Embedding || !crawl.IsNavigation(o.Hop)
		u.Guesses = u.Guesses || o.Kind == crawl.LinkSpeculative
		if (nofollow || obeys && o.PageNoFollow || l.cfg.ObeyRelNofollow && o.NoFollow) && o.Kind == crawl.LinkNav {
			continue
		}
		c := l.candidate(u, outcome, o)
		if l.cfg.OtherHostsOnly && c.Kind == crawl.LinkNav && c.Host == u.Host {
			continue
		}
		r := l.scope.Decide(&decide.Subject{Cand: &c, Page: &u.Candidate})
		if r.Decision == decide.Accept && r.Rule != decide.RuleSheet && c.Kind == crawl.LinkNav && l.shapes.held(o.URL) {
			r = decide.Ruling{Decision: decide.Reject, Rule: ruleShape}
		}
		if r.Decision == decide.Accept {
			l.accepted.Add(1)
			u.Links = append(u.Links, c)
			continue
		}
		l.rejected.Add(1)
		if refused[c.URL] || u.Mode == crawl.ModeJudge { // logged when the page was fetched
			continue
		}
		refused[c.URL] = true
		if r.Trap == traps.Calendar {
			u.CalendarLinks++
		}
		line, err := outOfScopeLine(&c, r.Rule, now)
		if err != nil {
			return chain.Result{}, err
		}
		u.Lines = append(u.Lines, crawl.LogLine{Log: crawl.LogScope, Text: line})
	}
	return chain.Result{}, nil
}

func (l *LinksScoper) candidate(u *crawl.CrawlURI, outcome crawl.Outcome, o crawl.Outlink) crawl.Candidate {
	hops := u.Hops + string(rune(o.Hop))
	if n := len(hops) - decide.MaxHopPath; n > 0 {
		hops = hops[n:]
	}
	kind := o.Kind
	ways := l.depths.Reach(u.Reached(), u.Claim, outcome, o.Hop, kind, mime.HintsOf(o.Context))
	if kind == crawl.LinkFrame && !ways.Loose && !ways.Within(l.cfg.MaxFrameHops, decide.MaxHopPath) {
		kind = crawl.LinkNav
	}
	c := crawl.Candidate{
		Via: u.URL, Hops: hops, Kind: kind, Context: o.Context, Ways: ways, SourceTag: u.SourceTag,
		Claim: l.depths.Child(u.Claim, outcome, kind),
	}
	c.SetURL(o.URL, l.rules.Key(o.URL))
	return c
}

// outOfScope is a line of out-of-scope.jsonl (docs/formats/out-of-scope.md).
type outOfScope struct {
	URL    string `json:"url"`
	Via    string `json:"via"`
	Hops   string `json:"hops"`
	Rule   string `json:"rule"`
	Time   string `json:"time"`
	Source string `json:"source"`
}

func outOfScopeLine(c *crawl.Candidate, rule string, now time.Time) ([]byte, error) {
	if rule == "" {
		rule = "none" // no rule accepted it
	}
	b, err := jsonLine(outOfScope{c.URL, c.Via, c.Hops, rule, stamp(now), c.SourceTag})
	if err != nil {
		return nil, fmt.Errorf("post: out-of-scope line of %s: %w", c.URL, err)
	}
	return b, nil
}

// FrontierScheduler puts the links in the form the frontier takes: processor
// "frontier-scheduler". Repeated links are one, with their claims joined; the
// target of a redirect is first. Links of URIs that are not done are dropped.
type FrontierScheduler struct{}

// NewFrontierScheduler returns the processor.
func NewFrontierScheduler() *FrontierScheduler { return &FrontierScheduler{} }

// Process implements [chain.Processor].
func (*FrontierScheduler) Process(_ context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	if u.Disposition != crawl.Done {
		u.Links = nil
		return chain.Idle(), nil
	}
	// Links of different kinds stay apart: a claim that grows later reaches each
	// kind differently.
	type same struct {
		key  string
		kind crawl.LinkKind
	}
	at := make(map[same]int, len(u.Links))
	out := u.Links[:0]
	for _, c := range u.Links {
		k := same{c.Key, c.Kind}
		if i, ok := at[k]; ok {
			out[i].Claim, out[i].Ways = out[i].Claim.Join(c.Claim), out[i].Ways.Join(c.Ways)
			continue
		}
		at[k] = len(out)
		out = append(out, c)
	}
	for i := range out {
		if out[i].Kind == crawl.LinkRedirect {
			out[0], out[i] = out[i], out[0]
			break
		}
	}
	u.Links = out
	return chain.Result{}, nil
}
