package benchweb

import (
	"encoding/binary"
	"hash/crc32"
	"strconv"
)

// body collects an answer's payload, plain or as gzip. Bytes between pieces are
// stored, not compressed: serving has to be cheap, and they are few.
type body struct {
	out   []byte
	dyn   []byte // bytes that are not in out yet, gzip only
	gzip  bool
	size  int // bytes before compression
	crc   uint32
	refs  []ref
	links int    // references written, for their forms
	salt  uint64 // of the session ids; 0 when the request had none
}

const gzipHead = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

func (b *body) begin(gzip bool) {
	b.out, b.dyn, b.gzip, b.size, b.crc, b.links, b.salt = b.out[:0], b.dyn[:0], gzip, 0, 0, 0, 0
	if gzip {
		b.out = append(b.out, gzipHead...)
	}
}

// text adds bytes that no pool has.
func (b *body) text(s string) {
	b.size += len(s)
	if b.gzip {
		b.dyn = append(b.dyn, s...)
	} else {
		b.out = append(b.out, s...)
	}
}

func (b *body) bytes(s []byte) {
	b.size += len(s)
	if b.gzip {
		b.dyn = append(b.dyn, s...)
	} else {
		b.out = append(b.out, s...)
	}
}

func (b *body) number(n int) {
	var buf [20]byte
	b.bytes(strconv.AppendInt(buf[:0], int64(n), 10))
}

func (b *body) piece(p *piece) {
	b.size += len(p.plain)
	if !b.gzip {
		b.out = append(b.out, p.plain...)
		return
	}
	b.store(false)
	b.out = append(b.out, p.deflated...)
	b.crc = crc32.Update(b.crc, crc32.IEEETable, p.plain)
}

// store writes what waits as stored blocks of deflate.
func (b *body) store(last bool) {
	b.crc = crc32.Update(b.crc, crc32.IEEETable, b.dyn)
	rest := b.dyn
	for len(rest) > 0 || last {
		n := min(len(rest), 0xFFFF)
		final := byte(0)
		if last && n == len(rest) {
			final = 1
		}
		b.out = append(b.out, final, byte(n), byte(n>>8), ^byte(n), ^byte(n>>8))
		b.out = append(b.out, rest[:n]...)
		rest = rest[n:]
		if final == 1 {
			break
		}
	}
	b.dyn = b.dyn[:0]
}

// end returns the payload; it belongs to b.
func (b *body) end() []byte {
	if b.gzip {
		b.store(true)
		b.out = binary.LittleEndian.AppendUint32(b.out, b.crc)
		b.out = binary.LittleEndian.AppendUint32(b.out, uint32(b.size))
	}
	return b.out
}
