package warc

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Numbers that frames begin with (RFC 8878 section 3.1), and the one of a frame with a dictionary (IIPC, Zstandard Compression for WARC Files).
const (
	frameMagic      = 0xFD2FB528
	skippableMagic  = 0x184D2A50 // to …5F
	dictionaryMagic = 0x184D2A5D
	rawDictionary   = 0xEC30A437
)

const (
	maxDictionary = 64 << 20  // the specification asks for 8 MiB of every reader
	maxWindow     = 128 << 20 // as much as zstd --ultra makes; the specification asks for 8 MiB
)

// IsZstd reports whether a file that begins with b, of which 4 bytes are enough, is compressed by zstd.
func IsZstd(b []byte) bool { return isFrame(b) }

func isFrame(b []byte) bool {
	if len(b) < 4 {
		return false
	}
	n := binary.LittleEndian.Uint32(b)
	return n == frameMagic || n&^0xf == skippableMagic
}

// startsFrame tells a frame from four bytes that happen to look like one.
func startsFrame(b []byte) bool {
	var h zstd.Header
	return len(b) >= 4 && binary.LittleEndian.Uint32(b) == frameMagic && h.Decode(b[:min(len(b), 18)]) == nil && h.WindowSize <= maxWindow
}

// frameError is data that is no zstd.
type frameError struct{ err error }

func (e *frameError) Error() string { return e.err.Error() }

// frames unpacks the frames of one record. A record may have several; where it ends is known by its length, so a
// further frame is only begun when bytes of the record are missing.
type frames struct {
	br     *bufio.Reader
	file   io.ReaderAt // where the dictionary is, at the beginning; nil: only what is read tells
	known  bool        // dict is that of the file
	packed []byte      // its frame, as it stands in the file
	dict   []byte
	dec    *zstd.Decoder
	one    oneFrame
	whole  bool // nothing more of the record is to come
	frame  bool // within a frame
}

// openFrame begins a record in frames of zstd, after frames that are to be skipped.
func (r *Reader) openFrame(e *Entry) error {
	if r.zstd == nil {
		r.zstd = new(frames)
	}
	z := r.zstd
	z.file = r.file
	z.br, z.frame, z.whole = r.br, false, false
	r.zipped, r.framed = true, true
	if err := z.skip(); err != nil {
		return damage(e.Offset, err)
	}
	e.Offset = r.pos()
	if b, err := r.br.Peek(4); len(b) == 0 && err == io.EOF {
		return io.EOF
	} else if !isFrame(b) {
		return defect(e.Offset, KindGarbage, "bytes %q are no start of a record", b)
	}
	if r.inner == nil || r.inner == r.br {
		r.inner = bufio.NewReaderSize(z, 4096)
	} else {
		r.inner.Reset(z)
	}
	return nil
}

// skip passes skippable frames; of that of a dictionary it takes the dictionary.
func (z *frames) skip() error {
	for {
		b, err := z.br.Peek(8)
		if len(b) < 8 || binary.LittleEndian.Uint32(b)&^0xf != skippableMagic {
			if len(b) == 0 && err != nil && err != io.EOF {
				return err
			}
			return nil
		}
		magic, n, head := binary.LittleEndian.Uint32(b), int64(binary.LittleEndian.Uint32(b[4:])), [8]byte(b)
		if _, err := z.br.Discard(8); err != nil {
			return err
		}
		if magic != dictionaryMagic {
			if _, err := io.CopyN(io.Discard, z.br, n); err != nil {
				return err
			}
			continue
		}
		frame, err := readDictionary(head[:], z.br, n)
		if err != nil {
			return err
		}
		if err := z.useDictionary(frame); err != nil {
			return err
		}
	}
}

// useDictionary takes a dictionary out of its frame. The decoder is kept when it is the same as before.
func (z *frames) useDictionary(frame []byte) (err error) {
	if z.known = true; bytes.Equal(frame, z.packed) {
		return nil
	}
	if z.dict, err = unpackDictionary(frame); err != nil {
		return err
	}
	if z.dec != nil {
		z.dec.Close()
	}
	z.packed, z.dec = frame, nil
	return nil
}

// look reads the dictionary at the beginning of the file, when reading began behind it.
func (z *frames) look() error {
	if z.known || z.file == nil {
		return nil
	}
	frame, err := dictionaryFrame(z.file)
	if err != nil || frame == nil {
		return err
	}
	return z.useDictionary(frame)
}

func (z *frames) decoder() error {
	if z.dec != nil {
		return nil
	}
	o := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow)}
	if z.dict != nil {
		o = append(o, zstd.WithDecoderDicts(z.dict))
	}
	dec, err := zstd.NewReader(nil, o...)
	if err != nil {
		return &frameError{fmt.Errorf("dictionary: %w", err)}
	}
	z.dec = dec
	return nil
}

// Read unpacks what belongs to the record.
func (z *frames) Read(p []byte) (int, error) {
	for {
		if !z.frame {
			if z.whole {
				return 0, io.EOF
			}
			if err := z.begin(); err != nil {
				return 0, err
			}
		}
		n, err := z.dec.Read(p)
		switch {
		case err == io.EOF:
			z.frame = false
			if err := z.one.drain(); err != nil {
				return n, err
			}
		case err != nil && z.one.err != nil && z.one.err != io.EOF:
			return n, z.one.err
		case err != nil:
			return n, &frameError{err}
		}
		if n > 0 {
			return n, nil
		}
	}
}

// begin enters the next frame.
func (z *frames) begin() error {
	if err := z.skip(); err != nil {
		return err
	}
	b, err := z.br.Peek(18)
	if len(b) == 0 {
		return err
	}
	if len(b) < 4 || binary.LittleEndian.Uint32(b) != frameMagic {
		return io.EOF // the next record is of another kind
	}
	var h zstd.Header
	if err := h.Decode(b); err != nil {
		return &frameError{err}
	}
	if h.DictionaryID != 0 {
		if err := z.look(); err != nil {
			return err
		}
	}
	if err := z.decoder(); err != nil {
		return err
	}
	z.one = oneFrame{br: z.br, left: int64(h.HeaderSize), sum: h.HasCheckSum}
	if err := z.dec.Reset(&z.one); err != nil {
		return &frameError{err}
	}
	z.frame = true
	return nil
}

// oneFrame gives the bytes of a frame and no more: the decoder would go on with the next one.
type oneFrame struct {
	br   *bufio.Reader
	left int64 // of the header, block or checksum
	sum  bool  // a checksum follows the last block
	last bool  // the last block was begun
	err  error
}

func (o *oneFrame) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if o.err != nil {
		return 0, o.err
	}
	n := 0
	if o.left == 0 {
		n = o.next(p)
		if o.err != nil || n == len(p) || o.left == 0 {
			return n, o.err
		}
	}
	got, err := o.br.Read(p[n:min(int64(len(p)), int64(n)+o.left)])
	o.left -= int64(got)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	o.err = err
	return n + got, err
}

// next begins a block or the checksum. It gives the header of a block only whole, which decoders ask for.
func (o *oneFrame) next(p []byte) int {
	if o.last {
		if !o.sum {
			o.err = io.EOF
			return 0
		}
		o.sum, o.left = false, 4
		return 0
	}
	b, err := o.br.Peek(3)
	if len(b) < 3 {
		if o.err = err; err == io.EOF {
			o.err = io.ErrUnexpectedEOF
		}
		return 0
	}
	o.left, o.last = blockLen(b)
	return 0
}

// drain reads what the decoder left of the frame: the checksum it did not look at.
func (o *oneFrame) drain() error {
	var buf [64]byte
	for {
		if _, err := o.Read(buf[:]); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// frameAt returns how long the frame at an offset of a file is, and what it unpacks to, by what it says of itself; zeros when that is nothing.
func frameAt(f io.ReaderAt, off int64) (size, unpacked int64, err error) {
	b := make([]byte, 18)
	n, err := f.ReadAt(b, off)
	if err != nil && err != io.EOF {
		return 0, 0, fmt.Errorf("warc: read frame at %d: %w", off, err)
	}
	var h zstd.Header
	if h.Decode(b[:n]) != nil || h.Skippable || !h.HasFCS {
		return 0, 0, nil
	}
	for at := off + int64(h.HeaderSize); ; {
		if _, err := f.ReadAt(b[:3], at); err == io.EOF {
			return 0, 0, nil
		} else if err != nil {
			return 0, 0, fmt.Errorf("warc: read frame at %d: %w", off, err)
		}
		length, last := blockLen(b)
		if at += length; !last {
			continue
		}
		if h.HasCheckSum {
			at += 4
		}
		return at - off, int64(h.FrameContentSize), nil
	}
}

// blockLen returns how long a block is, with its header, by that, and whether it is the last one of its frame.
func blockLen(head []byte) (n int64, last bool) {
	b := uint32(head[0]) | uint32(head[1])<<8 | uint32(head[2])<<16
	if b>>1&3 == 1 { // one byte, repeated
		return 3 + 1, b&1 != 0
	}
	return 3 + int64(b>>3), b&1 != 0
}
