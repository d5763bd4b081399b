package record

import (
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"io"
	"net/netip"
	"time"
)

// MaxExchange is the most bytes an encoded Exchange has: room for as much of a
// robots.txt as is obeyed, for its header and for the redirects to it.
const MaxExchange = 1 << 20

// ErrExchange is returned by UnmarshalBinary for bytes MarshalBinary did not make.
var ErrExchange = errors.New("record: unmarshal exchange: corrupt")

// Exchange is an answer that waits for its place in the archive: that of a DNS
// server, or robots.txt with the redirects that led to it.
type Exchange struct {
	URL         string     // "dns:host" or the URL requested
	Date        time.Time  // of the request; kept to the millisecond
	IP          netip.Addr // of the server; zero when not known
	ContentType string     // of Response: "text/dns" or "application/http; msgtype=response"
	Request     []byte     // as sent; empty for DNS
	Response    []byte     // as received, header and body
	HeaderLen   int        // of Response; 0 for DNS
	Digest      string     // of Response after the header, "sha1:" + base32
	Truncated   string     // "", "length", "time" or "disconnect"
	Before      []Exchange // answers that redirected here, oldest first; they have none themselves
}

const (
	exchangeVersion = 1
	// exchangeRoom is kept free for what is not the answers.
	exchangeRoom = 1 << 10
	maxBefore    = 8
)

// NewExchange takes an exchange out of a recording. Of the answer at most limit
// bytes are taken; a longer one is marked as truncated.
func NewExchange(url string, r *Recording, limit int) (Exchange, error) {
	e := Exchange{URL: url, ContentType: "application/http; msgtype=response", Request: append([]byte(nil), r.req...)}
	e.Response = make([]byte, min(r.size, int64(limit)))
	if _, err := (*answer)(r).ReadAt(e.Response, 0); err != nil && err != io.EOF {
		return Exchange{}, err
	}
	e.HeaderLen = min(int(r.header), len(e.Response))
	if int64(len(e.Response)) < r.size {
		e.Truncated = "length"
	}
	e.setDigest()
	return e, nil
}

func (e *Exchange) setDigest() {
	sum := sha1.Sum(e.Response[min(e.HeaderLen, len(e.Response)):])
	e.Digest = label(sum[:])
}

// MarshalBinary returns a version byte, the number of exchanges (a byte, those
// of Before first), and of each its fields in order: numbers as varints,
// everything else as uvarint length and bytes. Answers are cut, and marked as
// truncated, until all fits into MaxExchange.
func (e *Exchange) MarshalBinary() ([]byte, error) {
	all := append(append([]Exchange(nil), e.Before[:min(len(e.Before), maxBefore)]...), *e)
	size := 0
	for i := range all {
		all[i].Before = nil
		size += all[i].fixed()
	}
	room := MaxExchange - size
	if room < 0 {
		return nil, errors.New("record: marshal exchange: requests alone are too long")
	}
	// The final answer matters most; redirects have what it leaves.
	for i := len(all) - 1; i >= 0; i-- {
		x := &all[i]
		if len(x.Response) > room {
			x.Response, x.Truncated = x.Response[:room], "length"
			x.HeaderLen = min(x.HeaderLen, room)
			x.setDigest()
		}
		room -= len(x.Response)
	}
	b := make([]byte, 0, MaxExchange-room)
	b = append(b, exchangeVersion, byte(len(all)))
	for i := range all {
		b = all[i].append(b)
	}
	return b, nil
}

// fixed is at least what an exchange takes beside its answer.
func (e *Exchange) fixed() int {
	const numbers = 100 // varints, address, digest and truncation
	return numbers + len(e.URL) + len(e.ContentType) + len(e.Request)
}

func (e *Exchange) append(b []byte) []byte {
	field := func(v []byte) { b = append(binary.AppendUvarint(b, uint64(len(v))), v...) }
	field([]byte(e.URL))
	b = binary.AppendVarint(b, e.Date.UnixMilli())
	field(e.IP.AsSlice())
	field([]byte(e.ContentType))
	field(e.Request)
	field(e.Response)
	b = binary.AppendUvarint(b, uint64(e.HeaderLen))
	field([]byte(e.Digest))
	field([]byte(e.Truncated))
	return b
}

// UnmarshalBinary replaces e by what MarshalBinary wrote. It keeps no part of
// data. On ErrExchange e is unchanged.
func (e *Exchange) UnmarshalBinary(data []byte) error {
	if len(data) < 2 || data[0] != exchangeVersion || data[1] == 0 || data[1] > maxBefore+1 {
		return ErrExchange
	}
	d := fieldReader{rest: data[2:]}
	all := make([]Exchange, data[1])
	for i := range all {
		all[i] = d.exchange()
	}
	if d.bad || len(d.rest) > 0 {
		return ErrExchange
	}
	last := len(all) - 1
	*e = all[last]
	if last > 0 {
		e.Before = all[:last]
	}
	return nil
}

// fieldReader turns bad at the first value that cannot be.
type fieldReader struct {
	rest []byte
	bad  bool
}

func (d *fieldReader) number() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 || d.bad {
		d.bad, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *fieldReader) field() []byte {
	n := d.number()
	if n > uint64(len(d.rest)) {
		d.bad, d.rest = true, nil
		return nil
	}
	v := append([]byte(nil), d.rest[:n]...)
	d.rest = d.rest[n:]
	return v
}

func (d *fieldReader) exchange() Exchange {
	var e Exchange
	e.URL = string(d.field())
	ms, n := binary.Varint(d.rest)
	if n <= 0 {
		d.bad, d.rest = true, nil
		return e
	}
	d.rest = d.rest[n:]
	e.Date = time.UnixMilli(ms).UTC()
	if ip := d.field(); len(ip) > 0 {
		var ok bool
		if e.IP, ok = netip.AddrFromSlice(ip); !ok {
			d.bad = true
		}
	}
	e.ContentType = string(d.field())
	e.Request = d.field()
	e.Response = d.field()
	h := d.number()
	if h > uint64(len(e.Response)) {
		d.bad, h = true, 0
	}
	e.HeaderLen = int(h)
	e.Digest, e.Truncated = string(d.field()), string(d.field())
	return e
}
