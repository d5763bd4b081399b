package seedlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Compression is how a source is compressed, told by its first bytes.
type Compression string

// The compressions that are read.
const (
	Plain Compression = "plain"
	Gzip  Compression = "gzip"
	Zstd  Compression = "zstd"
)

// maxWindow bounds what a zstd file may ask for: what "zstd --long" makes.
const maxWindow = 128 << 20

// source is the uncompressed stream. An error of the reader below is in failed;
// any other error of Read but io.EOF is damage of the compressed data.
type source struct {
	in          *bufio.Reader // the raw bytes
	raw         *counting
	out         io.Reader
	compression Compression
	close       func()
	err         error // sticky
}

// counting counts what was read and keeps the error of the reader.
type counting struct {
	r      io.Reader
	n      int64
	failed error
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.failed = err
	}
	return n, err
}

func openSource(r io.Reader) (*source, error) {
	raw := &counting{r: r}
	s := &source{raw: raw, in: bufio.NewReaderSize(raw, 64<<10), compression: Plain, close: func() {}}
	head, err := s.in.Peek(6)
	if err != nil && raw.failed != nil {
		return nil, fmt.Errorf("seedlog: read: %w", raw.failed)
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		s.compression, s.out = Gzip, &gunzip{in: s.in}
	case isZstd(head):
		s.compression = Zstd
		// One goroutine, so that what was read of the file is what was needed.
		d, err := zstd.NewReader(s.in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, fmt.Errorf("seedlog: zstd: %w", err)
		}
		s.out, s.close = d, d.Close
	default:
		if name := unread(head); name != "" {
			return nil, fmt.Errorf("seedlog: %w: %s is not read; compress with gzip or zstd instead", ErrNoLog, name)
		}
		s.out = s.in
	}
	return s, nil
}

// isZstd knows frames and skippable frames (RFC 8878 §3.1).
func isZstd(head []byte) bool {
	return bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		len(head) >= 4 && head[0]&0xf0 == 0x50 && head[1] == 0x2a && head[2] == 0x4d && head[3] == 0x18
}

// unread names a container that people may hand over and that is not read.
func unread(head []byte) string {
	for _, c := range []struct{ magic, name string }{
		{"BZh", "bzip2"}, {"\xfd7zXZ\x00", "xz"}, {"PK\x03\x04", "zip"}, {"\x04\x22\x4d\x18", "lz4"}, {"7z\xbc\xaf", "7-Zip"},
	} {
		if bytes.HasPrefix(head, []byte(c.magic)) {
			return c.name
		}
	}
	return ""
}

// noLog names a file that is no log by how its content begins.
func noLog(begin []byte) string {
	for _, c := range []struct{ magic, name string }{
		{"WARC/", "a WARC file; its CDX or CDXJ index can be read, exclave analyze judges its pages"},
		{"filedesc://", "an ARC file; its CDX index can be read"},
		{"\xff\xfe", "text in UTF-16; save it as UTF-8"}, {"\xfe\xff", "text in UTF-16; save it as UTF-8"},
		{"%PDF-", "a PDF file"}, {"SQLite format 3", "a database of SQLite"},
	} {
		if bytes.HasPrefix(begin, []byte(c.magic)) {
			return c.name
		}
	}
	return ""
}

// gunzip opens its reader at the first Read: a header that is cut off is damage
// like any other.
type gunzip struct {
	in *bufio.Reader
	z  *gzip.Reader
}

func (g *gunzip) Read(p []byte) (int, error) {
	if g.z == nil {
		z, err := gzip.NewReader(g.in)
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
		g.z = z
	}
	return g.z.Read(p)
}

// Read implements io.Reader. Errors are sticky.
func (s *source) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.out.Read(p)
	s.err = err
	return n, err
}

// rawOffset is how many bytes of the file were used.
func (s *source) rawOffset() int64 { return s.raw.n - int64(s.in.Buffered()) }

// skip passes over n bytes of the uncompressed stream, by seeking where that is
// possible. A stream that ends before is damage: the caller reads on and sees.
func (s *source) skip(n int64) error {
	if seeker, ok := s.raw.r.(io.Seeker); ok && s.compression == Plain {
		if _, err := seeker.Seek(n, io.SeekStart); err != nil {
			return fmt.Errorf("seedlog: go to byte %d: %w", n, err)
		}
		s.raw.n = n
		s.in.Reset(s.raw)
		return nil
	}
	if _, err := io.CopyN(io.Discard, s, n); err != nil && s.raw.failed != nil {
		return fmt.Errorf("seedlog: read: %w", s.raw.failed)
	}
	return nil
}
