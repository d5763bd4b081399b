package resolve

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/miekg/dns"
	"golang.org/x/time/rate"
)

const (
	// maxAliases is how many CNAME records are followed in all.
	maxAliases = 8
	// maxAddrs is how many addresses of a host are kept.
	maxAddrs = 32
	// maxNegative is how long it is relied on at most that there is nothing (RFC 2308 §5), and
	// unsaid how long when the answer has no SOA record.
	maxNegative = 3 * time.Hour
	unsaid      = time.Hour
)

// Answer is what a lookup found.
type Answer struct {
	Host   string        // as asked for
	Addrs  []netip.Addr  // at least one, at most 32, in the server's order, of one family
	TTL    time.Duration // the least of the records used, within [MinTTL, MaxTTL]
	Server string        // address:port; "" for an IP literal
	Asked  time.Time     // when the first question was sent
	Took   time.Duration // until the last answer
	// Truncated says that a server marked its answer as cut even over TCP: there may be
	// more addresses.
	Truncated bool

	// Text is the record body for media type text/dns (RFC 4027) as Heritrix
	// writes it: the time asked, YYYYMMDDhhmmss in UTC, then the aliases and
	// addresses used, a resource record a line. Empty for an IP literal.
	Text []byte
}

// Resolver looks up hosts. Its methods may be called from any goroutine.
type Resolver struct {
	cfg     Config
	servers []string
	limits  []*rate.Limiter // questions a second, of each server
	took    []atomic.Int64  // nanoseconds until the first answer, smoothed, of each server
	good    atomic.Uint32   // index of the server that last answered
	flights flights
}

// New returns a Resolver, or every problem of the configuration.
func New(c Config) (*Resolver, error) {
	if err := c.Validate().Err("resolve"); err != nil {
		return nil, err
	}
	r := &Resolver{cfg: c, flights: flights{by: map[question]*flight{}}}
	for _, s := range c.Servers {
		addr, err := serverAddr(s)
		if err != nil {
			return nil, err
		}
		r.servers = append(r.servers, addr)
	}
	if len(r.servers) == 0 {
		var err error
		if r.servers, err = systemServers(); err != nil {
			return nil, err
		}
	}
	r.took = make([]atomic.Int64, len(r.servers))
	for i := range r.servers {
		r.took[i].Store(int64(c.Timeout)) // until it is known
		r.limits = append(r.limits, c.limiter())
	}
	return r, nil
}

// Lookup returns the addresses of a host in ACE form or of an IP literal
// without brackets, which is answered without asking. It blocks for at most
// Timeout × Attempts × servers for each question, of which there are few, besides waiting for
// its turn (Rate), and ends early when ctx does: then the error wraps ctx.Err(). Every other error
// is an *Error.
func (r *Resolver) Lookup(ctx context.Context, host string) (*Answer, error) {
	asked := time.Now()
	if a, err := netip.ParseAddr(host); err == nil {
		return &Answer{Host: host, Addrs: []netip.Addr{a.Unmap()}, TTL: r.cfg.MaxTTL, Asked: asked}, nil
	}
	name := dns.CanonicalName(host)
	if _, ok := dns.IsDomainName(name); !ok || host == "" || name == "." {
		return nil, &Error{Class: Invalid, Host: host}
	}
	types := []uint16{dns.TypeA, dns.TypeAAAA}
	if r.cfg.PreferIPv6 {
		types = []uint16{dns.TypeAAAA, dns.TypeA}
	}
	var c chain
	for _, qtype := range types {
		c = chain{name: name, negative: c.negative}
		if err := r.follow(ctx, &c, qtype); err != nil {
			return nil, lookupError(ctx, host, err)
		}
		if len(c.addrs) > 0 {
			return r.answer(host, asked, &c), nil
		}
	}
	return nil, &Error{Class: NotFound, Host: host, Server: c.server, TTL: r.negative(&c), Err: errors.New("no address")}
}

// lookupError completes an error of follow with what only Lookup knows.
func lookupError(ctx context.Context, host string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("resolve: lookup %s: %w", host, ctx.Err())
	}
	var e *Error
	if errors.As(err, &e) {
		own := *e // others may wait for the same answer under another spelling
		own.Host = host
		return &own
	}
	return err
}

// chain is the way from a name over its aliases to addresses.
type chain struct {
	name    string // where it has come to
	aliases int
	records []dns.RR
	addrs   []netip.Addr
	server  string
	cut     bool // an answer that was used is truncated

	negative []time.Duration // how long it holds that there is nothing, of each answer that says so
}

// follow asks until the chain has addresses or ends without. Servers that
// recurse send the whole chain at once; one that does not is asked again.
func (r *Resolver) follow(ctx context.Context, c *chain, qtype uint16) error {
	for {
		before := c.name
		msg, server, err := r.ask(ctx, c.name, qtype)
		if err != nil {
			return err
		}
		c.server = server
		if !c.extend(msg.Answer) {
			return &Error{Class: ServFail, Server: server, Err: fmt.Errorf("more than %d aliases", maxAliases)}
		}
		if len(c.addrs) == 0 {
			c.holds(msg.Ns)
		}
		if msg.Rcode == dns.RcodeNameError {
			return &Error{Class: NotFound, Server: server, TTL: r.negative(c)}
		}
		c.cut = c.cut || msg.Truncated
		switch {
		case len(c.addrs) > 0:
			return nil
		case c.name == before && c.cut:
			return &Error{Class: Malformed, Server: server, Err: errors.New("the answer is cut, over TCP too, and has no address")}
		case c.name == before:
			return nil
		}
	}
}

// extend takes from the records of one message those that continue the chain.
// It reports false when there are too many aliases.
func (c *chain) extend(records []dns.RR) bool {
	for {
		alias := findAlias(records, c.name)
		if alias == nil {
			break
		}
		if c.aliases++; c.aliases > maxAliases {
			return false
		}
		c.records = append(c.records, alias)
		c.name = dns.CanonicalName(alias.Target)
	}
	for _, rr := range records {
		if len(c.addrs) == maxAddrs {
			break
		}
		if dns.CanonicalName(rr.Header().Name) != c.name {
			continue
		}
		if a, ok := address(rr); ok {
			c.records = append(c.records, rr)
			c.addrs = append(c.addrs, a)
		}
	}
	return true
}

// holds notes how long it may be relied on that there is no such record (RFC 2308 §5).
func (c *chain) holds(authority []dns.RR) {
	for _, rr := range authority {
		if soa, ok := rr.(*dns.SOA); ok {
			c.negative = append(c.negative, time.Duration(min(soa.Hdr.Ttl, soa.Minttl))*time.Second)
		}
	}
}

// negative returns the least of what servers said, bounded; an hour when they did not.
func (r *Resolver) negative(c *chain) time.Duration {
	if len(c.negative) == 0 {
		return unsaid
	}
	return max(min(slices.Min(c.negative), r.cfg.MaxTTL, maxNegative), r.cfg.MinTTL)
}

func findAlias(records []dns.RR, name string) *dns.CNAME {
	for _, rr := range records {
		if alias, ok := rr.(*dns.CNAME); ok && dns.CanonicalName(alias.Hdr.Name) == name {
			return alias
		}
	}
	return nil
}

// address unmaps IPv4 in IPv6, so that checks of address ranges see what would
// be contacted.
func address(rr dns.RR) (netip.Addr, bool) {
	var a netip.Addr
	var ok bool
	switch rr := rr.(type) {
	case *dns.A:
		a, ok = netip.AddrFromSlice(rr.A)
	case *dns.AAAA:
		a, ok = netip.AddrFromSlice(rr.AAAA)
	}
	return a.Unmap(), ok
}

func (r *Resolver) answer(host string, asked time.Time, c *chain) *Answer {
	var text strings.Builder
	text.WriteString(asked.UTC().Format("20060102150405"))
	text.WriteByte('\n')
	ttl := r.cfg.MaxTTL
	for _, rr := range c.records {
		text.WriteString(rr.String())
		text.WriteByte('\n')
		ttl = min(ttl, time.Duration(rr.Header().Ttl)*time.Second)
	}
	return &Answer{
		Host: host, Addrs: c.addrs, TTL: max(ttl, r.cfg.MinTTL), Server: c.server,
		Asked: asked, Took: time.Since(asked), Truncated: c.cut, Text: []byte(text.String()),
	}
}
