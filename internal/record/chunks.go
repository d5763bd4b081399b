package record

import (
	"errors"
	"io"
)

// ErrChunks is the error of a body that is not what the chunked coding is.
var ErrChunks = errors.New("record: body is not in chunks")

// maxChunkLine bounds a size line with its extensions, and all trailers.
const maxChunkLine = 64 << 10

type chunkState uint8

const (
	chunkSize    chunkState = iota // in the digits of a size
	chunkExt                       // behind them, up to the end of the line
	chunkData                      // in the data
	chunkDataEnd                   // in the line end behind the data
	chunkTrailer                   // behind the last chunk
	chunkDone
	chunkBroken
)

// Chunks follows the chunked transfer coding (RFC 9112 §7.1) through bytes that
// arrive in pieces. The zero Chunks stands before the first chunk. Lines may end
// with LF alone.
type Chunks struct {
	state  chunkState
	left   int64 // of the data, or the size being read
	digits int
	line   int   // bytes of the size line, or of all trailers
	blank  bool  // nothing but CR so far in this trailer line
	last   bool  // the empty chunk was seen
	data   int64 // bytes of data so far
}

// Feed takes bytes from the start of p and returns how many, and the data among
// them, a part of p. It stops at the end of each piece of data, at the end of
// the coding and before the first byte that breaks it: call it until it takes
// nothing.
func (c *Chunks) Feed(p []byte) (used int, data []byte) {
	for used < len(p) {
		if c.state == chunkData {
			n := int(min(c.left, int64(len(p)-used)))
			data = p[used : used+n]
			c.left -= int64(n)
			c.data += int64(n)
			if c.left == 0 {
				c.state = chunkDataEnd
			}
			return used + n, data
		}
		if c.step(p[used]); c.state == chunkBroken {
			return used, nil
		}
		used++
		if c.state == chunkDone {
			return used, nil
		}
	}
	return used, nil
}

// step takes one byte that is not data.
func (c *Chunks) step(b byte) {
	if c.line++; c.line > maxChunkLine {
		c.state = chunkBroken
		return
	}
	switch c.state {
	case chunkSize:
		c.size(b)
	case chunkExt:
		if b == '\n' {
			c.endSize()
		}
	case chunkDataEnd:
		switch b {
		case '\n':
			c.state, c.left, c.digits, c.line = chunkSize, 0, 0, 0
		case '\r':
		default:
			c.state = chunkBroken
		}
	case chunkTrailer:
		switch {
		case b == '\n' && c.blank:
			c.state = chunkDone
		case b == '\n':
			c.blank = true
		case b != '\r':
			c.blank = false
		}
	default: // done or broken: nothing more is taken
		c.state = chunkBroken
	}
}

func (c *Chunks) size(b byte) {
	d := int64(-1)
	switch {
	case '0' <= b && b <= '9':
		d = int64(b - '0')
	case 'a' <= b|0x20 && b|0x20 <= 'f':
		d = int64(b|0x20-'a') + 10
	case c.digits > 0 && b == '\n':
		c.endSize()
		return
	case c.digits > 0 && (b == ';' || b == ' ' || b == '\t' || b == '\r'):
		c.state = chunkExt
		return
	case c.digits == 0 && (b == ' ' || b == '\t'):
		return
	}
	if d < 0 || c.left >= 1<<55 {
		c.state = chunkBroken
		return
	}
	c.left, c.digits = c.left<<4|d, c.digits+1
}

func (c *Chunks) endSize() {
	c.state = chunkData
	c.line = 0
	if c.left == 0 {
		c.state, c.blank, c.last = chunkTrailer, true, true
	}
}

// Done reports that the last chunk and the trailers have passed.
func (c *Chunks) Done() bool { return c.state == chunkDone }

// Broken reports that the bytes do not follow the coding.
func (c *Chunks) Broken() bool { return c.state == chunkBroken }

// Complete reports that all data has passed; trailers may be missing.
func (c *Chunks) Complete() bool { return c.last }

// dechunker reads the data of a chunked body. A body that breaks the coding
// before its first data byte is given as it is, with ErrChunks at its end.
type dechunker struct {
	body   *io.SectionReader
	chunks Chunks
	buf    []byte
	rest   []byte // of buf, not yet fed
	err    error
	raw    bool
}

// Entity reads the entity body of an answer with this header: body, which is what is stored behind
// the header, without the framing of the chunked coding and with its content codings. A body that
// breaks the coding before its first data byte is read as it is: it was stored without its chunks. At the
// end of such a body, and where it breaks the coding later, the error is [ErrChunks]; where it ends too
// early, [io.ErrUnexpectedEOF]. Other errors are those of body.
func (h *Head) Entity(body *io.SectionReader) io.Reader {
	if !h.Chunked() {
		return body
	}
	return &dechunker{body: body, buf: make([]byte, 8<<10)}
}

func (d *dechunker) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if d.raw {
		n, err := d.body.Read(p)
		if err == io.EOF {
			err = ErrChunks
		}
		return n, err
	}
	for {
		if d.chunks.Done() {
			return 0, io.EOF
		}
		if len(d.rest) == 0 {
			if d.err != nil {
				return 0, d.ended()
			}
			var n int
			n, d.err = d.body.Read(d.buf)
			d.rest = d.buf[:n]
			continue
		}
		// Only as much data as p holds may be taken.
		window := d.rest
		if d.chunks.state == chunkData {
			window = window[:min(len(window), len(p))]
		} else {
			window = window[:1]
		}
		used, data := d.chunks.Feed(window)
		d.rest = d.rest[used:]
		if len(data) > 0 {
			return copy(p, data), nil
		}
		if d.chunks.Broken() {
			return d.broken(p)
		}
	}
}

func (d *dechunker) broken(p []byte) (int, error) {
	if d.chunks.data > 0 {
		return 0, ErrChunks
	}
	if _, err := d.body.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	d.raw = true
	return d.Read(p)
}

// ended is the error at the end of the stored bytes.
func (d *dechunker) ended() error {
	if d.err != io.EOF || d.chunks.Complete() {
		return d.err
	}
	return io.ErrUnexpectedEOF
}
