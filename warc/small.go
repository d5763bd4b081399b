package warc

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
)

// smallRecord is the length in bytes, header and block, up to which a record is
// compressed by [appendMember]. A third of the records of a crawl are requests of
// some hundred bytes: making Huffman codes for each of them takes ten times as
// long as everything else about them and saves a tenth of their length.
const smallRecord = 2 << 10

// smallLevel is the greatest gzip level with which that is done: who asks for more
// wants small files at any price.
const smallLevel = 6

// small writes one block of DEFLATE with the fixed codes (RFC 1951 section 3.2.6).
type small struct {
	out  []byte
	bits uint64 // not yet in out, from the lowest on
	n    uint   // how many
	// last holds, by hash, one more than the last place of four bytes.
	last [1 << 10]uint16
}

// appendMember appends src, at most smallRecord bytes, as a member of gzip (RFC
// 1952).
func (s *small) appendMember(dst, src []byte) []byte {
	s.out, s.bits, s.n = append(dst, 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255), 0, 0
	clear(s.last[:])
	s.put(1|1<<1, 3) // the last block; fixed codes
	for i := 0; i < len(src); {
		at, length := s.match(src, i)
		if length == 0 {
			s.literal(src[i])
			i++
			continue
		}
		s.copy(i-at, length)
		i += length
	}
	s.code(0, 7) // end of block
	s.put(0, (8-s.n%8)%8)
	out := binary.LittleEndian.AppendUint32(s.out, crc32.ChecksumIEEE(src))
	s.out = nil
	return binary.LittleEndian.AppendUint32(out, uint32(len(src)))
}

// match finds an earlier place of what stands at i, and how far they agree; 0 is
// not far enough.
func (s *small) match(src []byte, i int) (at, length int) {
	const least, most = 4, 258
	if i+least > len(src) {
		return 0, 0
	}
	four := binary.LittleEndian.Uint32(src[i:])
	slot := &s.last[four*2654435761>>22]
	at = int(*slot) - 1
	*slot = uint16(i + 1)
	if at < 0 || binary.LittleEndian.Uint32(src[at:]) != four {
		return 0, 0
	}
	length = least
	for length < most && i+length < len(src) && src[at+length] == src[i+length] {
		length++
	}
	return at, length
}

func (s *small) literal(c byte) {
	if c < 144 {
		s.code(0x30+uint16(c), 8)
	} else {
		s.code(0x190+uint16(c)-144, 9)
	}
}

// copy writes a length of 3 … 258 and a distance of 1 … 32768.
func (s *small) copy(distance, length int) {
	l := uint(length - 3)
	switch {
	case length == 258:
		s.length(285)
	case l < 8:
		s.length(257 + l)
	default:
		n := uint(bits.Len(l)) - 3
		s.length(257 + 4*n + l>>n)
		s.put(uint64(l)&(1<<n-1), n)
	}
	d := uint(distance - 1)
	if d < 4 {
		s.code(uint16(d), 5)
		return
	}
	n := uint(bits.Len(d)) - 2
	s.code(uint16(2*n+d>>n), 5)
	s.put(uint64(d)&(1<<n-1), n)
}

func (s *small) length(symbol uint) {
	if symbol < 280 {
		s.code(uint16(symbol-256), 7)
	} else {
		s.code(0xc0+uint16(symbol-280), 8)
	}
}

// code writes a Huffman code, which goes from its highest bit on.
func (s *small) code(c uint16, n uint) { s.put(uint64(bits.Reverse16(c)>>(16-n)), n) }

// put writes up to 16 bits from the lowest on.
func (s *small) put(v uint64, n uint) {
	s.bits |= v << s.n
	for s.n += n; s.n >= 8; s.n -= 8 {
		s.out = append(s.out, byte(s.bits))
		s.bits >>= 8
	}
}
