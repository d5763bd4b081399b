package warc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// Checker reads parts of files of which it is known where their records begin, so that a file can be
// verified by several at the same time. It belongs to one goroutine and keeps its buffers.
type Checker struct {
	v     verifier
	r     *Reader
	heads *headReader
	zstd  *Reader // of heads
}

// NewChecker returns a Checker.
func NewChecker() *Checker {
	return &Checker{v: verifier{second: newSecondOpinion(), scratch: &scratch{}}, r: NewReader(nil), heads: &headReader{}, zstd: NewReader(nil)}
}

// Range verifies, as [Verify] does, the records between two offsets of a file, and calls each for
// every one. It ends at the first defect, which it returns: who wants to know all of a damaged
// file uses Verify. IDs that occur twice are the caller's to find. The error is about reading the
// file, or each's; the RecordInfo is valid during the call, its strings and Header for good.
func (c *Checker) Range(f io.ReaderAt, from, to int64, each func(*RecordInfo) error) (*Defect, error) {
	c.r.reset(f, from, to)
	c.v.found, c.v.defects, c.v.each = 0, nil, each
	for {
		e, err := c.r.Next()
		var d *Defect
		switch {
		case err == io.EOF:
			return nil, nil
		case errors.As(err, &d):
			return d, nil
		case err != nil:
			return nil, fmt.Errorf("warc: verify: %w", err)
		}
		if err := c.v.record(c.r, e); err != nil {
			if errors.As(err, &d) {
				return d, nil
			}
			return nil, err
		}
		if c.v.found > 0 {
			return &c.v.defects[0], nil
		}
	}
}

// Head reads the header of the record that begins at an offset, and nothing more of it than that
// takes. What is wrong there is a *Defect; other errors are about reading the file. The Block
// cannot be read.
func (c *Checker) Head(f io.ReaderAt, off int64) (*Entry, error) {
	in, _, err := c.heads.piece(f, off, startPiece)
	if err != nil {
		return nil, err
	}
	if isFrame(in) {
		return c.frame(f, off)
	}
	return c.heads.read(f, off)
}

// frame is Head of a record in frames of zstd.
func (c *Checker) frame(f io.ReaderAt, off int64) (*Entry, error) {
	c.zstd.reset(f, off, 1<<62)
	c.zstd.src.ahead = lookAhead // the rest of the record is not wanted
	e, err := c.zstd.start()
	if err == io.EOF {
		err = defect(off, KindTruncated, "the file ends here")
	}
	return e, err
}

// Ends reports whether the record of an Entry of Head ends at an offset of the file, and, with more, another one begins there. It unpacks nothing, so
// of a gzip member only the length of the record must be right, which stands at its end.
func (c *Checker) Ends(f io.ReaderAt, e *Entry, end int64, more bool) (bool, error) {
	length := e.HeadLen() + e.Size + 4 // two empty lines
	var b [4 + 4]byte
	n, err := f.ReadAt(b[:], end-4)
	if err != nil && err != io.EOF {
		return false, fmt.Errorf("warc: read the end of a record at %d: %w", end, err)
	}
	next := b[4:max(4, n)]
	if !c.heads.framed(f, e.Offset) {
		return n >= 4 && binary.LittleEndian.Uint32(b[:]) == uint32(length) && (!more || len(next) > 1 && next[0] == 0x1f && next[1] == 0x8b), nil
	}
	if more && !isFrame(next) {
		return false, nil
	}
	at := e.Offset
	for length > 0 && at < end {
		size, unpacked, err := frameAt(f, at)
		if err != nil {
			return false, err
		}
		if size == 0 {
			return false, nil
		}
		at, length = at+size, length-unpacked
	}
	return at == end && length == 0, nil
}

// HeadLen returns how many bytes the record had before its block.
func (e *Entry) HeadLen() int64 { return int64(len(e.raw)) }

// Raw returns the header as it stands in the file, with the empty line that ends it; of an ARC record its line.
func (e *Entry) Raw() string { return e.raw }

// firstPiece is how much of a member is unpacked at first: most headers end within it. startPiece
// is enough to know a record by.
const (
	firstPiece = 512
	startPiece = 128
)

type headReader struct {
	in    []byte
	out   []byte
	gz    *gzip.Reader
	bytes bytes.Reader
}

// piece reads the first n bytes of a member; all says that there are no more.
func (h *headReader) piece(f io.ReaderAt, off int64, n int) (in []byte, all bool, err error) {
	if cap(h.in) < n {
		h.in = make([]byte, n)
	}
	in = h.in[:n]
	got, err := f.ReadAt(in, off)
	if err != nil && err != io.EOF {
		return nil, false, fmt.Errorf("warc: read header at %d: %w", off, err)
	}
	if in = in[:got]; (len(in) < 2 || in[0] != 0x1f || in[1] != 0x8b) && !isFrame(in) {
		return nil, false, defect(off, KindGarbage, "bytes %q are no start of a compressed record", in[:min(5, len(in))])
	}
	return in, got < n, nil
}

// Starts is Head of which only the error is wanted; it looks at no more than the first bytes, if they
// are those of a record.
func (c *Checker) Starts(f io.ReaderAt, off int64) error {
	in, _, err := c.heads.piece(f, off, startPiece)
	if err != nil {
		return err
	}
	if isFrame(in) {
		_, err := c.frame(f, off)
		return err
	}
	if text, err := c.heads.unpack(in); bytes.HasPrefix(text, []byte("WARC/1.")) && !isGzip(err) {
		return nil
	}
	_, err = c.heads.read(f, off)
	return err
}

// framed reports whether a frame of zstd begins at an offset.
func (h *headReader) framed(f io.ReaderAt, off int64) bool {
	in, _, err := h.piece(f, off, startPiece)
	return err == nil && isFrame(in)
}

func (h *headReader) read(f io.ReaderAt, off int64) (*Entry, error) {
	e := &Entry{Offset: off}
	for n := firstPiece; ; n *= 2 {
		in, all, err := h.piece(f, off, n)
		if err != nil {
			return nil, err
		}
		text, err := h.unpack(in)
		if i := bytes.Index(text, []byte("\r\n\r\n")); i >= 0 {
			if err := e.parse(string(text[:i+4])); err != nil {
				return nil, err
			}
			return e, e.parseLength()
		}
		if err != nil && isGzip(err) {
			return nil, damage(off, err)
		}
		if all || err == nil || n > maxRecordHeader {
			return nil, defect(off, KindHeader, "no end of the header within %d bytes", len(text))
		}
	}
}

// unpack returns what in begins with, unpacked, as far as it goes or twice the piece is reached.
func (h *headReader) unpack(in []byte) ([]byte, error) {
	h.bytes.Reset(in)
	var err error
	if h.gz == nil {
		h.gz, err = gzip.NewReader(&h.bytes)
	} else {
		err = h.gz.Reset(&h.bytes)
	}
	if err != nil {
		h.gz = nil
		return nil, err
	}
	h.gz.Multistream(false)
	if want := 4 * len(in); len(h.out) < want {
		h.out = make([]byte, want)
	}
	n := 0
	for n < len(h.out) {
		got, err := h.gz.Read(h.out[n:])
		n += got
		if err != nil {
			return h.out[:n], err
		}
	}
	return h.out[:n], io.ErrUnexpectedEOF
}
