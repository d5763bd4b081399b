package schema

import (
	"net/netip"
	"time"

	"exclave/crawl"
)

// EncodeHostFacts writes what is known of a host.
func EncodeHostFacts(h *crawl.HostFacts) []byte {
	e := newEnc()
	e.iv(int64(h.Status))
	e.time(h.Asked)
	e.time(h.Expires)
	e.uv(uint64(len(h.Addrs)))
	for _, a := range h.Addrs {
		e.str(string(a.AsSlice()))
	}
	return e.b
}

// DecodeHostFacts reads what is known of the host of a name.
func DecodeHostFacts(host string, v []byte) (crawl.HostFacts, error) {
	d := newDec(v)
	h := crawl.HostFacts{Host: host, Status: crawl.Status(d.iv()), Asked: d.time(), Expires: d.time()}
	for range min(d.uv(), uint64(len(d.b))) {
		if a, ok := netip.AddrFromSlice([]byte(d.str())); ok {
			h.Addrs = append(h.Addrs, a)
		}
	}
	return h, d.end()
}

// EncodeOriginFacts writes what is known of an origin.
func EncodeOriginFacts(o *crawl.OriginFacts) []byte {
	e := newEnc()
	e.iv(int64(o.Status))
	e.time(o.Fetched)
	e.time(o.Expires)
	e.str(string(o.Robots))
	return e.b
}

// DecodeOriginFacts reads what is known of an origin.
func DecodeOriginFacts(origin string, v []byte) (crawl.OriginFacts, error) {
	d := newDec(v)
	o := crawl.OriginFacts{Origin: origin, Status: crawl.Status(d.iv()), Fetched: d.time(), Expires: d.time(), Robots: []byte(d.str())}
	return o, d.end()
}

// Answer is a deferred record: an answer kept for the archive.
type Answer struct {
	Written bool // to the archive
	Time    time.Time
	Packed  []byte // zstd of the exchange
}

// Encode writes the row.
func (a *Answer) Encode() []byte {
	e := newEnc()
	e.flags(a.Written)
	e.time(a.Time)
	e.uv(uint64(len(a.Packed)))
	e.b = append(e.b, a.Packed...)
	return e.b
}

// DecodeAnswer reads the row; Packed is a part of v.
func DecodeAnswer(v []byte) (a Answer, err error) {
	d := newDec(v)
	d.flags(&a.Written)
	a.Time = d.time()
	a.Packed = d.take(d.uv())
	return a, d.end()
}

// HostFactsKey returns the key of what is known of a host by its name.
func HostFactsKey(host string) []byte { return nameKey(HostFacts, host) }

// OriginFactsKey returns the key of what is known of an origin.
func OriginFactsKey(origin string) []byte { return nameKey(OriginFacts, origin) }

// AnswerKey returns the key of an answer by its own: dns:host, robots:origin.
func AnswerKey(key string) []byte { return nameKey(Answers, key) }

// AnswerName returns the key that AnswerKey was given.
func AnswerName(k []byte) string { return string(k[1:]) }

func checkHostFacts(_, v []byte) error {
	_, err := DecodeHostFacts("", v)
	return err
}

func checkOriginFacts(_, v []byte) error {
	_, err := DecodeOriginFacts("", v)
	return err
}

func checkAnswer(_, v []byte) error {
	_, err := DecodeAnswer(v)
	return err
}
