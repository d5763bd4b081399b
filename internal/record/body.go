package record

import (
	"bytes"
	"encoding/binary"
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
// stored bytes, whatever they expand to. The bytes may be the recording's own: they
// must not be changed, and are not to be looked at after Forget, Close or a further Write.
func (r *Recording) Body(limit int64) (body []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("record: decoder failed: %v", p) // libraries on a stranger's bytes
		}
	}()
	codings := r.head.codings()
	if len(codings) == 0 && r.file == nil && !r.head.Chunked() {
		end := r.header + min(limit, r.size-r.header)
		return r.mem[r.header:end:end], nil
	}
	src := r.head.Entity(io.NewSectionReader((*answer)(r), r.header, r.size-r.header))
	var notes error
	for i := len(codings) - 1; i >= 0; i-- {
		if len(codings)-i > maxCodings {
			notes = errors.Join(notes, fmt.Errorf("%w: more than %d", ErrCoding, maxCodings))
			break
		}
		if i < len(codings)-1 {
			src = &bounded{src, limit + limit/8 + slack}
		}
		next, done, err := decoder(codings[i], src)
		defer done()
		notes = errors.Join(notes, err)
		src = next
		if errors.Is(err, ErrCoding) {
			break
		}
	}
	out := bytes.NewBuffer(takeBuffer(int(min(limit, r.decodedSize(codings)) + bytes.MinRead)))
	_, err = out.ReadFrom(io.LimitReader(src, limit))
	r.made = append(r.made, out.Bytes())
	return out.Bytes(), errors.Join(notes, err)
}

// decodedSize guesses how long the body is without its codings.
func (r *Recording) decodedSize(codings []string) int64 {
	stored := r.size - r.header
	if len(codings) == 0 {
		return stored
	}
	if codings[0] == "gzip" && !r.head.Chunked() && r.file == nil && stored > 18 {
		// RFC 1952 §2.3.1: its length ends a member. A stranger says so.
		if n := int64(binary.LittleEndian.Uint32(r.mem[len(r.mem)-4:])); n < 20*stored {
			return n
		}
	}
	return 4 * stored
}

// decoder returns src with one coding removed. With an error it returns the
// bytes as they are.
func decoder(coding string, src io.Reader) (_ io.Reader, free func(), _ error) {
	in := takeReader(src)
	done := func() { readers.Put(in) }
	start, err := in.Peek(4)
	if len(start) == 0 {
		return in, done, nil // an empty body is empty in every coding
	}
	if err != nil && err != io.EOF && len(start) < 2 {
		return in, done, nil // the reader will meet the error again
	}
	notCoded := fmt.Errorf("%w %q", ErrNotCoded, coding)
	switch coding {
	case "gzip", "x-gzip":
		if !bytes.HasPrefix(start, []byte{0x1f, 0x8b}) {
			return in, done, notCoded
		}
		z, ok := gzips.Get().(*gzip.Reader)
		if !ok {
			z = new(gzip.Reader)
		}
		if err := z.Reset(in); err != nil {
			return failing{err}, done, nil
		}
		return z, func() { gzips.Put(z); done() }, nil
	case "deflate":
		if len(start) >= 2 && start[0]&0x0f == 8 && (int(start[0])<<8|int(start[1]))%31 == 0 {
			z, err := zlib.NewReader(in)
			if err != nil {
				return failing{err}, done, nil
			}
			return z, done, nil
		}
		return flate.NewReader(in), done, nil
	case "br":
		return brotli.NewReader(in), done, nil
	case "zstd":
		if !bytes.HasPrefix(start, []byte{0x28, 0xb5, 0x2f, 0xfd}) && (len(start) < 4 || start[0]&0xf0 != 0x50 || !bytes.Equal(start[1:4], []byte{0x2a, 0x4d, 0x18})) {
			return in, done, notCoded
		}
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return failing{err}, done, nil
		}
		return z, func() { z.Close(); done() }, nil
	}
	return in, done, fmt.Errorf("%w %q", ErrCoding, coding)
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
