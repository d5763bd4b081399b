package schema

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"exclave/crawl"
	"exclave/internal/mime"
)

// valueVersion starts every value; a decoder refuses others.
const valueVersion = 2

// ErrDamaged is wrapped by errors of keys and values that no version of the program can have written.
var ErrDamaged = errors.New("damaged value")

// enc builds a value: version byte, then varints and length-prefixed strings.
type enc struct{ b []byte }

func newEnc() *enc { return &enc{b: append(make([]byte, 0, 96), valueVersion)} }

func (e *enc) uv(v uint64) { e.b = binary.AppendUvarint(e.b, v) }
func (e *enc) iv(v int64)  { e.b = binary.AppendVarint(e.b, v) }
func (e *enc) str(s string) {
	e.uv(uint64(len(s)))
	e.b = append(e.b, s...)
}

func (e *enc) id(id crawl.ID) { e.b = AppendID(e.b, id) }

func (e *enc) flags(bits ...bool) {
	var v uint64
	for i, b := range bits {
		if b {
			v |= 1 << i
		}
	}
	e.uv(v)
}

// time is stored in milliseconds since 1970; the zero time as 0.
func (e *enc) time(t time.Time) {
	if t.IsZero() {
		e.iv(0)
		return
	}
	e.iv(t.UnixMilli())
}

func (e *enc) ref(r crawl.Ref) {
	e.uv(uint64(r.File))
	e.uv(uint64(r.Offset))
	e.uv(uint64(r.Length))
}

func (e *enc) claim(c crawl.Claim) {
	e.flags(c.Analyse, c.Bin, c.Keep)
	n := len(c.Link)
	for n > 0 && c.Link[n-1] == 0 {
		n--
	}
	e.uv(uint64(n))
	for _, l := range c.Link[:n] {
		e.uv(uint64(l))
	}
}

// Bits of ways below those of hints.
const (
	waysNav = 1 << iota
	waysLoose
	waysHints = iota
)

func (e *enc) ways(w crawl.Ways) {
	v := uint64(w.Hints) << waysHints
	if w.Nav {
		v |= waysNav
	}
	if w.Loose {
		v |= waysLoose
	}
	e.uv(v)
	e.str(w.Embeds)
}

// dec reads what enc wrote. The first error stays; later reads return zeros.
type dec struct {
	b   []byte
	err error
}

func newDec(b []byte) *dec { return newDecOf(b, valueVersion) }

// newDecOf reads a value of a kind that has versions of its own.
func newDecOf(b []byte, version byte) *dec {
	d := &dec{b: b}
	switch {
	case len(b) == 0:
		d.err = ErrDamaged
	case b[0] != version:
		d.err = fmt.Errorf("version %d of a value; this program reads version %d", b[0], version)
	default:
		d.b = b[1:]
	}
	return d
}

func (d *dec) fail() {
	if d.err == nil {
		d.err = ErrDamaged
	}
	d.b = nil
}

func (d *dec) uv() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *dec) iv() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[n:]
	return v
}

// take returns the next n bytes, nil when there are fewer.
func (d *dec) take(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.fail()
		return nil
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

func (d *dec) str() string { return string(d.take(d.uv())) }

func (d *dec) id() crawl.ID {
	if b := d.take(IDLen); b != nil {
		return ReadID(b)
	}
	return crawl.ID{}
}

func (d *dec) flags(bits ...*bool) {
	v := d.uv()
	for i, b := range bits {
		*b = v&(1<<i) != 0
	}
}

func (d *dec) time() time.Time {
	ms := d.iv()
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

func (d *dec) ref() crawl.Ref {
	return crawl.Ref{File: uint32(d.uv()), Offset: int64(d.uv()), Length: int64(d.uv())}
}

func (d *dec) claim() (c crawl.Claim) {
	d.flags(&c.Analyse, &c.Bin, &c.Keep)
	n := d.uv()
	if n > uint64(len(c.Link)) {
		d.fail()
		return c
	}
	for i := range n {
		c.Link[i] = int32(d.uv())
	}
	return c
}

func (d *dec) ways() crawl.Ways {
	v := d.uv()
	return crawl.Ways{Nav: v&waysNav != 0, Loose: v&waysLoose != 0, Hints: mime.Hints(v >> waysHints), Embeds: d.str()}
}

// end returns the first error; bytes left over are one.
func (d *dec) end() error {
	if d.err == nil && len(d.b) > 0 {
		d.err = ErrDamaged
	}
	return d.err
}

// Millis cuts a time to milliseconds, as it is stored.
func Millis(t time.Time) time.Time { return t.Truncate(time.Millisecond) }

// CeilMillis is Millis for wake times, which must not be early.
func CeilMillis(t time.Time) time.Time { return Millis(t.Add(time.Millisecond - 1)) }
