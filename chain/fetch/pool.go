package fetch

import (
	"errors"
	"net"
	"sync"
	"syscall"
	"time"
)

// pool keeps idle connections: one per place, bounded in number and time.
type pool struct {
	max     int
	timeout time.Duration

	mu     sync.Mutex
	closed bool
	idle   map[place]*idleConn
	seq    int64
}

type idleConn struct {
	c     *conn
	seq   int64
	timer *time.Timer
}

func newPool(most int, timeout time.Duration) *pool {
	return &pool{max: most, timeout: timeout, idle: map[place]*idleConn{}}
}

// get returns a connection that looks alive, nil when there is none.
func (p *pool) get(at place) *conn {
	p.mu.Lock()
	i := p.idle[at]
	if i == nil {
		p.mu.Unlock()
		return nil
	}
	delete(p.idle, at)
	p.mu.Unlock()
	i.timer.Stop()
	if !quiet(i.c) {
		_ = i.c.Close() // it is dead already
		return nil
	}
	i.c.reused = true
	return i.c
}

// put takes back a connection whose answer was read to its end.
func (p *pool) put(c *conn) {
	var drop []*conn
	p.mu.Lock()
	if old := p.idle[c.place]; old != nil {
		drop = append(drop, p.remove(c.place))
	}
	if p.closed || p.max == 0 {
		drop = append(drop, c)
	} else {
		if len(p.idle) >= p.max {
			drop = append(drop, p.remove(p.oldest()))
		}
		p.seq++
		i := &idleConn{c: c, seq: p.seq}
		i.timer = time.AfterFunc(p.timeout, func() { p.expire(c.place, i) })
		p.idle[c.place] = i
	}
	p.mu.Unlock()
	closeAll(drop)
}

func (p *pool) remove(at place) *conn {
	i := p.idle[at]
	delete(p.idle, at)
	i.timer.Stop()
	return i.c
}

func (p *pool) oldest() place {
	var at place
	least := p.seq + 1
	for k, i := range p.idle {
		if i.seq < least {
			at, least = k, i.seq
		}
	}
	return at
}

func (p *pool) expire(at place, i *idleConn) {
	p.mu.Lock()
	mine := p.idle[at] == i
	if mine {
		delete(p.idle, at)
	}
	p.mu.Unlock()
	if mine {
		_ = i.c.Close() // nobody uses it
	}
}

func (p *pool) close() {
	var drop []*conn
	p.mu.Lock()
	p.closed = true
	for at := range p.idle {
		drop = append(drop, p.remove(at))
	}
	p.mu.Unlock()
	closeAll(drop)
}

func closeAll(conns []*conn) {
	for _, c := range conns {
		_ = c.Close() // nobody uses it
	}
}

// quiet reports that the server has neither closed an idle connection nor sent
// anything over it: bytes nobody asked for would pass as the next answer.
func quiet(c *conn) bool {
	nc := c.Conn
	if t, ok := nc.(interface{ NetConn() net.Conn }); ok {
		nc = t.NetConn()
	}
	sc, ok := nc.(syscall.Conn)
	if !ok {
		return false
	}
	if nc.SetDeadline(time.Time{}) != nil {
		return false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return false
	}
	alive := false
	err = raw.Read(func(fd uintptr) bool {
		var one [1]byte
		_, err := syscall.Read(int(fd), one[:]) // the descriptor does not block
		alive = errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EWOULDBLOCK)
		return true
	})
	return err == nil && alive
}
