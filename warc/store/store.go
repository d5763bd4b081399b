package store

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// Errors that tell what is to be done. Others may pass: the next run tries again.
var (
	// ErrDenied is wrapped by the error of a server that does not let us in, or that we do not trust: trying again does not help.
	ErrDenied = errors.New("access is denied")
	// ErrTaken is wrapped by the error of Put when there is something else of that name.
	ErrTaken = errors.New("other content has this name")
	// ErrChanged is wrapped by the error of Put when the file here is not what its digest says.
	ErrChanged = errors.New("is not what its digest says")
	// ErrSettings is wrapped by the error of New when settings or credentials are wrong or missing.
	ErrSettings = errors.New("cannot be used")
)

// Options are what a Store needs from its surroundings. The zero Options are the real ones.
type Options struct {
	FS    fsx.FS
	Clock clock.Clock
	// Retry hears of a failure that may pass, and of when it is tried again. May be nil.
	Retry func(what string, err error, after time.Duration)
}

// Store stores files in one place. Make it with [New].
type Store struct {
	place place
	with  Config
	fs    fsx.FS
}

// place is where files are stored.
type place interface {
	// put makes a file be there; there says that it was, sent how many bytes were.
	put(ctx context.Context, name string, l *local) (there bool, sent int64, err error)
	// open returns what is there; of a server it is read in pieces of some length.
	open(ctx context.Context, name string, piece int) (*Object, error)
}

// New returns the Store of a configuration in which names of files are absolute. It asks no server anything.
func New(c Config, o Options) (*Store, error) {
	if o.FS == nil {
		o.FS = fsx.Real()
	}
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Retry == nil {
		o.Retry = func(string, error, time.Duration) {}
	}
	if err := c.Validate().Err("store"); err != nil {
		return nil, fmt.Errorf("%w (%w)", err, ErrSettings)
	}
	t, err := parseTarget(c.To)
	if err != nil {
		return nil, fmt.Errorf("store: %w (%w)", err, ErrSettings)
	}
	s := &Store{with: c, fs: o.FS}
	if t.folder != "" {
		s.place = disk{fs: o.FS, dir: t.folder}
		return s, nil
	}
	b, err := newBucket(c, t, o)
	if err != nil {
		return nil, err
	}
	s.place = b
	return s, nil
}

// Stored is what Put did.
type Stored struct {
	Address string // s3://BUCKET/PREFIX/NAME, or a path
	There   bool   // the same content was there
	Sent    int64  // bytes that were sent or copied
}

// Put stores the file at path under a name, and returns when it is there and was compared; digest is its SHA-256 in hexadecimal. The error wraps
// [ErrChanged], [ErrTaken] or [ErrDenied]; after another one the next call goes on where this one ended.
func (s *Store) Put(ctx context.Context, path, name, digest string) (Stored, error) {
	l, err := s.read(ctx, path)
	if err != nil {
		return Stored{}, fmt.Errorf("store: %w", err)
	}
	if got := hex.EncodeToString(l.sum[:]); got != digest {
		return Stored{}, fmt.Errorf("store: %s %w: its SHA-256 is %s, registered is %s; nothing was stored: verify the job, and put the file back from a copy", path, ErrChanged, got, digest)
	}
	there, sent, err := s.place.put(ctx, name, l)
	if err != nil {
		return Stored{}, fmt.Errorf("store: %s: %w", s.Address(name), err)
	}
	return Stored{s.Address(name), there, sent}, nil
}

// Address returns where a file of some name is, or would be.
func (s *Store) Address(name string) string { return s.with.Address(name) }

// Open returns what is stored under a name, to be read in pieces of so many bytes, until ctx is done. The caller closes it.
func (s *Store) Open(ctx context.Context, name string, piece int) (*Object, error) {
	o, err := s.place.open(ctx, name, piece)
	if err != nil {
		return nil, fmt.Errorf("store: %s: %w", s.Address(name), err)
	}
	return o, nil
}

// local is a file here.
type local struct {
	path  string
	size  int64
	sum   [sha256.Size]byte
	parts []part // at least one
}

// part is a part of a file.
type part struct {
	from, size int64
	sum        [sha256.Size]byte
	md5        [md5.Size]byte
}

// whole is the SHA-256 of the file as S3 writes it.
func (l *local) whole() string { return base64.StdEncoding.EncodeToString(l.sum[:]) }

// composite is the SHA-256 of an object of these parts: that of their digests (checksum type COMPOSITE).
func (l *local) composite() string {
	h := sha256.New()
	for _, p := range l.parts {
		h.Write(p.sum[:])
	}
	return base64.StdEncoding.EncodeToString(h.Sum(nil)) + "-" + strconv.Itoa(len(l.parts))
}

// read digests a file.
func (s *Store) read(ctx context.Context, path string) (_ *local, err error) {
	f, err := s.fs.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	l := &local{path: path, size: st.Size()}
	const mib = 1 << 20
	size := max(s.with.PartSize, ((l.size+maxParts-1)/maxParts+mib-1)/mib*mib)
	all, buf := sha256.New(), make([]byte, 256<<10)
	for from := int64(0); from < l.size || from == 0; from += size {
		p := part{from: from, size: min(size, l.size-from)}
		sum, old := sha256.New(), md5.New()
		if _, err := io.CopyBuffer(io.MultiWriter(all, sum, old), &patient{ctx, io.NewSectionReader(f, from, p.size)}, buf); err != nil {
			return nil, fmt.Errorf("digest %s: %w", path, err)
		}
		sum.Sum(p.sum[:0])
		old.Sum(p.md5[:0])
		l.parts = append(l.parts, p)
	}
	all.Sum(l.sum[:0])
	return l, nil
}

// patient reads until ctx is done.
type patient struct {
	ctx context.Context
	in  io.Reader
}

// Read implements [io.Reader].
func (p *patient) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.in.Read(b)
}

// same reports whether what is stored has the content of a file; it reads all of it.
func same(ctx context.Context, o *Object, l *local) (bool, error) {
	if o.Size() != l.size {
		return false, nil
	}
	h := sha256.New()
	_, err := io.CopyBuffer(h, &patient{ctx, io.NewSectionReader(o, 0, o.Size())}, make([]byte, 1<<20))
	return [sha256.Size]byte(h.Sum(nil)) == l.sum, err
}

// taken is the error of a name under which something else is stored.
func taken(what string) error {
	return fmt.Errorf("%w (%s), and nothing is overwritten: look what it is; delete or rename it there, or store elsewhere", ErrTaken, what)
}

// Absolute returns a place with a folder that is written from another one made absolute.
func Absolute(to, from string) string {
	if dir, ok := Folder(to); ok && !filepath.IsAbs(dir) {
		return filepath.Join(from, dir)
	}
	return to
}
