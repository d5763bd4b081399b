package fsx

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Append writes a file that only grows at its end, or is cut back. It belongs to
// one goroutine at a time.
type Append struct {
	fs     FS
	name   string
	f      vfs.File
	size   int64
	broken error // no more writes
	lost   error // no more syncs either
}

// OpenAppend opens name for writing at its present end. A missing file is
// created and its name made durable.
func OpenAppend(fsys FS, name string) (*Append, error) {
	return openAppend(fsys, name, vfs.WriteCategoryUnspecified)
}

// OpenAppendShared is OpenAppend for a file that is made with SharedMode.
func OpenAppendShared(fsys FS, name string) (*Append, error) { return openAppend(fsys, name, Shared) }

func openAppend(fsys FS, name string, c vfs.DiskWriteCategory) (*Append, error) {
	_, err := fsys.Stat(name)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return nil, fmt.Errorf("fsx: open %s: %w", name, err)
	}
	f, err := fsys.OpenReadWrite(name, c)
	if err != nil {
		return nil, fmt.Errorf("fsx: open %s: %w", name, err)
	}
	st, err := f.Stat()
	if err == nil && missing {
		err = SyncDir(fsys, fsys.PathDir(name))
	}
	if err != nil {
		return nil, fmt.Errorf("fsx: open %s: %w", name, errors.Join(err, f.Close()))
	}
	return &Append{fs: fsys, name: name, f: f, size: st.Size()}, nil
}

// Name returns the name the file was opened under.
func (a *Append) Name() string { return a.name }

// Size returns the length of the file in bytes; the next Write goes there.
func (a *Append) Size() int64 { return a.size }

// Err returns why the file takes no more writes, nil while it does: a write
// that could not be cut back (what was written before it can still be synced),
// or a failed Sync, after which no later Sync can be believed. Truncate and
// Close still work.
func (a *Append) Err() error { return a.broken }

// Write appends p, all of it or nothing: after an error the file has the length
// it had before, or is broken (see Err). Like vfs.File it may change p.
func (a *Append) Write(p []byte) (int, error) {
	if a.broken != nil {
		return 0, a.broken
	}
	n, err := a.f.WriteAt(p, a.size)
	if err == nil && n < len(p) {
		err = fmt.Errorf("%d of %d bytes written", n, len(p))
	}
	if err != nil {
		err = fmt.Errorf("fsx: write %s: %w", a.name, err)
		if cut := a.fs.Truncate(a.name, a.size); cut != nil {
			a.broken = fmt.Errorf("%w; its rest cannot be cut off: %w", err, cut)
			return 0, a.broken
		}
		return 0, err
	}
	a.size += int64(n)
	return n, nil
}

// ReadAt reads what has been written, durable or not.
func (a *Append) ReadAt(p []byte, off int64) (int, error) { return a.f.ReadAt(p, off) }

// Sync makes everything written durable.
func (a *Append) Sync() error {
	if a.lost != nil {
		return a.lost
	}
	if err := a.f.Sync(); err != nil {
		a.lost = fmt.Errorf("fsx: sync %s: %w", a.name, err)
		a.broken = a.lost
	}
	return a.lost
}

// Truncate cuts the file to the given length, 0 … Size. The cut is durable after
// Sync. When it fails the file is broken.
func (a *Append) Truncate(to int64) error {
	if to < 0 || to > a.size {
		return fmt.Errorf("fsx: truncate %s: %d is not within its %d bytes", a.name, to, a.size)
	}
	if err := a.fs.Truncate(a.name, to); err != nil {
		err = fmt.Errorf("fsx: truncate %s: %w", a.name, err)
		if a.broken == nil {
			a.broken = err
		}
		return err
	}
	a.size = to
	return nil
}

// Close closes the file without syncing it.
func (a *Append) Close() error {
	if err := a.f.Close(); err != nil {
		return fmt.Errorf("fsx: close %s: %w", a.name, err)
	}
	return nil
}
