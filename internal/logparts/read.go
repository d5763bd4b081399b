package logparts

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"

	"exclave/internal/fsx"
)

// OpenPart opens a part, plain or compressed, or a log itself. The error wraps [fs.ErrNotExist] when it is not there.
func OpenPart(fsys fsx.FS, dir, name string) (io.ReadCloser, error) {
	plain := fsys.PathJoin(dir, name)
	f, err := fsys.Open(plain)
	if err == nil {
		return f, nil
	}
	if !errors.Is(err, fs.ErrNotExist) || !isPart(name) {
		return nil, fmt.Errorf("logparts: %w", err)
	}
	return openPacked(fsys, plain+Packed)
}

func openPacked(fsys fsx.FS, path string) (io.ReadCloser, error) {
	f, err := fsys.Open(path)
	if err != nil {
		return nil, fmt.Errorf("logparts: %w", err)
	}
	z, err := gzip.NewReader(bufio.NewReaderSize(f, 64<<10))
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // a compressed file is never empty
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("logparts: %s: %w", path, err), f.Close())
	}
	return packed{z, f, path}, nil
}

// packed is a part that is compressed.
type packed struct {
	z    *gzip.Reader
	f    io.Closer
	path string
}

// Read implements io.Reader.
func (p packed) Read(b []byte) (int, error) {
	n, err := p.z.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("logparts: %s: %w", p.path, err)
	}
	return n, err
}

// Close implements io.Closer.
func (p packed) Close() error { return errors.Join(p.z.Close(), p.f.Close()) }

// Reader reads a log from its first part to the end of the file that is written to.
type Reader struct {
	fsys  fsx.FS
	dir   string
	log   string
	parts []string      // that follow
	name  string        // of the file being read
	in    io.ReadCloser // nil: the next is to be opened
	last  io.ReadCloser // the file that is written to; nil: none, or read
}

// Open opens a log. The error wraps [fs.ErrNotExist] when there is nothing of it.
func Open(fsys fsx.FS, dir, log string) (*Reader, error) {
	for {
		before, err := List(fsys, dir, log)
		if err != nil {
			return nil, err
		}
		r := &Reader{fsys: fsys, dir: dir, log: log, parts: before}
		f, missing := fsys.Open(fsys.PathJoin(dir, log))
		switch {
		case missing == nil:
			r.last = f
		case !errors.Is(missing, fs.ErrNotExist):
			return nil, fmt.Errorf("logparts: %w", missing)
		}
		after, err := List(fsys, dir, log)
		if err != nil {
			return nil, errors.Join(err, r.Close())
		}
		if slices.Equal(before, after) {
			if missing != nil && len(after) == 0 {
				return nil, fmt.Errorf("logparts: %w", missing)
			}
			return r, nil
		}
		if err := r.Close(); err != nil { // what was opened may be a part by now
			return nil, err
		}
	}
}

// Next goes on to the next file and returns its name, without [Packed]. After the last the error is io.EOF.
func (r *Reader) Next() (name string, err error) {
	if r.in != nil {
		if err := r.in.Close(); err != nil {
			return "", fmt.Errorf("logparts: %w", err)
		}
		r.in = nil
	}
	switch {
	case len(r.parts) > 0:
		r.name, r.parts = r.parts[0], r.parts[1:]
		r.in, err = OpenPart(r.fsys, r.dir, r.name)
		return r.name, err
	case r.last != nil:
		r.name, r.in, r.last = r.log, r.last, nil
		return r.name, nil
	}
	return "", io.EOF
}

// Read implements io.Reader: all files one behind the other.
func (r *Reader) Read(p []byte) (int, error) {
	for {
		if r.in == nil {
			if _, err := r.Next(); err != nil {
				return 0, err
			}
		}
		n, err := r.in.Read(p)
		if n > 0 || err != nil && !errors.Is(err, io.EOF) || len(p) == 0 {
			if errors.Is(err, io.EOF) {
				err = nil // said again
			}
			return n, err
		}
		if err != nil {
			if _, err := r.Next(); err != nil {
				return 0, err
			}
		}
	}
}

// Close implements io.Closer.
func (r *Reader) Close() error {
	var errs []error
	for _, c := range []io.Closer{r.in, r.last} {
		if c != nil {
			errs = append(errs, c.Close())
		}
	}
	r.in, r.last, r.parts = nil, nil, nil
	return errors.Join(errs...)
}

// Place is where a line of a log is.
type Place struct {
	File string // its name, without [Packed]
	Line int64  // from 1
}

// String is "crawl.log line 7".
func (p Place) String() string { return fmt.Sprintf("%s line %d", p.File, p.Line) }

// EachLine calls fn for every line of a log with its end; the last one of a file may have none. line is fn's only
// during the call. A log of which there is nothing has no lines.
func EachLine(fsys fsx.FS, dir, log string, fn func(at Place, line []byte) error) (err error) {
	r, err := Open(fsys, dir, log)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		name, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := Lines(r.in, func(n int64, line []byte) error { return fn(Place{name, n}, line) }); err != nil {
			return err
		}
	}
}

// Lines is EachLine of one file that is open.
func Lines(in io.Reader, fn func(n int64, line []byte) error) error {
	b := bufio.NewReaderSize(in, 64<<10)
	var long []byte // what is there of a line longer than the buffer
	for n := int64(1); ; {
		part, err := b.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, part...)
			continue
		}
		line := part
		if len(long) > 0 {
			long = append(long, part...)
			line = long
		}
		if len(line) > 0 {
			if err := fn(n, line); err != nil {
				return err
			}
			n++
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		long = long[:0]
	}
}

// Damaged tells an error about what a compressed part holds from one of the machine.
func Damaged(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &corrupt)
}
