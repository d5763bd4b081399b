// Package storetest runs a real S3 server for tests: tools/s3server in a process of its own, over TLS, and before it, when a test wants to
// disturb what passes, a proxy.
package storetest

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"exclave/internal/clock"
	"exclave/internal/sharedtest"
	"exclave/warc/store"
)

// Server is an S3 server with the bucket "archive".
type Server struct {
	Endpoint    string // https://127.0.0.1:PORT
	CA          string // file of the certificate that it has
	Credentials string // file of keys that it accepts
	dir         string
}

// Start runs a server until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(t.TempDir(), "s3server")
	if err := sharedtest.Build(filepath.Join(sharedtest.ModuleRoot(t), "tools", "s3server"), ".", program); err != nil {
		sharedtest.Missing(t, "the S3 server of tools/s3server cannot be built: "+err.Error())
	}
	address := free(t)
	s := &Server{Endpoint: "https://" + address, CA: filepath.Join(dir, "ca.pem"), Credentials: filepath.Join(dir, "credentials"), dir: dir}
	cmd := exec.Command(program, "-listen", address, dir)
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }() // it is killed
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	for begun := time.Now(); ; {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
			return s
		}
		select {
		case <-ended:
			t.Fatal("the S3 server ended: " + said.String())
		case <-time.After(20 * time.Millisecond):
		}
		if time.Since(begun) > time.Minute {
			t.Fatal("the S3 server does not answer: ", err)
		}
	}
}

// free returns an address at which nobody listens.
func free(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Config stores in the bucket of the server.
func (s *Server) Config(prefix string) store.Config {
	c := store.DefaultConfig()
	c.To, c.Endpoint, c.Credentials, c.CA = "s3://archive/"+prefix, s.Endpoint, s.Credentials, s.CA
	return c
}

// Object is the file in which the server keeps an object.
func (s *Server) Object(key string) string { return filepath.Join(s.dir, "buckets", "archive", key) }

// Proxy passes on what is said to a server.
type Proxy struct {
	Endpoint string
	Sent     atomic.Int64 // bytes of the bodies of requests

	mu     sync.Mutex
	before func(*http.Request) int
	drop   []string
}

// Proxy starts a proxy that ends with the test.
func (s *Server) Proxy(t testing.TB) *Proxy {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(s.CA, filepath.Join(s.dir, "key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(s.CA)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	to, err := url.Parse(s.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	pass := &httputil.ReverseProxy{Transport: transport, ErrorLog: log.New(io.Discard, "", 0), Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host // it is signed
	}, ModifyResponse: func(r *http.Response) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, h := range p.drop {
			r.Header.Del(h)
		}
		return nil
	}}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		before := p.before
		p.mu.Unlock()
		if before != nil {
			switch code := before(r); {
			case code < 0:
				if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
					_ = c.Close() // it breaks
				}
				return
			case code > 0:
				w.WriteHeader(code)
				return
			}
		}
		r.Body = &counted{r.Body, &p.Sent}
		pass.ServeHTTP(w, r)
	}))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	srv.StartTLS()
	t.Cleanup(srv.Close)
	p.Endpoint = srv.URL
	return p
}

// Before has fn see each request first: it returns 0 to pass it on, a status to answer with, or -1 to break the connection.
func (p *Proxy) Before(fn func(*http.Request) int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.before = fn
}

// Drop takes headers out of the answers.
func (p *Proxy) Drop(headers ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop = headers
}

type counted struct {
	io.ReadCloser
	n *atomic.Int64
}

// Read implements [io.Reader].
func (c *counted) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// Hasty is the system's clock, by which no wait takes long.
func Hasty() clock.Clock { return hasty{clock.System()} }

type hasty struct{ clock.Clock }

// NewTimer implements [clock.Clock].
func (h hasty) NewTimer(time.Duration) clock.Timer { return h.Clock.NewTimer(0) }
