package fetch

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/sheet"
	"exclave/internal/testweb"
)

// proxyServer speaks SOCKS5 (RFC 1928) or HTTP CONNECT, and counts its connections.
type proxyServer struct {
	net.Listener
	used atomic.Int64
}

func startProxy(t *testing.T, accept func(net.Conn) (to string, err error)) *proxyServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxyServer{Listener: l}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				to, err := accept(c)
				if err != nil {
					return
				}
				s, err := net.Dial("tcp", to)
				if err != nil {
					return
				}
				defer s.Close()
				p.used.Add(1)
				go func() { _, _ = io.Copy(s, c); _ = s.Close() }()
				_, _ = io.Copy(c, s)
			}()
		}
	}()
	return p
}

func socks(c net.Conn) (string, error) {
	b := make([]byte, 10)
	if _, err := io.ReadFull(c, b[:2]); err != nil {
		return "", err
	}
	if _, err := io.ReadFull(c, make([]byte, b[1])); err != nil {
		return "", err
	}
	if _, err := c.Write([]byte{5, 0}); err != nil {
		return "", err
	}
	return socksRequest(c)
}

// socksRequest reads where a client that may use the proxy wants to go.
func socksRequest(c net.Conn) (string, error) {
	b := make([]byte, 10)
	if _, err := io.ReadFull(c, b); err != nil {
		return "", err
	}
	if b[3] != 1 {
		return "", errors.New("no IPv4 address")
	}
	_, err := c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[4:8])), binary.BigEndian.Uint16(b[8:])).String(), err
}

func connect(c net.Conn) (string, error) {
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return "", err
	}
	if r.Method != http.MethodConnect {
		return "", errors.New("no CONNECT")
	}
	_, err = io.WriteString(c, "HTTP/1.1 200 Yes\r\nVia: x\r\n\r\n")
	return r.RequestURI, err
}

func refuse(c net.Conn) (string, error) {
	_, err := io.WriteString(c, "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
	return "", errors.Join(errors.New("refused"), err)
}

// http and https pages come through a proxy as they come without one; a sheet chooses another one, or none.
func TestProxies(t *testing.T) {
	s := serve(t, testweb.Tiny{"http://a.example/": testweb.Text("plain"), "https://a.example/": testweb.Text("secret")})
	for name, accept := range map[string]func(net.Conn) (string, error){"socks5": socks, "http": connect} {
		p := startProxy(t, accept)
		h := client(t, s, func(c *Config, _ *Deps) { c.Proxy = name + "://" + p.Addr().String() })
		direct := sheet.Direct
		for i, url := range []string{"http://a.example/", "https://a.example/", "http://a.example/", "https://a.example/", "http://a.example/"} {
			u := page(url)
			if i == 4 {
				u.Sheet = &sheet.Settings{HTTP: sheet.HTTP{Proxy: &direct}}
			}
			process(t, h, u)
			if u.Status != 200 || received(t, u) == "" || strings.Contains(sent(t, u), "CONNECT") || strings.Contains(received(t, u), "Via") || !u.Addr.IsLoopback() {
				t.Errorf("%s, %s: status %d from %v\n%s", name, url, u.Status, u.Addr, received(t, u))
			}
		}
		if p.used.Load() != 2 { // which are used again
			t.Errorf("%s: %d connections", name, p.used.Load())
		}
	}
	no := startProxy(t, refuse)
	var said strings.Builder
	h := client(t, s, func(c *Config, d *Deps) {
		c.Proxy, d.Log = "http://"+no.Addr().String(), slog.New(slog.NewTextHandler(&said, nil))
	})
	for range 2 { // who has mistaken the proxy is told so, once
		u := page("http://a.example/")
		if process(t, h, u); u.Status != crawl.StatusConnectFailed || !slices.Contains(u.Annotations, "proxy:failed:403") {
			t.Errorf("a proxy that refuses: status %d, %v", u.Status, u.Annotations)
		}
	}
	if strings.Count(said.String(), "no connection through a proxy") != 1 {
		t.Errorf("it is said: %s", said.String())
	}
}

// Every page that fails because of a proxy says why, not the first alone: no connection to it, what it answered, what SOCKS says.
func TestProxyFailures(t *testing.T) {
	s := serve(t, testweb.Tiny{"http://a.example/": testweb.Text("plain")})
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = gone.Close()
	answers := func(asked int, text string) func(net.Conn) (string, error) {
		return func(c net.Conn) (string, error) {
			_, err := io.ReadFull(c, make([]byte, asked))
			_, werr := io.WriteString(c, text)
			return "", errors.Join(errors.New("refused"), err, werr)
		}
	}
	socks := func(reply string) func(net.Conn) (string, error) {
		return func(c net.Conn) (string, error) {
			_, err := answers(3, "\x05\x00")(c)
			if _, rerr := io.ReadFull(c, make([]byte, 10)); rerr != nil {
				return "", rerr
			}
			_, werr := io.WriteString(c, "\x05"+reply+"\x00\x01\x00\x00\x00\x00\x00\x00")
			return "", errors.Join(err, werr)
		}
	}
	silent := func(c net.Conn) (string, error) {
		_, err := io.Copy(io.Discard, c)
		return "", errors.Join(errors.New("silent"), err)
	}
	for _, c := range []struct {
		scheme string
		accept func(net.Conn) (string, error) // nil: nobody listens
		want   string
	}{
		{"http", nil, "unreachable"},
		{"socks5", nil, "unreachable"},
		{"http", answers(1, "HTTP/1.1 407 Who?\r\n\r\n"), "407"},
		{"http", answers(1, "HTTP/1.1 502 Bad Gateway\r\n\r\n"), "502"},
		{"http", answers(1, "SSH-2.0-x\r\n\r\n"), "broken"},
		{"http", answers(1, ""), "broken"},
		{"http", silent, "timeout"},
		{"socks5", silent, "timeout"},
		{"socks5", answers(3, "\x05\xff"), "socks:authentication"},
		{"socks5", socks("\x01"), "socks:failure"},
		{"socks5", socks("\x02"), "socks:not-allowed"},
		{"socks5", socks("\x04"), "socks:host-unreachable"},
		{"socks5", socks("\x05"), "socks:refused"},
		{"socks5", answers(3, "HTTP/1.1 400\r\n\r\n"), "broken"},
	} {
		at := gone.Addr().String()
		if c.accept != nil {
			at = startProxy(t, c.accept).Addr().String()
		}
		h := client(t, s, func(o *Config, _ *Deps) { o.Proxy, o.SocketTimeout = c.scheme+"://"+at, 300*time.Millisecond })
		for range 2 {
			u := page("http://a.example/")
			if process(t, h, u); u.Status != crawl.StatusConnectFailed || !slices.Equal(u.Annotations, []string{"proxy:failed:" + c.want}) {
				t.Errorf("%s, %s: status %d, %v", c.scheme, c.want, u.Status, u.Annotations)
			}
		}
	}
}

func TestSourceAddress(t *testing.T) {
	from := make(chan string, 2)
	s := serve(t, handlers{"a.example": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { from <- r.RemoteAddr })})
	h := client(t, s, func(c *Config, _ *Deps) { c.SourceAddress = "127.0.0.3" })
	process(t, h, page("http://a.example/"))
	other := "127.0.0.4"
	u := page("http://a.example/")
	u.Sheet = &sheet.Settings{HTTP: sheet.HTTP{SourceAddress: &other}}
	process(t, h, u)
	for _, want := range []string{"127.0.0.3:", other + ":"} {
		if got := <-from; !strings.HasPrefix(got, want) {
			t.Errorf("from %s, want %s", got, want)
		}
	}
}

func TestRates(t *testing.T) {
	now := time.Unix(1000, 0)
	b := &bucket{rate: 1000}
	var waited time.Duration
	for range 100 { // 100 times 100 bytes at 1000 a second
		d := b.take(100, now)
		waited += d
		now = now.Add(d)
	}
	if waited < 9500*time.Millisecond || waited > 10*time.Second {
		t.Errorf("10,000 bytes waited for %v", waited)
	}
	if d := b.take(100, now.Add(time.Hour)); d != 0 {
		t.Errorf("after an hour: %v", d)
	}
	var any *bucket
	if any.take(1<<30, now) != 0 {
		t.Error("no bucket waits")
	}
	var many buckets
	for i := range mostBuckets + 10 {
		many.get(fmt.Sprint(i), 5)
	}
	if len(many.of) > mostBuckets || many.get("x", 0) != nil || many.get("x", 7) == many.get("x", 8) {
		t.Error(len(many.of))
	}
	// A wait that we impose makes no server slow: what is watched moves with it, and what is not stays so.
	start := time.Now()
	p := pace{socket: time.Second, windowEnd: start, until: start, buckets: [2]*bucket{{rate: 1e6}, {rate: 2e6}}}
	p.hold(400_000) // 400 ms of the slower one, 200 of which are let in at once
	if least := start.Add(200 * time.Millisecond); p.windowEnd.Before(least) || p.until.Before(least) || !p.headerEnd.IsZero() {
		t.Errorf("window %v, end %v, header %v", p.windowEnd.Sub(start), p.until.Sub(start), p.headerEnd)
	}
	// The end of a crawl waits for no rate.
	ended := make(chan struct{})
	close(ended)
	hour := pace{socket: time.Second, buckets: [2]*bucket{{rate: 1}}, ended: ended}
	hour.hold(3600)
	s := serve(t, testweb.Tiny{"http://a.example/": testweb.Text(strings.Repeat("x", 60_000))})
	h := client(t, s, func(c *Config, _ *Deps) { c.HostRate, c.MaxRate = 200_000, 1e6 })
	u := page("http://a.example/")
	if process(t, h, u); u.Truncated != "" || !strings.HasSuffix(received(t, u), "xxx") {
		t.Errorf("truncated %q, %v", u.Truncated, u.Annotations)
	}
}

// A sheet's header fields are sent beside those of the job, which may have none.
func TestHeadersBySheet(t *testing.T) {
	s := serve(t, testweb.Tiny{"http://a.example/": testweb.Text("x")})
	for job, want := range map[string]string{"": "", "X-Job: 1": "X-Job: 1\r\n"} {
		h := client(t, s, func(c *Config, _ *Deps) {
			if name, value, ok := strings.Cut(job, ": "); ok {
				c.Headers = map[string]string{name: value, "x-own": "job"}
			}
		})
		u := page("http://a.example/")
		u.Sheet = &sheet.Settings{HTTP: sheet.HTTP{Headers: map[string]string{"X-Own": "sheet"}}}
		process(t, h, u)
		if got := sent(t, u); u.Status != 200 || !strings.Contains(got, "X-Own: sheet\r\n") || !strings.Contains(got, want) || strings.Contains(got, "x-own") {
			t.Errorf("job with %q: status %d\n%s", job, u.Status, got)
		}
	}
	h := client(t, s, nil)
	u := page("http://a.example/")
	if process(t, h, u); strings.Contains(sent(t, u), "X-Own") {
		t.Errorf("a sheet changed what is asked for without it:\n%s", sent(t, u))
	}
}

// A sheet has the words that the job has: for one that asks in a language of its own, those of its profiles again.
func TestLanguagesBySheet(t *testing.T) {
	s := serve(t, testweb.Tiny{"http://a.example/": testweb.Text("x")})
	h := client(t, s, func(c *Config, d *Deps) { c.AcceptLanguage, d.Languages = "en", "cs,*;q=0.1" })
	for said, want := range map[string]string{ProfileLanguages: "Accept-Language: cs,*;q=0.1\r\n", "sk": "Accept-Language: sk\r\n"} {
		u := page("http://a.example/")
		u.Sheet = &sheet.Settings{HTTP: sheet.HTTP{AcceptLanguage: &said}}
		if process(t, h, u); !strings.Contains(sent(t, u), want) {
			t.Errorf("%q:\n%s", said, sent(t, u))
		}
	}
}

// A sheet has cookies kept and sent where the job has none, and none where the job has them.
func TestCookiesBySheet(t *testing.T) {
	s := serve(t, handlers{"a.example": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "member", Value: "1"})
	})})
	for _, job := range []bool{false, true} {
		jar := emptyJar(t, clock.System())
		h := client(t, s, func(c *Config, d *Deps) { c.Cookies, d.Cookies = job, jar })
		for sheets, want := range map[*bool]bool{nil: job, new(true): true, new(false): false} {
			var u *crawl.CrawlURI
			for range 2 { // the first may bring the cookie
				u = page("http://a.example/")
				u.Sheet = &sheet.Settings{HTTP: sheet.HTTP{Cookies: sheets}}
				process(t, h, u)
			}
			if strings.Contains(sent(t, u), "Cookie: ") != want {
				t.Errorf("job %v, want a cookie: %v\n%s", job, want, sent(t, u))
			}
		}
	}
}
