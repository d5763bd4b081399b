package resolve

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve answers DNS over UDP and TCP on one loopback port.
func serve(t testing.TB, h dns.HandlerFunc) string {
	t.Helper()
	var udp net.PacketConn
	var tcp net.Listener
	for range 20 { // the TCP port of the same number may be taken
		var err error
		if udp, err = net.ListenPacket("udp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		if tcp, err = net.Listen("tcp", udp.LocalAddr().String()); err == nil {
			break
		}
		_ = udp.Close()
	}
	if tcp == nil {
		t.Fatal("no port that is free for UDP and TCP")
	}
	for _, s := range []*dns.Server{{PacketConn: udp, Handler: h}, {Listener: tcp, Handler: h}} {
		started, ended := make(chan struct{}), make(chan struct{})
		s.NotifyStartedFunc = func() { close(started) }
		go func() {
			defer close(ended)
			_ = s.ActivateAndServe()
		}()
		<-started
		t.Cleanup(func() {
			_ = s.Shutdown()
			<-ended
		})
	}
	return udp.LocalAddr().String()
}

// zone answers from resource records in master file form.
func zone(t *testing.T, records string) dns.HandlerFunc {
	t.Helper()
	var rrs []dns.RR
	for p := dns.NewZoneParser(strings.NewReader(records), ".", ""); ; {
		rr, ok := p.Next()
		if !ok {
			if err := p.Err(); err != nil {
				t.Fatal(err)
			}
			break
		}
		rrs = append(rrs, rr)
	}
	return func(w dns.ResponseWriter, q *dns.Msg) {
		m := new(dns.Msg).SetReply(q)
		m.Rcode = dns.RcodeNameError
		name := q.Question[0].Name
		for range rrs { // follow aliases as a recursive server does
			target := name
			for _, rr := range rrs {
				if !strings.EqualFold(rr.Header().Name, name) {
					continue
				}
				m.Rcode = dns.RcodeSuccess
				if alias, ok := rr.(*dns.CNAME); ok {
					m.Answer = append(m.Answer, rr)
					target = alias.Target
				} else if rr.Header().Rrtype == q.Question[0].Qtype {
					m.Answer = append(m.Answer, rr)
				}
			}
			if target == name {
				break
			}
			name = target
		}
		_ = w.WriteMsg(m)
	}
}

// fail answers every question with a response code.
func fail(code int) dns.HandlerFunc {
	return func(w dns.ResponseWriter, q *dns.Msg) { _ = w.WriteMsg(new(dns.Msg).SetRcode(q, code)) }
}

func resolver(t *testing.T, change func(*Config), servers ...string) *Resolver {
	t.Helper()
	c := DefaultConfig()
	c.Servers = servers
	if change != nil {
		change(&c)
	}
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const testZone = `
a.cz.      3600 IN A     192.0.2.1
a.cz.      3600 IN A     192.0.2.2
a.cz.      3600 IN AAAA  2001:db8::1
six.cz.    3600 IN AAAA  2001:db8::6
www.cz.    7200 IN CNAME Alias.cz.
alias.cz.   900 IN CNAME a.cz.
short.cz.     1 IN A     192.0.2.3
long.cz. 999999 IN A     192.0.2.4
mapped.cz. 3600 IN AAAA  ::ffff:127.0.0.1
none.cz.   3600 IN MX    1 a.cz.
loop.cz.   3600 IN CNAME loop.cz.
dead.cz.   3600 IN CNAME nowhere.cz.
`

func TestLookup(t *testing.T) {
	server := serve(t, zone(t, testZone))
	cases := []struct {
		why, host string
		ipv6      bool
		addrs     []string
		ttl       time.Duration
	}{
		{"addresses in the server's order", "a.cz", false, []string{"192.0.2.1", "192.0.2.2"}, time.Hour},
		{"names have no case (RFC 4343)", "A.CZ", false, []string{"192.0.2.1", "192.0.2.2"}, time.Hour},
		{"rooted name", "a.cz.", false, []string{"192.0.2.1", "192.0.2.2"}, time.Hour},
		{"no IPv4 address", "six.cz", false, []string{"2001:db8::6"}, time.Hour},
		{"IPv6 preferred", "a.cz", true, []string{"2001:db8::1"}, time.Hour},
		{"IPv6 preferred, host without", "short.cz", true, []string{"192.0.2.3"}, 10 * time.Minute},
		{"aliases; the least lifetime of the chain", "www.cz", false, []string{"192.0.2.1", "192.0.2.2"}, 15 * time.Minute},
		{"lifetime below the minimum", "short.cz", false, []string{"192.0.2.3"}, 10 * time.Minute},
		{"lifetime above the maximum", "long.cz", false, []string{"192.0.2.4"}, 6 * time.Hour},
		{"loopback must not hide in IPv6", "mapped.cz", false, []string{"127.0.0.1"}, time.Hour},
		{"IPv4 literal", "192.0.2.9", false, []string{"192.0.2.9"}, 6 * time.Hour},
		{"IPv6 literal", "2001:db8::9", false, []string{"2001:db8::9"}, 6 * time.Hour},
	}
	for _, c := range cases {
		r := resolver(t, func(cfg *Config) { cfg.PreferIPv6 = c.ipv6 }, server)
		a, err := r.Lookup(t.Context(), c.host)
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		var got []string
		for _, addr := range a.Addrs {
			got = append(got, addr.String())
		}
		if !slices.Equal(got, c.addrs) || a.TTL != c.ttl || a.Host != c.host {
			t.Errorf("%s: %v for %v, want %v for %v", c.why, got, a.TTL, c.addrs, c.ttl)
		}
		if _, err := netip.ParseAddr(c.host); (err == nil) != (a.Server == "") || (err == nil) != (len(a.Text) == 0) {
			t.Errorf("%s: server %q, text %q", c.why, a.Server, a.Text)
		}
	}
}

// TestText: the body of dns: records, as Heritrix writes it (formats.md).
func TestText(t *testing.T) {
	a, err := resolver(t, nil, serve(t, zone(t, testZone))).Lookup(t.Context(), "www.cz")
	if err != nil {
		t.Fatal(err)
	}
	want := a.Asked.UTC().Format("20060102150405") + "\n" +
		"www.cz.\t7200\tIN\tCNAME\tAlias.cz.\nalias.cz.\t900\tIN\tCNAME\ta.cz.\n" +
		"a.cz.\t3600\tIN\tA\t192.0.2.1\na.cz.\t3600\tIN\tA\t192.0.2.2\n"
	if string(a.Text) != want {
		t.Errorf("got %q, want %q", a.Text, want)
	}
}

func TestLookupFails(t *testing.T) {
	good := serve(t, zone(t, testZone))
	cases := []struct {
		why, host string
		servers   []string
		class     Class
		permanent bool
	}{
		{"NXDOMAIN (RFC 8020: nothing below either)", "nowhere.cz", []string{good}, NotFound, true},
		{"name without addresses", "none.cz", []string{good}, NotFound, true},
		{"alias of a name that does not exist", "dead.cz", []string{good}, NotFound, true},
		{"alias of itself", "loop.cz", []string{good}, ServFail, false},
		{"label over 63 octets (RFC 1035 §2.3.4)", strings.Repeat("a", 64) + ".cz", []string{good}, Invalid, true},
		{"empty label", "a..cz", []string{good}, Invalid, true},
		{"no name", "", []string{good}, Invalid, true},
		{"SERVFAIL everywhere", "a.cz", []string{serve(t, fail(dns.RcodeServerFailure))}, ServFail, false},
		{"a server that refuses us", "a.cz", []string{serve(t, fail(dns.RcodeRefused))}, ServFail, false},
		{"an answer that is the question", "a.cz", []string{serve(t, func(w dns.ResponseWriter, q *dns.Msg) { _ = w.WriteMsg(q) })}, Malformed, false},
		{"an answer to another question", "a.cz", []string{serve(t, func(w dns.ResponseWriter, q *dns.Msg) {
			m := new(dns.Msg).SetReply(q)
			m.Question[0].Name = "evil.cz."
			_ = w.WriteMsg(m)
		})}, Malformed, false},
		{"shorter than a header", "a.cz", []string{serve(t, func(w dns.ResponseWriter, _ *dns.Msg) { _, _ = w.Write([]byte{1, 2, 3}) })}, Malformed, false},
		{"header that promises records", "a.cz", []string{serve(t, func(w dns.ResponseWriter, q *dns.Msg) {
			b, _ := new(dns.Msg).SetReply(q).Pack()
			b[7] = 200
			_, _ = w.Write(b)
		})}, Malformed, false},
	}
	for _, c := range cases {
		_, err := resolver(t, nil, c.servers...).Lookup(t.Context(), c.host)
		var e *Error
		if !errors.As(err, &e) || e.Class != c.class || e.Host != c.host || e.Class.Permanent() != c.permanent {
			t.Errorf("%s: got %v, want %v", c.why, err, c.class)
		}
	}
}

// silent takes a port where questions arrive and no answers leave.
func silent(t *testing.T) string {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c.LocalAddr().String()
}

func TestOtherServer(t *testing.T) {
	good := serve(t, zone(t, testZone))
	closed, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	for _, c := range []struct{ why, bad string }{
		{"a server failure is that server's", serve(t, fail(dns.RcodeServerFailure))},
		{"no answer", silent(t)},
		{"nobody listens", closed.LocalAddr().String()},
		{"garbage", serve(t, func(w dns.ResponseWriter, _ *dns.Msg) { _, _ = w.Write([]byte("garbage, but long enough")) })},
	} {
		r := resolver(t, func(c *Config) { c.Timeout = 2 * time.Second }, c.bad, good)
		for range 2 {
			a, err := r.Lookup(t.Context(), "a.cz")
			if err != nil || a.Server != good {
				t.Errorf("%s: %v", c.why, err)
			}
		}
		if r.good.Load() != 1 {
			t.Errorf("%s: the bad server would be asked first again", c.why)
		}
	}
}

func TestTimeout(t *testing.T) {
	var questions atomic.Int32
	server := serve(t, func(dns.ResponseWriter, *dns.Msg) { questions.Add(1) })
	r := resolver(t, func(c *Config) { c.Timeout, c.Attempts = 30*time.Millisecond, 3 }, server)
	_, err := r.Lookup(t.Context(), "a.cz")
	var e *Error
	if !errors.As(err, &e) || e.Class != Timeout || e.Server != server {
		t.Errorf("got %v, want a timeout", err)
	}
	if n := questions.Load(); n > 3*6 {
		t.Errorf("asked %d times, 3 are configured, of six packets each at most", n)
	}
}

// TestCancel: Ctrl-C must not wait for a DNS timeout.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan struct{})
	var once sync.Once
	server := serve(t, func(dns.ResponseWriter, *dns.Msg) { once.Do(func() { close(asked) }) })
	r := resolver(t, func(c *Config) { c.Timeout = time.Hour }, server)
	go func() {
		<-asked
		cancel()
	}()
	if _, err := r.Lookup(ctx, "a.cz"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

// TestTruncated: RFC 7766 §5, an answer that does not fit comes over TCP.
func TestTruncated(t *testing.T) {
	full := zone(t, testZone)
	var overTCP atomic.Bool
	server := serve(t, func(w dns.ResponseWriter, q *dns.Msg) {
		if _, ok := w.RemoteAddr().(*net.UDPAddr); ok {
			m := new(dns.Msg).SetReply(q)
			m.Truncated = true
			_ = w.WriteMsg(m)
			return
		}
		overTCP.Store(true)
		full(w, q)
	})
	a, err := resolver(t, nil, server).Lookup(t.Context(), "a.cz")
	if err != nil || len(a.Addrs) != 2 || !overTCP.Load() {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestNoEDNS: RFC 6891 §7, servers that do not know EDNS say FORMERR.
func TestNoEDNS(t *testing.T) {
	full := zone(t, testZone)
	server := serve(t, func(w dns.ResponseWriter, q *dns.Msg) {
		if q.IsEdns0() != nil {
			fail(dns.RcodeFormatError)(w, q)
			return
		}
		full(w, q)
	})
	if _, err := resolver(t, nil, server).Lookup(t.Context(), "a.cz"); err != nil {
		t.Error(err)
	}
}

// TestAliasAskedAgain: a server may send an alias without its target.
func TestAliasAskedAgain(t *testing.T) {
	full := zone(t, testZone)
	server := serve(t, func(w dns.ResponseWriter, q *dns.Msg) {
		if q.Question[0].Name != "www.cz." {
			full(w, q)
			return
		}
		m := new(dns.Msg).SetReply(q)
		m.Answer = append(m.Answer, &dns.CNAME{
			Hdr: dns.RR_Header{Name: "www.cz.", Rrtype: dns.TypeCNAME, Class: dns.ClassINET, Ttl: 3600}, Target: "a.cz.",
		})
		_ = w.WriteMsg(m)
	})
	a, err := resolver(t, nil, server).Lookup(t.Context(), "www.cz")
	if err != nil || len(a.Addrs) != 2 || strings.Count(string(a.Text), "\n") != 4 {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestManyAddresses: an answer must not fill the state.
func TestManyAddresses(t *testing.T) {
	server := serve(t, func(w dns.ResponseWriter, q *dns.Msg) {
		m := new(dns.Msg).SetReply(q)
		for i := range 60 {
			m.Answer = append(m.Answer, &dns.A{
				Hdr: dns.RR_Header{Name: q.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 60}, A: net.IPv4(192, 0, 2, byte(i)),
			})
		}
		_ = w.WriteMsg(m)
	})
	a, err := resolver(t, nil, server).Lookup(t.Context(), "a.cz")
	if err != nil || len(a.Addrs) != maxAddrs || strings.Count(string(a.Text), "\n") != 1+maxAddrs {
		t.Errorf("%d addresses, %v", len(a.Addrs), err)
	}
}

func TestConcurrent(t *testing.T) {
	r := resolver(t, nil, serve(t, zone(t, testZone)))
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if _, err := r.Lookup(t.Context(), "www.cz"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestConfig(t *testing.T) {
	cases := []struct {
		why    string
		change func(*Config)
		want   string // in the error, "" for none
	}{
		{"default", func(*Config) {}, ""},
		{"port left out", func(c *Config) { c.Servers = []string{"192.0.2.1", "2001:db8::1"} }, ""},
		{"a name needs a server to be found", func(c *Config) { c.Servers = []string{"dns.cz:53"} }, `"dns.cz:53"`},
		{"port 0", func(c *Config) { c.Servers = []string{"192.0.2.1:0"} }, `"192.0.2.1:0"`},
		{"no time", func(c *Config) { c.Timeout = 0 }, "timeout"},
		{"no attempt", func(c *Config) { c.Attempts = 0 }, "attempts"},
		{"crossed bounds", func(c *Config) { c.MinTTL = time.Hour; c.MaxTTL = time.Minute }, "min_ttl"},
	}
	for _, c := range cases {
		cfg := DefaultConfig()
		c.change(&cfg)
		err := cfg.Validate().Err("resolve")
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.why, err)
		}
	}
	bad := Config{Servers: []string{"x", "y"}}
	if problems := bad.Validate(); len(problems) != 5 {
		t.Errorf("every problem at once: %v", problems)
	}
	r, err := New(Config{Servers: []string{"192.0.2.1", "2001:db8::1"}, Timeout: 1, Attempts: 1, MinTTL: leastTTL, MaxTTL: leastTTL})
	if err != nil || !slices.Equal(r.servers, []string{"192.0.2.1:53", "[2001:db8::1]:53"}) {
		t.Errorf("%v, %v", r, err)
	}
	if _, err := os.Stat("/etc/resolv.conf"); err == nil {
		if r, err := New(DefaultConfig()); err == nil && len(r.servers) == 0 {
			t.Error("system servers: none, and no error")
		}
	}
}

// TestTruncatedOverTCP: RFC 2181 §9 has nothing behind TCP. What came is used and marked;
// without an address nothing is known, least of all that there is none.
func TestTruncatedOverTCP(t *testing.T) {
	records := zone(t, testZone)
	server := serve(t, func(w dns.ResponseWriter, q *dns.Msg) { records(cut{w}, q) })
	a, err := resolver(t, nil, server).Lookup(t.Context(), "a.cz")
	if err != nil || len(a.Addrs) != 2 || !a.Truncated {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err := resolver(t, nil, serve(t, records)).Lookup(t.Context(), "a.cz"); err != nil || a.Truncated {
		t.Errorf("whole: %+v, %v", a, err)
	}
	var e *Error
	if _, err := resolver(t, nil, server).Lookup(t.Context(), "none.cz"); !errors.As(err, &e) || e.Class != Malformed {
		t.Errorf("no address: %v", err)
	}
}

// cut marks every answer as truncated.
type cut struct{ dns.ResponseWriter }

func (c cut) WriteMsg(m *dns.Msg) error {
	m.Truncated = true
	return c.ResponseWriter.WriteMsg(m)
}

// FuzzMessage: what a hostile server sends as an answer ends as an answer within its
// bounds, or as an error.
func FuzzMessage(f *testing.F) {
	q := new(dns.Msg).SetQuestion("www.cz.", dns.TypeA)
	m := new(dns.Msg).SetReply(q)
	for _, s := range []string{"www.cz. 60 IN CNAME a.cz.", "a.cz. 60 IN A 192.0.2.1", "a.cz. 60 IN AAAA ::1", "a.cz. 60 IN TXT \"x\""} {
		rr, err := dns.NewRR(s)
		if err != nil {
			f.Fatal(err)
		}
		m.Answer = append(m.Answer, rr)
	}
	for _, compress := range []bool{false, true} {
		m.Compress = compress
		b, err := m.Pack()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		f.Add(b[:len(b)-3])
		f.Add(append(b[:12:12], "\xc0\x0c\xc0\x0c\x00\x01\x00\x01"...)) // a name that points to itself
	}
	r := &Resolver{cfg: DefaultConfig()}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 12 {
			return
		}
		msg, err := unpack(b, dns.Header{Ancount: uint16(b[6])<<8 | uint16(b[7])})
		if err != nil || check(msg, q) != nil {
			return
		}
		c := chain{name: "www.cz."}
		c.extend(msg.Answer)
		a := r.answer("www.cz", time.Time{}, &c)
		if len(a.Addrs) > maxAddrs || c.aliases > maxAliases+1 || a.TTL < r.cfg.MinTTL || a.TTL > r.cfg.MaxTTL {
			t.Fatalf("%d addresses, %d aliases, %v", len(a.Addrs), c.aliases, a.TTL)
		}
		if lines := strings.Count(string(a.Text), "\n"); lines != 1+len(c.records) {
			t.Fatalf("%d lines for %d records: %q", lines, len(c.records), a.Text)
		}
	})
}

func BenchmarkLookup(b *testing.B) {
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s := &dns.Server{PacketConn: pc, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		m := new(dns.Msg).SetReply(q)
		m.Answer = append(m.Answer, &dns.A{Hdr: dns.RR_Header{Name: q.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 60}, A: net.IPv4(192, 0, 2, 1)})
		_ = w.WriteMsg(m)
	})}
	started, ended := make(chan struct{}), make(chan struct{})
	s.NotifyStartedFunc = func() { close(started) }
	go func() {
		defer close(ended)
		_ = s.ActivateAndServe()
	}()
	<-started
	c := DefaultConfig()
	c.Servers = []string{pc.LocalAddr().String()}
	r, err := New(c)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Lookup(b.Context(), "a.cz"); err != nil {
			b.Fatal(err)
		}
	}
	_ = s.Shutdown()
	<-ended
}
