package fetch

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/record"
	"exclave/internal/testweb"
	"exclave/warc"
)

func TestRequest(t *testing.T) {
	// The request is archived: its exact bytes are part of the format.
	s := serve(t, testweb.Tiny{"http://example.org/a%20b?c=d&e": testweb.Text("x")})
	h := client(t, s, func(c *Config, _ *Deps) { c.From = "archive@example.org" })
	u := page("http://example.org/a%20b?c=d&e#frag")
	process(t, h, u)
	at, n := u.Rec.Request()
	want := "GET /a%20b?c=d&e HTTP/1.1\r\nHost: example.org\r\n" +
		"User-Agent: Mozilla/5.0 (compatible; exclave/1.0 +https://example.org/crawler)\r\nFrom: archive@example.org\r\n" +
		"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n" +
		"Accept-Encoding: gzip, br\r\nConnection: keep-alive\r\n\r\n"
	if got := all(t, at, n); got != want || u.Status != 200 {
		t.Errorf("status %d, request %q", u.Status, got)
	}
	if u.Digest != u.Rec.(*record.Recording).PayloadDigest() || u.Addr != netip.MustParseAddr("127.0.0.1") || u.Started.IsZero() {
		t.Errorf("digest %q, address %v, started %v", u.Digest, u.Addr, u.Started)
	}
}

func TestConditional(t *testing.T) {
	// Only an archived page that is fetched again may be answered with 304.
	s := serve(t, testweb.Hosts{"example.org": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == `"v1"` && r.Header.Get("If-Modified-Since") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		testweb.Text("x").ServeHTTP(w, r)
	})})
	h := client(t, s, nil)
	prior := crawl.Prior{Outcome: crawl.Outcome{Archived: true, Class: crawl.ClassHTML}, ETag: `"v1"`,
		LastModified: "Mon, 02 Jan 2006 15:04:05 GMT", PayloadDigest: "sha1:X"}
	for _, tt := range []struct {
		why      string
		force    bool
		archived bool
		want     bool
	}{{"recrawl", true, true, true}, {"claim grew", false, true, false}, {"not archived", true, false, false}} {
		u := page("http://example.org/")
		p := prior
		p.Outcome.Archived, u.Force, u.Prior = tt.archived, tt.force, &p
		process(t, h, u)
		if u.NotModified != tt.want {
			t.Errorf("%s: not modified %v (status %d)", tt.why, u.NotModified, u.Status)
		}
		if tt.want && (u.Digest != "sha1:X" || u.Class != crawl.ClassHTML) {
			t.Errorf("%s: digest %s, class %v", tt.why, u.Digest, u.Class)
		}
	}
	bad := page("http://example.org/")
	bad.Force, bad.Prior = true, &crawl.Prior{Outcome: crawl.Outcome{Archived: true}, ETag: "x\r\nEvil: 1"}
	if got := conditions(bad); len(got) != 0 {
		t.Errorf("a field of a server may not make fields of ours: %q", got)
	}
}

func TestRetryAfter(t *testing.T) {
	// RFC 9110 §10.2.3; 429 and 503 skip extraction and writing until the last attempt.
	wall := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := []struct {
		status int
		value  string
		want   time.Duration
	}{
		{503, "120", 2 * time.Minute}, {429, "Fri, 02 Jan 2026 03:05:05 GMT", time.Minute},
		{503, "-3", 0}, {503, "soon", 0}, {503, "999999999999", maxRetryAfter}, {503, "172800", 48 * time.Hour}, {503, "Thu, 01 Jan 2026 00:00:00 GMT", 0},
		{503, "99999999999999999999", maxRetryAfter}, {503, "9223372036854775807", maxRetryAfter}, {503, "-99999999999999999999", 0}, // 64 bits hold the second
		{429, "00000000000000000000000120", 2 * time.Minute}, {503, "Fri, 31 Dec 9999 23:59:59 GMT", maxRetryAfter}, {503, "Mon, 01 Jan 0001 00:00:00 GMT", 0},
		{503, "Friday, 02-Jan-26 03:05:05 GMT", time.Minute}, {503, "Fri Jan  2 03:05:05 2026", time.Minute}, {503, "1.5", 0},
		{200, "120", 0},
	}
	web := testweb.Tiny{}
	for i, tt := range tests {
		web[site(i)] = testweb.Text("x").WithStatus(tt.status).With("Retry-After", tt.value)
	}
	h := client(t, serve(t, web), func(_ *Config, d *Deps) { d.Clock = clock.NewFake(wall) })
	for i, tt := range tests {
		for _, last := range []bool{false, true} {
			u := page(site(i))
			u.LastAttempt = last
			res := process(t, h, u)
			if (res.Jump == chain.Post) != (tt.status != 200 && !last) || u.RetryAfter != tt.want {
				t.Errorf("%d %q, last %v: jump %q, retry after %v", tt.status, tt.value, last, res.Jump, u.RetryAfter)
			}
		}
	}
}

func TestRefusedAddresses(t *testing.T) {
	// A page must not make the crawler speak to the network it runs in, whichever
	// way the address was found.
	s := serve(t, testweb.Tiny{"http://example.org/": testweb.Text("x"), "http://127.0.0.1/": testweb.Text("x")})
	tests := []struct {
		why, url string
		change   func(*Config, *Deps)
		status   crawl.Status
	}{
		{"allowed", "http://example.org/", nil, 200},
		{"connect_to is guarded", "http://example.org/", func(c *Config, _ *Deps) { c.Allow = nil }, crawl.StatusUnfetchable},
		{"a single address", "http://example.org/", func(c *Config, _ *Deps) { c.Allow = []string{"127.0.0.1"} }, 200},
		{"facts are guarded", "http://example.org/", func(c *Config, d *Deps) {
			c.ConnectTo, d.Hosts = nil, hosts{"example.org": {netip.MustParseAddr("10.0.0.1")}}
		}, crawl.StatusUnfetchable},
		{"IPv4 in IPv6", "http://example.org/", func(c *Config, d *Deps) {
			c.ConnectTo, c.Allow = nil, nil
			d.Hosts = hosts{"example.org": {netip.MustParseAddr("::ffff:127.0.0.1")}}
		}, crawl.StatusUnfetchable},
		{"literals are guarded", "http://[::1]/", func(c *Config, _ *Deps) { c.ConnectTo = nil }, crawl.StatusUnfetchable},
		{"numbers that are addresses", "http://2130706433/", func(c *Config, _ *Deps) { c.ConnectTo, c.Allow = nil, nil }, crawl.StatusUnfetchable},
		{"the exact host goes first", "http://example.org/", func(c *Config, _ *Deps) {
			c.ConnectTo["example.org:80"] = "192.168.1.1:80"
		}, crawl.StatusUnfetchable},
		{"no address", "http://none.example/", func(c *Config, d *Deps) { c.ConnectTo, d.Hosts = nil, hosts{"none.example": nil} }, crawl.StatusDNSPrereqFailed},
		{"another scheme", "ftp://example.org/", nil, crawl.StatusUnfetchable},
		{"not a URL", "http://", nil, crawl.StatusUnfetchable},
	}
	for _, tt := range tests {
		u := page(tt.url)
		process(t, client(t, s, tt.change), u)
		if u.Status != tt.status {
			t.Errorf("%s: status %d %v, want %d", tt.why, u.Status, u.Annotations, tt.status)
		}
		if refused := slices.Contains(u.Annotations, "address:refused"); tt.status == crawl.StatusUnfetchable && strings.HasPrefix(tt.url, "http://") && tt.url != "http://" && !refused {
			t.Errorf("%s: %v", tt.why, u.Annotations)
		}
	}
}

func TestConnectFails(t *testing.T) {
	// Status −2; the next address of the host is tried first.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	h := client(t, nil, func(c *Config, _ *Deps) { c.ConnectTo = map[string]string{"*:80": dead} })
	u := page("http://example.org/")
	if res := process(t, h, u); u.Status != crawl.StatusConnectFailed || res.Jump != chain.Post {
		t.Errorf("status %d, jump %q", u.Status, res.Jump)
	}
	s := serve(t, testweb.Tiny{"http://example.org/": testweb.Text("x")})
	_, port, err := net.SplitHostPort(s.HTTPAddr())
	if err != nil {
		t.Fatal(err)
	}
	h = client(t, nil, func(_ *Config, d *Deps) {
		d.Hosts = hosts{"example.org": {netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("127.99.0.1"), netip.MustParseAddr("127.0.0.1")}}
	})
	u = page("http://example.org:" + port + "/")
	if process(t, h, u); u.Addr != netip.MustParseAddr("127.0.0.1") {
		t.Errorf("status %d at %v", u.Status, u.Addr)
	}
}

// peer is a server made of connections.
func peer(t *testing.T, each func(n int, c net.Conn)) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := 1; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			each(n, c)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return l.Addr().String()
}

func readRequest(c net.Conn) {
	br := bufio.NewReader(c)
	for {
		line, err := br.ReadString('\n')
		if err != nil || line == "\r\n" {
			return
		}
	}
}

func TestStaleConnection(t *testing.T) {
	// RFC 9110 §9.2.2: a request on a kept connection that dies before the answer is
	// repeated once, on a new one; on a new one it is not.
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	for _, late := range []string{"", "late bytes"} {
		addr := peer(t, func(n int, c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, ok)
			if n == 1 {
				readRequest(c) // and no answer to it
				_, _ = io.WriteString(c, late)
			}
		})
		h := client(t, nil, func(c *Config, _ *Deps) { c.ConnectTo = map[string]string{"*:80": addr} })
		for i := range 2 {
			u := page("http://example.org/")
			process(t, h, u)
			if got := received(t, u); got != ok {
				t.Errorf("answer %d: status %d, %q", i, u.Status, got)
			}
		}
	}
	times := 0
	addr := peer(t, func(int, net.Conn) { times++ })
	h := client(t, nil, func(c *Config, _ *Deps) { c.ConnectTo = map[string]string{"*:80": addr} })
	u := page("http://example.org/")
	process(t, h, u)
	if u.Status != crawl.StatusConnectionLost {
		t.Errorf("status %d", u.Status)
	}
}

func TestInterimIsNoDeadConnection(t *testing.T) {
	// RFC 9110 §9.2.2: what dies behind an interim answer was alive; asking again would
	// be a second request. What follows one without a status line is the answer.
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	for rest, want := range map[string]crawl.Status{"": crawl.StatusConnectionLost, "<p>no header": 200} {
		asked := 0
		addr := peer(t, func(_ int, c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, ok)
			readRequest(c)
			asked++
			_, _ = io.WriteString(c, "HTTP/1.1 102 Processing\r\n\r\n"+rest)
		})
		h := client(t, nil, func(c *Config, _ *Deps) { c.ConnectTo = map[string]string{"*:80": addr} })
		process(t, h, page("http://example.org/1"))
		u := page("http://example.org/2")
		process(t, h, u)
		if u.Status != want || received(t, u) != rest || asked != 1 {
			t.Errorf("%q: status %d, %q, asked %d times", rest, u.Status, received(t, u), asked)
		}
	}
}

func TestPool(t *testing.T) {
	// The last that became idle first, bounded in all, none after Stop.
	pipes := func(p *pool, host string) *conn {
		a, b := net.Pipe()
		t.Cleanup(func() { _ = a.Close(); _ = b.Close() })
		c := &conn{Conn: a, place: place{scheme: "http", authority: host}}
		p.equip(c)
		p.put(c)
		return c
	}
	closed := func(c *conn) bool { return c.SetDeadline(time.Time{}) != nil }
	p := newPool(3, time.Hour)
	a1 := pipes(p, "a:80")
	b := pipes(p, "b:80")
	a2 := pipes(p, "a:80")
	a3 := pipes(p, "a:80")
	if !closed(a1) || closed(b) || closed(a2) || closed(a3) || len(p.idle) != 2 || p.idle[a1.place][1].c != a3 {
		t.Error("the oldest of all must go")
	}
	p.close()
	if d := pipes(p, "d:80"); !closed(b) || !closed(a2) || !closed(a3) || !closed(d) {
		t.Error("open after close")
	}
	expiring := newPool(2, time.Hour)
	e1, e2 := pipes(expiring, "e:80"), pipes(expiring, "e:80")
	first := expiring.idle[e1.place][0]
	expiring.expire(first)
	expiring.expire(first) // it may have been taken meanwhile
	if !closed(e1) || closed(e2) || len(expiring.idle[e2.place]) != 1 || expiring.order.Len() != 1 {
		t.Error("open after its time")
	}
	if none := newPool(0, time.Hour); !closed(pipes(none, "x:80")) {
		t.Error("kept although none may be")
	}
}

// selfSigned is a TLS server with a certificate of its own.
func selfSigned(t *testing.T, name string, until time.Time) (addr, root string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: until.Add(-48 * time.Hour), NotAfter: until, DNSNames: []string{name},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	conf := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	addr = peer(t, func(_ int, c net.Conn) {
		s := tls.Server(c, conf)
		readRequest(s)
		_, _ = io.WriteString(s, "HTTP/1.1 200 OK\r\n\r\nok") // and no close_notify
	})
	root = filepath.Join(t.TempDir(), "root.pem")
	if err := os.WriteFile(root, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return addr, root
}

func TestCertificates(t *testing.T) {
	// By default any certificate will do and its faults are noted; old versions of
	// TLS, too, and servers that leave without close_notify.
	tests := []struct {
		why, name string
		trusted   bool
		until     time.Duration
		notes     []string
	}{
		{"nothing wrong", "example.org", true, time.Hour, nil},
		{"unknown authority", "example.org", false, time.Hour, []string{"tls:untrusted"}},
		{"expired", "example.org", true, -time.Hour, []string{"tls:expired"}},
		{"another host", "example.net", true, time.Hour, []string{"tls:hostname"}},
		{"all of it", "example.net", false, -time.Hour, []string{"tls:expired", "tls:hostname"}},
	}
	for _, tt := range tests {
		addr, root := selfSigned(t, tt.name, time.Now().Add(tt.until))
		for _, verify := range []bool{false, true} {
			h := client(t, nil, func(c *Config, _ *Deps) {
				c.ConnectTo = map[string]string{"*:443": addr}
				if tt.trusted {
					c.RootFiles = []string{root}
				}
				if verify {
					c.Certificates = VerifyCertificates
				}
			})
			u := page("https://example.org/")
			process(t, h, u)
			want := crawl.Status(200)
			if verify && tt.notes != nil {
				want = crawl.StatusConnectFailed
			}
			if u.Status != want || !slices.Equal(u.Annotations, tt.notes) || u.Truncated != "" {
				t.Errorf("%s, verify %v: status %d, %v, truncated %q", tt.why, verify, u.Status, u.Annotations, u.Truncated)
			}
		}
	}
	plain := serve(t, testweb.Tiny{"http://example.org/": testweb.Text("x")})
	h := client(t, nil, func(c *Config, _ *Deps) { c.ConnectTo = map[string]string{"*:443": plain.HTTPAddr()} })
	u := page("https://example.org/")
	process(t, h, u)
	if u.Status != crawl.StatusConnectFailed || !slices.Equal(u.Annotations, []string{"tls:failed"}) {
		t.Errorf("no TLS: status %d, %v", u.Status, u.Annotations)
	}
}

func TestScratchFails(t *testing.T) {
	// A full disk is our failure: the URI is not blamed.
	s := serve(t, testweb.Tiny{"http://example.org/": testweb.Text(long)})
	h := client(t, s, func(c *Config, d *Deps) { c.Memory, d.Scratch = 10, filepath.Join(t.TempDir(), "absent") })
	u := page("http://example.org/")
	if _, err := h.Process(context.Background(), u); err == nil || u.Status != 0 || u.Rec != nil {
		t.Errorf("error %v, status %d", err, u.Status)
	}
}

func TestValidate(t *testing.T) {
	// Each problem is said with its key, all at once.
	c := Config{Contact: "me", UserAgent: "x\n", RobotsToken: "a/1", Certificates: "maybe", MaxSize: -1, MaxSizes: map[string]int64{"a": 1}, LeastRate: -1, MaxIdle: -1, Memory: -1,
		ConnectTo: map[string]string{"x": "y"}, Allow: []string{"home"}, Refuse: []string{"away"}}
	var keys []string
	for _, p := range c.Validate() {
		keys = append(keys, p.Key)
	}
	want := []string{"contact", "user_agent", "user_agent", "robots_token", "timeout", "socket_timeout", "header_timeout", "idle_timeout", "robots_ttl",
		"least_rate",
		"max_size", "max_sizes.a", "too_long", "max_header", "certificates", "max_idle", "record_memory", "referrer_policy", "soft_404", "connect_to.x", "allow[0]", "refuse[0]"}
	if !slices.Equal(keys, want) {
		t.Errorf("got %q", keys)
	}
	if err := testConfig().Validate().Err("fetch"); err != nil {
		t.Error(err)
	}
	if _, err := NewHTTP(c, Deps{}); err == nil {
		t.Error("made from nonsense")
	}
}

func FuzzResponse(f *testing.F) {
	// Style rule 8: what is recorded is what was sent, or a part of it, and reading
	// comes to an end.
	for _, b := range behaviours() {
		f.Add([]byte(b.page.Wire()))
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		a, b := net.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = b.Write(wire)
			_ = b.Close()
		}()
		c := &conn{pace: pace{socket: time.Second}}
		c.pace.begin(time.Now().Add(time.Second), time.Time{})
		c.Conn = pacedConn{a, &c.pace}
		c.br = bufio.NewReader(c)
		rec := record.New(t.TempDir(), 1<<20)
		r := response{c: c, rec: rec, most: bounds{header: 4096, body: func(*record.Head) int64 { return 1 << 16 }}, answer: answer{rec: rec}}
		err := r.read()
		_ = a.Close()
		<-done
		var lost *failure
		if err != nil && !errors.As(err, &lost) {
			t.Fatal(err)
		}
		at, n := rec.Response()
		got := all(t, at, n)
		if !strings.Contains(string(wire), got) {
			t.Fatalf("recorded %q of %q", got, wire)
		}
		if err == nil && (r.status < 100 || r.status > 999) {
			t.Fatalf("status %d", r.status)
		}
		loaded, err2 := record.Load(strings.NewReader(got), t.TempDir(), 1<<20)
		if err2 != nil {
			t.Fatal(err2)
		}
		defer loaded.Close()
		if err != nil {
			return
		}
		recomputed, err := warc.PayloadDigest(strings.NewReader(got))
		if d := rec.PayloadDigest(); err != nil || loaded.HeaderLen() != rec.HeaderLen() || loaded.PayloadDigest() != d || recomputed != d {
			t.Fatalf("header of %d bytes, loaded %d; payload %s, loaded %s, recomputed %s, %v",
				rec.HeaderLen(), loaded.HeaderLen(), d, loaded.PayloadDigest(), recomputed, err)
		}
	})
}
