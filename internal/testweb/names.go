package testweb

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"

	"github.com/miekg/dns"
)

const nameTTL = 300 // seconds

// names is the DNS server of a web, on one loopback port by UDP and TCP.
type names struct {
	lookup   func(host string) (netip.Addr, bool)
	first    func(w dns.ResponseWriter, q *dns.Msg) bool // Options.Lookup
	addr     string
	udp, tcp *dns.Server
	running  sync.WaitGroup

	mu    sync.Mutex
	asked []string
}

func startNames(lookup func(string) (netip.Addr, bool), first func(dns.ResponseWriter, *dns.Msg) bool) (*names, error) {
	pc, l, err := listenBoth()
	if err != nil {
		return nil, err
	}
	n := &names{lookup: lookup, first: first, addr: pc.LocalAddr().String()}
	var ready sync.WaitGroup
	ready.Add(2)
	n.udp = &dns.Server{PacketConn: pc, Handler: n, NotifyStartedFunc: ready.Done}
	n.tcp = &dns.Server{Listener: l, Handler: n, NotifyStartedFunc: ready.Done}
	for _, s := range []*dns.Server{n.udp, n.tcp} {
		// The only error left after a listener was handed over is that of Shutdown.
		n.running.Go(func() { _ = s.ActivateAndServe() })
	}
	ready.Wait()
	return n, nil
}

// listenBoth finds a port that is free for UDP and TCP.
func listenBoth() (net.PacketConn, net.Listener, error) {
	var last error
	for range 20 {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return nil, nil, fmt.Errorf("testweb: listen for DNS: %w", err)
		}
		pc, err := net.ListenPacket("udp4", l.Addr().String())
		if err == nil {
			return pc, l, nil
		}
		last = err
		_ = l.Close()
	}
	return nil, nil, fmt.Errorf("testweb: listen for DNS: %w", last)
}

// ServeDNS answers A with the host's address, other types of a known host with
// nothing, and NXDOMAIN for the rest.
func (n *names) ServeDNS(w dns.ResponseWriter, q *dns.Msg) {
	if n.first != nil && n.first(w, q) {
		return
	}
	m := new(dns.Msg).SetReply(q)
	m.Authoritative = true
	if len(q.Question) == 1 {
		question := q.Question[0]
		host := strings.ToLower(strings.TrimSuffix(question.Name, "."))
		n.mu.Lock()
		n.asked = append(n.asked, host)
		n.mu.Unlock()
		addr, ok := n.lookup(host)
		switch {
		case !ok:
			m.Rcode = dns.RcodeNameError
		case question.Qtype == dns.TypeA || question.Qtype == dns.TypeANY:
			m.Answer = []dns.RR{&dns.A{
				Hdr: dns.RR_Header{Name: question.Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: nameTTL},
				A:   addr.AsSlice(),
			}}
		}
	}
	_ = w.WriteMsg(m) // the asker went away
}

func (n *names) close() error {
	err := n.udp.Shutdown()
	if e := n.tcp.Shutdown(); err == nil {
		err = e
	}
	n.running.Wait()
	return err
}
