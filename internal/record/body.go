package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

var (
	// ErrCoding is the error of a body in a coding that is not known; the bytes
	// are given in that coding.
	ErrCoding = errors.New("record: unknown content coding")
	// ErrNotCoded is the error of a body that does not begin as the declared
	// coding does; it is given as it is.
	ErrNotCoded = errors.New("record: body is not in the declared coding")

	errBomb = errors.New("record: inner coding is much longer than the body it makes")
)

const (
	// maxCodings is how many codings are taken off.
	maxCodings = 4
	// slack is what a coding may be longer than what it codes.
	slack = 64 << 10
	// maxWindow is what RFC 8878 §3.1.1.1.2 asks decoders to support.
	maxWindow = 8 << 20
)

// Body returns up to limit bytes of the body with transfer and content codings
// removed: gzip, x-gzip, deflate with and without zlib's header, br, zstd, also
// one around the other. A broken coding ends the body early: what could be
// decoded is returned with the error. It takes time linear in limit and in the
// stored bytes, whatever they expand to.
func (r *Recording) Body(limit int64) (body []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("record: decoder failed: %v", p) // libraries on a stranger's bytes
		}
	}()
	section := io.NewSectionReader((*answer)(r), r.header, r.size-r.header)
	var src io.Reader = section
	if r.head.Chunked() {
		src = newDechunker(section)
	}
	codings := r.head.codings()
	var notes error
	for i := len(codings) - 1; i >= 0; i-- {
		if len(codings)-i > maxCodings {
			notes = errors.Join(notes, fmt.Errorf("%w: more than %d", ErrCoding, maxCodings))
			break
		}
		if i < len(codings)-1 {
			src = &bounded{src, limit + limit/8 + slack}
		}
		next, closeFn, err := decoder(codings[i], src)
		if closeFn != nil {
			defer closeFn()
		}
		notes = errors.Join(notes, err)
		src = next
		if errors.Is(err, ErrCoding) {
			break
		}
	}
	out := bytes.NewBuffer(make([]byte, 0, min(limit, max(section.Size(), bytes.MinRead))))
	_, err = out.ReadFrom(io.LimitReader(src, limit))
	return out.Bytes(), errors.Join(notes, err)
}

// decoder returns src with one coding removed. With an error it returns the
// bytes as they are.
func decoder(coding string, src io.Reader) (io.Reader, func(), error) {
	in := bufio.NewReader(src)
	start, err := in.Peek(4)
	if len(start) == 0 {
		return in, nil, nil // an empty body is empty in every coding
	}
	if err != nil && err != io.EOF && len(start) < 2 {
		return in, nil, nil // the reader will meet the error again
	}
	notCoded := fmt.Errorf("%w %q", ErrNotCoded, coding)
	switch coding {
	case "gzip", "x-gzip":
		if !bytes.HasPrefix(start, []byte{0x1f, 0x8b}) {
			return in, nil, notCoded
		}
		z, err := gzip.NewReader(in)
		if err != nil {
			return failing{err}, nil, nil
		}
		return z, nil, nil
	case "deflate":
		if len(start) >= 2 && start[0]&0x0f == 8 && (int(start[0])<<8|int(start[1]))%31 == 0 {
			z, err := zlib.NewReader(in)
			if err != nil {
				return failing{err}, nil, nil
			}
			return z, nil, nil
		}
		return flate.NewReader(in), nil, nil
	case "br":
		return brotli.NewReader(in), nil, nil
	case "zstd":
		if !bytes.HasPrefix(start, []byte{0x28, 0xb5, 0x2f, 0xfd}) && (len(start) < 4 || start[0]&0xf0 != 0x50 || !bytes.Equal(start[1:4], []byte{0x2a, 0x4d, 0x18})) {
			return in, nil, notCoded
		}
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return failing{err}, nil, nil
		}
		return z, z.Close, nil
	}
	return in, nil, fmt.Errorf("%w %q", ErrCoding, coding)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// bounded stands between two codings: bytes that code the next coding are about
// as many as the body, unless they were made to keep us busy.
type bounded struct {
	src  io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errBomb
	}
	n, err := b.src.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
