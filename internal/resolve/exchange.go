package resolve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/miekg/dns"
)

// udpSize is what DNS Flag Day 2020 found to pass without fragments.
const udpSize = 1232

// ask puts one question to the servers until one says that the name has these
// records, has none, or does not exist. Anything else moves on to the next.
func (r *Resolver) ask(ctx context.Context, name string, qtype uint16) (*dns.Msg, string, error) {
	var last *Error
	n := len(r.servers)
	first := int(r.good.Load())
	for i := range r.cfg.Attempts * n {
		at := (first + i) % n
		server := r.servers[at]
		msg, err := r.exchange(ctx, server, name, qtype)
		if ctx.Err() != nil {
			return nil, "", ctx.Err()
		}
		switch {
		case err != nil:
			last = &Error{Class: classify(err), Server: server, Err: err}
		case msg.Rcode == dns.RcodeSuccess || msg.Rcode == dns.RcodeNameError:
			r.good.Store(uint32(at))
			return msg, server, nil
		default:
			last = &Error{Class: ServFail, Server: server, Err: errors.New(rcode(msg.Rcode))}
		}
	}
	return nil, "", last
}

func rcode(code int) string {
	if s, ok := dns.RcodeToString[code]; ok {
		return s
	}
	return "unknown response code"
}

// exchange asks one server: with EDNS, without it if the server is too old to
// know it, over TCP if the answer was truncated.
func (r *Resolver) exchange(ctx context.Context, server, name string, qtype uint16) (*dns.Msg, error) {
	q := new(dns.Msg).SetQuestion(name, qtype)
	q.SetEdns0(udpSize, false)
	msg, err := r.roundTrip(ctx, "udp", server, q)
	if err == nil && msg.Rcode == dns.RcodeFormatError {
		q = new(dns.Msg).SetQuestion(name, qtype)
		msg, err = r.roundTrip(ctx, "udp", server, q)
	}
	if err == nil && msg.Truncated {
		msg, err = r.roundTrip(ctx, "tcp", server, q)
	}
	if err != nil {
		return nil, err
	}
	return msg, check(msg, q)
}

// check refuses answers to another question.
func check(msg, q *dns.Msg) error {
	switch {
	case !msg.Response:
		return errors.New("not a response")
	case msg.Rcode != dns.RcodeSuccess && msg.Rcode != dns.RcodeNameError:
		return nil // failures may leave the question out
	case len(msg.Question) != 1,
		!strings.EqualFold(msg.Question[0].Name, q.Question[0].Name),
		msg.Question[0].Qtype != q.Question[0].Qtype:
		return errors.New("answer to another question")
	}
	return nil
}

// roundTrip uses a socket of its own, since a fresh source port is what makes
// answers hard to forge (RFC 5452 §9.2).
func (r *Resolver) roundTrip(ctx context.Context, network, server string, q *dns.Msg) (*dns.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, r.cfg.Timeout)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, server)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	// Reads know nothing of contexts: the end of this one closes the socket.
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	msg, err := converse(&dns.Conn{Conn: conn, UDPSize: udpSize}, q)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return msg, err
}

// converse sends the question and waits for an answer that bears its number;
// others may be late answers to somebody else, or forged.
func converse(conn *dns.Conn, q *dns.Msg) (*dns.Msg, error) {
	if err := conn.WriteMsg(q); err != nil {
		return nil, err
	}
	for {
		var h dns.Header
		b, err := conn.ReadMsgHeader(&h)
		if err != nil {
			return nil, err
		}
		if h.Id == q.Id {
			return unpack(b, h)
		}
	}
}

// unpack refuses what the library forgives: fewer answers than announced, which
// would make a damaged message look like a host without addresses.
func unpack(b []byte, h dns.Header) (*dns.Msg, error) {
	msg := new(dns.Msg)
	if err := msg.Unpack(b); err != nil {
		return nil, err
	}
	if len(msg.Answer) != int(h.Ancount) {
		return nil, fmt.Errorf("%d of %d answer records", len(msg.Answer), h.Ancount)
	}
	return msg, nil
}
