package whois

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"exclave/internal/clock"
	"exclave/internal/fsx"
	"exclave/internal/ipaddr"
	"exclave/internal/urlx"
)

// ErrBusy is wrapped by errors about questions that were not asked, since the server's turn would come too late.
var ErrBusy = errors.New("the server is asked as often as it may be")

// MaxAnswer is how many bytes of an answer are read.
const MaxAnswer = 64 << 10

// Bounds.
const (
	maxServers = 500
	maxFailed  = 10 * time.Minute // for which a domain is not asked about again after a failure
)

// Client asks, and remembers.
type Client struct {
	c     Config
	first string // address of the configured server
	clk   clock.Clock

	mu      sync.Mutex
	servers map[string]*server
	asking  map[string]chan struct{} // by domain; closed when it is known
	cache   *cache
}

// server is one that was asked. Who holds the token may ask it.
type server struct {
	token chan struct{}
	next  time.Duration // monotonic time of the next question
	hour  time.Duration // when the present hour began
	asked int           // in it
}

// Open returns a client that keeps answers in a file, which is made with the first; "" = in memory only. Close it.
func Open(c Config, fsys fsx.FS, file string, clk clock.Clock) (*Client, error) {
	if err := c.Validate().Err("whois"); err != nil {
		return nil, err
	}
	first, ok := address(c.Server)
	if !ok {
		return nil, errors.New("whois: no server is configured")
	}
	kept, err := openCache(fsys, file, c.TTL, clk.Now())
	if err != nil {
		return nil, fmt.Errorf("whois: %w", err)
	}
	return &Client{c: c, first: first, clk: clk, servers: map[string]*server{}, asking: map[string]chan struct{}{}, cache: kept}, nil
}

// Close closes the file.
func (w *Client) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cache.close()
}

// Countries returns the lines of the WHOIS answer about a host's registered domain that name a country, as "key: value" in
// lower case; none for addresses, and when the answer has none. It blocks for Config.Timeout at most. An error says that
// the answer is not known; it wraps [ErrBusy] when nobody was asked.
func (w *Client) Countries(ctx context.Context, host string) ([]string, error) {
	domain := urlx.RegisteredDomain(host)
	if domain == "" || !plainHost(domain) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, w.c.Timeout)
	defer cancel()
	for {
		w.mu.Lock()
		if e, ok := w.cache.get(domain, w.clk.Now()); ok {
			w.mu.Unlock()
			return e.Lines, e.err
		}
		other := w.asking[domain]
		if other == nil {
			w.asking[domain] = make(chan struct{})
		}
		w.mu.Unlock()
		if other == nil {
			break
		}
		select {
		case <-other:
		case <-ctx.Done():
			return nil, fmt.Errorf("whois: %s: %w", domain, ctx.Err())
		}
	}
	lines, err := w.lookUp(ctx, domain)
	if err != nil {
		err = fmt.Errorf("whois: %s: %w", domain, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.asking[domain])
	delete(w.asking, domain)
	if perr := w.cache.put(entry{Domain: domain, At: w.clk.Now().UTC(), Lines: lines, err: err}); perr != nil {
		return nil, fmt.Errorf("whois: %w", perr)
	}
	return lines, err
}

// lookUp asks the configured server, and the one that it refers to.
func (w *Client) lookUp(ctx context.Context, domain string) ([]string, error) {
	answer, private, err := w.ask(ctx, w.first, domain, true)
	if err != nil {
		return nil, err
	}
	if to, ok := address(Referral(answer)); ok && to != w.first {
		if _, p, _ := net.SplitHostPort(to); p != port && !private {
			return nil, fmt.Errorf("%s refers to %s, which is no WHOIS server", w.first, to)
		}
		more, _, err := w.ask(ctx, to, domain, private)
		if err != nil {
			return nil, err
		}
		return countriesOf(more, domain), nil // of IANA's answer the country would be the registry's
	}
	return countriesOf(answer, domain), nil
}

// countriesOf are none when an answer is about something else.
func countriesOf(answer, domain string) []string {
	if !about(answer, domain) {
		return nil
	}
	return countries(answer)
}

// ask asks one server in its turn. private says whether it may be at a private address, as the configured one may, and
// what it refers to; what is returned, whether it is.
func (w *Client) ask(ctx context.Context, addr, domain string, mayPrivate bool) (answer string, private bool, err error) {
	s, err := w.turn(ctx, addr)
	if err != nil {
		return "", false, fmt.Errorf("%s: %w", addr, err)
	}
	defer func() {
		s.next = w.clk.Mono() + w.c.MinDelay
		s.token <- struct{}{}
	}()
	d := net.Dialer{Control: func(_, to string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(to)
		if err != nil {
			return err
		}
		if !mayPrivate && !ipaddr.Public(at.Addr()) {
			return fmt.Errorf("%s is no public address", at.Addr().Unmap())
		}
		return nil
	}}
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return "", false, err
	}
	// Of the address that answers: several may have been dialled, two at a time.
	if to, err := netip.ParseAddrPort(conn.RemoteAddr().String()); err == nil {
		private = !ipaddr.Public(to.Addr())
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }) // whatever blocks ends
	defer stop()
	text, err := exchange(conn, domain)
	if err = errors.Join(err, conn.Close()); err != nil {
		return "", private, errors.Join(ctx.Err(), err)
	}
	if text == "" {
		return "", private, fmt.Errorf("%s answered nothing", addr)
	}
	return text, private, nil
}

func exchange(conn net.Conn, domain string) (string, error) {
	if _, err := io.WriteString(conn, domain+"\r\n"); err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(conn, MaxAnswer))
	return string(text), err
}

// turn waits until a server may be asked, and takes its token, which the caller gives back.
func (w *Client) turn(ctx context.Context, addr string) (*server, error) {
	w.mu.Lock()
	s := w.servers[addr]
	if s == nil && len(w.servers) == maxServers {
		w.mu.Unlock()
		return nil, fmt.Errorf("%d servers were asked already: %w", maxServers, ErrBusy)
	}
	if s == nil {
		s = &server{token: make(chan struct{}, 1), hour: w.clk.Mono()}
		s.token <- struct{}{}
		w.servers[addr] = s
	}
	w.mu.Unlock()
	select {
	case <-s.token:
	case <-ctx.Done():
		return nil, errors.Join(ErrBusy, ctx.Err())
	}
	now := w.clk.Mono()
	if now-s.hour >= time.Hour {
		s.hour, s.asked = now, 0
	}
	wait := max(0, s.next-now)
	deadline, _ := ctx.Deadline()
	if s.asked >= w.c.PerHour || wait > 0 && wait >= time.Until(deadline) {
		s.token <- struct{}{}
		return nil, ErrBusy
	}
	if wait > 0 {
		t := w.clk.NewTimer(wait)
		defer t.Stop()
		select {
		case <-t.C():
		case <-ctx.Done():
			s.token <- struct{}{}
			return nil, errors.Join(ErrBusy, ctx.Err())
		}
	}
	s.asked++
	return s, nil
}
