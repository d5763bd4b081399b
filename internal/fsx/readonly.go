package fsx

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// ReadOnly returns a file system of which nothing can be changed, whatever rights the process has: all that would
// fails with EROFS. Its Lock takes the lock for this process alone where the file may be written; where it may not
// (a read-only file system, a file of another user) it only keeps writers out, and many may hold it at once.
func ReadOnly(under FS) FS { return readOnly{under} }

type readOnly struct{ FS }

func refuse(op, name string) error { return &fs.PathError{Op: op, Path: name, Err: syscall.EROFS} }

// Unwrap implements vfs.FS.
func (r readOnly) Unwrap() vfs.FS { return r.FS }

// Create implements vfs.FS.
func (readOnly) Create(name string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, refuse("create", name)
}

// OpenReadWrite implements vfs.FS.
func (readOnly) OpenReadWrite(name string, _ vfs.DiskWriteCategory, _ ...vfs.OpenOption) (vfs.File, error) {
	return nil, refuse("open for writing", name)
}

// ReuseForWrite implements vfs.FS.
func (readOnly) ReuseForWrite(oldname, _ string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, refuse("reuse", oldname)
}

// Link implements vfs.FS.
func (readOnly) Link(oldname, _ string) error { return refuse("link", oldname) }

// Remove implements vfs.FS.
func (readOnly) Remove(name string) error { return refuse("remove", name) }

// RemoveAll implements vfs.FS.
func (readOnly) RemoveAll(name string) error { return refuse("remove", name) }

// Rename implements vfs.FS.
func (readOnly) Rename(oldname, _ string) error { return refuse("rename", oldname) }

// MkdirAll implements vfs.FS.
func (readOnly) MkdirAll(dir string, _ os.FileMode) error { return refuse("make", dir) }

// Truncate implements FS.
func (readOnly) Truncate(name string, _ int64) error { return refuse("truncate", name) }

// Lock implements vfs.FS.
func (r readOnly) Lock(name string) (io.Closer, error) {
	lock, err := r.FS.Lock(name)
	if !errors.Is(err, syscall.EROFS) && (!errors.Is(err, fs.ErrPermission) || !errors.As(err, new(*fs.PathError))) {
		return lock, err
	}
	// This process cannot hold the lock itself, so closing the file gives back no other one.
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return io.NopCloser(nil), nil // nobody ever worked here
	}
	if err != nil {
		return nil, err
	}
	err = syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_RDLCK, Whence: io.SeekStart})
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil // also where there are no locks: nobody writes what cannot be written
}
