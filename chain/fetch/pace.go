package fetch

import (
	"errors"
	"net"
	"os"
	"time"
)

// A ToeThread that waits for a server does nothing else, so what one exchange may
// take of it is bounded:
//
//   - up to the end of the header, connecting and TLS included, by header_timeout;
//   - the body by least_rate: fewer bytes in each of paceWindows windows in a row end it;
//   - each wait for a byte by socket_timeout, and everything by timeout;
//   - an exchange that is slow for one window needs a place in the slow lane, which has
//     places for half of the ToeThreads: when they are taken it ends at once. So does a body
//     that has lasted longWindows and brings less than longFactor × least_rate: one just above
//     least_rate could hold its ToeThread for all of timeout.
//
// A window is a fourth of socket_timeout.
const (
	paceWindows = 5
	longWindows = 6
	longFactor  = 8
)

// slowError ends an exchange with a server that is too slow. It is a timeout.
type slowError struct{ note string }

func (e *slowError) Error() string   { return "server is too slow" }
func (e *slowError) Timeout() bool   { return true }
func (e *slowError) Temporary() bool { return false }

var _ net.Error = (*slowError)(nil)

// pace watches over one exchange at a time. It belongs to the goroutine of the
// exchange.
type pace struct {
	socket    time.Duration
	least     int64         // bytes per second of a body; 0 = any
	lane      chan struct{} // places for slow exchanges; nil = enough
	until     time.Time     // end of the exchange
	headerEnd time.Time     // zero = until
	body      bool
	windowEnd time.Time // zero = any rate will do
	got       int64     // bytes in this window
	slow      int       // windows in a row, this one excluded
	windows   int       // of the body, this one excluded
	inLane    bool
	buckets   [2]*bucket      // of all answers, and of this server's; nil = any rate
	ended     <-chan struct{} // of the exchange's context: nothing is waited for any more
}

func (p *pace) window() time.Duration { return p.socket / 4 }

// begin starts an exchange.
func (p *pace) begin(until, headerEnd time.Time) {
	p.until, p.headerEnd, p.body = until, headerEnd, false
	p.nextWindow(time.Now())
	p.slow = 0
}

// beginBody says that the header is over.
func (p *pace) beginBody() {
	p.leaveLane()
	p.body, p.slow, p.windows = true, 0, 0
	p.nextWindow(time.Now())
}

// end gives up what the exchange holds.
func (p *pace) end() { p.leaveLane() }

func (p *pace) nextWindow(now time.Time) {
	p.got, p.windowEnd = 0, now.Add(p.window())
	if p.body && p.least == 0 {
		p.windowEnd = time.Time{}
	}
}

func (p *pace) leaveLane() {
	if p.inLane {
		p.inLane = false
		<-p.lane
	}
}

// check returns the error that ends an exchange that is too slow.
func (p *pace) check(now time.Time) error {
	if !p.body && !p.headerEnd.IsZero() && !now.Before(p.headerEnd) {
		return &slowError{"slow"}
	}
	if p.windowEnd.IsZero() || now.Before(p.windowEnd) {
		return nil
	}
	least := float64(p.least) * p.window().Seconds()
	enough := p.body && float64(p.got) >= least
	fast := enough && (p.windows < longWindows || float64(p.got) >= longFactor*least)
	p.nextWindow(now)
	p.windows++
	if p.slow++; enough {
		p.slow = 0
	}
	if fast {
		p.leaveLane()
		return nil
	}
	if p.body && p.slow >= paceWindows {
		return &slowError{"slow"}
	}
	if p.lane == nil || p.inLane {
		return nil
	}
	select {
	case p.lane <- struct{}{}:
		p.inLane = true
		return nil
	default:
		return &slowError{"slow:crowded"}
	}
}

// deadline is when the next write, or the opening of a connection, must be over.
func (p *pace) deadline() time.Time {
	return earliest(time.Now().Add(p.socket), p.until, p.limit())
}

// limit is when the present part of the exchange must be over; zero = nothing of its own.
func (p *pace) limit() time.Time {
	if p.body {
		return time.Time{}
	}
	return p.headerEnd
}

// earliest returns the first of the times that are not zero.
func earliest(ts ...time.Time) (first time.Time) {
	for _, t := range ts {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// pacedConn is the connection below TLS. Reading from it keeps to the pace.
type pacedConn struct {
	net.Conn
	pace *pace
}

// Read implements [net.Conn].
func (w pacedConn) Read(b []byte) (int, error) {
	p := w.pace
	for last := time.Now(); ; {
		if err := p.check(time.Now()); err != nil {
			return 0, err
		}
		end := earliest(last.Add(p.socket), p.until)
		if err := w.SetReadDeadline(earliest(end, p.limit(), p.windowEnd)); err != nil {
			return 0, err
		}
		n, err := w.Conn.Read(b)
		p.got += int64(n)
		p.hold(n)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) || !time.Now().Before(end) {
			return n, err
		}
	}
}

// hold waits when more came than may. A wait that we impose makes no server slow.
func (p *pace) hold(n int) {
	now := time.Now()
	wait := max(p.buckets[0].take(n, now), p.buckets[1].take(n, now))
	if wait == 0 {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.ended:
	}
	late := time.Since(now)
	for _, end := range []*time.Time{&p.windowEnd, &p.until, &p.headerEnd} {
		if !end.IsZero() {
			*end = end.Add(late)
		}
	}
}

// slowNote returns the annotation of an exchange that was ended as too slow, "" of
// any other.
func slowNote(err error) string {
	var slow *slowError
	if errors.As(err, &slow) {
		return slow.note
	}
	return ""
}
