package store

import (
	"runtime"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"exclave/internal/fsx"
)

// storeFS ends the store when its folder cannot be synced, where Pebble would panic, even in the background.
type storeFS struct {
	fsx.FS
	s *Store
}

// Link implements vfs.FS. Pebble links for checkpoints, into other folders. Where links are impossible it copies, but
// not after every such error.
func (f storeFS) Link(oldname, newname string) error {
	err := f.FS.Link(oldname, newname)
	if !fsx.CannotLink(err) {
		return err
	}
	st, err := f.Stat(oldname)
	if err != nil {
		return err
	}
	f.s.copied.Add(st.Size())
	return fsx.CopyStart(f.FS, oldname, newname, st.Size())
}

// Create implements vfs.FS.
func (f storeFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	file, err := f.FS.Create(name, c)
	if err != nil || !strings.HasSuffix(name, ".sst") {
		return file, err
	}
	return backgroundFile{file}, nil
}

// OpenDir implements vfs.FS.
func (f storeFS) OpenDir(name string) (vfs.File, error) {
	dir, err := f.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	if name != f.s.o.Dir {
		return otherDir{dir}, nil
	}
	return storeDir{dir, f.s.death}, nil
}

// storeDir is the folder of the store.
type storeDir struct {
	vfs.File
	death *death
}

// Sync implements vfs.File.
func (d storeDir) Sync() error {
	err := d.File.Sync()
	if err != nil {
		d.death.die(err)
		runtime.Goexit()
	}
	return nil
}

// otherDir is a folder that is not the store's own: a sync that fails there is no reason
// to end the store.
type otherDir struct{ vfs.File }

// Sync implements vfs.File.
func (d otherDir) Sync() error {
	if err := d.File.Sync(); err != nil {
		return otherDirError{err}
	}
	return nil
}

type otherDirError struct{ error }

// Unwrap returns what the file system said.
func (e otherDirError) Unwrap() error { return e.error }

// backgroundFile is a table of the store that is written in the background: each write yields first.
type backgroundFile struct{ vfs.File }

// Write implements vfs.File.
func (p backgroundFile) Write(b []byte) (int, error) {
	runtime.Gosched()
	return p.File.Write(b)
}
