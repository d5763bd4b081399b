package warc

import (
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// The forms of files that are written, as in Config.Compression.
const (
	Gzip = "gzip" // a member per record
	Zstd = "zstd" // a frame per record
)

// How the names of files of a form end.
const (
	gzipEnding = ".warc.gz"
	zstdEnding = ".warc.zst"
)

// compressor makes a member or frame of each record.
type compressor interface {
	// Reset begins a record, which has size bytes with its header and the empty lines behind it.
	Reset(w io.Writer, size int64)
	io.WriteCloser
}

// members makes gzip members.
type members struct{ *gzip.Writer }

func (m members) Reset(w io.Writer, _ int64) { m.Writer.Reset(w) }

// atOnce is the length in bytes up to which a record is compressed at once, which is faster.
const atOnce = 512 << 10

// ZstdWriter makes a frame of zstd of each record, with its length and checksum, and the ID of the dictionary that it needs. It belongs to
// one goroutine.
type ZstdWriter struct {
	enc  *zstd.Encoder
	w    io.Writer
	size int64  // of the record
	rec  []byte // a record that is compressed at once
	out  []byte
}

// NewZstdWriter returns a writer of a level of 1 … 22, of which there are four: 1, 3, 6 and 10. The file begins with the frame of d, unless that is nil, which
// the caller writes.
func NewZstdWriter(level int, d *Dictionary) (*ZstdWriter, error) {
	o := []zstd.EOption{zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)), zstd.WithWindowSize(8 << 20), zstd.WithEncoderCRC(true)}
	if d != nil {
		o = append(o, zstd.WithEncoderDict(d.data))
	}
	enc, err := zstd.NewWriter(nil, o...)
	if err != nil {
		return nil, fmt.Errorf("warc: zstd: %w", err)
	}
	return &ZstdWriter{enc: enc}, nil
}

// Reset begins a record, which has size bytes with its header and the empty lines behind it. Its frame goes to w.
func (z *ZstdWriter) Reset(w io.Writer, size int64) {
	z.w, z.size, z.rec = w, size, z.rec[:0]
	if size > atOnce {
		z.enc.ResetContentSize(w, size)
	}
}

// Write takes bytes of the record.
func (z *ZstdWriter) Write(p []byte) (int, error) {
	if z.size > atOnce {
		return z.enc.Write(p)
	}
	z.rec = append(z.rec, p...)
	return len(p), nil
}

// Close ends the record. It is an error when it has another length than was said.
func (z *ZstdWriter) Close() error {
	if z.size > atOnce {
		return z.enc.Close()
	}
	if int64(len(z.rec)) != z.size {
		return fmt.Errorf("warc: zstd: the record has %d bytes, not %d", len(z.rec), z.size)
	}
	z.out = z.enc.EncodeAll(z.rec, z.out[:0])
	_, err := z.w.Write(z.out)
	return err
}
