package record

import (
	"bytes"
	"crypto/sha1"
	"encoding/base32"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
)

// DefaultMemory is how many bytes of an answer are kept in memory by default.
const DefaultMemory = 256 << 10

// Recording holds one exchange. Make it with New or Load.
type Recording struct {
	dir    string
	limit  int
	req    []byte
	mem    []byte // the first bytes of the answer, at most limit
	file   *os.File
	name   string // of file, while it still has one
	size   int64  // of the answer
	header int64
	head   Head
	digest hash.Hash
	made   [][]byte // bodies that Body decoded
}

// New returns an empty recording that keeps up to memory bytes of the answer in
// memory and the rest in a file in dir, "" for the system's directory.
func New(dir string, memory int) *Recording {
	return &Recording{dir: dir, limit: memory, digest: sha1.New()}
}

// SetRequest stores the request; the recording owns b from now on.
func (r *Recording) SetRequest(b []byte) { r.req = b }

// SetHead stores the header of the final answer, up to and including the empty
// line, and what it says. It comes before the first Write; an answer without a
// header has none.
func (r *Recording) SetHead(b []byte, h Head) error {
	err := r.store(b)
	r.header, r.head = r.size, h
	return err
}

// Head returns what the header says.
func (r *Recording) Head() *Head { return &r.head }

// Expect says that the body will have n bytes, so that memory is taken once.
func (r *Recording) Expect(n int64) {
	r.grow(int(min(r.size+max(n, 0), int64(r.limit))))
}

// grow makes room for n bytes in memory.
func (r *Recording) grow(n int) {
	if cap(r.mem) >= n {
		return
	}
	old := r.mem
	r.mem = append(takeBuffer(n), old...)
	giveBuffer(old)
}

// Write appends bytes of the body. An error is that of the scratch file.
func (r *Recording) Write(p []byte) (int, error) {
	r.digest.Write(p)
	if err := r.store(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (r *Recording) store(p []byte) error {
	n := max(min(r.limit-len(r.mem), len(p)), 0)
	if r.file != nil {
		n = 0
	}
	if need := len(r.mem) + n; need > cap(r.mem) {
		r.grow(min(max(need, 2*cap(r.mem)), r.limit))
	}
	r.mem = append(r.mem, p[:n]...)
	r.size += int64(n)
	if p = p[n:]; len(p) == 0 {
		return nil
	}
	if r.file == nil {
		if err := r.spill(); err != nil {
			return err
		}
	}
	n, err := r.file.Write(p)
	r.size += int64(n)
	if err != nil {
		return fmt.Errorf("record: write scratch file: %w", err)
	}
	return nil
}

// spill opens the scratch file and takes its name away.
func (r *Recording) spill() error {
	f, err := os.CreateTemp(r.dir, "recording-*")
	if err != nil {
		return fmt.Errorf("record: create scratch file: %w", err)
	}
	r.file = f
	if os.Remove(f.Name()) != nil {
		r.name = f.Name() // a system that cannot: Close tries again
	}
	return nil
}

// Request returns the request as sent, and its length.
func (r *Recording) Request() (io.ReaderAt, int64) {
	return bytes.NewReader(r.req), int64(len(r.req))
}

// Response returns the final answer as received, and its length. It is valid
// until Close.
func (r *Recording) Response() (io.ReaderAt, int64) { return (*answer)(r), r.size }

// HeaderLen is the length of the answer up to and including the empty line.
func (r *Recording) HeaderLen() int64 { return r.header }

// PayloadDigest returns "sha1:" and base32 of the bytes after the header as they
// are stored, codings included (docs/formats/warc.md).
func (r *Recording) PayloadDigest() string { return label(r.digest.Sum(nil)) }

// EntityDigest returns the digest of the entity body of an answer of size bytes: as PayloadDigest, but without the framing of the chunked
// transfer coding; content codings stay. Of a body that ends within a chunk it is that of the data there is; a body that is said to be in
// chunks and is not, or no longer, is taken as it is stored.
func EntityDigest(answer io.ReaderAt, size int64) (string, error) {
	n, err := HeadLen(io.NewSectionReader(answer, 0, size))
	if err != nil {
		return "", fmt.Errorf("record: digest entity: %w", err)
	}
	raw := make([]byte, n)
	if _, err := io.ReadFull(io.NewSectionReader(answer, 0, n), raw); err != nil {
		return "", fmt.Errorf("record: digest entity: %w", err)
	}
	stored := func() *io.SectionReader { return io.NewSectionReader(answer, n, size-n) }
	head, h := ParseHead(raw), sha1.New()
	_, err = io.Copy(h, head.Entity(stored()))
	if errors.Is(err, ErrChunks) {
		h.Reset()
		_, err = io.Copy(h, stored())
	}
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", fmt.Errorf("record: digest entity: %w", err)
	}
	return label(h.Sum(nil)), nil
}

func label(sum []byte) string { return "sha1:" + base32.StdEncoding.EncodeToString(sum) }

// Forget gives up the bodies that Body decoded: they are not to be looked at any more.
func (r *Recording) Forget() {
	for _, b := range r.made {
		giveBuffer(b)
	}
	r.made = nil
}

// Close releases memory and the scratch file. A second call does nothing.
func (r *Recording) Close() error {
	r.Forget()
	giveBuffer(r.mem)
	r.mem, r.req, r.size = nil, nil, 0
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	if r.name != "" {
		err = errors.Join(err, os.Remove(r.name))
	}
	r.file = nil
	if err != nil {
		return fmt.Errorf("record: close scratch file: %w", err)
	}
	return nil
}

// answer reads the bytes of an answer wherever they are.
type answer Recording

func (a *answer) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("record: read at %d: negative offset", off)
	}
	if off < int64(len(a.mem)) {
		n = copy(p, a.mem[off:])
	}
	if n == len(p) {
		return n, nil
	}
	if a.file == nil {
		return n, io.EOF
	}
	m, err := a.file.ReadAt(p[n:], off+int64(n)-int64(len(a.mem)))
	return n + m, err
}

// Load makes a recording of a stored answer, header and body as received.
func Load(src io.Reader, dir string, memory int) (*Recording, error) {
	r := New(dir, memory)
	buf := make([]byte, 32<<10)
	n, err := io.ReadFull(src, buf)
	end := 0
	if IsStatusLine(buf[:n]) {
		var head HeadEnd
		ended := false
		for end, ended = head.Feed(buf[:n]); err == nil && !ended; {
			buf = append(buf, make([]byte, len(buf))...)
			var m, used int
			m, err = io.ReadFull(src, buf[n:])
			used, ended = head.Feed(buf[n : n+m])
			n, end = n+m, end+used
		}
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	buf = buf[:n]
	if err == nil && end > 0 {
		err = r.SetHead(buf[:end], ParseHead(buf[:end]))
	}
	if err == nil {
		_, err = r.Write(buf[end:])
	}
	if err == nil {
		_, err = io.Copy(r, src)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("record: load answer: %w", err), r.Close())
	}
	return r, nil
}
