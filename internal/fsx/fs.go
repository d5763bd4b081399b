package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// FS is Pebble's file system with Truncate.
type FS interface {
	vfs.FS
	// Truncate sets the length of an existing file to size bytes, filling with
	// zeros when it grows. It is durable after Sync of the file. Open handles
	// see the new length.
	Truncate(name string, size int64) error
}

// Lstat is Stat of the name itself when it is a symbolic link.
func Lstat(fsys FS, name string) (os.FileInfo, error) {
	for f := vfs.FS(fsys); f != nil; f = f.Unwrap() {
		if l, ok := f.(interface {
			Lstat(name string) (os.FileInfo, error)
		}); ok {
			return l.Lstat(name)
		}
	}
	return fsys.Stat(name) // has no links
}

// SyncDir makes the names in the directory durable.
func SyncDir(fsys FS, dir string) error {
	d, err := fsys.OpenDir(dir)
	if err != nil {
		return fmt.Errorf("fsx: sync directory %s: %w", dir, err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("fsx: sync directory %s: %w", dir, err)
	}
	return nil
}

// MkdirAll makes dir and its missing parents (mode FolderMode before umask) and
// makes their names durable.
func MkdirAll(fsys FS, dir string) error {
	var made []string
	for d := dir; ; d = fsys.PathDir(d) {
		_, err := fsys.Stat(d)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("fsx: make directory %s: %w", dir, err)
		}
		made = append(made, d)
		if fsys.PathDir(d) == d {
			break
		}
	}
	if err := fsys.MkdirAll(dir, FolderMode); err != nil {
		return fmt.Errorf("fsx: make directory %s: %w", dir, err)
	}
	for _, d := range made {
		if err := SyncDir(fsys, fsys.PathDir(d)); err != nil {
			return err
		}
	}
	return nil
}

// WriteFileAtomic replaces the file name by data: after an error or a crash the
// file is either as it was or complete. The temporary file is name + ".tmp", in
// the same directory; a later call overwrites one left by a crash.
func WriteFileAtomic(fsys FS, name string, data []byte) error {
	return writeFileAtomic(fsys, name, data, vfs.WriteCategoryUnspecified)
}

// WriteSharedAtomic is WriteFileAtomic for a file that is made with SharedMode.
func WriteSharedAtomic(fsys FS, name string, data []byte) error {
	return writeFileAtomic(fsys, name, data, Shared)
}

func writeFileAtomic(fsys FS, name string, data []byte, c vfs.DiskWriteCategory) error {
	tmp := name + ".tmp"
	err := writeSynced(fsys, tmp, data, c)
	if err == nil {
		err = fsys.Rename(tmp, name)
	}
	if err != nil {
		if rm := fsys.Remove(tmp); rm != nil && !errors.Is(rm, fs.ErrNotExist) {
			err = errors.Join(err, rm)
		}
		return fmt.Errorf("fsx: write %s: %w", name, err)
	}
	return SyncDir(fsys, fsys.PathDir(name))
}

func writeSynced(fsys FS, name string, data []byte, c vfs.DiskWriteCategory) error {
	f, err := fsys.Create(name, c)
	if err != nil {
		return err
	}
	// vfs.File.Write may change the slice it is given.
	_, err = f.Write(append([]byte(nil), data...))
	if err == nil {
		var st vfs.FileInfo
		if st, err = f.Stat(); err == nil && st.Size() != int64(len(data)) {
			err = fmt.Errorf("%d bytes written, %d found", len(data), st.Size())
		}
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
