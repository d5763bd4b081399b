package testweb

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/miekg/dns"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t testing.TB, web Web, opts Options) (*Server, *http.Client) {
	t.Helper()
	s, err := Start(web, opts)
	if err != nil {
		t.Fatal(err)
	}
	c := s.Client()
	t.Cleanup(func() {
		c.CloseIdleConnections()
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s, c
}

func get(t testing.TB, c *http.Client, url string) (*http.Response, string) {
	t.Helper()
	resp, err := c.Get(url)
	if err != nil {
		t.Fatalf("GET %s: %v", url, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("GET %s: body: %v", url, err)
	}
	return resp, string(body)
}

func TestServesSitesUnderTheirNames(t *testing.T) {
	s, c := start(t, Tiny{
		"http://a.example/":       Text("plain"),
		"https://a.example/":      Text("secure"),
		"http://b.example/x?y=%2": Text("query as sent"),
		"http://b.example/moved":  Redirect(301, "http://a.example/"),
	}, Options{})
	cases := []struct {
		why, url, body string
		status         int
	}{
		{"plain HTTP", "http://a.example/", "plain", 200},
		{"the scheme is part of the key", "https://a.example/", "secure", 200},
		{"host names have no case", "http://A.Example/", "plain", 200},
		{"a query is compared byte for byte, even a broken one", "http://b.example/x?y=%2", "query as sent", 200},
		{"what nobody named", "http://b.example/none", "not found\n", 404},
		{"robots.txt is absent by default", "http://a.example/robots.txt", "not found\n", 404},
		{"a host nobody named is no part of the web", "http://c.example/", "no such host here: c.example\n", 421},
	}
	for _, tc := range cases {
		t.Run(tc.why, func(t *testing.T) {
			resp, body := get(t, c, tc.url)
			if resp.StatusCode != tc.status || body != tc.body {
				t.Errorf("%s: %d %q, want %d %q", tc.url, resp.StatusCode, body, tc.status, tc.body)
			}
		})
	}
	log := s.Log()
	if len(log) != len(cases) {
		t.Fatalf("log has %d hits, want %d", len(log), len(cases))
	}
	if h := log[3]; h.URL != "http://b.example/x?y=%2" || h.Host != "b.example" || h.Method != "GET" || h.Status != 200 ||
		h.Conn == 0 || h.End.Before(h.Start) || !strings.HasPrefix(h.UserAgent, "Go-http") {
		t.Errorf("hit = %+v", h)
	}
}

func TestSameRequestSameBytes(t *testing.T) {
	// A Date header would make the block digest of every crawl another one.
	s, _ := start(t, Tiny{"http://a.example/": National("/b")}, Options{})
	ask := func() string {
		c, err := net.Dial("tcp", s.HTTPAddr())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
		all, err := io.ReadAll(c)
		if err != nil {
			t.Fatal(err)
		}
		return string(all)
	}
	first := ask()
	if first != ask() || strings.Contains(first, "Date:") {
		t.Errorf("answers differ or have a date:\n%.300s", first)
	}
}

func TestKeepsConnectionAfterRawBytes(t *testing.T) {
	// Exact bytes and keep-alive together: design/libraries.md, "Exact bytes with net/http".
	page := Text("0123456789")
	s, c := start(t, Tiny{
		"http://a.example/chunked":  page.Chunked(3, "X-Sum: 1"),
		"http://a.example/plain":    page,
		"https://a.example/chunked": page.Chunked(4),
		"https://a.example/plain":   page,
	}, Options{})
	for _, url := range []string{"http://a.example/chunked", "http://a.example/plain", "http://a.example/chunked",
		"https://a.example/chunked", "https://a.example/plain"} {
		if _, body := get(t, c, url); body != page.Body {
			t.Errorf("%s: %q", url, body)
		}
	}
	log := s.Log()
	if log[0].Conn != log[1].Conn || log[1].Conn != log[2].Conn || log[3].Conn != log[4].Conn || log[2].Conn == log[3].Conn {
		t.Errorf("connections %d %d %d, TLS %d %d", log[0].Conn, log[1].Conn, log[2].Conn, log[3].Conn, log[4].Conn)
	}
	for i := 1; i < len(log); i++ {
		if log[i].Start.Before(log[i-1].End) {
			t.Errorf("request %d seems to overlap with the one before", i)
		}
	}
}

func TestPipelinedRequestIsNotLost(t *testing.T) {
	// A client may send the next request before the raw answer to the first.
	s, _ := start(t, Tiny{"http://a.example/": Text("x").Chunked(1)}, Options{})
	c, err := net.Dial("tcp", s.HTTPAddr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, strings.Repeat("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", 2))
	br := bufio.NewReader(c)
	for range 2 {
		resp, err := http.ReadResponse(br, nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "x" {
			t.Fatalf("%q %v", body, err)
		}
		resp.Body.Close()
	}
}

func TestRawAnswers(t *testing.T) {
	cases := []struct {
		why  string
		page Page
		want string // what a client without any HTTP sees
		err  error
		code int // in the log
	}{
		{"a header line without a colon", Page{Raw: "HTTP/1.1 200 OK\r\nbroken line\r\n\r\nbody"},
			"HTTP/1.1 200 OK\r\nbroken line\r\n\r\nbody", nil, 200},
		{"HTTP/0.9 has no status line", Page{Raw: "<html>old</html>"}, "<html>old</html>", nil, 0},
		{"informational answers come first", Page{Raw: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 404 No\r\n\r\n"},
			"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 404 No\r\n\r\n", nil, 404},
		{"ends before the declared length", Page{Raw: "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nshort"},
			"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nshort", nil, 200},
		{"connection reset", Page{Raw: "HTTP/1.1 200 OK\r\n", After: Reset}, "", syscall.ECONNRESET, 200},
		{"drips one byte at a time", Page{Raw: "HTTP/1.1 200 OK\r\n\r\nslow", Drip: 1, Every: time.Microsecond},
			"HTTP/1.1 200 OK\r\n\r\nslow", nil, 200},
		{"no length at all", Text("to the end").Unframed(),
			"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nto the end", nil, 200},
	}
	for _, tc := range cases {
		t.Run(tc.why, func(t *testing.T) {
			s, _ := start(t, Tiny{"http://a.example/": tc.page}, Options{})
			c, err := net.Dial("tcp", s.HTTPAddr())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
			got, err := io.ReadAll(c)
			if !errors.Is(err, tc.err) {
				t.Fatalf("read: %v, want %v", err, tc.err)
			}
			if tc.err == nil && string(got) != tc.want {
				t.Errorf("got %q\nwant %q", got, tc.want)
			}
			if h := s.Log()[0]; h.Status != tc.code {
				t.Errorf("logged status %d, want %d", h.Status, tc.code)
			}
		})
	}
}

// What a client sent before it went away is in the log once the server is drained, also where it was not read yet, and where the
// handler took the connection over.
func TestDrain(t *testing.T) {
	late := make(chan struct{})
	s, _ := start(t, slowTo{Tiny{"http://a.example/": Text("plain"), "http://a.example/cut": Page{Raw: "H", After: Reset}}, late}, Options{})
	const clients = 40
	for i := range clients {
		nc, err := net.Dial("tcp", s.HTTPAddr())
		if err != nil {
			t.Fatal(err)
		}
		path := [...]string{"/", "/cut"}[i%2]
		if _, err := io.WriteString(nc, "GET "+path+" HTTP/1.1\r\nHost: a.example\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if err := nc.Close(); err != nil {
			t.Fatal(err)
		}
	}
	drained := make(chan error)
	go func() { drained <- s.Drain(t.Context()) }()
	select {
	case err := <-drained:
		t.Errorf("drained while requests are answered: %v", err)
	case late <- struct{}{}: // one of them
		close(late)
		if err := <-drained; err != nil {
			t.Error(err)
		}
	}
	if log := s.Log(); len(log) != clients {
		t.Errorf("%d requests are in the log, %d were sent", len(log), clients)
	}
	ctx, cancel := context.WithCancel(t.Context())
	nc, err := net.Dial("tcp", s.HTTPAddr())
	if err != nil {
		t.Fatal(err)
	}
	go func() { drained <- s.Drain(ctx) }()
	cancel()
	if err := <-drained; !errors.Is(err, context.Canceled) {
		t.Errorf("drained with an open connection: %v", err)
	}
	_ = nc.Close()
}

// slowTo has every request wait for a value.
type slowTo struct {
	Web
	late <-chan struct{}
}

func (w slowTo) Host(name string) http.Handler {
	h := w.Web.Host(name)
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		<-w.late
		h.ServeHTTP(rw, r)
	})
}

func TestCloseCutsWhatHangs(t *testing.T) {
	// A page that never ends, and one that never begins, must not hold up a test.
	for _, page := range []Page{
		{Raw: "HTTP/1.1 200 OK\r\n\r\n", After: Hold},
		{Delay: time.Hour},
		{Body: "abc", Drip: 1, Every: time.Hour},
	} {
		arrived := make(chan struct{})
		s, err := Start(Hosts{"a.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			close(arrived)
			page.ServeHTTP(w, r)
		})}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial("tcp", s.HTTPAddr())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
		<-arrived
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		c.Close()
		if err := s.Close(); err != nil {
			t.Errorf("second Close: %v", err)
		}
	}
}

func TestDNS(t *testing.T) {
	s, _ := start(t, Tiny{"http://a.example/": {}, "http://b.example/": {}},
		Options{Addrs: map[string]netip.Addr{"b.example": netip.MustParseAddr("127.0.0.2")}})
	cases := []struct {
		why, name string
		qtype     uint16
		rcode     int
		want      string
	}{
		{"a host of the web", "a.example.", dns.TypeA, dns.RcodeSuccess, "127.0.0.1"},
		{"letter case is kept in the answer's name only", "A.EXAMPLE.", dns.TypeA, dns.RcodeSuccess, "127.0.0.1"},
		{"an address of its own", "b.example.", dns.TypeA, dns.RcodeSuccess, "127.0.0.2"},
		{"no IPv6: empty answer, not NXDOMAIN (RFC 4074)", "a.example.", dns.TypeAAAA, dns.RcodeSuccess, ""},
		{"unknown host", "c.example.", dns.TypeA, dns.RcodeNameError, ""},
	}
	for _, network := range []string{"udp", "tcp"} {
		for _, tc := range cases {
			t.Run(network+": "+tc.why, func(t *testing.T) {
				c := dns.Client{Net: network}
				m, _, err := c.Exchange(new(dns.Msg).SetQuestion(tc.name, tc.qtype), s.DNS())
				if err != nil {
					t.Fatal(err)
				}
				got := ""
				if len(m.Answer) == 1 {
					got = m.Answer[0].(*dns.A).A.String()
				}
				if m.Rcode != tc.rcode || got != tc.want {
					t.Errorf("%s: rcode %d, %q; want %d, %q", tc.name, m.Rcode, got, tc.rcode, tc.want)
				}
			})
		}
	}
	if n := len(s.Lookups()); n != 2*len(cases) {
		t.Errorf("%d lookups logged, want %d", n, 2*len(cases))
	}
}

func TestAddressesOfTheirOwn(t *testing.T) {
	// Politeness per address: systems.md, system 5, rule (b).
	s, c := start(t, Tiny{"http://a.example/": Text("a"), "http://b.example/": Text("b")},
		Options{Addrs: map[string]netip.Addr{"b.example": netip.MustParseAddr("127.0.0.9")}})
	to := s.ConnectTo()
	if !strings.HasPrefix(to["b.example:80"], "127.0.0.9:") || to["*:80"] != s.HTTPAddr() || to["*:443"] != s.HTTPSAddr() {
		t.Errorf("ConnectTo = %v", to)
	}
	if _, body := get(t, c, "http://b.example/"); body != "b" {
		t.Errorf("body %q", body)
	}
	if _, err := Start(Tiny{}, Options{Addrs: map[string]netip.Addr{"x": netip.MustParseAddr("192.0.2.1")}}); err == nil {
		t.Error("an address beyond loopback was accepted")
	}
}

func TestCertificates(t *testing.T) {
	s, _ := start(t, Tiny{"https://a.example/": Text("a")}, Options{})
	for _, tc := range []struct{ why, name string }{
		{"certificate for the name asked for", "a.example"},
		{"names without a site still get one: the error shall be HTTP's", "other.example"},
		{"no SNI: the address", "127.0.0.1"},
	} {
		t.Run(tc.why, func(t *testing.T) {
			d := tls.Dialer{Config: &tls.Config{RootCAs: s.ca.pool(), ServerName: tc.name, NextProtos: []string{"h2", "http/1.1"}}}
			c, err := d.DialContext(context.Background(), "tcp", s.HTTPSAddr())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if p := c.(*tls.Conn).ConnectionState().NegotiatedProtocol; p != "http/1.1" {
				t.Errorf("protocol %q", p)
			}
		})
	}
	file := t.TempDir() + "/ca.pem"
	if err := s.WriteCA(file); err != nil {
		t.Fatal(err)
	}
}
