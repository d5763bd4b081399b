package benchweb

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/miekg/dns"
)

// names is the DNS server.
type names struct {
	lookup   func(host string) (netip.Addr, bool)
	addr     string
	udp, tcp *dns.Server
	asked    atomic.Int64
	running  sync.WaitGroup
}

// lookup is where a host of the web is said to be: at 127.0.0.1, where the server
// listens; of a deep web anywhere in 127.0.0.0/8.
func (w *Web) lookup(host string) (netip.Addr, bool) {
	h, ok := w.index[host]
	switch {
	case ok && w.p.Deep:
		return w.address(h), true
	case !ok:
		if h, ok = w.farmOf(host); ok && w.p.Deep {
			return w.farmAddress(h), true
		}
	}
	return netip.AddrFrom4([4]byte{127, 0, 0, 1}), ok
}

func startNames(lookup func(string) (netip.Addr, bool)) (*names, error) {
	n := &names{lookup: lookup}
	var ready sync.WaitGroup
	for range 20 { // until a port is free for both
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		pc, err := net.ListenPacket("udp4", l.Addr().String())
		if err != nil {
			_ = l.Close() // the other one decides
			continue
		}
		n.addr = pc.LocalAddr().String()
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
	return nil, fmt.Errorf("no port is free for UDP and TCP")
}

// ServeDNS implements dns.Handler.
func (n *names) ServeDNS(to dns.ResponseWriter, q *dns.Msg) {
	n.asked.Add(1)
	m := new(dns.Msg).SetReply(q)
	m.Authoritative = true
	if len(q.Question) == 1 {
		question := q.Question[0]
		addr, known := n.lookup(strings.ToLower(strings.TrimSuffix(question.Name, ".")))
		switch {
		case !known:
			m.Rcode = dns.RcodeNameError
		case question.Qtype == dns.TypeA:
			m.Answer = []dns.RR{&dns.A{
				Hdr: dns.RR_Header{Name: question.Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 86400},
				A:   addr.AsSlice(),
			}}
		}
	}
	_ = to.WriteMsg(m) // the asker went away
}

func (n *names) close() error {
	err := n.udp.Shutdown()
	if e := n.tcp.Shutdown(); err == nil {
		err = e
	}
	n.running.Wait()
	return err
}

// certificate makes one that nobody has signed, for all hosts: crawlers accept
// what they find.
func certificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("benchweb: make key: %w", err)
	}
	now := time.Now()
	t := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "exclave bench"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(30 * 24 * time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, t, t, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("benchweb: sign certificate: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
