package testweb

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/miekg/dns"
)

// Options of [Start]; the zero value puts every host at 127.0.0.1.
type Options struct {
	// Addrs gives hosts an address of their own within 127.0.0.0/8; hosts that
	// are not named are at 127.0.0.1. The port is the same at every address.
	Addrs map[string]netip.Addr
	// Lookup is asked before the DNS server answers, by many goroutines at a time. When it
	// returns true it has answered itself, or has decided not to. nil: as usual.
	Lookup func(w dns.ResponseWriter, q *dns.Msg) bool
}

// Hit is one request as the server saw it.
type Hit struct {
	// Start is when the request had been read, End when the last bytes of the
	// answer were about to be sent; zero while it is being answered.
	Start, End time.Time
	Host       string // lower case, without port
	Method     string
	URL        string // absolute, path and query as sent
	UserAgent  string
	Conn       int64      // number of the connection, from 1
	Addr       netip.Addr // of ours, that the request came to
	Status     int        // 0 when no status line was sent
	RetryAfter string     // as sent
}

// Server serves one web until Close.
type Server struct {
	web         Web
	opts        Options
	ca          *authority
	dns         *names
	http        http.Server
	plain, tls  []*gate // first at 127.0.0.1
	stop        context.CancelFunc
	serving     sync.WaitGroup
	connNumbers atomic.Int64

	mu       sync.Mutex
	closed   bool
	handling sync.WaitGroup
	hits     []*Hit
}

// Start serves web on free ports of loopback addresses. Close ends it.
func Start(web Web, opts Options) (*Server, error) {
	ca, err := newAuthority()
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{web: web, opts: opts, ca: ca, stop: stop}
	s.http = http.Server{
		Handler:     http.HandlerFunc(s.serve),
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
		ErrorLog: log.New(io.Discard, "", 0), // broken clients are part of the tests
	}
	conf := &tls.Config{GetCertificate: ca.certificate, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12}
	if s.plain, err = s.listen(nil); err == nil {
		s.tls, err = s.listen(conf)
	}
	if err == nil {
		s.dns, err = startNames(s.lookup, opts.Lookup)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	for _, g := range append(append([]*gate{}, s.plain...), s.tls...) {
		// Serve returns only the error of Close.
		s.serving.Go(func() { _ = s.http.Serve(g) })
	}
	return s, nil
}

type connKey struct{}

// listen opens one port on every address in use, the same port on each.
func (s *Server) listen(conf *tls.Config) ([]*gate, error) {
	addrs := []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}
	seen := map[netip.Addr]bool{addrs[0]: true}
	for host, a := range s.opts.Addrs {
		if !a.Is4() || !a.IsLoopback() {
			return nil, fmt.Errorf("testweb: address of %s: %s is not in 127.0.0.0/8", host, a)
		}
		if !seen[a] {
			seen[a] = true
			addrs = append(addrs, a)
		}
	}
	var last error
	for range 20 {
		listeners, err := listenAll(addrs)
		if err != nil {
			last = err
			continue
		}
		gates := make([]*gate, len(listeners))
		for i, l := range listeners {
			gates[i] = newGate(l, conf, &s.connNumbers)
		}
		return gates, nil
	}
	return nil, fmt.Errorf("testweb: listen: %w", last)
}

func listenAll(addrs []netip.Addr) ([]net.Listener, error) {
	var all []net.Listener
	port := uint16(0)
	for _, a := range addrs {
		l, err := net.Listen("tcp4", netip.AddrPortFrom(a, port).String())
		if err != nil {
			for _, open := range all {
				_ = open.Close()
			}
			return nil, err
		}
		all = append(all, l)
		port = l.Addr().(*net.TCPAddr).AddrPort().Port()
	}
	return all, nil
}

func (s *Server) lookup(host string) (netip.Addr, bool) {
	if s.web.Host(host) == nil {
		return netip.Addr{}, false
	}
	if a, ok := s.opts.Addrs[host]; ok {
		return a, true
	}
	return netip.AddrFrom4([4]byte{127, 0, 0, 1}), true
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	c := r.Context().Value(connKey{}).(*conn)
	if t, ok := c.Conn.(*tls.Conn); ok {
		state := t.ConnectionState()
		r.TLS = &state
	}
	host := hostName(r.Host)
	hit := &Hit{Start: time.Now(), Host: host, Method: r.Method, URL: URL(r), UserAgent: r.UserAgent(), Conn: c.id}
	if a, err := netip.ParseAddrPort(c.LocalAddr().String()); err == nil {
		hit.Addr = a.Addr()
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.handling.Add(1)
	s.hits = append(s.hits, hit)
	s.mu.Unlock()
	defer s.handling.Done()
	a := &answer{ResponseWriter: w, server: s, hit: hit}
	defer a.finish()
	h := s.web.Host(host)
	if h == nil {
		http.Error(a, "no such host here: "+host, http.StatusMisdirectedRequest)
		return
	}
	h.ServeHTTP(a, r)
}

// answer notes the status that a handler sends.
type answer struct {
	http.ResponseWriter
	server *Server
	hit    *Hit
	taken  bool      // hijacked: the status line is the handler's own
	wrote  time.Time // when the last piece of the body was about to be written
}

// Unwrap lets http.ResponseController reach what the server gave us.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *answer) WriteHeader(status int) {
	if status >= 200 {
		a.note(status)
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(p []byte) (int, error) {
	a.note(http.StatusOK)
	a.wrote = time.Now()
	return a.ResponseWriter.Write(p)
}

func (a *answer) note(status int) {
	a.server.mu.Lock()
	defer a.server.mu.Unlock()
	if a.hit.Status == 0 {
		a.hit.Status, a.hit.RetryAfter = status, a.Header().Get("Retry-After")
	}
}

// finish notes the end of an answer once, when its last bytes had not left: the client's next
// request never seems to come too soon after this one. What is left in the server's buffers leaves
// later; what is too large for them left with the last Write.
func (a *answer) finish() {
	if !a.taken {
		a.note(http.StatusOK)
	}
	a.server.mu.Lock()
	defer a.server.mu.Unlock()
	if a.hit.End.IsZero() {
		a.hit.End = time.Now()
		if !a.wrote.IsZero() {
			a.hit.End = a.wrote
		}
	}
}

// DNS returns the address of the DNS server, "127.0.0.1:5353", UDP and TCP.
func (s *Server) DNS() string { return s.dns.addr }

// HTTPAddr returns the address of the plain port at 127.0.0.1.
func (s *Server) HTTPAddr() string { return s.plain[0].Addr().String() }

// HTTPSAddr returns the address of the TLS port at 127.0.0.1.
func (s *Server) HTTPSAddr() string { return s.tls[0].Addr().String() }

// ConnectTo maps "host:port" as URLs have it to the address that serves it:
// "*:80" and "*:443" for every host, and entries of their own, which go first,
// for hosts of Options.Addrs.
func (s *Server) ConnectTo() map[string]string {
	m := map[string]string{"*:80": s.HTTPAddr(), "*:443": s.HTTPSAddr()}
	for host, a := range s.opts.Addrs {
		m[host+":80"] = netip.AddrPortFrom(a, port(s.plain[0])).String()
		m[host+":443"] = netip.AddrPortFrom(a, port(s.tls[0])).String()
	}
	return m
}

func port(g *gate) uint16 { return g.Addr().(*net.TCPAddr).AddrPort().Port() }

// CACert returns the certificate that signs all others, in PEM.
func (s *Server) CACert() []byte { return s.ca.pem() }

// WriteCA writes the certificate of CACert to a file.
func (s *Server) WriteCA(path string) error {
	if err := os.WriteFile(path, s.CACert(), 0o644); err != nil {
		return fmt.Errorf("testweb: write root certificate: %w", err)
	}
	return nil
}

// Log returns the requests so far, in the order in which they came.
func (s *Server) Log() []Hit {
	s.mu.Lock()
	defer s.mu.Unlock()
	hits := make([]Hit, len(s.hits))
	for i, h := range s.hits {
		hits[i] = *h
	}
	return hits
}

// Lookups returns the names the DNS server was asked for, in order, one entry
// per question.
func (s *Server) Lookups() []string {
	s.dns.mu.Lock()
	defer s.dns.mu.Unlock()
	return append([]string(nil), s.dns.asked...)
}

// Client returns an HTTP client that sees the web as a browser would: names go
// to the server, its certificates are trusted. It does not follow redirects
// and does not decode bodies. The caller closes its idle connections.
func (s *Server) Client() *http.Client {
	to := s.ConnectTo()
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DisableCompression: true,
			TLSClientConfig:    &tls.Config{RootCAs: s.ca.pool(), MinVersion: tls.VersionTLS12},
			DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
				_, p, err := net.SplitHostPort(addr)
				if err != nil {
					return nil, err
				}
				target, ok := to[addr]
				if !ok {
					target = to["*:"+p]
				}
				return new(net.Dialer).DialContext(ctx, network, target)
			},
		},
	}
}

// Drain returns when every connection that was made before is closed: then the log has all that a client sent that is there no
// more. It is not for clients that keep connections open, nor for pages that [Hold] one; an error is that of ctx, or the network's.
func (s *Server) Drain(ctx context.Context) error {
	for _, g := range slices.Concat(s.plain, s.tls) {
		if err := g.drain(ctx); err != nil {
			return fmt.Errorf("testweb: drain %s: %w", g.Addr(), err)
		}
	}
	return nil
}

// Close cuts every connection and returns when nothing runs any more. A second
// call does nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	s.stop()
	var errs []error
	gates := append(append([]*gate{}, s.plain...), s.tls...)
	for _, g := range gates {
		errs = append(errs, g.Close())
	}
	for _, g := range gates {
		g.closeConns()
	}
	_ = s.http.Close() // its listeners and connections are closed already
	if s.dns != nil {
		errs = append(errs, s.dns.close())
	}
	s.serving.Wait()
	s.handling.Wait()
	return errors.Join(errs...)
}
