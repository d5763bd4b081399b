package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"exclave/crawl"
	"exclave/internal/sheet"
	"exclave/internal/urlx"
)

// route is how servers are connected to. The zero route is direct, from any address.
type route struct {
	proxy  string // "http://host:port", "socks5://host:port"; "" = none
	source string // an address of this machine; "" = any
}

// routeOf returns the route for a URI, by the sheets that apply.
func (h *HTTP) routeOf(s *sheet.Settings) route {
	r := route{h.cfg.Proxy, h.cfg.SourceAddress}
	if s != nil && s.HTTP.Proxy != nil {
		r.proxy = *s.HTTP.Proxy
	}
	if s != nil && s.HTTP.SourceAddress != nil {
		r.source = *s.HTTP.SourceAddress
	}
	if r.proxy == sheet.Direct {
		r.proxy = ""
	}
	return r
}

// sheetFor returns the settings for what is asked for beside a URI, and why it may not be asked for when a sheet blocks it.
func (h *HTTP) sheetFor(u *crawl.CrawlURI, to *urlx.URL) (s *sheet.Settings, blocked error) {
	if own := u.Parsed(); own != nil && own.Origin() == to.Origin() && own.PathQuery() == to.PathQuery() {
		return u.Sheet, nil
	}
	s = h.deps.Sheets.Now().Of(to, u.Claim.Profiles())
	if reason, is := s.Blocks(); is {
		return nil, notAsked(fmt.Sprintf("a sheet blocks %s (%s)", to.WithoutUserinfo(), reason))
	}
	return s, nil
}

// notAsked is why something is not asked for.
type notAsked string

func (n notAsked) Error() string { return string(n) }

// open opens a TCP connection to a server over a route.
func (h *HTTP) open(ctx context.Context, r route, to string) (net.Conn, error) {
	direct := h.dialTCP
	if r.source != "" {
		from, err := netip.ParseAddr(r.source)
		if err != nil {
			return nil, err
		}
		direct = (&net.Dialer{KeepAlive: -1, LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0))}).DialContext
	}
	if r.proxy == "" {
		return direct(ctx, "tcp", to)
	}
	u, err := url.Parse(r.proxy)
	if err != nil {
		return nil, err
	}
	if u.Scheme == "socks5" {
		return h.openSOCKS(ctx, direct, u, to)
	}
	return h.openTunnel(ctx, direct, u, to)
}

// proxyError is why a proxy made no connection. The cause is a word for crawl.log.
type proxyError struct {
	cause string
	err   error
}

func (e *proxyError) Error() string { return "proxy: " + e.err.Error() }
func (e *proxyError) Unwrap() error { return e.err }

// socksCause is what a SOCKS proxy says (RFC 1928 §6), which package proxy puts into the text of its error.
func socksCause(err error) string {
	text := err.Error()
	for _, c := range []struct{ says, cause string }{
		{"general SOCKS server failure", "failure"}, {"not allowed by ruleset", "not-allowed"}, {"network unreachable", "network-unreachable"},
		{"host unreachable", "host-unreachable"}, {"connection refused", "refused"}, {"TTL expired", "ttl"},
		{"authentication", "authentication"}, {"command not supported", "unsupported"}, {"address type not supported", "unsupported"},
	} {
		if strings.Contains(text, c.says) {
			return "socks:" + c.cause
		}
	}
	return "broken"
}

// proxyFailed is the note of a connection that was not made through a proxy, with the cause; nil without one. The first is said: it may
// be that every page fails because of ours.
func (h *HTTP) proxyFailed(ctx context.Context, r route, err error) []string {
	if r.proxy == "" || ctx.Err() != nil {
		return nil
	}
	h.proxyOnce.Do(func() {
		h.log.Warn("no connection through a proxy; further ones are only annotated", "proxy", r.proxy, "err", err)
	})
	var p *proxyError
	switch {
	case !errors.As(err, &p):
		return []string{"proxy:failed"}
	case isTimeout(err):
		return []string{"proxy:failed:timeout"}
	}
	return []string{"proxy:failed:" + p.cause}
}
