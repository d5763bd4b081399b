package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"exclave/internal/fsx"
)

// partial is behind the name of a file that is being copied.
const partial = ".part"

// disk is a folder, on another disk mostly.
type disk struct {
	fs  fsx.FS
	dir string
}

// open implements place.
func (d disk) open(_ context.Context, name string, _ int) (*Object, error) {
	return d.file(d.fs.PathJoin(d.dir, name))
}

func (d disk) file(name string) (*Object, error) {
	f, err := d.fs.Open(name)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Object{ReaderAt: f, size: st.Size(), close: f.Close}, nil
}

// put implements place: what lies under the name was synced and compared.
func (d disk) put(ctx context.Context, name string, l *local) (there bool, sent int64, err error) {
	if err := fsx.MkdirAll(d.fs, d.dir); err != nil {
		return false, 0, err
	}
	to := d.fs.PathJoin(d.dir, name)
	switch ok, err := d.holds(ctx, to, l); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return false, 0, err
	case !ok:
		return false, 0, taken("it has another length or SHA-256")
	default:
		return true, 0, fsx.SyncDir(d.fs, d.dir)
	}
	half := to + partial
	for again := false; ; again = true {
		n, begun, err := d.copy(ctx, l, half, again)
		if err != nil {
			return false, 0, err
		}
		sent += n
		ok, err := d.holds(ctx, half, l)
		if err != nil {
			return false, 0, err
		}
		if ok {
			break
		}
		if begun == 0 {
			return false, 0, fmt.Errorf("what was copied reads back with another SHA-256: look at that disk; the copy is %s", half)
		}
	}
	if err := d.fs.Rename(half, to); err != nil {
		return false, 0, err
	}
	return false, sent, fsx.SyncDir(d.fs, d.dir)
}

// holds reports whether a file has the content of another.
func (d disk) holds(ctx context.Context, name string, l *local) (ok bool, err error) {
	o, err := d.file(name)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	return same(ctx, o, l)
}

// copy copies a file behind the begun bytes that an earlier run copied of it, or anew.
func (d disk) copy(ctx context.Context, l *local, to string, anew bool) (n, begun int64, err error) {
	if st, err := d.fs.Stat(to); err == nil && !anew && st.Size() <= l.size {
		begun = st.Size()
	} else if err == nil {
		if err := d.fs.Remove(to); err != nil {
			return 0, 0, err
		}
	}
	in, err := d.fs.Open(l.path)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := d.fs.OpenReadWrite(to, fsx.Shared)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	buf := make([]byte, 1<<20)
	for at := begun; at < l.size; {
		if err := ctx.Err(); err != nil {
			return n, begun, err
		}
		k, err := in.ReadAt(buf[:min(int64(len(buf)), l.size-at)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return n, begun, err
		}
		if k == 0 {
			return n, begun, io.ErrUnexpectedEOF
		}
		if _, err := out.WriteAt(buf[:k], at); err != nil {
			return n, begun, err
		}
		at, n = at+int64(k), n+int64(k)
	}
	return n, begun, out.Sync()
}
