package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/mime"
	"exclave/internal/record"
	"exclave/internal/resolve"
)

// failedTTL is how long it is relied on that a name could not be looked up.
const failedTTL = time.Hour

// DNS looks up hosts for dns: URIs.
type DNS struct {
	resolver Resolver
	clk      clock.Clock
}

var _ chain.Processor = (*DNS)(nil)

// NewDNS returns the processor.
func NewDNS(r Resolver, clk clock.Clock) *DNS { return &DNS{r, clk} }

// Process leaves other URIs alone. A name that does not exist is an answer: it is
// not asked for again, and the facts say that there is no address.
func (d *DNS) Process(ctx context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	host, ok := crawl.DNSHost(u.Key)
	if !ok {
		return chain.Idle(), nil
	}
	u.Started = d.clk.Now()
	began := d.clk.Mono()
	a, err := d.resolver.Lookup(ctx, host)
	u.Took = d.clk.Mono() - began
	if err != nil {
		return chain.Jump(chain.Post), d.failed(ctx, u, host, err)
	}
	return chain.Jump(chain.Post), d.found(u, host, a)
}

func (d *DNS) failed(ctx context.Context, u *crawl.CrawlURI, host string, err error) error {
	if ctx.Err() != nil {
		return err
	}
	if errors.Is(err, resolve.ErrSilent) {
		u.Disposition = crawl.Resign // it says nothing of the host
		return nil
	}
	var e *resolve.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("fetch: %w", err)
	}
	u.Status = crawl.StatusDNSFailed
	u.Annotate("dns:" + strings.ReplaceAll(e.Class.String(), " ", "-"))
	if e.Class.Permanent() {
		u.LastAttempt = true
	}
	if u.LastAttempt {
		now := d.clk.Now()
		u.HostFacts = &crawl.HostFacts{Host: host, Status: crawl.StatusDNSFailed, Asked: now, Expires: now.Add(cmp.Or(e.TTL, failedTTL))}
	}
	return nil
}

func (d *DNS) found(u *crawl.CrawlURI, host string, a *resolve.Answer) error {
	rec := record.New("", record.DefaultMemory)
	if _, err := rec.Write(a.Text); err != nil {
		return errors.Join(err, rec.Close())
	}
	u.Status, u.Addr, u.Rec, u.Digest = crawl.StatusDNS, a.Addrs[0], rec, rec.PayloadDigest()
	u.MIME = mime.Info{Type: "text/dns", Class: mime.Text}
	u.HostFacts = &crawl.HostFacts{Host: host, Status: crawl.StatusDNS, Addrs: a.Addrs, Asked: u.Started, Expires: u.Started.Add(a.TTL)}
	e, err := record.NewExchange(u.URL, rec, record.MaxExchange)
	if err != nil {
		return fmt.Errorf("fetch: keep answer for %s: %w", host, err)
	}
	e.Date, e.ContentType = u.Started, "text/dns"
	if a.Truncated {
		u.Annotate("dns:truncated")
		e.Truncated = string(crawl.TruncLength)
	}
	if server, err := parseServer(a.Server); err == nil {
		e.IP = server
	}
	raw, err := e.MarshalBinary()
	if err != nil {
		return fmt.Errorf("fetch: keep answer for %s: %w", host, err)
	}
	u.Deferred = &crawl.Deferred{Key: u.Key, Time: u.Started, Raw: raw}
	return nil
}

// parseServer returns the address of "address:port".
func parseServer(s string) (netip.Addr, error) {
	ap, err := netip.ParseAddrPort(s)
	return ap.Addr(), err
}
