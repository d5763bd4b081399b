package prefetch

import (
	"context"
	"fmt"
	"io"

	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/robots"
	"exclave/internal/urlx"
)

// Preconditions is Heritrix's PreconditionEnforcer: it sends a URI back until
// the address of its host and the robots.txt of its origin are known.
type Preconditions struct {
	policy robots.Policy
	hosts  chain.Hosts
	clk    clock.Clock
	rules  *cache
}

var (
	_ chain.Processor = (*Preconditions)(nil)
	_ chain.Reporter  = (*Preconditions)(nil)
)

// NewPreconditions returns the processor. With robots.Ignore no robots.txt is
// asked for at all.
func NewPreconditions(policy robots.Policy, hosts chain.Hosts, clk clock.Clock) *Preconditions {
	return &Preconditions{policy: policy, hosts: hosts, clk: clk, rules: newCache(cachedOrigins, cachedBytes)}
}

// Report implements [chain.Reporter].
func (p *Preconditions) Report(w io.Writer) error {
	n, bytes := p.rules.len()
	_, err := fmt.Fprintf(w, "robots.txt in memory:  %d of %d\nof which bytes:        %d of %d\n", n, p.rules.max, bytes, p.rules.maxBytes)
	return err
}

// Process defers the URI with the prerequisite it needs, or ends it: -6 when the
// host has no address, -61 when robots.txt cannot be had, -9998 when it forbids
// the URI.
func (p *Preconditions) Process(ctx context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	if u.Mode == crawl.ModeJudge || crawl.IsDNS(u.Key) {
		return chain.Result{}, nil
	}
	target := u.Parsed()
	if target == nil {
		u.Status = crawl.StatusUnfetchable
		return chain.Jump(chain.Post), nil
	}
	if !target.IsIP() {
		if done, err := p.address(ctx, u, target.Hostname()); done || err != nil {
			return chain.Jump(chain.Post), err
		}
	}
	policy := p.policy
	if u.Sheet != nil && u.Sheet.Robots.Policy != nil {
		policy = *u.Sheet.Robots.Policy
	}
	// Where only a sheet ignores it, it is asked for all the same: the archive has it, and the sheet may change.
	if policy == robots.Ignore && p.policy == robots.Ignore || crawl.IsRobots(u.Key) || !target.IsWeb() {
		return chain.Result{}, nil
	}
	if done, err := p.robots(ctx, u, target, policy); done || err != nil {
		return chain.Jump(chain.Post), err
	}
	return chain.Result{}, nil
}

// address reports that u is done with for now: its host's address is unknown, or
// it is known that there is none.
func (p *Preconditions) address(ctx context.Context, u *crawl.CrawlURI, host string) (bool, error) {
	f, err := p.hosts.Host(ctx, host)
	if err != nil {
		return true, fmt.Errorf("prefetch: address of %s: %w", host, err)
	}
	switch {
	case !f.Known(p.clk.Now()):
		waitFor(u, crawl.DNSKey(host))
	case f.Status != crawl.StatusDNS:
		u.Status = crawl.StatusDNSPrereqFailed
	default:
		return false, nil
	}
	return true, nil
}

// robots reports that u is done with for now: the rules are unknown, cannot be
// had, or forbid it.
func (p *Preconditions) robots(ctx context.Context, u *crawl.CrawlURI, target *urlx.URL, policy robots.Policy) (bool, error) {
	origin := target.Origin()
	f, err := p.hosts.Origin(ctx, origin)
	if err != nil {
		return true, fmt.Errorf("prefetch: robots.txt of %s: %w", origin, err)
	}
	if !f.Known(p.clk.Now()) {
		waitFor(u, crawl.RobotsKey(origin))
		return true, nil
	}
	rules, err := p.rules.get(f)
	if err != nil {
		return true, fmt.Errorf("prefetch: robots.txt of %s: %w", origin, err)
	}
	if d, ok := rules.CrawlDelay(); ok {
		u.CrawlDelay = d
	}
	allowed, _ := policy.Allowed(rules, target.PathQuery(), (u.Kind == crawl.LinkEmbed || u.Kind == crawl.LinkFrame) && u.Claim.Needed())
	switch {
	case allowed:
		return false, nil
	case rules.Unreachable():
		u.Status = crawl.StatusRobotsPrereqFailed
		u.Annotate("robots:" + f.Status.String())
	default:
		u.Status = crawl.StatusRobots
		u.Annotate("robotExcluded")
	}
	return true, nil
}

// waitFor defers u until the prerequisite is known.
func waitFor(u *crawl.CrawlURI, key string) {
	u.Status, u.Disposition = crawl.StatusDeferred, crawl.Defer
	u.Prereq = &crawl.Candidate{URL: crawl.PrereqURL(key), Key: key, Host: u.Host, Via: u.URL,
		Hops: u.Hops + string(rune(crawl.HopPrereq)), SourceTag: u.SourceTag, Force: true}
}
