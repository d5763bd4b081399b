package hostileweb

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"exclave/internal/testweb"

	"github.com/miekg/dns"
)

// Stats is what a server was asked for.
type Stats struct {
	Requests int `json:"requests"` // over HTTP, robots.txt among them
	Healthy  int `json:"healthy"`  // to healthy hosts, robots.txt left out
	Found    int `json:"found"`    // distinct addresses among them
	Hostile  int `json:"hostile"`  // what got a hostile answer; handshakes of TLS that fail among them
	Ordinary int `json:"ordinary"` // robots.txt and index pages that are as they should be
	Lookups  int `json:"lookups"`  // questions to the name server

	// FoundBySecond is how many of Found had been asked for at the end of each second from
	// the first request on.
	FoundBySecond []int          `json:"found_by_second,omitempty"`
	HostileByCase map[string]int `json:"hostile_by_case"`
}

// Server serves a web until Close.
type Server struct {
	web   *web
	inner *testweb.Server
	bad   map[string]net.Listener // of port 443, by host
	talks sync.WaitGroup

	mu    sync.Mutex
	stats Stats
	seen  map[string]struct{}
	first time.Time
	open  map[net.Conn]struct{} // of bad; nil when closed
}

// Start serves the web of p on loopback.
func Start(p Params) (*Server, error) {
	w, err := newWeb(p)
	if err != nil {
		return nil, err
	}
	s := &Server{web: w, bad: map[string]net.Listener{}, seen: map[string]struct{}{}, open: map[net.Conn]struct{}{},
		stats: Stats{HostileByCase: map[string]int{}}}
	addrs := make(map[string]netip.Addr, len(w.hosts))
	for _, h := range w.hosts {
		addrs[h.name] = h.addr
	}
	if s.inner, err = testweb.Start(testweb.Func(s.host), testweb.Options{Addrs: addrs, Lookup: s.lookup}); err != nil {
		return nil, err
	}
	for _, h := range w.hosts {
		if h.of == nil || h.of.secure == nil {
			continue
		}
		l, err := net.Listen("tcp4", netip.AddrPortFrom(h.addr, 0).String())
		if err != nil {
			return nil, errors.Join(fmt.Errorf("hostileweb: listen: %w", err), s.Close())
		}
		s.bad[h.name] = l
		s.talks.Go(func() { s.accept(l, h) })
	}
	return s, nil
}

func (s *Server) accept(l net.Listener, h host) {
	for {
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // a connection that died in the backlog
		}
		s.mu.Lock()
		if s.open == nil {
			s.mu.Unlock()
			_ = c.Close() // nobody is left to tell
			return
		}
		s.open[c] = struct{}{}
		s.count(h.of, hostile, "")
		s.mu.Unlock()
		s.talks.Go(func() {
			h.of.secure(c)
			s.mu.Lock()
			delete(s.open, c)
			s.mu.Unlock()
			_ = c.Close() // the client may have closed it already
		})
	}
}

// host implements testweb.Func.
func (s *Server) host(name string) http.Handler {
	h := s.web.byDNS[name]
	if h == nil {
		return nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler, k := s.web.find(h, r)
		s.mu.Lock()
		s.stats.Requests++
		s.count(h.of, k, h.name+r.URL.RequestURI())
		s.mu.Unlock()
		handler.ServeHTTP(w, r)
	})
}

// count notes a request. The caller holds mu.
func (s *Server) count(of *Case, k kind, url string) {
	now := time.Now()
	if s.first.IsZero() {
		s.first = now
	}
	switch k {
	case ordinary:
		s.stats.Ordinary++
	case hostile:
		s.stats.Hostile++
		s.stats.HostileByCase[of.Name]++
	case healthyURL:
		s.stats.Healthy++
		if _, known := s.seen[url]; known {
			return
		}
		s.seen[url] = struct{}{}
		s.stats.Found++
		s.fill(now)
		s.stats.FoundBySecond[len(s.stats.FoundBySecond)-1]++
	}
}

// fill carries FoundBySecond on to the second of now. The caller holds mu.
func (s *Server) fill(now time.Time) {
	for len(s.stats.FoundBySecond) <= int(now.Sub(s.first)/time.Second) {
		last := 0
		if n := len(s.stats.FoundBySecond); n > 0 {
			last = s.stats.FoundBySecond[n-1]
		}
		s.stats.FoundBySecond = append(s.stats.FoundBySecond, last)
	}
}

// lookup answers for the names of cases whose name is what is wrong.
func (s *Server) lookup(w dns.ResponseWriter, q *dns.Msg) (answered bool) {
	s.mu.Lock()
	s.stats.Lookups++
	s.mu.Unlock()
	if len(q.Question) != 1 {
		return false
	}
	h := s.web.byDNS[strings.ToLower(strings.TrimSuffix(q.Question[0].Name, "."))]
	if h == nil || h.of == nil || h.of.name == nil {
		return false
	}
	s.mu.Lock()
	s.count(h.of, hostile, "")
	s.mu.Unlock()
	_ = h.of.name(w, q) // the asker went away
	return true
}

// DNS returns the address of the name server, UDP and TCP.
func (s *Server) DNS() string { return s.inner.DNS() }

// ConnectTo maps "host:port" as URLs have it to the address that serves it.
func (s *Server) ConnectTo() map[string]string {
	m := s.inner.ConnectTo()
	for name, l := range s.bad {
		m[name+":443"] = l.Addr().String()
	}
	return m
}

// Seeds returns the first page of every host.
func (s *Server) Seeds() []string { return s.web.seeds() }

// Stats returns what was asked for so far.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stats
	st.FoundBySecond = append([]int(nil), st.FoundBySecond...)
	st.HostileByCase = make(map[string]int, len(s.stats.HostileByCase))
	for name, n := range s.stats.HostileByCase {
		st.HostileByCase[name] = n
	}
	return st
}

// Close cuts every connection and returns when nothing runs any more.
func (s *Server) Close() error {
	var errs []error
	for _, l := range s.bad {
		errs = append(errs, l.Close())
	}
	s.mu.Lock()
	for c := range s.open {
		_ = c.Close() // the client may have closed it already
	}
	s.open = nil
	s.mu.Unlock()
	s.talks.Wait()
	return errors.Join(append(errs, s.inner.Close())...)
}
