package fsx

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Modes of what Real makes, before umask. A job's state and logs are its owner's
// alone; WARC files and reports (Shared) may be fetched by the group. What is there
// already keeps its mode.
const (
	FileMode   os.FileMode = 0o600
	SharedMode os.FileMode = 0o640
	FolderMode os.FileMode = 0o750
)

// Shared is the category of files that are made with SharedMode.
const Shared vfs.DiskWriteCategory = "exclave-shared"

// Real returns the file system of the machine.
func Real() FS { return real{vfs.Default} }

type real struct{ vfs.FS }

func (real) Truncate(name string, size int64) error { return os.Truncate(name, size) }

// Lstat is what the function Lstat finds.
func (real) Lstat(name string) (os.FileInfo, error) { return os.Lstat(name) }

// Create implements vfs.FS. As there, a file of that name is removed first.
func (r real) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	err := claim(name, c)
	for errors.Is(err, fs.ErrExist) {
		if rm := os.Remove(name); rm != nil && !errors.Is(rm, fs.ErrNotExist) {
			return nil, rm
		}
		err = claim(name, c)
	}
	if err != nil {
		return nil, err
	}
	return r.FS.OpenReadWrite(name, c)
}

// OpenReadWrite implements vfs.FS.
func (r real) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	if err := claim(name, c); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return r.FS.OpenReadWrite(name, c, opts...)
}

// Lock implements vfs.FS.
func (r real) Lock(name string) (io.Closer, error) {
	if err := claim(name, ""); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return r.FS.Lock(name)
}

// MkdirAll implements vfs.FS.
func (r real) MkdirAll(dir string, perm os.FileMode) error {
	return r.FS.MkdirAll(dir, perm&FolderMode)
}

// claim makes an empty file with its mode from the first instant; Pebble's own file
// system leaves modes to umask. It never opens one that is there: to close that again
// would give back the locks this process has on it.
func claim(name string, c vfs.DiskWriteCategory) error {
	mode := FileMode
	if c == Shared {
		mode = SharedMode
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|syscall.O_CLOEXEC, mode)
	if err != nil {
		return err
	}
	return f.Close()
}
