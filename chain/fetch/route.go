package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/proxy"

	"exclave/crawl"
	"exclave/internal/record"
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
		var c net.Conn // what is given back hides whether it is alive
		d, err := proxy.SOCKS5("tcp", u.Host, nil, dialer(func(ctx context.Context, network, addr string) (_ net.Conn, err error) {
			c, err = direct(ctx, network, addr)
			return c, err
		}))
		if err != nil {
			return nil, err
		}
		if _, err := d.(proxy.ContextDialer).DialContext(ctx, "tcp", to); err != nil {
			if c == nil {
				return nil, &proxyError{"unreachable", err}
			}
			return nil, &proxyError{socksCause(err), err}
		}
		return c, nil
	}
	c, err := direct(ctx, "tcp", u.Host)
	if err != nil {
		return nil, &proxyError{"unreachable", err}
	}
	if err := tunnel(ctx, c, to); err != nil {
		_ = c.Close() // the reason is why there is no tunnel
		return nil, err
	}
	return c, nil
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

// tunnel asks an HTTP proxy for a connection to a server (RFC 9110 §9.3.6).
func tunnel(ctx context.Context, c net.Conn, to string) error {
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	if end, ok := ctx.Deadline(); ok {
		if err := c.SetDeadline(end); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", to, to); err != nil {
		return &proxyError{"broken", err}
	}
	answer, err := headOf(c)
	if err != nil {
		if ctx.Err() != nil { // which closed the connection
			err = ctx.Err()
		}
		return &proxyError{"broken", err}
	}
	switch status := record.ParseHead(answer).Status; {
	case status < 100:
		return &proxyError{"broken", errors.New("its answer is not HTTP")}
	case status/100 != 2:
		return &proxyError{strconv.Itoa(status), fmt.Errorf("it refuses to connect to %s: status %d", to, status)}
	}
	return c.SetDeadline(time.Time{})
}

// maxTunnelHead is how long the header of a proxy's answer may be.
const maxTunnelHead = 16 << 10

// headOf reads a header and not a byte more: what follows is the server's.
func headOf(c net.Conn) (head []byte, err error) {
	for b := make([]byte, 1); len(head) < maxTunnelHead; {
		if _, err := io.ReadFull(c, b); err != nil {
			return nil, err
		}
		if head = append(head, b[0]); bytes.HasSuffix(head, []byte("\r\n\r\n")) || bytes.HasSuffix(head, []byte("\n\n")) {
			return head, nil
		}
	}
	return nil, errors.New("the header of its answer has no end")
}

// dialer makes a function what package proxy dials with.
type dialer func(ctx context.Context, network, addr string) (net.Conn, error)

// Dial implements [proxy.Dialer].
func (d dialer) Dial(network, addr string) (net.Conn, error) {
	return d(context.Background(), network, addr)
}

// DialContext implements [proxy.ContextDialer].
func (d dialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	return d(ctx, network, addr)
}
