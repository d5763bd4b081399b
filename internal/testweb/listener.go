package testweb

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math"
	"net"
	"sync"
	"sync/atomic"
)

// gate is a listener whose connections can come back: a handler that took a
// connection over to write raw bytes returns it, and the HTTP server goes on
// reading requests from it. net/http has no other way to keep a hijacked
// connection alive.
type gate struct {
	net.Listener
	tls   *tls.Config // nil on the plain port
	conns chan *conn
	done  chan struct{}
	once  sync.Once
	pump  sync.WaitGroup
	ids   *atomic.Int64

	mu      sync.Mutex
	open    map[*conn]struct{}
	changed *sync.Cond // open did
}

func newGate(l net.Listener, conf *tls.Config, ids *atomic.Int64) *gate {
	g := &gate{Listener: l, tls: conf, conns: make(chan *conn), done: make(chan struct{}),
		ids: ids, open: make(map[*conn]struct{})}
	g.changed = sync.NewCond(&g.mu)
	g.pump.Go(g.accept)
	return g
}

func (g *gate) accept() {
	for {
		nc, err := g.Listener.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			continue // a connection that died in the backlog
		}
		c := &conn{Conn: nc, gate: g, id: g.ids.Add(1)}
		if g.tls != nil {
			c.Conn = tls.Server(nc, g.tls)
		}
		c.reader = c.Conn
		g.mu.Lock()
		g.open[c] = struct{}{}
		g.changed.Broadcast()
		g.mu.Unlock()
		g.offer(c)
	}
}

func (g *gate) offer(c *conn) {
	select {
	case g.conns <- c:
	case <-g.done:
		_ = c.Close() // the server is closing: nobody is left to tell
	}
}

// Accept returns the next connection, new or returned.
func (g *gate) Accept() (net.Conn, error) {
	select {
	case c := <-g.conns:
		return c, nil
	case <-g.done:
		return nil, net.ErrClosed
	}
}

// Close stops accepting; connections stay open.
func (g *gate) Close() error {
	var err error
	g.once.Do(func() {
		close(g.done)
		err = g.Listener.Close()
		g.pump.Wait()
	})
	return err
}

func (g *gate) closeConns() {
	g.mu.Lock()
	conns := make([]*conn, 0, len(g.open))
	for c := range g.open {
		conns = append(conns, c)
	}
	g.mu.Unlock()
	for _, c := range conns {
		_ = c.Conn.Close() // the peer may have closed it already
	}
}

// drain waits until every connection that was made before is closed. Connections are accepted in the order in which they were
// made: all those before one of ours are known when it is.
func (g *gate) drain(ctx context.Context) error {
	var d net.Dialer
	own, err := d.DialContext(ctx, "tcp", g.Addr().String())
	if err != nil {
		return err
	}
	defer func() { _ = own.Close() }() // nothing was sent
	defer context.AfterFunc(ctx, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.changed.Broadcast()
	})()
	g.mu.Lock()
	defer g.mu.Unlock()
	for !g.onlySince(own.LocalAddr().String()) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		g.changed.Wait()
	}
	return nil
}

// onlySince reports whether no connection is open that is older than the one from an address. g.mu is held.
func (g *gate) onlySince(from string) bool {
	oldest, id := int64(math.MaxInt64), int64(0)
	for c := range g.open {
		oldest = min(oldest, c.id)
		if c.RemoteAddr().String() == from {
			id = c.id
		}
	}
	return id == oldest
}

// conn is a connection with a number. It hides *tls.Conn from net/http, which
// would otherwise not take a returned TLS connection; the handler sets
// Request.TLS instead.
type conn struct {
	net.Conn
	gate   *gate
	id     int64
	reader io.Reader
}

func (c *conn) Read(p []byte) (int, error) { return c.reader.Read(p) }

func (c *conn) Close() error {
	c.gate.mu.Lock()
	delete(c.gate.open, c)
	c.gate.changed.Broadcast()
	c.gate.mu.Unlock()
	return c.Conn.Close()
}

// giveBack returns a hijacked connection to the server, with the bytes that
// were read from it but not consumed.
func (c *conn) giveBack(ahead []byte) {
	c.reader = io.MultiReader(bytes.NewReader(bytes.Clone(ahead)), c.Conn)
	c.gate.offer(c)
}

// reset closes the connection so that the peer sees a reset, not an end.
func (c *conn) reset() {
	under := c.Conn
	if t, ok := under.(*tls.Conn); ok {
		under = t.NetConn()
	}
	if t, ok := under.(*net.TCPConn); ok {
		_ = t.SetLinger(0) // on failure the peer sees an orderly end: still a cut
		_ = t.Close()
	}
	_ = c.Close()
}
