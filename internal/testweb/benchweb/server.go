package benchweb

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
)

// Server serves a web on loopback. It reads HTTP with a loop of its own: what it
// costs is charged to whoever measures a crawler on the same machine.
type Server struct {
	web    *Web
	plain  net.Listener
	secure net.Listener
	dns    *names
	stop   chan struct{}
	bodies sync.Pool

	counts     []atomic.Uint32 // GET requests, by number of the resource
	requests   atomic.Int64
	responses  atomic.Int64
	bytes      atomic.Int64
	robots     atomic.Int64
	traps      map[string]*atomic.Int64 // by kind
	unknown    atomic.Int64
	unmodified atomic.Int64
	own        atomic.Int64
	conns      atomic.Int64
	serving    sync.WaitGroup
	mu         sync.Mutex
	closed     bool
	open       map[net.Conn]struct{}
	unknownURL []string // the first
}

// maxUnknown is how many addresses that do not exist are remembered.
const maxUnknown = 100

// Stats is what a server was asked for.
type Stats struct {
	Requests    int64    `json:"requests"`
	Responses   int64    `json:"responses"` // sent to their last byte
	Bytes       int64    `json:"bytes"`     // of the answers, headers included
	Connections int64    `json:"connections"`
	Lookups     int64    `json:"lookups"`    // questions to the DNS server
	Robots      int64    `json:"robots"`     // requests for robots.txt
	Traps       int64    `json:"traps"`      // requests for pages without end, robots.txt of link farms among them
	Own         int64    `json:"own"`        // requests to hosts of the nation's own domain, of a deep web
	Unmodified  int64    `json:"unmodified"` // answers with status 304
	Unknown     int64    `json:"unknown"`    // requests for what does not exist
	UnknownURLs []string `json:"unknown_urls"`
	// TrapsByKind are Traps of each kind that was asked for.
	TrapsByKind map[string]int64 `json:"traps_by_kind,omitempty"`
}

// Start serves web on free ports of 127.0.0.1 until Close.
func Start(web *Web) (*Server, error) {
	s := &Server{web: web, stop: make(chan struct{}), counts: make([]atomic.Uint32, web.p.Resources), open: map[net.Conn]struct{}{},
		traps: map[string]*atomic.Int64{}}
	for _, kind := range TrapKinds() {
		s.traps[kind] = new(atomic.Int64)
	}
	s.bodies.New = func() any { return new(work) }
	cert, err := certificate()
	if err != nil {
		return nil, err
	}
	if s.plain, err = net.Listen("tcp4", "127.0.0.1:0"); err == nil {
		s.secure, err = net.Listen("tcp4", "127.0.0.1:0")
	}
	if err == nil {
		s.dns, err = startNames(web.lookup)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("benchweb: listen: %w", err), s.Close())
	}
	conf := &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12}
	s.serving.Go(func() { s.accept(s.plain, nil) })
	s.serving.Go(func() { s.accept(s.secure, conf) })
	return s, nil
}

func (s *Server) accept(l net.Listener, conf *tls.Config) {
	for {
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // a connection that died in the backlog
		}
		s.conns.Add(1)
		if conf != nil {
			c = tls.Server(c, conf)
		}
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			_ = c.Close() // nobody is left to tell
			return
		}
		s.open[c] = struct{}{}
		s.mu.Unlock()
		s.serving.Go(func() {
			s.serve(c, conf != nil)
			s.mu.Lock()
			delete(s.open, c)
			s.mu.Unlock()
			_ = c.Close() // the client may have closed it already
		})
	}
}

// HTTPAddr returns the address of the port for plain HTTP.
func (s *Server) HTTPAddr() string { return s.plain.Addr().String() }

// HTTPSAddr returns the address of the TLS port; its certificate is signed by nobody.
func (s *Server) HTTPSAddr() string { return s.secure.Addr().String() }

// DNS returns the address of the DNS server, UDP and TCP.
func (s *Server) DNS() string { return s.dns.addr }

// Stats returns what was asked for so far.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Stats{Requests: s.requests.Load(), Responses: s.responses.Load(), Bytes: s.bytes.Load(), Connections: s.conns.Load(),
		Lookups: s.dns.asked.Load(), Robots: s.robots.Load(), Own: s.own.Load(), Unmodified: s.unmodified.Load(), Unknown: s.unknown.Load(),
		UnknownURLs: slices.Clone(s.unknownURL), TrapsByKind: map[string]int64{}}
	for kind, n := range s.traps {
		if n := n.Load(); n > 0 {
			st.TrapsByKind[kind] = n
			st.Traps += n
		}
	}
	return st
}

// Counts returns how often each resource was asked for, by number, at most 255.
func (s *Server) Counts() []byte {
	b := make([]byte, len(s.counts))
	for i := range s.counts {
		b[i] = byte(min(s.counts[i].Load(), 255))
	}
	return b
}

func (s *Server) noteUnknown(url string) {
	s.unknown.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.unknownURL) < maxUnknown && !slices.Contains(s.unknownURL, url) {
		s.unknownURL = append(s.unknownURL, url)
	}
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
	close(s.stop)
	for c := range s.open {
		_ = c.Close() // the client may have closed it already
	}
	s.mu.Unlock()
	var errs []error
	for _, l := range []net.Listener{s.plain, s.secure} {
		if l != nil {
			errs = append(errs, l.Close())
		}
	}
	if s.dns != nil {
		errs = append(errs, s.dns.close())
	}
	s.serving.Wait()
	return errors.Join(errs...)
}
