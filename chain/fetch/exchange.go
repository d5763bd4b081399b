package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"exclave/crawl"
	"exclave/internal/cookies"
	"exclave/internal/record"
	"exclave/internal/urlx"
)

// lookupFunc returns the addresses of a host.
type lookupFunc func(ctx context.Context, host string) ([]netip.Addr, error)

// answer is what one exchange came to.
type answer struct {
	rec       *record.Recording
	status    int
	addr      netip.Addr
	truncated crawl.Truncation
	notes     []string
	tls       string // version, "" without
	suite     string
	keep      bool // the connection may be used again
}

// bounds are how much of an answer is received.
type bounds struct {
	header int
	body   func(*record.Head) int64 // 0 = no limit
	refuse bool                     // nothing of a body that declares to be longer
}

// ask is how one request is made, beside where it goes.
type ask struct {
	fields  []record.Field // beside those of every request
	auth    string         // value of Authorization
	jar     *cookies.Jar   // whose cookies go with it; nil: none do
	own     map[string]string
	method  string // "" = GET
	body    []byte // of a form
	typ     string // Content-Type of body; "" = application/x-www-form-urlencoded
	secret  bool   // nothing of the request is recorded, and its address is in no log: it may have a password
	lookup  lookupFunc
	bounds  bounds
	timeout time.Duration
	route   route
	rate    int64 // bytes a second from this server; 0 = any
}

// get makes one exchange. The error is a *failure, that of ctx, or our own; then
// the answer is nil.
func (h *HTTP) get(ctx context.Context, u *urlx.URL, q ask) (*answer, error) {
	began := time.Now()
	until, headerEnd := began.Add(q.timeout), began.Add(min(h.cfg.HeaderTimeout, q.timeout))
	c := h.pool.get(placeOf(u, q.route))
	for {
		if c == nil {
			var err error
			if c, err = h.dial(ctx, u, until, headerEnd, q); err != nil {
				return nil, err
			}
		}
		c.pace.begin(until, headerEnd)
		c.pace.buckets = [2]*bucket{h.rate, h.rates.get(u.Authority(), q.rate)}
		c.pace.ended = ctx.Done()
		req, secrets := h.request(u, q), len(q.body)
		if q.secret {
			secrets = len(req)
		}
		a, err := h.exchange(ctx, c, req, secrets, q.bounds)
		if err == nil {
			return a, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if c.reused && errors.Is(err, errStale) {
			c = nil // the server gave the connection up while it was idle
			continue
		}
		return nil, err
	}
}

// request returns the request in its exact bytes.
func (h *HTTP) request(u *urlx.URL, q ask) []byte {
	b := make([]byte, 0, 512+len(u.PathQuery()))
	field := func(name, value string) {
		if value != "" {
			b = append(append(append(append(b, name...), ": "...), value...), "\r\n"...)
		}
	}
	b = append(append(append(append(b, cmp.Or(q.method, http.MethodGet)...), ' '), u.PathQuery()...), " HTTP/1.1\r\n"...)
	field("Host", strings.TrimPrefix(u.Origin(), u.Scheme()+"://"))
	field("User-Agent", h.agent)
	field("From", h.cfg.From)
	field("Accept", h.cfg.Accept)
	field("Accept-Encoding", "gzip, br")
	field("Authorization", q.auth)
	for _, f := range q.fields {
		field(f.Name, f.Value)
	}
	for _, name := range slices.Sorted(maps.Keys(q.own)) {
		field(name, q.own[name])
	}
	if q.body != nil {
		field("Content-Type", cmp.Or(q.typ, "application/x-www-form-urlencoded"))
		field("Content-Length", strconv.Itoa(len(q.body)))
	}
	field("Connection", "keep-alive")
	return append(append(b, "\r\n"...), q.body...)
}

// errStale is the reason of a connection that was lost before any byte came.
var errStale = errors.New("connection closed before the answer")

// exchange sends a request over c and records the answer. Afterwards c is in the
// pool or closed.
func (h *HTTP) exchange(ctx context.Context, c *conn, req []byte, secrets int, most bounds) (a *answer, err error) {
	// Closing is what ends reads and writes that are under way.
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer func() {
		c.pace.end()
		if stop() && err == nil && a != nil && a.keep && c.br.Buffered() == 0 {
			h.pool.put(c)
		} else {
			_ = c.Close() // what was to be had of it has been read
			h.pool.strip(c)
		}
	}()
	if err := c.SetWriteDeadline(c.pace.deadline()); err != nil {
		return nil, &failure{crawl.StatusConnectionLost, c.notes, fmt.Errorf("%w: %w", errStale, err)}
	}
	if _, err := c.Write(req); err != nil {
		return nil, &failure{crawl.StatusConnectionLost, c.notes, fmt.Errorf("%w: %w", errStale, err)}
	}
	rec := record.New(h.deps.Scratch, h.cfg.Memory)
	record.Redact(req)                     // it is sent, and no disk may see what is secret in it
	rec.SetRequest(req[:len(req)-secrets]) // the body of a form has a password
	r := response{c: c, rec: rec, most: most, answer: answer{rec: rec, addr: c.addr, notes: c.notes, tls: c.tls, suite: c.suite}}
	if err = r.read(); err == nil && ctx.Err() != nil {
		err = ctx.Err() // it was we who cut the answer short
	}
	if err != nil {
		return nil, errors.Join(err, rec.Close())
	}
	return &r.answer, nil
}
