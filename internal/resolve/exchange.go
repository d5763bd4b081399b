package resolve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/miekg/dns"
	"golang.org/x/time/rate"
)

// udpSize is what DNS Flag Day 2020 found to pass without fragments.
const udpSize = 1232

// A question is sent again after four times as long as the server usually takes, but not before
// a fiftieth of the timeout and not after an eighth.
const (
	resendUsual   = 4
	resendSoonest = 50
	resendLatest  = 8
)

// ask puts one question to the servers until one says that the name has these
// records, has none, or does not exist. Anything else moves on to the next. The
// message may be others' too, and must not be changed.
func (r *Resolver) ask(ctx context.Context, name string, qtype uint16) (*dns.Msg, string, error) {
	a := r.flights.do(ctx, question{name, qtype}, func(ctx context.Context) reply {
		msg, server, err := r.askServers(ctx, name, qtype)
		return reply{msg, server, err}
	})
	return a.msg, a.server, a.err
}

func (r *Resolver) askServers(ctx context.Context, name string, qtype uint16) (*dns.Msg, string, error) {
	var last *Error
	n := len(r.servers)
	first := int(r.good.Load())
	for i := range r.cfg.Attempts * n {
		at := (first + i) % n
		server := r.servers[at]
		msg, err := r.exchange(ctx, at, name, qtype)
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
func (r *Resolver) exchange(ctx context.Context, server int, name string, qtype uint16) (*dns.Msg, error) {
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
// answers hard to forge (RFC 5452 §9.2). It waits for the server's turn first.
func (r *Resolver) roundTrip(ctx context.Context, network string, server int, q *dns.Msg) (*dns.Msg, error) {
	limit := r.limits[server]
	if err := limit.Wait(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, r.cfg.Timeout)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, r.servers[server])
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	// Reads know nothing of contexts: the end of this one closes the socket.
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	resend := time.Duration(0)
	if network == "udp" {
		resend = min(max(resendUsual*time.Duration(r.took[server].Load()), r.cfg.Timeout/resendSoonest), r.cfg.Timeout/resendLatest)
	}
	began := time.Now()
	msg, err := converse(&dns.Conn{Conn: conn, UDPSize: udpSize}, q, resend, limit)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if took := time.Since(began); err == nil && took < resend { // an answer to the first packet
		usual := &r.took[server]
		old := usual.Load()
		usual.CompareAndSwap(old, old+(int64(took)-old)/8) // the weight that TCP gives a sample (RFC 6298 §2)
	}
	return msg, err
}

// converse sends the question and waits for an answer that bears its number;
// others may be late answers to somebody else, or forged. It sends it again after
// resend, twice and four times as long and so on, if that is not 0.
func converse(conn *dns.Conn, q *dns.Msg, resend time.Duration, limit *rate.Limiter) (*dns.Msg, error) {
	if err := conn.WriteMsg(q); err != nil {
		return nil, err
	}
	for {
		if resend > 0 {
			if err := conn.SetReadDeadline(time.Now().Add(resend)); err != nil {
				return nil, err
			}
		}
		msg, err := listen(conn, q.Id)
		if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
			return msg, err
		}
		resend *= 2
		if limit.Allow() {
			if err := conn.WriteMsg(q); err != nil {
				return nil, err
			}
		}
	}
}

func listen(conn *dns.Conn, id uint16) (*dns.Msg, error) {
	for {
		var h dns.Header
		b, err := conn.ReadMsgHeader(&h)
		if err != nil {
			return nil, err
		}
		if h.Id == id {
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
