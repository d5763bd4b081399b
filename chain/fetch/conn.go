package fetch

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"exclave/crawl"
	"exclave/internal/urlx"
)

// maxAddrs is how many addresses of a host are tried.
const maxAddrs = 4

// place is where a request goes: the key of the pool.
type place struct {
	scheme, authority string // authority is host:port
	route             route
}

// conn is a connection to a server.
type conn struct {
	net.Conn // TLS on top, when there is TLS
	place    place
	addr     netip.Addr
	br       *bufio.Reader // nil while idle
	head     []byte        // for the header of an answer
	notes    []string      // what is wrong with the certificate
	tls      string        // version, "tls/1.3"; "" without
	suite    string        // of TLS
	pace     pace
	reused   bool
}

// failure is why an exchange came to no answer.
type failure struct {
	status crawl.Status
	notes  []string
	err    error
}

func (f *failure) Error() string { return fmt.Sprintf("status %d: %v", f.status, f.err) }
func (f *failure) Unwrap() error { return f.err }

var errRefused = errors.New("address is not public or refused, or its port no web server's; the settings allow and refuse say what may be contacted")

// dial opens a connection to the first address that answers.
func (h *HTTP) dial(ctx context.Context, u *urlx.URL, until, headerEnd time.Time, q ask) (*conn, error) {
	addrs, err := h.addresses(ctx, u, q.lookup)
	if err != nil {
		return nil, err
	}
	var last error
	refused := notRefused
	for _, a := range addrs[:min(len(addrs), maxAddrs)] {
		if why := h.guard.check(a); why != notRefused && (why != notePort || u.IsWeb() || u.Port() != "") { // FTP has its own port
			h.warnRefused(u, q, a, why)
			refused = why
			continue
		}
		c, err := h.connect(ctx, u, a, until, headerEnd, q.route)
		if err == nil {
			return c, nil
		}
		if last = err; ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if last == nil && refused != notRefused {
		return nil, &failure{crawl.StatusUnfetchable, []string{string(refused)}, errRefused}
	}
	return nil, last
}

func (h *HTTP) warnRefused(u *urlx.URL, q ask, a netip.AddrPort, why refusal) {
	url := u.String()
	if q.secret {
		url = u.Origin()
	}
	h.refusedOnce.Do(func() {
		h.log.Warn("an address was not contacted: it is not public, refused, or its port is no web server's; the settings allow and refuse of the HTTP section say what may be contacted; further ones are only annotated",
			"url", url, "address", a.String(), "why", why)
	})
}

// addresses returns where to connect to: connect_to, an IP literal, or facts.
func (h *HTTP) addresses(ctx context.Context, u *urlx.URL, lookup lookupFunc) ([]netip.AddrPort, error) {
	to, ok := h.connectTo[u.Authority()]
	if !ok {
		to, ok = h.connectTo["*:"+u.EffectivePort()]
	}
	if ok {
		return []netip.AddrPort{to}, nil
	}
	var addrs []netip.Addr
	if a, ok := u.Addr(); ok {
		addrs = []netip.Addr{a}
	} else {
		var err error
		if addrs, err = lookup(ctx, u.Hostname()); err != nil {
			return nil, err
		}
	}
	if len(addrs) == 0 {
		return nil, &failure{crawl.StatusDNSPrereqFailed, nil, errors.New("host has no known address")}
	}
	port, err := netip.ParseAddrPort("0.0.0.0:" + u.EffectivePort())
	if err != nil {
		return nil, &failure{crawl.StatusUnfetchable, nil, err}
	}
	out := make([]netip.AddrPort, len(addrs))
	for i, a := range addrs {
		out[i] = netip.AddrPortFrom(a, port.Port())
	}
	return out, nil
}

// connect opens one connection, with TLS when the scheme asks for it.
func (h *HTTP) connect(ctx context.Context, u *urlx.URL, to netip.AddrPort, until, headerEnd time.Time, r route) (*conn, error) {
	c := &conn{place: placeOf(u, r), addr: to.Addr().Unmap(), pace: pace{socket: h.cfg.SocketTimeout, least: h.cfg.LeastRate, lane: h.slowLane}}
	c.pace.begin(until, headerEnd)
	open, cancel := context.WithDeadline(ctx, c.pace.deadline())
	raw, err := h.open(open, r, to.String())
	cancel()
	if err != nil {
		return nil, &failure{crawl.StatusConnectFailed, h.proxyFailed(ctx, r, err), err}
	}
	c.Conn = pacedConn{raw, &c.pace}
	if u.Scheme() == "https" {
		if err := h.handshake(ctx, c, u.Hostname()); err != nil {
			c.pace.end()
			_ = raw.Close() // the handshake's error is the reason
			return nil, err
		}
	}
	h.pool.equip(c)
	return c, nil
}

func placeOf(u *urlx.URL, r route) place { return place{u.Scheme(), u.Authority(), r} }

func (h *HTTP) handshake(ctx context.Context, c *conn, host string) error {
	host = strings.TrimSuffix(host, ".")
	conf := h.tls.Clone()
	conf.ServerName = host
	t := tls.Client(c.Conn, conf)
	if err := t.SetWriteDeadline(c.pace.deadline()); err != nil {
		return &failure{crawl.StatusConnectFailed, nil, err}
	}
	if err := t.HandshakeContext(ctx); err != nil {
		notes := []string{"tls:failed"}
		if slow := slowNote(err); slow != "" {
			notes = append(notes, slow)
		}
		return &failure{crawl.StatusConnectFailed, notes, err}
	}
	c.Conn = t
	state := t.ConnectionState()
	c.notes = h.judge(state, host)
	c.tls, c.suite = strings.ReplaceAll(strings.ToLower(tls.VersionName(state.Version)), " ", "/"), tls.CipherSuiteName(state.CipherSuite)
	if h.cfg.Certificates == VerifyCertificates && len(c.notes) > 0 {
		return &failure{crawl.StatusConnectFailed, c.notes, errors.New("certificate refused")}
	}
	return nil
}

// tlsConfig accepts what old servers still speak: to archive a page is not to
// trust it. Certificates are judged after the handshake. What of it is a setting of
// the whole program is in go.mod. No post-quantum key is offered: with it the first
// message is longer than a packet, which some servers and firewalls never answer.
func tlsConfig() *tls.Config {
	conf := &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, NextProtos: []string{"http/1.1"},
		CurvePreferences: []tls.CurveID{tls.X25519, tls.CurveP256, tls.CurveP384, tls.CurveP521}}
	for _, s := range append(tls.CipherSuites(), tls.InsecureCipherSuites()...) {
		conf.CipherSuites = append(conf.CipherSuites, s.ID)
	}
	return conf
}

// judge returns what is wrong with the server's certificate.
func (h *HTTP) judge(state tls.ConnectionState, host string) []string {
	certs := state.PeerCertificates
	if len(certs) == 0 {
		return []string{"tls:invalid"}
	}
	opts := x509.VerifyOptions{Roots: h.roots, Intermediates: x509.NewCertPool(), CurrentTime: h.clk.Now()}
	for _, c := range certs[1:] {
		opts.Intermediates.AddCert(c)
	}
	var notes []string
	if _, err := certs[0].Verify(opts); err != nil {
		var invalid x509.CertificateInvalidError
		var unknown x509.UnknownAuthorityError
		switch {
		case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
			notes = append(notes, "tls:expired")
		case errors.As(err, &unknown):
			notes = append(notes, "tls:untrusted")
		default:
			notes = append(notes, "tls:invalid")
		}
	}
	if certs[0].VerifyHostname(host) != nil {
		notes = append(notes, "tls:hostname")
	}
	return notes
}

// roots returns the system's authorities and those of the files.
func roots(files []string) (*x509.CertPool, error) {
	if len(files) == 0 {
		return nil, nil // the system's, loaded when first needed
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool() // a machine without any
	}
	for _, f := range files {
		pem, err := os.ReadFile(f)
		if err != nil {
			return nil, fmt.Errorf("fetch: root_certificates: %w", err)
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("fetch: root_certificates: %s: has no certificate", f)
		}
	}
	return pool, nil
}
