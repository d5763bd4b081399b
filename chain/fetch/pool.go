package fetch

import (
	"bufio"
	"container/list"
	"errors"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"
)

// pool keeps idle connections, bounded in number and time.
type pool struct {
	max     int
	timeout time.Duration

	mu     sync.Mutex
	closed bool
	idle   map[place][]*idleConn // the last that became idle last
	order  *list.List            // of *idleConn, the longest idle first

	readers sync.Pool // of *bufio.Reader: what is idle needs none
}

type idleConn struct {
	c     *conn
	at    *list.Element // in order
	timer *time.Timer
}

func newPool(most int, timeout time.Duration) *pool {
	p := &pool{max: most, timeout: timeout, idle: map[place][]*idleConn{}, order: list.New()}
	p.readers.New = func() any { return bufio.NewReaderSize(nil, 16<<10) }
	return p
}

// equip gives a connection the buffer that answers are read through.
func (p *pool) equip(c *conn) {
	c.br = p.readers.Get().(*bufio.Reader)
	c.br.Reset(c)
}

// strip takes the buffer back; nothing of it is in use any more.
func (p *pool) strip(c *conn) {
	c.br.Reset(nil)
	p.readers.Put(c.br)
	c.br = nil
}

// get returns a connection that looks alive, nil when there is none.
func (p *pool) get(at place) *conn {
	p.mu.Lock()
	n := len(p.idle[at])
	if n == 0 {
		p.mu.Unlock()
		return nil
	}
	c := p.remove(p.idle[at][n-1])
	p.mu.Unlock()
	if !quiet(c) {
		_ = c.Close() // it is dead already
		return nil
	}
	c.reused = true
	p.equip(c)
	return c
}

// put takes back a connection whose answer was read to its end.
func (p *pool) put(c *conn) {
	p.strip(c)
	var drop []*conn
	p.mu.Lock()
	if p.closed || p.max == 0 {
		drop = append(drop, c)
	} else {
		if p.order.Len() >= p.max {
			drop = append(drop, p.remove(p.order.Front().Value.(*idleConn)))
		}
		i := &idleConn{c: c}
		i.at = p.order.PushBack(i)
		i.timer = time.AfterFunc(p.timeout, func() { p.expire(i) })
		p.idle[c.place] = append(p.idle[c.place], i)
	}
	p.mu.Unlock()
	closeAll(drop)
}

// remove takes an entry out. p.mu is held.
func (p *pool) remove(i *idleConn) *conn {
	at := i.c.place
	if rest := slices.DeleteFunc(p.idle[at], func(o *idleConn) bool { return o == i }); len(rest) > 0 {
		p.idle[at] = rest
	} else {
		delete(p.idle, at)
	}
	p.order.Remove(i.at)
	i.timer.Stop()
	return i.c
}

// len returns how many connections are idle.
func (p *pool) len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.order.Len()
}

func (p *pool) expire(i *idleConn) {
	p.mu.Lock()
	mine := slices.Contains(p.idle[i.c.place], i)
	if mine {
		p.remove(i)
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
	for p.order.Len() > 0 {
		drop = append(drop, p.remove(p.order.Front().Value.(*idleConn)))
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
	if w, ok := nc.(pacedConn); ok {
		nc = w.Conn
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
