package fetch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"

	"exclave/crawl"
	"exclave/internal/testweb"
)

// teeConn keeps what was read.
type teeConn struct {
	net.Conn
	read *bytes.Buffer
}

func (c teeConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.read.Write(b[:n])
	return n, err
}

// netHTTP makes a client of the standard library whose connections all lead to the server.
func netHTTP(t testing.TB, s *testweb.Server, wrap func(net.Conn) net.Conn) *http.Transport {
	t.Helper()
	tr := &http.Transport{DisableCompression: true, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, s.HTTPAddr())
		if err != nil {
			return nil, err
		}
		return wrap(c), nil
	}}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

// ADR 49: the client is our own because net/http, with a tee for the exact bytes, refuses answers that
// browsers show. When it refuses none of them any more, the decision is to be taken again.
func TestNetHTTPRefuses(t *testing.T) {
	table := behaviours()
	web := testweb.Tiny{}
	for i, b := range table {
		web[site(i)] = b.page
	}
	s := serve(t, web)
	tr := netHTTP(t, s, func(c net.Conn) net.Conn { return c })
	answers, refused := 0, 0
	for i, b := range table {
		if b.code < 200 || b.cut == crawl.TruncTime || b.page.After == testweb.Hold {
			continue
		}
		answers++
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, site(i), nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := tr.RoundTrip(req)
		if op := (*net.OpError)(nil); errors.As(err, &op) && op.Op == "dial" {
			t.Fatal(err)
		}
		if err != nil {
			refused++
			t.Logf("refused: %s: %v", b.why, err)
			continue
		}
		_, _ = io.Copy(io.Discard, resp.Body) // what becomes of a body is not counted
		if err := resp.Body.Close(); err != nil {
			t.Logf("closed: %s: %v", b.why, err)
		}
	}
	t.Logf("net/http refuses %d of %d answers", refused, answers)
	if refused == 0 {
		t.Error("net/http refuses none of them: is a client of our own needed still?")
	}
}

// BenchmarkNetHTTP is BenchmarkKeepAlive with the standard library and a tee.
func BenchmarkNetHTTP(b *testing.B) {
	body := testweb.National("/x")
	s := serve(b, testweb.Tiny{"http://bench.example/": body})
	var seen bytes.Buffer
	tr := netHTTP(b, s, func(c net.Conn) net.Conn { return teeConn{c, &seen} })
	b.ReportAllocs()
	b.SetBytes(int64(len(body.Wire())))
	for b.Loop() {
		seen.Reset()
		req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://bench.example/", nil)
		if err != nil {
			b.Fatal(err)
		}
		resp, err := tr.RoundTrip(req)
		if err != nil {
			b.Fatal(err)
		}
		_, err = io.Copy(io.Discard, resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode != 200 {
			b.Fatal(resp.StatusCode, err)
		}
	}
}
