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

// URL fetches a page as [Fetch] does and judges it.
func URL(ctx context.Context, a *analyzer.Analyzer, url, contact, version string, each func(Result) error) error {
	return Fetch(ctx, url, contact, version, func(u *crawl.CrawlURI) error {
		j, err := answer(ctx, a, u, Result{Source: url, URL: u.URL})
		if err != nil {
			return err
		}
		return each(j)
	})
}

// Fetch fetches a page, following redirects, and gives take its answer, whatever the status, which take must not
// keep. Addresses that the user names are contacted wherever they are. robots.txt is not asked for: a
// person wants to see this one page, as with a browser.
func Fetch(ctx context.Context, url, contact, version string, take func(*crawl.CrawlURI) error) (err error) {
	c := fetch.DefaultConfig()
	c.Contact = contact
	c.Allow = []string{"0.0.0.0/0", "::/0"}
	c.MaxSize = maxJudged
	known := fetch.Credentials{}
	if u, err := urlx.Parse(url); err == nil && u.Userinfo() != "" {
		if err := known.Add(u); err != nil {
			return fmt.Errorf("%s: %w", u.WithoutUserinfo(), err)
		}
		url = u.WithoutUserinfo().String()
	}
	dns, err := resolve.New(resolve.DefaultConfig())
	if err != nil {
		return fmt.Errorf("%s: %w", url, err)
	}
	h, err := fetch.NewHTTP(c, fetch.Deps{Hosts: lookup{dns: dns}, Version: version, Clock: clock.System(), Credentials: known})
	if err != nil {
		return fmt.Errorf("%s: %w", url, err)
	}
	defer func() { err = errors.Join(err, h.Stop(context.WithoutCancel(ctx))) }()
	for at, hops := url, 0; ; hops++ {
		target, err := urlx.Parse(at)
		if err != nil {
			return fmt.Errorf("%s: %w", url, err)
		}
		target = target.WithoutUserinfo()
		u := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: target.String(), Key: target.String(), Host: target.Hostname()}, LastAttempt: true}
		next, err := ask(ctx, h, u, take)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", at, err)
		case next == "":
			return nil
		case hops == maxRedirects:
			return fmt.Errorf("%s: more than %d redirects", url, maxRedirects)
		}
		to, err := target.Resolve(next)
		if err != nil {
			return fmt.Errorf("%s: redirect to %q: %w", at, next, err)
		}
		at = to.WithoutFragment().String()
	}
}

// ask fetches one URI and gives take its answer; next is where it redirects to, if it does.
func ask(ctx context.Context, h *fetch.HTTP, u *crawl.CrawlURI, take func(*crawl.CrawlURI) error) (next string, err error) {
	_, err = h.Process(ctx, u)
	if u.Rec != nil {
		defer func() { err = errors.Join(err, u.Rec.Close()) }()
	}
	switch {
	case err != nil:
		return "", err
	case !u.Status.IsHTTP():
		return "", fmt.Errorf("no answer (status %v %v)", u.Status, u.Annotations)
	case u.Class == crawl.ClassRedirect:
		return u.Header("Location"), nil
	}
	return "", take(u)
}

// answer judges what a server answered.
func answer(ctx context.Context, a *analyzer.Analyzer, u *crawl.CrawlURI, j Result) (Result, error) {
	j.Status = u.HTTPStatus
	if j.Status < 200 || j.Status > 299 {
		j.Skipped = fmt.Sprintf("the server answered %d", j.Status)
		return j, nil
	}
	// A body whose coding is broken is judged by what could be decoded.
	body, _ := u.Rec.Body(maxJudged)
	return document(ctx, a, j, u.Header("Content-Type"), body, u.Addr, knownHosts{})
}
