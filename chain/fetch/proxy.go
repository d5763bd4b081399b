package fetch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/proxy"

	"exclave/internal/record"
	"exclave/internal/urlx"
)

// proxies are what HTTP proxies asked for, by their addresses.
type proxies struct {
	mu    sync.Mutex
	asked map[string]*challenge
}

// authorization is the value of Proxy-Authorization for a tunnel to a server, "" when the proxy has asked for nothing.
func (p *proxies) authorization(address, to string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.asked[address]
	if c == nil {
		return ""
	}
	if c.scheme == "basic" {
		return c.basic()
	}
	return c.next(http.MethodConnect, to, nil)
}

// ask notes what a proxy asks for; nil: nothing that can be answered. There are as many as settings name.
func (p *proxies) ask(address string, c *challenge) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked == nil {
		p.asked = map[string]*challenge{}
	}
	p.asked[address] = c
}

// openSOCKS opens a connection over a SOCKS5 proxy, with user name and password when there is a credential for it (RFC 1929).
func (h *HTTP) openSOCKS(ctx context.Context, direct dialer, u *url.URL, to string) (c net.Conn, err error) {
	var auth *proxy.Auth
	if a := h.deps.Accounts.ofSOCKS(u); a != nil {
		auth = &proxy.Auth{User: a.User, Password: a.password()}
	}
	// What is given back hides whether it is alive.
	d, err := proxy.SOCKS5("tcp", u.Host, auth, dialer(func(ctx context.Context, network, addr string) (_ net.Conn, err error) {
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

// maxTunnels is how often a proxy is asked for one connection: it may ask who it is, and call a nonce stale.
const maxTunnels = 3

// openTunnel opens a connection over an HTTP proxy.
func (h *HTTP) openTunnel(ctx context.Context, direct dialer, u *url.URL, to string) (net.Conn, error) {
	at, err := urlx.Parse("http://" + u.Host)
	if err != nil {
		return nil, err
	}
	space := func(c *challenge) space { return space{"proxy " + u.Host, c.params["realm"], c.of} }
	var answered *challenge
	for n := 1; ; n++ {
		c, err := direct(ctx, "tcp", u.Host)
		if err != nil {
			return nil, &proxyError{"unreachable", err}
		}
		head, err := tunnel(ctx, c, to, h.proxies.authorization(u.Host, to))
		if err == nil && head.Status >= 200 && head.Status < 300 {
			if answered != nil {
				h.standings.open(space(answered))
			}
			return c, nil
		}
		_ = c.Close() // the reason is why there is no tunnel
		switch {
		case err != nil:
			return nil, err
		case head.Status != http.StatusProxyAuthRequired:
			return nil, &proxyError{strconv.Itoa(head.Status), fmt.Errorf("it refuses to connect to %s: status %d", to, head.Status)}
		}
		var values []string
		for _, f := range head.Fields {
			if strings.EqualFold(f.Name, "Proxy-Authenticate") {
				values = append(values, f.Value)
			}
		}
		ask, vain := h.deps.Accounts.take(at, values, func(c *challenge) bool { return h.standings.resting(space(c), h.clk.Now()) })
		h.proxies.ask(u.Host, ask)
		switch {
		case ask != nil && n < maxTunnels && (answered == nil || ask.stale()):
			answered = ask
			continue
		case answered != nil:
			h.standings.refuse(space(answered), h.clk.Now())
			h.proxies.ask(u.Host, nil)
			vain = true
		}
		if vain {
			return nil, &proxyError{strconv.Itoa(head.Status), fmt.Errorf("it refuses the user name or password of the credential for it (status %d)", head.Status)}
		}
		return nil, &proxyError{strconv.Itoa(head.Status), fmt.Errorf("it asks for a user name and password (status %d), for which there is no [[credential]] with prefix %q, or asks in no way that can be answered", head.Status, "http://"+u.Host)}
	}
}

// tunnel asks an HTTP proxy for a connection to a server (RFC 9110 §9.3.6).
func tunnel(ctx context.Context, c net.Conn, to, auth string) (*record.Head, error) {
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	if end, ok := ctx.Deadline(); ok {
		if err := c.SetDeadline(end); err != nil {
			return nil, err
		}
	}
	if auth != "" {
		auth = "Proxy-Authorization: " + auth + "\r\n"
	}
	if _, err := fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", to, to, auth); err != nil {
		return nil, &proxyError{"broken", err}
	}
	answer, err := headOf(c)
	if err != nil {
		if ctx.Err() != nil { // which closed the connection
			err = ctx.Err()
		}
		return nil, &proxyError{"broken", err}
	}
	head := record.ParseHead(answer)
	if head.Status < 100 {
		return nil, &proxyError{"broken", errors.New("its answer is not HTTP")}
	}
	return &head, c.SetDeadline(time.Time{})
}

// ofSOCKS returns the account for a SOCKS proxy, nil for none.
func (a *Accounts) ofSOCKS(u *url.URL) *account {
	if a == nil {
		return nil
	}
	for _, c := range a.all {
		if c.part.surt == socksPart(u) && c.Login == "" {
			return c
		}
	}
	return nil
}

// socksPart is what the prefix of a credential for a SOCKS proxy means, which no web server's is.
func socksPart(u *url.URL) string { return "socks5://" + strings.ToLower(u.Host) }

// socksPrefix reads the prefix of a credential for a SOCKS proxy, "" for what is none.
func socksPrefix(prefix string) string {
	u, err := url.Parse(prefix)
	if err != nil || u.Scheme != "socks5" || u.User != nil || u.Hostname() == "" || u.Port() == "" || cmp.Or(u.Path, "/") != "/" || u.RawQuery != "" || strings.Contains(prefix, "#") {
		return ""
	}
	return socksPart(u)
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
