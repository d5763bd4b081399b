package judge

import (
	"context"
	"errors"
	"fmt"

	"exclave/analyzer"
	"exclave/chain/fetch"
	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/resolve"
	"exclave/internal/urlx"
)

// lookup gives addresses to a fetch outside a crawl.
type lookup struct {
	noFacts
	dns *resolve.Resolver
}

// Host implements [chain.Hosts].
func (l lookup) Host(ctx context.Context, host string) (crawl.HostFacts, error) {
	a, err := l.dns.Lookup(ctx, host)
	if err != nil {
		return crawl.HostFacts{}, err
	}
	return crawl.HostFacts{Host: host, Status: crawl.StatusDNS, Addrs: a.Addrs, Asked: a.Asked, Expires: a.Asked.Add(a.TTL)}, nil
}

// maxRedirects is how many redirects are followed to the page that is judged.
const maxRedirects = 5

// URL fetches a page, following redirects, and judges it. Addresses that the
// user names are contacted wherever they are. robots.txt is not asked for: a
// person wants to see this one page, as with a browser.
func URL(ctx context.Context, a *analyzer.Analyzer, url, contact, version string, each func(Result) error) (err error) {
	c := fetch.DefaultConfig()
	c.Contact = contact
	c.Allow = []string{"0.0.0.0/0", "::/0"}
	c.MaxSize = maxJudged
	known := fetch.Credentials{}
	if u, err := urlx.Parse(url); err == nil && u.Userinfo() != "" {
		if err := known.Add(u); err != nil {
			return fmt.Errorf("job: judge: %w", err)
		}
		url = u.WithoutUserinfo().String()
	}
	dns, err := resolve.New(resolve.DefaultConfig())
	if err != nil {
		return fmt.Errorf("job: judge %s: %w", url, err)
	}
	h, err := fetch.NewHTTP(c, fetch.Deps{Hosts: lookup{dns: dns}, Version: version, Clock: clock.System(), Credentials: known})
	if err != nil {
		return fmt.Errorf("job: judge %s: %w", url, err)
	}
	defer func() { err = errors.Join(err, h.Stop(context.WithoutCancel(ctx))) }()
	for at, hops := url, 0; ; hops++ {
		target, err := urlx.Parse(at)
		if err != nil {
			return fmt.Errorf("job: judge %s: %w", url, err)
		}
		target = target.WithoutUserinfo()
		u := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: target.String(), Key: target.String(), Host: target.Hostname()}, LastAttempt: true}
		j, next, err := answer(ctx, a, h, u, Result{Source: url, URL: u.URL})
		switch {
		case err != nil:
			return fmt.Errorf("job: judge %s: %w", at, err)
		case next == "":
			return each(j)
		case hops == maxRedirects:
			return fmt.Errorf("job: judge %s: more than %d redirects", url, maxRedirects)
		}
		to, err := target.Resolve(next)
		if err != nil {
			return fmt.Errorf("job: judge %s: redirect to %q: %w", at, next, err)
		}
		at = to.WithoutFragment().String()
	}
}

// answer fetches one URI; next is where it redirects to, if it does.
func answer(ctx context.Context, a *analyzer.Analyzer, h *fetch.HTTP, u *crawl.CrawlURI, j Result) (_ Result, next string, err error) {
	_, err = h.Process(ctx, u)
	if u.Rec != nil {
		defer func() { err = errors.Join(err, u.Rec.Close()) }()
	}
	if err != nil {
		return j, "", err
	}
	if !u.Status.IsHTTP() {
		return j, "", fmt.Errorf("no answer (status %v %v)", u.Status, u.Annotations)
	}
	j.Status = u.HTTPStatus
	if u.Class == crawl.ClassRedirect {
		return j, u.Header("Location"), nil
	}
	if j.Status < 200 || j.Status > 299 {
		j.Skipped = fmt.Sprintf("the server answered %d", j.Status)
		return j, "", nil
	}
	// A body whose coding is broken is judged by what could be decoded.
	body, _ := u.Rec.Body(maxJudged)
	j, err = document(ctx, a, j, u.Header("Content-Type"), body, u.Addr, knownHosts{})
	return j, "", err
}
